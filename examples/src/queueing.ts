/**
 * What happens to a message that comes while a turn runs. `queue` holds it here until its turn comes; `steer` hands it to
 * the CLI at once, which decides what to do with it: 2.1.326 merges what waits into one turn with one result.
 */
import * as Session from "@claude-duplex/session/Session"
import type { Turn } from "@claude-duplex/session/Turn"
import { Console, Effect, Layer, Stream } from "effect"
import { recorded } from "./support/fakes.js"

/** One after the other, whoever asks: each has a turn of its own. */
const queue = Effect.gen(function*() {
  const session = yield* Session.Session
  const results = yield* Effect.all([
    session.send("hello", { whenBusy: "queue" }),
    session.send("second turn", { whenBusy: "queue" })
  ], { concurrency: "unbounded" })
  for (const { text } of results) yield* Console.log(`queued:  ${text}`)
})

/** How far a message has come, as it comes that far. */
const follow = (name: string, turn: Turn) =>
  Effect.forkScoped(Stream.runForEach(turn.phases, (phase) => Console.log(`${name.padEnd(8)} ${phase}`)))

/** Two more while the first one is answered. */
const steer = Effect.gen(function*() {
  const session = yield* Session.Session
  const first = yield* session.start("first one that takes a while")
  // The model has begun to speak.
  yield* Stream.runHead(first.text)
  const second = yield* session.start("second", { whenBusy: "steer" })
  yield* follow("second", second)
  const third = yield* session.start("third", { whenBusy: "steer" })
  yield* follow("third", third)

  const merged = yield* second.result
  yield* Console.log(
    `merged:  ${JSON.stringify(merged.text)}, one result: ${merged.frame === (yield* third.result).frame}`
  )
})

const conversation = (name: string) => Layer.provide(Session.layer(), recorded(name))

await Effect.runPromise(Effect.provide(queue, conversation("plain")))
await Effect.runPromise(Effect.scoped(Effect.provide(steer, conversation("queue-midturn"))))
