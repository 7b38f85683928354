import type { HostFrame } from "@claude-duplex/protocol/Frame"
import { Transport } from "@claude-duplex/protocol/Transport"
import * as Permission from "@claude-duplex/session/Permission"
import * as Session from "@claude-duplex/session/Session"
import type { SessionEvent } from "@claude-duplex/session/SessionEvent"
import * as MockTransport from "@claude-duplex/transport-mock/MockTransport"
import type { Behaviour } from "@claude-duplex/transport-mock/Peer"
import * as Recording from "@claude-duplex/transport-mock/Recording"
import * as Replay from "@claude-duplex/transport-mock/Replay"
import * as Script from "@claude-duplex/transport-mock/Script"
import type { AnyStep } from "@claude-duplex/transport-mock/ScriptStep"
import { assert, describe, it } from "@effect/vitest"
import { Chunk, Deferred, Effect, Either, Exit, Fiber, Option, Scope, Stream, TestClock } from "effect"
import { readFileSync } from "node:fs"

const recording = (name: string) =>
  Either.getOrThrow(
    Recording.parse(readFileSync(new URL(`../../../recordings/${name}.jsonl`, import.meta.url), "utf8"))
  )

const session = <E, R = never>(behaviour: Behaviour<E>, options: Session.Options<R> = {}) =>
  Effect.flatMap(MockTransport.make(behaviour), (transport) =>
    Effect.map(
      Effect.provideService(Session.make(options), Transport, transport),
      (made) => ({ ...made, transport })
    ))

const init = {
  type: "system",
  subtype: "init",
  session_id: "s",
  cwd: "/",
  tools: [],
  mcp_servers: [],
  model: "m",
  permissionMode: "default",
  apiKeySource: "none",
  claude_code_version: "2.1.326"
} as const

/** A result of the turn whose message was received last. */
const result = (text: string) => ({
  type: "result",
  subtype: "success",
  result: text,
  is_error: false,
  num_turns: 1,
  duration_ms: 1,
  duration_api_ms: 1,
  total_cost_usd: 0,
  session_id: "s",
  user_message_uuids: [{ $received: "uuid" }]
} as const)

const turn = (text: string) => [
  Script.expect({ type: "user", message: { content: text } }),
  Script.reply(init),
  Script.reply(result(`echo: ${text}`))
]

const canUseTool = (id: string) => ({
  type: "control_request",
  request_id: id,
  request: { subtype: "can_use_tool", tool_name: "Bash", input: { command: "ls" } }
} as const)

const answered = (id: string, response: object) =>
  Script.expect({ type: "control_response", response: { subtype: "success", request_id: id, response } })

describe("turns", () => {
  it.scoped("are sent, and end with their own result", () =>
    Effect.gen(function*() {
      const s = yield* session(Replay.behaviour(recording("2.1.326/plain")))
      const first = yield* s.send("hello")
      const second = yield* s.send("second turn")
      assert.deepStrictEqual([first.text, second.text], ["echo: hello", "echo: second turn"])
      assert.deepStrictEqual(first.frames.map((frame) => "_tag" in frame ? "?" : frame.type), [
        "system",
        "assistant",
        "result"
      ])
      assert.strictEqual(second.cost.usd.toFixed(6), "0.000140")
      assert.strictEqual(second.totalCostUsd?.toFixed(6), "0.000280")
      assert.deepStrictEqual(yield* s.sessionId, Option.some("c5e2cc3b-4c34-4f33-99f3-6930643537f8"))
      assert.strictEqual(yield* s.status, "Idle")
    }))

  it.scoped("stream what is said", () =>
    Effect.gen(function*() {
      const s = yield* session(Replay.behaviour(recording("2.1.326/queue-midturn")))
      const turns = yield* Effect.forEach(["SLOW first one that takes a while", "second", "third"], (text) =>
        s.start(text, { whenBusy: "steer" }))
      const [first, second, third] = turns
      if (first === undefined || second === undefined || third === undefined) {
        return assert.fail("three turns")
      }
      const text = yield* Stream.runFold(first.text, "", (all, piece) =>
        all + piece)
      assert.strictEqual(text, "echo: SLOW first one that takes a while")
      assert.strictEqual((yield* first.result).text, text)
      // Merged by the CLI: one result for both.
      assert.strictEqual((yield* second.result).text, "echo: second")
      assert.strictEqual((yield* third.result).frame, (yield* second.result).frame)
      assert.strictEqual(yield* third.phase, "Ended")
    }))

  it.scoped("end with what can be read of a result whose details changed", () =>
    Effect.gen(function*() {
      const s = yield* session(Script.behaviour(Script.make(
        Script.expect({ type: "user" }),
        Script.reply(init),
        Script.replyUnchecked({ ...result("hi"), num_turns: "one" })
      )))
      const { isError, sessionId, text } = yield* s.send("a")
      assert.deepStrictEqual({ isError, sessionId, text }, { isError: false, sessionId: "s", text: "hi" })
    }))

  it.scoped("reject, queue", () =>
    Effect.gen(function*() {
      const s = yield* session(Script.behaviour(Script.make(...turn("a"), ...turn("b"))))
      const a = yield* s.start("a")
      assert.strictEqual((yield* Effect.flip(s.send("x"))).message.includes("running"), true)
      const b = yield* s.start("b", { whenBusy: "queue" })
      const c = yield* s.start("c", { whenBusy: "queue" })
      assert.strictEqual(yield* c.phase, "Held")
      yield* c.withdraw
      assert.strictEqual((yield* Effect.flip(c.result))._tag, "SessionError")
      assert.deepStrictEqual([(yield* a.result).text, (yield* b.result).text], ["echo: a", "echo: b"])
    }))

  it.scoped("that are interrupted are told from those that failed (pain 15)", () =>
    Effect.gen(function*() {
      const s = yield* session(Replay.behaviour(recording("2.1.326/interrupt")))
      const first = yield* s.start("SLOW please")
      yield* Stream.runHead(first.text)
      yield* s.interrupt()
      const ended = yield* first.result
      assert.isTrue(ended.isInterrupted)
      assert.isTrue(ended.isError)
    }))
})

describe("permissions", () => {
  const asking = (...steps: ReadonlyArray<AnyStep>) =>
    Script.behaviour(Script.make(
      Script.expect({ type: "user" }, { label: "prompt" }),
      Script.reply(init),
      Script.reply(canUseTool("p1")),
      ...steps,
      Script.reply({ ...result("done"), user_message_uuids: [{ $received: "uuid", of: "prompt" }] })
    ))

  it.scoped("are decided by a handler; the input is always sent (pain 10)", () =>
    Effect.gen(function*() {
      const s = yield* session(asking(answered("p1", { behavior: "allow", updatedInput: { command: "ls" } })), {
        onPermission: ({ toolName }) => Effect.succeed(toolName === "Bash" ? Permission.allow() : Permission.deny("no"))
      })
      assert.strictEqual((yield* s.send("go")).text, "done")
    }))

  for (
    const [name, onPermission] of [
      ["nobody is there", undefined],
      ["the handler fails", () => Effect.fail("boom")],
      ["the handler dies", () => Effect.die("boom")],
      ["the handler throws", () => {
        throw new Error("boom")
      }],
      ["the handler interrupts itself", () => Effect.interrupt]
    ] as const
  ) {
    it.scoped(`are denied when ${name}`, () =>
      Effect.gen(function*() {
        const s = yield* session(asking(answered("p1", { behavior: "deny" })), { onPermission })
        assert.strictEqual((yield* s.send("go")).text, "done")
      }))
  }

  it.scoped("are deferred, and answered from elsewhere, once", () =>
    Effect.gen(function*() {
      const s = yield* session(asking(answered("p1", { behavior: "deny", message: "no", interrupt: true })), {
        onPermission: () => Effect.succeed(Permission.defer)
      })
      const events = yield* Effect.fork(
        (yield* s.subscribe()).pipe(Stream.filter(({ _tag }) => _tag === "PermissionRequested"), Stream.runHead)
      )
      const sent = yield* Effect.fork(s.send("go"))
      yield* Fiber.join(events)
      assert.deepStrictEqual((yield* s.pendingPermissions).map(({ id }) => id), ["p1"])
      assert.strictEqual(yield* s.status, "WaitingForPermission")
      assert.strictEqual((yield* Effect.flip(s.respondToPermission("p1", Permission.defer))).reason, "CannotDeferAgain")
      assert.strictEqual((yield* Effect.flip(s.respondToPermission("p2", Permission.allow()))).reason, "NotPending")
      yield* s.respondToPermission("p1", Permission.deny("no", { interrupt: true }))
      assert.strictEqual((yield* Effect.flip(s.respondToPermission("p1", Permission.allow()))).reason, "NotPending")
      assert.strictEqual((yield* Fiber.join(sent)).text, "done")
    }))

  it.scoped("that are withdrawn stop their handler, and are announced (pain 11)", () =>
    Effect.gen(function*() {
      const stopped = yield* Deferred.make<void>()
      const s = yield* session(asking(Script.reply({ type: "control_cancel_request", request_id: "p1" })), {
        onPermission: () => Effect.onInterrupt(Effect.never, () => Deferred.succeed(stopped, undefined))
      })
      const settled = yield* Effect.fork(
        (yield* s.subscribe()).pipe(Stream.filter(({ _tag }) => _tag === "PermissionSettled"), Stream.runHead)
      )
      assert.strictEqual((yield* s.send("go")).text, "done")
      yield* Deferred.await(stopped)
      assert.deepStrictEqual(Option.getOrNull(yield* Fiber.join(settled)), {
        _tag: "PermissionSettled",
        id: "p1",
        how: "Withdrawn"
      })
      assert.deepStrictEqual(yield* s.pendingPermissions, [])
    }))
})

describe("handlers", () => {
  it.scoped("hooks are registered and called", () =>
    Effect.gen(function*() {
      const called: Array<string> = []
      const s = yield* session(Replay.behaviour(recording("2.1.326/initialize-hooks")), {
        hooks: (["PreToolUse", "PostToolUse", "UserPromptSubmit", "Stop", "SessionStart"] as const).map((event) => ({
          event,
          run: (input) =>
            Effect.sync(() => {
              called.push(String(input.hook_event_name))
              return {}
            })
        }))
      })
      assert.isTrue(Option.isSome(s.initialized))
      assert.strictEqual((yield* s.send("go")).text, `tool done: "hooked"`)
      assert.deepStrictEqual(called, ["UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop"])
    }))

  it.scoped("an MCP server lives in the host", () =>
    Effect.gen(function*() {
      const calls: Array<string> = []
      const s = yield* session(Replay.behaviour(recording("2.1.143/sdk-mcp")), {
        onPermission: () => Effect.succeed(Permission.allow()),
        mcpServers: {
          calc: (message) =>
            Effect.sync(() => {
              if (!("method" in message)) return undefined
              calls.push(message.method)
              return "id" in message ? { jsonrpc: "2.0", id: message.id, result: {} } : undefined
            })
        }
      })
      yield* s.request({ subtype: "mcp_status" })
      assert.include((yield* s.send("go")).text, "42")
      assert.deepStrictEqual(calls, ["initialize", "notifications/initialized", "tools/list", "tools/call"])
    }))

  it.scoped("hooks, permissions and an MCP server through three turns of a real CLI", () =>
    Effect.gen(function*() {
      const seen: Array<string> = []
      const note = (what: string) => Effect.sync(() => seen.push(what))
      const s = yield* session(Replay.behaviour(recording("2.1.326/multi-turn")), {
        echoes: true,
        onPermission: ({ toolName }) => Effect.as(note(`may ${toolName}`), Permission.allow()),
        hooks: (["PreToolUse", "PostToolUse", "UserPromptSubmit", "Stop"] as const).map((event) => ({
          event,
          run: () => Effect.as(note(event), {})
        })),
        mcpServers: {
          calc: (message) =>
            Effect.as(
              "method" in message ? note(message.method) : Effect.void,
              "id" in message && "method" in message
                ? { jsonrpc: "2.0", id: message.id, result: {} } as const
                : undefined
            )
        }
      })
      const texts = yield* Effect.forEach(
        ["add two numbers", "make a file", "say goodbye"],
        (prompt) => Effect.map(s.send(prompt), ({ text }) => text)
      )
      assert.deepStrictEqual(texts, ["tool done: 42", "tool done: made", "echo: goodbye"])
      assert.deepStrictEqual(seen.filter((what) => what.startsWith("may")), ["may mcp__calc__add", "may Bash"])
      assert.deepStrictEqual(seen.filter((what) => what === "Stop").length, 3)
      assert.include(seen, "tools/call")
    }))

  it.scoped("what nobody handles is refused at once, and nothing is made up (pain 12)", () =>
    Effect.gen(function*() {
      const refused = (id: string) =>
        Script.expect({ type: "control_response", response: { subtype: "error", request_id: id } })
      const s = yield* session(Script.behaviour(Script.make(
        Script.reply({
          type: "control_request",
          request_id: "e",
          request: { subtype: "elicitation", mcp_server_name: "m", message: "?" }
        }),
        refused("e"),
        Script.reply({
          type: "control_request",
          request_id: "d",
          request: { subtype: "request_user_dialog", dialog_kind: "k", payload: {} }
        }),
        refused("d"),
        Script.reply({
          type: "control_request",
          request_id: "m",
          request: { subtype: "mcp_message", server_name: "x", message: { jsonrpc: "2.0", id: 1, method: "ping" } }
        }),
        refused("m"),
        Script.replyUnchecked({ type: "control_request", request_id: "f", request: { subtype: "of_next_year" } }),
        refused("f"),
        Script.exit(0)
      )))
      assert.strictEqual((yield* s.awaitExit).code, 0)
      yield* s.transport.outcome
    }))

  it.scoped("one that never returns holds up nothing else (pain 8)", () =>
    Effect.gen(function*() {
      const s = yield* session(
        Script.behaviour(Script.make(
          Script.reply(canUseTool("stuck")),
          ...turn("a"),
          Script.expect({ type: "control_request", request: { subtype: "mcp_status" } }),
          Script.reply({
            type: "control_response",
            response: { subtype: "success", request_id: { $received: "request_id" }, response: { mcpServers: [] } }
          })
        )),
        { onPermission: () => Effect.never }
      )
      assert.strictEqual((yield* s.send("a")).text, "echo: a")
      assert.deepStrictEqual((yield* s.request({ subtype: "mcp_status" })).mcpServers, [])
    }))
})

describe("control requests", () => {
  it.scoped("time out, and are withdrawn", () =>
    Effect.gen(function*() {
      const s = yield* session(Script.behaviour(Script.make(
        Script.expect({ type: "control_request" }),
        Script.expect({ type: "control_cancel_request" }),
        Script.exit(0)
      )))
      const asked = yield* Effect.fork(Effect.flip(s.request({ subtype: "mcp_status" }, { timeout: "5 seconds" })))
      yield* Effect.yieldNow()
      yield* TestClock.adjust("5 seconds")
      const error = yield* Fiber.join(asked)
      assert.strictEqual(error._tag === "ControlError" && error.reason, "Timeout")
      assert.strictEqual((yield* s.awaitExit).code, 0)
    }))

  it.scoped("are withdrawn when whoever asked is interrupted", () =>
    Effect.gen(function*() {
      const s = yield* session(Script.behaviour(Script.make(
        Script.expect({ type: "control_request" }),
        Script.expect({ type: "control_cancel_request" }),
        Script.exit(0)
      )))
      const asked = yield* Effect.fork(s.request({ subtype: "mcp_status" }))
      yield* Effect.yieldNow()
      yield* Fiber.interrupt(asked)
      assert.strictEqual((yield* s.awaitExit).code, 0)
    }))

  it.scoped("an interrupt waits until the CLI would hear it (pain 13), and two are one", () =>
    Effect.gen(function*() {
      const s = yield* session(Script.behaviour(Script.make(
        Script.expect({ type: "user" }),
        Script.delay("1 second"),
        Script.reply(init),
        Script.expect({ type: "control_request", request: { subtype: "interrupt" } }, { label: "interrupt" }),
        Script.reply({
          type: "control_response",
          response: { subtype: "success", request_id: { $received: "request_id" }, response: { still_queued: [] } }
        }),
        Script.exit(0)
      )))
      yield* s.start("a")
      const both = yield* Effect.fork(Effect.all([s.interrupt(), s.interrupt()], { concurrency: 2 }))
      yield* Effect.yieldNow()
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* Fiber.join(both), [{ still_queued: [] }, { still_queued: [] }])
    }))

  it.scoped("an interrupt that nobody hears can end the CLI (pain 14)", () =>
    Effect.gen(function*() {
      const s = yield* session(Script.behaviour(Script.make(
        Script.expect({ type: "user" }),
        Script.reply(init),
        Script.expect({ type: "control_request" }),
        Script.delay("1 hour")
      )))
      const sent = yield* Effect.fork(Effect.flip(s.send("a")))
      yield* Effect.yieldNow()
      const stopped = yield* Effect.fork(Effect.flip(s.interrupt({ deadline: "3 seconds", escalate: "close" })))
      yield* Effect.yieldNow()
      yield* TestClock.adjust("3 seconds")
      yield* Fiber.join(stopped)
      const error = yield* Fiber.join(sent)
      assert.strictEqual(error._tag === "SessionError" && error.reason, "Closed")
    }))
})

describe("subscribers", () => {
  it.scoped("see everything, in order, results too", () =>
    Effect.gen(function*() {
      const s = yield* session(Script.behaviour(Script.make(...turn("a"), Script.replyLine("noise"), Script.exit(0))))
      const events = yield* Effect.fork(Stream.runCollect(yield* s.subscribe()))
      yield* s.send("a")
      yield* s.awaitExit
      const show = (event: SessionEvent) =>
        event._tag === "Received" ? ("_tag" in event.item ? event.item.reason : event.item.type) : event._tag
      assert.deepStrictEqual(Chunk.toReadonlyArray(yield* Fiber.join(events)).map(show), [
        "MessageMoved",
        "TurnStarted",
        "system",
        "result",
        "TurnEnded",
        "InvalidJson",
        "Ended"
      ])
    }))

  it.scoped("that are slow lose the oldest, are told, and slow nobody down; a thousand do neither (pain 8)", () =>
    Effect.gen(function*() {
      const frames = 5_000
      const s = yield* session((peer) =>
        Effect.gen(function*() {
          yield* peer.receive
          const bytes = new TextEncoder().encode(`${JSON.stringify({ type: "keep_alive" })}\n`.repeat(100))
          yield* Effect.forEach(Array.from({ length: frames / 100 }), () => peer.write(bytes), { discard: true })
        })
      )
      const gate = yield* Deferred.make<void>()
      const stuck = yield* (yield* s.subscribe({ capacity: 10 })).pipe(
        Stream.tap(() => Deferred.await(gate)),
        Stream.runCollect,
        Effect.fork
      )
      yield* Effect.forEach(Array.from({ length: 1_000 }), () => s.subscribe({ capacity: 4 }))
      yield* s.start("go")
      yield* s.awaitExit
      yield* Deferred.succeed(gate, undefined)
      const seen = Chunk.toReadonlyArray(yield* Fiber.join(stuck))
      const lost = seen.reduce((sum, event) => sum + (event._tag === "Lagged" ? event.count : 0), 0)
      assert.isAbove(lost, 4_000)
      // Nothing is lost but what is told: every frame, the move of the message, its failure's absence, and the end.
      assert.strictEqual(seen.filter(({ _tag }) => _tag !== "Lagged").length + lost, frames + 2)
      assert.strictEqual(seen.at(-1)?._tag, "Ended")
    }))
})

describe("the end", () => {
  it.scoped("settles everything (pain 24)", () =>
    Effect.gen(function*() {
      const s = yield* session(Script.behaviour(Script.make(
        Script.expect({ type: "user" }),
        Script.expect({ type: "control_request" }),
        Script.stderr("crashed"),
        Script.exit("SIGKILL")
      )))
      const changes = yield* Effect.fork(Stream.runCollect(s.statusChanges))
      yield* Effect.yieldNow()
      const sent = yield* Effect.fork(Effect.flip(s.send("a")))
      yield* Effect.yieldNow()
      const asked = yield* Effect.fork(Effect.flip(s.request({ subtype: "mcp_status" })))
      const error = yield* Fiber.join(sent)
      assert.deepStrictEqual(error._tag === "SessionError" && error.exit, {
        code: null,
        signal: "SIGKILL",
        stderr: "crashed"
      })
      assert.strictEqual((yield* Fiber.join(asked))._tag, "ControlError")
      assert.deepStrictEqual(Chunk.toReadonlyArray(yield* Fiber.join(changes)), ["Starting", "Running", "Ended"])
      assert.strictEqual((yield* Effect.flip(s.send("b")))._tag, "SessionError")
    }))

  it.effect("comes with the scope, for whoever waits", () =>
    Effect.gen(function*() {
      const scope = yield* Scope.make()
      const s = yield* Scope.extend(session(() => Effect.never), scope)
      const sent = yield* Effect.fork(Effect.flip(s.send("a")))
      yield* Effect.yieldNow()
      yield* Scope.close(scope, Exit.void)
      const error = yield* Fiber.join(sent)
      assert.strictEqual(error._tag === "SessionError" && error.reason, "Closed")
    }))

  it.effect("a failure in the middle of the start releases everything", () =>
    Effect.gen(function*() {
      const closed = yield* Deferred.make<void>()
      const failed = yield* Effect.flip(Effect.scoped(session(
        (peer) =>
          Effect.gen(function*() {
            const line = Option.getOrThrow(yield* peer.receive)
            // The codec wrote it.
            const { request_id } = JSON.parse(line) as Extract<HostFrame, { type: "control_request" }>
            const refusal = { type: "control_response", response: { subtype: "error", request_id, error: "no" } }
            yield* peer.write(new TextEncoder().encode(`${JSON.stringify(refusal)}\n`))
            yield* Effect.never
          }).pipe(Effect.ensuring(Deferred.succeed(closed, undefined))),
        { initialize: { title: "x" } }
      )))
      assert.strictEqual(failed._tag, "ControlError")
      yield* Deferred.await(closed)
    }))
})
