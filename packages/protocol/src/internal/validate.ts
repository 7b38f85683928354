import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import type * as Schema from "effect/Schema"
import type * as SchemaAST from "effect/SchemaAST"

/**
 * `Schema.validateEither`, for whatever came over the wire. Effect asks some values for their text, to find the member of a
 * union by it; one may not have any (`{"toString":1}`), or be nested deeper than any stack. Such a value does not fit.
 */
export const validate = <A>(
  schema: Schema.Schema<A>,
  value: unknown,
  options?: SchemaAST.ParseOptions
): Either.Either<A, ParseResult.ParseError> => {
  try {
    return Either.mapLeft(ParseResult.validateEither(schema, options)(value), ParseResult.parseError)
  } catch {
    return Either.left(
      ParseResult.parseError(new ParseResult.Type(schema.ast, null, "some part of it is not comparable"))
    )
  }
}
