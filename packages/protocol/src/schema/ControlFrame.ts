/**
 * The three control envelopes. Either side may ask: a `control_request` is answered by one `control_response` with the
 * same `request_id`, or withdrawn by a `control_cancel_request`.
 *
 * @since 0.1.0
 * @stability stable
 */
import * as Schema from "effect/Schema"
import { optional } from "../internal/fields.js"
import { CliRequest } from "./CliRequest.js"
import { HostRequest } from "./HostRequest.js"
import { JsonObject } from "./Json.js"

/** `control_request` from the CLI. */
export const CliControlRequestFrame = Schema.Struct({
  type: Schema.Literal("control_request"),
  request_id: Schema.String,
  request: CliRequest
}).annotations({ identifier: "CliControlRequestFrame" })
export interface CliControlRequestFrame extends Schema.Schema.Type<typeof CliControlRequestFrame> {}

/** `control_request` from the host. */
export const HostControlRequestFrame = Schema.Struct({
  type: Schema.Literal("control_request"),
  request_id: Schema.String,
  request: HostRequest
}).annotations({ identifier: "HostControlRequestFrame" })
export interface HostControlRequestFrame extends Schema.Schema.Type<typeof HostControlRequestFrame> {}

/**
 * Requests of the CLI's that were open when a host initialized again. Each is a `control_request` frame, and may have
 * come before: answer once.
 */
const pending = {
  pending_permission_requests: optional(Schema.Array(JsonObject)),
  pending_user_dialog_requests: optional(Schema.Array(JsonObject)),
  pending_elicitation_requests: optional(Schema.Array(JsonObject))
}

/** A request was carried out. What `response` holds depends on the request: see `HostRequest` and `CliRequest`. */
export const ControlSuccess = Schema.Struct({
  subtype: Schema.Literal("success"),
  request_id: Schema.String,
  response: optional(JsonObject),
  ...pending
}).annotations({ identifier: "ControlSuccess" })
export interface ControlSuccess extends Schema.Schema.Type<typeof ControlSuccess> {}

/** A request was refused. */
export const ControlFailure = Schema.Struct({
  subtype: Schema.Literal("error"),
  request_id: Schema.String,
  error: Schema.String,
  error_code: optional(Schema.String),
  ...pending
}).annotations({ identifier: "ControlFailure" })
export interface ControlFailure extends Schema.Schema.Type<typeof ControlFailure> {}

/** `control_response`, in either direction. */
export const ControlResponseFrame = Schema.Struct({
  type: Schema.Literal("control_response"),
  response: Schema.Union(ControlSuccess, ControlFailure)
}).annotations({ identifier: "ControlResponseFrame" })
export interface ControlResponseFrame extends Schema.Schema.Type<typeof ControlResponseFrame> {}

/** `control_cancel_request`, in either direction: whoever asked wants no answer any more. */
export const ControlCancelFrame = Schema.Struct({
  type: Schema.Literal("control_cancel_request"),
  request_id: Schema.String
}).annotations({ identifier: "ControlCancelFrame" })
export interface ControlCancelFrame extends Schema.Schema.Type<typeof ControlCancelFrame> {}
