/**
 * Wrong types in every field of every schema: for each part of each schema, every member of every union included, a
 * value that fits but for that part, which is wrong in each of a dozen ways, or missing. No chance is involved.
 */
import * as Frame from "@claude-duplex/protocol/Frame"
import * as CliRequest from "@claude-duplex/protocol/schema/CliRequest"
import * as HostRequest from "@claude-duplex/protocol/schema/HostRequest"
import { UnrecognizedId } from "@claude-duplex/protocol/schema/Open"
import { type Schema, SchemaAST as AST } from "effect"

/** A value, what it is called, and which schema it was made from. */
export interface Wrong {
  readonly name: string
  readonly value: unknown
}

const wrongValues: ReadonlyArray<unknown> = [null, 0, -1.5, "", "nobody expects this", true, [], {}, [null], [[1]], {
  type: "x"
}]

/** Every frame that the CLI sends, with one part wrong. */
export const cliFrames = (): ReadonlyArray<Wrong> => wrongsOf("CliFrame", Frame.CliFrame)

/** Every frame that a host sends, with one part wrong. */
export const hostFrames = (): ReadonlyArray<Wrong> => wrongsOf("HostFrame", Frame.HostFrame)

/** Every answer of the CLI's, with one part wrong, by what it answers. */
export const cliAnswers = (): ReadonlyArray<Wrong & { readonly subtype: HostRequest.HostSubtype }> =>
  entries(HostRequest.responses).flatMap(([subtype, schema]) =>
    wrongsOf(subtype, schema).map((wrong) => ({ ...wrong, subtype }))
  )

/** Every answer of a host's, with one part wrong, by what it answers. */
export const hostAnswers = (): ReadonlyArray<Wrong & { readonly subtype: CliRequest.CliSubtype }> =>
  entries(CliRequest.responses).flatMap(([subtype, schema]) =>
    wrongsOf(subtype, schema).map((wrong) => ({ ...wrong, subtype }))
  )

// `Object.entries` forgets the names of the keys.
const entries = <K extends string, V>(record: { readonly [key in K]: V }) => Object.entries(record) as Array<[K, V]>

const wrongsOf = (name: string, schema: Schema.Schema.Any): ReadonlyArray<Wrong> => wrongs(schema.ast, name)

/** Values in which exactly one part does not fit: this one, or one in it. */
const wrongs = (ast: AST.AST, path: string): ReadonlyArray<Wrong> => [
  ...wrongValues.map((value, i) => ({ name: `${path} #${i}`, value })),
  ...wrongsInside(ast, path)
]

const wrongsInside = (ast: AST.AST, path: string): ReadonlyArray<Wrong> => {
  switch (ast._tag) {
    case "Union":
      return ast.types.flatMap((type) => wrongsInside(type, path))
    case "TupleType":
      return ast.rest.flatMap(({ type }) => wrongs(type, `${path}[]`)).map(({ name, value }) => ({
        name,
        value: [value]
      }))
    case "TypeLiteral": {
      const index = ast.indexSignatures[0]
      if (index !== undefined) {
        return wrongs(index.type, `${path}.key`).map(({ name, value }) => ({ name, value: { key: value } }))
      }
      const whole = fitting(ast)
      return ast.propertySignatures.flatMap(({ name: field, type }) => {
        const key = String(field)
        const { [key]: _, ...rest } = whole
        return [
          ...wrongs(type, `${path}.${key}`).map(({ name, value }) => ({ name, value: { ...whole, [key]: value } })),
          { name: `${path}.${key} missing`, value: rest }
        ]
      })
    }
    default:
      return []
  }
}

/** An object with every field. */
const fitting = (ast: AST.TypeLiteral): { readonly [name: string]: unknown } =>
  Object.fromEntries(ast.propertySignatures.map(({ name, type }) => [String(name), sample(type)]))

/** A value that fits. */
const sample = (ast: AST.AST): unknown => {
  switch (ast._tag) {
    case "UnknownKeyword":
      return { any: "thing" }
    case "StringKeyword":
      return "text"
    case "NumberKeyword":
      return 1
    case "BooleanKeyword":
      return true
    case "Literal":
      return ast.literal
    case "Refinement":
      if (AST.getAnnotation(ast, UnrecognizedId)._tag === "Some") return "of next year"
      break
    case "TupleType":
      return ast.rest.map(({ type }) => sample(type))
    case "Union":
      return sample(ast.types[0] ?? AST.stringKeyword)
    case "TypeLiteral": {
      const index = ast.indexSignatures[0]
      return index === undefined ? fitting(ast) : { key: sample(index.type) }
    }
  }
  throw new Error(`The protocol's schemas are made of plain JSON shapes; ${String(ast)} is none`)
}
