/**
 * A method for every request that a host can make of the CLI. Each is `Session.request` with a name and an order of
 * arguments; what the CLI answers is read by the schema of its subtype. A request that the CLI
 * does not have fails with a `ControlError` whose `isUnsupported` is true.
 *
 * `initialize` and `interrupt` are the session's own (`reinitialize`, `interrupt`), and so are servers that live in the
 * host (`Session.setMcpServers`).
 *
 * @since 0.1.0
 * @stability stable
 */
import type { ControlError } from "@claude-duplex/protocol/ControlError"
import type { EncodeError } from "@claude-duplex/protocol/EncodeError"
import type { HostRequest, HostResponse, HostSubtype } from "@claude-duplex/protocol/schema/HostRequest"
import type { JsonObject } from "@claude-duplex/protocol/schema/Json"
import type { JsonRpcMessage } from "@claude-duplex/protocol/schema/JsonRpc"
import type { PermissionMode } from "@claude-duplex/protocol/schema/PermissionRequest"
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"

/** How a request is made. */
export interface RequestOptions {
  /** How long the answer may take. Default: the session's `requestTimeout`. */
  readonly timeout?: Duration.DurationInput | undefined
}

/** Asks the CLI something. */
export type Ask = <const Q extends HostRequest>(
  request: Q,
  options?: RequestOptions
) => Effect.Effect<HostResponse<Q["subtype"]>, ControlError | EncodeError>

/** What comes back of a request. */
export type Answer<S extends HostSubtype> = Effect.Effect<HostResponse<S>, ControlError | EncodeError>

/** What a request says beside its subtype. */
export type Payload<S extends HostSubtype> = Omit<Extract<HostRequest, { readonly subtype: S }>, "subtype">

/** Requests of the host's, each by its name. */
export interface Control {
  // ---- the model and its limits ----
  /** Changes the model; without one, back to the default. */
  readonly setModel: (model?: string) => Answer<"set_model">
  readonly listModels: Answer<"list_models">
  /** Changes how many tokens the model may think for, and how that is shown. */
  readonly setMaxThinkingTokens: (payload: Payload<"set_max_thinking_tokens">) => Answer<"set_max_thinking_tokens">

  // ---- permissions and settings ----
  readonly setPermissionMode: (mode: PermissionMode) => Answer<"set_permission_mode">
  readonly listPermissionRules: Answer<"list_permission_rules">
  readonly getSettings: Answer<"get_settings">
  /** Changes settings of this session, as flags do: nothing is saved. */
  readonly applyFlagSettings: (settings: JsonObject) => Answer<"apply_flag_settings">
  /** Changes settings, and saves them. */
  readonly updateSettings: (payload: Payload<"update_settings">) => Answer<"update_settings">
  readonly getHooksListing: Answer<"get_hooks_listing">

  // ---- the conversation ----
  /** Takes a message out of the CLI's queue. */
  readonly cancelMessage: (uuid: string) => Answer<"cancel_async_message">
  /** Puts files back to what they were at a message of the user's; a dry run only tells what would change. */
  readonly rewindFiles: (payload: Payload<"rewind_files">) => Answer<"rewind_files">
  readonly renameSession: (payload: Payload<"rename_session">) => Answer<"rename_session">
  readonly setColor: (color: string) => Answer<"set_color">
  /** Says that a file was read already, so that it may be changed. */
  readonly seedReadState: (payload: Payload<"seed_read_state">) => Answer<"seed_read_state">
  /** Says whether anybody watches; `null` is unknown. */
  readonly setHasSubscribers: (hasSubscribers: boolean | null) => Answer<"set_has_subscribers">

  // ---- use ----
  readonly getContextUsage: (payload?: Payload<"get_context_usage">) => Answer<"get_context_usage">
  readonly getSessionCost: Answer<"get_session_cost">
  readonly getUsage: (payload?: Payload<"get_usage">) => Answer<"get_usage">

  // ---- tasks ----
  /** Stops a task that runs in the background. */
  readonly stopTask: (taskId: string) => Answer<"stop_task">
  /** Moves what runs into the background: one tool call, or all. */
  readonly backgroundTasks: (toolUseId?: string) => Answer<"background_tasks">
  readonly getTaskOutput: (taskId: string) => Answer<"get_task_output">

  // ---- MCP ----
  readonly mcpStatus: Answer<"mcp_status">
  /** Replaces the servers that were set like this before. For servers that live in the host: `Session.setMcpServers`. */
  readonly mcpSetServers: (servers: Payload<"mcp_set_servers">["servers"]) => Answer<"mcp_set_servers">
  /** Connects a server again. */
  readonly mcpReconnect: (serverName: string) => Answer<"mcp_reconnect">
  readonly mcpToggle: (serverName: string, enabled: boolean) => Answer<"mcp_toggle">
  /** Calls a tool of a server's. */
  readonly mcpCall: (payload: Payload<"mcp_call">) => Answer<"mcp_call">
  readonly mcpReadResource: (serverName: string, uri: string) => Answer<"mcp_read_resource">
  /** Says something to the CLI in the name of a server that lives in the host. */
  readonly mcpMessage: (serverName: string, message: JsonRpcMessage) => Answer<"mcp_message">

  // ---- the workspace ----
  readonly readFile: (payload: Payload<"read_file">) => Answer<"read_file">
  readonly fileSuggestions: (query: string) => Answer<"file_suggestions">
  readonly registerRepoRoot: (payload: Payload<"register_repo_root">) => Answer<"register_repo_root">
  readonly reloadPlugins: (payload?: Payload<"reload_plugins">) => Answer<"reload_plugins">
  readonly reloadSkills: Answer<"reload_skills">
  readonly reloadOutputStyles: Answer<"reload_output_styles">
  readonly getBinaryVersion: Answer<"get_binary_version">
}

/**
 * The methods, over anything that asks.
 *
 * @example
 * ```ts
 * import * as Control from "@claude-duplex/session/Control"
 * import * as Session from "@claude-duplex/session/Session"
 * import { Effect } from "effect"
 *
 * const toHaiku = Effect.flatMap(Session.Session, ({ request }) => Control.make(request).setModel("haiku"))
 * ```
 */
export const make = (ask: Ask): Control => ({
  setModel: (model) => ask({ subtype: "set_model", ...(model === undefined ? {} : { model }) }),
  listModels: ask({ subtype: "list_models" }),
  setMaxThinkingTokens: (payload) => ask({ subtype: "set_max_thinking_tokens", ...payload }),
  setPermissionMode: (mode) => ask({ subtype: "set_permission_mode", mode }),
  listPermissionRules: ask({ subtype: "list_permission_rules" }),
  getSettings: ask({ subtype: "get_settings" }),
  applyFlagSettings: (settings) => ask({ subtype: "apply_flag_settings", settings }),
  updateSettings: (payload) => ask({ subtype: "update_settings", ...payload }),
  getHooksListing: ask({ subtype: "get_hooks_listing" }),
  cancelMessage: (uuid) => ask({ subtype: "cancel_async_message", message_uuid: uuid }),
  rewindFiles: (payload) => ask({ subtype: "rewind_files", ...payload }),
  renameSession: (payload) => ask({ subtype: "rename_session", ...payload }),
  setColor: (color) => ask({ subtype: "set_color", color }),
  seedReadState: (payload) => ask({ subtype: "seed_read_state", ...payload }),
  setHasSubscribers: (hasSubscribers) => ask({ subtype: "set_has_subscribers", has_subscribers: hasSubscribers }),
  getContextUsage: (payload) => ask({ subtype: "get_context_usage", ...payload }),
  getSessionCost: ask({ subtype: "get_session_cost" }),
  getUsage: (payload) => ask({ subtype: "get_usage", ...payload }),
  stopTask: (taskId) => ask({ subtype: "stop_task", task_id: taskId }),
  backgroundTasks: (toolUseId) =>
    ask({ subtype: "background_tasks", ...(toolUseId === undefined ? {} : { tool_use_id: toolUseId }) }),
  getTaskOutput: (taskId) => ask({ subtype: "get_task_output", task_id: taskId }),
  mcpStatus: ask({ subtype: "mcp_status" }),
  mcpSetServers: (servers) => ask({ subtype: "mcp_set_servers", servers }),
  mcpReconnect: (serverName) => ask({ subtype: "mcp_reconnect", serverName }),
  mcpToggle: (serverName, enabled) => ask({ subtype: "mcp_toggle", serverName, enabled }),
  mcpCall: (payload) => ask({ subtype: "mcp_call", ...payload }),
  mcpReadResource: (serverName, uri) => ask({ subtype: "mcp_read_resource", serverName, uri }),
  mcpMessage: (serverName, message) => ask({ subtype: "mcp_message", server_name: serverName, message }),
  readFile: (payload) => ask({ subtype: "read_file", ...payload }),
  fileSuggestions: (query) => ask({ subtype: "file_suggestions", query }),
  registerRepoRoot: (payload) => ask({ subtype: "register_repo_root", ...payload }),
  reloadPlugins: (payload) => ask({ subtype: "reload_plugins", ...payload }),
  reloadSkills: ask({ subtype: "reload_skills" }),
  reloadOutputStyles: ask({ subtype: "reload_output_styles" }),
  getBinaryVersion: ask({ subtype: "get_binary_version" })
})
