/** How a session begins, waits and ends: status, input, timeouts, the watchdog, warnings. */
import type { Item } from "@claude-duplex/protocol/Codec"
import * as Frame from "@claude-duplex/protocol/Frame"
import type { TurnResult } from "@claude-duplex/protocol/TurnResult"
import * as Permission from "@claude-duplex/session/Permission"
import * as Prompt from "@claude-duplex/session/Prompt"
import * as Session from "@claude-duplex/session/Session"
import * as MockTransport from "@claude-duplex/transport-mock/MockTransport"
import * as Script from "@claude-duplex/transport-mock/Script"
import type { AnyStep } from "@claude-duplex/transport-mock/ScriptStep"
import { assert, describe, it } from "@effect/vitest"
import { Array, Chunk, Deferred, Duration, Effect, Exit, Fiber, Option, Scope, Stream, TestClock } from "effect"
import { heard, lifecycle, resultOf, settle, soon } from "./support/handmadeCli.js"
import { answered, asked, canUseTool, init, result, scripted, session, success, turn } from "./support/sessions.js"

const waits = Script.delay("1000 days")
const allow = () => Effect.succeed(Permission.allow())

/** The assistant calls a tool. */
const toolUse = {
  type: "assistant",
  message: {
    id: "m",
    type: "message",
    role: "assistant",
    model: "m",
    content: [{ type: "tool_use", id: "toolu_1", name: "Bash", input: {} }],
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: 1, output_tokens: 1 }
  },
  parent_tool_use_id: null,
  session_id: "s"
} as const

const toolResult = {
  type: "user",
  message: { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "ok" }] },
  parent_tool_use_id: null,
  session_id: "s"
} as const

describe("the end of the input", () => {
  it.scoped("is refused while the CLI may still ask, and allowed when nothing runs (pains 6 and 7)", () =>
    Effect.gen(function*() {
      const s = yield* session(
        Script.behaviour(Script.make(
          Script.expect({ type: "user" }, { label: "prompt" }),
          Script.reply(init),
          Script.delay("1 second"),
          Script.reply(canUseTool("p")),
          answered("p", { behavior: "allow" }),
          Script.reply({ ...result("done"), user_message_uuids: [{ $received: "uuid", of: "prompt" }] }),
          Script.expectEnd(),
          Script.exit(0)
        )),
        { onPermission: allow }
      )
      const running = yield* s.start("a")
      assert.deepInclude(yield* Effect.flip(s.endInput()), { _tag: "SessionBusy" })
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* running.result).text, "done")
      yield* s.endInput()
      assert.strictEqual((yield* s.status.get)._tag, "Closing")
      assert.deepInclude(yield* Effect.flip(s.send("more")), { _tag: "SessionClosed", unsent: true })
      assert.deepInclude(yield* Effect.flip(s.control.mcpStatus()), { reason: "Closed" })
      assert.deepInclude(yield* s.awaitExit, { code: 0 })
    }))

  it.scoped("is refused while a task runs in the background: its end starts a turn that may ask (pain 6)", () =>
    Effect.gen(function*() {
      const tasks = (...ids: ReadonlyArray<string>) =>
        Script.reply({
          type: "system",
          subtype: "background_tasks_changed",
          tasks: ids.map((id) => ({
            task_id: id,
            task_type: "local_bash",
            description: "sleep",
            ambient: id === "ambient"
          })),
          uuid: "u",
          session_id: "s"
        })
      const s = yield* session(
        Script.behaviour(Script.make(
          Script.expect({ type: "user" }),
          Script.reply(init),
          tasks("b1", "ambient"),
          Script.reply(result("started")),
          Script.delay("1 minute"),
          tasks("ambient"),
          Script.expectEnd(),
          Script.exit(0)
        )),
        { onPermission: allow }
      )
      yield* s.send("a")
      assert.deepInclude(yield* Effect.flip(s.endInput()), { _tag: "SessionBusy" })
      yield* TestClock.adjust("1 minute")
      yield* Effect.repeat(Effect.yieldNow(), { times: 10 })
      yield* TestClock.adjust("1 minute")
      yield* s.endInput()
      assert.deepInclude(yield* s.awaitExit, { code: 0 })
    }))

  it.scoped("comes after what was said, and with force in any case: that is warned about", () =>
    Effect.gen(function*() {
      const s = yield* session(
        Script.behaviour(Script.make(...turn("a"), Script.expectEnd(), Script.exit(0))),
        { onPermission: allow }
      )
      const running = yield* s.start("a")
      yield* s.endInput({ force: true })
      assert.deepStrictEqual((yield* s.warnings).map(({ kind }) => kind), ["InputEndedEarly"])
      assert.strictEqual((yield* running.result).text, "echo: a")
      yield* s.transport.outcome
    }))

  it.scoped("needs no patience where nobody could be asked; but what is held here would be lost", () =>
    Effect.gen(function*() {
      const s = yield* session(
        Script.behaviour(Script.make(...turn("a"), ...turn("b"), Script.expectEnd(), Script.exit(0)))
      )
      yield* s.start("a")
      const held = yield* s.start("b", { whenBusy: "queue" })
      assert.deepInclude(yield* Effect.flip(s.endInput()), { _tag: "SessionBusy" })
      yield* Effect.yieldNow()
      yield* Stream.runDrain(Stream.takeUntil(held.phases, (phase) => phase === "Written"))
      yield* s.endInput()
      assert.strictEqual((yield* held.result).text, "echo: b")
    }))
})

describe("a message", () => {
  it.scoped("tells how far it has come (pain 19)", () =>
    Effect.gen(function*() {
      const s = yield* scripted(
        ...turn("a"),
        Script.expect({ type: "user" }),
        Script.reply({ type: "command_lifecycle", command_uuid: { $received: "uuid" }, state: "queued" }),
        Script.reply({ type: "command_lifecycle", command_uuid: { $received: "uuid" }, state: "started" }),
        Script.reply(init),
        Script.reply(result("b"))
      )
      yield* s.start("a")
      const b = yield* s.start("b", { whenBusy: "queue" })
      const phases = yield* Stream.runCollect(b.phases)
      assert.deepStrictEqual(Chunk.toReadonlyArray(phases), ["Held", "Written", "Queued", "Started", "Ended"])
      assert.deepStrictEqual(yield* Stream.runCollect(b.phases), phases)
    }))

  it.scoped("is worked on when its turn runs, although the CLI does not say so", () =>
    Effect.gen(function*() {
      const s = yield* scripted(...turn("a"))
      const a = yield* s.start("a")
      assert.deepStrictEqual(Chunk.toReadonlyArray(yield* Stream.runCollect(a.phases)), ["Written", "Started", "Ended"])
    }))

  it.scoped("that takes too long is interrupted, and fails with the result that it came to", () =>
    Effect.gen(function*() {
      const s = yield* scripted(
        Script.expect({ type: "user" }, { label: "prompt" }),
        Script.reply(init),
        asked("interrupt"),
        Script.reply(success({ still_queued: [] })),
        Script.reply({
          ...result(""),
          subtype: "error_during_execution",
          is_error: true,
          terminal_reason: "aborted_streaming",
          user_message_uuids: [{ $received: "uuid", of: "prompt" }]
        })
      )
      const sent = yield* Effect.fork(Effect.flip(s.send("slow", { timeout: "1 minute" })))
      yield* TestClock.adjust("59 seconds")
      assert.isTrue(Option.isNone(yield* Fiber.poll(sent)))
      yield* TestClock.adjust("1 second")
      const error = yield* Fiber.join(sent)
      assert.strictEqual(error._tag, "TurnTimeout")
      assert.strictEqual(error._tag === "TurnTimeout" && error.result?.outcome, "interrupted")
    }))

  it.scoped("that does not end although it was interrupted fails; the session goes on", () =>
    Effect.gen(function*() {
      const s = yield* scripted(
        Script.expect({ type: "user" }, { label: "first" }),
        Script.reply(init),
        asked("interrupt"),
        Script.expect({ type: "control_cancel_request" }),
        Script.delay("1 minute"),
        Script.reply({ ...result("late"), user_message_uuids: [{ $received: "uuid", of: "first" }] }),
        ...turn("next")
      )
      const late = yield* Effect.fork((yield* s.subscribe({ only: ["TurnEnded"] })).pipe(Stream.runHead))
      const sent = yield* Effect.fork(Effect.flip(s.send("stuck", { timeout: "1 minute" })))
      yield* TestClock.adjust("70 seconds")
      assert.deepInclude(yield* Fiber.join(sent), { _tag: "TurnTimeout", result: undefined })
      yield* TestClock.adjust("1 minute")
      assert.isTrue(Option.isSome(yield* Fiber.join(late)))
      assert.strictEqual((yield* s.send("next")).text, "echo: next")
    }))

  it.scoped("that takes too long fails with TurnTimeout wherever it is: held, queued, or ended just then", () =>
    Effect.gen(function*() {
      const s = yield* scripted(
        Script.expect({ type: "user", message: { content: "running" } }, { label: "running" }),
        Script.reply(init),
        Script.expect({ type: "user", message: { content: "queued" } }, { label: "queued" }),
        Script.reply({ type: "command_lifecycle", command_uuid: { $received: "uuid", of: "queued" }, state: "queued" }),
        asked("cancel_async_message"),
        Script.reply(success({ cancelled: true })),
        asked("interrupt"),
        Script.reply({ ...result("done"), user_message_uuids: [{ $received: "uuid", of: "running" }] }),
        Script.reply(success({ still_queued: [] })),
        ...turn("next")
      )
      const running = yield* s.start("running", { timeout: "3 seconds" })
      const queued = yield* s.start("queued", { whenBusy: "steer", timeout: "2 seconds" })
      const held = yield* s.start("held", { whenBusy: "queue", timeout: "1 second" })
      const errors = yield* Effect.fork(Effect.forEach([held, queued, running], ({ result }) => Effect.flip(result)))
      yield* TestClock.adjust("3 seconds")
      assert.deepStrictEqual(
        (yield* soon(Fiber.join(errors))).map((error) =>
          error._tag === "TurnTimeout" ? [error.id, error.timeout, error.result?.text] : error._tag
        ),
        [
          [held.id, Duration.seconds(1), undefined],
          [queued.id, Duration.seconds(2), undefined],
          [running.id, Duration.seconds(3), "done"]
        ]
      )
      assert.strictEqual((yield* s.send("next")).text, "echo: next")
    }))

  it.scoped("that is a local command succeeds with what that printed, although no turn comes of it", () =>
    Effect.gen(function*() {
      const lifecycleOf = (label: string, state: string) =>
        Script.reply({ type: "command_lifecycle", command_uuid: { $received: "uuid", of: label }, state })
      const printed = (content: string) =>
        Script.reply({ type: "system", subtype: "local_command_output", content, uuid: content, session_id: "s" })
      const { message, ...rest } = toolUse
      const s = yield* scripted(
        Script.expect({ type: "user", message: { content: "/cost" } }, { label: "cost" }),
        lifecycleOf("cost", "started"),
        printed("Total cost: $0.05"),
        lifecycleOf("cost", "completed"),
        Script.expect({ type: "user", message: { content: "/context" } }, { label: "context" }),
        lifecycleOf("context", "started"),
        Script.reply(init),
        Script.reply({ ...rest, message: { ...message, content: [{ type: "text", text: "12 % used" }] } }),
        lifecycleOf("context", "completed"),
        ...turn("next")
      )
      for (const [command, text] of [["/cost", "Total cost: $0.05"], ["/context", "12 % used"]] as const) {
        const sent = yield* Effect.fork(s.send(command))
        yield* settle
        yield* TestClock.adjust("5 seconds")
        const ended = yield* soon(Fiber.join(sent))
        assert.deepInclude(ended, { outcome: "success", text, frame: undefined })
      }
      assert.strictEqual((yield* s.send("next")).text, "echo: next")
    }))

  it.scoped("that nobody waits for any more is stopped: held, queued, or running", () =>
    Effect.gen(function*() {
      const s = yield* scripted(
        Script.expect({ type: "user", message: { content: "running" } }, { label: "running" }),
        Script.reply(init),
        Script.expect({ type: "user", message: { content: "queued" } }, { label: "queued" }),
        Script.reply({ type: "command_lifecycle", command_uuid: { $received: "uuid", of: "queued" }, state: "queued" }),
        asked("cancel_async_message"),
        Script.reply(success({ cancelled: true })),
        asked("interrupt"),
        Script.reply(success({ still_queued: [] })),
        Script.reply({ ...result("stopped"), user_message_uuids: [{ $received: "uuid", of: "running" }] }),
        ...turn("next")
      )
      const running = yield* Effect.fork(s.send("running"))
      const queued = yield* Effect.fork(s.send("queued", { whenBusy: "steer" }))
      const held = yield* Effect.fork(s.send("held", { whenBusy: "queue" }))
      yield* Stream.runDrain(Stream.takeUntil(
        yield* s.subscribe({ only: ["MessageMoved"] }),
        (event) => event._tag === "MessageMoved" && event.to === "Queued"
      ))
      yield* Fiber.interrupt(held)
      yield* Fiber.interrupt(queued)
      yield* Fiber.interrupt(running)
      assert.strictEqual((yield* s.send("next", { whenBusy: "queue" })).text, "echo: next")
    }))

  it.scoped("that needs no answer gets none", () =>
    Effect.gen(function*() {
      const s = yield* scripted(Script.expect({ type: "user", shouldQuery: false }), ...turn("a"))
      yield* s.append("by the way")
      assert.strictEqual((yield* s.send("a")).text, "echo: a")
    }))

  it.scoped("is text, images, documents, or what a tool returned", () =>
    Effect.gen(function*() {
      const s = yield* scripted(
        Script.expect({
          type: "user",
          message: { content: [{ type: "text", text: "look" }, { type: "image", source: { data: "AQID" } }] }
        }),
        Script.reply(result("seen")),
        Script.expect({
          type: "user",
          message: { content: [{ type: "tool_result", tool_use_id: "t", content: "4" }] }
        }),
        Script.reply(result("taken"))
      )
      const image = Prompt.image({ data: Uint8Array.of(1, 2, 3), mediaType: "image/png" })
      assert.strictEqual((yield* s.send([Prompt.text("look"), image])).text, "seen")
      assert.strictEqual((yield* s.send([Prompt.toolResult({ toolUseId: "t", content: "4" })])).text, "taken")
    }))
})

describe("what is known of a message", () => {
  it.scoped("that stays in its turn when another joins it does not go back", () =>
    Effect.gen(function*() {
      const { behaviour } = heard(({ message, say }) =>
        Effect.gen(function*() {
          const a = yield* message
          const b = yield* message
          yield* say(init)
          yield* say(lifecycle(a.uuid, "started"))
          yield* say(lifecycle(b.uuid, "started"))
          yield* say(resultOf("both", a, b))
        })
      )
      const s = yield* session(behaviour)
      const a = yield* s.start("a")
      yield* s.start("b", { whenBusy: "steer" })
      yield* soon(a.result)
      assert.deepStrictEqual(Chunk.toReadonlyArray(yield* Stream.runCollect(a.phases)), ["Written", "Started", "Ended"])
    }))

  it.scoped("has no pieces that it does not want, although somebody behind it wants theirs", () =>
    Effect.gen(function*() {
      const piece = {
        type: "stream_event",
        event: { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "a" } },
        parent_tool_use_id: null,
        session_id: "s",
        uuid: "p"
      }
      const { behaviour } = heard(({ message, say }) =>
        Effect.gen(function*() {
          for (const text of ["a", "b"]) {
            const said = yield* message
            yield* say(init)
            yield* Effect.sleep("1 second")
            yield* say(piece)
            yield* say(piece)
            yield* say(resultOf(text, said))
          }
        })
      )
      const s = yield* session(behaviour)
      const a = yield* Effect.fork(s.send("a"))
      yield* settle
      const b = yield* Effect.fork(s.send("b", { whenBusy: "queue", retain: "all" }))
      yield* TestClock.adjust("1 second")
      yield* TestClock.adjust("1 second")
      const pieces = (result: TurnResult) =>
        result.frames.filter((frame) => "type" in frame && frame.type === "stream_event")
      assert.strictEqual(pieces(yield* soon(Fiber.join(a))).length, 0)
      assert.strictEqual(pieces(yield* soon(Fiber.join(b))).length, 2)
    }))
})

describe("a session that breaks", () => {
  it.scoped("ends with what failed, and not with an exit code that nobody knows", () =>
    Effect.gen(function*() {
      const s = yield* Session.fromTransport({
        incoming: Stream.empty,
        send: () => Effect.void,
        endInput: Effect.void,
        close: Effect.void,
        exit: Effect.die(new Error("a bug in a transport"))
      }, { initialization: "skip" })
      assert.deepInclude(yield* s.awaitExit, { _tag: "Failed", cause: "a bug in a transport" })
      const { message } = yield* Effect.flip(s.send("hello"))
      assert.include(message, "communication with the CLI failed: a bug in a transport.")
    }))
})

describe("a second session over the same transport", () => {
  it.scoped("ends at once and says why; the first one goes on", () =>
    Effect.gen(function*() {
      const transport = yield* MockTransport.make(Script.behaviour(Script.make(...turn("a"), waits)))
      const first = yield* Session.fromTransport(transport, { initialization: "skip" })
      yield* settle
      const second = yield* Session.fromTransport(transport, { initialization: "skip" })
      const exit = yield* second.awaitExit
      assert.strictEqual(exit._tag, "Failed")
      assert.include(exit._tag === "Failed" && exit.cause, "has a consumer already")
      assert.strictEqual((yield* first.send("a")).text, "echo: a")
    }))
})

describe("the watchdog", () => {
  const silent = (...before: ReadonlyArray<AnyStep>) =>
    Script.behaviour(Script.make(Script.expect({ type: "user" }), Script.reply(init), ...before, waits))

  const stalls = (s: Session.Service) =>
    Effect.map(s.subscribe({ only: ["Stalled"] }), (events) => Effect.map(Stream.runCollect(events), Chunk.size))

  it.scoped("tells of a CLI that has fallen silent, once for each silence (pain 21)", () =>
    Effect.gen(function*() {
      const s = yield* session(silent(Script.delay("5 minutes"), Script.reply({ type: "keep_alive" })), {
        watchdog: { after: "1 minute" }
      })
      const counted = yield* Effect.fork(yield* stalls(s))
      yield* TestClock.adjust("1 hour")
      yield* s.start("a")
      yield* TestClock.adjust("59 seconds")
      yield* TestClock.adjust("1 hour")
      yield* s.close
      // None while nothing ran, one before the sign of life and one after it.
      assert.strictEqual(yield* Fiber.join(counted), 2)
    }))

  it.scoped("waits for tools and for people (pain 21)", () =>
    Effect.gen(function*() {
      for (const reason of [Script.reply(toolUse), Script.reply(canUseTool("p"))]) {
        const s = yield* session(silent(reason), {
          watchdog: { after: "1 minute" },
          onPermission: () => Effect.succeed(Permission.defer)
        })
        const counted = yield* Effect.fork(yield* stalls(s))
        yield* s.start("a")
        yield* TestClock.adjust("1 hour")
        yield* s.close
        assert.strictEqual(yield* Fiber.join(counted), 0)
      }
      const s = yield* session(silent(Script.reply(toolUse), Script.reply(toolResult)), {
        watchdog: { after: "1 minute" }
      })
      const counted = yield* Effect.fork(yield* stalls(s))
      yield* s.start("a")
      yield* TestClock.adjust("2 minutes")
      yield* s.close
      assert.strictEqual(yield* Fiber.join(counted), 1)
    }))

  it.scoped("interrupts, and ends a CLI that does not hear that; or ends it at once", () =>
    Effect.gen(function*() {
      for (const action of ["interrupt", "close"] as const) {
        const s = yield* session(silent(), { watchdog: { after: "1 minute", action } })
        const sent = yield* Effect.fork(Effect.flip(s.send("a")))
        yield* TestClock.adjust("2 minutes")
        assert.deepInclude(yield* Fiber.join(sent), { _tag: "SessionClosed" })
      }
    }))
})

describe("warnings", () => {
  it.scoped("of the transport and of the session reach whoever subscribes, late ones too (pain 9)", () =>
    Effect.gen(function*() {
      const mock = yield* MockTransport.make(Script.behaviour(Script.make(
        Script.expect({ type: "user" }),
        Script.reply({ ...init, permissionMode: "bypassPermissions", mcp_servers: [{ name: "db", status: "failed" }] }),
        Script.reply(result("a")),
        waits
      )))
      const transport = {
        ...mock,
        warnings: Stream.make({ kind: "OldCli", message: "old" }, { kind: "OldCli", message: "said before" })
      }
      const s = yield* Session.fromTransport(transport, { onPermission: allow })
      yield* s.send("a")
      const late = yield* Stream.runCollect(Stream.take(yield* s.subscribe({ only: ["Warned"] }), 3))
      const kinds = ["OldCli", "HandlerNeverCalled", "McpServerFailed"]
      assert.deepStrictEqual(
        Chunk.toReadonlyArray(late).map((event) => event._tag === "Warned" ? event.warning.kind : ""),
        kinds
      )
      assert.deepStrictEqual((yield* s.warnings).map(({ kind }) => kind), kinds)
    }))

  it.scoped("tell of an old CLI that ignores what `initialize` says", () =>
    Effect.gen(function*() {
      const { claude_code_version: _, ...old } = init
      const s = yield* session(
        Script.behaviour(Script.make(
          asked("initialize"),
          Script.reply(success({})),
          Script.expect({ type: "user" }),
          Script.reply(old),
          Script.reply(result("a")),
          waits
        )),
        { initialize: { appendSystemPrompt: "Be brief." } }
      )
      yield* s.send("a")
      assert.deepStrictEqual((yield* s.warnings).map(({ kind }) => kind), ["InitializeIgnored"])
    }))
})

/** Frames, many at once. */
const frames = (count: number) => Script.replyChunks(`${JSON.stringify({ type: "keep_alive" })}\n`.repeat(count))

describe("subscribers", () => {
  const reason = (item: Item) => Frame.isKnown(item) ? item.type : item.reason

  it.scoped("see only what they asked for, and the rest takes no room", () =>
    Effect.gen(function*() {
      const s = yield* session(Script.behaviour(Script.make(...turn("a"), frames(5_000), Script.exit(0))))
      const ended = yield* Effect.fork(
        Stream.runCollect(yield* s.subscribe({ only: ["TurnEnded", "Ended"], capacity: 2 }))
      )
      yield* s.send("a")
      yield* s.awaitExit
      assert.deepStrictEqual(Chunk.toReadonlyArray(yield* Fiber.join(ended)).map(({ _tag }) => _tag), [
        "TurnEnded",
        "Ended"
      ])
    }))

  it.scoped("that are slow lose the newest frames, or fail, if their strategy says so", () =>
    Effect.gen(function*() {
      const s = yield* session(
        Script.behaviour(Script.make(Script.expect({ type: "user" }), frames(100), Script.exit(0)))
      )
      const only = ["Received"] as const
      const dropping = yield* s.subscribe({ only, capacity: 10, strategy: "dropping" })
      const failing = yield* s.subscribe({ only, capacity: 10, strategy: "fail" })
      yield* s.start("a")
      yield* s.awaitExit
      const seen = Chunk.toReadonlyArray(yield* Stream.runCollect(dropping))
      assert.strictEqual(seen.filter(({ _tag }) => _tag === "Received").length, 10)
      assert.deepInclude(seen.at(-1), { _tag: "Lagged", count: 90, partialCount: 0 })
      const delivered: Array<string> = []
      const error = yield* Effect.flip(
        Stream.runForEach(failing, ({ _tag }) => Effect.sync(() => delivered.push(_tag)))
      )
      assert.strictEqual(delivered.length, 10)
      assert.deepInclude(error, { _tag: "SubscriptionOverflow", reason: "Frames", capacity: 10 })
    }))

  it.scoped("that read at once lose nothing, although the transport never waits; others lose the oldest partial messages", () =>
    Effect.gen(function*() {
      const pieces = Array.makeBy(10_000, (index) => ({
        type: "stream_event",
        event: { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "a" } },
        parent_tool_use_id: null,
        session_id: "s",
        uuid: `piece ${index}`
      }))
      const encoder = new TextEncoder()
      // A thousand at a time: what one has room for, and two have not.
      const bytes = Array.chunksOf([init, ...pieces], 1_000).map((frames) =>
        encoder.encode(frames.map((frame) => `${JSON.stringify(frame)}\n`).join(""))
      )
      const begin = yield* Deferred.make<void>()
      const s = yield* Session.fromTransport({
        incoming: Stream.concat(
          Stream.drain(Stream.fromEffect(Deferred.await(begin))),
          Stream.rechunk(Stream.fromIterable(bytes), 1)
        ),
        send: () => Effect.void,
        endInput: Effect.void,
        close: Effect.void,
        exit: Effect.succeed({ _tag: "Exited", code: 0, stderr: "" })
      }, { initialization: "skip" })
      const uuids = Effect.map(
        Stream.runCollect(yield* s.subscribe({ only: ["Received"] })),
        (events) =>
          Chunk.toReadonlyArray(events).flatMap((event) =>
            event._tag === "Received" && "uuid" in event.item
              ? [event.item.uuid]
              : event._tag === "Lagged"
              ? ["lost"]
              : []
          )
      )
      const prompt = yield* Effect.fork(uuids)
      const slow = yield* s.subscribe({ only: ["Received"], capacity: 50 })
      yield* Effect.yieldNow()
      yield* Deferred.succeed(begin, undefined)
      yield* s.awaitExit
      assert.deepStrictEqual(yield* Fiber.join(prompt), pieces.map(({ uuid }) => uuid))
      const last = Chunk.toReadonlyArray(yield* Stream.runCollect(slow))
      assert.deepInclude(last[0], { _tag: "Received" })
      assert.deepStrictEqual(last[1], { _tag: "Lagged", count: pieces.length - 49, partialCount: pieces.length - 49 })
      assert.strictEqual(last.length, 51)
    }))

  it.scoped("that come late see what was kept, if anything was", () =>
    Effect.gen(function*() {
      const s = yield* session(Script.behaviour(Script.make(...turn("a"), ...turn("b"), waits)), { history: 4 })
      yield* s.send("a")
      yield* s.send("b")
      const late = yield* s.subscribe({ only: ["Received", "TurnEnded"], history: true })
      yield* s.close
      const seen = Chunk.toReadonlyArray(yield* Stream.runCollect(late)).map((event) =>
        event._tag === "Received" ? reason(event.item) : event._tag
      )
      assert.deepStrictEqual(seen.slice(-2), ["result", "TurnEnded"])
      assert.isAtMost(seen.length, 8)
      assert.deepStrictEqual(
        Chunk.toReadonlyArray(yield* Stream.runCollect(yield* s.subscribe({ history: false }))),
        []
      )
    }))
})

describe("whoever is slow", () => {
  it.scoped("a stuck handler, a stuck subscriber and a thousand more hold up no turn, request or interrupt (pain 8)", () =>
    Effect.gen(function*() {
      const interrupted = {
        ...result(""),
        subtype: "error_during_execution",
        is_error: true,
        terminal_reason: "aborted_streaming"
      } as const
      const s = yield* session(
        Script.behaviour(Script.make(
          Script.reply(canUseTool("stuck")),
          ...turn("a"),
          frames(20_000),
          asked("mcp_status"),
          Script.reply(success({ mcpServers: [] })),
          Script.expect({ type: "user" }, { label: "slow" }),
          Script.reply(init),
          asked("interrupt"),
          Script.reply(success({ still_queued: [] })),
          Script.reply({ ...interrupted, user_message_uuids: [{ $received: "uuid", of: "slow" }] }),
          Script.exit(0)
        )),
        { onPermission: () => Effect.never }
      )
      const stuck = yield* Effect.forkScoped(Stream.runForEach(s.events, () => Effect.never))
      const idle = yield* Effect.replicateEffect(s.subscribe({ capacity: 8 }), 1_000)
      assert.strictEqual((yield* s.send("a")).text, "echo: a")
      assert.deepStrictEqual((yield* s.control.mcpStatus()).mcpServers, [])
      const slow = yield* s.start("slow")
      yield* s.interrupt()
      assert.strictEqual((yield* slow.result).outcome, "interrupted")
      yield* s.awaitExit
      assert.isTrue(Option.isNone(yield* Fiber.poll(stuck)))
      // Bounded: of 20,000 frames each has its last few, and the count of those that it lost.
      for (const events of idle.slice(0, 10)) {
        const kept = Chunk.toReadonlyArray(yield* Stream.runCollect(events))
        assert.strictEqual(kept.filter(({ _tag }) => _tag === "Received").length, 8)
        // The frames of two turns are among them.
        assert.strictEqual(kept.reduce((sum, event) => sum + (event._tag === "Lagged" ? event.count : 0), 0), 19_999)
        assert.strictEqual(kept.at(-1)?._tag, "Ended")
      }
    }))
})

describe("what is released", () => {
  it.effect("everything, although the session is made where nothing can be interrupted", () =>
    Effect.gen(function*() {
      const scope = yield* Scope.make()
      const s = yield* Effect.uninterruptible(Scope.extend(scripted(Script.reply(canUseTool("p"))), scope))
      const sent = yield* Effect.fork(Effect.flip(s.send("a")))
      yield* Effect.yieldNow()
      yield* Scope.close(scope, Exit.void)
      assert.deepInclude(yield* Fiber.join(sent), { _tag: "SessionClosed" })
    }))

  it.scoped("a handler, a background hook and a subscriber, when the session closes", () =>
    Effect.gen(function*() {
      const stopped: Array<string> = []
      const stuck = (name: string) => Effect.onInterrupt(Effect.never, () => Effect.sync(() => stopped.push(name)))
      const started = yield* Deferred.make<void>()
      const s = yield* session(
        Script.behaviour(Script.make(Script.expect({ type: "user" }), Script.reply(canUseTool("p")), waits)),
        { onPermission: () => Effect.zipRight(Deferred.succeed(started, undefined), stuck("handler")) }
      )
      const events = yield* Effect.fork(Stream.runDrain(s.events))
      yield* s.start("a")
      yield* Deferred.await(started)
      const exit = yield* s.close
      assert.deepStrictEqual(exit.pending.asking, [{ id: "p", subtype: "can_use_tool" }])
      yield* Fiber.join(events)
      assert.deepStrictEqual(stopped, ["handler"])
      assert.deepStrictEqual(yield* s.permissions.get, [])
    }))

  it.scoped("a permission that somebody else answers stops the handler that thinks about it", () =>
    Effect.gen(function*() {
      const stopped = yield* Deferred.make<void>()
      const s = yield* session(
        Script.behaviour(Script.make(
          Script.expect({ type: "user" }, { label: "prompt" }),
          Script.reply(canUseTool("p")),
          answered("p", { behavior: "deny" }),
          Script.reply({ ...result("done"), user_message_uuids: [{ $received: "uuid", of: "prompt" }] }),
          waits
        )),
        { onPermission: () => Effect.onInterrupt(Effect.never, () => Deferred.succeed(stopped, undefined)) }
      )
      const sent = yield* Effect.fork(s.send("a"))
      yield* Stream.runDrain(Stream.takeUntil(s.permissions.changes, (pending) => pending.length === 1))
      yield* s.respondToPermission("p", Permission.deny("no"))
      yield* Deferred.await(stopped)
      assert.strictEqual((yield* Fiber.join(sent)).text, "done")
    }))

  it.scoped("a handler that takes too long has denied", () =>
    Effect.gen(function*() {
      const s = yield* session(
        Script.behaviour(Script.make(
          Script.expect({ type: "user" }, { label: "prompt" }),
          Script.reply(canUseTool("p")),
          answered("p", { behavior: "deny" }),
          Script.reply({ ...result("done"), user_message_uuids: [{ $received: "uuid", of: "prompt" }] }),
          waits
        )),
        { onPermission: () => Effect.never, permissionTimeout: "1 minute" }
      )
      const sent = yield* Effect.fork(s.send("a"))
      yield* TestClock.adjust("1 minute")
      assert.strictEqual((yield* Fiber.join(sent)).text, "done")
    }))
})
