import * as Either from "effect/Either"
import type * as ParseResult from "effect/ParseResult"
import type * as Schema from "effect/Schema"
import { validate } from "./validate.js"

/**
 * Fields that do not fit, and what was expected of them. Effect's formatters would write out the values, too: those may be
 * prompts or keys, and nested deeper than any stack.
 */
export const describe = (error: ParseResult.ParseError): string =>
  Array.from(new Set(places(error.issue, []))).slice(0, 8).join("; ")

const places = (issue: ParseResult.ParseIssue, path: ReadonlyArray<PropertyKey>): ReadonlyArray<string> => {
  const at = (what: string) => [`${path.length > 0 ? path.map(String).join(".") : "the frame"}: ${what}`]
  switch (issue._tag) {
    case "Pointer":
      return places(issue.issue, path.concat(issue.path))
    case "Composite":
      return list(issue.issues).flatMap((inside) => places(inside, path))
    case "Refinement":
    case "Transformation":
      return places(issue.issue, path)
    case "Type":
      return at(issue.message ?? `Expected ${String(issue.ast)}`)
    case "Missing":
      return at("is missing")
    case "Unexpected":
      return at("is unexpected")
    case "Forbidden":
      return at("is forbidden")
  }
}

const list = <A>(some: ParseResult.SingleOrNonEmpty<A>): ReadonlyArray<A> =>
  // The type of one issue is never an array.
  Array.isArray(some) ? some : [some as A]

/** How a value fails a schema, in words. */
export const describeMismatch = (schema: Schema.Schema.Any, value: unknown): string =>
  // Only the value is looked at; that the schema's type parameters are unknown here makes no difference to that.
  Either.match(validate(schema as Schema.Schema<unknown>, value, { exact: true, errors: "all" }), {
    onLeft: describe,
    onRight: () => "it fits"
  })
