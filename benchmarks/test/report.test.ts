import { assert, describe, it } from "vitest"
import { quantile } from "../src/harness/compare.js"
import * as Machine from "../src/machine.js"
import * as Options from "../src/options.js"
import type { Benchmark } from "../src/registry.js"
import { benchmarks } from "../src/registry.js"
import * as Report from "../src/report.js"

const outcome = (target: number | undefined, ratio: number): Report.Outcome => ({
  benchmark: {
    id: "some",
    title: "work",
    against: "other work",
    ...(target === undefined ? {} : { target }),
    run: () => Promise.reject(new Error("not run here"))
  } satisfies Benchmark,
  measured: { value: ratio, quartiles: [ratio, ratio], rounds: 9 }
})

describe("report", () => {
  it("keeps a target that was missed, with what was measured", () => {
    const table = Report.table([outcome(1.1, 1.234), outcome(1.1, 1), outcome(undefined, 12.34)])
    const [, , missed, met, information] = table.split("\n")
    assert.match(missed ?? "", /≤ 1\.10 \| 1\.23 \(1\.23–1\.23\) +\| \*\*no\*\*/)
    assert.match(met ?? "", /\| yes /)
    assert.match(information ?? "", /\| – +\| 12\.3 \(12\.3–12\.3\) +\| – /)
  })

  it("says why a target was missed, and only then", () => {
    const explain = ({ benchmark, measured }: Report.Outcome): Report.Outcome => ({
      benchmark: { ...benchmark, reason: "for a reason" },
      measured
    })
    assert.strictEqual(Report.reasons([explain(outcome(1, 2)), explain(outcome(1, 1))]), "- `some`: for a reason")
    const page = (outcomes: ReadonlyArray<Report.Outcome>) =>
      Report.page({ date: "", machine: Machine.describe(), outcomes })
    assert.include(page([explain(outcome(1, 2))]), "## Not met, and why\n\n- `some`: for a reason\n\n## The corpus")
    assert.notInclude(page([explain(outcome(1, 1))]), "Not met")
  })

  it("takes medians", () => {
    assert.strictEqual(quantile([9, 1, 5], 0.5), 5)
    assert.strictEqual(quantile([4, 1, 2, 3], 0.5), 2.5)
  })
})

describe("registry", () => {
  it("has every name once", () => {
    assert.strictEqual(new Set(benchmarks.map(({ id }) => id)).size, benchmarks.length)
  })

  it("has every row of the table of targets", () => {
    const rows = new Set(
      benchmarks.flatMap(({ row, target }) => row === undefined || target === undefined ? [] : [row])
    )
    assert.deepStrictEqual([...rows].map(Number), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11])
  })
})

describe("options", () => {
  it("has defaults", () => {
    assert.deepStrictEqual(Options.parse([]), { only: [], rounds: 9, json: false, write: false })
  })

  it("refuses what would mislead", () => {
    assert.throws(() => Options.parse(["--rounds", "3"]), /at least 7/)
    assert.throws(() => Options.parse(["--write", "--only", "decode"]), /whole page/)
    assert.throws(() => Options.parse(["--unheard-of"]))
  })
})
