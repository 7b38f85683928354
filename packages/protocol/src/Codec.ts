/**
 * Lines to frames and back: plain synchronous functions, no Effect runtime needed. Streams are in `FrameStream`.
 *
 * There is one codec for each direction, with the same members: {@link cli} for the frames that the CLI writes, {@link host}
 * for the frames that a host writes.
 *
 * |                      | reads with    | writes with   |
 * | -------------------- | ------------- | ------------- |
 * | a host               | `Codec.cli`   | `Codec.host`  |
 * | a fake CLI           | `Codec.host`  | `Codec.cli`   |
 * | a recorder, a viewer | both          |               |
 *
 * Reading is lenient: nothing that is JSON is an error, only {@link Frame.Unknown}. Writing is strict, in both directions.
 * `encode` after `decode` gives the same JSON back, with unknown fields and the order of keys. The same as JavaScript has
 * numbers: `-0` is `0`, digits beyond a double's are lost, and `1e400`, which no double holds, is refused; so is nesting
 * thousands of levels deep.
 *
 * @since 0.1.0
 * @stability stable
 */
import * as Either from "effect/Either"
import type * as Schema from "effect/Schema"
import { DecodeError } from "./DecodeError.js"
import { EncodeError } from "./EncodeError.js"
import * as Frame from "./Frame.js"
import { DeltaTemplates } from "./internal/deltaTemplates.js"
import { describeMismatch } from "./internal/describe.js"
import { makeUnknown } from "./internal/frameIndex.js"
import { LineSplitter } from "./internal/lineSplitter.js"
import { findUnencodable } from "./internal/unencodable.js"
import * as Validator from "./internal/validator.js"
import * as LineDecoder from "./LineDecoder.js"

/** What comes out of a stream of bytes: frames, known and unknown, and reports of lines that were lost. */
export type Item = Frame.CliFrame | Frame.Unknown | DecodeError

/** What comes out of a stream of bytes that a host wrote. */
export type HostItem = Frame.HostFrame | Frame.Unknown | DecodeError

/** Lines in, frames out. Stateful: one per stream. */
export type LineReader<A> = (line: string) => A | DecodeError

/** Bytes in, frames out. Stateful: one per stream. */
export interface Decoder<A> {
  /** The frames that this chunk completes, in order. Never throws. */
  readonly push: (chunk: Uint8Array) => Array<A | DecodeError>
  /** What is left when the stream ends. */
  readonly end: () => Array<A | DecodeError>
}

/**
 * Reads and writes the frames of one direction.
 *
 * @example
 * ```ts
 * import * as Codec from "@claude-duplex/protocol/Codec"
 * import type { Unknown } from "@claude-duplex/protocol/Frame"
 * import { Either } from "effect"
 *
 * const isReadable = <A>(codec: Codec.FrameCodec<A>, line: string): boolean =>
 *   Either.match(codec.decode(line), { onLeft: () => false, onRight: (frame: A | Unknown) => frame !== undefined })
 *
 * isReadable(Codec.cli, `{"type":"keep_alive"}`) // true
 * ```
 */
export interface FrameCodec<A> {
  /** Reads one line. Fails only if the line is not JSON. */
  readonly decode: (line: string) => Either.Either<A | Frame.Unknown, DecodeError>
  /** Types a JSON value that was parsed elsewhere. */
  readonly fromJson: (value: unknown) => A | Frame.Unknown
  /**
   * Writes a frame as a line, without its newline. Fails if the frame does not fit its schema: a CLI that reads such a line
   * exits. A {@link Frame.Unknown} is written as it is: use one to send what the schemas do not have yet.
   */
  readonly encode: (frame: A | Frame.Unknown) => Either.Either<string, EncodeError>
  /** Makes a decoder for the bytes of one stream. */
  readonly makeDecoder: (options?: LineDecoder.Options) => Decoder<A | Frame.Unknown>
  /**
   * Makes a reader for the lines of one stream, for a caller that has lines and not bytes. It numbers the lines, and reads
   * the deltas of a stream faster than {@link FrameCodec.decode}.
   */
  readonly makeLineReader: () => LineReader<A | Frame.Unknown>
}

/** A codec; `makeRead` gives what reads the lines of one stream, if there is something faster than to parse each. */
const makeCodec = <A>(
  frames: Schema.Schema<A> & Schema.Union<ReadonlyArray<Schema.Schema.Any>>,
  makeRead?: (parse: Read<A>) => Read<A>
): FrameCodec<A> => {
  const isFrame = Validator.make(frames)
  let unknown: ((raw: unknown) => Frame.Unknown) | undefined

  const fromJson = (value: unknown): A | Frame.Unknown =>
    // The check is the schema's own, so the value is an `A`; and no frame may pass for an `Unknown`.
    isFrame(value) && (value as { readonly _tag?: unknown })._tag === undefined
      ? value as A
      : (unknown ??= makeUnknown(frames))(value)

  const parse: Read<A> = (text, line) => {
    let value: unknown
    try {
      value = JSON.parse(text)
    } catch {
      // `JSON.parse` has no other way to say "not JSON"; what it says beyond that quotes the text.
      return DecodeError.of("InvalidJson", line, text)
    }
    return fromJson(value)
  }

  const newRead = () => makeRead === undefined ? parse : makeRead(parse)

  return {
    fromJson,
    decode: (line) => {
      const decoded = parse(line, 0)
      return decoded instanceof DecodeError ? Either.left(decoded) : Either.right(decoded)
    },
    encode: (frame) => {
      const known = !(frame instanceof Frame.Unknown)
      const value: unknown = known ? frame : frame.raw
      try {
        if (known && !isFrame(value)) return refuse(describeMismatch(frames, value))
        const unencodable = findUnencodable(value)
        return unencodable === undefined ? Either.right(JSON.stringify(value)) : refuse(unencodable)
      } catch {
        // Both walks are recursive, so a value that contains itself ends them by a stack overflow.
        return refuse("it contains itself, or is nested too deeply")
      }
    },
    makeDecoder: (options) => {
      const splitter = new LineSplitter(options?.maxLineBytes ?? LineDecoder.defaultMaxLineBytes, newRead())
      return {
        push: (chunk) => splitter.push(chunk),
        end: () => splitter.end()
      }
    },
    makeLineReader: () => {
      const read = newRead()
      let number = 0
      return (line) => read(line, ++number)
    }
  }
}

/** Makes an item of a line and its number. */
type Read<A> = (line: string, number: number) => A | Frame.Unknown | DecodeError

/** Reads the CLI's lines; most of them are deltas, which are all alike. */
const readCli = (parse: Read<Frame.CliFrame>): Read<Frame.CliFrame> => {
  const templates = new DeltaTemplates()
  return (line, number) => {
    const delta = templates.read(line)
    if (delta !== undefined) return delta
    const item = parse(line, number)
    if (Frame.isKnown(item) && item.type === "stream_event") templates.learn(line, item)
    return item
  }
}

const refuse = (detail: string) => Either.left(new EncodeError({ reason: "InvalidFrame", detail }))

/**
 * The frames that the CLI writes: a host reads with it, a fake CLI writes with it.
 *
 * @example
 * ```ts
 * import * as Codec from "@claude-duplex/protocol/Codec"
 * import * as Frame from "@claude-duplex/protocol/Frame"
 *
 * const decoder = Codec.cli.makeDecoder()
 * for (const item of decoder.push(new TextEncoder().encode(`{"type":"keep_alive"}\n`))) {
 *   if (Frame.isKnown(item)) console.log(item.type) // "keep_alive"
 *   else console.log(item._tag, item.reason)
 * }
 * ```
 */
export const cli: FrameCodec<Frame.CliFrame> = makeCodec<Frame.CliFrame>(Frame.CliFrame, readCli)

/**
 * The frames that a host writes: a host writes with it, a fake CLI reads with it.
 *
 * @example
 * ```ts
 * import * as Codec from "@claude-duplex/protocol/Codec"
 *
 * Codec.host.encode({ type: "user", message: { role: "user", content: "hello" } }) // Right: a line without its newline
 * ```
 */
export const host: FrameCodec<Frame.HostFrame> = makeCodec<Frame.HostFrame>(Frame.HostFrame)
