/** What every call of a handler has: an order after the frames before it, a scope, an id, and a failure that is reported. */
import * as McpServer from "@claude-duplex/mcp/McpServer"
import * as McpTool from "@claude-duplex/mcp/McpTool"
import * as McpToolServer from "@claude-duplex/mcp/McpToolServer"
import type { CliRequest } from "@claude-duplex/protocol/schema/CliRequest"
import * as Hook from "@claude-duplex/session/Hook"
import * as HookAnswer from "@claude-duplex/session/HookAnswer"
import * as Permission from "@claude-duplex/session/Permission"
import type * as Session from "@claude-duplex/session/Session"
import * as Script from "@claude-duplex/transport-mock/Script"
import type { AnyStep } from "@claude-duplex/transport-mock/ScriptStep"
import { assert, describe, it } from "@effect/vitest"
import {
  Cause,
  Chunk,
  Context,
  Data,
  Effect,
  Exit,
  Fiber,
  Logger,
  LogLevel,
  Schema,
  Scope,
  Stream,
  TestClock
} from "effect"
import { answered, asked, canUseTool, init, result, session, success } from "./support/sessions.js"

const prompt = Script.expect({ type: "user" }, { label: "prompt" })
const done = Script.reply({ ...result("done"), user_message_uuids: [{ $received: "uuid", of: "prompt" }] })
const handshake = [asked("initialize"), Script.reply(success({}))]

const stopHook = Script.reply({
  type: "control_request",
  request_id: "h1",
  request: {
    subtype: "hook_callback",
    callback_id: "hook_0",
    input: { hook_event_name: "Stop", session_id: "s", transcript_path: "", cwd: "/", stop_hook_active: false }
  }
})

const elicitation = Script.reply({
  type: "control_request",
  request_id: "e1",
  request: { subtype: "elicitation", mcp_server_name: "db", message: "Which one?" }
})

const dialog = Script.reply({
  type: "control_request",
  request_id: "d1",
  request: { subtype: "request_user_dialog", dialog_kind: "confirm", payload: {} }
})

const toolCall = (id: string, name: string) =>
  Script.reply({
    type: "control_request",
    request_id: id,
    request: {
      subtype: "mcp_message",
      server_name: "tools",
      message: { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: {} } }
    }
  })

const refusedWith = (id: string, error: string) =>
  Script.expect({ type: "control_response", response: { subtype: "error", request_id: id, error } })

class Broken extends Data.TaggedError("Broken")<{ readonly message: string }> {}
const diskFull = new Broken({ message: "disk full" })
const secret = new Broken({ message: "hunter2" })

const quiet = Logger.withMinimumLogLevel(LogLevel.None)

describe("order", () => {
  it.scoped("subscribers see the frames of a chunk before a handler for a later request of the chunk runs", () =>
    Effect.gen(function*() {
      const order: Array<string> = []
      const s = yield* session(
        // One chunk, as a CLI writes it when it is in a hurry.
        (peer) =>
          Effect.gen(function*() {
            yield* peer.receive
            const frames = [init, { type: "keep_alive" }, canUseTool("p1")]
            yield* peer.write(new TextEncoder().encode(frames.map((frame) => `${JSON.stringify(frame)}\n`).join("")))
            return yield* Effect.never
          }),
        { onPermission: () => Effect.sync(() => order.push("handler")).pipe(Effect.as(Permission.allow())) }
      )
      const events = yield* s.subscribe({ only: ["Received"] })
      yield* Effect.fork(Stream.runForEach(events, (event) =>
        Effect.sync(() => {
          if (event._tag === "Received" && "type" in event.item) order.push(String(event.item.type))
        })))
      yield* s.start("go")
      yield* TestClock.adjust(0)
      assert.deepStrictEqual(order, ["system", "keep_alive", "control_request", "handler"])
    }))
})

describe("the scope of a call", () => {
  /** A resource that lives as long as the scope in which it is acquired. */
  const resource = (log: Array<string>, name: string) =>
    Effect.acquireRelease(
      Effect.sync(() => log.push(`${name} acquired`)),
      () => Effect.sync(() => log.push(`${name} released`))
    )

  it.scoped("closes when a permission, a hook, an elicitation and a dialog are answered", () =>
    Effect.gen(function*() {
      const log: Array<string> = []
      const s = yield* session(
        Script.behaviour(Script.make(
          ...handshake,
          prompt,
          Script.reply(init),
          Script.reply(canUseTool("p1")),
          answered("p1", { behavior: "allow" }),
          stopHook,
          answered("h1", {}),
          elicitation,
          answered("e1", { action: "cancel" }),
          dialog,
          answered("d1", { behavior: "cancelled" }),
          done,
          Script.delay("1000 days")
        )),
        {
          onPermission: () => Effect.as(resource(log, "permission"), Permission.allow()),
          hooks: [Hook.on("Stop", () => Effect.as(resource(log, "hook"), HookAnswer.proceed))],
          onElicitation: () => Effect.as(resource(log, "elicitation"), { action: "cancel" }),
          onUserDialog: () => Effect.as(resource(log, "dialog"), { behavior: "cancelled" })
        }
      )
      assert.strictEqual((yield* s.send("go")).text, "done")
      // The session is still open.
      assert.deepStrictEqual(
        log,
        ["permission", "hook", "elicitation", "dialog"].flatMap((name) => [`${name} acquired`, `${name} released`])
      )
    }))

  it.scoped("closes when a hook in the background has ended", () =>
    Effect.gen(function*() {
      const log: Array<string> = []
      const s = yield* session(
        Script.behaviour(Script.make(
          ...handshake,
          prompt,
          Script.reply(init),
          stopHook,
          answered("h1", { async: true }),
          done,
          Script.delay("1000 days")
        )),
        { hooks: [Hook.background("Stop", () => Effect.zipRight(resource(log, "hook"), Effect.sleep("1 second")))] }
      )
      yield* s.send("go")
      assert.deepStrictEqual(log, ["hook acquired"])
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(log, ["hook acquired", "hook released"])
    }))

  const tools = (log: Array<string>) =>
    McpToolServer.make({
      name: "tools",
      tools: [
        McpTool.make({
          name: "use",
          description: "Uses a resource.",
          input: Schema.Struct({}),
          run: () => Effect.as(resource(log, "tool"), "used")
        })
      ]
    })

  const called = (id: string) => [
    toolCall(id, "use"),
    answered(id, { mcp_response: { result: { content: [{ type: "text", text: "used" }] } } })
  ]

  it.scoped("closes when a tool has returned", () =>
    Effect.gen(function*() {
      const log: Array<string> = []
      const s = yield* session(
        Script.behaviour(Script.make(
          ...handshake,
          prompt,
          Script.reply(init),
          ...called("m1"),
          ...called("m2"),
          done,
          Script.delay("1000 days")
        )),
        { mcpServers: { tools: tools(log) } }
      )
      yield* s.send("go")
      assert.deepStrictEqual(log, ["tool acquired", "tool released", "tool acquired", "tool released"])
    }))

  it.scoped("is not the scope in which the servers were set, which may be closed when the tool runs", () =>
    Effect.gen(function*() {
      const log: Array<string> = []
      const s = yield* session(Script.behaviour(Script.make(
        asked("mcp_set_servers"),
        Script.reply(success({ added: ["tools"], removed: [], errors: {} })),
        prompt,
        Script.reply(init),
        ...called("m1"),
        done,
        Script.delay("1000 days")
      )))
      const scope = yield* Scope.make()
      yield* Scope.extend(s.setMcpServers({ tools: tools(log) }), scope)
      yield* Scope.close(scope, Exit.void)
      yield* s.send("go")
      assert.deepStrictEqual(log, ["tool acquired", "tool released"])
    }))

  it.scoped("has the services of the caller that set the servers", () =>
    Effect.gen(function*() {
      const s = yield* session(Script.behaviour(Script.make(
        asked("mcp_set_servers"),
        Script.reply(success({ added: ["tools"], removed: [], errors: {} })),
        prompt,
        Script.reply(init),
        toolCall("m1", "clock"),
        answered("m1", { mcp_response: { result: { content: [{ type: "text", text: "noon" }] } } }),
        done,
        Script.delay("1000 days")
      )))
      const clock = McpServer.raw((message) =>
        Effect.map(Time, (text) =>
          "id" in message && "method" in message
            ? { jsonrpc: "2.0", id: message.id, result: { content: [{ type: "text", text }] } }
            : undefined)
      )
      yield* Effect.provideService(s.setMcpServers({ tools: clock }), Time, "noon")
      assert.strictEqual((yield* s.send("go")).text, "done")
    }))
})

class Time extends Context.Tag("Time")<Time, string>() {}

describe("a call", () => {
  it.scoped("gets the id of its request", () =>
    Effect.gen(function*() {
      const ids: Array<string> = []
      const s = yield* session(
        Script.behaviour(Script.make(
          ...handshake,
          prompt,
          Script.reply(init),
          stopHook,
          answered("h1", {}),
          elicitation,
          answered("e1", {}),
          dialog,
          answered("d1", {}),
          done,
          Script.delay("1000 days")
        )),
        {
          hooks: [Hook.on("Stop", (_, { requestId }) => Effect.as(Effect.sync(() => ids.push(requestId)), {}))],
          onElicitation: (_, { requestId }) => Effect.as(Effect.sync(() => ids.push(requestId)), { action: "cancel" }),
          onUserDialog: (_, { requestId }) =>
            Effect.as(Effect.sync(() => ids.push(requestId)), { behavior: "cancelled" })
        }
      )
      yield* s.send("go")
      assert.deepStrictEqual(ids, ["h1", "e1", "d1"])
    }))

  it.scoped("may answer a hook with fields that no schema knows", () =>
    Effect.gen(function*() {
      const s = yield* session(
        Script.behaviour(Script.make(
          ...handshake,
          prompt,
          Script.reply(init),
          stopHook,
          answered("h1", { continue: true, of_next_year: { a: 1 } }),
          done,
          Script.delay("1000 days")
        )),
        { hooks: [{ event: "Stop", run: () => Effect.succeed({ continue: true, of_next_year: { a: 1 } }) }] }
      )
      assert.strictEqual((yield* s.send("go")).text, "done")
    }))

  it.scoped("may answer a permission with the id of the tool call and how a person decided", () =>
    Effect.gen(function*() {
      const s = yield* session(
        Script.behaviour(Script.make(
          prompt,
          Script.reply(init),
          Script.reply(canUseTool("p1")),
          answered("p1", { behavior: "allow", toolUseID: "t", decisionClassification: "user_permanent" }),
          Script.reply(canUseTool("p2")),
          answered("p2", { behavior: "deny", toolUseID: "t", decisionClassification: "user_reject" }),
          done,
          Script.delay("1000 days")
        )),
        {
          onPermission: ({ id }) =>
            Effect.succeed(
              id === "p1"
                ? Permission.allow({ toolUseId: "t", decisionClassification: "user_permanent" })
                : Permission.deny("no", { toolUseId: "t", decisionClassification: "user_reject" })
            )
        }
      )
      assert.strictEqual((yield* s.send("go")).text, "done")
    }))
})

describe("a handler that fails", () => {
  /** A failure as text: Effect annotates errors, so two of them are never equal. */
  const shown = (error: unknown) => error instanceof Error ? error.message : JSON.stringify(error)

  /** Runs a turn in which one request fails; the events of the failures, and what the CLI is sent is in the script. */
  const failing = (steps: ReadonlyArray<AnyStep>, options: Session.Options) =>
    Effect.gen(function*() {
      const starts = (options.hooks ?? []).length > 0 || options.mcpServers !== undefined ? handshake : []
      const s = yield* session(
        Script.behaviour(Script.make(...starts, prompt, Script.reply(init), ...steps, done, Script.delay("1000 days"))),
        options
      )
      const events = yield* s.subscribe({ only: ["HandlerFailed"] })
      const failed = yield* Effect.fork(Stream.runCollect(Stream.take(events, 1)))
      assert.strictEqual((yield* s.send("go")).text, "done")
      return Chunk.toReadonlyArray(yield* Fiber.join(failed)).flatMap((event) =>
        event._tag === "HandlerFailed" ? [[event.id, event.subtype, shown(Cause.squash(event.cause))] as const] : []
      )
    }).pipe(quiet)

  const cases: ReadonlyArray<{
    readonly name: string
    readonly steps: ReadonlyArray<AnyStep>
    readonly options: Session.Options
    readonly failure: readonly [id: string, subtype: CliRequest["subtype"], error: string]
  }> = [
    {
      name: "a permission: the tool is denied with the message",
      steps: [
        Script.reply(canUseTool("p1")),
        answered("p1", { behavior: "deny", message: "The permission handler failed: no policy" })
      ],
      options: { onPermission: () => Effect.fail("no policy") },
      failure: ["p1", "can_use_tool", `"no policy"`]
    },
    {
      name: "a permission, by a defect, about which the model learns nothing",
      steps: [
        Script.reply(canUseTool("p1")),
        answered("p1", { behavior: "deny", message: "The permission handler failed." })
      ],
      options: { onPermission: () => Effect.dieMessage("broken") },
      failure: ["p1", "can_use_tool", "broken"]
    },
    {
      name: "a hook: the request is refused with the message",
      steps: [stopHook, refusedWith("h1", "The hook failed: disk full")],
      options: { hooks: [Hook.on("Stop", () => Effect.fail(diskFull))] },
      failure: ["h1", "hook_callback", "disk full"]
    },
    {
      name: "a hook in the background: the CLI has gone on",
      steps: [stopHook, answered("h1", { async: true })],
      options: { hooks: [Hook.background("Stop", () => Effect.fail("late"))] },
      failure: ["h1", "hook_callback", `"late"`]
    },
    {
      name: "an elicitation, whose failure has no message",
      steps: [elicitation, refusedWith("e1", "The elicitation handler failed.")],
      options: { onElicitation: () => Effect.fail({ secret: "hunter2" }) },
      failure: ["e1", "elicitation", `{"secret":"hunter2"}`]
    },
    {
      name: "a dialog, in words of the host's choice",
      steps: [dialog, refusedWith("d1", "The dialog handler failed: something went wrong")],
      options: {
        onUserDialog: () => Effect.fail(secret),
        describeFailure: () => "something went wrong"
      },
      failure: ["d1", "request_user_dialog", "hunter2"]
    },
    {
      name: "a description that throws: nothing of the failure is shown",
      steps: [dialog, refusedWith("d1", "The dialog handler failed.")],
      options: {
        onUserDialog: () => Effect.fail(secret),
        describeFailure: () => {
          throw new Error("oops")
        }
      },
      failure: ["d1", "request_user_dialog", "hunter2"]
    }
  ]
  for (const { failure, name, options, steps } of cases) {
    it.scoped(
      name,
      () => Effect.map(failing(steps, options), (failures) => assert.deepStrictEqual(failures, [failure]))
    )
  }

  it.scoped("is logged with the session, the turn and the cause", () =>
    Effect.gen(function*() {
      const logs: Array<unknown> = []
      const logger = Logger.make(({ annotations, cause, message }) => {
        logs.push([message, Object.fromEntries(annotations), Cause.squash(cause)])
      })
      const s = yield* session(
        Script.behaviour(Script.make(
          ...handshake,
          prompt,
          Script.reply(init),
          stopHook,
          refusedWith("h1", "The hook failed: no"),
          done,
          Script.delay("1000 days")
        )),
        { hooks: [Hook.on("Stop", () => Effect.fail("no"))] }
      ).pipe(Effect.provide(Logger.replace(Logger.defaultLogger, logger)))
      yield* s.send("go")
      assert.deepStrictEqual(logs, [[
        ["The hook failed."],
        { "claude.session_id": "s", "claude.turn": 0, "claude.request": "hook_callback" },
        "no"
      ]])
    }))
})

describe("a message that the CLI never receives", () => {
  it.scoped("is an event too", () =>
    Effect.gen(function*() {
      const s = yield* session(Script.behaviour(Script.make(prompt, Script.reply(init), Script.exit(3))))
      const events = yield* s.subscribe({ only: ["MessageFailed"] })
      const turn = yield* s.start("go")
      assert.isTrue(Exit.isFailure(yield* Effect.exit(turn.result)))
      const [event] = yield* Stream.runCollect(events)
      assert.deepStrictEqual(event?._tag === "MessageFailed" && [event.message, event.error._tag], [
        turn.id,
        "SessionClosed"
      ])
    }))
})

describe("warnings", () => {
  it.scoped("are told once for each kind and subject: a second server that fails is reported too", () =>
    Effect.gen(function*() {
      const failed = (...names: ReadonlyArray<string>) =>
        Script.reply({ ...init, mcp_servers: names.map((name) => ({ name, status: "failed" })) })
      const s = yield* session(Script.behaviour(Script.make(
        prompt,
        failed("db"),
        done,
        Script.expect({ type: "user" }, { label: "prompt" }),
        failed("db", "web"),
        done,
        Script.delay("1000 days")
      )))
      yield* s.send("one")
      yield* s.send("two")
      assert.deepStrictEqual((yield* s.warnings).map(({ kind, subject }) => [kind, subject]), [
        ["McpServerFailed", "db"],
        ["McpServerFailed", "web"]
      ])
    }))
})
