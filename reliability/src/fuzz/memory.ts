/** What hostile input may cost to hold: little, however much of it comes. */
import * as Codec from "@claude-duplex/protocol/Codec"
import { heapMegabytes } from "../heap.js"

/** What was held, in megabytes, after how much input. */
export interface Held {
  readonly what: string
  readonly inputMegabytes: number
  readonly heldMegabytes: number
  readonly limit: number
}

const megabyte = Buffer.alloc(1_000_000, "x")

const heldBy = (what: string, limit: number, inputMegabytes: number, take: () => unknown): Held => {
  const before = heapMegabytes()
  const kept = take()
  const heldMegabytes = heapMegabytes() - before
  // So that it is alive until it was measured.
  if (kept === undefined) throw new Error(what)
  return { what, inputMegabytes, heldMegabytes, limit }
}

/** A line that never ends, and lines that are no frames whose reports are all kept. */
export const measure = (): ReadonlyArray<Held> => [
  heldBy("a line that never ends", 2, 300, () => {
    const decoder = Codec.cli.makeDecoder({ maxLineBytes: 1_000_000 })
    const items = Array.from({ length: 300 }, () => decoder.push(megabyte)).flat()
    return { decoder, items }
  }),
  heldBy("the reports of 200 lines that are no frames", 2, 200, () => {
    const decoder = Codec.cli.makeDecoder()
    const newline = Buffer.from("\n")
    return Array.from({ length: 200 }, () => [...decoder.push(megabyte), ...decoder.push(newline)]).flat()
  })
]
