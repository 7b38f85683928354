/** What a subscriber gets when it is slow: which events may be lost, how it learns of that, and what it gets in any case. */
import * as Permission from "@claude-duplex/session/Permission"
import type { SessionEvent } from "@claude-duplex/session/SessionEvent"
import { SubscriptionOverflow } from "@claude-duplex/session/SubscriptionOverflow"
import * as Script from "@claude-duplex/transport-mock/Script"
import { assert, describe, it } from "@effect/vitest"
import { Chunk, Deferred, Effect, Fiber, Schema, Stream } from "effect"
import { answered, canUseTool, init, result, session, turn } from "./support/sessions.js"

/** Frames, many at once. */
const frames = (count: number) => Script.replyChunks(`${JSON.stringify({ type: "keep_alive" })}\n`.repeat(count))

const tagsOf = (events: Iterable<SessionEvent>) => Array.from(events, ({ _tag }) => _tag)

describe("a slow subscriber", () => {
  it.scoped("gets every state event, in order, although it loses frames", () =>
    Effect.gen(function*() {
      const s = yield* session(
        Script.behaviour(Script.make(
          Script.expect({ type: "user" }, { label: "prompt" }),
          Script.reply(init),
          Script.reply(canUseTool("p")),
          answered("p", { behavior: "allow" }),
          frames(1_000),
          Script.reply({ ...result("done"), user_message_uuids: [{ $received: "uuid", of: "prompt" }] }),
          frames(1_000),
          Script.exit(0)
        )),
        { onPermission: () => Effect.succeed(Permission.allow()) }
      )
      const events = yield* s.subscribe({ capacity: 10 })
      yield* s.send("go")
      yield* s.awaitExit
      const tags = tagsOf(Chunk.toReadonlyArray(yield* Stream.runCollect(events)))
      assert.deepStrictEqual(tags.filter((tag) => tag !== "Received" && tag !== "Lagged"), [
        "MessageMoved",
        "StatusChanged",
        "TurnStarted",
        "SessionIdChanged",
        "PermissionRequested",
        "StatusChanged",
        "StatusChanged",
        "PermissionSettled",
        "TurnEnded",
        "StatusChanged",
        "StatusChanged",
        "Ended"
      ])
    }))

  it.scoped("fails when too many state events wait, with what it needs to go on; the session goes on too", () =>
    Effect.gen(function*() {
      const s = yield* session(
        Script.behaviour(Script.make(
          Script.expect({ type: "user" }, { label: "prompt" }),
          Script.reply({ ...init, mcp_servers: [{ name: "docs", status: "failed" }] }),
          Script.reply(canUseTool("p")),
          answered("p", { behavior: "allow" }),
          Script.reply({
            ...result("done"),
            total_cost_usd: 0.25,
            user_message_uuids: [{ $received: "uuid", of: "prompt" }]
          }),
          Script.delay("1000 days")
        )),
        { onPermission: () => Effect.succeed(Permission.defer) }
      )
      const small = yield* s.subscribe({
        stateCapacity: 3,
        only: ["MessageMoved", "TurnStarted", "PermissionRequested"]
      })
      const other = yield* s.subscribe({ only: ["TurnEnded"] })
      const started = yield* s.start("go", { id: "m1" })
      yield* s.start("behind", { id: "m2", whenBusy: "queue" })
      yield* Stream.runDrain(Stream.takeUntil(s.permissions.changes, (open) => open.length === 1))
      const error = yield* Effect.flip(Stream.runDrain(small))
      assert.deepInclude(error, { _tag: "SubscriptionOverflow", reason: "StateEvents", capacity: 3 })
      const [request] = yield* s.permissions.get
      assert.deepStrictEqual(error.snapshot, {
        status: { _tag: "WaitingForPermission" },
        sessionId: "s",
        turn: { turn: 0, messages: ["m1"] },
        messages: [{ id: "m1", phase: "Started" }, { id: "m2", phase: "Held" }],
        permissions: request === undefined ? [] : [request],
        cost: { usd: 0, byModel: {} },
        warnings: yield* s.warnings
      })
      assert.strictEqual(error.snapshot.warnings[0]?.subject, "docs")

      // It can be sent to another machine.
      const schema = Schema.parseJson(SubscriptionOverflow)
      assert.deepStrictEqual(yield* Schema.decode(schema)(yield* Schema.encode(schema)(error)), error)
      assert.include(error.message, "Subscribe again")

      yield* s.respondToPermission("p", Permission.allow())
      assert.strictEqual((yield* started.result).text, "done")
      assert.strictEqual((yield* Stream.runCollect(Stream.take(other, 1))).length, 1)
    }))

  it.scoped("of a value skips what it misses, and never fails", () =>
    Effect.gen(function*() {
      const turns = Array.from({ length: 50 }, (_, i) => turn(`t${i}`)).flat()
      const s = yield* session(Script.behaviour(Script.make(...turns, Script.exit(0))))
      const gate = yield* Deferred.make<void>()
      const begun = yield* Deferred.make<void>()
      const statuses = yield* s.status.changes.pipe(
        Stream.tap(() => Effect.zipRight(Deferred.succeed(begun, undefined), Deferred.await(gate))),
        Stream.runCollect,
        Effect.fork
      )
      yield* Deferred.await(begun)
      for (let i = 0; i < 50; i++) yield* s.send(`t${i}`)
      yield* s.awaitExit
      yield* Deferred.succeed(gate, undefined)
      const seen = Chunk.toReadonlyArray(yield* Fiber.join(statuses)).map(({ _tag }) => _tag)
      assert.deepStrictEqual(seen, ["Starting", "Closed"])
    }))
})
