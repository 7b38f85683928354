/**
 * Who waits for something looks first whether it is there. Between the look and the waiting any fiber may have to stand still,
 * and what comes just then must not be missed. Here, it comes at every step that a fiber can stand still at.
 */
import { MessageCancelled } from "@claude-duplex/protocol/SessionError"
import type { Service } from "@claude-duplex/protocol/Transport"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Option, Stream } from "effect"
import { Pipe } from "../src/internal/pipe.js"
import { Subscribers } from "../src/internal/subscribers.js"
import { TurnRecord } from "../src/internal/turnRecord.js"

/**
 * Whether somebody who must stand still after every so many steps ends. First it sees `begun`; and so many turns of the others
 * later, the last thing happens.
 */
const ends = (
  budget: number,
  delay: number,
  consumer: (begun: Effect.Effect<void>) => Effect.Effect<unknown>,
  last: () => void
) =>
  Effect.gen(function*() {
    const begun = yield* Deferred.make<void>()
    const fiber = yield* Effect.fork(
      Effect.withMaxOpsBeforeYield(consumer(Effect.asVoid(Deferred.succeed(begun, undefined))), budget)
    )
    yield* Deferred.await(begun)
    yield* Effect.repeatN(Effect.yieldNow(), delay)
    last()
    return yield* endsSoon(fiber)
  })

/** Whether a fiber that waits for no timer ends, if every other fiber may run as often as it likes. */
const endsSoon = (fiber: Fiber.Fiber<unknown, unknown>) =>
  Effect.gen(function*() {
    for (let turns = 0; turns < 1_000; turns++) {
      if (Option.isSome(yield* Fiber.poll(fiber))) return true
      yield* Effect.yieldNow()
    }
    yield* Fiber.interruptFork(fiber)
    return false
  })

/** Every moment at which the last thing was missed. */
const missed = (one: (budget: number, delay: number) => Effect.Effect<boolean>) =>
  Effect.gen(function*() {
    const moments: Array<string> = []
    // A stream that may take fewer steps than it needs to read once gets nowhere, whoever wrote it.
    for (let budget = 14; budget < 50; budget++) {
      for (let delay = 0; delay < 12; delay++) {
        if (!(yield* one(budget, delay))) moments.push(`${budget}:${delay}`)
        // A few are enough to know.
        if (moments.length > 3) return moments
      }
    }
    return moments
  })

/** Does nothing, in so many steps. */
const taking = (steps: number): Effect.Effect<void> =>
  Effect.suspend(() => steps <= 0 ? Effect.void : taking(steps - 1))

describe("nothing is missed", () => {
  it.effect("by who writes", () =>
    Effect.gen(function*() {
      const moments: Array<number> = []
      // A fiber stands still after 2,048 steps: the first line takes so many that it does while the writer looks for another.
      for (let steps = 2_020; steps < 2_052; steps++) {
        const pipe = new Pipe()
        pipe.write("first")
        const transport: Service = {
          incoming: Stream.empty,
          send: (line) => line === "first" ? taking(steps) : Effect.void,
          endInput: Effect.void,
          close: Effect.void,
          exit: Effect.never
        }
        const writer = yield* Effect.fork(pipe.into(transport))
        yield* Effect.fork(Effect.sync(() => {
          pipe.write("last")
          pipe.end()
        }))
        if (!(yield* endsSoon(writer))) moments.push(steps)
      }
      assert.deepStrictEqual(moments, [])
    }))

  it.effect("by a subscriber", () =>
    Effect.gen(function*() {
      const moments = yield* missed((budget, delay) =>
        Effect.scoped(Effect.gen(function*() {
          const subscribers = new Subscribers<number>()
          const how = { capacity: 10, onLag: "dropOldest", accepts: () => true, first: [0] } as const
          const events = yield* subscribers.subscribe(() => how)
          return yield* ends(
            budget,
            delay,
            (begun) => Stream.runForEach(events, (event) => event === 0 ? begun : Effect.void),
            () => {
              subscribers.publish(1)
              subscribers.flush()
              subscribers.end()
            }
          )
        }))
      )
      assert.deepStrictEqual(moments, [])
    }))

  it.effect("by who follows a turn", () =>
    Effect.gen(function*() {
      const moments = yield* missed((budget, delay) => {
        const frame = { type: "user", message: { role: "user", content: "a" } } as const
        const record = new TurnRecord("a", frame, true, () => undefined)
        record.attach([{ type: "keep_alive" }])
        return ends(
          budget,
          delay,
          (begun) => Stream.runForEach(record.frames, () => begun),
          () => record.settle(Exit.fail(new MessageCancelled({ id: record.id })))
        )
      })
      assert.deepStrictEqual(moments, [])
    }))
})
