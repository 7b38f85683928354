/**
 * A text that is not a recording.
 *
 * @since 0.1.0
 * @stability stable
 */
import * as Schema from "effect/Schema"

/**
 * Why.
 *
 * - `InvalidJson`: a line is not JSON.
 * - `InvalidEntry`: a line is JSON, but not an entry.
 */
export const RecordingReason = Schema.Literal("InvalidJson", "InvalidEntry")
export type RecordingReason = typeof RecordingReason.Type

const explanations: Record<RecordingReason, string> = {
  InvalidJson: "is not JSON",
  InvalidEntry: `is not an entry, which is {"t": milliseconds, "dir": "host" or "cli", "line": text}`
}

/**
 * A line of a recording could not be read. What it says is not quoted: it may be a prompt or a key.
 *
 * @example
 * ```ts
 * import * as Recording from "@claude-duplex/transport-mock/Recording"
 * import { Either } from "effect"
 *
 * const parsed = Recording.parse(`nonsense\n{"t":0,"dir":"cli","line":"{}"}\n`)
 * if (Either.isLeft(parsed)) console.log(parsed.left.message) // Line 1 of the recording is not JSON. ...
 * ```
 */
export class RecordingError
  extends Schema.TaggedError<RecordingError>("@claude-duplex/transport-mock/RecordingError")("RecordingError", {
    reason: RecordingReason,
    /** The number of the line in the text, from 1. */
    line: Schema.Number
  })
{
  override get message(): string {
    return `Line ${this.line} of the recording ${explanations[this.reason]}. It is given up as a whole: with a line ` +
      "missing in its middle, it would be another conversation."
  }
}
