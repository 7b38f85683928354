/**
 * Slash commands, as listed by `initialize` and announced when they change.
 *
 * @since 0.1.0
 * @stability stable
 */
import * as Schema from "effect/Schema"
import { optional } from "../internal/fields.js"

/** One slash command, skill or custom command. */
export const SlashCommand = Schema.Struct({
  name: Schema.String,
  description: Schema.String,
  argumentHint: Schema.String,
  aliases: optional(Schema.Array(Schema.String)),
  builtin: optional(Schema.Boolean)
}).annotations({ identifier: "SlashCommand" })
export interface SlashCommand extends Schema.Schema.Type<typeof SlashCommand> {}
