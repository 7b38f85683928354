/**
 * Models: what can be chosen, and how hard they are asked to think.
 *
 * @since 0.1.0
 * @stability stable
 */
import * as Schema from "effect/Schema"
import { optional } from "../internal/fields.js"
import * as Open from "./Open.js"

/** How much effort the model is asked for. */
export const EffortLevel = Open.literal("low", "medium", "high", "xhigh", "max").annotations({
  identifier: "EffortLevel"
})
export type EffortLevel = typeof EffortLevel.Type

/** One model that `set_model` takes. */
export const ModelInfo = Schema.Struct({
  value: Schema.String,
  resolvedModel: optional(Schema.String),
  displayName: Schema.String,
  description: Schema.String,
  supportsEffort: optional(Schema.Boolean),
  supportedEffortLevels: optional(Schema.Array(Open.literal("low", "medium", "high", "xhigh", "max"))),
  supportsAdaptiveThinking: optional(Schema.Boolean),
  supportsFastMode: optional(Schema.Boolean),
  supportsAutoMode: optional(Schema.Boolean),
  supportsThinkingOff: optional(Schema.Boolean)
}).annotations({ identifier: "ModelInfo" })
export interface ModelInfo extends Schema.Schema.Type<typeof ModelInfo> {}

/** Whether fast mode is on. */
export const FastModeState = Open.literal("off", "cooldown", "on").annotations({ identifier: "FastModeState" })
export type FastModeState = typeof FastModeState.Type

/** Why fast mode cannot be switched on. */
export const FastModeDisabledReason = Open.literal(
  "unknown",
  "free",
  "preference",
  "extra_usage_disabled",
  "network_error",
  "not_first_party",
  "disabled_by_env",
  "model_not_allowed",
  "sdk_opt_in_required",
  "pending"
).annotations({ identifier: "FastModeDisabledReason" })
export type FastModeDisabledReason = typeof FastModeDisabledReason.Type
