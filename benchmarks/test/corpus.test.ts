import * as Codec from "@claude-duplex/protocol/Codec"
import { Either } from "effect"
import { assert, describe, it } from "vitest"
import * as Corpus from "../src/corpus.js"

const corpus = Corpus.make({ lines: 2000 })
const sizes = (kind: Corpus.Entry["kind"]): ReadonlyArray<number> =>
  corpus.filter((entry) => entry.kind === kind).map((entry) => Buffer.byteLength(entry.line))
const mean = (values: ReadonlyArray<number>): number => values.reduce((sum, value) => sum + value, 0) / values.length

describe("corpus", () => {
  it("is the same every time", () => {
    assert.deepStrictEqual(Corpus.make({ lines: 100 }), Corpus.make({ lines: 100 }))
    assert.notDeepEqual(Corpus.make({ lines: 100 }), Corpus.make({ lines: 100, seed: 1 }))
  })

  it("has the shares that it says", () => {
    assert.approximately(sizes("delta").length / corpus.length, 0.8, 0.03)
    assert.approximately(sizes("assistant").length / corpus.length, 0.12, 0.03)
    assert.approximately(sizes("toolResult").length / corpus.length, 0.08, 0.03)
  })

  it("has the sizes that it says", () => {
    assert.approximately(mean(sizes("delta")), 350, 20)
    for (const size of sizes("delta")) assert.isTrue(size >= 270 && size <= 400, `a delta of ${size} bytes`)
    for (const size of sizes("assistant")) assert.isTrue(size >= 500 && size <= 20_000, `a message of ${size} bytes`)
    for (const size of sizes("toolResult")) assert.isTrue(size >= 1_000 && size <= 100_000, `a result of ${size} bytes`)
    assert.isBelow(Math.min(...sizes("assistant")), 1_000)
    assert.isAbove(Math.max(...sizes("assistant")), 15_000)
    assert.isBelow(Math.min(...sizes("toolResult")), 2_000)
    assert.isAbove(Math.max(...sizes("toolResult")), 75_000)
  })

  it("has escapes and text that is not ASCII", () => {
    const share = (holds: (line: string) => boolean): number =>
      corpus.filter((entry) => holds(entry.line)).length / corpus.length
    assert.isAbove(share((line) => line.includes("\\n")), 0.3)
    assert.isAbove(share((line) => line.includes("\\\"")), 0.3)
    assert.approximately(share((line) => Buffer.byteLength(line) > line.length), 0.4, 0.1)
  })

  it("is made of frames that the schemas know, and that are lines", () => {
    for (const { line } of corpus) {
      assert.notInclude(line, "\n")
      const frame = Either.getOrThrow(Codec.cli.decode(line))
      assert.notProperty(frame, "_tag", `an unknown frame: ${line.slice(0, 200)}`)
    }
  })

  it("comes in chunks that are the same bytes", () => {
    const whole = Corpus.bytes({ lines: 200 })
    const chunks = Corpus.chunksOf(whole)
    assert.isTrue(Buffer.concat(chunks).equals(whole))
    assert.isTrue(chunks.slice(0, -1).every((chunk) => chunk.length === 64 * 1024))
    assert.strictEqual(whole.toString(), Corpus.lines({ lines: 200 }).map((line) => `${line}\n`).join(""))
  })
})
