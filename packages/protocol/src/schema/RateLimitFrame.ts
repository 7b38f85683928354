/**
 * `rate_limit_event`: where the account stands against its limits.
 *
 * @since 0.1.0
 * @stability stable
 */
import * as Schema from "effect/Schema"
import { optional } from "../internal/fields.js"
import { JsonNumber } from "./Json.js"
import * as Open from "./Open.js"

/** The limit that matters most at the moment. */
export const RateLimitInfo = Schema.Struct({
  status: Open.literal("allowed", "allowed_warning", "rejected"),
  resetsAt: optional(JsonNumber),
  rateLimitType: optional(
    Open.literal(
      "five_hour",
      "seven_day",
      "seven_day_opus",
      "seven_day_sonnet",
      "seven_day_overage_included",
      "overage"
    )
  ),
  utilization: optional(JsonNumber),
  overageStatus: optional(Open.literal("allowed", "allowed_warning", "rejected")),
  overageResetsAt: optional(JsonNumber),
  overageDisabledReason: optional(
    Open.literal(
      "unknown",
      "overage_not_provisioned",
      "org_level_disabled",
      "org_level_disabled_until",
      "out_of_credits",
      "seat_tier_level_disabled",
      "member_level_disabled",
      "seat_tier_zero_credit_limit",
      "group_zero_credit_limit",
      "member_zero_credit_limit",
      "org_service_level_disabled",
      "no_limits_configured",
      "fetch_error"
    )
  ),
  isUsingOverage: optional(Schema.Boolean),
  overageInUse: optional(Schema.Boolean),
  overageEnabled: optional(Schema.Boolean),
  surpassedThreshold: optional(JsonNumber),
  limitScope: optional(Open.literal("channel", "service", "group_pool")),
  errorCode: optional(Open.literal("credits_required")),
  canUserPurchaseCredits: optional(Schema.Boolean),
  hasChargeableSavedPaymentMethod: optional(Schema.Boolean)
}).annotations({ identifier: "RateLimitInfo" })
export interface RateLimitInfo extends Schema.Schema.Type<typeof RateLimitInfo> {}

/** `rate_limit_event`. */
export const RateLimitFrame = Schema.Struct({
  type: Schema.Literal("rate_limit_event"),
  rate_limit_info: RateLimitInfo,
  uuid: Schema.String,
  session_id: Schema.String
}).annotations({ identifier: "RateLimitFrame" })
export interface RateLimitFrame extends Schema.Schema.Type<typeof RateLimitFrame> {}
