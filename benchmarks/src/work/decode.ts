/** Lines that are already text, to values: `JSON.parse`, the codec, and Effect's own decoder. */
import * as Codec from "@claude-duplex/protocol/Codec"
import * as Frame from "@claude-duplex/protocol/Frame"
import { CliFrame } from "@claude-duplex/protocol/Frame"
import { Either, Schema } from "effect"
import * as Corpus from "../corpus.js"
import type { Work } from "./Work.js"

/** The mix of a session. */
export const mixed = (): ReadonlyArray<string> => Corpus.lines({ lines: 2000 })

/** Content deltas alone: small frames, for which everything but parsing weighs most. */
export const deltas = (): ReadonlyArray<string> => Corpus.deltas({ lines: 8_000 })

/** A few lines: Effect's decoder is slow. */
export const sample = (): ReadonlyArray<string> => Corpus.lines({ lines: 200 })

/** Bare parsing. */
export const jsonParse = (lines: ReadonlyArray<string>): Work => () => {
  let known = 0
  for (const line of lines) {
    const value: unknown = JSON.parse(line)
    if (value !== null) known++
  }
  return known
}

/** Parsing and full validation. */
export const decodeLine = (lines: ReadonlyArray<string>): Work => () => {
  let known = 0
  for (const line of lines) {
    const decoded = Codec.cli.decode(line)
    if (Either.isRight(decoded) && Frame.isKnown(decoded.right)) known++
  }
  return known
}

/** The same by a reader that knows from one delta what the next ones look like. */
export const readLine = (lines: ReadonlyArray<string>): Work => () => {
  const read = Codec.cli.makeLineReader()
  let known = 0
  for (const line of lines) if (Frame.isKnown(read(line))) known++
  return known
}

/** The same where code may not be generated. */
export const decodeLineWithoutEval = (lines: ReadonlyArray<string>): Work => {
  if (canGenerateCode()) throw new Error("Code can be generated here, so this would measure the wrong thing")
  return decodeLine(lines)
}

/** Parsing, and Effect's decoder as it is. */
export const schemaDecode = (lines: ReadonlyArray<string>): Work => {
  const decode = Schema.decodeUnknownEither(CliFrame)
  return () => {
    let known = 0
    for (const line of lines) {
      const value: unknown = JSON.parse(line)
      if (Either.isRight(decode(value))) known++
    }
    return known
  }
}

const canGenerateCode = (): boolean => {
  try {
    return typeof new Function("") === "function"
  } catch {
    // What node's flag makes of it; that it does is the question.
    return false
  }
}
