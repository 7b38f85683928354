/**
 * Bytes to lines. Owns framing: byte 0x0A and nothing else ends a line, a CR before it is dropped, UTF-8 may be cut
 * anywhere, empty lines are skipped, a line that is too long or not UTF-8 becomes one {@link DecodeError} and decoding
 * goes on. Knows nothing of frames, but for the one question at the end of the stream: is the tail a whole one?
 *
 * @since 0.1.0
 * @stability stable
 */
import type { DecodeError } from "./DecodeError.js"
import { LineSplitter } from "./internal/lineSplitter.js"

/** How a {@link LineDecoder} is made. */
export interface Options {
  /** The longest line that is taken, in bytes without its newline. Default: 64 MiB. */
  readonly maxLineBytes?: number | undefined
}

/** A line, or the report that one was lost. */
export type Line = string | DecodeError

/** Turns bytes into lines. Stateful: one per stream. */
export interface LineDecoder {
  /** The lines that this chunk completes. The chunk is not kept. */
  readonly push: (chunk: Uint8Array) => Array<Line>
  /** What is left when the stream ends: nothing, one whole frame without its newline, or a `TruncatedTail`. */
  readonly end: () => Array<Line>
}

/** The default of `maxLineBytes`: 64 MiB. */
export const defaultMaxLineBytes = 64 * 1024 * 1024

/**
 * Makes a decoder.
 *
 * @example
 * ```ts
 * import * as LineDecoder from "@claude-duplex/protocol/LineDecoder"
 *
 * const decoder = LineDecoder.make()
 * const bytes = new TextEncoder().encode(`{"type":"keep_alive"}\r\n{"type":`)
 * decoder.push(bytes) // [`{"type":"keep_alive"}`]
 * decoder.end() // [DecodeError: TruncatedTail]
 * ```
 */
export const make = (options?: Options): LineDecoder => {
  const splitter = new LineSplitter(options?.maxLineBytes ?? defaultMaxLineBytes, (text): string => text)
  return {
    push: (chunk) => splitter.push(chunk),
    end: () => splitter.end()
  }
}

/**
 * Makes a decoder of something else than text: what `read` makes of each line and its number in the stream, from 1, in the
 * same pass.
 *
 * @example
 * ```ts
 * import * as LineDecoder from "@claude-duplex/protocol/LineDecoder"
 *
 * const decoder = LineDecoder.mapped((text, line) => `${line}: ${text}`)
 * decoder.push(new TextEncoder().encode("a\n\nb\n")) // ["1: a", "3: b"]
 * ```
 */
export const mapped = <A>(read: (text: string, line: number) => A, options?: Options): {
  readonly push: (chunk: Uint8Array) => Array<A | DecodeError>
  readonly end: () => Array<A | DecodeError>
} => {
  const splitter = new LineSplitter(options?.maxLineBytes ?? defaultMaxLineBytes, read)
  return {
    push: (chunk) => splitter.push(chunk),
    end: () => splitter.end()
  }
}
