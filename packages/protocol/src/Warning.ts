/**
 * Something that is legal and may not do what was meant: a permission handler that can never be called, an old CLI. Told
 * before it costs anybody an hour; nothing fails because of it.
 */
import * as Schema from "effect/Schema"

/** Something to look at. */
export const Warning = Schema.Struct({
  /** What it is about, for programs. */
  kind: Schema.String,
  /** What it leads to and what to do, for people. Values are not quoted: they may be secret. */
  message: Schema.String
}).annotations({ identifier: "Warning" })
export interface Warning extends Schema.Schema.Type<typeof Warning> {}
