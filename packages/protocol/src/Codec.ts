/**
 * Lines to frames and back: plain synchronous functions, no Effect runtime needed. Streams are in `FrameStream`.
 *
 * |                                       | reads             | writes      |
 * | ------------------------------------- | ----------------- | ----------- |
 * | a host                                | `decodeLine`      | `encode`    |
 * | a fake CLI, a recorder, an inspector  | `decodeHostLine`  | `encodeCli` |
 *
 * Reading is lenient: nothing that is JSON is an error, only {@link Frame.Unknown}. Writing is strict, in both directions.
 * `encode` after `decode` gives the same JSON back, with unknown fields and the order of keys. The same as JavaScript has
 * numbers: `-0` is `0`, digits beyond a double's are lost, and `1e400`, which no double holds, is refused; so is nesting
 * thousands of levels deep.
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

/** {@link Item} for the other direction. */
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
 * Reads a line of the CLI's.
 *
 * @example
 * ```ts
 * import * as Codec from "@claude-duplex/protocol/Codec"
 * import { Either } from "effect"
 *
 * const decoded = Codec.decodeLine(`{"type":"keep_alive"}`)
 * if (Either.isRight(decoded) && !("_tag" in decoded.right)) {
 *   console.log(decoded.right.type) // "keep_alive"
 * }
 * ```
 */
export const decodeLine = (line: string): Either.Either<Frame.CliFrame | Frame.Unknown, DecodeError> =>
  toEither(cli.decode(line, 0))

/**
 * Reads a line of a host's: for fakes, recorders and inspectors.
 *
 * @example
 * ```ts
 * import * as Codec from "@claude-duplex/protocol/Codec"
 *
 * Codec.decodeHostLine(`{"type":"control_cancel_request","request_id":"1"}`)
 * ```
 */
export const decodeHostLine = (line: string): Either.Either<Frame.HostFrame | Frame.Unknown, DecodeError> =>
  toEither(host.decode(line, 0))

/**
 * Types a JSON value that was parsed elsewhere, as a frame of the CLI's.
 *
 * @example
 * ```ts
 * import * as Codec from "@claude-duplex/protocol/Codec"
 *
 * const frame = Codec.fromJson({ type: "keep_alive" })
 * ```
 */
export const fromJson = (value: unknown): Frame.CliFrame | Frame.Unknown => cli.classify(value)

/**
 * Writes a frame of a host's, as a line without its newline. What the CLI could not read is refused: it would exit.
 * {@link Frame.Unknown} is written as it came, and is the way to send what the schemas do not know yet.
 *
 * @example
 * ```ts
 * import * as Codec from "@claude-duplex/protocol/Codec"
 *
 * Codec.encode({ type: "user", message: { role: "user", content: "hello" } })
 * ```
 */
export const encode = (frame: Frame.HostFrame | Frame.Unknown): Either.Either<string, EncodeError> => host.encode(frame)

/**
 * Writes a frame of the CLI's, as a line without its newline: for fakes.
 *
 * @example
 * ```ts
 * import * as Codec from "@claude-duplex/protocol/Codec"
 *
 * Codec.encodeCli({ type: "keep_alive" })
 * ```
 */
export const encodeCli = (frame: Frame.CliFrame | Frame.Unknown): Either.Either<string, EncodeError> =>
  cli.encode(frame)

/**
 * A decoder for the bytes of one CLI's stdout.
 *
 * @example
 * ```ts
 * import * as Codec from "@claude-duplex/protocol/Codec"
 *
 * const decoder = Codec.make()
 * for (const item of decoder.push(new TextEncoder().encode(`{"type":"keep_alive"}\n`))) {
 *   if ("_tag" in item) console.log(item._tag, item.reason)
 *   else console.log(item.type)
 * }
 * ```
 */
export const make = (options?: LineDecoder.Options): Decoder<Frame.CliFrame | Frame.Unknown> =>
  decoder(options, readCli())

/**
 * Reads the lines of one CLI's stdout, for whoever has lines and not bytes. As {@link decodeLine}, and faster: it knows from
 * one delta what the next ones look like.
 *
 * @example
 * ```ts
 * import * as Codec from "@claude-duplex/protocol/Codec"
 *
 * const read = Codec.makeLineReader()
 * for (const line of [`{"type":"keep_alive"}`]) {
 *   const item = read(line)
 *   console.log("_tag" in item ? item._tag : item.type)
 * }
 * ```
 */
export const makeLineReader = (): LineReader<Frame.CliFrame | Frame.Unknown> => {
  const read = readCli()
  let number = 0
  return (line) => read(line, ++number)
}

/**
 * A decoder for the bytes of one host, as a CLI reads them on stdin.
 *
 * @example
 * ```ts
 * import * as Codec from "@claude-duplex/protocol/Codec"
 *
 * const decoder = Codec.makeHost({ maxLineBytes: 1024 })
 * ```
 */
export const makeHost = (options?: LineDecoder.Options): Decoder<Frame.HostFrame | Frame.Unknown> =>
  decoder(options, host.decode)

/** Everything that is the same for both directions. */
const direction = <A>(frames: Schema.Schema<A> & Schema.Union<ReadonlyArray<Schema.Schema.Any>>) => {
  const isFrame = Validator.make(frames)
  let unknown: ((raw: unknown) => Frame.Unknown) | undefined

  const classify = (value: unknown): A | Frame.Unknown =>
    // The check is the schema's own, so the value is an `A`; and no frame may pass for an `Unknown`.
    isFrame(value) && (value as { readonly _tag?: unknown })._tag === undefined
      ? value as A
      : (unknown ??= makeUnknown(frames))(value)

  const decode = (text: string, line: number): A | Frame.Unknown | DecodeError => {
    let value: unknown
    try {
      value = JSON.parse(text)
    } catch {
      // `JSON.parse` has no other way to say "not JSON"; what it says beyond that quotes the text.
      return DecodeError.of("InvalidJson", line, text)
    }
    return classify(value)
  }

  const encode = (frame: A | Frame.Unknown): Either.Either<string, EncodeError> => {
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
  }

  return { classify, decode, encode }
}

/** Makes an item of a line and its number. */
type Read<A> = (line: string, number: number) => A | Frame.Unknown | DecodeError

const decoder = <A>(options: LineDecoder.Options | undefined, read: Read<A>): Decoder<A | Frame.Unknown> => {
  const splitter = new LineSplitter(options?.maxLineBytes ?? LineDecoder.defaultMaxLineBytes, read)
  return {
    push: (chunk) => splitter.push(chunk),
    end: () => splitter.end()
  }
}

/** Reads the CLI's lines; most of them are deltas, which are all alike. */
const readCli = (): Read<Frame.CliFrame> => {
  const templates = new DeltaTemplates()
  return (line, number) => {
    const delta = templates.read(line)
    if (delta !== undefined) return delta
    const item = cli.decode(line, number)
    if (!("_tag" in item) && item.type === "stream_event") templates.learn(line, item)
    return item
  }
}

const refuse = (detail: string) => Either.left(new EncodeError({ reason: "InvalidFrame", detail }))

const toEither = <A>(decoded: A | DecodeError): Either.Either<A, DecodeError> =>
  decoded instanceof DecodeError ? Either.left(decoded) : Either.right(decoded)

const cli = direction<Frame.CliFrame>(Frame.CliFrame)
const host = direction<Frame.HostFrame>(Frame.HostFrame)
