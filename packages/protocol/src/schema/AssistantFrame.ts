/**
 * `assistant`: one message of the model, whole. A turn has several when tools are used; a subagent's carry the
 * `parent_tool_use_id` of the call that started it.
 *
 * @since 0.1.0
 * @stability stable
 */
import * as Schema from "effect/Schema"
import { optional } from "../internal/fields.js"
import { ApiMessage } from "./ApiMessage.js"
import { ContextUsage } from "./ContextUsage.js"
import { JsonNumber, JsonObject, JsonValue } from "./Json.js"
import * as Open from "./Open.js"
import { SpendLimit } from "./Usage.js"
import { SessionUsage } from "./UsageRequest.js"

/** Why the API refused or failed. */
export const AssistantError = Open.literal(
  "unknown",
  "authentication_failed",
  "oauth_org_not_allowed",
  "account_on_hold",
  "verification_required",
  "billing_error",
  "rate_limit",
  "overloaded",
  "invalid_request",
  "model_not_found",
  "server_error",
  "max_output_tokens",
  "cloud_credential_error"
).annotations({ identifier: "AssistantError" })
export type AssistantError = typeof AssistantError.Type

/** Cost and plan limits, on assistant frames of hosts that asked for them. */
export const UsageReport = Schema.Struct({
  session: SessionUsage,
  rate_limits: Schema.NullOr(Schema.Struct({
    limits: Schema.NullOr(Schema.Array(Schema.Struct({
      kind: Schema.String,
      group: Schema.String,
      percent: JsonNumber,
      resets_at: Schema.NullOr(Schema.String),
      scope: optional(Schema.NullOr(JsonObject)),
      severity: Schema.String,
      is_active: Schema.Boolean
    }))),
    extra_usage: optional(Schema.NullOr(SpendLimit))
  }))
}).annotations({ identifier: "UsageReport" })
export interface UsageReport extends Schema.Schema.Type<typeof UsageReport> {}

/** A message of the model. */
export const AssistantFrame = Schema.Struct({
  type: Schema.Literal("assistant"),
  message: ApiMessage,
  parent_tool_use_id: Schema.NullOr(Schema.String),
  error: optional(AssistantError),
  uuid: optional(Schema.String),
  session_id: Schema.String,
  request_id: optional(Schema.String),
  user_message_uuid: optional(Schema.String),
  user_message_uuids: optional(Schema.Array(Schema.String)),
  resume_reason: optional(Schema.String),
  resumed_from_incomplete_thinking: optional(Schema.Boolean),
  supersedes: optional(Schema.Array(JsonValue)),
  aborted: optional(Schema.Boolean),
  agent_id: optional(Schema.String),
  subagent_type: optional(Schema.String),
  task_description: optional(Schema.String),
  timestamp: optional(Schema.String),
  context_usage: optional(ContextUsage),
  usage_report: optional(UsageReport),
  is_api_error_message: optional(Schema.Boolean),
  api_error_status: optional(Schema.NullOr(JsonNumber)),
  api_error_type: optional(Schema.NullOr(Schema.String)),
  tool_use_meta: optional(JsonValue),
  thinking_duration_ms: optional(JsonNumber),
  thinking_display: optional(Schema.String),
  /** A command that the CLI carried out by itself: what it printed, and which it was. */
  local_command_source: optional(Schema.String),
  local_command_run: optional(Schema.Struct({ command: Schema.String, args: Schema.String }))
}).annotations({ identifier: "AssistantFrame" })
export interface AssistantFrame extends Schema.Schema.Type<typeof AssistantFrame> {}
