import { assert, describe, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { Fifo } from "../../src/internal/fifo.js"

type Command = number | "shift" | "head" | "clear"

describe("Fifo", () => {
  it("does what an array does, whatever is called in whatever order", () => {
    const command: fc.Arbitrary<Command> = fc.oneof(
      { weight: 4, arbitrary: fc.nat() },
      { weight: 3, arbitrary: fc.constant("shift" as const) },
      { weight: 1, arbitrary: fc.constantFrom("head" as const, "clear" as const) }
    )
    fc.assert(fc.property(fc.array(command, { maxLength: 300 }), (commands) => {
      const fifo = new Fifo<number>()
      const model: Array<number> = []
      for (const command of commands) {
        if (typeof command === "number") {
          fifo.push(command)
          model.push(command)
        } else if (command === "shift") assert.strictEqual(fifo.shift(), model.shift())
        else if (command === "head") assert.strictEqual(fifo.head, model[0])
        else {
          fifo.clear()
          model.length = 0
        }
        assert.strictEqual(fifo.isEmpty, model.length === 0)
      }
      while (model.length > 0) assert.strictEqual(fifo.shift(), model.shift())
      assert.isUndefined(fifo.shift())
    }))
  })

  it("does not grow while it is never empty", () => {
    const fifo = new Fifo<number>()
    fifo.push(0)
    for (let i = 1; i < 100_000; i++) {
      fifo.push(i)
      assert.strictEqual(fifo.shift(), i - 1)
      assert.isAtMost(fifo.places, 4_096)
    }
  })

  it("keeps its order beyond the places that it keeps when it is empty", () => {
    const fifo = new Fifo<number>()
    for (let round = 0; round < 3; round++) {
      for (let i = 0; i < 5_000; i++) fifo.push(i)
      for (let i = 0; i < 5_000; i++) assert.strictEqual(fifo.shift(), i)
      assert.isTrue(fifo.isEmpty)
    }
  })
})
