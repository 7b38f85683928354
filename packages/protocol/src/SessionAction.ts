/**
 * What comes out of the session machine: effects as data, to be carried out in order.
 *
 * @since 0.1.0
 * @stability experimental
 */
import type { Item } from "./Codec.js"
import type { ControlError } from "./ControlError.js"
import type { Cost } from "./Cost.js"
import type { EncodeError } from "./EncodeError.js"
import type { HostFrame, Unknown } from "./Frame.js"
import type { CliRequest } from "./schema/CliRequest.js"
import type { ResultFrame } from "./schema/ResultFrame.js"
import type { SessionBusy, SessionClosed } from "./SessionError.js"
import type { SessionExit } from "./SessionExit.js"

/**
 * How it is known whose turn it is, weakest first.
 *
 * - `Order`: nothing was said; the messages that it would be the turn of.
 * - `Echo`: the CLI repeated the message (`--replay-user-messages`).
 * - `Lifecycle`: the CLI said that it started on the message (`command_lifecycle`).
 * - `Uuids`: the frame names the messages.
 * - `Origin`: the result names somebody else.
 * - `Silence`: the CLI came to rest without a turn of its own for the message, so it was done in this one.
 */
export type Evidence = "Order" | "Echo" | "Lifecycle" | "Uuids" | "Origin" | "Silence"

/** Write this line; it is the frame, encoded. */
export interface Write {
  readonly _tag: "Write"
  readonly frame: HostFrame
  readonly line: string
}

/** Something was received; every item, once, in order. `turn` is the turn that it belongs to, if one runs. */
export interface Received {
  readonly _tag: "Received"
  readonly item: Item
  readonly turn: number | undefined
}

/** A turn began. No `messages`: nobody sent it. */
export interface TurnStarted {
  readonly _tag: "TurnStarted"
  readonly turn: number
  readonly messages: ReadonlyArray<string>
  readonly evidence: Evidence
}

/** Better evidence came: the running turn belongs to these messages, and to none that were named before. */
export interface TurnReassigned {
  readonly _tag: "TurnReassigned"
  readonly turn: number
  readonly messages: ReadonlyArray<string>
  readonly evidence: Evidence
}

/**
 * A turn ended, and with it these messages. No `messages`: nobody sent it. `cost` is the turn's, not each message's; a
 * second `TurnEnded` for the same turn (`Silence`) has none.
 */
export interface TurnEnded {
  readonly _tag: "TurnEnded"
  readonly turn: number
  readonly messages: ReadonlyArray<string>
  readonly result: ResultFrame | Unknown
  readonly evidence: Evidence
  readonly cost: Cost
}

/** A turn that nobody sent is over without a result: another one began, or the CLI ended. */
export interface TurnDropped {
  readonly _tag: "TurnDropped"
  readonly turn: number
}

/** How far a message has come: held here, written, in the CLI's queue, or worked on. */
export interface MessageMoved {
  readonly _tag: "MessageMoved"
  readonly message: string
  readonly to: "Held" | "Written" | "Queued" | "Started"
}

/**
 * A message ended without a result of its own.
 *
 * - `Cancelled`: taken back, here or in the CLI's queue.
 * - `NoTurn`: the CLI is done with it and no turn came of it (`shouldQuery: false`, a local command).
 */
export interface MessageEnded {
  readonly _tag: "MessageEnded"
  readonly message: string
  readonly reason: "Cancelled" | "NoTurn"
}

/**
 * A message failed: it may not be sent (`EncodeError`), was not sent (`SessionBusy`), or the session ended before its
 * result (`SessionClosed`).
 */
export interface MessageFailed {
  readonly _tag: "MessageFailed"
  readonly message: string
  readonly error: SessionBusy | SessionClosed | EncodeError
}

/** A request of the host's was answered. */
export interface Answered {
  readonly _tag: "Answered"
  readonly id: string
  readonly response: unknown
}

/** A request of the host's failed. */
export interface AskFailed {
  readonly _tag: "AskFailed"
  readonly id: string
  readonly error: ControlError | EncodeError
}

/** The CLI asks: find an answer, and put it in as `Answer` or `Refuse`. */
export interface Handle {
  readonly _tag: "Handle"
  readonly id: string
  readonly request: CliRequest
}

/** The CLI wants no answer any more: stop looking for one. */
export interface Withdraw {
  readonly _tag: "Withdraw"
  readonly id: string
}

/** An answer was put in that the CLI could not read. Nothing was written, and the request is still open. */
export interface AnswerInvalid {
  readonly _tag: "AnswerInvalid"
  readonly id: string
  readonly error: EncodeError
}

/** An answer was put in for a request that is not open. Nothing was written. */
export interface NotPending {
  readonly _tag: "NotPending"
  readonly id: string
}

/** Put in a `Tick` at this time. Later ones replace earlier ones. */
export interface WakeAt {
  readonly _tag: "WakeAt"
  readonly at: number
}

/** The session is over. The last action of all. */
export interface Ended {
  readonly _tag: "Ended"
  readonly exit: SessionExit
}

/** Everything that a session has to do. */
export type SessionAction =
  | Write
  | Received
  | TurnStarted
  | TurnReassigned
  | TurnEnded
  | TurnDropped
  | MessageMoved
  | MessageEnded
  | MessageFailed
  | Answered
  | AskFailed
  | Handle
  | Withdraw
  | AnswerInvalid
  | NotPending
  | WakeAt
  | Ended
