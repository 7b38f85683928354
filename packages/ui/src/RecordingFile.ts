/**
 * A recording on disk, or a plain copy of a CLI's stdout, read piece by piece: a file of any size costs as much memory as a
 * piece of it. Owns the way from bytes to numbered lines, and the few places at which reading can begin again.
 *
 * @since 0.1.0
 * @stability experimental
 */
import * as LineDecoder from "@claude-duplex/protocol/LineDecoder"
import { Entry } from "@claude-duplex/transport-mock/Recording"
import type { PlatformError } from "@effect/platform/Error"
import { FileSystem } from "@effect/platform/FileSystem"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { type Batch, UiError } from "./Api.js"

/** A file whose lines have numbers. */
export interface RecordingFile {
  /** The lines from a number on, to the end of the file. */
  readonly follow: (from: number) => Stream.Stream<Batch, UiError>
  /** One line. */
  readonly at: (index: number) => Effect.Effect<Option.Option<Entry>, UiError>
}

/** Where reading can begin: so many lines end before this byte. */
interface Mark {
  readonly lines: number
  readonly offset: number
}

/** The first lines go to the page at once, the rest in pieces that it can draw between. */
const pieceBytes = 128 * 1024

/** Apart so far: fewer marks cost more reading, more of them more memory. */
const markBytes = 1024 * 1024

const LF = 0x0a

const isEntry = Schema.is(Entry)

/**
 * Opens a file. It is looked at when it is read, and not before.
 *
 * @example
 * ```ts
 * import * as RecordingFile from "@claude-duplex/ui/RecordingFile"
 * import { Effect, Stream } from "effect"
 *
 * const count = RecordingFile.make("recordings/2.1.326/plain.jsonl").pipe(
 *   Effect.flatMap((file) => Stream.runFold(file.follow(0), 0, (sum, { entries }) => sum + entries.length))
 * )
 * ```
 */
export const make = (path: string): Effect.Effect<RecordingFile, never, FileSystem> =>
  Effect.map(FileSystem, (files) => {
    const marks: Array<Mark> = [{ lines: 0, offset: 0 }]

    const follow = (from: number): Stream.Stream<Batch, UiError> =>
      Stream.suspend(() => {
        const begin = marks.findLast(({ lines }) => lines <= from) ?? { lines: 0, offset: 0 }
        const decoder = LineDecoder.make()
        let { lines, offset } = begin
        const batch = (decoded: ReadonlyArray<LineDecoder.Line>): Chunk.Chunk<Batch> => {
          const first = lines
          lines += decoded.length
          const entries = decoded.slice(Math.max(0, from - first)).map(entryOf)
          return entries.length === 0 ? Chunk.empty() : Chunk.of({ from: Math.max(first, from), entries })
        }
        return files.stream(path, { offset: begin.offset, chunkSize: pieceBytes }).pipe(
          Stream.mapChunks(Chunk.flatMap((bytes) => {
            const made = batch(decoder.push(bytes))
            const newline = bytes.lastIndexOf(LF)
            if (newline !== -1) mark({ lines, offset: offset + newline + 1 })
            offset += bytes.length
            return made
          })),
          Stream.concat(Stream.suspend(() => Stream.fromChunk(batch(decoder.end())))),
          Stream.mapError((error) => unreadable(path, error))
        )
      })

    const mark = (place: Mark): void => {
      if (place.offset - (marks.at(-1)?.offset ?? 0) >= markBytes) marks.push(place)
    }

    return {
      follow,
      at: (index) => Effect.map(Stream.runHead(follow(index)), Option.flatMapNullable(({ entries: [entry] }) => entry))
    }
  })

/** A line of a recording is an entry; any other is taken for one that a CLI wrote, nobody knows when. */
const entryOf = (line: LineDecoder.Line): Entry => {
  if (typeof line !== "string") return { t: 0, dir: "cli", line: Redacted.value(line.text) }
  const value = parse(line)
  return isEntry(value) ? value : { t: 0, dir: "cli", line }
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    // Not JSON, so not an entry; the page shows it as what it is.
    return undefined
  }
}

const unreadable = (path: string, error: PlatformError): UiError =>
  new UiError({ reason: "Unreadable", detail: `${path} cannot be read: ${error.message}` })
