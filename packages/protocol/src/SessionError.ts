/**
 * Why a session did not do what the host asked. Each failure has its own tag, so that every signature lists exactly those
 * that can happen.
 *
 * @since 0.1.0
 * @stability stable
 */
import * as Schema from "effect/Schema"
import { optional } from "./internal/fields.js"
import { describe, SessionExit } from "./SessionExit.js"

/**
 * The session is busy: a message was sent, neither queued nor steered, while another one waits for its result or while a turn
 * runs that the CLI started; or the input was to be ended while the CLI may still need an answer.
 *
 * @example
 * ```ts
 * import { SessionBusy } from "@claude-duplex/protocol/SessionError"
 *
 * new SessionBusy()._tag // "SessionBusy"
 * ```
 */
export class SessionBusy
  extends Schema.TaggedError<SessionBusy>("@claude-duplex/protocol/SessionBusy")("SessionBusy", {})
{
  override get message(): string {
    return "A turn is running, or work in the background that may start one. Wait for its end; or queue this message, steer with it, or force the end of the input."
  }
}

/**
 * The session has ended or is closing, or its CLI has ended and another one takes its place.
 *
 * @example
 * ```ts
 * import { SessionClosed } from "@claude-duplex/protocol/SessionError"
 *
 * const mayBeSentAgain = (error: SessionClosed) => error.unsent === true
 * ```
 */
export class SessionClosed
  extends Schema.TaggedError<SessionClosed>("@claude-duplex/protocol/SessionClosed")("SessionClosed", {
    /** How the CLI ended; undefined while it is closing. */
    exit: optional(SessionExit),
    /** The message never reached the CLI: it can be sent again without being done twice. */
    unsent: optional(Schema.Boolean),
    /** The session goes on: its CLI ended, and another one is being started. A message that is sent now is held for that one. */
    isRestarting: optional(Schema.Boolean)
  })
{
  override get message(): string {
    const what = this.isRestarting === true ? "The CLI ended and is being restarted" : "The session is over"
    return `${what}${this.exit === undefined ? "." : `: ${describe(this.exit)}`}${
      this.unsent === true ? " This message was not sent." : ""
    }`
  }
}

/**
 * A message has no result, because it was taken back here or dropped by the CLI.
 *
 * @example
 * ```ts
 * import { MessageCancelled } from "@claude-duplex/protocol/SessionError"
 *
 * new MessageCancelled({ id: "6f1c…" }).id
 * ```
 */
export class MessageCancelled
  extends Schema.TaggedError<MessageCancelled>("@claude-duplex/protocol/MessageCancelled")("MessageCancelled", {
    /** The uuid of the message. */
    id: Schema.String
  })
{
  override get message(): string {
    return `The message ${this.id} has no result: it was taken back here, or dropped by the CLI.`
  }
}

/**
 * An answer to a permission question that is not open: it never was, was answered before, or was withdrawn by the CLI.
 *
 * @example
 * ```ts
 * import { PermissionNotPending } from "@claude-duplex/protocol/SessionError"
 *
 * new PermissionNotPending({ id: "req_7" }).id
 * ```
 */
export class PermissionNotPending
  extends Schema.TaggedError<PermissionNotPending>("@claude-duplex/protocol/PermissionNotPending")(
    "PermissionNotPending",
    {
      /** The id of the request. */
      id: Schema.String
    }
  )
{
  override get message(): string {
    return `There is no open permission question ${this.id}: it was answered before, withdrawn, or never asked.`
  }
}

/**
 * The message was not sent: the CLI does not read its input, and more waits to be written than the outbox may hold.
 *
 * A CLI that is busy reads again by itself. One that has hung does not: interrupting it takes reading too, so close the session.
 *
 * @example
 * ```ts
 * import { OutboxFull } from "@claude-duplex/protocol/SessionError"
 *
 * new OutboxFull({ id: "6f1c…", waitingBytes: 70_000_000, maxBytes: 67_108_864 }).message
 * ```
 */
export class OutboxFull extends Schema.TaggedError<OutboxFull>("@claude-duplex/protocol/OutboxFull")("OutboxFull", {
  /** The uuid of the message. */
  id: Schema.String,
  /** How many bytes wait to be written. */
  waitingBytes: Schema.Number,
  /** How many may wait before messages are refused. */
  maxBytes: Schema.Number
}) {
  override get message(): string {
    return `The message was not sent: the CLI does not read its input, and ${this.waitingBytes} bytes wait to be written, of ${this.maxBytes} that may. Send it again later; if the CLI has hung, close the session.`
  }
}
