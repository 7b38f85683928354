/**
 * A message of the model as the Messages API gives it: what an `assistant` frame carries and what `message_start` begins.
 *
 * @since 0.1.0
 * @stability stable
 */
import * as Schema from "effect/Schema"
import { optional } from "../internal/fields.js"
import { ContentBlock } from "./ContentBlock.js"
import { JsonObject } from "./Json.js"
import * as Open from "./Open.js"
import { Usage } from "./Usage.js"

/** Why the model stopped. */
export const StopReason = Open.literal(
  "end_turn",
  "max_tokens",
  "stop_sequence",
  "tool_use",
  "pause_turn",
  "compaction",
  "refusal",
  "model_context_window_exceeded"
).annotations({ identifier: "StopReason" })
export type StopReason = typeof StopReason.Type

/** A message of the model. */
export const ApiMessage = Schema.Struct({
  id: Schema.String,
  type: Schema.Literal("message"),
  role: Schema.Literal("assistant"),
  model: Schema.String,
  content: Schema.Array(ContentBlock),
  stop_reason: Schema.NullOr(StopReason),
  stop_sequence: optional(Schema.NullOr(Schema.String)),
  stop_details: optional(Schema.NullOr(JsonObject)),
  usage: Usage,
  container: optional(Schema.NullOr(JsonObject)),
  context_management: optional(Schema.NullOr(JsonObject)),
  diagnostics: optional(Schema.NullOr(JsonObject)),
  input_transformations: optional(Schema.NullOr(Schema.Array(JsonObject)))
}).annotations({ identifier: "ApiMessage" })
export interface ApiMessage extends Schema.Schema.Type<typeof ApiMessage> {}
