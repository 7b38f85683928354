import * as McpServer from "@claude-duplex/mcp/McpServer"
import * as Frame from "@claude-duplex/protocol/Frame"
import type { CliFrame, HostFrame, Unknown } from "@claude-duplex/protocol/Frame"
import { TransportError } from "@claude-duplex/protocol/Transport"
import * as Hook from "@claude-duplex/session/Hook"
import * as Permission from "@claude-duplex/session/Permission"
import * as Session from "@claude-duplex/session/Session"
import type { SessionEvent } from "@claude-duplex/session/SessionEvent"
import * as MockTransport from "@claude-duplex/transport-mock/MockTransport"
import * as Replay from "@claude-duplex/transport-mock/Replay"
import * as Script from "@claude-duplex/transport-mock/Script"
import type { AnyStep } from "@claude-duplex/transport-mock/ScriptStep"
import { assert, describe, it } from "@effect/vitest"
import { Chunk, Deferred, Effect, Exit, Fiber, Option, Scope, Stream, TestClock } from "effect"
import { background, heard, settle, soon } from "./support/handmadeCli.js"
import {
  answered,
  asked,
  canUseTool,
  init,
  recording,
  refused,
  result,
  scripted,
  session,
  success,
  turn
} from "./support/sessions.js"

describe("turns", () => {
  it.scoped("are sent, and end with their own result", () =>
    Effect.gen(function*() {
      const s = yield* session(Replay.behaviour(recording("2.1.326/plain")))
      const first = yield* s.send("hello")
      const second = yield* s.send("second turn")
      assert.deepStrictEqual([first.text, second.text], ["echo: hello", "echo: second turn"])
      assert.deepStrictEqual(first.frames.map((frame) => Frame.isKnown(frame) ? frame.type : "?"), [
        "system",
        "assistant",
        "result"
      ])
      assert.strictEqual(second.cost.usd.toFixed(6), "0.000140")
      assert.strictEqual(second.totalCostUsd?.toFixed(6), "0.000280")
      assert.deepStrictEqual(yield* s.sessionId.get, Option.some("c5e2cc3b-4c34-4f33-99f3-6930643537f8"))
      assert.strictEqual((yield* s.status.get)._tag, "Idle")
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

  it.scoped("retain what they are told to: the result, whole messages, or all", () =>
    Effect.gen(function*() {
      const piece = {
        type: "stream_event",
        event: { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "hi" } },
        parent_tool_use_id: null,
        session_id: "s"
      } as const
      const inPieces = [
        Script.expect({ type: "user" }),
        Script.reply(init),
        Script.reply(piece),
        Script.reply(piece),
        Script.reply(result("hihi"))
      ]
      const s = yield* scripted(...inPieces, ...inPieces, ...inPieces)
      const all = ["system", "stream_event", "stream_event", "result"]
      const told = yield* s.subscribe({ only: ["Received"] })
      const typesOf = (frames: ReadonlyArray<CliFrame | Unknown>) =>
        frames.map((frame) => Frame.isKnown(frame) ? frame.type : "?")

      assert.deepStrictEqual(typesOf((yield* s.send("a")).frames), ["system", "result"])
      assert.strictEqual((yield* Stream.runCollect(Stream.take(told, 4))).length, 4)

      assert.deepStrictEqual(typesOf((yield* s.send("b", { retain: "result" })).frames), ["result"])
      const followed = yield* s.start("c", { retain: "all" })
      assert.deepStrictEqual(typesOf((yield* followed.result).frames), all)
      assert.deepStrictEqual(typesOf(Chunk.toReadonlyArray(yield* Stream.runCollect(followed.frames))), all)
      assert.strictEqual(yield* Stream.mkString(followed.text), "hihi")
    }))

  it.scoped("end with what can be read of a result whose details changed", () =>
    Effect.gen(function*() {
      const s = yield* session(Script.behaviour(Script.make(
        Script.expect({ type: "user" }),
        Script.reply(init),
        Script.replyUnchecked({ ...result("hi"), num_turns: "one" })
      )))
      const { outcome, sessionId, text } = yield* s.send("a")
      assert.deepStrictEqual({ outcome, sessionId, text }, { outcome: "success", sessionId: "s", text: "hi" })
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
      assert.strictEqual((yield* Effect.flip(c.result))._tag, "MessageCancelled")
      assert.deepStrictEqual([(yield* a.result).text, (yield* b.result).text], ["echo: a", "echo: b"])
    }))

  it.scoped("that are interrupted are told from those that failed (pain 15)", () =>
    Effect.gen(function*() {
      const s = yield* session(Replay.behaviour(recording("2.1.326/interrupt")))
      const first = yield* s.start("SLOW please")
      yield* Stream.runHead(first.text)
      yield* s.interrupt()
      const ended = yield* first.result
      assert.strictEqual(ended.outcome, "interrupted")
      // The frame itself does not tell them apart.
      assert.deepInclude(ended.frame, { is_error: true })
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
      assert.deepStrictEqual((yield* s.permissions.get).map(({ id }) => id), ["p1"])
      assert.strictEqual((yield* s.status.get)._tag, "WaitingForPermission")
      // @ts-expect-error a deferral is no answer
      assert.strictEqual((yield* Effect.flip(s.respondToPermission("p1", Permission.defer)))._tag, "EncodeError")
      assert.strictEqual(
        (yield* Effect.flip(s.respondToPermission("p2", Permission.allow())))._tag,
        "PermissionNotPending"
      )
      const unreadable = Permission.allow({ updatedInput: { command: undefined } })
      assert.strictEqual((yield* Effect.flip(s.respondToPermission("p1", unreadable)))._tag, "EncodeError")
      yield* s.respondToPermission("p1", Permission.deny("no", { interrupt: true }))
      assert.strictEqual(
        (yield* Effect.flip(s.respondToPermission("p1", Permission.allow())))._tag,
        "PermissionNotPending"
      )
      assert.strictEqual((yield* Fiber.join(sent)).text, "done")
    }))

  it.scoped("change the status as soon as they are answered, also if the CLI says nothing more", () =>
    Effect.gen(function*() {
      const s = yield* scripted(
        Script.expect({ type: "user" }),
        Script.reply(init),
        Script.reply(canUseTool("p1")),
        Script.expect({ type: "control_response" })
      )
      yield* s.start("go")
      yield* TestClock.adjust("1 second")
      // No handler is registered: it was denied at once.
      assert.strictEqual((yield* s.status.get)._tag, "Running")
    }))

  it.scoped("that are withdrawn stop their handler, and are announced (pain 11)", () =>
    Effect.gen(function*() {
      const stopped = yield* Deferred.make<void>()
      const withdrawn = [Script.delay("1 second"), Script.reply({ type: "control_cancel_request", request_id: "p1" })]
      const s = yield* session(asking(...withdrawn), {
        onPermission: () => Effect.onInterrupt(Effect.never, () => Deferred.succeed(stopped, undefined))
      })
      const settled = yield* Effect.fork(
        (yield* s.subscribe()).pipe(Stream.filter(({ _tag }) => _tag === "PermissionSettled"), Stream.runHead)
      )
      const turn = yield* s.start("go")
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* turn.result).text, "done")
      yield* Deferred.await(stopped)
      assert.deepStrictEqual(Option.getOrNull(yield* Fiber.join(settled)), {
        _tag: "PermissionSettled",
        id: "p1",
        how: "Withdrawn"
      })
      assert.deepStrictEqual(yield* s.permissions.get, [])
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
      assert.isTrue(Option.isSome(yield* s.initialized))
      assert.strictEqual((yield* s.send("go")).text, `tool done: "hooked"`)
      assert.deepStrictEqual(called, ["UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop"])
    }))

  it.scoped("an MCP server lives in the host", () =>
    Effect.gen(function*() {
      const calls: Array<string> = []
      const s = yield* session(Replay.behaviour(recording("2.1.143/sdk-mcp")), {
        onPermission: () => Effect.succeed(Permission.allow()),
        mcpServers: {
          calc: McpServer.raw((message) =>
            Effect.sync(() => {
              if (!("method" in message)) return undefined
              calls.push(message.method)
              return "id" in message ? { jsonrpc: "2.0", id: message.id, result: {} } : undefined
            })
          )
        }
      })
      yield* s.request({ subtype: "mcp_status" })
      assert.include((yield* s.send("go")).text, "42")
      assert.deepStrictEqual(calls, ["initialize", "notifications/initialized", "tools/list", "tools/call"])
    }))

  const callback = (id: string, callbackId: string, event: string) =>
    Script.replyUnchecked({
      type: "control_request",
      request_id: id,
      request: {
        subtype: "hook_callback",
        callback_id: callbackId,
        input: { hook_event_name: event, session_id: "s", transcript_path: "/t", cwd: "/", stop_hook_active: false }
      }
    })

  it.scoped("a hook in the background lets the CLI go on, and ends with the session", () =>
    Effect.gen(function*() {
      const began = yield* Deferred.make<void>()
      const ended = yield* Deferred.make<void>()
      const scope = yield* Scope.make()
      const s = yield* Scope.extend(
        session(
          Script.behaviour(Script.make(
            Script.expect({
              type: "control_request",
              request: { hooks: { Stop: [{ timeout: 5, onFailure: "block" }] } }
            }),
            Script.reply(success({})),
            callback("h", "hook_0", "Stop"),
            answered("h", { async: true }),
            Script.delay("1 day")
          )),
          {
            hooks: [
              Hook.background(
                "Stop",
                () =>
                  Effect.onInterrupt(
                    Effect.zipRight(Deferred.succeed(began, undefined), Effect.never),
                    () => Deferred.succeed(ended, undefined)
                  ),
                { timeout: "5 seconds", onFailure: "block" }
              )
            ]
          }
        ),
        scope
      )
      yield* Deferred.await(began)
      assert.notStrictEqual((yield* s.status.get)._tag, "Closed")
      yield* Scope.close(scope, Exit.void)
      yield* Deferred.await(ended)
    }))

  it.scoped("a hook is not run for an event that is not its own, nor one that is not there", () =>
    Effect.gen(function*() {
      const s = yield* session(
        Script.behaviour(Script.make(
          asked("initialize"),
          Script.reply(success({})),
          callback("other", "hook_0", "SubagentStop"),
          refused("other"),
          callback("nobody's", "hook_7", "Stop"),
          refused("nobody's"),
          Script.exit(0)
        )),
        { hooks: [Hook.background("Stop", () => Effect.dieMessage("it was run"))] }
      )
      yield* s.awaitExit
      yield* s.transport.outcome
    }))

  it.scoped("MCP servers come and go; those of the session stay, and what is kept stays connected", () =>
    Effect.gen(function*() {
      const log: Array<string> = []
      const server = (name: string): McpServer.McpServer => ({
        connect: () =>
          Effect.as(
            Effect.acquireRelease(
              Effect.sync(() => log.push(`+${name}`)),
              () => Effect.sync(() => log.push(`-${name}`))
            ),
            () => Effect.succeed(undefined)
          )
      })
      const set = (...names: ReadonlyArray<string>) => [
        Script.expectWhere(
          `sets ${names.join(", ")}`,
          (frame) =>
            Frame.isKnown(frame) && frame.type === "control_request" && frame.request.subtype === "mcp_set_servers" &&
            Object.keys(frame.request.servers).sort().join() === [...names].sort().join()
        ),
        Script.reply(success({ added: [], removed: [], errors: {} }))
      ]
      const s = yield* session(
        Script.behaviour(Script.make(
          Script.expect({ type: "control_request", request: { sdkMcpServers: ["own"] } }),
          Script.reply(success({})),
          ...set("own", "a", "b", "file"),
          ...set("own", "b"),
          asked("mcp_set_servers"),
          Script.reply({
            type: "control_response",
            response: { subtype: "error", request_id: { $received: "request_id" }, error: "no" }
          }),
          Script.delay("1 day")
        )),
        { mcpServers: { own: server("own") } }
      )
      const b = server("b")
      yield* s.setMcpServers({ a: server("a"), b, file: { type: "stdio", command: "x" } })
      assert.deepStrictEqual(log, ["+own", "+a", "+b"])
      yield* s.setMcpServers({ b })
      assert.deepStrictEqual(log.slice(3), ["-a"])
      yield* Effect.flip(s.setMcpServers({ b, c: server("c") }))
      assert.deepStrictEqual(log.slice(4), ["+c", "-c"])
      yield* s.close
      assert.deepStrictEqual(log.slice(6).sort(), ["-b", "-own"])
    }))

  it.scoped("MCP servers that are not set after all leave those alone that were there", () =>
    Effect.gen(function*() {
      const log: Array<string> = []
      const server = (name: string, connecting: Effect.Effect<void> = Effect.void): McpServer.McpServer => ({
        connect: () =>
          connecting.pipe(
            Effect.zipRight(
              Effect.acquireRelease(
                Effect.sync(() => log.push(`+${name}`)),
                () => Effect.sync(() => log.push(`-${name}`))
              )
            ),
            Effect.as(() => Effect.succeed({ jsonrpc: "2.0", id: 1, result: { name } }))
          )
      })
      const hello = { jsonrpc: "2.0", id: 1, method: "ping" } as const
      const { behaviour, words } = heard(({ answer, hear, say }) =>
        Effect.gen(function*() {
          yield* answer(yield* hear, {})
          // The first is never answered.
          yield* hear
          const again = yield* hear
          assert.strictEqual(again.type, "control_cancel_request")
          yield* say({
            type: "control_request",
            request_id: "m",
            request: { subtype: "mcp_message", server_name: "own", message: hello }
          })
          const answered = yield* hear
          assert.include(JSON.stringify(answered), `"name":"own"`)
        })
      )
      const s = yield* session(
        (peer) =>
          Effect.zipRight(
            peer.write(new TextEncoder().encode(`${JSON.stringify(init)}\n`)),
            behaviour(peer)
          ),
        { mcpServers: { own: server("own") } }
      )
      const given = yield* Effect.fork(s.setMcpServers({ own: server("other") }))
      yield* settle
      assert.deepStrictEqual(log, ["+own", "+other"])
      yield* soon(Fiber.interrupt(given))
      assert.deepStrictEqual(log.splice(0), ["+own", "+other", "-other"])
      yield* settle
      assert.include(words, "control_response")
      // One that cannot be connected, and one that takes for ever to.
      const died = yield* Effect.exit(s.setMcpServers({ x: server("x"), y: server("y", Effect.dieMessage("no")) }))
      assert.isTrue(Exit.isFailure(died))
      assert.deepStrictEqual(log.splice(0), ["+x", "-x"])
      const endless = yield* Effect.fork(s.setMcpServers({ z: server("z", Effect.never) }))
      yield* settle
      yield* soon(Fiber.interrupt(endless))
    }))

  it.effect("an MCP server that takes for ever to connect can be given up", () =>
    Effect.gen(function*() {
      const endless: McpServer.McpServer = { connect: () => Effect.never }
      const starting = yield* Effect.fork(
        Effect.scoped(session(() => Effect.never, { mcpServers: { endless } }))
      )
      yield* settle
      yield* soon(Fiber.interrupt(starting))
    }))

  it.scoped("an MCP server speaks unasked, and a request that it has no answer to does not look done", () =>
    Effect.gen(function*() {
      const s = yield* session(
        Script.behaviour(Script.make(
          asked("initialize"),
          Script.reply(success({})),
          Script.reply({
            type: "control_request",
            request_id: "q",
            request: { subtype: "mcp_message", server_name: "m", message: { jsonrpc: "2.0", id: 7, method: "ping" } }
          }),
          Script.expectAll([
            Script.expect({
              type: "control_request",
              request: { subtype: "mcp_message", message: { method: "notifications/progress" } }
            }),
            answered("q", { mcp_response: { id: 7, error: { code: -32601 } } })
          ]),
          Script.exit(0)
        )),
        {
          mcpServers: {
            m: McpServer.raw((_, client) =>
              Effect.as(client.send({ jsonrpc: "2.0", method: "notifications/progress" }), undefined)
            )
          }
        }
      )
      yield* s.awaitExit
      yield* s.transport.outcome
    }))

  it.scoped("hooks, permissions and an MCP server through three turns of a real CLI", () =>
    Effect.gen(function*() {
      const seen: Array<string> = []
      const note = (what: string) => Effect.sync(() => seen.push(what))
      const s = yield* session(Replay.behaviour(recording("2.1.326/multi-turn")), {
        onPermission: ({ toolName }) => Effect.as(note(`may ${toolName}`), Permission.allow()),
        hooks: (["PreToolUse", "PostToolUse", "UserPromptSubmit", "Stop"] as const).map((event) => ({
          event,
          run: () => Effect.as(note(event), {})
        })),
        mcpServers: {
          calc: McpServer.raw((message) =>
            Effect.as(
              "method" in message ? note(message.method) : Effect.void,
              "id" in message && "method" in message
                ? { jsonrpc: "2.0", id: message.id, result: {} } as const
                : undefined
            )
          )
        }
      }, { replayUserMessages: true })
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
      assert.deepInclude(yield* s.awaitExit, { _tag: "Exited", code: 0 })
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
        ...turn("a"),
        Script.expect({ type: "control_request" }),
        Script.expect({ type: "control_cancel_request" }),
        Script.exit(0)
      )))
      yield* s.send("a")
      const asked = yield* Effect.fork(Effect.flip(s.request({ subtype: "mcp_status" }, { timeout: "5 seconds" })))
      yield* Effect.yieldNow()
      yield* TestClock.adjust("5 seconds")
      const error = yield* Fiber.join(asked)
      assert.strictEqual(error._tag === "ControlError" && error.reason, "Timeout")
      assert.deepInclude(yield* s.awaitExit, { _tag: "Exited", code: 0 })
    }))

  it.scoped("are withdrawn when whoever asked is interrupted", () =>
    Effect.gen(function*() {
      const s = yield* session(Script.behaviour(Script.make(
        ...turn("a"),
        Script.expect({ type: "control_request" }),
        Script.expect({ type: "control_cancel_request" }),
        Script.exit(0)
      )))
      yield* s.send("a")
      const asked = yield* Effect.fork(s.request({ subtype: "mcp_status" }))
      yield* Effect.yieldNow()
      yield* Fiber.interrupt(asked)
      assert.deepInclude(yield* s.awaitExit, { _tag: "Exited", code: 0 })
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
      const receipt = { outcome: "interrupted", response: { still_queued: [] } } as const
      assert.deepStrictEqual(yield* Fiber.join(both), [receipt, receipt])
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
      assert.strictEqual(error._tag, "SessionClosed")
    }))
})

describe("subscribers", () => {
  it.scoped("of the status skip those that pass at once, and see the latest; its events tell each", () =>
    Effect.gen(function*() {
      const lines = [init, background("a"), init, background("b")].map((frame) => JSON.stringify(frame))
      const s = yield* session((peer) =>
        Effect.zipRight(
          Effect.zipRight(peer.receive, peer.write(new TextEncoder().encode(`${lines.join("\n")}\n`))),
          Effect.never
        )
      )
      const seen = yield* Effect.fork(Stream.runCollect(Stream.take(s.status.changes, 2)))
      const events = yield* s.subscribe({ only: ["StatusChanged"] })
      yield* settle
      yield* s.append("go")
      const tags = Chunk.toReadonlyArray(yield* soon(Fiber.join(seen))).map(({ _tag }) => _tag)
      assert.deepStrictEqual(tags, ["Starting", "Idle"])
      const each = Chunk.toReadonlyArray(yield* soon(Stream.runCollect(Stream.take(events, 4))))
      assert.deepStrictEqual(each.map(({ status }) => status._tag), ["Running", "Idle", "Running", "Idle"])
    }))

  it.scoped("who share a subscription share its events, and both hear of the end", () =>
    Effect.gen(function*() {
      const s = yield* scripted(...turn("a"))
      const shared = yield* s.subscribe({ only: ["Received"] })
      const one = yield* Effect.fork(Stream.runCount(shared))
      const two = yield* Effect.fork(Stream.runCount(shared))
      yield* settle
      yield* s.send("a")
      yield* s.close
      assert.strictEqual((yield* soon(Fiber.join(one))) + (yield* soon(Fiber.join(two))), 2)
    }))

  it.scoped("see everything, in order, results too", () =>
    Effect.gen(function*() {
      const s = yield* session(Script.behaviour(Script.make(...turn("a"), Script.replyLine("noise"), Script.exit(0))))
      const events = yield* Effect.fork(Stream.runCollect(yield* s.subscribe()))
      yield* s.send("a")
      yield* s.awaitExit
      const show = (event: SessionEvent) =>
        event._tag === "Received"
          ? (Frame.isKnown(event.item) ? event.item.type : event.item.reason)
          : event._tag === "StatusChanged"
          ? event.status._tag
          : event._tag
      assert.deepStrictEqual(Chunk.toReadonlyArray(yield* Fiber.join(events)).map(show), [
        "MessageMoved",
        "Running",
        "TurnStarted",
        "system",
        "SessionIdChanged",
        "result",
        "TurnEnded",
        "Idle",
        "InvalidJson",
        "Closed",
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
      // Every frame, the move and the failure of the message, two changes of the status, and the end.
      assert.strictEqual(seen.filter(({ _tag }) => _tag !== "Lagged").length + lost, frames + 5)
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
      const changes = yield* Effect.fork(Stream.runCollect(s.status.changes))
      yield* Effect.yieldNow()
      const sent = yield* Effect.fork(Effect.flip(s.send("a")))
      yield* Effect.yieldNow()
      const asked = yield* Effect.fork(Effect.flip(s.request({ subtype: "mcp_status" })))
      const error = yield* Fiber.join(sent)
      const exit = yield* s.awaitExit
      assert.deepStrictEqual(error._tag === "SessionClosed" && error.exit, exit)
      assert.deepInclude(exit, { _tag: "Signaled", signal: "SIGKILL", stderr: "crashed" })
      assert.strictEqual(exit.pending.messages.length, 1)
      assert.deepStrictEqual(exit.pending.asked, [{ id: "req_1", subtype: "mcp_status" }])
      assert.strictEqual((yield* Fiber.join(asked))._tag, "ControlError")
      assert.deepStrictEqual(Chunk.toReadonlyArray(yield* Fiber.join(changes)).map(({ _tag }) => _tag), [
        "Starting",
        "Running",
        "Closed"
      ])
      assert.strictEqual((yield* Effect.flip(s.send("b")))._tag, "SessionClosed")
    }))

  it.scoped("is told to whoever comes after it, however it came (pain 24)", () =>
    Effect.gen(function*() {
      const s = yield* scripted()
      const exit = yield* s.close
      const errors = yield* Effect.all([Effect.flip(s.send("a")), Effect.flip(s.control.mcpStatus())])
      for (const error of errors) assert.deepInclude(error, { exit })
    }))

  it.scoped("comes to a CLI that stays although it does not read any more, or says nothing any more", () =>
    Effect.gen(function*() {
      const deaf = { send: () => Effect.fail(new TransportError({ reason: "Write", detail: "EPIPE" })) }
      const dumb = { incoming: Stream.empty }
      for (const broken of [deaf, dumb]) {
        const transport = yield* MockTransport.make(() => Effect.never)
        const s = yield* Session.fromTransport({ ...transport, ...broken }, { initialization: "skip" })
        const sent = yield* Effect.fork(Effect.flip(s.send("a")))
        yield* TestClock.adjust("5 seconds")
        assert.deepInclude(yield* soon(Fiber.join(sent)), { _tag: "SessionClosed" })
      }
    }))

  it.effect("comes with the scope, for whoever waits", () =>
    Effect.gen(function*() {
      const scope = yield* Scope.make()
      const s = yield* Scope.extend(session(() => Effect.never), scope)
      const sent = yield* Effect.fork(Effect.flip(s.send("a")))
      yield* Effect.yieldNow()
      yield* Scope.close(scope, Exit.void)
      const error = yield* Fiber.join(sent)
      assert.strictEqual(error._tag, "SessionClosed")
    }))

  it.scoped("a failure in the middle of the start leaves nothing in a scope that goes on", () =>
    Effect.gen(function*() {
      const transport = yield* MockTransport.make(Script.behaviour(Script.make(
        asked("initialize"),
        Script.reply({
          type: "control_response",
          response: { subtype: "error", request_id: { $received: "request_id" }, error: "no" }
        }),
        Script.delay("1 day")
      )))
      const start = Session.fromTransport(transport, { initialize: { title: "x" } })
      assert.strictEqual((yield* soon(Effect.flip(start))).message, "The CLI refused initialize: no")
      assert.deepInclude(yield* soon(transport.exit), { signal: "SIGTERM" })
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
            return yield* Effect.never
          }).pipe(Effect.ensuring(Deferred.succeed(closed, undefined))),
        { initialize: { title: "x" } }
      )))
      assert.strictEqual(failed._tag, "ControlError")
      yield* Deferred.await(closed)
    }))
})

describe("a message", () => {
  it.scoped("has the id and the fields that the caller gives", () =>
    Effect.gen(function*() {
      const s = yield* session(Script.behaviour(Script.make(
        Script.expect({ type: "user", uuid: "m1", session_id: "s", client_composed: true, parent_tool_use_id: null }),
        Script.reply(init),
        Script.reply(result("done")),
        Script.expect({ type: "user", uuid: "m2", parent_tool_use_id: "toolu_1" }),
        Script.reply(result("done")),
        Script.delay("1000 days")
      )))
      const fields = { session_id: "s", client_composed: true } as const
      assert.strictEqual((yield* s.send("a", { id: "m1", fields })).text, "done")
      const turn = yield* s.start("b", { id: "m2", fields: { parent_tool_use_id: "toolu_1" } })
      assert.strictEqual(turn.id, "m2")
      assert.strictEqual((yield* turn.result).text, "done")
    }))

  it.scoped("is refused with the id of one that has not ended; that one goes on", () =>
    Effect.gen(function*() {
      const s = yield* session(Script.behaviour(Script.make(
        Script.expect({ type: "user" }),
        Script.reply(init),
        Script.delay("1 second"),
        Script.reply(result("first")),
        Script.expect({ type: "user" }),
        Script.reply(result("second")),
        Script.delay("1000 days")
      )))
      const first = yield* s.start("a", { id: "m" })
      const refused = yield* Effect.flip(s.send("b", { id: "m", whenBusy: "steer" }))
      assert.deepInclude(refused, {
        _tag: "EncodeError",
        detail: "uuid: the message m has not ended; use another id"
      })
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* first.result).text, "first")
      assert.strictEqual((yield* s.send("c", { id: "m" })).text, "second")
    }))
})
