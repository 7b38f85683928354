/**
 * Openness: the CLI adds enum values and union members every week, and none of them may cost a host the frame they came
 * in. Two shapes cover it:
 *
 * - {@link literal}: a string of which some values are known. Compares and assigns like a string, completes like an enum.
 * - {@link union}: a union told apart by one field, plus a member for the values of that field nobody knows yet. A
 *   `switch` on the field narrows to the known members, and its `default` is the unknown one.
 *
 * Outgoing schemas are closed instead: what we write is checked strictly.
 *
 * @since 0.1.0
 * @stability stable
 */
import * as Schema from "effect/Schema"
import type { AST } from "effect/SchemaAST"

/** Marks the AST of {@link literal}: to validate it is to check for a string. */
export const OpenLiteralId: unique symbol = Symbol.for("@claude-duplex/protocol/Open/Literal")

/** Marks the AST of {@link unrecognized}, and carries the names that it excludes. */
export const UnrecognizedId: unique symbol = Symbol.for("@claude-duplex/protocol/Open/Unrecognized")

/**
 * The type of a discriminating field whose value this version does not know.
 *
 * On the wire it is a string. It is opaque here so that `case "text":` narrows to the text block alone, which a member
 * with `type: string` would prevent; `String(block.type)` gives the text.
 */
export interface Unrecognized {
  readonly [UnrecognizedId]: "Unrecognized"
}

/**
 * A string with some known values.
 *
 * @example
 * ```ts
 * import * as Open from "@claude-duplex/protocol/schema/Open"
 * import { Schema } from "effect"
 *
 * const Level = Open.literal("info", "warning")
 * Schema.is(Level)("notice of next year") // true
 * ```
 */
export const literal = <const L extends readonly [string, ...Array<string>]>(
  ...known: L
): Schema.Schema<L[number] | (string & {})> =>
  // The union's inferred type is `string`, which is right and completes nothing; the wider type names the known values.
  Schema.Union(Schema.Literal(...known), Schema.String).annotations({ [OpenLiteralId]: true }) as Schema.Schema<
    L[number] | (string & {})
  >

/**
 * A string that is none of the known ones.
 *
 * @example
 * ```ts
 * import * as Open from "@claude-duplex/protocol/schema/Open"
 * import { Schema } from "effect"
 *
 * Schema.is(Open.unrecognized(["text"]))("hologram") // true
 * ```
 */
export const unrecognized = (known: ReadonlyArray<string>): Schema.Schema<Unrecognized> => {
  const names = new Set(known)
  const schema = Schema.String.pipe(
    Schema.filter((value) => !names.has(value), {
      identifier: "Unrecognized",
      message: () => "a name that is not known, or a known one with a shape that is not",
      [UnrecognizedId]: names
    })
  )
  // A string at run time; see `Unrecognized` for why the type says less.
  return schema as unknown as Schema.Schema<Unrecognized>
}

/**
 * One of the known values, or a string that is neither known nor excluded (because another union member owns it).
 *
 * @example
 * ```ts
 * import * as Open from "@claude-duplex/protocol/schema/Open"
 * import { Schema } from "effect"
 *
 * const Failure = Open.except(["success"], "error_max_turns")
 * Schema.is(Failure)("error_of_next_year") // true
 * Schema.is(Failure)("success") // false
 * ```
 */
export const except = <const L extends readonly [string, ...Array<string>]>(
  excluded: ReadonlyArray<string>,
  ...known: L
) => Schema.Union(Schema.Literal(...known), unrecognized([...excluded, ...known]))

/** What {@link union} takes: a struct whose discriminating field is a single string literal. */
export interface Member<D extends string> extends Schema.Schema.Any {
  readonly fields: { readonly [K in D]: { readonly ast: AST } }
}

/** The member of an open {@link union} that stands for everything unknown. */
export type UnrecognizedMember<D extends string, F extends Schema.Struct.Fields> =
  & { readonly [K in D]: Unrecognized }
  & Omit<Schema.Struct.Type<F>, D>

/**
 * A union of structs told apart by the field `discriminant`, open for values of it that no member claims.
 *
 * @example
 * ```ts
 * import * as Open from "@claude-duplex/protocol/schema/Open"
 * import { Schema } from "effect"
 *
 * const Text = Schema.Struct({ type: Schema.Literal("text"), text: Schema.String })
 * const Block = Open.union("type", [Text])
 *
 * Schema.is(Block)({ type: "hologram" }) // true: unknown, kept
 * Schema.is(Block)({ type: "text", text: 1 }) // false: known, and not what it should be
 * ```
 */
export const union = <
  const D extends string,
  const M extends readonly [Member<D>, ...Array<Member<D>>],
  F extends Schema.Struct.Fields = {}
>(
  discriminant: D,
  members: M,
  common?: F
): Schema.Schema<Schema.Schema.Type<M[number]> | UnrecognizedMember<D, F>> => {
  const known = members.map((member) => literalOf(member.fields[discriminant].ast))
  const rest = Schema.Struct({ ...common, [discriminant]: unrecognized(known) })
  // `Schema.Union` of a computed list has no precise type of its own; the members' types are what is validated.
  return Schema.Union(...members, rest) as unknown as Schema.Schema<
    Schema.Schema.Type<M[number]> | UnrecognizedMember<D, F>
  >
}

const literalOf = (ast: AST): string => {
  if (ast._tag === "Literal" && typeof ast.literal === "string") return ast.literal
  throw new Error(`An open union's discriminating field must be one string literal, not ${String(ast)}`)
}
