/**
 * Recorded conversations: the format, and its way from and to files. Who plays one is `Replay`, who makes one `Recorder`.
 *
 * A recording is text, one JSON object a line: `t` (milliseconds since the start), `dir` (who wrote it) and `line` (the
 * exact text, without its newline; usually JSON, not always). Bytes that are not UTF-8 are in `line` as lone surrogates,
 * see `internal/lineText.ts`; a CR at its end is part of it.
 *
 * How a damaged text is read:
 * - A last line that is cut (no newline, and not whole) is left out, and reported as `torn`: this is what a crash leaves
 *   behind, and all before it is good.
 * - Any other bad line is a {@link RecordingError}. Skipped, it would leave a conversation that nobody had.
 * - Empty lines and a byte order mark are nothing.
 *
 * @since 0.1.0
 * @stability stable
 */
import { JsonNumber } from "@claude-duplex/protocol/schema/Json"
import type { PlatformError } from "@effect/platform/Error"
import { FileSystem } from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { fromBytes, toBytes } from "./internal/lineText.js"
import { RecordingError } from "./RecordingError.js"

/** Who wrote a line: the host, to the CLI's stdin; or the CLI, to its stdout. */
export const Direction = Schema.Literal("host", "cli")
export type Direction = typeof Direction.Type

/**
 * One line of a conversation.
 *
 * @example
 * ```ts
 * import type { Entry } from "@claude-duplex/transport-mock/Recording"
 *
 * const entry: Entry = { t: 12, dir: "cli", line: `{"type":"keep_alive"}` }
 * ```
 */
export const Entry = Schema.Struct({
  /** Milliseconds since the start. */
  t: JsonNumber,
  dir: Direction,
  /** The text of the line, without its newline. */
  line: Schema.String
}).annotations({ identifier: "Entry" })
export interface Entry extends Schema.Schema.Type<typeof Entry> {}

/** A conversation, in the order in which its lines passed. */
export interface Recording {
  readonly entries: ReadonlyArray<Entry>
}

/** A recording, and what was wrong with its text. */
export interface Parsed extends Recording {
  /** The last line, if it was cut; it is not among the entries. */
  readonly torn: string | undefined
}

/** Which of the two texts one is: a recording of both sides, or a plain copy of the CLI's stdout. */
export type Format = "recording" | "stdout"

const isEntry = Schema.is(Entry)

/**
 * Reads the text of a recording.
 *
 * @example
 * ```ts
 * import * as Recording from "@claude-duplex/transport-mock/Recording"
 * import { Either } from "effect"
 *
 * const parsed = Recording.parse(`{"t":0,"dir":"cli","line":"{}"}\n{"t":5,"dir":"cl`)
 * if (Either.isRight(parsed)) {
 *   console.log(parsed.right.entries.length, parsed.right.torn) // 1 {"t":5,"dir":"cl
 * }
 * ```
 */
export const parse = (text: string): Either.Either<Parsed, RecordingError> => {
  const { lines, tail } = linesOf(text)
  const entries: Array<Entry> = []
  for (const [index, line] of lines.entries()) {
    if (line.trim() === "") continue
    const value = parseJson(line)
    if (value === undefined) return Either.left(new RecordingError({ reason: "InvalidJson", line: index + 1 }))
    if (!isEntry(value)) return Either.left(new RecordingError({ reason: "InvalidEntry", line: index + 1 }))
    entries.push(plain(value))
  }
  if (tail.trim() === "") return Either.right({ entries, torn: undefined })
  const last = parseJson(tail)
  if (last === undefined) return Either.right({ entries, torn: tail })
  return isEntry(last)
    ? Either.right({ entries: [...entries, plain(last)], torn: undefined })
    : Either.left(new RecordingError({ reason: "InvalidEntry", line: lines.length + 1 }))
}

/**
 * Reads what a CLI wrote to its stdout (`claude … > out.ndjson`): every line is the CLI's, at time 0. Nothing is known of
 * the host, so `Replay` plays such a recording without waiting for one.
 *
 * @example
 * ```ts
 * import * as Recording from "@claude-duplex/transport-mock/Recording"
 *
 * Recording.fromStdout(`{"type":"keep_alive"}\n`).entries // [{ t: 0, dir: "cli", line: `{"type":"keep_alive"}` }]
 * ```
 */
export const fromStdout = (text: string): Parsed => {
  const { lines, tail } = linesOf(text)
  const isWhole = tail === "" || parseJson(tail) !== undefined
  return {
    entries: (isWhole && tail !== "" ? [...lines, tail] : lines).map((line) => ({ t: 0, dir: "cli", line })),
    torn: isWhole ? undefined : tail
  }
}

/**
 * Tells which of the two a text is, by its first line that is a JSON object: a CLI may print log text before any frame.
 *
 * @example
 * ```ts
 * import * as Recording from "@claude-duplex/transport-mock/Recording"
 *
 * Recording.detect(`{"type":"keep_alive"}\n`) // "stdout"
 * ```
 */
export const detect = (text: string): Format => {
  const { lines, tail } = linesOf(text)
  for (const line of [...lines, tail]) {
    const value = parseJson(line)
    if (typeof value === "object" && value !== null) return isEntry(value) ? "recording" : "stdout"
  }
  return text.trim() === "" ? "recording" : "stdout"
}

/**
 * Reads either of the two: {@link parse} or {@link fromStdout}, whichever {@link detect} says.
 *
 * @example
 * ```ts
 * import * as Recording from "@claude-duplex/transport-mock/Recording"
 *
 * const parsed = Recording.fromText(`{"type":"keep_alive"}\n`)
 * ```
 */
export const fromText = (text: string): Either.Either<Parsed, RecordingError> =>
  detect(text) === "recording" ? parse(text) : Either.right(fromStdout(text))

/**
 * Writes entries as text, every line with its newline: what {@link parse} reads.
 *
 * @example
 * ```ts
 * import * as Recording from "@claude-duplex/transport-mock/Recording"
 *
 * Recording.stringify([{ t: 0, dir: "cli", line: "{}" }]) // `{"t":0,"dir":"cli","line":"{}"}\n`
 * ```
 */
export const stringify = (entries: ReadonlyArray<Entry>): string =>
  entries.map((entry) => `${JSON.stringify(plain(entry))}\n`).join("")

/**
 * Reads a file, of either format.
 *
 * @example
 * ```ts
 * import * as Recording from "@claude-duplex/transport-mock/Recording"
 * import { Effect } from "effect"
 *
 * const count = Recording.read("recordings/2.1.326/plain.jsonl").pipe(Effect.map(({ entries }) => entries.length))
 * ```
 */
export const read = (path: string): Effect.Effect<Parsed, PlatformError | RecordingError, FileSystem> =>
  Effect.flatMap(FileSystem, (files) => files.readFile(path)).pipe(
    Effect.flatMap((bytes) => fromText(fromBytes(bytes)))
  )

/**
 * Writes a file anew.
 *
 * @example
 * ```ts
 * import * as Recording from "@claude-duplex/transport-mock/Recording"
 *
 * const saved = Recording.write("hello.jsonl", { entries: [{ t: 0, dir: "cli", line: `{"type":"keep_alive"}` }] })
 * ```
 */
export const write = (path: string, recording: Recording): Effect.Effect<void, PlatformError, FileSystem> =>
  Effect.flatMap(FileSystem, (files) => files.writeFile(path, toBytes(stringify(recording.entries))))

/** Lines that were ended by a newline, and what came after the last one. */
const linesOf = (text: string): { readonly lines: ReadonlyArray<string>; readonly tail: string } => {
  const lines = (text.charCodeAt(0) === byteOrderMark ? text.slice(1) : text).split("\n")
  const tail = lines.pop() ?? ""
  return { lines, tail }
}

const byteOrderMark = 0xfeff

/** No JSON text means `undefined`, so it is free to mean "not JSON". */
const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The three fields, in the order in which they are written, and no others. */
const plain = ({ dir, line, t }: Entry): Entry => ({ t, dir, line })
