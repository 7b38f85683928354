/**
 * A message under way: how far it has come, what is said in its turn, and how that ends.
 */
import type { EncodeError } from "@claude-duplex/protocol/EncodeError"
import type { CliFrame, Unknown } from "@claude-duplex/protocol/Frame"
import type { SessionError } from "@claude-duplex/protocol/SessionError"
import type { Effect } from "effect"
import { Option, Stream } from "effect"
import type { TurnResult } from "./TurnResult.js"

/** How far a message has come: held here, written, in the CLI's queue, worked on, over. */
export type Phase = "Held" | "Written" | "Queued" | "Started" | "Ended"

/** A message under way. */
export interface Turn {
  /** The message's uuid. */
  readonly id: string
  readonly phase: Effect.Effect<Phase>
  /** Every frame of its turn, from the first on, whenever this is run; ends with the turn. */
  readonly frames: Stream.Stream<CliFrame | Unknown>
  /** What the model says, piece by piece. Needs `--include-partial-messages`. */
  readonly text: Stream.Stream<string>
  /** How it ends. May be waited for by many. */
  readonly result: Effect.Effect<TurnResult, SessionError | EncodeError>
  /** Takes it back if it is still held here: it then ends as `Cancelled`. */
  readonly withdraw: Effect.Effect<void>
}

/**
 * Pieces of text of the conversation itself, subagents left out.
 *
 * @example
 * ```ts
 * import type { CliFrame } from "@claude-duplex/protocol/Frame"
 * import * as Turn from "@claude-duplex/session/Turn"
 * import { Stream } from "effect"
 *
 * const text = Turn.textOf(Stream.empty as Stream.Stream<CliFrame>)
 * ```
 */
export const textOf = (frames: Stream.Stream<CliFrame | Unknown>): Stream.Stream<string> =>
  Stream.filterMap(frames, (frame) => {
    if ("_tag" in frame || frame.type !== "stream_event" || frame.parent_tool_use_id !== null) return Option.none()
    const { event } = frame
    return event.type === "content_block_delta" && event.delta.type === "text_delta"
      ? Option.some(event.delta.text)
      : Option.none()
  })
