/**
 * A file as what was said in it: bytes to decoded lines of the host's and of the CLI's. Reads a recording (see `Recording`)
 * and a plain copy of the CLI's stdout, and finds out which it is. Plain synchronous code, one step for each chunk; keeps no
 * more than an unfinished line.
 *
 * Where `Recording.parse` gives up on a damaged recording, this reports the line and goes on: whoever looks into a file
 * wants to see the rest.
 */
import * as Codec from "@claude-duplex/protocol/Codec"
import { DecodeError } from "@claude-duplex/protocol/DecodeError"
import * as LineDecoder from "@claude-duplex/protocol/LineDecoder"
import type { Direction, Format } from "@claude-duplex/transport-mock/Recording"
import * as Either from "effect/Either"

/** A line that somebody wrote. */
export interface Entry {
  readonly _tag: "Entry"
  /** The number of its line in the file, from 1. */
  readonly line: number
  /** Milliseconds since the start; 0 throughout in a copy of stdout. */
  readonly t: number
  readonly dir: Direction
  readonly item: Codec.Item | Codec.HostItem
}

/**
 * A line of the file that is not what a recording is made of.
 *
 * - `Torn`: the file ends in the middle of it.
 * - `NotJson`, `NotAnEntry`, `NotUtf8`, `TooLong`: as they say.
 */
export interface Damage {
  readonly _tag: "Damage"
  readonly line: number
  readonly reason: "Torn" | "NotJson" | "NotAnEntry" | "NotUtf8" | "TooLong"
}

/** What is wrong with such a line, in words. */
export const damages: Record<Damage["reason"], string> = {
  Torn: "the file ends in the middle of the line",
  NotJson: "the line is not JSON",
  NotAnEntry: "the line is no entry of a recording",
  NotUtf8: "the line is not UTF-8",
  TooLong: "the line is too long"
}

/** Bytes in, entries out. Stateful: one for each file. */
export interface Reader {
  /** What this chunk completes, in order. The chunk is not kept. */
  readonly push: (chunk: Uint8Array) => ReadonlyArray<Entry | Damage>
  /** What is left at the end of the file. */
  readonly end: () => ReadonlyArray<Entry | Damage>
  /** What the file is, once that is known. */
  readonly format: () => Format | undefined
}

/** How many lines that say nothing about the format are kept before it is taken for stdout with much noise. */
const mostUndecided = 1_000

/**
 * Makes a reader.
 */
export const make = (): Reader => {
  const readCli = Codec.cli.makeLineReader()
  let format: Format | undefined
  let undecided: Array<readonly [text: string, line: number]> = []

  const fromStdout = (text: string, line: number): Entry => ({
    _tag: "Entry",
    line,
    t: 0,
    dir: "cli",
    item: readCli(text)
  })

  const fromRecording = (text: string, line: number): Entry | Damage => {
    let value: unknown
    try {
      value = JSON.parse(text)
    } catch {
      // `JSON.parse` has no other way to say so.
      return { _tag: "Damage", line, reason: "NotJson" }
    }
    return isRecorded(value)
      ? {
        _tag: "Entry",
        line,
        t: value.t,
        dir: value.dir,
        item: value.dir === "cli" ? readCli(value.line) : Either.merge(Codec.host.decode(value.line))
      }
      : { _tag: "Damage", line, reason: "NotAnEntry" }
  }

  /** A line of which it is not known yet what it is a line of. */
  const decide = (text: string, line: number): ReadonlyArray<Entry | Damage> => {
    const plain = line === 1 && text.charCodeAt(0) === byteOrderMark ? text.slice(1) : text
    if (plain !== "") undecided.push([plain, line])
    format = formatOf(plain) ?? (undecided.length > mostUndecided ? "stdout" : undefined)
    return format === undefined ? [] : settle()
  }

  const settle = (): ReadonlyArray<Entry | Damage> => {
    const lines = undecided
    undecided = []
    return lines.map(([text, line]) => format === "recording" ? fromRecording(text, line) : fromStdout(text, line))
  }

  const decoder = LineDecoder.mapped((text, line): Entry | Damage | ReadonlyArray<Entry | Damage> =>
    format === undefined
      ? decide(text, line)
      : format === "recording"
      ? fromRecording(text, line)
      : fromStdout(text, line)
  )

  const collect = (
    read: ReadonlyArray<Entry | Damage | ReadonlyArray<Entry | Damage> | DecodeError>
  ): ReadonlyArray<Entry | Damage> => {
    // Past the first lines, every element is one already, but for lines that are no text.
    if (read.every(isOne)) return read
    return read.flatMap((one) => one instanceof DecodeError ? lost(one) : isOne(one) ? [one] : one)
  }

  /** A line that is no text: in a recording, part of the file is lost; on stdout, the CLI said something strange. */
  const lost = (error: DecodeError): ReadonlyArray<Entry | Damage> => {
    const { line, reason } = error
    if (reason === "TruncatedTail") {
      return [...(format === undefined ? settleAs("stdout") : []), { _tag: "Damage", line, reason: "Torn" }]
    }
    return format === "recording"
      ? [{ _tag: "Damage", line, reason: reason === "LineTooLong" ? "TooLong" : "NotUtf8" }]
      : [{ _tag: "Entry", line, t: 0, dir: "cli", item: error }]
  }

  const settleAs = (as: Format): ReadonlyArray<Entry | Damage> => {
    format = as
    return settle()
  }

  return {
    push: (chunk) => collect(decoder.push(chunk)),
    end: () => {
      const rest = collect(decoder.end())
      return format === undefined && undecided.length > 0 ? [...rest, ...settleAs("stdout")] : rest
    },
    format: () => format
  }
}

/**
 * How much is decoded at a time, and the rest of the line that it ends in: no line but the last of a piece is put together
 * from two.
 */
const stepBytes = 16 * 1024

/**
 * Reads a piece of any size and hands over one entry after the other. Faster with a `Buffer` of Node's than with other
 * arrays: it finds newlines sooner.
 */
export const visit = (reader: Reader, piece: Uint8Array, visitor: (entry: Entry | Damage) => void): void => {
  for (let start = 0; start < piece.length;) {
    const newline = piece.indexOf(lineFeed, start + stepBytes)
    const end = newline === -1 ? piece.length : newline + 1
    for (const entry of reader.push(piece.subarray(start, end))) visitor(entry)
    start = end
  }
}

const byteOrderMark = 0xfeff

const lineFeed = 0x0a

const isOne = (value: Entry | Damage | DecodeError | ReadonlyArray<unknown>): value is Entry | Damage =>
  "_tag" in value && value._tag !== "DecodeError"

interface Recorded {
  readonly t: number
  readonly dir: Direction
  readonly line: string
}

const isRecorded = (value: unknown): value is Recorded =>
  typeof value === "object" && value !== null && "t" in value && "dir" in value && "line" in value &&
  typeof value.t === "number" && typeof value.line === "string" && (value.dir === "cli" || value.dir === "host")

/** What a file is by one of its lines: by the first that is a JSON object. */
const formatOf = (text: string): Format | undefined => {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value !== "object" || value === null ? undefined : isRecorded(value) ? "recording" : "stdout"
  } catch {
    return undefined
  }
}
