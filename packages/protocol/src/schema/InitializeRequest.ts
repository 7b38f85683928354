/**
 * `initialize`: what the host brings along (hooks, in-process MCP servers, agents, prompts too long for a command line),
 * and what the CLI answers. May be sent again.
 *
 * @since 0.1.0
 * @stability stable
 */
import * as Schema from "effect/Schema"
import { optional } from "../internal/fields.js"
import { AccountInfo } from "./Account.js"
import { AgentDefinition, AgentInfo } from "./Agent.js"
import { HookCallbackMatcher, HookEvent } from "./HookCallback.js"
import { JsonNumber, JsonObject } from "./Json.js"
import { McpServerConfig, McpServerToolPolicy } from "./McpServerConfig.js"
import { FastModeDisabledReason, FastModeState, ModelInfo } from "./Model.js"
import * as Open from "./Open.js"
import { ReportedPermissionMode } from "./PermissionRequest.js"
import { PluginConfig } from "./Plugin.js"
import { SlashCommand } from "./SlashCommand.js"

/** Registers everything that the host provides. */
export const InitializeRequest = Schema.Struct({
  subtype: Schema.Literal("initialize"),
  hooks: optional(
    Schema.partialWith(Schema.Record({ key: HookEvent, value: Schema.Array(HookCallbackMatcher) }), { exact: true })
  ),
  sdkMcpServers: optional(Schema.Array(Schema.String)),
  sdkMcpServerConfigs: optional(Schema.Record({
    key: Schema.String,
    value: Schema.Struct({
      timeout: optional(JsonNumber),
      tools: optional(Schema.Array(McpServerToolPolicy))
    })
  })),
  sdkMcpServerManifests: optional(Schema.Record({
    key: Schema.String,
    value: Schema.Struct({
      initializeResult: JsonObject,
      toolsListResult: optional(JsonObject)
    })
  })),
  sdkMcpServerManifestsOrigin: optional(Schema.Literal("host_per_send")),
  jsonSchema: optional(JsonObject),
  systemPrompt: optional(Schema.Array(Schema.String)),
  appendSystemPrompt: optional(Schema.String),
  systemPromptSnapshot: optional(Schema.Boolean),
  planModeInstructions: optional(Schema.String),
  toolAliases: optional(Schema.Record({ key: Schema.String, value: Schema.String })),
  excludeDynamicSections: optional(Schema.Boolean),
  agents: optional(Schema.Record({ key: Schema.String, value: AgentDefinition })),
  title: optional(Schema.String),
  skills: optional(Schema.Array(Schema.String)),
  promptSuggestions: optional(Schema.Boolean),
  agentProgressSummaries: optional(Schema.Boolean),
  forwardSubagentText: optional(Schema.Boolean),
  supportedDialogKinds: optional(Schema.Array(Schema.String)),
  perTaskStopAffordance: optional(Schema.Boolean),
  plugins: optional(Schema.Array(PluginConfig)),
  mcpServers: optional(Schema.Record({ key: Schema.String, value: McpServerConfig }))
}).annotations({ identifier: "InitializeRequest" })
export interface InitializeRequest extends Schema.Schema.Type<typeof InitializeRequest> {}

/** What the CLI is and offers. */
export const InitializeResponse = Schema.Struct({
  commands: optional(Schema.Array(SlashCommand)),
  agents: optional(Schema.Array(AgentInfo)),
  output_style: optional(Schema.String),
  available_output_styles: optional(Schema.Array(Schema.String)),
  models: optional(Schema.Array(ModelInfo)),
  account: optional(AccountInfo),
  hooks_applied: optional(Schema.Boolean),
  hook_on_failure_supported: optional(Schema.Boolean),
  plugins_applied: optional(Schema.Boolean),
  mcp_servers_applied: optional(Schema.Boolean),
  sdk_mcp_manifests_parked: optional(
    Schema.Record({
      key: Schema.String,
      value: Open.literal("parked", "already_connected", "protocol_version_mismatch", "malformed", "not_honoured")
    })
  ),
  claude_code_version: optional(Schema.String),
  fast_mode_state: optional(FastModeState),
  fast_mode_disabled_reason: optional(FastModeDisabledReason),
  pid: optional(JsonNumber),
  // Not in the SDK's types; 2.1.326 sends all of them.
  session_state: optional(Schema.String),
  capabilities: optional(Schema.Array(Schema.String)),
  current_permission_mode: optional(ReportedPermissionMode),
  user_output_styles_dir: optional(Schema.String),
  hooks_when_unanswered_kept: optional(JsonNumber),
  other_hook_ask_outranks_host: optional(Schema.Boolean),
  feedback_mode: optional(JsonObject),
  analytics_disabled: optional(Schema.Boolean),
  remote_control_available: optional(Schema.Boolean),
  remote_control_auto_enable: optional(Schema.Boolean),
  remote_control_auto_connect_default: optional(Schema.Boolean),
  remote_control_auto_on_by_default: optional(Schema.Boolean),
  ide_rc_auto_enable_gate: optional(Schema.Boolean)
}).annotations({ identifier: "InitializeResponse" })
export interface InitializeResponse extends Schema.Schema.Type<typeof InitializeResponse> {}
