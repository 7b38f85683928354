/**
 * From a schema to a plan of how to check it. Our schemas have no transformations, so decoding is checking: the plan is
 * what is left of a schema's AST when everything else is taken away, with unions already sorted by what tells their
 * members apart. `closures.ts` and `generated.ts` carry it out.
 */
import * as Option from "effect/Option"
import * as AST from "effect/SchemaAST"
import { OpenLiteralId, UnrecognizedId } from "../schema/Open.js"

/** How to check a value. */
export type Plan =
  | { readonly _tag: "Any" }
  | {
    readonly _tag: "TypeOf"
    readonly type: "string" | "number" | "boolean"
    /** Of an open literal: the values that are known. To check it is to check for a string. */
    readonly known?: ReadonlySet<unknown>
  }
  | { readonly _tag: "OneOf"; readonly values: ReadonlyArray<AST.LiteralValue> }
  | { readonly _tag: "StringExcept"; readonly names: ReadonlySet<string> }
  | { readonly _tag: "Array"; readonly item: Plan }
  | { readonly _tag: "Record"; readonly value: Plan }
  | { readonly _tag: "Struct"; readonly name: string | undefined; readonly fields: ReadonlyArray<Field> }
  | {
    /** The members differ in the value of `key`. */
    readonly _tag: "Dispatch"
    readonly key: string
    readonly cases: ReadonlyMap<string, Plan>
    readonly otherwise: Plan | undefined
  }
  | { readonly _tag: "Either"; readonly plans: ReadonlyArray<Plan> }

/** One property of a struct. */
export interface Field {
  readonly name: string
  readonly optional: boolean
  readonly plan: Plan
}

/** The plan of a schema. Throws for AST nodes that no schema of the protocol has: a test makes every plan. */
export const make = (ast: AST.AST): Plan => {
  const known = memo.get(ast)
  if (known !== undefined) return known
  const plan = build(ast)
  memo.set(ast, plan)
  return plan
}

const memo = new WeakMap<AST.AST, Plan>()

const build = (ast: AST.AST): Plan => {
  switch (ast._tag) {
    case "UnknownKeyword":
      return { _tag: "Any" }
    case "StringKeyword":
      return { _tag: "TypeOf", type: "string" }
    case "NumberKeyword":
      return { _tag: "TypeOf", type: "number" }
    case "BooleanKeyword":
      return { _tag: "TypeOf", type: "boolean" }
    case "Literal":
      return { _tag: "OneOf", values: [ast.literal] }
    case "Refinement": {
      const names = unrecognizedNames(ast)
      if (names !== undefined) return { _tag: "StringExcept", names }
      break
    }
    case "TupleType": {
      const rest = ast.rest[0]
      if (ast.elements.length === 0 && ast.rest.length === 1 && rest !== undefined) {
        return { _tag: "Array", item: make(rest.type) }
      }
      break
    }
    case "TypeLiteral": {
      const index = ast.indexSignatures[0]
      if (ast.propertySignatures.length === 0 && ast.indexSignatures.length === 1 && index !== undefined) {
        return { _tag: "Record", value: make(index.type) }
      }
      if (ast.indexSignatures.length === 0) {
        return {
          _tag: "Struct",
          name: Option.getOrUndefined(AST.getIdentifierAnnotation(ast)),
          fields: ast.propertySignatures.map((property) => ({
            name: String(property.name),
            optional: property.isOptional,
            plan: make(property.type)
          }))
        }
      }
      break
    }
    case "Union":
      return AST.getAnnotation(ast, OpenLiteralId)._tag === "Some"
        ? { _tag: "TypeOf", type: "string", known: new Set(literalsOf(ast)) }
        : union(flatten(ast), [])
  }
  throw new Error(`The protocol's schemas are made of plain JSON shapes; there is no way to check ${String(ast)}`)
}

const unrecognizedNames = (ast: AST.AST): ReadonlySet<string> | undefined =>
  Option.getOrUndefined(AST.getAnnotation<ReadonlySet<string>>(ast, UnrecognizedId))

const flatten = (ast: AST.AST): ReadonlyArray<AST.AST> =>
  ast._tag === "Union" && AST.getAnnotation(ast, OpenLiteralId)._tag === "None" ? ast.types.flatMap(flatten) : [ast]

const literalsOf = (ast: AST.AST): ReadonlyArray<AST.LiteralValue> =>
  ast._tag === "Union" ? ast.types.flatMap(literalsOf) : AST.isLiteral(ast) ? [ast.literal] : []

/** `used` are the keys by which these members were already told apart. */
const union = (members: ReadonlyArray<AST.AST>, used: ReadonlyArray<string>): Plan => {
  const literals = members.filter(AST.isLiteral)
  const structs = members.filter(isStruct)
  const others = members.filter((member) => !AST.isLiteral(member) && !isStruct(member))
  const plans: Array<Plan> = others.map(make)
  if (literals.length > 0) plans.push({ _tag: "OneOf", values: literals.map((literal) => literal.literal) })
  if (structs.length > 0) plans.push(...structUnion(structs, used))
  const only = plans[0]
  return plans.length === 1 && only !== undefined ? only : { _tag: "Either", plans }
}

const isStruct = (ast: AST.AST): ast is AST.TypeLiteral => AST.isTypeLiteral(ast) && ast.indexSignatures.length === 0

const structUnion = (structs: ReadonlyArray<AST.TypeLiteral>, used: ReadonlyArray<string>): ReadonlyArray<Plan> => {
  const key = structs.length > 1 ? discriminatingKey(structs, used) : undefined
  if (key === undefined) return structs.map(make)
  const cases = new Map<string, Array<AST.TypeLiteral>>()
  const otherwise: Array<AST.TypeLiteral> = []
  const undecided: Array<AST.TypeLiteral> = []
  for (const struct of structs) {
    const claim = claimOf(struct, key)
    if (claim === undefined) undecided.push(struct)
    else {
      for (const name of claim.names) cases.set(name, [...(cases.get(name) ?? []), struct])
      if (claim.others) otherwise.push(struct)
    }
  }
  const inner = [...used, key]
  return [
    {
      _tag: "Dispatch",
      key,
      cases: new Map(Array.from(cases, ([name, group]) => [name, union(group, inner)])),
      otherwise: otherwise.length > 0 ? union(otherwise, inner) : undefined
    },
    ...undecided.map(make)
  ]
}

/** Which values of a field a struct takes: the names listed, and perhaps every name that nobody else lists. */
interface Claim {
  readonly names: ReadonlyArray<string>
  readonly others: boolean
}

const claimOf = (struct: AST.TypeLiteral, key: string): Claim | undefined => {
  const property = struct.propertySignatures.find((candidate) => candidate.name === key)
  if (property === undefined || property.isOptional) return undefined
  const names: Array<string> = []
  let others = false
  for (const type of flatten(property.type)) {
    if (AST.isLiteral(type) && typeof type.literal === "string") names.push(type.literal)
    else if (unrecognizedNames(type) !== undefined) others = true
    else return undefined
  }
  return { names, others }
}

/** The key that splits the members into the most groups, if any splits them at all. */
const discriminatingKey = (
  structs: ReadonlyArray<AST.TypeLiteral>,
  used: ReadonlyArray<string>
): string | undefined => {
  const keys = new Set(structs.flatMap((struct) => struct.propertySignatures.map((property) => String(property.name))))
  let best: string | undefined
  let most = 1
  for (const key of keys) {
    if (used.includes(key)) continue
    const claims = structs.map((struct) => claimOf(struct, key))
    const names = new Set(claims.flatMap((claim) => claim?.names ?? []))
    const groups = names.size + (claims.some((claim) => claim?.others) ? 1 : 0)
    if (groups > most) {
      best = key
      most = groups
    }
  }
  return best
}
