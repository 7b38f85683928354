/** Fields that the data of scripts and faults share. Owns their JSON form; what they do is their users' business. */
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import type { PeerExit } from "../Peer.js"

/** A field that may be absent, but is never `undefined` when present: JSON has no `undefined`. */
export const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { exact: true })

/** The given fields without those that are `undefined`: what a person leaves out of an options object stays out. */
export const defined = <A extends object>(fields: A): { [K in keyof A]: Exclude<A[K], undefined> } =>
  // The entries are the object's own; only the `undefined` ones are gone, which is what the type says.
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof A]: Exclude<A[K], undefined>
  }

/** A span of time: milliseconds, which is also what is written; read from `"2 seconds"` as well. */
export const Millis = Schema.transformOrFail(
  Schema.Union(Schema.Number, Schema.String),
  Schema.Number.pipe(Schema.finite(), Schema.nonNegative()),
  {
    strict: true,
    decode: (input, _, ast) =>
      Option.match(Duration.decodeUnknown(input), {
        onNone: () =>
          ParseResult.fail(
            new ParseResult.Type(ast, input, "a span of time: milliseconds, or a text like `2 seconds`")
          ),
        onSome: (duration) => ParseResult.succeed(Duration.toMillis(duration))
      }),
    encode: (millis) => ParseResult.succeed(millis)
  }
).annotations({ identifier: "Millis" })

/** A count or an index. */
export const Count = Schema.Number.pipe(Schema.int(), Schema.nonNegative()).annotations({ identifier: "Count" })

/** How a process ends: a number is a code, a text a signal. */
export const ExitWith = Schema.Union(
  Schema.Number.pipe(Schema.int(), Schema.between(0, 255)),
  Schema.String.pipe(Schema.pattern(/^SIG[A-Z0-9]+$/))
).annotations({ identifier: "ExitWith" })
export type ExitWith = typeof ExitWith.Type

export const toPeerExit = (how: ExitWith): PeerExit =>
  typeof how === "number" ? { _tag: "Exited", code: how } : { _tag: "Signaled", signal: how }
