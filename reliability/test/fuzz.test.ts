/** What was kept of `pnpm fuzz`, a little of what it does, and that its targets can fail. */
import { assert, describe, it, vi } from "@effect/vitest"
import * as Corpus from "../src/fuzz/corpus.js"
import * as Hostile from "../src/fuzz/hostile.js"
import * as Inputs from "../src/fuzz/inputs.js"
import { machine } from "../src/fuzz/machine.js"
import { session } from "../src/fuzz/session.js"
import { codec, lines } from "../src/fuzz/targets.js"
import * as WrongTypes from "../src/fuzz/wrongTypes.js"

/** Throws what does not hold. */
const attack = (bytes: Uint8Array) => () => {
  for (const target of [lines, codec, machine, session]) target(bytes)
}

describe("the corpus", () => {
  for (const { bytes, name } of Corpus.all()) it(name, () => assert.doesNotThrow(attack(bytes)))

  it("keeps bytes as they are, and what is large by its number", () => {
    const bytes = Buffer.concat([
      Buffer.from(`{"a":${Hostile.text(Hostile.count - 1)}}\n`),
      Uint8Array.of(0xff, 0, 0xc3)
    ])
    const folded = Corpus.folded(bytes)
    assert.isBelow(folded.length, 100)
    assert.isTrue(bytes.equals(Corpus.unfolded(folded)))
  })

  it("keeps the fewest lines that fail", () => {
    const fails = (bytes: Uint8Array) => /b[^]*e/.test(Buffer.from(bytes).toString())
    const smallest = Corpus.smallest(Buffer.from("a\nb\nc\nd\ne\nf\n"), fails)
    assert.strictEqual(Buffer.from(smallest).toString(), "b\ne")
  })
})

describe("inputs", () => {
  it("depend on their seed alone", () => {
    for (let seed = 0; seed < 20; seed++) assert.deepStrictEqual(Inputs.make(seed), Inputs.make(seed))
  })

  it("of the first seeds harm nobody", () => {
    for (let seed = 1; seed <= 25; seed++) assert.doesNotThrow(attack(Inputs.make(seed).bytes))
  })

  it("have every frame wrong in every field", () => {
    const names = WrongTypes.cliFrames().map(({ name }) => name)
    assert.isAbove(names.length, 10_000)
    for (const path of ["type", "message.content[].text", "request.input", "modelUsage.key.costUSD"]) {
      assert.isTrue(names.some((name) => name === `CliFrame.${path} missing`), path)
    }
  })
})

describe("a target", () => {
  it("fails on a decoder that loses what comes after a bad line", () => {
    // One that sees no end of a line.
    const indexOf = vi.spyOn(Uint8Array.prototype, "indexOf").mockReturnValue(-1)
    try {
      assert.throws(() => lines(Buffer.from("x")), "the next good line was not decoded")
    } finally {
      indexOf.mockRestore()
    }
  })
})
