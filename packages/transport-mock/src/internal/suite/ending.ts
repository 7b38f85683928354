/** Cases: how a transport ends, and what it reports then. */
import * as TransportExit from "@claude-duplex/protocol/TransportExit"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import * as Script from "../../Script.js"
import * as Check from "./check.js"
import { type Definition, frames, keepAlive, text, user } from "./support.js"

/** The other end waits for something that is never sent. */
const waiting = Script.make(Script.expect({ type: "user" }, { label: "never sent" }))

export const ending: ReadonlyArray<Definition> = [
  {
    name: "reports code and stderr, after all output and to everybody (pain 24)",
    test: (make) =>
      Effect.gen(function*() {
        const transport = yield* make(Script.make(
          Script.stderr("error: unknown option"),
          Script.replyLine("x".repeat(30_000)),
          Script.exit(7)
        ))
        const exits = yield* Effect.forkAll([transport.exit, transport.exit])
        const expected = TransportExit.exited(7, "error: unknown option")
        // Nobody has read yet: the exit is known, and nothing is lost for it.
        yield* Check.equal("the exits", yield* Fiber.join(exits), [expected, expected])
        yield* Check.equal("the length of the output", (yield* text(transport)).length, 30_001)
        yield* Check.equal("the exit", yield* transport.exit, expected)
      })
  },
  {
    name: "reports a signal",
    test: (make) =>
      Effect.gen(function*() {
        const transport = yield* make(Script.make(Script.reply(keepAlive), Script.exit("SIGKILL")))
        yield* Check.equal("the frames", yield* frames(transport), ["keep_alive"])
        yield* Check.includes("the exit", yield* transport.exit, { _tag: "Signaled", signal: "SIGKILL" })
      })
  },
  {
    name: "ends in the middle of a line",
    test: (make) =>
      Effect.gen(function*() {
        const transport = yield* make(Script.make(
          Script.reply(keepAlive),
          Script.replyChunks(`{"type":"keep_`),
          Script.exit(1)
        ))
        yield* Check.equal("the frames", yield* frames(transport), ["keep_alive", "TruncatedTail"])
      })
  },
  {
    name: "tells the other end that the input ended, once",
    test: (make) =>
      Effect.gen(function*() {
        const transport = yield* make(Script.make(Script.expectEnd(), Script.reply(keepAlive), Script.exit(3)))
        yield* transport.endInput
        yield* transport.endInput
        yield* Check.equal("the frames", yield* frames(transport), ["keep_alive"])
        yield* Check.includes("the exit", yield* transport.exit, { _tag: "Exited", code: 3 })
      })
  },
  {
    name: "refuses to send after the input was ended",
    test: (make) =>
      Effect.gen(function*() {
        const transport = yield* make(Script.make(Script.expectEnd(), Script.exit(0)))
        yield* transport.endInput
        yield* Check.includes("the error", yield* Effect.flip(transport.send(user("late"))), { reason: "Closed" })
      })
  },
  {
    name: "refuses to send to what has ended, and does not crash (EPIPE)",
    test: (make) =>
      Effect.gen(function*() {
        const transport = yield* make(Script.make(Script.exit(0)))
        yield* transport.exit
        const error = yield* Effect.flip(Effect.forever(transport.send(user("x".repeat(100_000)))))
        yield* Check.includes("the error", error, { reason: "Write" })
      })
  },
  {
    name: "ends when it is closed, though the other end would not, and can be closed again",
    test: (make) =>
      Effect.gen(function*() {
        const transport = yield* make(waiting)
        yield* transport.close
        yield* Check.isTrue(!TransportExit.isSuccess(yield* transport.exit), "The other end did not end well.")
        yield* transport.close
        yield* Check.equal("the frames", yield* frames(transport), [])
        const { reason } = yield* Effect.flip(transport.send(user("late")))
        yield* Check.isTrue(reason === "Closed" || reason === "Write", `The late send failed with ${reason}.`)
      })
  },
  {
    name: "ends with its scope, though the other end would not, and says so to who waits (pain 22)",
    test: (make) =>
      Effect.gen(function*() {
        const scope = yield* Scope.make()
        const transport = yield* Scope.extend(make(waiting), scope)
        const started = yield* Deferred.make<void>()
        const reader = yield* Effect.fork(Effect.zipRight(Deferred.succeed(started, undefined), frames(transport)))
        yield* Deferred.await(started)
        yield* Scope.close(scope, Exit.void)
        yield* Check.isTrue(!TransportExit.isSuccess(yield* transport.exit), "The other end did not end well.")
        yield* Check.equal("the frames", yield* Fiber.join(reader), [])
      })
  }
]
