/**
 * The contract between what carries bytes and everything else: bytes in, lines out, and how it ended. Framing is not the
 * transport's business, so it is written once and exercised by every transport.
 *
 * @since 0.1.0
 * @stability stable
 */
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

/**
 * How a host broke the contract of a transport.
 *
 * - `SecondConsumer`: `incoming` was run while another run of it was active.
 * - `NewlineInLine`: a line that was given to `send` contains a newline, so it is more than one line.
 */
export const TransportMisuseReason = Schema.Literal("SecondConsumer", "NewlineInLine")
export type TransportMisuseReason = typeof TransportMisuseReason.Type

/**
 * The host broke the contract of a transport. It is a bug in the host, so transports die with it: it is a defect and not in any
 * error type. `TransportContract.enforce` makes it.
 *
 * @example
 * ```ts
 * import { type Transport, TransportMisuse } from "@claude-duplex/protocol/Transport"
 * import { Effect } from "effect"
 *
 * const twoLines = ({ send }: Transport) => send(`{"type":"keep_alive"}\n{"type":"keep_alive"}`)
 * const reported = (transport: Transport) => Effect.catchAllDefect(twoLines(transport), (defect) =>
 *   defect instanceof TransportMisuse ? Effect.logError(defect.message) : Effect.die(defect))
 * ```
 */
export class TransportMisuse
  extends Schema.TaggedError<TransportMisuse>("@claude-duplex/protocol/TransportMisuse")("TransportMisuse", {
    reason: TransportMisuseReason,
    /** What the host did, and what to do instead. */
    detail: Schema.String
  })
{
  override get message(): string {
    return this.detail
  }
}

/**
 * One connected CLI: a process, a script, a recording, a socket. It is not a service, because it has one consumer: a layer would
 * share it between sessions. The service that starts one is `Connector`.
 *
 * `TransportSuite` in `@claude-duplex/transport-mock` tests all of it, and `TransportContract.enforce`
 * implements the rules that are the same for every transport.
 */
export interface Transport {
  /**
   * The bytes of the CLI's stdout, in order, in chunks of any size.
   *
   * - There is one consumer at a time. A second one dies with `TransportMisuse` (`SecondConsumer`) and takes no bytes from the
   *   first. When a run ends, the next run continues after the last chunk that was taken.
   * - Back-pressure reaches the CLI: while nobody consumes, the transport stops reading after a bounded amount. It drops nothing,
   *   and reading goes on when the consumer does.
   * - It ends after the last byte, however the CLI ends.
   */
  readonly incoming: Stream.Stream<Uint8Array, TransportError>
  /**
   * Writes one line, given without its newline. Lines of concurrent calls do not interleave.
   *
   * - It waits while the CLI does not read and a bounded amount is queued already. It returns when the transport has accepted the
   *   line; that the CLI has read it is not known.
   * - A line is written whole or not at all. An interrupted `send` may have been either, and leaves the transport usable.
   * - A line with a newline (U+000A) in it dies with `TransportMisuse` (`NewlineInLine`) before a byte is written. A carriage
   *   return is not a line end.
   * - It fails with `Closed` after `endInput`, and with `Write` when the CLI has ended or does not read any more.
   */
  readonly send: (line: string) => Effect.Effect<void, TransportError>
  /**
   * Ends the CLI's input; a second call has no effect. It does not wait. Lines whose `send` still waits are written first, and
   * those calls succeed; calls that come later fail with `Closed`.
   */
  readonly endInput: Effect.Effect<void>
  /** Waits for the end, and returns how the CLI ended. It is known after the last byte of output; any number of fibers may wait. */
  readonly exit: Effect.Effect<TransportExit>
  /**
   * Ends the CLI, first by the end of its input and then by force, and waits for its exit. It does not depend on a consumer of
   * `incoming`. Calls to `send` that wait fail with `Write` or `Closed`. The end of the transport's scope does the same.
   */
  readonly close: Effect.Effect<void>
  /** The process, where there is one. */
  readonly pid?: number | undefined
  /** What it writes to stderr while it is listened to, where that can be heard; the exit has the end of it anyway. */
  readonly stderr?: Stream.Stream<string> | undefined
  /** What is doubtful about how it was started, where that is known; may go on while it runs. A session tells its subscribers. */
  readonly warnings?: Stream.Stream<Warning> | undefined
}
