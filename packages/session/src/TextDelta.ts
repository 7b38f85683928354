/**
 * A piece of text, as the model writes it: what a terminal prints and a window appends. Owns how one is read from a frame,
 * and whose it is; the text as a whole, with everything else that a message has, is `MessageAccumulator`'s.
 *
 * Under `--include-partial-messages`, the CLI sends text as the model writes it. Without, a piece is a whole block.
 *
 * @since 0.1.0
 * @stability stable
 */
import { type CliFrame, isKnown, type Unknown } from "@claude-duplex/protocol/Frame"
import type { AssistantFrame } from "@claude-duplex/protocol/schema/AssistantFrame"
import type { StreamEventFrame } from "@claude-duplex/protocol/schema/StreamEvent"
import * as Chunk from "effect/Chunk"
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
 * The text of a conversation and of its subagents, as it is written. Each piece has the id of its message as soon as that is
 * known. A message without partial messages before it comes whole, when it is complete: so no text is missing or comes twice,
 * with `--include-partial-messages` and without, and in a stream that begins in the middle of a turn.
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
    const reader = new Reader()
    return Stream.mapChunks(
      frames,
      (chunk) => Chunk.unsafeFromArray(Array.from(chunk).flatMap((frame) => reader.read(frame)))
    )
  })

/** A message: one whose text comes piece by piece, or whole. */
interface Message {
  id: string | undefined
  readonly isStreamed: boolean
  /** No piece of it follows. */
  hasStopped: boolean
  /** How many blocks of it have come whole. The CLI sends one message in several frames. */
  blocks: number
}

const nothing: ReadonlyArray<TextDelta> = []

class Reader {
  /** The last message of the conversation itself and of each subagent. */
  readonly #messages = new Map<string | null, Message>()

  read(frame: CliFrame | Unknown): ReadonlyArray<TextDelta> {
    if (!isKnown(frame)) return nothing
    switch (frame.type) {
      case "stream_event":
        return this.#piece(frame)
      case "assistant":
        return this.#whole(frame)
      case "user": {
        const { content } = frame.message
        if (typeof content === "string") return nothing
        // The subagent of this call has ended.
        for (const block of content) if (block.type === "tool_result") this.#messages.delete(block.tool_use_id)
        return nothing
      }
      default:
        return nothing
    }
  }

  #piece(frame: StreamEventFrame): ReadonlyArray<TextDelta> {
    const parent = frame.parent_tool_use_id
    if (frame.event.type === "message_start") {
      this.#messages.set(parent, { id: frame.event.message.id, isStreamed: true, hasStopped: false, blocks: 0 })
      return nothing
    }
    const message = this.#messages.get(parent)
    if (frame.event.type === "message_stop" && message !== undefined) message.hasStopped = true
    const delta = Option.getOrUndefined(fromFrame(frame))
    if (delta === undefined) return nothing
    if (message?.hasStopped === false) return [{ ...delta, messageId: delta.messageId ?? message.id }]
    this.#messages.set(parent, { id: delta.messageId, isStreamed: true, hasStopped: false, blocks: 0 })
    return [delta]
  }

  #whole({ message: { content, id }, parent_tool_use_id: parentToolUseId }: AssistantFrame): ReadonlyArray<TextDelta> {
    const last = this.#messages.get(parentToolUseId)
    if (last?.isStreamed === true && (last.id === undefined || last.id === id)) {
      last.id = id
      return nothing
    }
    const message = last?.id === id ? last : { id, isStreamed: false, hasStopped: true, blocks: 0 }
    this.#messages.set(parentToolUseId, message)
    const first = message.blocks
    message.blocks += content.length
    return content.flatMap((block, index) =>
      block.type === "text" ? [{ parentToolUseId, messageId: id, index: first + index, text: block.text }] : []
    )
  }
}
