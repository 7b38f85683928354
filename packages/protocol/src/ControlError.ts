/**
 * A control request of the host's that was not carried out.
 */
import * as Schema from "effect/Schema"
import { optional } from "./internal/fields.js"
import { describe, SessionExit } from "./SessionExit.js"

/**
 * Why.
 *
 * - `Remote`: the CLI refused; `detail` and `code` are its own.
 * - `Timeout`: no answer came in time.
 * - `Cancelled`: whoever asked went away.
 * - `Closed`: the session ended first.
 */
export const ControlReason = Schema.Literal("Remote", "Timeout", "Cancelled", "Closed")
export type ControlReason = typeof ControlReason.Type

const explanations: Record<ControlReason, (error: ControlError) => string> = {
  Remote: (error) =>
    `The CLI did not do ${error.subtype}: ${error.detail ?? "it gave no reason"}${
      error.code === "unsupported_request" ? " (this version of the CLI does not have it)" : ""
    }`,
  Timeout: (error) =>
    `The CLI did not answer ${error.subtype} in time; the request was given up. CLIs before 2.1.50 do not answer what they ` +
    "do not know.",
  Cancelled: (error) => `${error.subtype} was withdrawn before the CLI answered.`,
  Closed: (error) =>
    `The session ended before the CLI answered ${error.subtype}${
      error.exit === undefined ? "." : `: ${describe(error.exit)}`
    }`
}

/**
 * A control request failed.
 *
 * @example
 * ```ts
 * import { ControlError } from "@claude-duplex/protocol/ControlError"
 *
 * new ControlError({ reason: "Timeout", subtype: "get_context_usage" })
 * ```
 */
export class ControlError
  extends Schema.TaggedError<ControlError>("@claude-duplex/protocol/ControlError")("ControlError", {
    reason: ControlReason,
    subtype: Schema.String,
    detail: optional(Schema.String),
    code: optional(Schema.String),
    exit: optional(SessionExit)
  })
{
  override get message(): string {
    return explanations[this.reason](this)
  }
}
