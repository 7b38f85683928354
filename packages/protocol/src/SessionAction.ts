/**
 * The actions of the session machine: effects as data, to be carried out in order.
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
 * How the owners of a turn are known, weakest first.
 *
 * - `Order`: only the order of messages and turns.
 * - `Echo`: the CLI echoed the message (`--replay-user-messages`).
 * - `Lifecycle`: the CLI reported that it started on the message (`command_lifecycle`).
 * - `Uuids`: the frame names the messages.
 * - `Origin`: the result names an origin that is not the host's.
 * - `Silence`: the CLI came to rest without a turn for the message, so the message was processed in this turn.
 */
export type Evidence = "Order" | "Echo" | "Lifecycle" | "Uuids" | "Origin" | "Silence"

/** Write this line to the CLI. It is the encoded frame, without a newline. */
export interface Write {
  readonly _tag: "Write"
  readonly frame: HostFrame
  readonly line: string
}

/** An item was received: every item, once, in order. `turn` is the running turn, if there is one. */
export interface Received {
  readonly _tag: "Received"
  readonly item: Item
  readonly turn: number | undefined
}

/** A turn began. Without `messages`, the CLI started it by itself. */
export interface TurnStarted {
  readonly _tag: "TurnStarted"
  readonly turn: number
  readonly messages: ReadonlyArray<string>
  readonly evidence: Evidence
}

/** Better evidence came: the running turn belongs to these messages, and no longer to the ones named before. */
export interface TurnReassigned {
  readonly _tag: "TurnReassigned"
  readonly turn: number
  readonly messages: ReadonlyArray<string>
  readonly evidence: Evidence
}

/**
 * A turn ended, and these messages with it. Without `messages`, the CLI started the turn by itself. `cost` is the cost of the
 * turn, not of each message; a second `TurnEnded` for the same turn (`Silence`) costs nothing.
 */
export interface TurnEnded {
  readonly _tag: "TurnEnded"
  readonly turn: number
  readonly messages: ReadonlyArray<string>
  readonly result: ResultFrame | Unknown
  readonly evidence: Evidence
  readonly cost: Cost
}

/** A turn ended without a result: another turn began, or the CLI ended. */
export interface TurnDropped {
  readonly _tag: "TurnDropped"
  readonly turn: number
}

/** A message moved on: it is held here, written, in the CLI's queue, or being processed. */
export interface MessageMoved {
  readonly _tag: "MessageMoved"
  readonly message: string
  readonly to: "Held" | "Written" | "Queued" | "Started"
}

/**
 * A message ended without a result of its own.
 *
 * - `Cancelled`: cancelled here, or removed from the CLI's queue.
 * - `NoTurn`: the CLI processed it without a turn (`shouldQuery: false`, a local command).
 */
export interface MessageEnded {
  readonly _tag: "MessageEnded"
  readonly message: string
  readonly reason: "Cancelled" | "NoTurn"
}

/**
 * A message failed: it is not a valid frame (`EncodeError`), was rejected (`SessionBusy`), or the session ended before its
 * result (`SessionClosed`).
 */
export interface MessageFailed {
  readonly _tag: "MessageFailed"
  readonly message: string
  readonly error: SessionBusy | SessionClosed | EncodeError
}

/** The CLI answered a request of the host. `HostRequest.decodeResponse` types the response. */
export interface Answered {
  readonly _tag: "Answered"
  readonly id: string
  readonly response: unknown
}

/** A request of the host failed. */
export interface RequestFailed {
  readonly _tag: "RequestFailed"
  readonly id: string
  readonly error: ControlError | EncodeError
}

/** The CLI sent a request: answer it with `Answer` or `Refuse`. */
export interface Handle {
  readonly _tag: "Handle"
  readonly id: string
  readonly request: CliRequest
}

/** The CLI withdrew a request: stop its handler. No answer is needed any more. */
export interface Withdraw {
  readonly _tag: "Withdraw"
  readonly id: string
}

/** An `Answer` does not fit its request. Nothing was written, and the request is still open. */
export interface AnswerInvalid {
  readonly _tag: "AnswerInvalid"
  readonly id: string
  readonly error: EncodeError
}

/** An `Answer` or `Refuse` names a request that is not open. Nothing was written. */
export interface NotPending {
  readonly _tag: "NotPending"
  readonly id: string
}

/** Call `step` with a `Tick` at this time. A later `WakeAt` replaces an earlier one. */
export interface WakeAt {
  readonly _tag: "WakeAt"
  readonly at: number
}

/** The session ended. This is the last action. */
export interface Ended {
  readonly _tag: "Ended"
  readonly exit: SessionExit
}

/** All actions of the session machine. */
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
  | RequestFailed
  | Handle
  | Withdraw
  | AnswerInvalid
  | NotPending
  | WakeAt
  | Ended
