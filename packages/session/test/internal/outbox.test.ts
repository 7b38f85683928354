import { TransportError } from "@claude-duplex/protocol/Transport"
import type { Transport } from "@claude-duplex/protocol/Transport"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Stream } from "effect"
import { Outbox } from "../../src/internal/outbox.js"

/** A line of so many bytes, as the outbox counts them. */
const line = (bytes: number) => "x".repeat(bytes / 2)

/** What the outbox writes to. */
const transport = (send: Transport["send"]): Transport => ({
  incoming: Stream.empty,
  send,
  endInput: Effect.void,
  close: Effect.void,
  exit: Effect.never
})

describe("an outbox", () => {
  it("is full when more waits than its limit: an empty one takes a line of any size", () => {
    const outbox = new Outbox({ maxBytes: 100, reserveBytes: 40 })
    outbox.write(line(100), false)
    assert.isFalse(outbox.isFull)
    outbox.write(line(1_000), false)
    assert.isTrue(outbox.isFull)
    assert.strictEqual(outbox.waitingBytes, 1_100)
  })

  it.effect("counts what is being written, and has room again when it was", () =>
    Effect.gen(function*() {
      const gate = yield* Deferred.make<void>()
      const written: Array<string> = []
      const outbox = new Outbox({ maxBytes: 10, reserveBytes: 0 })
      outbox.write(line(20), false)
      const writer = yield* Effect.fork(
        outbox.into(transport((text) => Effect.zipRight(Deferred.await(gate), Effect.sync(() => written.push(text)))))
      )
      yield* Effect.yieldNow()
      assert.isTrue(outbox.isFull)
      yield* Deferred.succeed(gate, undefined)
      yield* Effect.yieldNow()
      assert.isFalse(outbox.isFull)
      assert.strictEqual(outbox.waitingBytes, 0)
      outbox.write("last", false)
      outbox.end()
      yield* Fiber.join(writer)
      assert.deepStrictEqual(written, [line(20), "last"])
    }))

  it("takes responses beyond its limit, and overflows once when those have no room in the reserve", () => {
    const outbox = new Outbox({ maxBytes: 100, reserveBytes: 40 })
    let overflows = 0
    outbox.onOverflow(() => overflows++)
    outbox.write(line(200), false)
    outbox.write(line(40), true)
    outbox.write(line(40), true)
    assert.deepStrictEqual([outbox.hasOverflowed, overflows], [false, 0])
    outbox.write(line(2), true)
    outbox.write(line(2), true)
    assert.deepStrictEqual([outbox.hasOverflowed, overflows], [true, 1])
  })

  it("takes any number of responses while it is not full", () => {
    const outbox = new Outbox({ maxBytes: 1_000, reserveBytes: 10 })
    for (let i = 0; i < 20; i++) outbox.write(line(50), true)
    assert.isFalse(outbox.hasOverflowed)
  })

  it.effect("fails with the transport, and loses nothing before", () =>
    Effect.gen(function*() {
      const outbox = new Outbox()
      const written: Array<string> = []
      outbox.write("a", false)
      outbox.write("b", false)
      const failure = new TransportError({ reason: "Write", detail: "broken" })
      const error = yield* Effect.flip(
        outbox.into(transport((text) => text === "b" ? failure : Effect.sync(() => written.push(text))))
      )
      assert.strictEqual(error, failure)
      assert.deepStrictEqual(written, ["a"])
    }))
})
