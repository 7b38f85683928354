/**
 * What went wrong between a script and its host. Owns the text that a person reads in a failed test: where in the script,
 * what was expected, what came, and the paths at which the two differ.
 *
 * @since 0.1.0
 * @stability stable
 */
import * as Schema from "effect/Schema"
import { optional } from "./internal/fields.js"

/**
 * How a script failed.
 *
 * - `Unexpected`: the host sent another frame than the script expects.
 * - `InvalidInput`: the host sent a line that is not JSON, or that no CLI could read.
 * - `EndOfInput`: the host ended its input while the script expects a frame.
 * - `Timeout`: the host did not send what is expected `within` the time given.
 * - `Leftover`: the host sent a frame after the script's last step.
 * - `InvalidScript`: the script itself is wrong; the host is not to blame.
 */
export const ScriptReason = Schema.Literal(
  "Unexpected",
  "InvalidInput",
  "EndOfInput",
  "Timeout",
  "Leftover",
  "InvalidScript"
)
export type ScriptReason = typeof ScriptReason.Type

const headlines: Record<ScriptReason, string> = {
  Unexpected: "The host sent a frame that the script does not expect.",
  InvalidInput: "The host sent a line that the CLI could not read.",
  EndOfInput: "The host ended its input, and the script expects more.",
  Timeout: "The host did not send in time what the script expects.",
  Leftover: "The host sent a frame after the end of the script.",
  InvalidScript: "The script is not valid."
}

/** One place where the expected and the actual frame differ. */
export const Difference = Schema.Struct({
  /** Field names and indices, joined by dots. */
  path: Schema.String,
  expected: Schema.String,
  actual: Schema.String
}).annotations({ identifier: "Difference" })
export interface Difference extends Schema.Schema.Type<typeof Difference> {}

/**
 * A script failed. The message has several lines and quotes frames: it is meant for the one who reads a failed test.
 *
 * @example
 * ```ts
 * import { ScriptError } from "@claude-duplex/transport-mock/ScriptError"
 *
 * const error = new ScriptError({
 *   reason: "EndOfInput",
 *   step: 2,
 *   steps: 5,
 *   at: `expect "prompt"`,
 *   expected: `at least: {"type":"user"}`,
 *   differences: []
 * })
 * console.log(error.message)
 * // The host ended its input, and the script expects more.
 * //   step 2 of 5: expect "prompt"
 * //   expected at least: {"type":"user"}
 * ```
 */
export class ScriptError extends Schema.TaggedError<ScriptError>("@claude-duplex/transport-mock/ScriptError")(
  "ScriptError",
  {
    reason: ScriptReason,
    /** The number of the step, from 1; 0 if the script did not come to run. */
    step: Schema.Number,
    /** How many steps the script has. */
    steps: Schema.Number,
    /** What kind of step it is, and its label. */
    at: Schema.String,
    /** What the script waits for, in words and JSON. */
    expected: optional(Schema.String),
    /** What the host sent instead. */
    actual: optional(Schema.String),
    differences: Schema.Array(Difference),
    /** What else there is to say. */
    detail: optional(Schema.String)
  }
) {
  override get message(): string {
    return [
      headlines[this.reason],
      ...(this.step > 0 ? [`  step ${this.step} of ${this.steps}: ${this.at}`] : []),
      ...(this.detail === undefined ? [] : [indented(this.detail)]),
      ...(this.expected === undefined ? [] : [indented(`expected ${this.expected}`)]),
      ...(this.actual === undefined ? [] : [indented(`actual: ${this.actual}`)]),
      ...(this.differences.length === 0 ? [] : ["  differences:"]),
      ...this.differences.flatMap(({ actual, expected, path }) => [
        `    ${path}`,
        `      expected: ${expected}`,
        `      actual:   ${actual}`
      ])
    ].join("\n")
  }
}

const indented = (text: string): string => text.replace(/^/gm, "  ")
