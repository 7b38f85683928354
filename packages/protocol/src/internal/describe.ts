import type { Schema } from "effect"
import { Either, ParseResult } from "effect"

/** Fields that do not fit, and what was expected of them. Values are left out: they may be prompts or keys. */
export const describe = (error: ParseResult.ParseError): string =>
  Array.from(
    new Set(
      ParseResult.ArrayFormatter.formatErrorSync(error).map(({ message, path }) =>
        `${path.length > 0 ? path.map(String).join(".") : "the frame"}: ${message.replace(/, actual [^]*$/, "")}`
      )
    )
  ).slice(0, 8).join("; ")

/** How a value fails a schema, in words. */
export const describeMismatch = (schema: Schema.Schema.Any, value: unknown): string =>
  Either.match(
    // Only the value is looked at; that the schema's type parameters are unknown here makes no difference to that.
    ParseResult.validateEither(schema as Schema.Schema<unknown>, { exact: true, errors: "all" })(value),
    {
      onLeft: (issue) => describe(ParseResult.parseError(issue)),
      onRight: () => "it fits"
    }
  )
