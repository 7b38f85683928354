/** Assertions of the transport suite, as effects: the suite depends on no test runner. */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { differences } from "../matching.js"

/** A transport broke its contract. */
export class ContractViolation extends Data.TaggedError("ContractViolation")<{ readonly message: string }> {}

/** Fails unless the condition holds. */
export const isTrue = (condition: boolean, message: string): Effect.Effect<void, ContractViolation> =>
  condition ? Effect.void : new ContractViolation({ message })

/** Fails unless both are the same JSON. */
export const equal = (what: string, actual: unknown, expected: unknown): Effect.Effect<void, ContractViolation> =>
  compare(what, actual, expected, "exact")

/** Fails unless `actual` has at least these fields. */
export const includes = (what: string, actual: unknown, expected: object): Effect.Effect<void, ContractViolation> =>
  compare(what, actual, expected, "partial")

const compare = (what: string, actual: unknown, expected: unknown, mode: "exact" | "partial") => {
  const found = differences(expected, actual, mode).map((difference) =>
    `${difference.path}: expected ${difference.expected}, got ${difference.actual}`
  )
  return isTrue(found.length === 0, `${what}\n${found.join("\n")}`)
}
