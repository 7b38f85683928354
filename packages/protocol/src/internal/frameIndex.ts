/**
 * Why a value is not a frame of a union: looked up by `type` and `subtype`, and only after it was refused.
 */
import * as Schema from "effect/Schema"
import * as AST from "effect/SchemaAST"
import { Unknown } from "../Frame.js"
import { describeMismatch } from "./describe.js"

/** Wraps a refused value, with the reason. */
export const makeUnknown = (frames: Schema.Union<ReadonlyArray<Schema.Schema.Any>>) => {
  const byType = new Map<string, Array<AST.AST>>()
  for (const { ast } of frames.members) {
    for (const type of literalsAt(ast, "type")) byType.set(type, [...(byType.get(type) ?? []), ast])
  }
  return (raw: unknown): Unknown => {
    const type = property(raw, "type")
    if (typeof type !== "string") {
      return new Unknown(raw, "NotAnObject", () => "expected a JSON object with a `type`")
    }
    const candidates = byType.get(type)
    if (candidates === undefined) {
      return new Unknown(raw, "UnknownType", () => `no frame has the type ${JSON.stringify(type)}`)
    }
    if (property(raw, "_tag") !== undefined) {
      return new Unknown(raw, "UnexpectedShape", () => "it has a `_tag`, which no frame has")
    }
    for (const path of [["subtype"], ["request", "subtype"], ["response", "subtype"]]) {
      const subtype = path.reduce(property, raw)
      const known = candidates.filter((candidate) => typesAt(candidate, path).length > 0)
      if (known.length === 0 || typeof subtype !== "string") continue
      const fitting = known.filter((candidate) => literalsAt(candidate, ...path).includes(subtype))
      return fitting.length === 0 && isClosed(known, path)
        ? new Unknown(raw, "UnknownSubtype", () => `no ${type} has the subtype ${JSON.stringify(subtype)}`)
        : unexpected(raw, fitting.length > 0 ? fitting : known)
    }
    return unexpected(raw, candidates)
  }
}

const unexpected = (raw: unknown, members: ReadonlyArray<AST.AST>): Unknown =>
  new Unknown(raw, "UnexpectedShape", () => describeMismatch(Schema.make(AST.Union.make(members)), raw))

/** No member takes names that it does not list (as a `result` with an unknown error does). */
const isClosed = (candidates: ReadonlyArray<AST.AST>, path: ReadonlyArray<string>): boolean =>
  candidates.every((candidate) => typesAt(candidate, path).every(AST.isLiteral))

const property = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null && Object.hasOwn(value, name)
    // Own property, just checked.
    ? (value as { readonly [key: string]: unknown })[name]
    : undefined

const literalsAt = (ast: AST.AST, ...path: ReadonlyArray<string>): ReadonlyArray<string> =>
  typesAt(ast, path).flatMap((type) => AST.isLiteral(type) && typeof type.literal === "string" ? [type.literal] : [])

const typesAt = (ast: AST.AST, path: ReadonlyArray<string>): ReadonlyArray<AST.AST> => {
  if (ast._tag === "Union") return ast.types.flatMap((type) => typesAt(type, path))
  const [name, ...rest] = path
  if (name === undefined) return [ast]
  if (ast._tag !== "TypeLiteral") return []
  const found = ast.propertySignatures.find((candidate) => candidate.name === name)
  return found === undefined ? [] : typesAt(found.type, rest)
}
