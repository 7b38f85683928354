/**
 * `system` frames about the session as a whole, by `subtype`. Tasks, hooks and models have modules of their own.
 *
 * @since 0.1.0
 * @stability stable
 */
import * as Schema from "effect/Schema"
import { optional } from "../internal/fields.js"
import { ApiKeySource } from "./Account.js"
import { JsonNumber } from "./Json.js"
import { FastModeDisabledReason, FastModeState } from "./Model.js"
import * as Open from "./Open.js"
import { ReportedPermissionMode } from "./PermissionRequest.js"
import { PluginInfo } from "./Plugin.js"
import { SlashCommand } from "./SlashCommand.js"

/** `system/init`: what the CLI is and can do. Comes again at the start of every turn. */
export const SystemInitFrame = Schema.Struct({
  type: Schema.Literal("system"),
  subtype: Schema.Literal("init"),
  agents: optional(Schema.Array(Schema.String)),
  apiKeySource: ApiKeySource,
  betas: optional(Schema.Array(Schema.String)),
  claude_code_version: optional(Schema.String),
  cwd: Schema.String,
  tools: Schema.Array(Schema.String),
  mcp_servers: Schema.Array(
    Schema.Struct({ name: Schema.String, status: Schema.String, source: optional(Schema.String) })
  ),
  model: Schema.String,
  permissionMode: ReportedPermissionMode,
  slash_commands: optional(Schema.Array(Schema.String)),
  terminal_slash_commands: optional(Schema.Array(Schema.String)),
  output_style: optional(Schema.String),
  skills: optional(Schema.Array(Schema.String)),
  plugins: optional(Schema.Array(PluginInfo)),
  plugin_errors: optional(Schema.Array(Schema.Struct({
    plugin: Schema.String,
    type: Schema.String,
    message: Schema.String,
    path: optional(Schema.String),
    managed_lock: optional(Schema.Struct({
      plugin_enabled: Schema.Boolean,
      name: Schema.String,
      marketplace: optional(Schema.String)
    }))
  }))),
  fast_mode_state: optional(FastModeState),
  fast_mode_disabled_reason: optional(FastModeDisabledReason),
  effort: optional(Schema.NullOr(Open.literal("low", "medium", "high", "xhigh", "max"))),
  view_mode: optional(Open.literal("default", "focus")),
  capabilities: optional(Schema.Array(Schema.String)),
  uuid: optional(Schema.String),
  session_id: Schema.String,
  analytics_disabled: optional(Schema.Boolean),
  product_feedback_disabled: optional(Schema.Boolean),
  memory_paths: optional(Schema.Record({ key: Schema.String, value: Schema.String })),
  original_cwd: optional(Schema.String),
  additional_directories: optional(Schema.Array(Schema.String)),
  messaging_socket_path: optional(Schema.String),
  per_turn_effort_active: optional(Schema.Boolean),
  ultrathink_available: optional(Schema.Boolean),
  ultrathink_typed_raises: optional(Schema.Boolean),
  user_message_uuids: optional(Schema.Array(Schema.String))
}).annotations({ identifier: "SystemInitFrame" })
export interface SystemInitFrame extends Schema.Schema.Type<typeof SystemInitFrame> {}

/** `system/status`: a request is on its way, or the conversation is being compacted; `null` when that is over. */
export const StatusFrame = Schema.Struct({
  type: Schema.Literal("system"),
  subtype: Schema.Literal("status"),
  status: Schema.NullOr(Open.literal("compacting", "requesting")),
  permissionMode: optional(ReportedPermissionMode),
  compact_result: optional(Open.literal("success", "failed")),
  compact_error: optional(Schema.String),
  uuid: Schema.String,
  session_id: Schema.String,
  user_message_uuids: optional(Schema.Array(Schema.String))
}).annotations({ identifier: "StatusFrame" })
export interface StatusFrame extends Schema.Schema.Type<typeof StatusFrame> {}

/** `system/session_state_changed`: idle, running, or waiting for the host. */
export const SessionStateChangedFrame = Schema.Struct({
  type: Schema.Literal("system"),
  subtype: Schema.Literal("session_state_changed"),
  state: Open.literal("idle", "running", "requires_action"),
  uuid: Schema.String,
  session_id: Schema.String
}).annotations({ identifier: "SessionStateChangedFrame" })
export interface SessionStateChangedFrame extends Schema.Schema.Type<typeof SessionStateChangedFrame> {}

/** `system/session_title_changed`. Seen on the wire; not in the SDK's types. */
export const SessionTitleChangedFrame = Schema.Struct({
  type: Schema.Literal("system"),
  subtype: Schema.Literal("session_title_changed"),
  title: Schema.String,
  uuid: optional(Schema.String),
  session_id: Schema.String
}).annotations({ identifier: "SessionTitleChangedFrame" })
export interface SessionTitleChangedFrame extends Schema.Schema.Type<typeof SessionTitleChangedFrame> {}

/** `system/compact_boundary`: what came before was replaced by a summary. */
export const CompactBoundaryFrame = Schema.Struct({
  type: Schema.Literal("system"),
  subtype: Schema.Literal("compact_boundary"),
  compact_metadata: Schema.Struct({
    trigger: Open.literal("auto", "manual"),
    pre_tokens: JsonNumber,
    post_tokens: optional(JsonNumber),
    cumulative_dropped_tokens: optional(JsonNumber),
    duration_ms: optional(JsonNumber),
    preserved_segment: optional(Schema.Struct({
      head_uuid: Schema.String,
      anchor_uuid: Schema.String,
      tail_uuid: Schema.String
    })),
    preserved_messages: optional(Schema.Struct({
      anchor_uuid: Schema.String,
      uuids: Schema.Array(Schema.String),
      all_uuids: optional(Schema.Array(Schema.String))
    }))
  }),
  logical_parent_uuid: optional(Schema.String),
  uuid: Schema.String,
  session_id: Schema.String
}).annotations({ identifier: "CompactBoundaryFrame" })
export interface CompactBoundaryFrame extends Schema.Schema.Type<typeof CompactBoundaryFrame> {}

/** `system/commands_changed`: the slash commands that exist from now on. */
export const CommandsChangedFrame = Schema.Struct({
  type: Schema.Literal("system"),
  subtype: Schema.Literal("commands_changed"),
  commands: Schema.Array(SlashCommand),
  uuid: Schema.String,
  session_id: Schema.String
}).annotations({ identifier: "CommandsChangedFrame" })
export interface CommandsChangedFrame extends Schema.Schema.Type<typeof CommandsChangedFrame> {}

/** `system/informational`: a line for the person in front of the screen. */
export const InformationalFrame = Schema.Struct({
  type: Schema.Literal("system"),
  subtype: Schema.Literal("informational"),
  content: Schema.String,
  level: Open.literal("info", "notice", "suggestion", "warning"),
  tool_use_id: optional(Schema.String),
  prevent_continuation: optional(Schema.Boolean),
  tag: optional(Schema.String),
  uuid: Schema.String,
  session_id: Schema.String
}).annotations({ identifier: "InformationalFrame" })
export interface InformationalFrame extends Schema.Schema.Type<typeof InformationalFrame> {}

/** `system/notification`: a passing notice for a status line. */
export const NotificationFrame = Schema.Struct({
  type: Schema.Literal("system"),
  subtype: Schema.Literal("notification"),
  key: Schema.String,
  text: Schema.String,
  priority: Open.literal("low", "medium", "high", "immediate"),
  color: optional(Schema.String),
  timeout_ms: optional(JsonNumber),
  uuid: Schema.String,
  session_id: Schema.String
}).annotations({ identifier: "NotificationFrame" })
export interface NotificationFrame extends Schema.Schema.Type<typeof NotificationFrame> {}

/** `system/local_command_output`: what a slash command printed without asking the model. */
export const LocalCommandOutputFrame = Schema.Struct({
  type: Schema.Literal("system"),
  subtype: Schema.Literal("local_command_output"),
  content: Schema.String,
  uuid: Schema.String,
  session_id: Schema.String
}).annotations({ identifier: "LocalCommandOutputFrame" })
export interface LocalCommandOutputFrame extends Schema.Schema.Type<typeof LocalCommandOutputFrame> {}

/** `system/memory_recall`: memory files that were read into the context. */
export const MemoryRecallFrame = Schema.Struct({
  type: Schema.Literal("system"),
  subtype: Schema.Literal("memory_recall"),
  mode: Open.literal("select", "synthesize"),
  memories: Schema.Array(Schema.Struct({
    path: Schema.String,
    scope: Open.literal("personal", "team", "organization"),
    content: optional(Schema.String)
  })),
  uuid: Schema.String,
  session_id: Schema.String
}).annotations({ identifier: "MemoryRecallFrame" })
export interface MemoryRecallFrame extends Schema.Schema.Type<typeof MemoryRecallFrame> {}

/** `system/files_persisted`: files that were uploaded, and those that were not. */
export const FilesPersistedFrame = Schema.Struct({
  type: Schema.Literal("system"),
  subtype: Schema.Literal("files_persisted"),
  files: Schema.Array(Schema.Struct({
    filename: Schema.String,
    file_id: Schema.String
  })),
  failed: Schema.Array(Schema.Struct({
    filename: Schema.String,
    error: Schema.String
  })),
  processed_at: Schema.String,
  uuid: Schema.String,
  session_id: Schema.String
}).annotations({ identifier: "FilesPersistedFrame" })
export interface FilesPersistedFrame extends Schema.Schema.Type<typeof FilesPersistedFrame> {}

/** `system/mirror_error`: a copy of the transcript could not be written. */
export const MirrorErrorFrame = Schema.Struct({
  type: Schema.Literal("system"),
  subtype: Schema.Literal("mirror_error"),
  error: Schema.String,
  key: Schema.Struct({
    projectKey: Schema.String,
    sessionId: Schema.String,
    subpath: optional(Schema.String)
  }),
  uuid: Schema.String,
  session_id: Schema.String
}).annotations({ identifier: "MirrorErrorFrame" })
export interface MirrorErrorFrame extends Schema.Schema.Type<typeof MirrorErrorFrame> {}

/** `system/session_writes_lost`: the disk is full, and part of the session was not saved. */
export const SessionWritesLostFrame = Schema.Struct({
  type: Schema.Literal("system"),
  subtype: Schema.Literal("session_writes_lost"),
  error_code: Open.literal("ENOSPC", "EDQUOT"),
  lost: Schema.Array(Open.literal("transcript", "global_config")),
  transcript_session_ids: optional(Schema.Array(Schema.String)),
  uuid: Schema.String,
  session_id: Schema.String
}).annotations({ identifier: "SessionWritesLostFrame" })
export interface SessionWritesLostFrame extends Schema.Schema.Type<typeof SessionWritesLostFrame> {}

/** `system/plugin_install`: progress of a plugin's installation. */
export const PluginInstallFrame = Schema.Struct({
  type: Schema.Literal("system"),
  subtype: Schema.Literal("plugin_install"),
  status: Open.literal("failed", "started", "installed", "completed"),
  name: optional(Schema.String),
  error: optional(Schema.String),
  uuid: Schema.String,
  session_id: Schema.String
}).annotations({ identifier: "PluginInstallFrame" })
export interface PluginInstallFrame extends Schema.Schema.Type<typeof PluginInstallFrame> {}

/** `system/permission_denied`: a tool call was refused without asking the host. */
export const PermissionDeniedFrame = Schema.Struct({
  type: Schema.Literal("system"),
  subtype: Schema.Literal("permission_denied"),
  tool_name: Schema.String,
  tool_use_id: Schema.String,
  agent_id: optional(Schema.String),
  decision_reason_type: optional(Schema.String),
  decision_reason: optional(Schema.String),
  message: Schema.String,
  uuid: Schema.String,
  session_id: Schema.String
}).annotations({ identifier: "PermissionDeniedFrame" })
export interface PermissionDeniedFrame extends Schema.Schema.Type<typeof PermissionDeniedFrame> {}

/** `system/elicitation_complete`: an MCP server's question that ran outside (a web page) is answered. */
export const ElicitationCompleteFrame = Schema.Struct({
  type: Schema.Literal("system"),
  subtype: Schema.Literal("elicitation_complete"),
  mcp_server_name: Schema.String,
  elicitation_id: Schema.String,
  uuid: Schema.String,
  session_id: Schema.String
}).annotations({ identifier: "ElicitationCompleteFrame" })
export interface ElicitationCompleteFrame extends Schema.Schema.Type<typeof ElicitationCompleteFrame> {}

/** `system/control_request_progress`: one of the host's control requests takes a while. */
export const ControlRequestProgressFrame = Schema.Struct({
  type: Schema.Literal("system"),
  subtype: Schema.Literal("control_request_progress"),
  request_id: Schema.String,
  status: Open.literal("api_retry", "started"),
  attempt: optional(JsonNumber),
  max_retries: optional(JsonNumber),
  retry_delay_ms: optional(JsonNumber),
  error_status: optional(Schema.NullOr(JsonNumber)),
  uuid: Schema.String,
  session_id: Schema.String
}).annotations({ identifier: "ControlRequestProgressFrame" })
export interface ControlRequestProgressFrame extends Schema.Schema.Type<typeof ControlRequestProgressFrame> {}

/** `system/worker_shutting_down`: the process is about to end by itself. */
export const WorkerShuttingDownFrame = Schema.Struct({
  type: Schema.Literal("system"),
  subtype: Schema.Literal("worker_shutting_down"),
  reason: Schema.String,
  uuid: Schema.String,
  session_id: Schema.String
}).annotations({ identifier: "WorkerShuttingDownFrame" })
export interface WorkerShuttingDownFrame extends Schema.Schema.Type<typeof WorkerShuttingDownFrame> {}
