/**
 * The contract between what carries bytes and everything else: bytes in, lines out, and how it ended. Framing is not the
 * transport's business, so it is written once and exercised by every transport.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Stream from "effect/Stream"
import { optional } from "./internal/fields.js"
import type { TransportExit } from "./TransportExit.js"
import type { Warning } from "./Warning.js"

/**
 * How a transport failed.
 *
 * - `NotFound`: there is no such executable or address.
 * - `Spawn`: it is there and could not be started.
 * - `Read`, `Write`: it broke while in use.
 * - `Closed`: it was closed before.
 */
export const TransportReason = Schema.Literal("NotFound", "Spawn", "Read", "Write", "Closed")
export type TransportReason = typeof TransportReason.Type

/**
 * A transport failed.
 *
 * @example
 * ```ts
 * import { TransportError } from "@claude-duplex/protocol/Transport"
 *
 * new TransportError({ reason: "NotFound", detail: "There is no `claude` in PATH. Install it, or give its path." })
 * ```
 */
export class TransportError
  extends Schema.TaggedError<TransportError>("@claude-duplex/protocol/TransportError")("TransportError", {
    reason: TransportReason,
    /** What happened, what was tried, and what to do. */
    detail: Schema.String,
    cause: optional(Schema.Defect)
  })
{
  override get message(): string {
    return this.detail
  }
}

/** What a transport does. */
export interface Service {
  /** The bytes of the CLI's stdout. One consumer; back-pressure reaches the process. */
  readonly incoming: Stream.Stream<Uint8Array, TransportError>
  /** Writes one line, given without its newline. Lines never interleave. */
  readonly send: (line: string) => Effect.Effect<void, TransportError>
  /** Says that nothing more will be sent. */
  readonly endInput: Effect.Effect<void>
  /** Waits for the end. */
  readonly exit: Effect.Effect<TransportExit>
  /** Brings the end about, patiently and then by force, and waits for it. The end of the transport's scope does the same. */
  readonly close: Effect.Effect<void>
  /** The process, where there is one. */
  readonly pid?: number | undefined
  /** What it writes to stderr while it is listened to, where that can be heard; the exit has the end of it anyway. */
  readonly stderr?: Stream.Stream<string> | undefined
  /** What is doubtful about how it was started, where that is known; may go on while it runs. A session tells its subscribers. */
  readonly warnings?: Stream.Stream<Warning> | undefined
}

/**
 * The way to a CLI: a process, a script, a recording, a socket.
 *
 * @example
 * ```ts
 * import { Transport } from "@claude-duplex/protocol/Transport"
 * import { Effect } from "effect"
 *
 * const hello = Effect.gen(function*() {
 *   const transport = yield* Transport
 *   yield* transport.send(`{"type":"user","message":{"role":"user","content":"hello"}}`)
 * })
 * ```
 */
export class Transport extends Context.Tag("@claude-duplex/protocol/Transport")<Transport, Service>() {}
