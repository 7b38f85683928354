/**
 * Our side: reads the AST of a protocol schema into a shape. The protocol's schemas are plain JSON shapes without
 * transformations; anything else is an error here, so that no schema goes uncompared.
 */
import { OpenLiteralId, UnrecognizedId } from "@claude-duplex/protocol/schema/Open"
import { Option, SchemaAST as AST } from "effect"
import type { Alternative, Field, Shape, What } from "./shape.js"

/** Reads a schema's AST. `instead` maps nodes to others that are to be read in their place. */
export type ReadSchema = (ast: AST.AST) => Shape

export const reader = (instead: ReadonlyMap<AST.AST, AST.AST> = new Map()): ReadSchema => {
  const memo = new Map<AST.AST, Shape>()

  const read: ReadSchema = (ast) => {
    const known = memo.get(ast)
    if (known !== undefined) return known
    const shape: Shape = { alternatives: alternatives(ast, ast) }
    memo.set(ast, shape)
    return shape
  }

  const alternatives = (given: AST.AST, union: AST.AST): ReadonlyArray<Alternative> => {
    const ast = instead.get(given) ?? given
    if (ast._tag !== "Union") return [{ node: ast, union, what: readOne(ast) }]
    if (AST.getAnnotation(ast, OpenLiteralId)._tag === "None") {
      return ast.types.flatMap((member) => alternatives(member, ast))
    }
    const known = ast.types.flatMap((member) => alternatives(member, ast)).filter(({ what }) => what._tag === "Literal")
    return [...known, { node: ast, union: ast, what: { _tag: "Open", except: new Set() } }]
  }

  const readOne = (ast: AST.AST): What => {
    switch (ast._tag) {
      case "UnknownKeyword":
        return { _tag: "Any" }
      case "StringKeyword":
        return { _tag: "String" }
      case "NumberKeyword":
        return { _tag: "Number" }
      case "BooleanKeyword":
        return { _tag: "Boolean" }
      case "Literal":
        if (ast.literal === null) return { _tag: "Null" }
        if (typeof ast.literal !== "bigint") return { _tag: "Literal", value: ast.literal }
        break
      case "Refinement": {
        const names = Option.getOrUndefined(AST.getAnnotation<ReadonlySet<string>>(ast, UnrecognizedId))
        if (names !== undefined) return { _tag: "Open", except: names }
        break
      }
      case "TupleType": {
        const rest = ast.rest[0]
        if (ast.elements.length === 0 && rest !== undefined) return { _tag: "Array", item: () => read(rest.type) }
        break
      }
      case "TypeLiteral": {
        const index = ast.indexSignatures[0]
        if (index !== undefined && ast.propertySignatures.length === 0) {
          return { _tag: "Record", value: () => read(index.type) }
        }
        if (index !== undefined) break
        const fields = new Map<string, Field>()
        for (const property of ast.propertySignatures) {
          fields.set(String(property.name), { optional: property.isOptional, shape: () => read(property.type) })
        }
        return { _tag: "Struct", name: Option.getOrUndefined(AST.getIdentifierAnnotation(ast)), fields }
      }
    }
    throw new Error(`The protocol's schemas are made of plain JSON shapes; ${String(ast)} is none`)
  }

  return read
}
