/**
 * Tokens and money. {@link Usage} is the API's count for one message or one turn; {@link ModelUsage} is the CLI's running
 * total by model.
 *
 * @since 0.1.0
 * @stability stable
 */
import * as Schema from "effect/Schema"
import { optional } from "../internal/fields.js"
import { JsonNumber, JsonObject } from "./Json.js"
import * as Open from "./Open.js"

/** Tokens of one message or of one turn, as the API counts them. */
export const Usage = Schema.Struct({
  input_tokens: JsonNumber,
  output_tokens: JsonNumber,
  cache_creation_input_tokens: optional(Schema.NullOr(JsonNumber)),
  cache_read_input_tokens: optional(Schema.NullOr(JsonNumber)),
  cache_creation: optional(Schema.NullOr(Schema.Struct({
    ephemeral_1h_input_tokens: JsonNumber,
    ephemeral_5m_input_tokens: JsonNumber
  }))),
  output_tokens_details: optional(Schema.NullOr(Schema.Struct({ thinking_tokens: JsonNumber }))),
  server_tool_use: optional(Schema.NullOr(Schema.Struct({
    web_search_requests: JsonNumber,
    web_fetch_requests: optional(JsonNumber)
  }))),
  service_tier: optional(Schema.NullOr(Open.literal("standard", "priority", "batch"))),
  inference_geo: optional(Schema.NullOr(Schema.String)),
  iterations: optional(Schema.NullOr(Schema.Array(JsonObject))),
  speed: optional(Schema.NullOr(Open.literal("standard", "fast"))),
  fallback_credit: optional(Schema.NullOr(JsonObject))
}).annotations({ identifier: "Usage" })
export interface Usage extends Schema.Schema.Type<typeof Usage> {}

/** Running totals of one model. */
export const ModelUsage = Schema.Struct({
  inputTokens: JsonNumber,
  outputTokens: JsonNumber,
  cacheReadInputTokens: JsonNumber,
  cacheCreationInputTokens: JsonNumber,
  webSearchRequests: JsonNumber,
  costUSD: JsonNumber,
  contextWindow: JsonNumber,
  maxOutputTokens: optional(JsonNumber),
  thinkingTokens: optional(JsonNumber),
  cacheCreationEphemeral5mInputTokens: optional(JsonNumber),
  cacheCreationEphemeral1hInputTokens: optional(JsonNumber),
  canonicalModel: optional(Schema.String),
  provider: optional(Schema.String),
  costBasis: optional(Open.literal("list", "managed", "unknown"))
}).annotations({ identifier: "ModelUsage" })
export interface ModelUsage extends Schema.Schema.Type<typeof ModelUsage> {}

/** Running totals by model name. */
export const ModelUsageByName = Schema.Record({ key: Schema.String, value: ModelUsage }).annotations({
  identifier: "ModelUsageByName"
})
export type ModelUsageByName = typeof ModelUsageByName.Type

/** A limit on money spent beyond the plan. */
export const SpendLimit = Schema.Struct({
  is_enabled: Schema.Boolean,
  monthly_limit: Schema.NullOr(JsonNumber),
  used_credits: Schema.NullOr(JsonNumber),
  utilization: Schema.NullOr(JsonNumber),
  currency: optional(Schema.NullOr(Schema.String))
}).annotations({ identifier: "SpendLimit" })
export interface SpendLimit extends Schema.Schema.Type<typeof SpendLimit> {}
