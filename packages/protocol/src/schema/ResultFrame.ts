/**
 * `result`: the end of a turn. Not the end of the session, and not always of the turn that the host sent: see
 * `SessionMachine`. `total_cost_usd` and `modelUsage` are running totals, of a resumed session
 * from its beginning; `usage` and `model_usage_since_last_result` are the turn's own.
 *
 * @since 0.1.0
 * @stability stable
 */
import * as Schema from "effect/Schema"
import { optional } from "../internal/fields.js"
import { JsonNumber, JsonObject, JsonValue } from "./Json.js"
import { FastModeDisabledReason, FastModeState } from "./Model.js"
import * as Open from "./Open.js"
import { Origin } from "./Origin.js"
import { ModelUsageByName, Usage } from "./Usage.js"

/** What ended the turn. `aborted_*` means that it was interrupted. */
export const TerminalReason = Open.literal(
  "completed",
  "blocking_limit",
  "rapid_refill_breaker",
  "prompt_too_long",
  "image_error",
  "model_error",
  "api_error",
  "malformed_tool_use_exhausted",
  "aborted_streaming",
  "aborted_tools",
  "stop_hook_prevented",
  "hook_stopped",
  "tool_deferred",
  "max_turns",
  "background_requested",
  "budget_exhausted",
  "structured_output_retry_exhausted",
  "tool_deferred_unavailable",
  "turn_setup_failed"
).annotations({ identifier: "TerminalReason" })
export type TerminalReason = typeof TerminalReason.Type

/** Why a CLI that could not start gives up. */
export const StartupFailureReason = Open.literal(
  "org_pin_api_key_conflict",
  "provider_not_allowed",
  "org_verify_failed",
  "org_pin_mismatch",
  "managed_settings_invalid",
  "remote_settings_required_unavailable",
  "gateway_signin_required",
  "gateway_access_denied",
  "proxy_invalid",
  "temp_dir_unusable",
  "cwd_unavailable",
  "shell_tool_missing",
  "session_held_by_background",
  "worktree_resume_refused",
  "worktree_unverified",
  "cli_version_too_old",
  "bypass_root",
  "org_config_required_unavailable",
  "org_config_refused",
  "sandbox_required_unavailable",
  "initialize_not_first",
  "config_file_invalid",
  "managed_settings_not_delivered"
).annotations({ identifier: "StartupFailureReason" })
export type StartupFailureReason = typeof StartupFailureReason.Type

/** A tool call of the turn that was not allowed. */
export const PermissionDenial = Schema.Struct({
  tool_name: Schema.String,
  tool_use_id: Schema.String,
  tool_input: JsonObject
}).annotations({ identifier: "PermissionDenial" })
export interface PermissionDenial extends Schema.Schema.Type<typeof PermissionDenial> {}

/** A tool call that a hook put off; the turn ends with it. */
export const DeferredToolUse = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  input: JsonObject
}).annotations({ identifier: "DeferredToolUse" })
export interface DeferredToolUse extends Schema.Schema.Type<typeof DeferredToolUse> {}

/** What every result has. */
const common = {
  type: Schema.Literal("result"),
  session_id: Schema.String,
  uuid: optional(Schema.String),
  is_error: Schema.Boolean,
  num_turns: JsonNumber,
  duration_ms: JsonNumber,
  duration_api_ms: JsonNumber,
  total_cost_usd: JsonNumber,
  usage: optional(Usage),
  modelUsage: optional(ModelUsageByName),
  model_usage_since_last_result: optional(ModelUsageByName),
  permission_denials: optional(Schema.Array(PermissionDenial)),
  stop_reason: optional(Schema.NullOr(Schema.String)),
  terminal_reason: optional(TerminalReason),
  user_message_uuid: optional(Schema.String),
  user_message_uuids: optional(Schema.Array(Schema.String)),
  origin: optional(Origin),
  resume_reason: optional(Schema.String),
  queued_turn_count: optional(JsonNumber),
  result_index: optional(JsonNumber),
  credential_expires_at: optional(Schema.String),
  fast_mode_state: optional(FastModeState),
  fast_mode_disabled_reason: optional(FastModeDisabledReason),
  subagent_stats: optional(JsonObject),
  safety_stops: optional(JsonNumber)
}

/** What a post to a remote listener waited for. */
const queuedBehind = Open.literal("none", "durable_post", "ephemeral_post", "retry_backoff", "hold")

/** A turn that reached its end. `is_error` may still be true, for an API failure. */
export const ResultSuccessFrame = Schema.Struct({
  ...common,
  subtype: Schema.Literal("success"),
  result: Schema.String,
  structured_output: optional(JsonValue),
  deferred_tool_use: optional(DeferredToolUse),
  local_command: optional(Schema.String),
  api_error_status: optional(Schema.NullOr(JsonNumber)),
  api_error_type: optional(Schema.NullOr(Schema.String)),
  ttft_ms: optional(JsonNumber),
  ttft_stream_ms: optional(JsonNumber),
  time_origin_ms: optional(JsonNumber),
  time_to_request_ms: optional(JsonNumber),
  time_to_request_from_spawn_ms: optional(JsonNumber),
  request_sent_wall_ms: optional(JsonNumber),
  first_request_input_tokens: optional(JsonNumber),
  first_request_cache_read_input_tokens: optional(JsonNumber),
  first_content_frame_ms: optional(JsonNumber),
  first_stream_post_ms: optional(JsonNumber),
  first_stream_post_ack_ms: optional(JsonNumber),
  first_stream_post_queue_wait_ms: optional(JsonNumber),
  first_stream_post_queued_behind: optional(queuedBehind),
  first_stream_post_wall_ms: optional(JsonNumber),
  first_text_post_ms: optional(JsonNumber),
  first_text_post_queue_wait_ms: optional(JsonNumber),
  first_text_post_queued_behind: optional(queuedBehind),
  first_text_post_wall_ms: optional(JsonNumber),
  warm_spare_claimed: optional(Schema.Boolean)
}).annotations({ identifier: "ResultSuccessFrame" })
export interface ResultSuccessFrame extends Schema.Schema.Type<typeof ResultSuccessFrame> {}

/** A turn that did not reach its end: interrupted, out of turns, over budget, or failed. */
export const ResultErrorFrame = Schema.Struct({
  ...common,
  subtype: Open.except(
    ["success"],
    "error_during_execution",
    "error_max_turns",
    "error_max_budget_usd",
    "error_max_structured_output_retries"
  ),
  errors: optional(Schema.Array(Schema.String)),
  startup_failure_reason: optional(StartupFailureReason),
  invalid_config_file: optional(Schema.Struct({
    path: Schema.String,
    is_global: Schema.Boolean,
    backup_searched: Schema.Boolean,
    backup_path: optional(Schema.String)
  }))
}).annotations({ identifier: "ResultErrorFrame" })
export interface ResultErrorFrame extends Schema.Schema.Type<typeof ResultErrorFrame> {}

/** The end of a turn. */
export const ResultFrame = Schema.Union(ResultSuccessFrame, ResultErrorFrame).annotations({ identifier: "ResultFrame" })
export type ResultFrame = typeof ResultFrame.Type
