import * as Stats from "@claude-duplex/cli/Stats"
import * as StatsText from "@claude-duplex/cli/StatsText"
import { assert, describe, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { assistant, init, read, recording, result, toolResult, user } from "./support/entries.js"

const lines = [
  [0, "→", user("u1")],
  [100, "←", init],
  [200, "←", assistant({ type: "tool_use", id: "t1", name: "Bash", input: {} })],
  [500, "←", toolResult("t1", true)],
  [1_000, "←", result("u1")],
  [2_000, "→", user("u2")],
  [2_100, "←", assistant({ type: "text", text: "x" })],
  [2_300, "←", result("u2", { is_error: true, total_cost_usd: 0.5 })]
] as const

const measure = (text: string, format: "recording" | "stdout"): Stats.Measured => {
  const meter = Stats.make(() => format)
  for (const entry of read(text)) meter.observe(entry)
  return meter.measured
}

describe("what is measured", () => {
  it("turns, tokens, tools and cost", () => {
    const summary = Stats.summarize(measure(recording(lines), "recording"))
    assert.deepStrictEqual(summary.firstToken, { count: 2, p50: 100, p95: 200, max: 200, total: 300 })
    assert.deepStrictEqual(summary.turn, { count: 2, p50: 300, p95: 1_000, max: 1_000, total: 1_300 })
    assert.deepStrictEqual(summary.tools, {
      Bash: { count: 1, p50: 300, p95: 300, max: 300, total: 300, errors: 1 }
    })
    assert.deepStrictEqual(summary.tokens, { input: 20, output: 40, cacheRead: 6, cacheWrite: 0 })
    assert.deepStrictEqual([summary.usd, summary.turns, summary.failedTurns, summary.entries], [0.5, 2, 1, 8])
    assert.deepStrictEqual(summary.histogram, [{ upTo: 500, turns: 1 }, { upTo: 1_000, turns: 1 }])
  })

  it("a copy of stdout has no times but those that the CLI tells", () => {
    const text = lines.filter(([, dir]) => dir === "←").map(([, , frame]) => `${JSON.stringify(frame)}\n`).join("")
    const { firstToken, requests, tools, turn } = Stats.summarize(measure(text, "stdout"))
    assert.deepStrictEqual([firstToken, turn?.max, tools, requests], [null, 7, {}, {}])
  })

  it("several files are added up", () => {
    const all = new Stats.Measured()
    for (let i = 0; i < 2; i++) all.add(measure(recording(lines), "recording"))
    const { entries, tools, turn, usd } = Stats.summarize(all)
    assert.deepStrictEqual([entries, turn?.count, usd, tools["Bash"]?.errors], [16, 4, 1, 2])
  })
})

it("quantiles are durations that occurred, in order", () => {
  fc.assert(fc.property(fc.array(fc.nat(10_000), { minLength: 1 }), (durations) => {
    const distribution = Stats.distribution(durations)
    assert.isNotNull(distribution)
    const { count, max, p50, p95, total } = distribution
    assert.isTrue(durations.includes(p50) && durations.includes(p95) && p50 <= p95 && p95 <= max)
    assert.deepStrictEqual([count, max], [durations.length, Math.max(...durations)])
    assert.strictEqual(total, durations.reduce((sum, value) => sum + value, 0))
    assert.isAtLeast(durations.filter((value) => value <= p50).length, durations.length / 2)
  }))
  assert.isNull(Stats.distribution([]))
})

it("bars are as long as their share, and are there if anything is", () => {
  assert.deepStrictEqual(
    [0, 0.001, 0.5, 0.53, 1, 2].map((share) => StatsText.bar(share, 8)),
    ["", "▏", "████", "████▎", "████████", "████████"]
  )
})
