/**
 * The CLI's end of the wire, as a fake sees it: lines of the host's in, bytes and an exit out. A script, a replay or any
 * program of yours plays the CLI against it, and does not know whether the host is in memory (`MockTransport`) or at the
 * other end of a pipe (`fake-claude`).
 *
 * @since 0.1.0
 * @stability experimental
 */
import type * as TransportExit from "@claude-duplex/protocol/TransportExit"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"

/**
 * How a fake ends: with a code, by a signal, or by the loss of its connection. These are the cases of `TransportExit` that the
 * other end can cause, without stderr, which the transport adds.
 */
export type PeerExit =
  | Omit<TransportExit.Exited, "stderr">
  | Omit<TransportExit.Signaled, "stderr">
  | Omit<TransportExit.ConnectionLost, "stderr">

/** The CLI's end of the wire. */
export interface Peer {
  /** The next line that the host wrote, without its newline; none when it ended its input. */
  readonly receive: Effect.Effect<Option.Option<string>>
  /** Writes to stdout: these bytes, whole lines or not. Waits while the host does not read. */
  readonly write: (bytes: Uint8Array) => Effect.Effect<void>
  /** Writes to stderr. */
  readonly writeStderr: (text: string) => Effect.Effect<void>
  /** Ends the process: nothing that is written afterwards is seen. */
  readonly exit: (exit: PeerExit) => Effect.Effect<void>
}

/** Plays the CLI. One that returns without an exit has ended with code 0. */
export type Behaviour<E = never, R = never> = (peer: Peer) => Effect.Effect<void, E, R>
