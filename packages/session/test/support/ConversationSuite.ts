/**
 * The contract of `Conversation`, as cases for any implementation: local, pooled, or on another machine. An implementation
 * gives a function that opens a conversation with a scripted CLI at its other end.
 *
 * What only a local session has (control requests, stderr, restarts) is tested where it is implemented.
 */
import type * as Conversation from "@claude-duplex/session/Conversation"
import * as Permission from "@claude-duplex/session/Permission"
import type { SessionEvent } from "@claude-duplex/session/SessionEvent"
import * as Script from "@claude-duplex/transport-mock/Script"
import type { AnyStep } from "@claude-duplex/transport-mock/ScriptStep"
import { assert } from "@effect/vitest"
import type { Scope } from "effect"
import { Chunk, Deferred, Effect, Fiber, Option, Stream } from "effect"
import { answered, canUseTool, init, result, success, turn } from "./sessions.js"

/** Opens a conversation whose CLI follows the script, and whose permission requests are all deferred. */
export type Open = (
  ...steps: ReadonlyArray<AnyStep>
) => Effect.Effect<Conversation.Service, unknown, Scope.Scope>

/** One rule of the contract. It fails by a defect. */
export interface Case {
  readonly name: string
  readonly run: Effect.Effect<void, unknown, Scope.Scope>
}

const idle = Script.delay("1000 days")

const received = Script.expect({ type: "user" })

/** A result that does not name its message: a control frame was received after it. */
const laterResult = (text: string) => {
  const { user_message_uuids: _, ...rest } = result(text)
  return rest
}

/** Subscribes now, and collects events until one of them passes the test. */
const until = (conversation: Conversation.Service, isLast: (event: SessionEvent) => boolean) =>
  Effect.flatMap(
    conversation.subscribe(),
    (events) => Effect.fork(Stream.runCollect(Stream.takeUntil(events, isLast)))
  )

const waitFor = <A>(changes: Stream.Stream<A>, isWanted: (value: A) => boolean) =>
  Effect.map(Stream.runHead(Stream.filter(changes, isWanted)), Option.getOrThrow)

/** The contract, for conversations that `open` opens. */
export const cases = (open: Open): ReadonlyArray<Case> => [
  {
    name: "`send` returns the result of its own turn",
    run: Effect.gen(function*() {
      const conversation = yield* open(...turn("one"), ...turn("two"), idle)
      assert.strictEqual((yield* conversation.send("one")).text, "echo: one")
      assert.strictEqual((yield* conversation.send("two")).text, "echo: two")
    })
  },
  {
    name: "`send` while another message waits fails with `SessionBusy`, or waits in a queue",
    run: Effect.gen(function*() {
      const conversation = yield* open(
        received,
        Script.reply(init),
        Script.reply(canUseTool("p1")),
        answered("p1", { behavior: "allow" }),
        Script.reply(laterResult("a")),
        ...turn("b"),
        idle
      )
      const first = yield* conversation.start("a")
      assert.strictEqual((yield* Effect.flip(conversation.send("x")))._tag, "SessionBusy")
      const second = yield* conversation.start("b", { whenBusy: "queue" })
      assert.strictEqual(yield* second.phase, "Held")
      yield* waitFor(conversation.permissions.changes, (open) => open.length > 0)
      yield* conversation.respondToPermission("p1", Permission.allow())
      assert.strictEqual((yield* first.result).text, "a")
      assert.strictEqual((yield* second.result).text, "echo: b")
    })
  },
  {
    name: "`events` has the start and the end of a turn in order, and ends with the conversation",
    run: Effect.gen(function*() {
      const conversation = yield* open(...turn("one"), idle)
      const collected = yield* until(conversation, ({ _tag }) => _tag === "Ended")
      yield* conversation.send("one")
      yield* conversation.close
      const tags = Chunk.toReadonlyArray(yield* Fiber.join(collected)).map(({ _tag }) => _tag)
      assert.deepStrictEqual(
        tags.filter((tag) => tag === "TurnStarted" || tag === "TurnEnded" || tag === "Ended"),
        ["TurnStarted", "TurnEnded", "Ended"]
      )
    })
  },
  {
    name: "`status.changes` begins with the present status, goes on with the latest, and ends after `Closed`",
    run: Effect.gen(function*() {
      const conversation = yield* open(...turn("one"), idle)
      yield* conversation.send("one")
      const subscribed = yield* Deferred.make<void>()
      const statuses = yield* conversation.status.changes.pipe(
        Stream.map(({ _tag }) => _tag),
        Stream.tap(() => Deferred.succeed(subscribed, undefined)),
        Stream.runCollect,
        Effect.fork
      )
      yield* Deferred.await(subscribed)
      yield* conversation.close
      assert.deepStrictEqual(Chunk.toReadonlyArray(yield* Fiber.join(statuses)), ["Idle", "Closing", "Closed"])
      assert.strictEqual((yield* conversation.status.get)._tag, "Closed")
    })
  },
  {
    name: "`sessionId` is unknown until the first turn, and then the CLI's",
    run: Effect.gen(function*() {
      const conversation = yield* open(
        received,
        Script.reply({ ...init, session_id: "from-init" }),
        Script.reply(result("a")),
        idle
      )
      assert.deepStrictEqual(yield* conversation.sessionId.get, Option.none())
      const known = yield* Effect.fork(waitFor(conversation.sessionId.changes, Option.isSome))
      yield* conversation.send("a")
      assert.deepStrictEqual(yield* conversation.sessionId.get, Option.some("from-init"))
      assert.deepStrictEqual(yield* Fiber.join(known), Option.some("from-init"))
    })
  },
  {
    name: "`cost` is the sum of all turns",
    run: Effect.gen(function*() {
      const conversation = yield* open(
        received,
        Script.reply(init),
        Script.reply({ ...result("a"), total_cost_usd: 0.25 }),
        received,
        Script.reply(init),
        Script.reply({ ...result("b"), total_cost_usd: 0.75 }),
        idle
      )
      const total = yield* Effect.fork(waitFor(conversation.cost.changes, ({ usd }) => usd === 0.75))
      yield* conversation.send("a")
      assert.strictEqual((yield* conversation.cost.get).usd, 0.25)
      yield* conversation.send("b")
      assert.strictEqual((yield* conversation.cost.get).usd, 0.75)
      yield* Fiber.join(total)
    })
  },
  {
    name: "`permissions` lists an open request, and `respondToPermission` answers it once",
    run: Effect.gen(function*() {
      const conversation = yield* open(
        received,
        Script.reply(init),
        Script.reply(canUseTool("p1")),
        answered("p1", { behavior: "allow" }),
        Script.reply(laterResult("done")),
        idle
      )
      const turn = yield* conversation.start("go")
      const [request] = yield* waitFor(conversation.permissions.changes, (open) => open.length > 0)
      assert.deepInclude(request, { id: "p1", toolName: "Bash" })
      assert.strictEqual((yield* conversation.status.get)._tag, "WaitingForPermission")
      yield* conversation.respondToPermission("p1", Permission.allow())
      const again = yield* Effect.flip(conversation.respondToPermission("p1", Permission.deny("too late")))
      assert.strictEqual(again._tag, "PermissionNotPending")
      assert.strictEqual((yield* turn.result).text, "done")
      assert.deepStrictEqual(yield* conversation.permissions.get, [])
    })
  },
  {
    name: "`permissions` drops a request that the CLI withdraws",
    run: Effect.gen(function*() {
      const conversation = yield* open(
        received,
        Script.reply(init),
        Script.reply(canUseTool("p1")),
        Script.reply({ type: "control_cancel_request", request_id: "p1" }),
        Script.reply(laterResult("done")),
        idle
      )
      const settled = yield* until(conversation, ({ _tag }) => _tag === "PermissionSettled")
      const { text } = yield* conversation.send("go")
      assert.strictEqual(text, "done")
      assert.deepStrictEqual(yield* conversation.permissions.get, [])
      const [last] = Chunk.toReadonlyArray(yield* Fiber.join(settled)).slice(-1)
      assert.deepInclude(last, { _tag: "PermissionSettled", id: "p1", how: "Withdrawn" })
    })
  },
  {
    name: "`interrupt` ends the running turn, and reports when there is none",
    run: Effect.gen(function*() {
      const conversation = yield* open(
        received,
        Script.reply(init),
        Script.expect({ type: "control_request", request: { subtype: "interrupt" } }),
        Script.reply(success({})),
        Script.reply({
          ...laterResult(""),
          subtype: "error_during_execution",
          is_error: true,
          terminal_reason: "aborted_streaming"
        }),
        Script.expect({ type: "control_request", request: { subtype: "interrupt" } }),
        Script.reply(success({})),
        idle
      )
      const turn = yield* conversation.start("go")
      yield* waitFor(turn.phases, (phase) => phase === "Started")
      assert.strictEqual((yield* conversation.interrupt()).outcome, "interrupted")
      assert.strictEqual((yield* turn.result).outcome, "interrupted")
      assert.strictEqual((yield* conversation.interrupt()).outcome, "alreadyEnded")
    })
  },
  {
    name: "`close` fails what waits with `SessionClosed`, and every later `send` too",
    run: Effect.gen(function*() {
      const conversation = yield* open(received, Script.reply(init), idle)
      const turn = yield* conversation.start("go")
      yield* waitFor(turn.phases, (phase) => phase === "Started")
      yield* conversation.close
      assert.strictEqual((yield* Effect.flip(turn.result))._tag, "SessionClosed")
      assert.strictEqual((yield* Effect.flip(conversation.send("more")))._tag, "SessionClosed")
    })
  }
]
