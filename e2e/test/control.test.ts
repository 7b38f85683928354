/**
 * Requests of the host's to a real CLI: each is carried out, and does what it says, or is refused in the CLI's own words; and
 * which ones a version knows is held against `Versions.ts`, in both directions.
 */
import * as ApiRequest from "@claude-duplex/loopback-api/ApiRequest"
import * as McpServer from "@claude-duplex/mcp/McpServer"
import { HostRequest, type HostSubtype } from "@claude-duplex/protocol/schema/HostRequest"
import * as Permission from "@claude-duplex/session/Permission"
import type * as Session from "@claude-duplex/session/Session"
import type { Turn } from "@claude-duplex/session/Turn"
import type { CliOptions } from "@claude-duplex/transport-node/CliOptions"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Either, Fiber, Option, Schedule, type Scope } from "effect"
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import * as Conversation from "../src/Conversation.js"
import * as Model from "../src/Model.js"
import * as Processes from "../src/Processes.js"
import * as StdioServer from "../src/StdioServer.js"
import * as World from "../src/World.js"

const { supports, version } = World.cli

const nobody = "00000000-0000-4000-8000-000000000000"

/** Every request, such that it does no harm. A subtype without one does not compile. */
const harmless: { readonly [S in HostSubtype]: Extract<HostRequest, { readonly subtype: S }> } = {
  apply_flag_settings: { subtype: "apply_flag_settings", settings: {} },
  background_tasks: { subtype: "background_tasks" },
  cancel_async_message: { subtype: "cancel_async_message", message_uuid: nobody },
  file_suggestions: { subtype: "file_suggestions", query: "x" },
  get_binary_version: { subtype: "get_binary_version" },
  get_context_usage: { subtype: "get_context_usage" },
  get_hooks_listing: { subtype: "get_hooks_listing" },
  get_session_cost: { subtype: "get_session_cost" },
  get_settings: { subtype: "get_settings" },
  get_task_output: { subtype: "get_task_output", task_id: "nobody" },
  get_usage: { subtype: "get_usage" },
  initialize: { subtype: "initialize" },
  interrupt: { subtype: "interrupt" },
  list_models: { subtype: "list_models" },
  list_permission_rules: { subtype: "list_permission_rules" },
  mcp_call: { subtype: "mcp_call", tool: "nobody" },
  mcp_message: { subtype: "mcp_message", server_name: "nobody", message: { jsonrpc: "2.0", method: "ping" } },
  mcp_read_resource: { subtype: "mcp_read_resource", serverName: "nobody", uri: "ui://nobody" },
  mcp_reconnect: { subtype: "mcp_reconnect", serverName: "nobody" },
  mcp_set_servers: { subtype: "mcp_set_servers", servers: {} },
  mcp_status: { subtype: "mcp_status" },
  mcp_toggle: { subtype: "mcp_toggle", serverName: "nobody", enabled: false },
  read_file: { subtype: "read_file", path: "nothing" },
  register_repo_root: { subtype: "register_repo_root", directory: "nowhere" },
  reload_output_styles: { subtype: "reload_output_styles" },
  reload_plugins: { subtype: "reload_plugins" },
  reload_skills: { subtype: "reload_skills" },
  rename_session: { subtype: "rename_session", title: "t" },
  rewind_files: { subtype: "rewind_files", user_message_id: nobody },
  seed_read_state: { subtype: "seed_read_state", path: "nothing", mtime: 1 },
  set_color: { subtype: "set_color", color: "red" },
  set_has_subscribers: { subtype: "set_has_subscribers", has_subscribers: null },
  set_max_thinking_tokens: { subtype: "set_max_thinking_tokens", max_thinking_tokens: null },
  set_model: { subtype: "set_model" },
  set_permission_mode: { subtype: "set_permission_mode", mode: "default" },
  stop_task: { subtype: "stop_task", task_id: "nobody" },
  update_settings: { subtype: "update_settings", source: "localSettings", settings: {} }
}

/** 1.0.60 answers none of these, and a session takes it for a 1.0.128, which does: they fail when their time is over. */
const mistaken: ReadonlyArray<HostSubtype> = version === "1.0.60"
  ? ["initialize", "mcp_status", "set_model", "set_permission_mode"]
  : []

/** How a version takes a request: it knows it, whatever it says to it; it does not; or it says nothing. */
const measure = (session: Session.Service, request: HostRequest) =>
  session.request(request, {
    // Whoever answers may take its time.
    timeout: mistaken.includes(request.subtype) ? "3 seconds" : "1 minute"
  }).pipe(
    Effect.as("known"),
    Effect.catchTag("ControlError", ({ isUnsupported, reason }) =>
      Effect.succeed(
        reason === "Timeout"
          ? "silence"
          : (reason === "Refused" && !isUnsupported) || reason === "InvalidResponse"
          ? "known"
          : "refused"
      ))
  )

/** A conversation that has begun. The CLI has said what it is; from then on the session knows what it would not answer. */
const begun = (
  options?: Session.Options,
  cli?: CliOptions,
  env?: { readonly [name: string]: string },
  prepare: (world: World.World) => void = () => undefined
) =>
  Effect.gen(function*() {
    const world = yield* World.make(Model.obedient)
    prepare(world)
    const session = yield* Conversation.open(world, options, cli, env)
    yield* session.send("hello")
    return { world, session, control: session.control, path: (name: string) => join(world.cwd, name) }
  })

const allowing: Session.Options = { onPermission: () => Effect.succeed(Permission.allow()) }

/** What the model is asked with, the next time that it is asked. */
const nextRequest = (world: World.World, session: Session.Service) =>
  Effect.gen(function*() {
    yield* session.send("next")
    const last = (yield* world.api.requests).findLast((request): request is ApiRequest.Messages =>
      ApiRequest.isMessages(request) && ApiRequest.toolNames(request).length > 0
    )
    return last === undefined ? assert.fail("nobody asked the model") : last.body
  })

/** The error that the CLI answers with, in its own words. */
const refusal = (asked: Effect.Effect<unknown, unknown>) =>
  Effect.map(
    Effect.flip(asked),
    (error) =>
      typeof error === "object" && error !== null && "reason" in error && error.reason === "Refused" &&
        "detail" in error
        ? String(error.detail)
        : assert.fail(`not a refusal: ${String(error)}`)
  )

/** Puts a file there, and the folders above it. */
const put = (path: string, content: string) => {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content)
}

/** A session with a command in its background that prints `begun` and then waits; and the id of its task. */
const withTask = Effect.gen(function*() {
  const world = yield* World.make(Model.obedient)
  const session = yield* Conversation.open(world, {}, { allowedTools: ["Bash"] }, { CLAUDE_CODE_TMPDIR: world.home })
  const record = yield* Conversation.record(session)
  yield* session.send(Model.call("Bash", {
    command: "echo begun; echo $$ > pid.new; mv pid.new pid; exec sleep 1000",
    run_in_background: true
  }))
  const file = join(world.cwd, "pid")
  yield* Processes.until(() => existsSync(file))
  const ids = () =>
    record.frames().flatMap((frame) =>
      frame.type === "system" && frame.subtype === "task_started" ? [frame.task_id] : []
    )
  yield* Processes.until(() => ids().length > 0)
  const [task = ""] = ids()
  return { session, control: session.control, record, task, pid: Number(readFileSync(file, "utf8")) }
})

/** An MCP server of the host's that notes the methods that it is asked for. */
const marsh = (seen: Array<string>) =>
  McpServer.raw((message) =>
    Effect.sync(() => {
      if (!("method" in message)) return undefined
      seen.push(message.method)
      if (!("id" in message)) return undefined
      const { id, method } = message
      const result = method === "initialize"
        ? {
          protocolVersion: message.params?.["protocolVersion"] ?? "",
          capabilities: { tools: { listChanged: true } },
          serverInfo: { name: "marsh", version: "1.0.0" }
        }
        : method === "tools/list"
        ? { tools: [{ name: "count", description: "Counts.", inputSchema: { type: "object", properties: {} } }] }
        : {}
      return { jsonrpc: "2.0" as const, id, result }
    })
  )

const statuses = (session: Session.Service) =>
  Effect.map(session.control.mcpStatus(), ({ mcpServers }) => mcpServers.map(({ name, status }) => `${name} ${status}`))

/** What a CLI does that carries a request out. */
type Proof = Effect.Effect<unknown, unknown, Scope.Scope>

/** For each request, what shows that it was carried out. `set_color` is in no CLI, and `interrupt` has a file of its own. */
const proofs: { readonly [S in Exclude<HostSubtype, "interrupt" | "set_color">]: readonly [title: string, Proof] } = {
  apply_flag_settings: [
    "changes settings of this process, and saves nothing",
    Effect.gen(function*() {
      const { control, path, session, world } = yield* begun()
      yield* control.applyFlagSettings({ settings: { model: "claude-haiku-4-5" } })
      assert.strictEqual((yield* nextRequest(world, session)).model, "claude-haiku-4-5")
      assert.isFalse(existsSync(path(".claude")))
    })
  ],
  background_tasks: [
    "lets a turn end whose command goes on",
    Effect.gen(function*() {
      const world = yield* World.make(Model.obedient)
      const env = { CLAUDE_CODE_TMPDIR: world.home }
      const session = yield* Conversation.open(world, {}, { allowedTools: ["Bash"] }, env)
      const turn = yield* session.start(
        Model.call("Bash", { command: "echo $$ > pid.new; mv pid.new pid; exec sleep 1000" })
      )
      const file = join(world.cwd, "pid")
      yield* Processes.until(() => existsSync(file))
      // A command that has just begun cannot be moved yet, and the CLI does not say so: asked until it is done.
      const moving = yield* Effect.fork(
        Effect.repeat(session.control.backgroundTasks(), Schedule.spaced("100 millis"))
      )
      const { text } = yield* turn.result
      yield* Fiber.interrupt(moving)
      assert.match(text, /^done: (?!error).*background/)
      assert.isTrue(Processes.isAlive(Number(readFileSync(file, "utf8"))))
      assert.strictEqual((yield* session.send("next")).text, "echo: next")
    })
  ],
  cancel_async_message: [
    "takes a message out of the queue, and says whether it was there",
    Effect.gen(function*() {
      const gate = yield* Deferred.make<void>()
      const world = yield* World.make(Model.gated(Deferred.await(gate)))
      const session = yield* Conversation.open(world)
      const first = yield* session.start("WAIT first")
      yield* Conversation.asked(world, "WAIT first")
      const second: Turn = yield* session.start("second", { whenBusy: "steer" })
      yield* Conversation.isRead(session)
      assert.deepInclude(yield* session.control.cancelAsyncMessage({ message_uuid: second.id }), { cancelled: true })
      assert.deepInclude(yield* session.control.cancelAsyncMessage({ message_uuid: nobody }), { cancelled: false })
      yield* Deferred.succeed(gate, undefined)
      assert.strictEqual((yield* first.result).text, "waited: first")
      assert.deepInclude(yield* Effect.flip(second.result), { _tag: "MessageCancelled" })
      assert.strictEqual((yield* session.send("third")).text, "echo: third")
      assert.isEmpty(yield* Conversation.requestsAbout(world, "second"))
    })
  ],
  file_suggestions: [
    "finds files by a part of their path, once it has looked around",
    Effect.gen(function*() {
      const { control } = yield* begun({}, {}, {}, ({ cwd }) => {
        put(join(cwd, "heron.txt"), "")
        put(join(cwd, "sub", "heronry.md"), "")
        put(join(cwd, "other.txt"), "")
      })
      const { suggestions } = yield* Effect.repeat(control.fileSuggestions({ query: "heron" }), {
        until: ({ suggestions }) => suggestions.length > 0,
        schedule: Schedule.spaced("50 millis")
      }).pipe(Effect.zipRight(control.fileSuggestions({ query: "heron" })))
      assert.deepStrictEqual(suggestions, [{ path: "heron.txt" }, { path: "sub/heronry.md" }])
    })
  ],
  get_binary_version: [
    "tells the version",
    Effect.gen(function*() {
      const { control } = yield* begun()
      assert.strictEqual((yield* control.getBinaryVersion()).version, version)
    })
  ],
  get_context_usage: [
    "tells what fills the window",
    Effect.gen(function*() {
      const { control, session, world } = yield* begun()
      const { model } = yield* nextRequest(world, session)
      const full = yield* control.getContextUsage()
      assert.include(full.model, model)
      assert.isAbove(full.totalTokens, 0)
      assert.isAtMost(full.totalTokens, full.maxTokens)
      const names = full.categories.map(({ name }) => name)
      assert.includeMembers(names, ["System prompt", "Messages", "Free space"])
      const summary = yield* control.getContextUsage({ detail: "summary" })
      assert.strictEqual(summary.maxTokens, full.maxTokens)
    })
  ],
  get_hooks_listing: [
    "tells the hooks of the settings files",
    Effect.gen(function*() {
      const { control } = yield* begun({}, {}, {}, ({ home }) => {
        const hooks = { PreToolUse: [{ matcher: "Bash", hooks: [{ type: "command", command: "true" }] }] }
        put(join(home, ".claude", "settings.json"), JSON.stringify({ hooks }))
      })
      const { eventCatalog, hooks } = yield* control.getHooksListing()
      assert.deepStrictEqual(
        hooks.map(({ commandText, event, matcher, source }) => ({ commandText, event, matcher, source })),
        [{ commandText: "true", event: "PreToolUse", matcher: "Bash", source: "userSettings" }]
      )
      assert.include(eventCatalog.map(({ name }) => name), "PreToolUse")
    })
  ],
  get_session_cost: [
    "tells the cost as text, the same as the session's",
    Effect.gen(function*() {
      const { control, session } = yield* begun()
      const { usd } = yield* session.cost.get
      assert.include((yield* control.getSessionCost()).text, `$${usd.toFixed(4)}`)
    })
  ],
  get_settings: [
    "tells the settings that hold, and where they come from",
    Effect.gen(function*() {
      const { control } = yield* begun({}, { settings: { cleanupPeriodDays: 17 } })
      const { effective, sources } = yield* control.getSettings()
      assert.deepInclude(effective, { cleanupPeriodDays: 17 })
      assert.deepStrictEqual(sources, [{ source: "flagSettings", settings: { cleanupPeriodDays: 17 } }])
    })
  ],
  get_task_output: [
    "tells what a task has printed, and of no task that there is none",
    Effect.gen(function*() {
      const { control, task } = yield* withTask
      const { output, truncated } = yield* control.getTaskOutput({ task_id: task })
      assert.deepStrictEqual({ output, truncated }, { output: "begun\n", truncated: false })
      assert.include(
        yield* refusal(control.getTaskOutput({ task_id: "nobody" })),
        "no shell or Monitor task with that task_id"
      )
    })
  ],
  get_usage: [
    "tells the cost, the same as the session's; and of no plan that there is none",
    Effect.gen(function*() {
      const { control, session } = yield* begun()
      const { rate_limits_available, session: total, subscription_type } = yield* control.getUsage()
      const cost = yield* session.cost.get
      assert.approximately(total.total_cost_usd, cost.usd, 1e-9)
      assert.deepStrictEqual(Object.keys(total.model_usage), Object.keys(cost.byModel))
      assert.deepStrictEqual({ rate_limits_available, subscription_type }, {
        rate_limits_available: false,
        subscription_type: null
      })
    })
  ],
  initialize: [
    "is answered with what the CLI is, which is kept; newer CLIs take it again",
    Effect.gen(function*() {
      const world = yield* World.make(Model.obedient)
      const session = yield* Conversation.open(world, { initialize: { title: "Herons" } })
      const first = Option.getOrThrow(yield* session.initialized)
      const { account, commands = [], models = [], output_style, pid } = first
      assert.strictEqual(account?.apiKeySource, "ANTHROPIC_API_KEY")
      assert.include(commands.map(({ name }) => name), "compact")
      assert.include(models.map(({ value }) => value), "default")
      assert.strictEqual(output_style, "default")
      if (pid !== undefined) assert.strictEqual(pid, Option.getOrThrow(yield* session.pid))
      yield* session.send("hello")
      const again = yield* Effect.either(session.reinitialize())
      if (supports.lifecycle) {
        const answer = Either.getOrThrow(again)
        assert.deepStrictEqual(answer.models, models)
        assert.strictEqual(Option.getOrThrow(yield* session.initialized), answer)
      } else {
        assert.strictEqual(yield* refusal(again), "Already initialized")
        assert.strictEqual(Option.getOrThrow(yield* session.initialized), first)
      }
      assert.strictEqual((yield* session.send("next")).text, "echo: next")
    })
  ],
  list_models: [
    "tells the models, among them the one that is used",
    Effect.gen(function*() {
      const { control, session, world } = yield* begun()
      const { models } = yield* control.listModels()
      const { model } = yield* nextRequest(world, session)
      const byDefault = models.find(({ value }) => value === "default")
      // The size of its window may stand behind its name.
      assert.strictEqual(byDefault?.resolvedModel?.replace(/\[.*\]$/, ""), model)
    })
  ],
  list_permission_rules: [
    "tells the rules, and where each comes from",
    Effect.gen(function*() {
      const { control, world } = yield* begun({}, { allowedTools: ["Bash(ls:*)"], disallowedTools: ["WebFetch"] })
      const { state } = yield* control.listPermissionRules()
      assert.sameDeepMembers(state.rules.map(({ behavior, rule, source }) => ({ behavior, rule, source })), [
        { behavior: "allow", rule: "Bash(ls:*)", source: "cliArg" },
        { behavior: "deny", rule: "WebFetch", source: "cliArg" }
      ])
      assert.strictEqual(state.originalCwd, world.cwd)
    })
  ],
  mcp_call: [
    "calls a tool of a server that the CLI has started; one of the host's it leaves to the host",
    Effect.gen(function*() {
      const world = yield* World.make(Model.obedient)
      const session = yield* Conversation.open(
        world,
        { mcpServers: { marsh: marsh([]) } },
        { mcpServers: { notes: StdioServer.make(world) } }
      )
      yield* session.send("hello")
      const answer = yield* session.control.mcpCall({ tool: "mcp__notes__note", arguments: {} })
      assert.include(JSON.stringify(answer), "noted")
      assert.include(
        yield* refusal(session.control.mcpCall({ tool: "mcp__marsh__count" })),
        "does not support SDK MCP servers"
      )
      assert.include(
        yield* refusal(session.control.mcpCall({ tool: "count" })),
        "Not a fully-qualified MCP tool name: count"
      )
    })
  ],
  mcp_message: [
    "speaks for a server of the host's",
    Effect.gen(function*() {
      const seen: Array<string> = []
      const { session } = yield* begun({ mcpServers: { marsh: marsh(seen) } })
      assert.deepStrictEqual(seen, ["initialize", "notifications/initialized", "tools/list"])
      const changed = { jsonrpc: "2.0", method: "notifications/tools/list_changed" } as const
      assert.deepStrictEqual(yield* session.control.mcpMessage({ server_name: "marsh", message: changed }), {})
      // Only the newest takes it to heart.
      if (supports.hearsToolChanges) yield* Processes.until(() => seen.at(-1) === "tools/list" && seen.length > 3)
      assert.strictEqual((yield* session.send("next")).text, "echo: next")
    })
  ],
  mcp_read_resource: [
    "reads what a server shows, and of other kinds of resource says that it does not",
    Effect.gen(function*() {
      const world = yield* World.make(Model.obedient)
      const session = yield* Conversation.open(world, {}, { mcpServers: { notes: StdioServer.make(world) } })
      yield* session.send("hello")
      const { contents } = yield* session.control.mcpReadResource({ serverName: "notes", uri: "ui://notes/one" })
      assert.deepStrictEqual(contents.map(({ text, uri }) => ({ text, uri })), [
        { text: "the first note", uri: "ui://notes/one" }
      ])
      assert.include(
        yield* refusal(session.control.mcpReadResource({ serverName: "notes", uri: "notes://one" })),
        "ui:// scheme"
      )
    })
  ],
  mcp_reconnect: [
    "connects a server again, and of no server says that there is none",
    Effect.gen(function*() {
      const world = yield* World.make(Model.obedient)
      const session = yield* Conversation.open(world, {}, { mcpServers: { notes: StdioServer.make(world) } })
      yield* session.send("hello")
      yield* session.control.mcpReconnect({ serverName: "notes" })
      assert.deepStrictEqual(yield* statuses(session), ["notes connected"])
      assert.include(yield* refusal(session.control.mcpReconnect({ serverName: "nobody" })), "Server not found: nobody")
    })
  ],
  mcp_set_servers: [
    "adds servers, takes others away, and says which it could not start",
    Effect.gen(function*() {
      const { control, session, world } = yield* begun()
      const notes = StdioServer.make(world)
      assert.deepStrictEqual(yield* control.mcpSetServers({ servers: { notes } }), {
        added: ["notes"],
        removed: [],
        errors: {}
      })
      // 2.1.50 lists it twice.
      assert.deepStrictEqual([...new Set(yield* statuses(session))], ["notes connected"])
      const { added, errors, removed } = yield* control.mcpSetServers({
        servers: { broken: { command: "/nonexistent" } }
      })
      assert.deepStrictEqual({ added, removed }, { added: ["broken"], removed: ["notes"] })
      assert.deepStrictEqual(Object.keys(errors), ["broken"])
      const none = yield* control.mcpSetServers({ servers: {} })
      assert.deepStrictEqual(none, { added: [], removed: ["broken"], errors: {} })
    })
  ],
  mcp_status: [
    "tells the servers, and how they are",
    Effect.gen(function*() {
      const world = yield* World.make(Model.obedient)
      const mcpServers = { notes: StdioServer.make(world), broken: { command: "/nonexistent" } }
      const session = yield* Conversation.open(world, { mcpServers: { marsh: marsh([]) } }, { mcpServers })
      yield* session.send("hello")
      assert.sameMembers([...(yield* statuses(session))], ["notes connected", "marsh connected", "broken failed"])
      assert.include((yield* session.warnings).map(({ kind }) => kind), "McpServerFailed")
    })
  ],
  mcp_toggle: [
    "switches a server off and on, and of no server says that there is none",
    Effect.gen(function*() {
      const world = yield* World.make(Model.obedient)
      const session = yield* Conversation.open(world, {}, { mcpServers: { notes: StdioServer.make(world) } })
      yield* session.send("hello")
      yield* session.control.mcpToggle({ serverName: "notes", enabled: false })
      assert.deepStrictEqual(yield* statuses(session), ["notes disabled"])
      yield* session.control.mcpToggle({ serverName: "notes", enabled: true })
      assert.deepStrictEqual(yield* statuses(session), ["notes connected"])
      assert.include(
        yield* refusal(session.control.mcpToggle({ serverName: "nobody", enabled: true })),
        "Server not found: nobody"
      )
    })
  ],
  read_file: [
    "reads text and bytes, a part or all, and nothing that it may not",
    Effect.gen(function*() {
      const { control, path, world } = yield* begun({}, {}, {}, ({ cwd }) => put(join(cwd, "heron.txt"), "grey heron"))
      const all = yield* control.readFile({ path: "heron.txt" })
      assert.deepInclude(all, { contents: "grey heron", absPath: path("heron.txt") })
      const part = yield* control.readFile({ path: "heron.txt", max_bytes: 4 })
      assert.deepInclude(part, { contents: "grey", truncated: true })
      const bytes = yield* control.readFile({ path: "heron.txt", encoding: "base64" })
      assert.deepInclude(bytes, { contents: Buffer.from("grey heron").toString("base64"), encoding: "base64" })
      assert.include(yield* refusal(control.readFile({ path: join(world.home, ".claude.json") })), "read denied")
      assert.match(yield* refusal(control.readFile({ path: "nothing" })), /read denied|ENOENT/)
    })
  ],
  register_repo_root: [
    "adds a folder within the working directory, and no other",
    Effect.gen(function*() {
      const { control, path, world } = yield* begun({}, {}, {}, ({ cwd }) => put(join(cwd, "repo", ".git", "HEAD"), ""))
      const directory = path("repo")
      assert.deepStrictEqual(yield* control.registerRepoRoot({ directory }), { directory })
      assert.include(yield* refusal(control.registerRepoRoot({ directory: world.home })), "is not a subdirectory of")
    })
  ],
  reload_output_styles: [
    "finds a style that has been added",
    Effect.gen(function*() {
      const { control, path } = yield* begun()
      put(path(".claude/output-styles/bird.md"), "---\nname: Birdlike\ndescription: As birds do.\n---\nTweet.\n")
      const { available_output_styles } = yield* control.reloadOutputStyles()
      assert.includeMembers([...available_output_styles], ["default", "Birdlike"])
    })
  ],
  reload_plugins: [
    "finds a command that has been added",
    Effect.gen(function*() {
      const { control, path } = yield* begun()
      put(path(".claude/commands/flap.md"), "Flap.\n")
      const { commands, error_count } = yield* control.reloadPlugins()
      assert.include(commands.map(({ name }) => name), "flap")
      assert.strictEqual(error_count, 0)
    })
  ],
  reload_skills: [
    "finds a skill that has been added",
    Effect.gen(function*() {
      const { control, path } = yield* begun()
      put(path(".claude/skills/heron/SKILL.md"), "---\nname: heron\ndescription: Counts herons.\n---\nCount.\n")
      const { skills } = yield* control.reloadSkills()
      assert.include(skills.map(({ name }) => name), "heron")
    })
  ],
  rename_session: [
    "writes the title into the transcript",
    Effect.gen(function*() {
      const { session, world } = yield* begun()
      yield* session.control.renameSession({ title: "Grey herons" })
      const id = Option.getOrThrow(yield* session.sessionId.get)
      const folder = join(world.home, ".claude", "projects", world.cwd.replaceAll(/[^a-zA-Z0-9]/g, "-"))
      const transcript = () => readFileSync(join(folder, `${id}.jsonl`), "utf8")
      yield* Processes.until(() => transcript().includes("Grey herons"))
    })
  ],
  rewind_files: [
    "puts files back to what they were at a message, where checkpoints are kept",
    Effect.gen(function*() {
      const { control, path, session } = yield* begun(allowing, {}, { CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING: "1" })
      const file = path("a.txt")
      const write = (content: string) => session.start(Model.call("Write", { file_path: file, content }))
      const first = yield* write("one\n")
      yield* first.result
      const second = yield* write("two\nthree\n")
      yield* second.result
      const content = () => readFileSync(file, "utf8")
      assert.strictEqual(content(), "two\nthree\n")
      assert.include(yield* refusal(control.rewindFiles({ user_message_id: nobody })), "No file checkpoint found")
      if (version === "2.0.76") {
        // It rewinds, and its response is empty; and it does not know dry runs.
        const error = yield* Effect.flip(control.rewindFiles({ user_message_id: second.id }))
        assert.deepInclude(error, { _tag: "ControlError", reason: "InvalidResponse" })
        assert.include(error.message, "canRewind")
      } else {
        assert.deepInclude(yield* control.rewindFiles({ user_message_id: second.id, dry_run: true }), {
          canRewind: true,
          filesChanged: [file],
          insertions: 1,
          deletions: 2
        })
        assert.strictEqual(content(), "two\nthree\n")
        assert.deepInclude(yield* control.rewindFiles({ user_message_id: second.id }), { canRewind: true })
      }
      assert.strictEqual(content(), "one\n")
      yield* Effect.ignore(control.rewindFiles({ user_message_id: first.id }))
      assert.isFalse(existsSync(file))
      assert.strictEqual((yield* session.send("next")).text, "echo: next")
    })
  ],
  seed_read_state: [
    "lets a file be changed that was read elsewhere",
    Effect.gen(function*() {
      const { control, path, session } = yield* begun(allowing, {}, {}, ({ cwd }) => put(join(cwd, "old.txt"), "old"))
      const file = path("old.txt")
      const edit = Model.call("Edit", { file_path: file, old_string: "old", new_string: "new" })
      // From 2.1.250 on, a file may be changed that was never read.
      if (!supports.lifecycle) assert.include((yield* session.send(edit)).text, "File has not been read yet")
      const seeded = yield* control.seedReadState({ path: file, mtime: Math.floor(statSync(file).mtimeMs) })
      assert.deepStrictEqual(seeded, {})
      assert.match((yield* session.send(edit)).text, /^done: (?!error)/)
      assert.strictEqual(readFileSync(file, "utf8"), "new")
    })
  ],
  set_has_subscribers: [
    "is acknowledged, whatever is said",
    Effect.gen(function*() {
      const { control, session } = yield* begun()
      for (const has of [true, false, null]) {
        assert.deepStrictEqual(yield* control.setHasSubscribers({ has_subscribers: has }), {})
      }
      assert.strictEqual((yield* session.send("next")).text, "echo: next")
    })
  ],
  set_max_thinking_tokens: [
    "changes how long the model may think",
    Effect.gen(function*() {
      const { control, session, world } = yield* begun({}, { model: "claude-haiku-4-5" })
      yield* control.setMaxThinkingTokens({ max_thinking_tokens: 2000 })
      assert.deepInclude((yield* nextRequest(world, session)).thinking, { type: "enabled", budget_tokens: 2000 })
      yield* control.setMaxThinkingTokens({ max_thinking_tokens: 0 })
      const { thinking } = yield* nextRequest(world, session)
      // Said in so many words by newer ones, and by leaving it out before.
      if (thinking !== undefined) assert.deepStrictEqual(thinking, { type: "disabled" })
    })
  ],
  set_model: [
    "changes the model, and back again",
    Effect.gen(function*() {
      const { control, session, world } = yield* begun()
      const before = (yield* nextRequest(world, session)).model
      yield* control.setModel({ model: "claude-haiku-4-5" })
      assert.strictEqual((yield* nextRequest(world, session)).model, "claude-haiku-4-5")
      yield* control.setModel({ model: "default" })
      assert.strictEqual((yield* nextRequest(world, session)).model, before)
    })
  ],
  set_permission_mode: [
    "changes who is asked, and is refused in the CLI's words where it may not",
    Effect.gen(function*() {
      let asked = 0
      const onPermission = () => Effect.sync(() => (asked++, Permission.deny("no")))
      const { control, path, session } = yield* begun({ onPermission })
      const write = (name: string) => session.send(Model.call("Write", { file_path: path(name), content: "x" }))
      yield* write("a")
      assert.deepStrictEqual([asked, existsSync(path("a"))], [1, false])
      assert.deepInclude(yield* control.setPermissionMode({ mode: "acceptEdits" }), { mode: "acceptEdits" })
      yield* write("b")
      assert.deepStrictEqual([asked, existsSync(path("b"))], [1, true])
      yield* control.setPermissionMode({ mode: "default" })
      yield* write("c")
      assert.deepStrictEqual([asked, existsSync(path("c"))], [2, false])
    })
  ],
  stop_task: [
    "ends a command in the background",
    Effect.gen(function*() {
      const { control, pid, record, session, task } = yield* withTask
      assert.isTrue(Processes.isAlive(pid))
      yield* control.stopTask({ task_id: task })
      yield* Processes.until(() => !Processes.isAlive(pid))
      const told = () =>
        record.frames().flatMap((frame) =>
          frame.type === "system" && frame.subtype === "task_notification" ? [frame.status] : []
        )
      if (supports.tellsStops) yield* Processes.until(() => told().length > 0)
      assert.strictEqual((yield* session.send("next", { whenBusy: "queue" })).text, "echo: next")
      assert.deepStrictEqual(told(), supports.tellsStops ? ["stopped"] : [])
    })
  ],
  update_settings: [
    "saves settings, which hold from then on",
    Effect.gen(function*() {
      const { control, path } = yield* begun()
      yield* control.updateSettings({ source: "localSettings", settings: { outputStyle: "Concise" } })
      const saved: unknown = JSON.parse(readFileSync(path(".claude/settings.local.json"), "utf8"))
      assert.deepStrictEqual(saved, { outputStyle: "Concise" })
      assert.deepInclude((yield* control.getSettings()).effective, { outputStyle: "Concise" })
      assert.include(
        yield* refusal(control.updateSettings({ source: "localSettings", settings: { cleanupPeriodDays: 17 } })),
        "keys not allowed: cleanupPeriodDays"
      )
    })
  ]
}

describe("control", () => {
  it.scopedLive("what is carried out is what is written of this version, and everything else is refused at once", () =>
    Effect.gen(function*() {
      const { session } = yield* begun()
      const subtypes = Object.values(harmless).map(({ subtype }) => subtype)
      assert.lengthOf(subtypes, HostRequest.members.length)
      const measured = new Map<HostSubtype, string>()
      for (const request of Object.values(harmless)) measured.set(request.subtype, yield* measure(session, request))
      const those = (how: string) => subtypes.filter((subtype) => measured.get(subtype) === how)
      assert.deepStrictEqual(
        those("known"),
        subtypes.filter((name) => name === "interrupt" || supports.requests.has(name))
      )
      assert.deepStrictEqual(those("silence"), mistaken)
      assert.strictEqual((yield* session.send("next")).text, "echo: next")
    }))

  for (const [subtype, [title, proof]] of Object.entries(proofs)) {
    // What this version refuses, the test above has tried.
    if ([...supports.requests].some((name) => name === subtype)) it.scopedLive(`${subtype} ${title}`, () => proof)
  }

  it.scopedLive("a request before the first turn fails when its time is over, if the CLI does not answer what it does not know", () =>
    Effect.gen(function*() {
      const world = yield* World.make(Model.obedient)
      const session = yield* Conversation.open(world)
      const timeout = supports.refusesUnknown ? "1 minute" : "2 seconds"
      const asked = yield* Effect.flip(session.request(harmless.set_color, { timeout }))
      assert.deepInclude(asked, { _tag: "ControlError", reason: supports.refusesUnknown ? "Refused" : "Timeout" })
      assert.strictEqual((yield* session.send("hello")).text, "echo: hello")
    }))

  it.scopedLive("an answer that comes too late is nobody's, and the next request has its own", () =>
    Effect.gen(function*() {
      const { session } = yield* begun()
      const record = yield* Conversation.record(session)
      const answers = () => record.frames().filter(({ type }) => type === "control_response").length
      const pid = Option.getOrThrow(yield* session.pid)
      // Stopped, it reads nothing and answers nothing.
      process.kill(pid, "SIGSTOP")
      const error = yield* Effect.flip(session.request(harmless.interrupt, { timeout: "100 millis" }))
      assert.deepInclude(error, { _tag: "ControlError", reason: "Timeout", subtype: "interrupt" })
      process.kill(pid, "SIGCONT")
      const interrupted = yield* session.request(harmless.interrupt)
      assert.isObject(interrupted)
      yield* Processes.until(() => answers() === 2)
      assert.strictEqual((yield* session.send("next")).text, "echo: next")
    }))

  it.scopedLive("requests that are made at once each have their own answer, also while a turn runs", () =>
    Effect.gen(function*() {
      const world = yield* World.make(Model.obedient)
      const session = yield* Conversation.open(world)
      const turn = yield* session.start("SLOW one two three")
      yield* Conversation.asked(world, "SLOW one")
      if (supports.initialize) {
        const [status, mode, model] = yield* Effect.all([
          session.control.mcpStatus(),
          session.control.setPermissionMode({ mode: "acceptEdits" }),
          session.control.setModel({ model: "claude-haiku-4-5" })
        ], { concurrency: "unbounded" })
        assert.deepStrictEqual(status, { mcpServers: [] })
        assert.deepStrictEqual(mode, { mode: "acceptEdits" })
        assert.include(["{}", `{"model":"claude-haiku-4-5"}`], JSON.stringify(model))
      } else {
        const refused = yield* Effect.all([
          Effect.flip(session.request(harmless.get_settings)),
          Effect.flip(session.request(harmless.list_models))
        ], { concurrency: "unbounded" })
        assert.deepStrictEqual(refused.map((error) => "subtype" in error ? error.subtype : ""), [
          "get_settings",
          "list_models"
        ])
      }
      assert.strictEqual((yield* turn.result).text, "one two three")
    }))

  it.scopedLive("a request whose asker goes away is withdrawn, and the session goes on", () =>
    Effect.gen(function*() {
      const { session } = yield* begun()
      const pid = Option.getOrThrow(yield* session.pid)
      process.kill(pid, "SIGSTOP")
      const asking = yield* Effect.fork(session.request(harmless.interrupt))
      yield* Effect.yieldNow()
      yield* Fiber.interrupt(asking)
      process.kill(pid, "SIGCONT")
      assert.strictEqual((yield* session.send("next")).text, "echo: next")
      assert.strictEqual((yield* session.status.get)._tag, "Idle")
    }))
})
