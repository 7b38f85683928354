/**
 * A piece of text, as the model writes it: what a terminal prints and a window appends. Owns how one is read from a frame,
 * and whose it is; the text as a whole, with everything else that a message has, is `MessageAccumulator`'s.
 *
 * The CLI sends them under `--include-partial-messages` only.
 *
 * @since 0.1.0
 * @stability stable
 */
import { type CliFrame, isKnown, type Unknown } from "@claude-duplex/protocol/Frame"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"

/** A piece of text. */
export interface TextDelta {
  /** The tool call of the subagent that says it; `null` is the conversation itself. */
  readonly parentToolUseId: string | null
  /** The API's id of the message. CLIs up to 2.1.143 do not tell; there, only {@link fromFrames} knows. */
  readonly messageId: string | undefined
  /** Which block of the message it belongs to. */
  readonly index: number
  readonly text: string
}

/**
 * The piece of text that a frame carries, if it does.
 *
 * @example
 * ```ts
 * import * as Codec from "@claude-duplex/protocol/Codec"
 * import * as TextDelta from "@claude-duplex/session/TextDelta"
 *
 * TextDelta.fromFrame(Codec.cli.fromJson({
 *   type: "stream_event",
 *   event: { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "hel" } },
 *   parent_tool_use_id: null,
 *   session_id: "s"
 * })) // Option.some({ text: "hel", ... })
 * ```
 */
export const fromFrame = (frame: CliFrame | Unknown): Option.Option<TextDelta> => {
  if (!isKnown(frame) || frame.type !== "stream_event") return Option.none()
  const { api_message_id: messageId, event, parent_tool_use_id: parentToolUseId } = frame
  return event.type === "content_block_delta" && event.delta.type === "text_delta"
    ? Option.some({ parentToolUseId, messageId, index: event.index, text: event.delta.text })
    : Option.none()
}

/**
 * Pieces of text of a conversation and of its subagents, each with the id of its message as soon as that is known.
 *
 * @example
 * ```ts
 * import * as TextDelta from "@claude-duplex/session/TextDelta"
 * import type { Turn } from "@claude-duplex/session/Turn"
 * import { Stream } from "effect"
 *
 * const ofSubagents = (turn: Turn) =>
 *   TextDelta.fromFrames(turn.frames).pipe(Stream.filter((delta) => delta.parentToolUseId !== null))
 * ```
 */
export const fromFrames = <E, R>(frames: Stream.Stream<CliFrame | Unknown, E, R>): Stream.Stream<TextDelta, E, R> =>
  Stream.suspend(() => {
    // Of messages under way only: as many as talk at once.
    const ids = new Map<string | null, string>()
    return Stream.filterMap(frames, (frame) => {
      if (isKnown(frame) && frame.type === "stream_event") {
        if (frame.event.type === "message_start") ids.set(frame.parent_tool_use_id, frame.event.message.id)
        else if (frame.event.type === "message_stop") ids.delete(frame.parent_tool_use_id)
      }
      return Option.map(
        fromFrame(frame),
        (delta) => delta.messageId === undefined ? { ...delta, messageId: ids.get(delta.parentToolUseId) } : delta
      )
    })
  })
