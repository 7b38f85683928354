import * as Format from "@claude-duplex/cli/Format"
import { assert, it } from "@effect/vitest"

it("durations", () => {
  assert.deepStrictEqual(
    [0, 0.25, 9, 999, 1_234, 12_345, 83_000, 3_720_000].map(Format.millis),
    ["0 ms", "0.3 ms", "9 ms", "999 ms", "1.23 s", "12.3 s", "1 min 23 s", "1 h 2 min"]
  )
})

it("bytes, counts and money", () => {
  assert.deepStrictEqual([0, 999, 1_500, 2e6, 3.25e9].map(Format.bytes), ["0 B", "999 B", "1.5 kB", "2.0 MB", "3.3 GB"])
  assert.deepStrictEqual([1, 1_000, 1_234_567].map(Format.count), ["1", "1 000", "1 234 567"])
  assert.deepStrictEqual([1, 0].map((n) => Format.counted(n, "turn")), ["1 turn", "0 turns"])
  assert.deepStrictEqual([0, 0.01234, 123.456].map(Format.usd), ["$0.00", "$0.0123", "$123.46"])
})

it("a text on one line has no control characters, and says that it was cut", () => {
  assert.deepStrictEqual(
    [Format.oneLine("a\n\tb\u001b[2Jc", 20), Format.oneLine("x".repeat(30), 5), Format.oneLine(" ".repeat(1e6), 5)],
    ["a b [2Jc", "xxxx…", "…"]
  )
  assert.strictEqual(Format.oneLine(" a b  c \nd\u00a0e\u0085 f\u2028\t ", 20), "a b c d e f")
})
