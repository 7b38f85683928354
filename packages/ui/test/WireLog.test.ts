import type { Entry } from "@claude-duplex/transport-mock/Recording"
import { WireLog } from "@claude-duplex/ui/WireLog"
import { assert, describe, it } from "@effect/vitest"
import { Chunk, Effect, Fiber, Option, Stream } from "effect"

const entries = (from: number, count: number): ReadonlyArray<Entry> =>
  Array.from({ length: count }, (_, i) => ({ t: from + i, dir: "cli", line: String(from + i) }))

/** The number of each line, and what it says: they are the same here. */
const numbered = (stream: ReturnType<WireLog["follow"]>) =>
  Stream.runFold(stream, [] as ReadonlyArray<readonly [number, string]>, (all, batch) => [
    ...all,
    ...batch.entries.map(({ line }, i) => [batch.from + i, line] as const)
  ])

describe("the lines of a live conversation", () => {
  it.effect("are followed from any number on, also those to come", () =>
    Effect.gen(function*() {
      const log = new WireLog(10)
      log.append(entries(0, 3))
      const reading = yield* Effect.fork(numbered(log.follow(1)))
      yield* Effect.yieldNow()
      log.append(entries(3, 2))
      yield* Effect.yieldNow()
      log.end()
      assert.deepStrictEqual(yield* Fiber.join(reading), [[1, "1"], [2, "2"], [3, "3"], [4, "4"]])
    }))

  it.effect("are kept so far back as was asked for, and keep their numbers", () =>
    Effect.gen(function*() {
      const log = new WireLog(1_000)
      for (let i = 0; i < 50; i++) log.append(entries(i * 100, 100))
      log.end()
      assert.strictEqual(log.length, 5_000)
      const seen = yield* numbered(log.follow(0))
      assert.isAtLeast(seen.length, 1_000)
      assert.isBelow(seen.length, 2_000)
      assert.deepStrictEqual(seen.filter(([number, line]) => String(number) !== line), [])
      assert.deepStrictEqual(seen.at(-1), [4_999, "4999"])
      assert.deepStrictEqual(log.at(0), Option.none())
      assert.strictEqual(Option.getOrThrow(log.at(4_999)).line, "4999")
    }))

  it.effect("come in pieces, so that the page can draw between them", () =>
    Effect.gen(function*() {
      const log = new WireLog(10_000)
      log.append(entries(0, 5_000))
      log.end()
      const sizes = yield* Stream.runCollect(Stream.map(log.follow(0), ({ entries }) => entries.length))
      assert.isAtMost(Math.max(...sizes), 500)
      assert.strictEqual(Chunk.reduce(sizes, 0, (a, b) => a + b), 5_000)
    }))
})
