/**
 * The common ground on which the SDK's TypeScript types and our schemas are compared: JSON shapes, each a list of
 * alternatives. Owns the vocabulary only; `sdkTypes.ts` and `ourSchemas.ts` read the two sides into it.
 */

/** What a JSON value may be: one of these. No alternative at all means that the value cannot exist. */
export interface Shape {
  readonly alternatives: ReadonlyArray<Alternative>
}

/**
 * One alternative. `node` is the type or schema it was read from, `union` the union that lists it (`node` itself where
 * there is none): together they identify it, however many paths lead there.
 */
export interface Alternative {
  readonly node: object
  readonly union: object
  readonly what: What
}

export type What =
  | { readonly _tag: "Any" }
  | { readonly _tag: "String" }
  | { readonly _tag: "Number" }
  | { readonly _tag: "Boolean" }
  | { readonly _tag: "Null" }
  | { readonly _tag: "Literal"; readonly value: string | number | boolean }
  /** Every string besides those listed next to it and those excepted: how our schemas stay open. */
  | { readonly _tag: "Open"; readonly except: ReadonlySet<string> }
  | { readonly _tag: "Array"; readonly item: () => Shape }
  | { readonly _tag: "Record"; readonly value: () => Shape }
  | Struct
  /** Something that is not JSON, or a type that could not be resolved. Always a finding. */
  | { readonly _tag: "Unreadable"; readonly text: string }

export interface Struct {
  readonly _tag: "Struct"
  readonly name: string | undefined
  readonly fields: ReadonlyMap<string, Field>
}

export interface Field {
  readonly optional: boolean
  readonly shape: () => Shape
}

export type Literal = string | number | boolean

/** An alternative that is known to be a struct. */
export interface StructAlternative extends Alternative {
  readonly what: Struct
}

export const isStruct = (alternative: Alternative): alternative is StructAlternative =>
  alternative.what._tag === "Struct"

/** The literals that a shape is made of, if it is made of nothing else. */
export const literalsOf = (shape: Shape): ReadonlyArray<Literal> | undefined => {
  const values: Array<Literal> = []
  for (const { what } of shape.alternatives) {
    if (what._tag !== "Literal") return undefined
    values.push(what.value)
  }
  return values.length > 0 ? values : undefined
}

/** How an alternative is named in a finding. */
export const describe = (what: What): string => {
  switch (what._tag) {
    case "Literal":
      return JSON.stringify(what.value)
    case "Struct":
      return what.name ?? `{ ${[...what.fields].slice(0, 4).map(describeField).join(", ")} }`
    case "Unreadable":
      return what.text
    case "Open":
      return "any other string"
    default:
      return what._tag.toLowerCase()
  }
}

/** A field that tells a struct from others is shown with its value. */
const describeField = ([name, field]: readonly [string, Field]): string => {
  const literals = literalsOf(field.shape())
  return literals?.length === 1 ? `${name}: ${JSON.stringify(literals[0])}` : name
}

const ids = new WeakMap<object, number>()
let lastId = 0
const idOf = (node: object): number => {
  const known = ids.get(node)
  if (known !== undefined) return known
  ids.set(node, ++lastId)
  return lastId
}

/** Identifies an alternative of a union. */
export const alternativeKey = (alternative: Alternative): string =>
  `${idOf(alternative.union)}|${idOf(alternative.node)}`

/** Identifies a field of a struct. */
export const fieldKey = (struct: Alternative, name: string): string => `${idOf(struct.node)}.${name}`
