/**
 * What goes into the session machine: frames of the CLI's, wishes of the host's, time, and the end. Ids and the clock are
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

/** What to do with a message while another one waits for its result. */
export type WhenBusy = "reject" | "queue" | "steer"

/** Something came out of the codec. */
export interface Receive {
  readonly _tag: "Receive"
  readonly item: Item
  readonly now: number
}

/**
 * The host sends a message. `id` names it in actions, and is used once; give the frame the same `uuid`, or only order ties
 * results to it.
 */
export interface Send {
  readonly _tag: "Send"
  readonly id: string
  readonly frame: HostUserFrame
  readonly whenBusy: WhenBusy
}

/** The host takes back a message that is still held here. */
export interface Unsend {
  readonly _tag: "Unsend"
  readonly id: string
}

/** The host asks the CLI something. `id` becomes the `request_id`, and is used once. */
export interface Ask {
  readonly _tag: "Ask"
  readonly id: string
  readonly request: HostRequest
}

/** The host does not want the answer any more. */
export interface Abandon {
  readonly _tag: "Abandon"
  readonly id: string
  readonly reason: "Timeout" | "Cancelled"
}

/** The host answers a request of the CLI's. */
export interface Answer {
  readonly _tag: "Answer"
  readonly id: string
  readonly response: JsonObject
}

/** The host refuses a request of the CLI's. */
export interface Refuse {
  readonly _tag: "Refuse"
  readonly id: string
  readonly error: string
}

/** Time passed: the answer to a `WakeAt`. */
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

/** Everything that can happen to a session. */
export type SessionInput = Receive | Send | Unsend | Ask | Abandon | Answer | Refuse | Tick | Launched | End
