/**
 * The inputs of the session machine: frames of the CLI, commands of the host, time, and the end. Ids and the clock are
 * arguments: the machine makes neither.
 *
 * @since 0.1.0
 * @stability experimental
 */
import type { Item } from "./Codec.js"
import type { HostRequest } from "./schema/HostRequest.js"
import type { JsonObject } from "./schema/Json.js"
import type { HostUserFrame } from "./schema/UserFrame.js"
import type { TransportExit } from "./TransportExit.js"

/** What happens to a message that is sent while the session is busy. */
export type WhenBusy = "reject" | "queue" | "steer"

/** The codec decoded an item. */
export interface Receive {
  readonly _tag: "Receive"
  readonly item: Item
  readonly now: number
}

/**
 * Sends a message. `id` names it in actions and is used once. Give the frame the same `uuid`: results name messages by uuid,
 * and without one only the order connects them.
 */
export interface Send {
  readonly _tag: "Send"
  readonly id: string
  readonly frame: HostUserFrame
  readonly whenBusy: WhenBusy
}

/** Cancels a message that is still held. */
export interface CancelHeld {
  readonly _tag: "CancelHeld"
  readonly id: string
}

/** Sends a control request. `id` becomes the `request_id` and is used once. */
export interface Request {
  readonly _tag: "Request"
  readonly id: string
  readonly request: HostRequest
}

/** Gives up a control request that is still open. */
export interface Abandon {
  readonly _tag: "Abandon"
  readonly id: string
  readonly reason: "Timeout" | "Cancelled"
}

/** Answers a request of the CLI. */
export interface Answer {
  readonly _tag: "Answer"
  readonly id: string
  readonly response: JsonObject
}

/** Answers a request of the CLI with an error. */
export interface Refuse {
  readonly _tag: "Refuse"
  readonly id: string
  readonly error: string
}

/** Time passed: the host's reaction to a `WakeAt`. */
export interface Tick {
  readonly _tag: "Tick"
  readonly now: number
}

/** How the CLI was started became known. `undefined` is unknown. What the CLI reports itself is not overridden. */
export interface Launched {
  readonly _tag: "Launched"
  /** The CLI was started with `--replay-user-messages`. */
  readonly replayUserMessages?: boolean | undefined
  readonly version?: string | undefined
}

/** The CLI ended, and all of its output was received. */
export interface End {
  readonly _tag: "End"
  readonly exit: TransportExit
}

/** All inputs of the session machine. */
export type SessionInput = Receive | Send | CancelHeld | Request | Abandon | Answer | Refuse | Tick | Launched | End
