import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, FastCheck as fc, Schema } from "effect"
import { readFileSync } from "node:fs"
import * as Closures from "../src/internal/closures.js"
import * as Generated from "../src/internal/generated.js"
import * as Plan from "../src/internal/plan.js"
import { moduleNames, publicSchemas } from "./support/schemas.js"
import { check } from "./support/sweep.js"

/** The value with one part, chosen by `next`, replaced or left out. */
const mutate = (value: unknown, next: () => number): unknown => {
  const inner = typeof value === "object" && value !== null ? Object.keys(value) : []
  const key = inner[next() % (inner.length + 1)]
  if (key === undefined || next() % 4 === 0) return wrong[next() % wrong.length]
  if (Array.isArray(value)) return value.map((item: unknown, i) => String(i) === key ? mutate(item, next) : item)
  const entries = Object.entries(value ?? {})
  return Object.fromEntries(
    next() % 4 === 0
      ? entries.filter(([name]) => name !== key)
      : entries.map(([name, field]) => [name, name === key ? mutate(field, next) : field])
  )
}

const wrong = [null, 0, "", "success", true, [], {}, [null], { type: "text" }]

describe("every public schema", () => {
  it("is found", () => {
    assert.isAbove(publicSchemas.length, 200)
  })

  for (const { name, schema } of publicSchemas) {
    it(`${name}: the compiled checks agree with the schema, on generated and on mutated values`, async () => {
      const plan = Plan.make(schema.ast)
      const generated = Generated.make(plan)
      assert.isDefined(generated)
      const closures = Closures.make(plan)
      const is = Schema.is(schema)
      const agree = (value: unknown) => {
        const expected = is(value)
        if (generated(value) !== expected || closures(value) !== expected) {
          assert.fail(
            `schema says ${expected}, generated ${generated(value)}, closures ${closures(value)}: ${
              JSON.stringify(value)
            }`
          )
        }
      }
      await check(
        fc.property(Arbitrary.make(schema), fc.infiniteStream(fc.nat()), (value, choices) => {
          // What is checked is what `JSON.parse` gives.
          const json: unknown = JSON.parse(JSON.stringify(value))
          assert.isTrue(is(json))
          agree(json)
          const next = () => choices.next().value ?? 0
          for (let i = 0; i < 20; i++) agree(mutate(json, next))
        }),
        { sample: 8, full: 100 }
      )
    })

    it(`${name}: has no transformation: a decoded value is the value`, () => {
      assert.strictEqual(Schema.typeSchema(schema).ast, schema.ast)
    })
  }
})

describe("every public name", () => {
  it("has a doc comment", () => {
    const bare = moduleNames.flatMap((module) => {
      const lines = readFileSync(new URL(`../src/${module}.ts`, import.meta.url), "utf8").split("\n")
      assert.strictEqual(lines[0], "/**", `${module}.ts begins with what it owns`)
      return lines.flatMap((line, i) => {
        const name = /^export (?:declare )?(?:const|class|interface|type|abstract class) (\w+)/.exec(line)?.[1]
        if (name === undefined || lines[i - 1]?.trimEnd().endsWith("*/")) return []
        // A schema and its type share a name and one comment: the one on the schema.
        return lines.some((other, j) => other.startsWith(`export const ${name} `) && lines[j - 1]?.endsWith("*/"))
          ? []
          : [`${module}.${name}`]
      })
    })
    assert.deepStrictEqual(bare, [])
  })
})
