/**
 * What can be seen from outside: spans, metrics and log annotations, with ids and no payload. Here they are printed; a
 * tracer of `@effect/opentelemetry` takes the place of this one, and exports the metrics too.
 */
import * as Permission from "@claude-duplex/session/Permission"
import * as Session from "@claude-duplex/session/Session"
import * as SessionMetrics from "@claude-duplex/session/SessionMetrics"
import { Console, Effect, Layer, Logger, Metric } from "effect"
import { recorded } from "./support/fakes.js"
import { printing } from "./support/printingTracer.js"

const Conversation = Session.layer({
  // A handler's logs say which session and which turn it was called for.
  onPermission: ({ toolName }) => Effect.as(Effect.log(`may ${toolName} run?`), Permission.allow())
}).pipe(Layer.provide(recorded("permission-allow")))

const program = Effect.gen(function*() {
  const session = yield* Session.Session
  // Its span is the parent of the turn's.
  yield* Effect.withSpan(session.send("make a file"), "my request")

  const frames = yield* Metric.value(SessionMetrics.framesReceived)
  const turns = yield* Metric.value(Metric.tagged(SessionMetrics.turns, "outcome", "success"))
  yield* Console.log(`metrics: ${frames.count} frames, ${turns.count} turn`)
})

await program.pipe(
  Effect.provide(Conversation),
  Effect.withTracer(printing),
  Effect.provide(Logger.replace(
    Logger.defaultLogger,
    Logger.make(({ annotations, message }) => console.log("log:", message, [...annotations].map(([name]) => name)))
  )),
  Effect.runPromise
)
