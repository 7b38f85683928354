import * as Diff from "@claude-duplex/cli/Diff"
import { assert, describe, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { align } from "../src/internal/align.js"
import { assistant, delta, init, type Line, read, recording, result, toolResult, user } from "./support/entries.js"

const side = (lines: ReadonlyArray<Line>): Diff.Side => ({
  name: "x",
  format: "recording",
  entries: read(recording(lines)).flatMap((entry) => entry._tag === "Entry" ? [entry] : [])
})

const compare = (a: ReadonlyArray<Line>, b: ReadonlyArray<Line>) => Diff.compare(side(a), side(b))

const turn = (id: string, ...inner: ReadonlyArray<Line>): ReadonlyArray<Line> => [
  [0, "→", user(id)],
  [10, "←", init],
  ...inner,
  [90, "←", result(id)]
]

const call = (id: string): Line => [20, "←", assistant({ type: "tool_use", id, name: "Bash", input: {} })]

describe("two conversations", () => {
  it("with other ids, times and cost, and another number of pieces, are the same", () => {
    const a = turn("a", [15, "←", delta(0, "x")], [16, "←", delta(0, "y")], call("toolu_1"), [
      30,
      "←",
      toolResult("toolu_1")
    ])
    const b = turn("b", [25, "←", delta(0, "x")], call("toolu_9"), [95, "←", toolResult("toolu_9")])
    const { aligned, same, timing } = compare(a, b)
    assert.deepStrictEqual([same, aligned, timing], [true, 6, []])
  })

  it("differ if an id stands for another one than before", () => {
    const a = turn("a", call("t1"), call("t2"), [30, "←", toolResult("t1")])
    const b = turn("b", call("t1"), call("t2"), [30, "←", toolResult("t2")])
    assert.deepStrictEqual(compare(a, b).values.map(({ a, b, path }) => [path, a, b]), [
      ["message.content[].tool_use_id", `"t1"`, `"t2"`]
    ])
  })

  it("differ in order: frames that only one has, and frames that moved", () => {
    const status: Line = [12, "←", { type: "system", subtype: "status", status: null, session_id: "s", uuid: "x" }]
    const alive: Line = [13, "←", { type: "keep_alive" }]
    const { order } = compare(turn("a", alive, call("t"), call("u")), turn("b", call("t"), status, call("u"), alive))
    assert.deepStrictEqual(order.map(({ change, frame, lines, linesB }) => [change, frame, lines, linesB]), [
      ["moved", "keep_alive", [3], [6]],
      ["only-b", "system/status", [4], undefined]
    ])
  })

  it("differ in shape and in values", () => {
    const { shape, values } = compare(
      [[0, "←", { type: "keep_alive", a: 1, b: "x", c: ["p", "q"] }]],
      [[0, "←", { type: "keep_alive", b: 2, c: ["q", "r"], d: true }]]
    )
    assert.deepStrictEqual(shape.map(({ change, path }) => `${change} ${path}`), ["only-a a", "kind b", "only-b d"])
    assert.deepStrictEqual(values.map(({ a, b, path }) => [path, a, b]), [["c[]", `["p"]`, `["r"]`]])
  })

  it("a wait that doubled is told, and is no difference", () => {
    const { same, timing } = compare(
      [...turn("a"), [1_080, "←", { type: "keep_alive" }]],
      [...turn("b"), [5_080, "←", { type: "keep_alive" }]]
    )
    assert.deepStrictEqual([same, timing.map(({ a, b, frame }) => [frame, a, b])], [true, [["keep_alive", 990, 4_990]]])
  })
})

describe("alignment", () => {
  /** The length of the longest common subsequence, the slow way. */
  const longest = (a: ReadonlyArray<string>, b: ReadonlyArray<string>): number => {
    let row = b.map(() => 0)
    for (const one of a) {
      const next: Array<number> = []
      b.forEach((other, j) => {
        next.push(one === other ? (row[j - 1] ?? 0) + 1 : Math.max(row[j] ?? 0, next[j - 1] ?? 0))
      })
      row = next
    }
    return row.at(-1) ?? 0
  }

  it("pairs equals, in order, each element once, and as many as can be", () => {
    const list = fc.array(fc.constantFrom("a", "b", "c", "d"), { maxLength: 24 })
    fc.assert(
      fc.property(list, list, (a, b) => {
        const pairs = align(a, b)
        assert.deepStrictEqual(pairs.flatMap(([i]) => i === undefined ? [] : [i]), a.map((_, i) => i))
        assert.deepStrictEqual(pairs.flatMap(([, j]) => j === undefined ? [] : [j]), b.map((_, j) => j))
        const both = pairs.filter(([i, j]) => i !== undefined && j !== undefined)
        for (const [i = -1, j = -1] of both) assert.strictEqual(a[i], b[j])
        assert.strictEqual(both.length, longest(a, b))
      }),
      { numRuns: 500 }
    )
  })

  it("gives up on lists that have nothing in common, without giving up an element", () => {
    const list = (name: string) => Array.from({ length: 5_000 }, (_, i) => `${name}${i}`)
    assert.strictEqual(align(list("a"), list("b")).length, 10_000)
  })
})
