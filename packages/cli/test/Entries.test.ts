import * as Entries from "@claude-duplex/cli/Entries"
import * as Frame from "@claude-duplex/protocol/Frame"
import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { read } from "./support/entries.js"

const brief = (entries: ReadonlyArray<Entries.Entry | Entries.Damage>) =>
  entries.map((entry) =>
    entry._tag === "Damage"
      ? `${entry.line} ${entry.reason}`
      : `${entry.line} ${entry.t} ${entry.dir} ${Frame.isKnown(entry.item) ? entry.item.type : entry.item.reason}`
  )

const alive = `{"type":"keep_alive"}`
const entry = (t: number, dir: string) => JSON.stringify({ t, dir, line: alive })

describe("what a file is", () => {
  const cases: Record<string, readonly [text: string, expected: ReadonlyArray<string>]> = {
    "empty": ["", []],
    "stdout": [`${alive}\n\n${alive}\n`, ["1 0 cli keep_alive", "3 0 cli keep_alive"]],
    "stdout with noise before any frame": [`[warn]\n${alive}\n`, ["1 0 cli InvalidJson", "2 0 cli keep_alive"]],
    "nothing but noise": ["[warn]\n", ["1 0 cli InvalidJson"]],
    "a recording": [`${entry(3, "cli")}\n${entry(5, "host")}\n`, ["1 3 cli keep_alive", "2 5 host UnknownType"]],
    "a recording with a byte order mark": [`\uFEFF${entry(3, "cli")}\n`, ["1 3 cli keep_alive"]],
    "a recording with bad lines": [
      `${entry(3, "cli")}\nx\n{"t":1}\n${entry(4, "cli")}\n`,
      ["1 3 cli keep_alive", "2 NotJson", "3 NotAnEntry", "4 4 cli keep_alive"]
    ],
    "a torn end": [`${entry(3, "cli")}\n{"t":4,"di`, ["1 3 cli keep_alive", "2 Torn"]],
    "a whole end without a newline": [`${alive}\n${alive}`, ["1 0 cli keep_alive", "2 0 cli keep_alive"]]
  }
  for (const [name, [text, expected]] of Object.entries(cases)) {
    it(name, () => {
      assert.deepStrictEqual(brief(read(text)), expected)
      assert.deepStrictEqual(brief(read(text, 1)), expected, "byte by byte")
    })
  }

  it("bytes that are not UTF-8 cost their line", () => {
    const reader = Entries.make()
    const bytes = [...new TextEncoder().encode(`${entry(1, "cli")}\n`), 0xff, 0x0a]
    assert.deepStrictEqual(brief(reader.push(Uint8Array.from(bytes))), ["1 1 cli keep_alive", "2 NotUtf8"])
  })
})

it("a piece of any size gives the same", () => {
  const bytes = readFileSync("recordings/2.1.326/tour.jsonl")
  const text = bytes.toString()
  const visited: Array<Entries.Entry | Entries.Damage> = []
  Entries.visit(Entries.make(), bytes, (entry) => visited.push(entry))
  assert.deepStrictEqual(brief(visited), brief(read(text)))
  assert.deepStrictEqual(brief(read(text, 1_000)), brief(read(text)))
})

it("a piece that takes several steps gives what one step does, whatever its lines are", () => {
  const long = JSON.stringify({ type: "keep_alive", filling: "ü".repeat(20_000) })
  const bytes = Buffer.concat([
    ...Array.from({ length: 5_000 }, (_, i) => Buffer.from(i % 500 === 7 ? `${long}\r\n` : `${alive}\n\n`)),
    Buffer.from([0xff, 0x0a]),
    Buffer.from(long)
  ])
  const visit = (pieceBytes: number) => {
    const reader = Entries.make()
    const visited: Array<Entries.Entry | Entries.Damage> = []
    for (let start = 0; start < bytes.length; start += pieceBytes) {
      Entries.visit(reader, bytes.subarray(start, start + pieceBytes), (entry) => visited.push(entry))
    }
    return brief([...visited, ...reader.end()])
  }
  const reader = Entries.make()
  const expected = brief([...reader.push(bytes), ...reader.end()])
  assert.strictEqual(expected.length, 5_002)
  for (const pieceBytes of [bytes.length, 100_000, 16 * 1024, 16 * 1024 + 1, 77]) {
    assert.deepStrictEqual(visit(pieceBytes), expected)
  }
})
