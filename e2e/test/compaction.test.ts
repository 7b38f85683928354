/** `/compact` as a message to a real CLI: a turn like any other, after which the model knows a summary only. */
import * as Frame from "@claude-duplex/protocol/Frame"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Conversation from "../src/Conversation.js"
import * as Model from "../src/Model.js"
import * as World from "../src/World.js"

/** 1.0.60 has the model answer what the command printed, and goes on with the whole conversation. */
const compacts = World.cli.version !== "1.0.60"

describe("compaction", () => {
  it.scopedLive("ends like a turn, and the session goes on with what is left", () =>
    Effect.gen(function*() {
      const world = yield* World.make(Model.obedient)
      // CLIs up to 2.1.143 do not say that this turn was for the command; it ends when they have been at rest so long.
      const session = yield* Conversation.open(world, { settleTime: "500 millis" })
      const record = yield* Conversation.record(session)
      yield* session.send("remember the heron")
      // 2.1.250 does not compact what is too short.
      for (const bird of ["the bittern", "the egret", "the stork"]) yield* session.send(bird)
      const compacted = yield* session.send("/compact")
      assert.strictEqual(compacted.outcome, "success")
      if (!compacts) assert.include(compacted.text, "Compacted")
      assert.strictEqual((yield* session.send("again")).text, "echo: again")
      // Told with the result, or right before it: a turn later it has surely been heard.
      const boundaries = record.frames().filter((frame) =>
        frame.type === "system" && frame.subtype === "compact_boundary"
      )
      assert.lengthOf(boundaries, compacts ? 1 : 0)
      const [asked] = yield* Conversation.requestsAbout(world, "again")
      const texts = JSON.stringify(asked?.body.messages)
      if (compacts) {
        assert.include(texts, "This session is being continued")
        assert.notInclude(texts, "echo: remember the heron")
      }
      assert.isEmpty(record.seen.filter((event) => event._tag === "Received" && !Frame.isKnown(event.item)))
      assert.strictEqual((yield* session.status.get)._tag, "Idle")
    }))

  it.scopedLive("with nothing to compact is no failure of the session", () =>
    Effect.gen(function*() {
      const world = yield* World.make(Model.obedient)
      const session = yield* Conversation.open(world, { settleTime: "500 millis" })
      const nothing = yield* Effect.either(session.send("/compact"))
      // What it says of it differs by version; that it says something, and goes on, does not.
      assert.isDefined(nothing)
      assert.strictEqual((yield* session.send("hello")).text, "echo: hello")
    }))
})
