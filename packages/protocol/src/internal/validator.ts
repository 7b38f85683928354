/**
 * Whether a JSON value fits a schema, fast: what `Schema.is` says, from a check that is compiled once, when it is first
 * needed. A property test holds the two equal for every public schema.
 */
import type * as Schema from "effect/Schema"
import * as Closures from "./closures.js"
import * as Generated from "./generated.js"
import * as Plan from "./plan.js"

/** A check of a schema that compiles itself when it is first called. */
export const make = (schema: Schema.Schema.Any): Closures.Check => {
  let check: Closures.Check = (value) => {
    const plan = Plan.make(schema.ast)
    check = Generated.make(plan) ?? Closures.make(plan)
    return check(value)
  }
  return (value) => check(value)
}
