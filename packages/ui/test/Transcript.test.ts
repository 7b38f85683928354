import * as Recording from "@claude-duplex/transport-mock/Recording"
import { Transcript } from "@claude-duplex/ui/Transcript"
import { assert, describe, it } from "@effect/vitest"
import { Either } from "effect"
import { readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

const recordings = fileURLToPath(new URL("../../../recordings/", import.meta.url))

const read = (name: string) =>
  Either.getOrThrowWith(Recording.fromText(readFileSync(`${recordings}${name}.jsonl`, "utf8")), (error) => error)
    .entries

const transcriptOf = (name: string) => {
  const transcript = new Transcript()
  transcript.push(read(name))
  return transcript
}

const kinds = ({ cards }: Transcript) => cards.map(({ kind }) => kind)

describe("a transcript", () => {
  it("is what was said, what tools did, and how it ended", () => {
    const transcript = transcriptOf("2.1.326/tour")
    assert.deepStrictEqual(kinds(transcript), [
      "prompt",
      "text",
      "result",
      "prompt",
      "tool",
      "text",
      "result",
      "prompt",
      "text",
      "result"
    ])
    const [, , , , tool] = transcript.cards
    assert.deepInclude(tool, { name: "Bash", decision: "allowed", isError: false })
    assert.include(tool?.kind === "tool" ? tool.output : "", "Hello from the other end of the pipe.")
  })

  it("says a text once, though it came piece by piece and then whole", () => {
    const { cards } = transcriptOf("2.1.326/plain")
    const texts = cards.flatMap((card) => card.kind === "text" ? [card.text] : [])
    assert.deepStrictEqual(texts, ["echo: hello", "echo: second turn"])
  })

  it("tells a denied tool, and a question that was taken back", () => {
    const decision = (name: string) =>
      transcriptOf(name).cards.flatMap((card) => card.kind === "tool" ? [card.decision] : [])
    assert.deepStrictEqual(decision("2.1.326/permission-deny"), ["denied"])
    assert.deepStrictEqual(decision("2.1.326/perm-pending-interrupt"), ["withdrawn"])
  })

  it("shows an interrupted turn as interrupted, not as failed", () => {
    const outcomes = transcriptOf("2.1.326/interrupt").cards.flatMap((card) =>
      card.kind === "result" ? [card.outcome] : []
    )
    assert.deepStrictEqual(outcomes, ["interrupted", "success"])
  })

  it("has the times of each turn and of its tools, and what was spent", () => {
    const { cards, turns } = transcriptOf("2.1.326/tour")
    assert.lengthOf(turns, 3)
    for (const { begin, end = NaN, first = NaN, tools } of turns) {
      assert.isTrue(begin <= first && first <= end)
      for (const index of tools) {
        const tool = cards[index]
        assert.isTrue(tool?.kind === "tool" && tool.t >= begin && (tool.endedAt ?? NaN) <= end)
      }
    }
    assert.deepStrictEqual(turns.map(({ usd }) => usd?.toFixed(4)), ["0.0121", "0.0363", "0.0567"])
    assert.isTrue(turns.every(({ contextTokens }) => (contextTokens ?? 0) > 0))
  })

  it("has a row for every line, which knows its card; a line that is no frame too", () => {
    const transcript = new Transcript()
    transcript.push([...read("2.1.326/plain"), { t: 9, dir: "cli", line: "[warn] low disk" }, {
      t: 10,
      dir: "cli",
      line: `{"type":"hologram"}`
    }])
    assert.deepStrictEqual(transcript.rows.slice(-2).map(({ label }) => label), ["not a frame", "hologram"])
    assert.isTrue(transcript.rows.slice(-2).every(({ problem }) => problem !== undefined))
    for (const [index, { row }] of transcript.cards.entries()) assert.strictEqual(transcript.rows[row]?.card, index)
  })

  it("is the same, however its lines came", () => {
    for (const version of readdirSync(recordings).filter((name) => /^\d/.test(name))) {
      for (const file of readdirSync(`${recordings}${version}`)) {
        const name = `${version}/${file.replace(".jsonl", "")}`
        const entries = read(name)
        const one = new Transcript()
        for (const entry of entries) one.push([entry])
        const all = transcriptOf(name)
        assert.lengthOf(all.rows, entries.length, name)
        assert.deepStrictEqual([one.cards, one.rows, one.turns], [all.cards, all.rows, all.turns], name)
      }
    }
  })
})
