/**
 * Options that no process should be started with. What is legal but dangerous is in `CliWarning`.
 *
 * @since 0.1.0
 * @stability stable
 */
import * as Schema from "effect/Schema"

/**
 * What is wrong with the options.
 *
 * - `Conflict`: each is fine alone; together the CLI refuses them, or silently follows only one.
 * - `InvalidValue`: the value cannot be passed on, or the CLI would refuse it or understand something else.
 */
export const CliOptionsReason = Schema.Literal("Conflict", "InvalidValue")
export type CliOptionsReason = typeof CliOptionsReason.Type

/**
 * The options are refused; nothing was started.
 *
 * @example
 * ```ts
 * import * as CliOptions from "@claude-duplex/transport-node/CliOptions"
 * import { Either } from "effect"
 *
 * const argv = CliOptions.toArgv({ resume: "b7c1", continue: true })
 * if (Either.isLeft(argv)) console.log(argv.left.reason, argv.left.options) // "Conflict" ["resume", "continue"]
 * ```
 */
export class CliOptionsError
  extends Schema.TaggedError<CliOptionsError>("@claude-duplex/transport-node/CliOptionsError")("CliOptionsError", {
    reason: CliOptionsReason,
    /** The options to change, by their names in `CliOptions`. */
    options: Schema.Array(Schema.String),
    /** What is wrong and what to do. Values are not quoted: prompts and settings may be secret. */
    detail: Schema.String
  })
{
  override get message(): string {
    return `${this.options.join(", ")}: ${this.detail}`
  }
}
