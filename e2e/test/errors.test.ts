/**
 * What goes wrong beyond a real CLI and in front of it: an API that fails, for a while or for good; a turn that may not go on;
 * a flag that does not exist. A turn that fails is a value, and the session goes on.
 */
import * as Script from "@claude-duplex/loopback-api/ApiScript"
import * as Reply from "@claude-duplex/loopback-api/Reply"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Conversation from "../src/Conversation.js"
import * as Model from "../src/Model.js"
import * as World from "../src/World.js"

const { version } = World.cli

/** Whether the CLI says that it asks again: `system/api_retry`. Older ones ask again in silence. */
const tellsRetries = !["2.1.50", "2.0.76", "2.0.0", "1.0.128", "1.0.60"].includes(version)
/** Whether a connection that breaks in mid-answer is told of like that. 2.1.143 falls back to an answer in one piece. */
const tellsBreaks = tellsRetries && version !== "2.1.143"

/** A CLI that asks again as often as this, and then gives up. */
const retries = (times: number) => ({ CLAUDE_CODE_MAX_RETRIES: String(times) })

/** An API that answers like this what begins with `BAD`, as often as this, and everything else well. */
const failing = (failure: Reply.Reply, times = Infinity) => {
  let left = times
  const isBad = (text: string) => text.startsWith("echo: BAD")
  return Script.conversation(Script.always((request) => {
    const good = Model.reply(request)
    const said = good._tag === "Message" ? good.blocks.map((block) => "text" in block ? String(block.text) : "") : []
    return said.some(isBad) && left-- > 0 ? failure : good
  }))
}

describe("errors", () => {
  for (
    const [what, failure] of [
      ["400", Reply.error(400)],
      ["401", Reply.error(401)],
      ["429", Reply.error(429, { retryAfter: 0 })],
      ["529", Reply.error(529, { retryAfter: 0 })],
      ["a broken connection", Reply.disconnect],
      ["an answer that breaks off", Reply.text("one two three", { chunk: 4, cut: { after: 1, by: "Disconnect" } })]
    ] as const
  ) {
    it.scopedLive(`${what}, for good: the turn fails, and the session goes on`, () =>
      Effect.gen(function*() {
        const world = yield* World.make(failing(failure))
        const session = yield* Conversation.open(world, {}, {}, retries(0))
        const failed = yield* session.send("BAD luck")
        assert.strictEqual(failed.outcome, "error")
        assert.isNotEmpty(failed.errors.join())
        // The API's own words, where it said any. A key that is not taken is the CLI's to explain.
        if (failure._tag === "Failure" && failure.status === 400) assert.include(failed.errors.join(), "400")
        assert.strictEqual((yield* session.send("good")).text, "echo: good")
        assert.strictEqual((yield* session.status.get)._tag, "Idle")
      }))
  }

  for (
    const [what, failure, told] of [
      ["429", Reply.error(429, { retryAfter: 0 }), tellsRetries],
      ["529", Reply.error(529, { retryAfter: 0 }), tellsRetries],
      [
        "an answer that breaks off",
        Reply.text("one two three", { chunk: 4, cut: { after: 1, by: "Disconnect" } }),
        tellsBreaks
      ]
    ] as const
  ) {
    it.scopedLive(`${what}, once: the CLI asks again, and says so where it can`, () =>
      Effect.gen(function*() {
        const world = yield* World.make(failing(failure, 1))
        const session = yield* Conversation.open(world, {}, {}, retries(2))
        const record = yield* Conversation.record(session)
        const { outcome, text } = yield* session.send("BAD luck")
        assert.deepStrictEqual({ outcome, text }, { outcome: "success", text: "echo: BAD luck" })
        const again = record.frames().flatMap((frame) =>
          frame.type === "system" && frame.subtype === "api_retry" ? [frame.error_status] : []
        )
        assert.deepStrictEqual(again, told ? [failure._tag === "Failure" ? failure.status : null] : [])
      }))
  }

  it.scopedLive("a turn that may take no further step fails, and the next one goes on", () =>
    Effect.gen(function*() {
      const world = yield* World.make(Model.obedient)
      const session = yield* Conversation.open(world, {}, { maxTurns: 1, allowedTools: ["Bash"] })
      const failed = yield* session.send(Model.call("Bash", { command: "echo one" }))
      assert.strictEqual(failed.outcome, "error")
      assert.deepInclude(failed.frame, { subtype: "error_max_turns" })
      const next = yield* session.send("next")
      assert.strictEqual(next.outcome, "success")
      yield* session.endInput()
      assert.deepInclude(yield* session.awaitExit, { _tag: "Exited", code: 0 })
    }))

  it.scopedLive("a session whose last turn failed says why it ended with 1", () =>
    Effect.gen(function*() {
      const world = yield* World.make(failing(Reply.error(400)))
      const session = yield* Conversation.open(world, {}, {}, retries(0))
      const failed = yield* session.send("BAD luck")
      yield* session.endInput()
      const exit = yield* session.awaitExit
      assert.deepInclude(exit, { _tag: "Exited", code: 1 })
      assert.strictEqual(exit.lastResult?.text, failed.errors.join())
    }))

  it.scopedLive("a flag that does not exist is told in the CLI's own words", () =>
    Effect.gen(function*() {
      const world = yield* World.make(Model.obedient)
      // The session cannot be made: it initializes every CLI. 1.0.60 has no `initialize`, so there the message fails.
      const opened = Conversation.open(world, {}, { extraArgs: ["--no-such-flag"] })
      const error = yield* Effect.flip(Effect.flatMap(opened, (session) => session.send("hello")))
      assert.include(error.message, "unknown option '--no-such-flag'")
      assert.deepInclude("exit" in error && error.exit, { _tag: "Exited", code: 1 })
      assert.isEmpty(yield* world.api.requests)
    }))
})
