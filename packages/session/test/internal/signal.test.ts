import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { Signal } from "../../src/internal/signal.js"
import { everySchedule, type Scenario } from "../support/schedules.js"

/** What waits and wakes: the signal, or something in its place. */
interface Waiting {
  readonly wake: () => void
  readonly wait: (isTrue: () => boolean) => Effect.Effect<void>
}

const signal = (): Waiting => {
  const made = new Signal()
  return { wake: () => made.wake(), wait: (isTrue) => made.wait(isTrue) }
}

/** Wakes those who wait, and does not look whether there is anything to wait for. */
const edgeTriggered = (): Waiting => {
  let waiting: Array<() => void> = []
  return {
    wake: () => {
      const woken = waiting
      waiting = []
      for (const resume of woken) resume()
    },
    wait: (isTrue) => {
      const loop: Effect.Effect<void> = Effect.suspend(() =>
        isTrue() ? Effect.void : Effect.zipRight(
          Effect.async<void>((resume) => {
            waiting.push(() => resume(Effect.void))
          }),
          loop
        )
      )
      return loop
    }
  }
}

/** A latch of Effect's, closed by those who find nothing. */
const latched = (): Waiting => {
  const latch = Effect.unsafeMakeLatch()
  return {
    wake: () => latch.unsafeOpen(),
    wait: (isTrue) => {
      const loop: Effect.Effect<void> = Effect.suspend(() => {
        if (isTrue()) return Effect.void
        latch.unsafeClose()
        return Effect.zipRight(latch.await, loop)
      })
      return loop
    }
  }
}

const allEnded = (ended: ReadonlyArray<Exit.Exit<unknown, unknown> | undefined>) => {
  for (const exit of ended) assert.isTrue(exit !== undefined && Exit.isSuccess(exit), "a fiber waits for ever")
}

/** Two fibers wait for two things, of which one happens. */
const twoConditions = (make: () => Waiting) => (): Scenario => {
  const { wait, wake } = make()
  let happened = false
  return {
    fibers: [wait(() => happened), wait(() => false)],
    steps: [() => {
      happened = true
    }, wake],
    check: ([first, second]) => {
      allEnded([first])
      assert.isUndefined(second)
    }
  }
}

/** One fiber takes what is put in, until the end. */
const oneConsumer = (make: () => Waiting) => (): Scenario => {
  const { wait, wake } = make()
  const items: Array<number> = []
  const taken: Array<number> = []
  let hasEnded = false
  const consume: Effect.Effect<void> = Effect.suspend(() => {
    if (items.length > 0) {
      taken.push(...items.splice(0))
      return consume
    }
    return hasEnded ? Effect.void : Effect.zipRight(wait(() => items.length > 0 || hasEnded), consume)
  })
  const put = (item: number) => () => {
    items.push(item)
    wake()
  }
  return {
    fibers: [consume],
    steps: [put(1), put(2), () => {
      hasEnded = true
      wake()
    }],
    check: (ended) => {
      allEnded(ended)
      assert.deepStrictEqual(taken, [1, 2])
    }
  }
}

describe("a signal, under every schedule,", () => {
  it("wakes a fiber when its own condition is true, whatever another one waits for", () => {
    assert.isAbove(everySchedule(twoConditions(signal)), 100)
  })

  it("wakes a consumer for every item and for the end", () => {
    assert.isAbove(everySchedule(oneConsumer(signal)), 100)
  })

  it("forgets a fiber that is interrupted while it waits", () => {
    everySchedule(() => {
      const waiting = new Signal()
      let checks = 0
      let isOver = false
      const never = waiting.wait(() => {
        if (isOver) checks++
        return false
      })
      return {
        fibers: [Effect.raceFirst(never, Effect.void)],
        steps: [],
        check: (ended) => {
          allEnded(ended)
          isOver = true
          waiting.wake()
          assert.strictEqual(checks, 0)
        }
      }
    })
  })
})

describe("the schedules", () => {
  it("find the wake-up that an edge-triggered list misses", () => {
    assert.throws(() => everySchedule(oneConsumer(edgeTriggered)), "a fiber waits for ever")
  })

  it("find the wake-up that one latch for two conditions misses", () => {
    assert.throws(() => everySchedule(twoConditions(latched)), "a fiber waits for ever")
  })
})
