/** Chunks of bytes, to lines and to values: the package's decoders, and what node brings along. */
import * as Codec from "@claude-duplex/protocol/Codec"
import * as Frame from "@claude-duplex/protocol/Frame"
import * as LineDecoder from "@claude-duplex/protocol/LineDecoder"
import { createInterface } from "node:readline"
import { Readable } from "node:stream"
import * as Corpus from "../corpus.js"
import type { Work } from "./Work.js"

type Chunks = ReadonlyArray<Buffer>

/** The mix of a session, as a pipe hands it over. */
export const mixed = (): Chunks => Corpus.chunksOf(Corpus.bytes({ lines: 2000 }))

/** One line of so many bytes, newline included. */
export const longLine = (size: number): Chunks => {
  // Text of the corpus, again and again. Where the size cuts a character, what is left of it gives way to spaces.
  const piece = Buffer.from(`${JSON.stringify(Corpus.lines({ lines: 400 }).join(""))}, `)
  const line = Buffer.alloc(size, piece)
  let last = size - 1
  while ((line[last] ?? 0) >= 0x80) line[last--] = 0x20
  line[size - 1] = 0x0a
  return Corpus.chunksOf(line)
}

/** Lines, by the package. */
export const lineDecoder = (chunks: Chunks): Work => () => {
  const decoder = LineDecoder.make()
  let characters = 0
  const count = (lines: ReadonlyArray<LineDecoder.Line>): void => {
    for (const line of lines) {
      if (typeof line !== "string") throw line
      characters += line.length
    }
  }
  for (const chunk of chunks) count(decoder.push(chunk))
  count(decoder.end())
  return characters
}

/** Lines, by node. */
export const readline = (chunks: Chunks): Work => async () => {
  let characters = 0
  for await (const line of createInterface({ input: streamOf(chunks), crlfDelay: Infinity })) characters += line.length
  return characters
}

/** Frames, by the package. */
export const codec = (chunks: Chunks): Work => () => {
  const decoder = Codec.cli.makeDecoder()
  let known = 0
  const count = (items: ReadonlyArray<Codec.Item>): void => {
    for (const item of items) if (Frame.isKnown(item)) known++
  }
  for (const chunk of chunks) count(decoder.push(chunk))
  count(decoder.end())
  return known
}

/** Values that nobody checked, by node. */
export const readlineParse = (chunks: Chunks): Work => async () => {
  let known = 0
  for await (const line of createInterface({ input: streamOf(chunks), crlfDelay: Infinity })) {
    const value: unknown = JSON.parse(line)
    if (value !== null) known++
  }
  return known
}

/** As a pipe would be read. `Readable.from` would add an iterator of its own to every chunk. */
const streamOf = (chunks: Chunks): Readable => {
  let next = 0
  return new Readable({
    read() {
      this.push(chunks[next++] ?? null)
    }
  })
}
