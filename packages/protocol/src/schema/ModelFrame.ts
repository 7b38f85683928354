/**
 * `system` frames about the calls to the model: retries, refusals, thinking.
 *
 * @since 0.1.0
 * @stability stable
 */
import * as Schema from "effect/Schema"
import { optional } from "../internal/fields.js"
import { AssistantError } from "./AssistantFrame.js"
import { JsonNumber } from "./Json.js"
import * as Open from "./Open.js"

/** `system/api_retry`: a request failed and is repeated. */
export const ApiRetryFrame = Schema.Struct({
  type: Schema.Literal("system"),
  subtype: Schema.Literal("api_retry"),
  attempt: JsonNumber,
  max_retries: JsonNumber,
  retry_delay_ms: JsonNumber,
  error_status: Schema.NullOr(JsonNumber),
  error: AssistantError,
  no_response: optional(Schema.Struct({
    waited_ms: JsonNumber,
    retry_wait_ms: JsonNumber
  })),
  uuid: Schema.String,
  session_id: Schema.String
}).annotations({ identifier: "ApiRetryFrame" })
export interface ApiRetryFrame extends Schema.Schema.Type<typeof ApiRetryFrame> {}

/** `system/thinking_tokens`: an estimate of how much was thought so far. */
export const ThinkingTokensFrame = Schema.Struct({
  type: Schema.Literal("system"),
  subtype: Schema.Literal("thinking_tokens"),
  estimated_tokens: JsonNumber,
  estimated_tokens_delta: JsonNumber,
  user_message_uuid: optional(Schema.String),
  uuid: Schema.String,
  session_id: Schema.String
}).annotations({ identifier: "ThinkingTokensFrame" })
export interface ThinkingTokensFrame extends Schema.Schema.Type<typeof ThinkingTokensFrame> {}

/** `system/model_refusal_fallback`: the model refused and another one takes over. */
export const ModelRefusalFallbackFrame = Schema.Struct({
  type: Schema.Literal("system"),
  subtype: Schema.Literal("model_refusal_fallback"),
  trigger: Open.literal("refusal"),
  direction: Open.literal("retry", "revert", "sticky"),
  scope: optional(Open.literal("local", "session")),
  original_model: Schema.String,
  fallback_model: Schema.String,
  request_id: Schema.NullOr(Schema.String),
  api_refusal_category: optional(Schema.NullOr(Schema.String)),
  api_refusal_explanation: optional(Schema.NullOr(Schema.String)),
  retracted_message_uuids: optional(Schema.Array(Schema.String)),
  refused_user_message_uuid: optional(Schema.NullOr(Schema.String)),
  content: Schema.String,
  uuid: Schema.String,
  session_id: Schema.String
}).annotations({ identifier: "ModelRefusalFallbackFrame" })
export interface ModelRefusalFallbackFrame extends Schema.Schema.Type<typeof ModelRefusalFallbackFrame> {}

/** `system/model_refusal_no_fallback`: the model refused and none takes over. */
export const ModelRefusalNoFallbackFrame = Schema.Struct({
  type: Schema.Literal("system"),
  subtype: Schema.Literal("model_refusal_no_fallback"),
  original_model: Schema.String,
  request_id: Schema.NullOr(Schema.String),
  api_refusal_category: optional(Schema.NullOr(Schema.String)),
  api_refusal_explanation: optional(Schema.NullOr(Schema.String)),
  refused_user_message_uuid: optional(Schema.NullOr(Schema.String)),
  content: Schema.String,
  uuid: Schema.String,
  session_id: Schema.String
}).annotations({ identifier: "ModelRefusalNoFallbackFrame" })
export interface ModelRefusalNoFallbackFrame extends Schema.Schema.Type<typeof ModelRefusalNoFallbackFrame> {}
