/**
 * A host that strayed from a recording. Owns the text that a person reads in a failed test: where in the recording, what
 * was recorded, and what came.
 *
 * @since 0.1.0
 * @stability stable
 */
import * as Schema from "effect/Schema"
import { optional } from "./internal/fields.js"
import { Difference } from "./ScriptError.js"

/**
 * How the host strayed.
 *
 * - `Unexpected`: it sent a line that stands for none of the recorded ones that are left.
 * - `Mismatch`: it sent a line in the place of a recorded one, and says something else.
 * - `EndOfInput`: it ended its input before it had sent all that was recorded.
 */
export const ReplayReason = Schema.Literal("Unexpected", "Mismatch", "EndOfInput")
export type ReplayReason = typeof ReplayReason.Type

const headlines: Record<ReplayReason, string> = {
  Unexpected: "The host sent a line that fits nothing which is left of the recording.",
  Mismatch: "The host sent something else than what was recorded.",
  EndOfInput: "The host ended its input, and the recording has more of it."
}

/**
 * A live host did not do what the recorded one did. The message has several lines and quotes frames: it is meant for the
 * one who reads a failed test.
 *
 * @example
 * ```ts
 * import { ReplayError } from "@claude-duplex/transport-mock/ReplayError"
 *
 * const error = new ReplayError({
 *   reason: "EndOfInput",
 *   entry: 5,
 *   entries: 8,
 *   expected: `user {"type":"user","message":{"role":"user","content":"second turn"}}`,
 *   actual: "the end of the input",
 *   differences: []
 * })
 * console.log(error.message)
 * // The host ended its input, and the recording has more of it.
 * //   entry 5 of 8
 * //   expected: user {"type":"user","message":{"role":"user","content":"second turn"}}
 * //   actual:   the end of the input
 * ```
 */
export class ReplayError extends Schema.TaggedError<ReplayError>("@claude-duplex/transport-mock/ReplayError")(
  "ReplayError",
  {
    reason: ReplayReason,
    /** The number of the entry that the host is compared with, from 1; one more than there are if none is left. */
    entry: Schema.Number,
    /** How many entries the recording has. */
    entries: Schema.Number,
    /** What was recorded, in words and JSON. */
    expected: Schema.String,
    /** What the host did, likewise. */
    actual: Schema.String,
    /** Where the two differ, if they are compared exactly. */
    differences: Schema.Array(Difference),
    /** What else there is to say. */
    detail: optional(Schema.String)
  }
) {
  override get message(): string {
    return [
      headlines[this.reason],
      this.entry > this.entries ? `  after all ${this.entries} entries` : `  entry ${this.entry} of ${this.entries}`,
      `  expected: ${this.expected}`,
      `  actual:   ${this.actual}`,
      ...(this.detail === undefined ? [] : [`  ${this.detail}`]),
      ...(this.differences.length === 0 ? [] : ["  differences:"]),
      ...this.differences.flatMap(({ actual, expected, path }) => [
        `    ${path}`,
        `      expected: ${expected}`,
        `      actual:   ${actual}`
      ])
    ].join("\n")
  }
}
