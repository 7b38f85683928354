/**
 * The error of a stream of a `Turn` that cannot go on from what it has emitted.
 *
 * @since 0.1.0
 * @stability experimental
 */
import * as Schema from "effect/Schema"

/**
 * Why the stream has to begin again.
 *
 * - `Reassigned`: the CLI reported that the turn was another message's, or its own. What the stream emitted is not of this
 *   message's turn. Only CLIs that say little about whose turn runs lead to this; see the guide on turns.
 * - `Overflow`: the reader was too slow, and frames that the turn does not retain were dropped.
 */
export const TurnResetReason = Schema.Literal("Reassigned", "Overflow")
export type TurnResetReason = typeof TurnResetReason.Type

const explanations: Record<TurnResetReason, string> = {
  Reassigned: "What this stream emitted is of another turn: the CLI reported late whose turn it was.",
  Overflow: "The reader of this stream was too slow, and frames that the turn does not retain were dropped."
}

/**
 * A stream of a `Turn` (`frames`, `messages`, `text`, `deltas`) failed. The turn itself goes on, and so do its other streams.
 *
 * Discard what the stream emitted, and run it again: it then begins with the first frame that the message's own turn retains.
 *
 * @example
 * ```ts
 * import type { Turn } from "@claude-duplex/session/Turn"
 * import { Console, Effect, Stream } from "effect"
 *
 * const print = (turn: Turn): Effect.Effect<void> =>
 *   Stream.runForEach(turn.text, Console.log).pipe(
 *     Effect.catchTag("TurnReset", () => Effect.zipRight(Console.clear, print(turn)))
 *   )
 * ```
 */
export class TurnReset extends Schema.TaggedError<TurnReset>("@claude-duplex/session/TurnReset")("TurnReset", {
  /** The uuid of the message. */
  id: Schema.String,
  reason: TurnResetReason
}) {
  override get message(): string {
    return `${explanations[this.reason]} Discard it and run the stream again.`
  }
}
