/**
 * Four ways to stop a turn: by hand, by the clock, by no longer waiting, and by a watchdog. In all of them the CLI is asked
 * by a control frame, the turn ends with a result of its own, and the conversation goes on. A signal would end the process.
 */
import * as Session from "@claude-duplex/session/Session"
import { Console, Effect, Fiber, Layer, Stream } from "effect"
import { beginTurn, endTurn, interruptedTurn, recorded, scripted } from "./support/fakes.js"

const byHand = Effect.gen(function*() {
  const session = yield* Session.Session
  const turn = yield* session.start("take your time")
  yield* Stream.runHead(turn.text)
  // Ten seconds for the CLI to say that it heard; one that says nothing is ended.
  yield* turn.interrupt({ deadline: "10 seconds", escalate: "close" })
  const { outcome, terminalReason } = yield* turn.result
  yield* Console.log("by hand ", { outcome, terminalReason })
})

/** A CLI that says nothing but what it must: its turns end when they are interrupted. */
const silent = scripted(...beginTurn, ...interruptedTurn, ...beginTurn, endTurn("I am still here."))

const byTheClock = Effect.gen(function*() {
  const session = yield* Session.Session
  const outcome = yield* session.send("take your time", { timeout: "50 millis" }).pipe(
    Effect.map(({ outcome }) => outcome),
    Effect.catchTag("TurnTimeout", ({ result }) => Effect.succeed(result?.outcome))
  )
  const { text } = yield* session.send("and now?")
  yield* Console.log("timeout ", { outcome, text })
})

const byNotWaiting = Effect.gen(function*() {
  const session = yield* Session.Session
  const asking = yield* Effect.fork(session.send("take your time"))
  yield* Effect.sleep("50 millis")
  // Whoever stops waiting stops the turn.
  yield* Fiber.interrupt(asking)
  const { text } = yield* session.send("and now?", { whenBusy: "queue" })
  yield* Console.log("fiber   ", { text })
})

const byTheWatchdog = Effect.gen(function*() {
  const session = yield* Session.Session
  const stalls = yield* session.subscribe({ only: ["Stalled"] })
  yield* Effect.forkScoped(Stream.runForEach(stalls, ({ _tag }) => Console.log("watchdog", _tag)))
  const { outcome } = yield* session.send("take your time")
  yield* Console.log("watchdog", { outcome })
})

const run = <E, E2>(
  program: Effect.Effect<void, E, Session.Session>,
  conversation: Layer.Layer<Session.Session, E2>
) => Effect.runPromise(Effect.provide(program, conversation))

await run(byHand, Layer.provide(Session.layer(), recorded("interrupt")))
await run(byTheClock, Layer.provide(Session.layer(), silent))
await run(byNotWaiting, Layer.provide(Session.layer(), silent))
await run(
  Effect.scoped(byTheWatchdog),
  Layer.provide(Session.layer({ watchdog: { after: "300 millis", action: "interrupt" } }), silent)
)
