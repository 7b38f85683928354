/**
 * What a command could not do, in one line for a person and an exit code for a program. Owns the words; who prints them is
 * `Cli`.
 */
import * as Schema from "effect/Schema"

/**
 * Why.
 *
 * - `Usage`: what was asked for makes no sense. Exit code 2.
 * - `Input`: a file cannot be read, or is not what it should be. Exit code 2.
 * - `Output`: what was found cannot be written. Exit code 2.
 * - `Claude`: `claude` cannot be started, or ended badly. Exit code 3.
 * - `Findings`: a check found something; it has been printed. Exit code 1.
 * - `Closed`: whoever read the output has gone (`| head`), and has all that it wanted. Exit code 0.
 */
export const CliReason = Schema.Literal("Usage", "Input", "Output", "Claude", "Findings", "Closed")
export type CliReason = typeof CliReason.Type

const exitCodes: Record<CliReason, number> = { Closed: 0, Findings: 1, Usage: 2, Input: 2, Output: 2, Claude: 3 }

/**
 * A command could not do what it was asked to.
 */
export class CliError extends Schema.TaggedError<CliError>("@claude-duplex/cli/CliError")("CliError", {
  reason: CliReason,
  /** One line: what happened, and what to do. Empty if everything has been said already. */
  summary: Schema.String,
  /** For `--verbose`. */
  detail: Schema.optional(Schema.String)
}) {
  override get message(): string {
    return this.summary
  }

  get exitCode(): number {
    return exitCodes[this.reason]
  }
}
