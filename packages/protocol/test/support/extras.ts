/** Adds fields that nobody knows to a value, at every level where its schema lets it. */
import type { SchemaAST as AST } from "effect"
import { Schema } from "effect"

export const withExtras = (ast: AST.AST, value: unknown, extra: () => unknown): unknown => {
  switch (ast._tag) {
    case "Union": {
      const member = ast.types.find((type) => Schema.is(Schema.make(type))(value))
      return member === undefined ? value : withExtras(member, value, extra)
    }
    case "TupleType": {
      const item = ast.rest[0]?.type
      return Array.isArray(value) && item !== undefined ? value.map((one) => withExtras(item, one, extra)) : value
    }
    case "TypeLiteral": {
      if (typeof value !== "object" || value === null) return value
      const index = ast.indexSignatures[0]
      const known = new Map(ast.propertySignatures.map((property) => [String(property.name), property.type]))
      const fields = Object.entries(value).map(([key, field]): [string, unknown] => {
        const type = known.get(key) ?? index?.type
        return [key, type === undefined ? field : withExtras(type, field, extra)]
      })
      if (index === undefined) fields.splice(Math.floor(fields.length / 2), 0, ["x_of_next_year", extra()])
      return Object.fromEntries(fields)
    }
    default:
      return value
  }
}
