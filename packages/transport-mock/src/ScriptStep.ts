/**
 * The steps of a script, as data. Owns their types, their schemas and so their JSON form, which `Script` explains with an
 * example; what they do is in `Script` too. Each step is an object that is told by its verb: the one key that names it.
 *
 * @since 0.1.0
 * @stability stable
 */
import type { CliFrame, HostFrame, Unknown } from "@claude-duplex/protocol/Frame"
import { JsonObject, JsonValue } from "@claude-duplex/protocol/schema/Json"
import * as Either from "effect/Either"
import * as Encoding from "effect/Encoding"
import * as Schema from "effect/Schema"
import { Count, ExitWith, Millis, optional } from "./internal/fields.js"

/** Where a value is in a frame: `"request.subtype"`, `"message.content.0.text"`, or its keys as a list. */
export const Path = Schema.Union(Schema.String, Schema.Array(Schema.Union(Schema.String, Count))).annotations({
  identifier: "Path"
})
export type Path = typeof Path.Type

/**
 * Stands for a value that the host sent: in the frame that was matched last, or in the one that matched the expectation
 * labelled `of`. May be anywhere in a reply and in a pattern.
 */
export const Placeholder = Schema.Struct({
  $received: Path,
  of: optional(Schema.String)
}).annotations({ identifier: "Placeholder" })
export interface Placeholder extends Schema.Schema.Type<typeof Placeholder> {}

/** A `T` of which any value may be a {@link Placeholder}, except the literals that tell frames apart. */
export type Template<T> = T extends string | number | boolean | null | undefined
  ? string extends T ? T | Placeholder : number extends T ? T | Placeholder : boolean extends T ? T | Placeholder : T
  : T extends object ? { readonly [K in keyof T]: Template<T[K]> } | Placeholder
  : T

/** What has been received, for a reply that is worked out by a function. */
export interface Received {
  /** The frame that was matched last. */
  readonly frame: HostFrame | Unknown
  /** The frame that matched the expectation with this label. */
  readonly of: (label: string) => HostFrame | Unknown
  /** The text at a path, as {@link Placeholder} finds it. */
  readonly text: (path: Path, of?: string) => string
}

const expectation = {
  /** A name for what is received, to refer to it later and to find the step in an error. */
  label: optional(Schema.String),
  /** Takes a frame that the schemas of the protocol do not know, and that fails the script otherwise. */
  unchecked: optional(Schema.Boolean)
}

/** How long a step waits before it fails. Without it: as long as it takes. */
const within = optional(Millis)

/** A frame that has at least these fields. */
export const Expect = Schema.Struct({ expect: JsonObject, ...expectation, within }).annotations({
  identifier: "Expect"
})
export interface Expect extends Schema.Schema.Type<typeof Expect> {}

/** A frame that has these fields and no others. */
export const ExpectExactly = Schema.Struct({ expectExactly: JsonObject, ...expectation, within }).annotations({
  identifier: "ExpectExactly"
})
export interface ExpectExactly extends Schema.Schema.Type<typeof ExpectExactly> {}

/** A frame that a function accepts. In memory only. */
export interface ExpectWhere {
  readonly expectWhere: (frame: HostFrame | Unknown) => boolean
  /** What the function wants, for the error. */
  readonly description: string
  readonly label?: string
  readonly unchecked?: boolean
  readonly within?: number
}

const OneOfAll = Schema.Union(
  Schema.Struct({ expect: JsonObject, ...expectation }),
  Schema.Struct({ expectExactly: JsonObject, ...expectation })
)

/** Several frames in any order. One that fits several of them is taken for the first of these. */
export const ExpectAll = Schema.Struct({
  expectAll: Schema.Array(OneOfAll),
  within
}).annotations({ identifier: "ExpectAll" })
export interface ExpectAll extends Schema.Schema.Type<typeof ExpectAll> {}

/** {@link ExpectAll} in memory, where functions may be among the expectations. */
export interface ExpectAllWhere {
  readonly expectAll: ReadonlyArray<Expectation>
  readonly within?: number
}

/** The end of the host's input. */
export const ExpectEnd = Schema.Struct({ expectEnd: Schema.Literal(true), within }).annotations({
  identifier: "ExpectEnd"
})
export interface ExpectEnd extends Schema.Schema.Type<typeof ExpectEnd> {}

const reply = {
  /** Where the line is cut into chunks, in bytes from its beginning. */
  cutAt: optional(Schema.Array(Count)),
  /** Writes a frame that the schemas of the protocol do not know, and that fails the script otherwise. */
  unchecked: optional(Schema.Boolean)
}

/** Any JSON value, but there: `Schema.Unknown` alone is content with a missing key, and would take any step for a reply. */
const Present = JsonValue.pipe(Schema.filter((value) => value !== undefined || "a JSON value"))

/** Writes a frame, as one line. */
export const Reply = Schema.Struct({ reply: Present, ...reply }).annotations({ identifier: "Reply" })
export interface Reply extends Schema.Schema.Type<typeof Reply> {}

/** Writes a frame that a function works out. In memory only. */
export interface ReplyWith {
  readonly replyWith: (received: Received) => CliFrame | Unknown
  readonly cutAt?: ReadonlyArray<number>
}

/** Writes a line, whatever it is. The newline is added. */
export const ReplyLine = Schema.Struct({
  replyLine: Schema.String,
  /** How often, each time as a write of its own. Default: 1. */
  times: optional(Count)
}).annotations({ identifier: "ReplyLine" })
export interface ReplyLine extends Schema.Schema.Type<typeof ReplyLine> {}

/** Bytes: as text in UTF-8, or in base64 where they are none. */
export const Bytes = Schema.Union(
  Schema.String,
  Schema.Struct({
    base64: Schema.String.pipe(Schema.filter((text) => Either.isRight(Encoding.decodeBase64(text)) || "base64"))
  })
).annotations({ identifier: "Bytes" })
export type Bytes = typeof Bytes.Type

/** Writes bytes, chunk by chunk, and no newline that is not among them. */
export const ReplyChunks = Schema.Struct({ replyChunks: Schema.Array(Bytes) }).annotations({
  identifier: "ReplyChunks"
})
export interface ReplyChunks extends Schema.Schema.Type<typeof ReplyChunks> {}

/** Lets time pass. */
export const Delay = Schema.Struct({ delay: Millis }).annotations({ identifier: "Delay" })
export interface Delay extends Schema.Schema.Type<typeof Delay> {}

/** Writes to stderr, as it is. */
export const Stderr = Schema.Struct({ stderr: Schema.String }).annotations({ identifier: "Stderr" })
export interface Stderr extends Schema.Schema.Type<typeof Stderr> {}

/** Ends the process, with a code (`0`) or by a signal (`"SIGTERM"`). No step after it runs. */
export const Exit = Schema.Struct({ exit: ExitWith }).annotations({ identifier: "Exit" })
export interface Exit extends Schema.Schema.Type<typeof Exit> {}

/** From here on, skips any frame that has at least these fields and is not the one expected. */
export const Ignore = Schema.Struct({ ignore: JsonObject }).annotations({ identifier: "Ignore" })
export interface Ignore extends Schema.Schema.Type<typeof Ignore> {}

/** What the CLI's side does, as JSON. */
export const Action = Schema.Union(Reply, ReplyLine, ReplyChunks, Delay, Stderr, Exit)
export type Action = typeof Action.Type

/** From here on, answers any frame that has at least these fields and is not the one expected, as often as it comes. */
export const Respond = Schema.Struct({
  respond: JsonObject,
  /** The answer. Here the frame that is answered is the one that was matched last. */
  with: Schema.Array(Action),
  unchecked: expectation.unchecked
}).annotations({ identifier: "Respond" })
export interface Respond extends Schema.Schema.Type<typeof Respond> {}

/** {@link Respond} in memory, where functions may be among the answers. */
export interface RespondWith {
  readonly respond: JsonObject
  readonly with: ReadonlyArray<AnyAction>
  readonly unchecked?: boolean
}

/** A step that can be written as JSON: all but those with functions. */
export const Step = Schema.Union(
  Expect,
  ExpectExactly,
  ExpectAll,
  ExpectEnd,
  ...Action.members,
  Ignore,
  Respond
).annotations({ identifier: "Step" })
export type Step = typeof Step.Type

/** A frame that is waited for. */
export type Expectation = Expect | ExpectExactly | ExpectWhere

/** What the CLI's side does. */
export type AnyAction = Action | ReplyWith

/** A step, with or without functions. */
export type AnyStep = Step | ExpectWhere | ExpectAllWhere | ReplyWith | RespondWith

/** The schema of every verb. A step is told by its verb alone, so that an error speaks of the step that was meant. */
export const verbs = {
  expect: Expect,
  expectExactly: ExpectExactly,
  expectAll: ExpectAll,
  expectEnd: ExpectEnd,
  reply: Reply,
  replyLine: ReplyLine,
  replyChunks: ReplyChunks,
  delay: Delay,
  stderr: Stderr,
  exit: Exit,
  ignore: Ignore,
  respond: Respond
} as const
