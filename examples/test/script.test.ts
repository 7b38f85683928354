/** How a host is tested with a script: what the CLI waits for, what it says, and when. Hours pass in milliseconds. */
import * as Session from "@claude-duplex/session/Session"
import * as MockConnector from "@claude-duplex/transport-mock/MockConnector"
import * as Script from "@claude-duplex/transport-mock/Script"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, TestClock } from "effect"

const dying = Script.behaviour(Script.make(
  Script.expect({ type: "user", message: { content: "hello" } }),
  Script.delay("1 hour"),
  Script.stderr("out of memory\n"),
  Script.exit(137)
))

describe("a host whose CLI dies", () => {
  it.scoped("is told how", () =>
    Effect.gen(function*() {
      const session = yield* Session.fromConnector(yield* MockConnector.make(dying))
      const asking = yield* Effect.fork(Effect.flip(session.send("hello")))
      yield* TestClock.adjust("1 hour")
      assert.include((yield* Fiber.join(asking)).message, "code 137. It wrote to stderr: out of memory")
    }))

  it.scoped("has said something else, and is told that, too", () =>
    Effect.gen(function*() {
      const mock = yield* MockConnector.make(dying)
      const session = yield* Session.fromConnector(mock)
      yield* Effect.flip(session.send("good morning"))
      const error = yield* Effect.flip(mock.outcome)
      assert.strictEqual(error.reason, "Unexpected")
      assert.include(error.message, `message.content\n      expected: "hello"\n      actual:   "good morning"`)
    }))
})
