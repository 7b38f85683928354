/**
 * A line that is not a frame. It is an item in the stream of frames, never the end of it: the next line is decoded as if
 * nothing had happened.
 *
 * @since 0.1.0
 * @stability stable
 */
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"

/**
 * Why a line was given up.
 *
 * - `LineTooLong`: longer than `maxLineBytes`; skipped to the next newline.
 * - `InvalidJson`: not JSON. Some CLIs print log text between frames.
 * - `InvalidUtf8`: bytes that are not UTF-8.
 * - `TruncatedTail`: the stream ended in the middle of a line.
 */
export const DecodeReason = Schema.Literal("LineTooLong", "InvalidJson", "InvalidUtf8", "TruncatedTail")
export type DecodeReason = typeof DecodeReason.Type

/** How much of the line an error keeps, in characters. */
export const maxTextLength = 1024

const explanations: Record<DecodeReason, (line: number) => string> = {
  LineTooLong: (line) =>
    `Line ${line} is longer than the decoder allows and was skipped. If such lines are expected, raise maxLineBytes.`,
  InvalidJson: (line) =>
    `Line ${line} is not JSON and was skipped. Some CLIs print log text on stdout; nothing needs to be done about it.`,
  InvalidUtf8: (line) => `Line ${line} is not valid UTF-8 and was skipped.`,
  TruncatedTail: (line) =>
    `The stream ended in the middle of line ${line}. The process was killed, or its output was cut.`
}

/**
 * A line that could not be decoded.
 *
 * The text (its first 1,024 characters) is redacted, because a frame may hold a prompt or a key: it shows up in no log
 * unless it is asked for by `Redacted.value(error.text)`.
 *
 * @example
 * ```ts
 * import * as Codec from "@claude-duplex/protocol/Codec"
 * import { Either, Redacted } from "effect"
 *
 * const decoded = Codec.cli.decode("[warn] low disk space")
 * if (Either.isLeft(decoded)) {
 *   console.log(decoded.left.reason, Redacted.value(decoded.left.text))
 * }
 * ```
 */
export class DecodeError extends Schema.TaggedError<DecodeError>("@claude-duplex/protocol/DecodeError")("DecodeError", {
  reason: DecodeReason,
  /** The number of the line in its stream, from 1; 0 where a single line was decoded on its own. */
  line: Schema.Number,
  text: Schema.Redacted(Schema.String)
}) {
  override get message(): string {
    return explanations[this.reason](this.line)
  }

  /** An error about a line of which `text` is known. */
  static of(reason: DecodeReason, line: number, text: string): DecodeError {
    return new DecodeError({ reason, line, text: Redacted.make(beginningOf(text)) })
  }
}

/** A copy, because in V8 a slice keeps the whole text alive: errors that are kept would hold on to lines of megabytes. */
const beginningOf = (text: string): string =>
  // What is the JSON of a string is read as that string.
  text.length > maxTextLength ? JSON.parse(JSON.stringify(text.slice(0, maxTextLength))) as string : text
