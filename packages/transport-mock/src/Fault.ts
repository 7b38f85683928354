/**
 * Faults as data: their types and schemas, and so their JSON form. What they do to a fake, and how they are made and put
 * together, is in `Faults`. Lines of output are counted from 0.
 *
 * @since 0.1.0
 * @stability experimental
 */
import { JsonObject } from "@claude-duplex/protocol/schema/Json"
import * as Schema from "effect/Schema"
import { Count, ExitWith, Millis, optional } from "./internal/fields.js"

/** A text that is one line of its own, and not an empty one: those are skipped by every reader. */
const OneLine = Schema.String.pipe(Schema.pattern(/^[^\n]*[^\s][^\n]*$/)).annotations({ identifier: "OneLine" })

/** Which lines of output: the one with this number, or those that have at least these fields (all, or the nth of them). */
export const Where = Schema.Union(
  Schema.Struct({ line: Count }),
  Schema.Struct({ match: JsonObject, nth: optional(Count) })
).annotations({ identifier: "Where" })
export type Where = typeof Where.Type

/**
 * Until when a line is held back: until so many other lines were written, so much time has passed, or the fake has read a
 * frame of the host's with at least these fields (one that came before the line does not count).
 */
export const Until = Schema.Union(
  Schema.Struct({ lines: Count }),
  Schema.Struct({ time: Millis }),
  Schema.Struct({ received: JsonObject })
).annotations({ identifier: "Until" })
export type Until = typeof Until.Type

/** The same bytes in other chunks, of at most `largest` bytes (64). Chunks are cut, never joined. */
export const Cut = Schema.Struct({
  type: Schema.Literal("cut"),
  seed: Schema.Number,
  largest: optional(Schema.Number.pipe(Schema.int(), Schema.positive()))
}).annotations({ identifier: "Cut" })
export interface Cut extends Schema.Schema.Type<typeof Cut> {}

/** Lines that are no frames, each before a line with the given chance (0.5), chosen from `texts`. */
export const Noise = Schema.Struct({
  type: Schema.Literal("noise"),
  seed: Schema.Number,
  chance: optional(Schema.Number.pipe(Schema.between(0, 1))),
  texts: optional(Schema.NonEmptyArray(OneLine))
}).annotations({ identifier: "Noise" })
export interface Noise extends Schema.Schema.Type<typeof Noise> {}

/** A line of a given text, before a line. */
export const Insert = Schema.Struct({
  type: Schema.Literal("insert"),
  line: Count,
  text: OneLine
}).annotations({ identifier: "Insert" })
export interface Insert extends Schema.Schema.Type<typeof Insert> {}

/** A line of so many bytes without its newline, before a line. It is no frame, whatever length is allowed. */
export const LongLine = Schema.Struct({
  type: Schema.Literal("longLine"),
  line: Count,
  bytes: Schema.Number.pipe(Schema.int(), Schema.positive())
}).annotations({ identifier: "LongLine" })
export interface LongLine extends Schema.Schema.Type<typeof LongLine> {}

/** Lines that are written again right after they were written, so many `times` (once). */
export const Duplicate = Schema.Struct({
  type: Schema.Literal("duplicate"),
  where: Where,
  times: optional(Count)
}).annotations({ identifier: "Duplicate" })
export interface Duplicate extends Schema.Schema.Type<typeof Duplicate> {}

/**
 * Lines that are held back while others pass. What is still held back at the end is written then. Lines are only known by
 * their fields when they are whole, so with `match` every line is written when it ends.
 */
export const Hold = Schema.Struct({
  type: Schema.Literal("hold"),
  where: Where,
  until: Until
}).annotations({ identifier: "Hold" })
export interface Hold extends Schema.Schema.Type<typeof Hold> {}

/** A pause before a line, in which everything stands still. */
export const Delay = Schema.Struct({
  type: Schema.Literal("delay"),
  line: Count,
  time: Millis
}).annotations({ identifier: "Delay" })
export interface Delay extends Schema.Schema.Type<typeof Delay> {}

/** The end in a line: after so many bytes of it (1), and in any case before its newline. `with` is the exit (1). */
export const EndInLine = Schema.Struct({
  type: Schema.Literal("endInLine"),
  line: Count,
  bytes: optional(Count),
  with: optional(ExitWith)
}).annotations({ identifier: "EndInLine" })
export interface EndInLine extends Schema.Schema.Type<typeof EndInLine> {}

/** The end after a line, or after so many bytes of all that is written; 0 is before anything happens. */
export const Exit = Schema.Struct({
  type: Schema.Literal("exit"),
  after: Schema.Union(Schema.Struct({ line: Count }), Schema.Struct({ bytes: Count })),
  with: optional(ExitWith)
}).annotations({ identifier: "Exit" })
export interface Exit extends Schema.Schema.Type<typeof Exit> {}

/** A fake that reads nothing any more, not even the end of its input, after so many lines of the host's. */
export const StalledInput = Schema.Struct({
  type: Schema.Literal("stalledInput"),
  lines: Count
}).annotations({ identifier: "StalledInput" })
export interface StalledInput extends Schema.Schema.Type<typeof StalledInput> {}

/** Any fault. */
export const Fault = Schema.Union(
  Cut,
  Noise,
  Insert,
  LongLine,
  Duplicate,
  Hold,
  Delay,
  EndInLine,
  Exit,
  StalledInput
).annotations({ identifier: "Fault" })
export type Fault = typeof Fault.Type
