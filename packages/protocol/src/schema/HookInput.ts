/**
 * What a hook is told: one schema for each hook event.
 *
 * @since 0.1.0
 * @stability stable
 */
import * as Schema from "effect/Schema"
import { optional } from "../internal/fields.js"
import { AssistantError } from "./AssistantFrame.js"
import { JsonNumber, JsonObject, JsonValue } from "./Json.js"
import { McpServerProvenance } from "./McpServerConfig.js"
import * as Open from "./Open.js"
import { PermissionUpdate } from "./PermissionRequest.js"
import { BackgroundTaskSummary, SessionCronSummary } from "./TaskFrame.js"

/** Fields that every hook input has. */
export const BaseHookInput = Schema.Struct({
  session_id: Schema.String,
  transcript_path: Schema.String,
  cwd: Schema.String,
  prompt_id: optional(Schema.String),
  permission_mode: optional(Schema.String),
  agent_id: optional(Schema.String),
  agent_type: optional(Schema.String),
  effort: optional(Schema.Struct({
    level: Schema.String
  }))
})
export interface BaseHookInput extends Schema.Schema.Type<typeof BaseHookInput> {}

/** Before a tool runs. */
export const PreToolUseHookInput = Schema.Struct({
  ...BaseHookInput.fields,
  hook_event_name: Schema.Literal("PreToolUse"),
  tool_name: Schema.String,
  tool_input: JsonValue,
  tool_use_id: optional(Schema.String),
  mcp_server: optional(McpServerProvenance)
}).annotations({ identifier: "PreToolUseHookInput" })
export interface PreToolUseHookInput extends Schema.Schema.Type<typeof PreToolUseHookInput> {}

/** After a tool ran. */
export const PostToolUseHookInput = Schema.Struct({
  ...BaseHookInput.fields,
  hook_event_name: Schema.Literal("PostToolUse"),
  tool_name: Schema.String,
  tool_input: JsonValue,
  tool_response: JsonValue,
  tool_use_id: optional(Schema.String),
  duration_ms: optional(JsonNumber),
  mcp_server: optional(McpServerProvenance)
}).annotations({ identifier: "PostToolUseHookInput" })
export interface PostToolUseHookInput extends Schema.Schema.Type<typeof PostToolUseHookInput> {}

/** After a tool failed. */
export const PostToolUseFailureHookInput = Schema.Struct({
  ...BaseHookInput.fields,
  hook_event_name: Schema.Literal("PostToolUseFailure"),
  tool_name: Schema.String,
  tool_input: JsonValue,
  tool_use_id: Schema.String,
  error: Schema.String,
  is_interrupt: optional(Schema.Boolean),
  duration_ms: optional(JsonNumber),
  mcp_server: optional(McpServerProvenance)
}).annotations({ identifier: "PostToolUseFailureHookInput" })
export interface PostToolUseFailureHookInput extends Schema.Schema.Type<typeof PostToolUseFailureHookInput> {}

/** After all tool calls of one message. */
export const PostToolBatchHookInput = Schema.Struct({
  ...BaseHookInput.fields,
  hook_event_name: Schema.Literal("PostToolBatch"),
  tool_calls: Schema.Array(Schema.Struct({
    tool_name: Schema.String,
    tool_input: JsonValue,
    tool_use_id: Schema.String,
    tool_response: optional(JsonValue)
  }))
}).annotations({ identifier: "PostToolBatchHookInput" })
export interface PostToolBatchHookInput extends Schema.Schema.Type<typeof PostToolBatchHookInput> {}

/** Before a permission question is asked. */
export const PermissionRequestHookInput = Schema.Struct({
  ...BaseHookInput.fields,
  hook_event_name: Schema.Literal("PermissionRequest"),
  tool_name: Schema.String,
  tool_input: JsonValue,
  permission_suggestions: optional(Schema.Array(PermissionUpdate)),
  mcp_server: optional(McpServerProvenance)
}).annotations({ identifier: "PermissionRequestHookInput" })
export interface PermissionRequestHookInput extends Schema.Schema.Type<typeof PermissionRequestHookInput> {}

/** After auto mode denied a tool call. */
export const PermissionDeniedHookInput = Schema.Struct({
  ...BaseHookInput.fields,
  hook_event_name: Schema.Literal("PermissionDenied"),
  tool_name: Schema.String,
  tool_input: JsonValue,
  tool_use_id: Schema.String,
  reason: Schema.String,
  mcp_server: optional(McpServerProvenance)
}).annotations({ identifier: "PermissionDeniedHookInput" })
export interface PermissionDeniedHookInput extends Schema.Schema.Type<typeof PermissionDeniedHookInput> {}

/** When the CLI wants attention. */
export const NotificationHookInput = Schema.Struct({
  ...BaseHookInput.fields,
  hook_event_name: Schema.Literal("Notification"),
  message: Schema.String,
  title: optional(Schema.String),
  notification_type: optional(Schema.String)
}).annotations({ identifier: "NotificationHookInput" })
export interface NotificationHookInput extends Schema.Schema.Type<typeof NotificationHookInput> {}

/** When a prompt is submitted. */
export const UserPromptSubmitHookInput = Schema.Struct({
  ...BaseHookInput.fields,
  hook_event_name: Schema.Literal("UserPromptSubmit"),
  prompt: Schema.String,
  source: optional(Open.literal("user", "sdk", "system", "loop_wakeup", "schedule_wakeup", "poll_event")),
  session_title: optional(Schema.String)
}).annotations({ identifier: "UserPromptSubmitHookInput" })
export interface UserPromptSubmitHookInput extends Schema.Schema.Type<typeof UserPromptSubmitHookInput> {}

/** When a slash command or an MCP prompt becomes a prompt. */
export const UserPromptExpansionHookInput = Schema.Struct({
  ...BaseHookInput.fields,
  hook_event_name: Schema.Literal("UserPromptExpansion"),
  expansion_type: Open.literal("slash_command", "mcp_prompt"),
  command_name: Schema.String,
  command_args: Schema.String,
  command_source: optional(Schema.String),
  prompt: Schema.String
}).annotations({ identifier: "UserPromptExpansionHookInput" })
export interface UserPromptExpansionHookInput extends Schema.Schema.Type<typeof UserPromptExpansionHookInput> {}

/** When a session starts, resumes, is cleared or compacted. */
export const SessionStartHookInput = Schema.Struct({
  ...BaseHookInput.fields,
  hook_event_name: Schema.Literal("SessionStart"),
  source: Open.literal("clear", "resume", "compact", "startup", "fork"),
  model: optional(Schema.String),
  session_title: optional(Schema.String),
  seconds_since_last_response: optional(JsonNumber),
  context_tokens: optional(JsonNumber),
  prompt_cache_likely_expired: optional(Schema.Boolean),
  estimated_cache_write_usd: optional(JsonNumber)
}).annotations({ identifier: "SessionStartHookInput" })
export interface SessionStartHookInput extends Schema.Schema.Type<typeof SessionStartHookInput> {}

/** When a session ends. */
export const SessionEndHookInput = Schema.Struct({
  ...BaseHookInput.fields,
  hook_event_name: Schema.Literal("SessionEnd"),
  reason: Open.literal("clear", "resume", "logout", "prompt_input_exit", "other")
}).annotations({ identifier: "SessionEndHookInput" })
export interface SessionEndHookInput extends Schema.Schema.Type<typeof SessionEndHookInput> {}

/** When the model stops. */
export const StopHookInput = Schema.Struct({
  ...BaseHookInput.fields,
  hook_event_name: Schema.Literal("Stop"),
  stop_hook_active: Schema.Boolean,
  last_assistant_message: optional(Schema.String),
  background_tasks: optional(Schema.Array(BackgroundTaskSummary)),
  session_crons: optional(Schema.Array(SessionCronSummary))
}).annotations({ identifier: "StopHookInput" })
export interface StopHookInput extends Schema.Schema.Type<typeof StopHookInput> {}

/** When a turn ended by an API failure. */
export const StopFailureHookInput = Schema.Struct({
  ...BaseHookInput.fields,
  hook_event_name: Schema.Literal("StopFailure"),
  error: AssistantError,
  error_details: optional(Schema.String),
  last_assistant_message: optional(Schema.String)
}).annotations({ identifier: "StopFailureHookInput" })
export interface StopFailureHookInput extends Schema.Schema.Type<typeof StopFailureHookInput> {}

/** When a subagent starts. */
export const SubagentStartHookInput = Schema.Struct({
  ...BaseHookInput.fields,
  agent_id: Schema.String,
  agent_type: Schema.String,
  hook_event_name: Schema.Literal("SubagentStart")
}).annotations({ identifier: "SubagentStartHookInput" })
export interface SubagentStartHookInput extends Schema.Schema.Type<typeof SubagentStartHookInput> {}

/** When a subagent stops. */
export const SubagentStopHookInput = Schema.Struct({
  ...BaseHookInput.fields,
  hook_event_name: Schema.Literal("SubagentStop"),
  stop_hook_active: Schema.Boolean,
  agent_transcript_path: optional(Schema.String),
  last_assistant_message: optional(Schema.String),
  background_tasks: optional(Schema.Array(BackgroundTaskSummary)),
  session_crons: optional(Schema.Array(SessionCronSummary))
}).annotations({ identifier: "SubagentStopHookInput" })
export interface SubagentStopHookInput extends Schema.Schema.Type<typeof SubagentStopHookInput> {}

/** Before the conversation is compacted. */
export const PreCompactHookInput = Schema.Struct({
  ...BaseHookInput.fields,
  hook_event_name: Schema.Literal("PreCompact"),
  trigger: Open.literal("auto", "manual"),
  custom_instructions: Schema.NullOr(Schema.String)
}).annotations({ identifier: "PreCompactHookInput" })
export interface PreCompactHookInput extends Schema.Schema.Type<typeof PreCompactHookInput> {}

/** After the conversation was compacted. */
export const PostCompactHookInput = Schema.Struct({
  ...BaseHookInput.fields,
  hook_event_name: Schema.Literal("PostCompact"),
  trigger: Open.literal("auto", "manual"),
  compact_summary: Schema.String
}).annotations({ identifier: "PostCompactHookInput" })
export interface PostCompactHookInput extends Schema.Schema.Type<typeof PostCompactHookInput> {}

/** Before the model is switched. */
export const PreModelSwitchHookInput = Schema.Struct({
  ...BaseHookInput.fields,
  hook_event_name: Schema.Literal("PreModelSwitch"),
  from_model: Schema.String,
  to_model: Schema.String,
  requested_model: Schema.NullOr(Schema.String),
  source: Open.literal("sdk", "command", "picker"),
  context_tokens: JsonNumber,
  prompt_cache_warm: Schema.Boolean,
  cache_ttl: Open.literal("5m", "1h"),
  estimated_cache_write_usd: JsonNumber,
  pricing: Open.literal("default", "configured", "catalog")
}).annotations({ identifier: "PreModelSwitchHookInput" })
export interface PreModelSwitchHookInput extends Schema.Schema.Type<typeof PreModelSwitchHookInput> {}

/** After the model was switched. */
export const PostModelSwitchHookInput = Schema.Struct({
  ...BaseHookInput.fields,
  hook_event_name: Schema.Literal("PostModelSwitch"),
  from_model: Schema.String,
  to_model: Schema.String,
  requested_model: Schema.NullOr(Schema.String),
  source: Open.literal("auto", "resume", "sdk", "command", "picker"),
  context_tokens: JsonNumber,
  prompt_cache_warm: Schema.Boolean,
  cache_ttl: Open.literal("5m", "1h"),
  estimated_cache_write_usd: JsonNumber,
  pricing: Open.literal("default", "configured", "catalog")
}).annotations({ identifier: "PostModelSwitchHookInput" })
export interface PostModelSwitchHookInput extends Schema.Schema.Type<typeof PostModelSwitchHookInput> {}

/** When the CLI is set up or maintained. */
export const SetupHookInput = Schema.Struct({
  ...BaseHookInput.fields,
  hook_event_name: Schema.Literal("Setup"),
  trigger: Open.literal("init", "maintenance")
}).annotations({ identifier: "SetupHookInput" })
export interface SetupHookInput extends Schema.Schema.Type<typeof SetupHookInput> {}

/** When a teammate has nothing to do. */
export const TeammateIdleHookInput = Schema.Struct({
  ...BaseHookInput.fields,
  hook_event_name: Schema.Literal("TeammateIdle"),
  teammate_name: Schema.String,
  team_name: Schema.String
}).annotations({ identifier: "TeammateIdleHookInput" })
export interface TeammateIdleHookInput extends Schema.Schema.Type<typeof TeammateIdleHookInput> {}

/** When a task is created. */
export const TaskCreatedHookInput = Schema.Struct({
  ...BaseHookInput.fields,
  hook_event_name: Schema.Literal("TaskCreated"),
  task_id: Schema.String,
  task_subject: Schema.String,
  task_description: optional(Schema.String),
  teammate_name: optional(Schema.String),
  team_name: optional(Schema.String)
}).annotations({ identifier: "TaskCreatedHookInput" })
export interface TaskCreatedHookInput extends Schema.Schema.Type<typeof TaskCreatedHookInput> {}

/** When a task is completed. */
export const TaskCompletedHookInput = Schema.Struct({
  ...BaseHookInput.fields,
  hook_event_name: Schema.Literal("TaskCompleted"),
  task_id: Schema.String,
  task_subject: Schema.String,
  task_description: optional(Schema.String),
  teammate_name: optional(Schema.String),
  team_name: optional(Schema.String)
}).annotations({ identifier: "TaskCompletedHookInput" })
export interface TaskCompletedHookInput extends Schema.Schema.Type<typeof TaskCompletedHookInput> {}

/** When an MCP server asks the user something. */
export const ElicitationHookInput = Schema.Struct({
  ...BaseHookInput.fields,
  hook_event_name: Schema.Literal("Elicitation"),
  mcp_server_name: Schema.String,
  message: Schema.String,
  mode: optional(Open.literal("form", "url")),
  url: optional(Schema.String),
  elicitation_id: optional(Schema.String),
  requested_schema: optional(JsonObject)
}).annotations({ identifier: "ElicitationHookInput" })
export interface ElicitationHookInput extends Schema.Schema.Type<typeof ElicitationHookInput> {}

/** When such a question was answered. */
export const ElicitationResultHookInput = Schema.Struct({
  ...BaseHookInput.fields,
  hook_event_name: Schema.Literal("ElicitationResult"),
  mcp_server_name: Schema.String,
  elicitation_id: optional(Schema.String),
  mode: optional(Open.literal("form", "url")),
  action: Open.literal("accept", "decline", "cancel"),
  content: optional(JsonObject)
}).annotations({ identifier: "ElicitationResultHookInput" })
export interface ElicitationResultHookInput extends Schema.Schema.Type<typeof ElicitationResultHookInput> {}

/** When a settings file changed. */
export const ConfigChangeHookInput = Schema.Struct({
  ...BaseHookInput.fields,
  hook_event_name: Schema.Literal("ConfigChange"),
  source: Open.literal("user_settings", "project_settings", "local_settings", "policy_settings", "skills"),
  file_path: optional(Schema.String)
}).annotations({ identifier: "ConfigChangeHookInput" })
export interface ConfigChangeHookInput extends Schema.Schema.Type<typeof ConfigChangeHookInput> {}

/** When an instruction file was read. */
export const InstructionsLoadedHookInput = Schema.Struct({
  ...BaseHookInput.fields,
  hook_event_name: Schema.Literal("InstructionsLoaded"),
  file_path: Schema.String,
  memory_type: Open.literal("User", "Project", "Local", "Managed"),
  load_reason: Open.literal("session_start", "nested_traversal", "path_glob_match", "include", "compact"),
  globs: optional(Schema.Array(Schema.String)),
  trigger_file_path: optional(Schema.String),
  parent_file_path: optional(Schema.String)
}).annotations({ identifier: "InstructionsLoadedHookInput" })
export interface InstructionsLoadedHookInput extends Schema.Schema.Type<typeof InstructionsLoadedHookInput> {}

/** When a worktree is to be created. */
export const WorktreeCreateHookInput = Schema.Struct({
  ...BaseHookInput.fields,
  hook_event_name: Schema.Literal("WorktreeCreate"),
  name: Schema.String
}).annotations({ identifier: "WorktreeCreateHookInput" })
export interface WorktreeCreateHookInput extends Schema.Schema.Type<typeof WorktreeCreateHookInput> {}

/** When a worktree was removed. */
export const WorktreeRemoveHookInput = Schema.Struct({
  ...BaseHookInput.fields,
  hook_event_name: Schema.Literal("WorktreeRemove"),
  worktree_path: Schema.String
}).annotations({ identifier: "WorktreeRemoveHookInput" })
export interface WorktreeRemoveHookInput extends Schema.Schema.Type<typeof WorktreeRemoveHookInput> {}

/** When the working directory changed. */
export const CwdChangedHookInput = Schema.Struct({
  ...BaseHookInput.fields,
  hook_event_name: Schema.Literal("CwdChanged"),
  old_cwd: Schema.String,
  new_cwd: Schema.String
}).annotations({ identifier: "CwdChangedHookInput" })
export interface CwdChangedHookInput extends Schema.Schema.Type<typeof CwdChangedHookInput> {}

/** When a working directory was added. */
export const DirectoryAddedHookInput = Schema.Struct({
  ...BaseHookInput.fields,
  hook_event_name: Schema.Literal("DirectoryAdded"),
  directory: Schema.String,
  source: Open.literal("slash_command", "register_repo_root")
}).annotations({ identifier: "DirectoryAddedHookInput" })
export interface DirectoryAddedHookInput extends Schema.Schema.Type<typeof DirectoryAddedHookInput> {}

/** When a watched file changed. */
export const FileChangedHookInput = Schema.Struct({
  ...BaseHookInput.fields,
  hook_event_name: Schema.Literal("FileChanged"),
  file_path: Schema.String,
  event: Open.literal("change", "add", "unlink")
}).annotations({ identifier: "FileChangedHookInput" })
export interface FileChangedHookInput extends Schema.Schema.Type<typeof FileChangedHookInput> {}

/** When text of a message is about to be shown. */
export const MessageDisplayHookInput = Schema.Struct({
  ...BaseHookInput.fields,
  hook_event_name: Schema.Literal("MessageDisplay"),
  turn_id: Schema.String,
  message_id: Schema.String,
  index: JsonNumber,
  final: Schema.Boolean,
  delta: Schema.String
}).annotations({ identifier: "MessageDisplayHookInput" })
export interface MessageDisplayHookInput extends Schema.Schema.Type<typeof MessageDisplayHookInput> {}
