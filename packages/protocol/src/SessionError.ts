/**
 * Something that the host asked of a session and that the session cannot do.
 */
import { Schema } from "effect"
import { optional } from "./internal/fields.js"
import { TransportExit } from "./Transport.js"

/**
 * Why.
 *
 * - `TurnInFlight`: a message was sent while another one waits for its result, and neither queueing nor steering was asked
 *   for.
 * - `NotPending`: an answer to a request that is not open: never asked, answered before, or withdrawn.
 * - `CannotDeferAgain`: a deferred permission was answered with another deferral.
 * - `Cancelled`: a message was taken back before its turn.
 * - `NoTurn`: the CLI is done with a message, and no turn came of it (a local command).
 * - `Closed`: the session is over.
 */
export const SessionReason = Schema.Literal(
  "TurnInFlight",
  "NotPending",
  "CannotDeferAgain",
  "Cancelled",
  "NoTurn",
  "Closed"
)
export type SessionReason = typeof SessionReason.Type

/** How much of stderr a message shows; the exit has more. */
const shownStderr = 2_000

const explanations: Record<SessionReason, (error: SessionError) => string> = {
  TurnInFlight: () =>
    "A turn is running. Wait for it, or say what to do meanwhile: queue this message, or steer with it.",
  NotPending: () => "There is no such open request: it was answered before, withdrawn, or never made.",
  CannotDeferAgain: () => "This request was deferred already. Answer it with an allow or a deny.",
  Cancelled: () => "The message was taken back before its turn came.",
  NoTurn: () => "The CLI is done with this message, and no turn came of it: it was not meant for the model.",
  Closed: ({ exit }) => {
    if (exit === undefined) return "The session is over."
    const how = exit.signal === null ? `code ${String(exit.code)}` : `signal ${exit.signal}`
    const said = exit.stderr.trim().slice(-shownStderr)
    return `The session is over: the CLI ended with ${how}.${said === "" ? "" : ` It wrote to stderr: ${said}`}`
  }
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
    exit: optional(TransportExit)
  })
{
  override get message(): string {
    return explanations[this.reason](this)
  }
}
