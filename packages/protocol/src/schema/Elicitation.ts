/**
 * Questions that an MCP server puts to the user, through the host.
 *
 * @since 0.1.0
 * @stability stable
 */
import * as Schema from "effect/Schema"
import { optional } from "../internal/fields.js"
import { JsonNumber, JsonObject } from "./Json.js"
import * as Open from "./Open.js"

/** A question of an MCP server. */
export const ElicitationRequest = Schema.Struct({
  subtype: Schema.Literal("elicitation"),
  mcp_server_name: Schema.String,
  message: Schema.String,
  mode: optional(Open.literal("form", "url")),
  url: optional(Schema.String),
  elicitation_id: optional(Schema.String),
  requested_schema: optional(JsonObject),
  property_order: optional(Schema.Array(Schema.String)),
  title: optional(Schema.String),
  display_name: optional(Schema.String),
  description: optional(Schema.String)
}).annotations({ identifier: "ElicitationRequest" })
export interface ElicitationRequest extends Schema.Schema.Type<typeof ElicitationRequest> {}

/** The user's answer. There is no default: a host that cannot ask answers with an error. */
export const ElicitationResponse = Schema.Struct({
  action: Schema.Literal("accept", "decline", "cancel"),
  content: optional(
    Schema.Record({
      key: Schema.String,
      value: Schema.Union(Schema.String, JsonNumber, Schema.Boolean, Schema.Array(Schema.String))
    })
  ),
  _meta: optional(JsonObject)
}).annotations({ identifier: "ElicitationResponse" })
export interface ElicitationResponse extends Schema.Schema.Type<typeof ElicitationResponse> {}
