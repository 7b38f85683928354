import * as Conversation from "@claude-duplex/session/Conversation"
import * as Permission from "@claude-duplex/session/Permission"
import * as Session from "@claude-duplex/session/Session"
import * as SessionPool from "@claude-duplex/session/SessionPool"
import * as MockConnector from "@claude-duplex/transport-mock/MockConnector"
import * as Script from "@claude-duplex/transport-mock/Script"
import type { AnyStep } from "@claude-duplex/transport-mock/ScriptStep"
import { assert, describe, it } from "@effect/vitest"
import { Chunk, Effect, Fiber, Layer, Stream } from "effect"
import { cases, type Open } from "./support/ConversationSuite.js"
import { init, result, scripted, session, turn } from "./support/sessions.js"

const deferring = { onPermission: () => Effect.succeed(Permission.defer) }

const local = (...steps: ReadonlyArray<AnyStep>) => session(Script.behaviour(Script.make(...steps)), deferring)

const pooled: Open = (...steps) =>
  Effect.flatMap(SessionPool.make({ make: local(...steps), capacity: 1 }), (pool) => pool.get("key"))

const suites = { "a session": local, "a session of a pool": pooled }

for (const [name, open] of Object.entries(suites)) {
  describe(`${name} is a conversation`, () => {
    for (const { name, run } of cases(open)) it.scoped(name, () => run)
  })
}

describe("Session.layer", () => {
  it.effect("provides the session as a `Conversation` too", () =>
    Effect.gen(function*() {
      const conversation = yield* Conversation.Conversation
      assert.strictEqual(conversation, yield* Session.Session)
      assert.strictEqual((yield* conversation.send("one")).text, "echo: one")
    }).pipe(Effect.provide(
      Session.layer().pipe(Layer.provide(MockConnector.layer(Script.behaviour(Script.make(...turn("one"))))))
    )))
})

describe("sessionId", () => {
  it.scoped("emits each id once, and another one when `/clear` begins a new conversation", () =>
    Effect.gen(function*() {
      const s = yield* scripted(
        ...turn("one"),
        ...turn("two"),
        Script.expect({ type: "user" }),
        Script.reply({ ...init, session_id: "s2" }),
        Script.reply(result("three")),
        Script.delay("1000 days")
      )
      const ids = yield* Effect.fork(Stream.runCollect(Stream.filterMap(s.sessionId.changes, (id) => id)))
      yield* Effect.yieldNow()
      yield* s.send("one")
      yield* s.send("two")
      yield* s.send("/clear")
      yield* s.close
      assert.deepStrictEqual(Chunk.toReadonlyArray(yield* Fiber.join(ids)), ["s", "s2"])
    }))
})
