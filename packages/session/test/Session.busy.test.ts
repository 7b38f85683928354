import * as Session from "@claude-duplex/session/Session"
import * as MockTransport from "@claude-duplex/transport-mock/MockTransport"
import * as Replay from "@claude-duplex/transport-mock/Replay"
import { assert, describe, it } from "@effect/vitest"
import { Chunk, Deferred, Effect, Fiber, Option, Stream, TestClock } from "effect"
import { background, heard, resultOf, settle, soon, type UserLine } from "./support/handmadeCli.js"
import { init, recording, session } from "./support/sessions.js"

const assistant = {
  type: "assistant",
  parent_tool_use_id: null,
  session_id: "s",
  message: {
    id: "1",
    type: "message",
    role: "assistant",
    model: "m",
    content: [],
    stop_reason: null,
    usage: { input_tokens: 1, output_tokens: 1 }
  }
}

/**
 * A CLI that answers one message, then begins a turn by itself with these frames, and ends it when `ends` is done; afterwards
 * it answers every message.
 */
const withBackgroundTurn = (ends: Deferred.Deferred<void>, ...frames: ReadonlyArray<object>) =>
  heard(({ message, say }) => {
    const answer = (line: UserLine) =>
      Effect.zipRight(say(init), say(resultOf(`echo: ${String(line.message.content)}`, line)))
    return Effect.gen(function*() {
      yield* answer(yield* message)
      yield* Effect.forEach(frames, say)
      yield* Deferred.await(ends)
      yield* say(background("background"))
      return yield* Effect.forever(Effect.flatMap(message, answer))
    })
  })

/** A session in which a turn that the CLI began by itself runs. */
const during = (ends: Deferred.Deferred<void>, ...frames: ReadonlyArray<object>) =>
  Effect.gen(function*() {
    const cli = withBackgroundTurn(ends, ...frames)
    const s = yield* session(cli.behaviour)
    yield* s.send("first")
    yield* settle
    assert.strictEqual((yield* s.status.get)._tag, "Running")
    return { cli, s }
  })

describe("while a turn runs that the CLI began by itself", () => {
  it.scoped("reject fails", () =>
    Effect.gen(function*() {
      const ends = yield* Deferred.make<void>()
      const { s } = yield* during(ends, init, assistant)
      assert.deepInclude(yield* Effect.flip(s.send("now")), { _tag: "SessionBusy" })
      yield* Deferred.succeed(ends, undefined)
      yield* settle
      assert.strictEqual((yield* soon(s.send("later"))).text, "echo: later")
    }))

  it.scoped("queue holds the message here until the turn ends, however long that takes", () =>
    Effect.gen(function*() {
      const ends = yield* Deferred.make<void>()
      const { cli, s } = yield* during(ends, init, assistant)
      const [a, b] = yield* Effect.all([
        s.start("a", { whenBusy: "queue" }),
        s.start("b", { whenBusy: "queue" })
      ])
      yield* TestClock.adjust("1 hour")
      assert.strictEqual(yield* a.phase, "Held")
      assert.deepStrictEqual(cli.words, ["user"])
      yield* Deferred.succeed(ends, undefined)
      assert.strictEqual((yield* soon(a.result)).text, "echo: a")
      assert.strictEqual((yield* soon(b.result)).text, "echo: b")
    }))

  it.scoped("steer hands the message to the CLI at once", () =>
    Effect.gen(function*() {
      const ends = yield* Deferred.make<void>()
      const { s } = yield* during(ends, init, assistant)
      const steered = yield* s.start("now", { whenBusy: "steer" })
      assert.strictEqual(yield* steered.phase, "Written")
      yield* Deferred.succeed(ends, undefined)
      assert.strictEqual((yield* soon(steered.result)).text, "echo: now")
    }))

  it.scoped("an init alone keeps a message back for five seconds, and not for ever", () =>
    Effect.gen(function*() {
      const ends = yield* Deferred.make<void>()
      const { s } = yield* during(ends, init)
      assert.deepInclude(yield* Effect.flip(s.send("now")), { _tag: "SessionBusy" })
      const held = yield* s.start("held", { whenBusy: "queue" })
      yield* TestClock.adjust("4999 millis")
      assert.strictEqual(yield* held.phase, "Held")
      yield* TestClock.adjust("1 millis")
      assert.strictEqual(yield* held.phase, "Written")
      yield* Deferred.succeed(ends, undefined)
      assert.strictEqual((yield* soon(held.result)).text, "echo: held")
    }))

  it.scoped("an init at the start of the process keeps nothing back", () =>
    Effect.gen(function*() {
      const cli = heard(({ message, say }) =>
        Effect.gen(function*() {
          yield* say(init)
          const line = yield* message
          yield* say(init)
          yield* say(resultOf("echo", line))
        })
      )
      const s = yield* session(cli.behaviour)
      yield* settle
      assert.isTrue(Option.isSome(yield* s.sessionId.get))
      assert.strictEqual((yield* soon(s.send("hello"))).text, "echo")
    }))

  it.scoped("as 2.1.326 begins it after a background task: the next message waits for its result", () =>
    Effect.gen(function*() {
      const { entries } = recording("2.1.326/background")
      const asked = entries.find(({ dir }) => dir === "host")
      const transport = yield* MockTransport.make(Replay.behaviour({ entries }, { mode: "timed", ignoreExtra: true }))
      const s = yield* Session.fromTransport(transport, { initialization: "skip" })
      const started = yield* s.subscribe({ only: ["TurnStarted"] })
      const ended = yield* s.subscribe({ only: ["TurnEnded"] })
      const prompt: unknown = JSON.parse(asked?.line ?? "").message.content
      const first = yield* Effect.fork(s.send(String(prompt)))
      // Its second turn is the one that the notification begins.
      const unsolicited = yield* Effect.fork(Stream.runLast(Stream.take(started, 2)))
      yield* TestClock.adjust("3370 millis")
      yield* soon(Fiber.join(first))
      assert.deepInclude(Option.getOrThrow(yield* soon(Fiber.join(unsolicited))), { messages: [] })
      const held = yield* s.start("next", { whenBusy: "queue" })
      yield* settle
      assert.strictEqual(yield* held.phase, "Held")
      const both = yield* Effect.fork(Stream.runLast(Stream.take(ended, 2)))
      yield* TestClock.adjust("100 millis")
      assert.deepInclude(Option.getOrThrow(yield* soon(Fiber.join(both))), { messages: [] })
      const phases = yield* soon(Stream.runCollect(Stream.take(held.phases, 2)))
      assert.deepStrictEqual(Chunk.toReadonlyArray(phases), ["Held", "Written"])
    }))
})
