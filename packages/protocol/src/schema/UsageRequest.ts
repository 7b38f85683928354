/**
 * Control requests about cost and plan limits.
 *
 * @since 0.1.0
 * @stability stable
 */
import * as Schema from "effect/Schema"
import { optional } from "../internal/fields.js"
import { JsonNumber } from "./Json.js"
import * as Open from "./Open.js"
import { ModelUsageByName, SpendLimit } from "./Usage.js"

/** Totals of the session. */
export const SessionUsage = Schema.Struct({
  total_cost_usd: JsonNumber,
  total_api_duration_ms: JsonNumber,
  total_duration_ms: JsonNumber,
  total_lines_added: JsonNumber,
  total_lines_removed: JsonNumber,
  model_usage: ModelUsageByName
}).annotations({ identifier: "SessionUsage" })
export interface SessionUsage extends Schema.Schema.Type<typeof SessionUsage> {}

/** How full one limit is. */
export const RateLimitWindow = Schema.Struct({
  utilization: Schema.NullOr(JsonNumber),
  resets_at: Schema.NullOr(Schema.String)
}).annotations({ identifier: "RateLimitWindow" })
export interface RateLimitWindow extends Schema.Schema.Type<typeof RateLimitWindow> {}

/** A share of the usage, by name. */
export const NamedShare = Schema.Struct({
  name: Schema.String,
  pct: JsonNumber
}).annotations({ identifier: "NamedShare" })
export interface NamedShare extends Schema.Schema.Type<typeof NamedShare> {}

/** Where usage of a period went. */
export const UsageBehaviors = Schema.Struct({
  request_count: JsonNumber,
  session_count: JsonNumber,
  behaviors: Schema.Array(Schema.Struct({
    key: Open.literal(
      "cache_miss",
      "long_context",
      "subagent_heavy",
      "high_parallel",
      "cron",
      "max_effort",
      "workflow",
      "always_on_context",
      "large_tool_results"
    ),
    pct: JsonNumber,
    count: JsonNumber
  })),
  recommendations: optional(
    Schema.Array(
      Schema.Struct({ key: Schema.String, pct: JsonNumber, title: Schema.String, detail: optional(Schema.String) })
    )
  ),
  fix: optional(Schema.Struct({ keys: Schema.Array(Schema.String), messages: Schema.Array(Schema.String) })),
  agents: Schema.Array(NamedShare),
  skills: Schema.Array(NamedShare),
  plugins: Schema.Array(NamedShare),
  mcp_servers: Schema.Array(NamedShare)
}).annotations({ identifier: "UsageBehaviors" })
export interface UsageBehaviors extends Schema.Schema.Type<typeof UsageBehaviors> {}

/** Asks for cost and plan limits. */
export const GetUsageRequest = Schema.Struct({
  subtype: Schema.Literal("get_usage"),
  skip_behaviors: optional(Schema.Boolean)
}).annotations({ identifier: "GetUsageRequest" })
export interface GetUsageRequest extends Schema.Schema.Type<typeof GetUsageRequest> {}

/** Cost and plan limits. */
export const GetUsageResponse = Schema.Struct({
  session: SessionUsage,
  subscription_type: Schema.NullOr(Schema.String),
  rate_limits_available: Schema.Boolean,
  rate_limits: Schema.NullOr(Schema.Struct({
    five_hour: optional(Schema.NullOr(RateLimitWindow)),
    seven_day: optional(Schema.NullOr(RateLimitWindow)),
    seven_day_oauth_apps: optional(Schema.NullOr(RateLimitWindow)),
    seven_day_opus: optional(Schema.NullOr(RateLimitWindow)),
    seven_day_sonnet: optional(Schema.NullOr(RateLimitWindow)),
    model_scoped: optional(Schema.Array(Schema.Struct({ display_name: Schema.String, ...RateLimitWindow.fields }))),
    extra_usage: optional(Schema.NullOr(SpendLimit))
  })),
  behaviors: Schema.NullOr(Schema.Struct({ day: UsageBehaviors, week: UsageBehaviors }))
}).annotations({ identifier: "GetUsageResponse" })
export interface GetUsageResponse extends Schema.Schema.Type<typeof GetUsageResponse> {}

/** Asks for the cost so far, as text. */
export const GetSessionCostRequest = Schema.Struct({
  subtype: Schema.Literal("get_session_cost")
}).annotations({ identifier: "GetSessionCostRequest" })
export interface GetSessionCostRequest extends Schema.Schema.Type<typeof GetSessionCostRequest> {}

/** The cost so far, as text. */
export const GetSessionCostResponse = Schema.Struct({ text: Schema.String }).annotations({
  identifier: "GetSessionCostResponse"
})
export interface GetSessionCostResponse extends Schema.Schema.Type<typeof GetSessionCostResponse> {}
