import { assert, describe, it } from "@effect/vitest"
import { Chunk, Deferred, Effect, Fiber, Stream } from "effect"
import { Conflated } from "../../src/internal/conflated.js"

const collected = <A>(stream: Stream.Stream<A>) => Effect.map(Stream.runCollect(stream), Chunk.toReadonlyArray)

describe("a conflated value", () => {
  it.effect("shows a slow reader the present value, and then the latest", () =>
    Effect.gen(function*() {
      const value = new Conflated(0)
      const { changes, get } = value.subscribable
      const begun = yield* Deferred.make<void>()
      const reader = yield* Effect.fork(collected(Stream.tap(changes, () => Deferred.succeed(begun, undefined))))
      yield* Deferred.await(begun)
      for (let i = 1; i <= 1_000; i++) value.set(i)
      assert.strictEqual(yield* get, 1_000)
      value.end()
      assert.deepStrictEqual(yield* Fiber.join(reader), [0, 1_000])
      // One that comes after the end sees how it ended.
      assert.deepStrictEqual(yield* collected(changes), [1_000])
    }))

  it.effect("shows each reader each value that it is there for, and nothing twice", () =>
    Effect.gen(function*() {
      const value = new Conflated("a")
      const seen: Array<Array<string>> = []
      const readers = yield* Effect.forEach([0, 1, 2], (index) => {
        const mine: Array<string> = seen[index] = []
        return Effect.fork(Stream.runForEach(value.subscribable.changes, (each) => Effect.sync(() => mine.push(each))))
      })
      const allHaveSeen = (...values: ReadonlyArray<string>) =>
        Effect.repeat(Effect.yieldNow(), { until: () => seen.every((mine) => mine.length === values.length) }).pipe(
          Effect.map(() => assert.deepStrictEqual(seen, [values, values, values]))
        )
      yield* allHaveSeen("a")
      value.set("a")
      value.set("b")
      yield* allHaveSeen("a", "b")
      value.set("b")
      value.set("c")
      yield* allHaveSeen("a", "b", "c")
      value.end()
      yield* Effect.forEach(readers, Fiber.join)
      yield* allHaveSeen("a", "b", "c")
    }))
})
