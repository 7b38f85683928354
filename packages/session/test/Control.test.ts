import { HostRequest, type HostSubtype } from "@claude-duplex/protocol/schema/HostRequest"
import type * as Control from "@claude-duplex/session/Control"
import type * as Session from "@claude-duplex/session/Session"
import * as Script from "@claude-duplex/transport-mock/Script"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Redacted, Schema, TestClock } from "effect"
import { asked, scripted, session, success, turn } from "./support/sessions.js"

/** Every request of the host's, by the method for it. A subtype without one does not compile. */
const methods: Record<HostSubtype, (session: Session.Service) => Effect.Effect<unknown, unknown>> = {
  apply_flag_settings: ({ control }) => control.applyFlagSettings({ settings: { model: "haiku" } }),
  background_tasks: ({ control }) => control.backgroundTasks({ tool_use_id: "toolu_1" }),
  cancel_async_message: ({ control }) => control.cancelAsyncMessage({ message_uuid: "m" }),
  file_suggestions: ({ control }) => control.fileSuggestions({ query: "src/" }),
  get_binary_version: ({ control }) => control.getBinaryVersion(),
  get_context_usage: ({ control }) => control.getContextUsage({ detail: "summary" }),
  get_hooks_listing: ({ control }) => control.getHooksListing(),
  get_session_cost: ({ control }) => control.getSessionCost(),
  get_settings: ({ control }) => control.getSettings(),
  get_task_output: ({ control }) => control.getTaskOutput({ task_id: "t" }),
  get_usage: ({ control }) => control.getUsage(),
  initialize: ({ reinitialize }) => reinitialize({ title: "t" }),
  interrupt: ({ interrupt }) => interrupt(),
  list_models: ({ control }) => control.listModels(),
  list_permission_rules: ({ control }) => control.listPermissionRules(),
  mcp_call: ({ control }) => control.mcpCall({ tool: "mcp__calc__add", arguments: { a: 1 } }),
  mcp_message: ({ control }) =>
    control.mcpMessage({ server_name: "calc", message: { jsonrpc: "2.0", method: "notifications/message" } }),
  mcp_read_resource: ({ control }) => control.mcpReadResource({ serverName: "calc", uri: "file:///a" }),
  mcp_reconnect: ({ control }) => control.mcpReconnect({ serverName: "calc" }),
  mcp_set_servers: ({ control }) => control.mcpSetServers({ servers: {} }),
  mcp_status: ({ control }) => control.mcpStatus(),
  mcp_toggle: ({ control }) => control.mcpToggle({ serverName: "calc", enabled: false }),
  read_file: ({ control }) => control.readFile({ path: "/a" }),
  register_repo_root: ({ control }) => control.registerRepoRoot({ directory: "/" }),
  reload_output_styles: ({ control }) => control.reloadOutputStyles(),
  reload_plugins: ({ control }) => control.reloadPlugins(),
  reload_skills: ({ control }) => control.reloadSkills(),
  rename_session: ({ control }) => control.renameSession({ title: "t" }),
  rewind_files: ({ control }) => control.rewindFiles({ user_message_id: "m", dry_run: true }),
  seed_read_state: ({ control }) => control.seedReadState({ path: "/a", mtime: 1 }),
  set_color: ({ control }) => control.setColor({ color: "red" }),
  set_has_subscribers: ({ control }) => control.setHasSubscribers({ has_subscribers: null }),
  set_max_thinking_tokens: ({ control }) => control.setMaxThinkingTokens({ max_thinking_tokens: 0 }),
  set_model: ({ control }) => control.setModel({ model: "haiku" }),
  set_permission_mode: ({ control }) => control.setPermissionMode({ mode: "plan" }),
  stop_task: ({ control }) => control.stopTask({ task_id: "t" }),
  update_settings: ({ control }) => control.updateSettings({ source: "localSettings", settings: {} })
}

describe("Control", () => {
  for (const [subtype, ask] of Object.entries(methods)) {
    it.scoped(`${subtype} has a method, which asks for it, and a refusal is the CLI's own`, () =>
      Effect.gen(function*() {
        const s = yield* scripted(
          asked(subtype),
          Script.reply({
            type: "control_response",
            response: { subtype: "error", request_id: { $received: "request_id" }, error: "not today", error_code: "x" }
          })
        )
        const error = yield* Effect.flip(ask(s))
        assert.deepInclude(error, { _tag: "ControlError", reason: "Refused", detail: "not today", code: "x", subtype })
      }))
  }

  it("every method is listed here", () => {
    const subtypes = HostRequest.members.flatMap((member) =>
      Schema.isSchema(member.fields.subtype) ? [String(member.fields.subtype.literals[0])] : []
    )
    assert.deepStrictEqual(Object.keys(methods).sort(), [...subtypes].sort())
  })

  it.scoped("an answer is read by the schema of its subtype; one that does not fit is an error", () =>
    Effect.gen(function*() {
      const s = yield* scripted(
        asked("set_model"),
        Script.reply(success({ model: "claude-haiku-4-5" })),
        asked("mcp_status"),
        Script.replyUnchecked({
          type: "control_response",
          response: { subtype: "success", request_id: { $received: "request_id" }, response: { mcpServers: 1 } }
        })
      )
      assert.strictEqual((yield* s.control.setModel({ model: "haiku" })).model, "claude-haiku-4-5")
      const error = yield* Effect.flip(s.control.mcpStatus())
      assert(error._tag === "ControlError" && error.response !== undefined)
      assert.deepInclude(error, { reason: "InvalidResponse", detail: "at mcpServers" })
      assert.deepStrictEqual(Redacted.value(error.response), { mcpServers: 1 })
      assert.notInclude(`${error.message} ${JSON.stringify(error)} ${String(error)}`, `"mcpServers":1`)
    }))

  it.scoped("an answer with fields that no schema knows is given whole", () =>
    Effect.gen(function*() {
      const s = yield* scripted(asked("set_model"), Script.reply(success({ model: "m", of_next_year: { a: 1 } })))
      assert.deepStrictEqual<object>(yield* s.control.setModel({ model: "m" }), { model: "m", of_next_year: { a: 1 } })
    }))

  it.scoped("what may not be sent fails before a byte is written", () =>
    Effect.gen(function*() {
      const s = yield* scripted(asked("mcp_status"), Script.reply(success({ mcpServers: [] })))
      // A plan that TypeScript would not let through.
      const hostile = { max_thinking_tokens: Number.NaN } satisfies Control.Payload<"set_max_thinking_tokens">
      assert.deepInclude(yield* Effect.flip(s.control.setMaxThinkingTokens(hostile)), { _tag: "EncodeError" })
      yield* s.control.mcpStatus()
    }))

  it.scoped("the session's own timeout counts unless the request has one; a late answer is ignored", () =>
    Effect.gen(function*() {
      const s = yield* session(
        Script.behaviour(Script.make(
          ...turn("a"),
          Script.expect({ type: "control_request" }, { label: "first" }),
          Script.expect({ type: "control_cancel_request" }),
          Script.reply({
            type: "control_response",
            response: { subtype: "success", request_id: { $received: "request_id", of: "first" }, response: {} }
          }),
          asked("mcp_status"),
          Script.reply(success({ mcpServers: [] })),
          Script.delay("1 day")
        )),
        { requestTimeout: "3 seconds" }
      )
      yield* s.send("a")
      const late = yield* Effect.fork(Effect.flip(s.control.getSettings()))
      yield* TestClock.adjust("3 seconds")
      assert.deepInclude(yield* Fiber.join(late), { reason: "Timeout" })
      assert.deepStrictEqual((yield* s.control.mcpStatus()).mcpServers, [])
    }))
})
