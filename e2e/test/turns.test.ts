/** Turns on a real CLI: what is said, streamed, costs; one after the other and several at once. */
import * as Prompt from "@claude-duplex/session/Prompt"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import * as Conversation from "../src/Conversation.js"
import * as Model from "../src/Model.js"
import * as World from "../src/World.js"

const { supports } = World.cli

describe("turns", () => {
  it.scopedLive("end with their own result, and cost what they cost", () =>
    Effect.gen(function*() {
      const world = yield* World.make(Model.obedient)
      const session = yield* Conversation.open(world)
      const first = yield* session.send("hello")
      const second = yield* session.send("again")
      assert.deepStrictEqual([first.text, second.text], ["echo: hello", "echo: again"])
      assert.isAbove(first.cost.usd, 0)
      assert.approximately((yield* session.cost.get).usd, second.totalCostUsd ?? 0, 1e-9)
      assert.strictEqual((yield* session.status.get)._tag, "Idle")
      yield* session.endInput()
      assert.deepInclude(yield* session.awaitExit, { _tag: "Exited", code: 0 })
    }))

  it.scopedLive("are streamed piece by piece, where the CLI can", () =>
    Effect.gen(function*() {
      const world = yield* World.make(Model.obedient)
      const session = yield* Conversation.open(world)
      const turn = yield* session.start("SLOW one two three four five")
      const pieces = yield* Stream.runCollect(turn.text)
      assert.strictEqual((yield* turn.result).text, "one two three four five")
      const streamed = [...pieces].join("")
      assert.strictEqual(streamed, "one two three four five")
      // Without partial messages, the text comes whole.
      assert.strictEqual([...pieces].length > 1, supports.partialMessages)
    }))

  it.scopedLive("take images; a CLI that takes one block only says so when it ends", () =>
    Effect.gen(function*() {
      const world = yield* World.make(Model.obedient)
      const session = yield* Conversation.open(world)
      const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
      const sent = session.send([Prompt.text("look"), Prompt.image({ data: pixel, mediaType: "image/png" })])
      if (!supports.severalBlocks) {
        assert.include((yield* Effect.flip(sent)).message, "exactly one item")
        return
      }
      assert.strictEqual((yield* sent).text, "echo: look")
      const asked = yield* world.api.requests
      assert.include(JSON.stringify(asked.map(({ body }) => body)), "image/png")
    }))
})
