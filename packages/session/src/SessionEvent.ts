/**
 * What a session tells its subscribers: everything that comes over the wire, and what the session makes of it.
 */
import type {
  Ended,
  MessageEnded,
  MessageMoved,
  Received,
  TurnDropped,
  TurnEnded,
  TurnReassigned,
  TurnStarted
} from "@claude-duplex/protocol/SessionAction"
import type { Request } from "./Permission.js"

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

/** This subscriber was too slow, and lost so many events here. */
export interface Lagged {
  readonly _tag: "Lagged"
  readonly count: number
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
  | PermissionRequested
  | PermissionSettled
  | Lagged
  | Ended
