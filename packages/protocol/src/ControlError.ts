/**
 * Why a control request of the host failed. The `reason` tells whether the CLI carried the request out, refused it, or never
 * received it.
 *
 * @since 0.1.0
 * @stability stable
 */
import * as Schema from "effect/Schema"
import { optional } from "./internal/fields.js"
import { describe, SessionExit } from "./SessionExit.js"

/**
 * Why the request failed.
 *
 * - `Refused`: the CLI answered with an error; `detail` is its text and `code` its error code.
 * - `Unsupported`: this version of the CLI does not have the request and would not answer it. It was not sent.
 * - `OutboxFull`: the CLI does not read its input, and too much waits to be written. It was not sent.
 * - `InvalidResponse`: the CLI carried the request out, but its response does not fit the schema; `detail` says where, and
 *   `response` has all of it.
 * - `Timeout`: no response came in time. The CLI may have carried the request out.
 * - `Cancelled`: the request was withdrawn before the CLI answered.
 * - `Closed`: the session ended before the CLI answered.
 */
export const ControlReason = Schema.Literal(
  "Refused",
  "Unsupported",
  "OutboxFull",
  "InvalidResponse",
  "Timeout",
  "Cancelled",
  "Closed"
)
export type ControlReason = typeof ControlReason.Type

/** The code that CLIs from 2.1.326 on refuse an unknown request with; the machine adds it to the refusals of older ones. */
const unsupportedRequest = "unsupported_request"

const explanations: Record<ControlReason, (error: ControlError) => string> = {
  Refused: (error) =>
    `The CLI refused ${error.subtype}: ${error.detail ?? "it gave no reason"}${
      error.isUnsupported ? " (this version of the CLI does not have the request)" : ""
    }`,
  Unsupported: (error) =>
    `${error.subtype} was not sent: ${
      error.detail ?? "this version of the CLI does not have the request, and would not answer it"
    }. Use a newer CLI.`,
  OutboxFull: (error) =>
    `${error.subtype} was not sent: the CLI does not read its input${
      error.detail === undefined ? "" : `, and ${error.detail}`
    }. Send it again later; if the CLI has hung, close the session.`,
  InvalidResponse: (error) =>
    `The CLI carried out ${error.subtype}, but its response is not as expected${
      error.detail === undefined ? "" : `: ${error.detail}`
    }`,
  Timeout: (error) =>
    `The CLI did not answer ${error.subtype} in time; the request was withdrawn. CLIs before 2.1.50 do not answer requests ` +
    "that they do not know.",
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
 * const error = new ControlError({ reason: "Refused", subtype: "set_color", code: "unsupported_request" })
 * error.isUnsupported // true: do not ask this CLI again
 * ```
 */
export class ControlError
  extends Schema.TaggedError<ControlError>("@claude-duplex/protocol/ControlError")("ControlError", {
    reason: ControlReason,
    /** The request that failed. */
    subtype: Schema.String,
    /** The CLI's text if it refused, else what exactly is wrong. */
    detail: optional(Schema.String),
    /** The CLI's error code, if it refused with one. */
    code: optional(Schema.String),
    /** The response, if it does not fit its schema. Redacted, because it may hold anything: `Redacted.value(error.response)`. */
    response: optional(Schema.Redacted(Schema.Unknown)),
    exit: optional(SessionExit)
  })
{
  /**
   * Whether this CLI does not have the request: it was not sent (`Unsupported`), or the CLI refused it with the code
   * `unsupported_request`. Asking the same CLI again fails again.
   */
  get isUnsupported(): boolean {
    return this.reason === "Unsupported" || (this.reason === "Refused" && this.code === unsupportedRequest)
  }

  override get message(): string {
    return explanations[this.reason](this)
  }
}
