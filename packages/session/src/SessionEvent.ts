/**
 * What a session tells its subscribers: everything that comes over the wire, and what the session makes of it.
 *
 * @since 0.1.0
 * @stability stable
 */
import type { CliRequest } from "@claude-duplex/protocol/schema/CliRequest"
import type {
  Ended,
  MessageEnded,
  MessageFailed,
  MessageMoved,
  Received,
  TurnDropped,
  TurnEnded,
  TurnReassigned,
  TurnStarted
} from "@claude-duplex/protocol/SessionAction"
import type { SessionExit } from "@claude-duplex/protocol/SessionExit"
import type { Warning } from "@claude-duplex/protocol/Warning"
import type * as Cause from "effect/Cause"
import type { Request } from "./Permission.js"
import type { SessionStatus } from "./SessionStatus.js"

/** A tool wants to run, and nobody has decided yet. */
export interface PermissionRequested {
  readonly _tag: "PermissionRequested"
  readonly request: Request
}

/** A question is no more: it was answered, or the CLI took it back. A dialog that shows it can be closed. */
export interface PermissionSettled {
  readonly _tag: "PermissionSettled"
  readonly id: string
  readonly how: "Answered" | "Withdrawn"
}

/**
 * A handler or hook of the host failed or died. The CLI received the failure: a permission was denied, any other request
 * refused. Not sent for calls that the CLI withdrew.
 */
export interface HandlerFailed {
  readonly _tag: "HandlerFailed"
  /** The id of the CLI's control request. */
  readonly id: string
  /** What was asked for: `can_use_tool`, `hook_callback`, … */
  readonly subtype: CliRequest["subtype"]
  readonly cause: Cause.Cause<unknown>
}

/** The session does something else now. */
export interface StatusChanged {
  readonly _tag: "StatusChanged"
  readonly status: SessionStatus
}

/** The conversation has another id: the first frame with one came, or `/clear` began a new conversation. */
export interface SessionIdChanged {
  readonly _tag: "SessionIdChanged"
  readonly sessionId: string
}

/** Something may not do what was meant. Late subscribers hear of it too. */
export interface Warned {
  readonly _tag: "Warned"
  readonly warning: Warning
}

/** A turn runs, no tool and no question is open, and the CLI has said nothing for so long. See `Watchdog`. */
export interface Stalled {
  readonly _tag: "Stalled"
  readonly silentMillis: number
}

/** The CLI ended although the session was not closed, and the schedule restarts it. Written messages have failed: see `restart` of `Session.Options`. */
export interface Restarting {
  readonly _tag: "Restarting"
  readonly exit: SessionExit
  /** How often it was tried since the beginning, this time included. */
  readonly attempt: number
}

/** Another CLI goes on with the conversation. */
export interface Restarted {
  readonly _tag: "Restarted"
  readonly attempt: number
}

/**
 * This subscriber was too slow, and frames are missing here. Only `Received` events are ever dropped, partial messages before
 * others: if both counts are the same, no whole message is missing.
 */
export interface Lagged {
  readonly _tag: "Lagged"
  /** How many frames are missing. */
  readonly count: number
  /** How many of them are partial messages (`stream_event`). */
  readonly partialCount: number
}

/** What a session tells. */
export type SessionEvent =
  | Received
  | TurnStarted
  | TurnReassigned
  | TurnEnded
  | TurnDropped
  | MessageMoved
  | MessageEnded
  | MessageFailed
  | PermissionRequested
  | PermissionSettled
  | HandlerFailed
  | StatusChanged
  | SessionIdChanged
  | Warned
  | Stalled
  | Restarting
  | Restarted
  | Lagged
  | Ended

/** The name of an event. */
export type Tag = SessionEvent["_tag"]

/** Events of these names. */
export type EventOf<T extends Tag> = Extract<SessionEvent, { readonly _tag: T }>

/** What a subscriber to events of these names gets. Only frames can be missing, so without `Received` there is no `Lagged`. */
export type Delivered<T extends Tag> = EventOf<T> | ("Received" extends T ? Lagged : never)
