/**
 * The conversations that can be recorded, by name: together they make a CLI say as much of the protocol as it says to a host
 * offline. Each plays on every CLI that can; what a CLI answers is not judged here, but recorded.
 */
import * as Script from "@claude-duplex/loopback-api/ApiScript"
import * as Reply from "@claude-duplex/loopback-api/Reply"
import * as McpTool from "@claude-duplex/mcp/McpTool"
import * as McpToolServer from "@claude-duplex/mcp/McpToolServer"
import { HookEvent } from "@claude-duplex/protocol/schema/HookCallback"
import type { HostRequest } from "@claude-duplex/protocol/schema/HostRequest"
import * as Hook from "@claude-duplex/session/Hook"
import * as HookAnswer from "@claude-duplex/session/HookAnswer"
import * as Permission from "@claude-duplex/session/Permission"
import * as Prompt from "@claude-duplex/session/Prompt"
import type * as Session from "@claude-duplex/session/Session"
import * as StructuredOutput from "@claude-duplex/session/StructuredOutput"
import { Deferred, Effect, Fiber, Option, Schema, Stream } from "effect"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Conversation from "./Conversation.js"
import * as Model from "./Model.js"
import type { Scenario, Stage } from "./Stage.js"
import * as StdioServer from "./StdioServer.js"
import type { Support } from "./Versions.js"

const takesInitialize = ({ initialize }: Support) => initialize

const allowing: Session.Options = { onPermission: () => Effect.succeed(Permission.allow()) }

/** An MCP server in the host. */
const calc = McpToolServer.make({
  name: "calc",
  version: "1.0.0",
  tools: [
    McpTool.make({
      name: "add",
      description: "add",
      input: Schema.Struct({ a: Schema.Number, b: Schema.Number }),
      run: ({ a, b }) => Effect.succeed(String(a + b))
    })
  ]
})

/** Hooks that say nothing. An event that a CLI does not have never comes. */
const hooksOn = (...events: ReadonlyArray<HookEvent>) =>
  events.map((event) => Hook.on(event, () => Effect.succeed(HookAnswer.proceed)))

const write = ({ world }: Stage, name: string) =>
  Model.call("Write", { file_path: join(world.cwd, name), content: "hello" })

const touch = Model.call("Bash", { command: "touch made.txt", description: "make" })

/** One session, and what is said in it one after the other. */
const saying = (
  prompts: (stage: Stage) => ReadonlyArray<Prompt.Prompt>,
  ...[options, cli, env]: Parameters<Stage["open"]>
): Scenario["play"] =>
(stage) =>
  Effect.gen(function*() {
    const session = yield* stage.open(options, cli, env)
    for (const prompt of prompts(stage)) yield* session.send(prompt)
  })

const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

/** Every request that a host can make, beside `initialize`, `interrupt` and what goes to an MCP server of its own. */
const requests = (stage: Stage): ReadonlyArray<HostRequest> => [
  { subtype: "set_model", model: "claude-haiku-4-5" },
  { subtype: "set_permission_mode", mode: "acceptEdits" },
  { subtype: "set_max_thinking_tokens", max_thinking_tokens: 2_000 },
  { subtype: "mcp_status" },
  { subtype: "get_context_usage" },
  { subtype: "get_session_cost" },
  { subtype: "list_models" },
  { subtype: "get_usage" },
  { subtype: "get_binary_version" },
  { subtype: "file_suggestions", query: "he" },
  { subtype: "read_file", path: "hello.txt" },
  { subtype: "rename_session", title: "My title" },
  { subtype: "set_color", color: "red" },
  { subtype: "get_settings" },
  { subtype: "get_hooks_listing" },
  { subtype: "list_permission_rules" },
  { subtype: "reload_plugins" },
  { subtype: "reload_skills" },
  { subtype: "reload_output_styles" },
  { subtype: "apply_flag_settings", settings: { effortLevel: "low" } },
  { subtype: "update_settings", source: "localSettings", settings: { outputStyle: "default" } },
  { subtype: "mcp_read_resource", serverName: "notes", uri: "notes://one" },
  { subtype: "mcp_call", tool: "mcp__notes__note", arguments: {} },
  { subtype: "mcp_toggle", serverName: "notes", enabled: false },
  { subtype: "mcp_reconnect", serverName: "nobody" },
  { subtype: "mcp_set_servers", servers: {} },
  { subtype: "rewind_files", user_message_id: "00000000-0000-4000-8000-000000000000", dry_run: true },
  { subtype: "seed_read_state", path: "hello.txt", mtime: 1 },
  { subtype: "cancel_async_message", message_uuid: "00000000-0000-4000-8000-000000000001" },
  { subtype: "stop_task", task_id: "nobody" },
  { subtype: "background_tasks" },
  { subtype: "get_task_output", task_id: "nobody" },
  { subtype: "set_has_subscribers", has_subscribers: true },
  { subtype: "register_repo_root", directory: stage.world.cwd }
]

/** The turn that nobody sent is over: run what this gives to wait for it. */
const nobodys = (session: Session.Service) =>
  Conversation.awaitEvent(
    session,
    (event) => event._tag === "TurnEnded" && event.messages.length === 0 ? Option.some(event) : Option.none()
  )

/** All of them. */
export const scenarios: ReadonlyArray<Scenario> = [
  {
    name: "plain",
    shows: "two turns in one process",
    play: saying(() => ["hello", "second turn"])
  },
  {
    name: "multi-turn",
    shows: "three turns of one session, with hooks, an MCP tool and a permission",
    runsOn: takesInitialize,
    play: saying(
      () => [
        Model.call("mcp__calc__add", { a: 2, b: 40 }),
        Model.call("Bash", { command: "touch made-by-claude", description: "make a file" }),
        "say goodbye"
      ],
      {
        ...allowing,
        hooks: hooksOn("PreToolUse", "PostToolUse", "UserPromptSubmit", "Stop"),
        mcpServers: { calc }
      }
    )
  },
  {
    name: "tools",
    shows: "the tools that work offline, one after the other and two at once; some of them fail",
    play: (stage) =>
      Effect.gen(function*() {
        const path = (name: string) => join(stage.world.cwd, name)
        writeFileSync(path("image.png"), Buffer.from(pixel, "base64"))
        const session = yield* stage.open({}, { permissionMode: "bypassPermissions" })
        for (
          const prompt of [
            write(stage, "a.txt"),
            Model.call("Read", { file_path: path("a.txt") }),
            Model.call("Edit", { file_path: path("a.txt"), old_string: "hello", new_string: "bye" }),
            Model.call("Read", { file_path: path("image.png") }),
            Model.call("Read", { file_path: path("nowhere.txt") }),
            Model.call("Glob", { pattern: "*.txt" }),
            Model.call("Grep", { pattern: "bye" }),
            Model.call("Bash", { command: "echo out; echo err >&2; exit 3" }),
            Model.call("TodoWrite", {
              todos: [{ content: "one", activeForm: "doing one", status: "pending", id: "1" }]
            }),
            Model.call("ToolSearch", { query: "select:TaskCreate,TodoWrite", max_results: 2 }),
            Model.call("TaskCreate", { subject: "one", description: "one", activeForm: "doing one" }),
            Model.call("Hologram", { depth: 3 }),
            `${Model.call("Bash", { command: "echo one" })}\n${Model.call("Bash", { command: "echo two" })}`
          ]
        ) yield* session.send(prompt)
      })
  },
  {
    name: "permission-allow",
    shows: "`can_use_tool`, allowed",
    play: saying((stage) => [touch, write(stage, "a.txt")], allowing)
  },
  {
    name: "permission-deny",
    shows: "`can_use_tool`, denied",
    play: saying(() => [touch, "next"], { onPermission: () => Effect.succeed(Permission.deny("Not today.")) })
  },
  {
    name: "permission-rules",
    shows: "`can_use_tool`, allowed with the rules that the CLI suggests",
    play: saying((stage) => [write(stage, "a.txt"), write(stage, "b.txt")], {
      onPermission: ({ suggestions }) => Effect.succeed(Permission.allow({ updatedPermissions: suggestions }))
    })
  },
  {
    name: "perm-interrupt",
    shows: "deny with `interrupt: true`",
    play: saying(() => [touch], {
      onPermission: () => Effect.succeed(Permission.deny("Stop.", { interrupt: true }))
    })
  },
  {
    name: "perm-pending-interrupt",
    shows: "interrupt while a question is open: the CLI takes it back",
    play: (stage) =>
      Effect.gen(function*() {
        const asked = yield* Deferred.make<void>()
        const session = yield* stage.open({
          onPermission: () => Effect.zipRight(Deferred.succeed(asked, undefined), Effect.never)
        })
        const turn = yield* session.start(touch)
        yield* Deferred.await(asked)
        yield* turn.interrupt()
        yield* turn.result
      })
  },
  {
    name: "no-handler",
    shows: "no permission tool: the CLI denies by itself",
    play: saying(() => [touch], {}, { permissionPromptTool: undefined })
  },
  {
    name: "interrupt",
    shows: "interrupt in a turn, and the turn after it",
    play: (stage) =>
      Effect.gen(function*() {
        const session = yield* stage.open()
        const turn = yield* session.start("WAIT for me")
        yield* Conversation.asked(stage.world, "WAIT for me")
        yield* turn.interrupt()
        yield* turn.result
        yield* session.send("and now?")
      })
  },
  {
    name: "interrupt-tool",
    shows: "interrupt while a tool runs",
    play: (stage) =>
      Effect.gen(function*() {
        const session = yield* stage.open({}, { allowedTools: ["Bash"] })
        const turn = yield* session.start(Model.call("Bash", { command: "sleep 60" }))
        yield* Stream.runHead(Stream.filter(turn.messages, ({ type }) => type === "assistant"))
        yield* turn.interrupt()
        yield* turn.result
        yield* session.send("and now?")
      })
  },
  {
    name: "interrupt-idle",
    shows: "interrupt between turns",
    play: (stage) =>
      Effect.gen(function*() {
        const session = yield* stage.open()
        yield* session.send("hello")
        yield* session.interrupt()
        yield* session.send("second turn")
      })
  },
  {
    name: "streaming",
    shows: "a text that comes in pieces",
    play: saying(() => ["SLOW one two three four five"])
  },
  {
    name: "initialize-hooks",
    shows: "a hook for every event, and as many events as there are offline",
    runsOn: takesInitialize,
    play: (stage) =>
      Effect.gen(function*() {
        const session = yield* stage.open({
          ...allowing,
          hooks: hooksOn(...HookEvent.literals),
          settleTime: "500 millis"
        })
        for (
          const prompt of [
            touch,
            Model.call("Bash", { command: "exit 3" }),
            Model.call("Task", { subagent_type: "general-purpose", description: "ask", prompt: "hello from inside" }),
            "/compact"
          ]
        ) yield* session.send(prompt, { whenBusy: "queue" })
      })
  },
  {
    name: "hook-events",
    shows: "hooks of the settings, told by frames of their own",
    runsOn: ({ lifecycle }) => lifecycle,
    play: saying(() => [Model.call("Bash", { command: "echo one" })], {}, {
      allowedTools: ["Bash"],
      includeHookEvents: true,
      settings: {
        hooks: Object.fromEntries(
          ["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop"].map((event) => [
            event,
            [{ hooks: [{ type: "command", command: "echo hooked" }] }]
          ])
        )
      }
    })
  },
  {
    name: "sdk-mcp",
    shows: "an MCP server that lives in the host",
    runsOn: takesInitialize,
    play: (stage) =>
      Effect.gen(function*() {
        const session = yield* stage.open({ ...allowing, mcpServers: { calc } })
        yield* session.send(Model.call("mcp__calc__add", { a: 2, b: 40 }))
        yield* session.control.mcpStatus()
      })
  },
  {
    name: "stdio-mcp",
    shows: "an MCP server of the CLI's own, one that fails, and a question of the server's to the user",
    play: (stage) =>
      Effect.gen(function*() {
        const session = yield* stage.open(
          {
            ...allowing,
            onElicitation: () => Effect.succeed({ action: "accept" as const, content: { name: "dev" } })
          },
          {
            mcpServers: { notes: StdioServer.make(stage.world), broken: { type: "stdio", command: "false", args: [] } }
          }
        )
        yield* session.send(Model.call("mcp__notes__note", {}))
        yield* session.send(Model.call("mcp__notes__ask", {}))
        if (stage.supports.initialize) yield* session.control.mcpStatus()
      })
  },
  {
    name: "controls",
    shows: "every control request, one after the other, with every answer",
    runsOn: takesInitialize,
    play: (stage) =>
      Effect.gen(function*() {
        writeFileSync(join(stage.world.cwd, "hello.txt"), "hello\n")
        const session = yield* stage.open({}, { mcpServers: { notes: StdioServer.make(stage.world) } })
        yield* session.reinitialize()
        yield* session.send("hello")
        for (const request of requests(stage)) {
          // Some CLIs never answer what they do not know.
          const isAsked = stage.supports.refusesUnknown || stage.supports.requests.has(request.subtype)
          if (isAsked) yield* Effect.either(session.request(request))
        }
        yield* session.send("done")
      })
  },
  {
    name: "cancel-own",
    shows: "the host takes a request of its own back",
    runsOn: takesInitialize,
    play: (stage) =>
      Effect.gen(function*() {
        const session = yield* stage.open()
        const asking = yield* Effect.fork(session.control.mcpStatus())
        yield* Effect.yieldNow()
        yield* Fiber.interrupt(asking)
        yield* session.send("hello")
      })
  },
  {
    name: "queue-two",
    shows: "two messages that are sent while a turn runs",
    play: (stage) =>
      Effect.gen(function*() {
        const session = yield* stage.open()
        const first = yield* session.start("WAIT first")
        yield* Conversation.asked(stage.world, "WAIT first")
        const second = yield* session.start("second", { whenBusy: "steer" })
        const third = yield* session.start("third", { whenBusy: "steer" })
        yield* Conversation.isRead(session)
        yield* stage.letGo
        yield* Effect.all([first.result, second.result, third.result])
      })
  },
  {
    name: "queue-cancel",
    shows: "a message that is taken out of the CLI's queue",
    runsOn: ({ requests }) => requests.has("cancel_async_message"),
    play: (stage) =>
      Effect.gen(function*() {
        const session = yield* stage.open()
        const first = yield* session.start("WAIT first")
        yield* Conversation.asked(stage.world, "WAIT first")
        const second = yield* session.start("second", { whenBusy: "steer" })
        yield* Conversation.isRead(session)
        yield* second.interrupt()
        yield* stage.letGo
        yield* first.result
      })
  },
  {
    name: "background",
    shows: "a background task's end starts a turn that nobody sent",
    // Earlier ones know no such tasks, or end at the end of one.
    runsOn: ({ requests }) => requests.has("stop_task"),
    play: (stage) =>
      Effect.gen(function*() {
        const session = yield* stage.open({}, { allowedTools: ["Bash"] }, { CLAUDE_CODE_TMPDIR: stage.world.home })
        const ended = yield* nobodys(session)
        yield* session.send(Model.call("Bash", {
          command: "until [ -e go ]; do sleep 0.05; done; echo came",
          description: "wait",
          run_in_background: true
        }))
        writeFileSync(join(stage.world.cwd, "go"), "")
        yield* ended
      })
  },
  {
    name: "subagent",
    shows: "a subagent with a tool of its own",
    play: (stage) =>
      Effect.gen(function*() {
        const session = yield* stage.open({}, { permissionMode: "bypassPermissions" })
        yield* session.send(Model.call("Task", {
          subagent_type: "general-purpose",
          description: "look around",
          prompt: Model.call("Bash", { command: "echo inside" })
        }))
        yield* session.send("next", { whenBusy: "queue" })
      })
  },
  {
    name: "structured-output",
    shows: "an answer by a JSON schema",
    runsOn: ({ initializePayloads }) => initializePayloads,
    play: saying(() => [Model.call("StructuredOutput", { ok: true })], {
      initialize: { jsonSchema: StructuredOutput.jsonSchema(Schema.Struct({ ok: Schema.Boolean })) }
    })
  },
  {
    name: "plan-mode",
    shows: "a plan, which the host approves",
    play: saying(() => [Model.call("ExitPlanMode", { plan: "1. Do it." }), "next"], allowing, {
      permissionMode: "plan"
    })
  },
  {
    name: "ask-user",
    shows: "a question to the user, which the host answers",
    play: saying(
      () => [
        Model.call("AskUserQuestion", {
          questions: [{
            question: "Tea or coffee?",
            header: "Drink",
            options: [{ label: "Tea", description: "hot" }, { label: "Coffee", description: "hotter" }],
            multiSelect: false
          }]
        })
      ],
      {
        onPermission: ({ input }) =>
          Effect.succeed(Permission.allow({ updatedInput: { ...input, answers: { "Tea or coffee?": "Tea" } } }))
      }
    )
  },
  {
    name: "thinking",
    shows: "thinking blocks",
    play: saying(() => ["THINK about it"])
  },
  {
    name: "image",
    shows: "an image and a document in the prompt",
    runsOn: ({ severalBlocks }) => severalBlocks,
    play: saying(() => [
      [
        Prompt.text("look"),
        Prompt.image({ data: pixel, mediaType: "image/png" }),
        Prompt.document({ text: "a document" })
      ]
    ])
  },
  {
    name: "commands",
    shows: "commands that the CLI carries out by itself",
    runsOn: takesInitialize,
    play: saying(() => ["hello", "/context", "/cost", "/no-such-command", "goodbye"], { settleTime: "500 millis" })
  },
  {
    name: "compaction",
    shows: "`/compact`, and the turn after it",
    play: saying(() => ["remember the heron", touch, "/compact", "again"], { ...allowing, settleTime: "500 millis" })
  },
  {
    name: "api-400",
    shows: "an API that refuses",
    play: saying(() => ["FAIL 400", "next"], {}, {}, { CLAUDE_CODE_MAX_RETRIES: "0" })
  },
  {
    name: "api-401",
    shows: "a key that is not taken",
    play: saying(() => ["FAIL 401"], {}, {}, { CLAUDE_CODE_MAX_RETRIES: "0" })
  },
  {
    name: "api-retry",
    shows: "an API that is busy once: the CLI asks again",
    model: () => {
      let left = 1
      return Script.conversation(
        Script.always((request) => left-- > 0 ? Reply.error(529, { retryAfter: 0 }) : Model.reply(request))
      )
    },
    play: saying(() => ["hello"], {}, {}, { CLAUDE_CODE_MAX_RETRIES: "2" })
  },
  {
    name: "max-turns",
    shows: "a turn that may take no further step",
    play: saying(() => [Model.call("Bash", { command: "echo one" })], {}, { maxTurns: 1, allowedTools: ["Bash"] })
  },
  {
    name: "settings",
    shows: "agents, commands and a style of the project's own",
    play: (stage) =>
      Effect.gen(function*() {
        const file = (folder: string, text: string) => {
          mkdirSync(join(stage.world.cwd, ".claude", folder), { recursive: true })
          writeFileSync(join(stage.world.cwd, ".claude", folder, "mine.md"), text)
        }
        file("agents", "---\nname: mine\ndescription: mine\n---\nBe mine.\n")
        file("commands", "---\ndescription: mine\n---\nsay mine\n")
        file("output-styles", "---\nname: mine\ndescription: mine\n---\nBe brief.\n")
        const session = yield* stage.open({}, { appendSystemPrompt: "Be kind." })
        if (stage.supports.initialize) yield* session.reinitialize()
        yield* session.send("/mine")
      })
  },
  {
    name: "session-id",
    shows: "a conversation with an id that the host chose",
    play: saying(() => ["hello"], {}, { sessionId: "7a1f3c52-9d0e-4b6a-8f21-5c3d2e1f0a9b" })
  },
  {
    name: "resume",
    shows: "its continuation, by another process",
    play: (stage) =>
      Effect.gen(function*() {
        const sessionId = "7a1f3c52-9d0e-4b6a-8f21-5c3d2e1f0a9b"
        yield* Effect.scoped(Effect.gen(function*() {
          const before = yield* Conversation.open(stage.world, {}, { sessionId })
          yield* before.send("hello")
          yield* before.close
        }))
        const session = yield* stage.open({}, { resume: sessionId })
        yield* session.send("what did I say?")
      })
  },
  {
    name: "eof-midturn",
    shows: "the end of input in a turn: the turn still ends",
    play: (stage) =>
      Effect.gen(function*() {
        const session = yield* stage.open()
        const turn = yield* session.start("WAIT for me")
        yield* Conversation.asked(stage.world, "WAIT for me")
        yield* session.endInput({ force: true })
        yield* stage.letGo
        yield* turn.result
        yield* session.awaitExit
      })
  },
  {
    name: "kill-midturn",
    shows: "SIGTERM in a turn",
    play: (stage) =>
      Effect.gen(function*() {
        const session = yield* stage.open()
        const turn = yield* session.start("WAIT for me")
        yield* Conversation.asked(stage.world, "WAIT for me")
        process.kill(Option.getOrThrow(yield* session.pid), "SIGTERM")
        yield* Effect.either(turn.result)
        yield* session.awaitExit
      })
  }
]
