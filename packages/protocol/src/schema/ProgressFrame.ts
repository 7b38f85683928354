/**
 * Frames that tell a person what is going on while a turn runs.
 *
 * @since 0.1.0
 * @stability stable
 */
import * as Schema from "effect/Schema"
import { optional } from "../internal/fields.js"
import { JsonNumber } from "./Json.js"

/** `tool_progress`: a tool is still running. */
export const ToolProgressFrame = Schema.Struct({
  type: Schema.Literal("tool_progress"),
  tool_use_id: Schema.String,
  tool_name: Schema.String,
  parent_tool_use_id: Schema.NullOr(Schema.String),
  elapsed_time_seconds: JsonNumber,
  task_id: optional(Schema.String),
  uuid: Schema.String,
  session_id: Schema.String,
  heartbeat: optional(Schema.Boolean),
  subagent_type: optional(Schema.String),
  subagent_retry: optional(Schema.Struct({
    agent_id: Schema.String,
    attempt: JsonNumber,
    max_retries: JsonNumber,
    retry_delay_ms: JsonNumber,
    error_status: Schema.NullOr(JsonNumber),
    error_category: Schema.String
  }))
}).annotations({ identifier: "ToolProgressFrame" })
export interface ToolProgressFrame extends Schema.Schema.Type<typeof ToolProgressFrame> {}

/** `tool_use_summary`: a sentence about the tool calls just made. */
export const ToolUseSummaryFrame = Schema.Struct({
  type: Schema.Literal("tool_use_summary"),
  summary: Schema.String,
  preceding_tool_use_ids: Schema.Array(Schema.String),
  uuid: Schema.String,
  session_id: Schema.String
}).annotations({ identifier: "ToolUseSummaryFrame" })
export interface ToolUseSummaryFrame extends Schema.Schema.Type<typeof ToolUseSummaryFrame> {}

/** `prompt_suggestion`: what the user may want to say next. */
export const PromptSuggestionFrame = Schema.Struct({
  type: Schema.Literal("prompt_suggestion"),
  suggestion: Schema.String,
  uuid: Schema.String,
  session_id: Schema.String
}).annotations({ identifier: "PromptSuggestionFrame" })
export interface PromptSuggestionFrame extends Schema.Schema.Type<typeof PromptSuggestionFrame> {}

/** `auth_status`: a login is under way. */
export const AuthStatusFrame = Schema.Struct({
  type: Schema.Literal("auth_status"),
  isAuthenticating: Schema.Boolean,
  output: Schema.Array(Schema.String),
  error: optional(Schema.String),
  uuid: Schema.String,
  session_id: Schema.String
}).annotations({ identifier: "AuthStatusFrame" })
export interface AuthStatusFrame extends Schema.Schema.Type<typeof AuthStatusFrame> {}

/** `active_goal`: the goal that the session works towards, or `null`. */
export const ActiveGoalFrame = Schema.Struct({
  type: Schema.Literal("active_goal"),
  value: Schema.NullOr(Schema.Struct({
    condition: Schema.String,
    iterations: JsonNumber,
    set_at: JsonNumber,
    tokens_at_start: JsonNumber,
    last_reason: optional(Schema.String)
  })),
  uuid: Schema.String,
  session_id: Schema.String
}).annotations({ identifier: "ActiveGoalFrame" })
export interface ActiveGoalFrame extends Schema.Schema.Type<typeof ActiveGoalFrame> {}
