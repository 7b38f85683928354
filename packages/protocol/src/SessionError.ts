/**
 * Something that the host asked of a session and that the session cannot do.
 */
import * as Schema from "effect/Schema"
import { optional } from "./internal/fields.js"
import { describe, SessionExit } from "./SessionExit.js"

/**
 * Why.
 *
 * - `TurnInFlight`: a message was sent while another one waits for its result, and neither queueing nor steering was asked
 *   for.
 * - `NotPending`: an answer to a request that is not open: never asked, answered before, or withdrawn.
 * - `CannotDeferAgain`: a deferred permission was answered with another deferral.
 * - `Cancelled`: a message was taken back here, or dropped by the CLI, and has no result.
 * - `MessageIdInUse`: a message was sent with the id of another one that has not ended.
 * - `Closed`: the session is over, or its CLI is and another one takes its place.
 */
export const SessionReason = Schema.Literal(
  "TurnInFlight",
  "NotPending",
  "CannotDeferAgain",
  "Cancelled",
  "MessageIdInUse",
  "Closed"
)
export type SessionReason = typeof SessionReason.Type

const explanations: Record<SessionReason, (error: SessionError) => string> = {
  TurnInFlight: () =>
    "A turn is running, or work in the background that may start one. Wait for its end; or queue this message, steer with it, or force the end of the input.",
  NotPending: ({ id }) =>
    `There is no open request ${id ?? "of that id"}: it was answered before, withdrawn, or never made.`,
  CannotDeferAgain: ({ id }) => `Request ${id ?? ""} was deferred already. Answer it with an allow or a deny.`,
  Cancelled: () => "The message has no result: it was taken back here, or dropped by the CLI.",
  MessageIdInUse: ({ id }) =>
    `The message id ${
      id ?? ""
    } belongs to a message that has not ended. Send with another id, or wait for that message.`,
  Closed: ({ exit, unsent }) =>
    `${exit === undefined ? "The session is over." : `The session is over: ${describe(exit)}`}${
      unsent === true ? " This message was not sent." : ""
    }`
}

/**
 * A session cannot do what was asked.
 *
 * @example
 * ```ts
 * import { SessionError } from "@claude-duplex/protocol/SessionError"
 *
 * new SessionError({ reason: "TurnInFlight" })
 * ```
 */
export class SessionError
  extends Schema.TaggedError<SessionError>("@claude-duplex/protocol/SessionError")("SessionError", {
    reason: SessionReason,
    exit: optional(SessionExit),
    /** Which request it is about. */
    id: optional(Schema.String),
    /** The message never reached the CLI: it can be sent again without being done twice. */
    unsent: optional(Schema.Boolean)
  })
{
  override get message(): string {
    return explanations[this.reason](this)
  }
}
