import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber } from "effect"
import * as Simulation from "../src/simulation.js"

describe("a simulation", () => {
  it("takes no time for days", () => {
    const outcome = Simulation.run(Effect.as(Effect.sleep("1000 days"), "awake"))
    assert.deepStrictEqual(outcome, { _tag: "Done", exit: Exit.succeed("awake"), millis: 1_000 * 86_400_000, left: 0 })
  })

  it("wakes sleepers in the order of their times, and those of the same time in the order of their sleep", () => {
    const order: Array<string> = []
    const after = (time: number, name: string) =>
      Effect.zipRight(Effect.sleep(time), Effect.sync(() => order.push(name)))
    Simulation.run(Effect.all([after(20, "c"), after(10, "a"), after(10, "b")], { concurrency: "unbounded" }))
    assert.deepStrictEqual(order, ["a", "b", "c"])
  })

  it("knows at once that something never settles", () => {
    assert.deepStrictEqual(Simulation.run(Effect.never), { _tag: "Stuck" })
    const nobody = Effect.flatMap(Deferred.make<void>(), Deferred.await)
    assert.deepStrictEqual(Simulation.run(Effect.race(nobody, Effect.sleep("1 minute")))._tag, "Done")
    assert.deepStrictEqual(Simulation.run(Effect.zip(nobody, Effect.sleep("1 minute")))._tag, "Stuck")
  })

  it("knows what goes in circles", () => {
    assert.deepStrictEqual(Simulation.run(Effect.forever(Effect.yieldNow()), 10_000), { _tag: "Endless" })
  })

  it("counts who sleeps on after the end", () => {
    const outcome = Simulation.run(Effect.asVoid(Effect.forkDaemon(Effect.sleep("1 hour"))))
    assert.deepInclude(outcome, { _tag: "Done", left: 1 })
    const joined = Simulation.run(Effect.flatMap(Effect.fork(Effect.sleep("1 hour")), Fiber.interrupt))
    assert.deepInclude(joined, { _tag: "Done", left: 0 })
  })
})
