/**
 * JSON Schemas of tools, as the CLI takes them. Tried on 2.1.326: an input schema that does not say at its root that it is an
 * object costs the server all of its tools, and one with a union there costs that tool, both without a word. So such a tool
 * is refused here, aloud.
 */
import type { JsonObject } from "@claude-duplex/protocol/schema/Json"
import * as JSONSchema from "effect/JSONSchema"
import type * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import { isObject } from "./jsonRpc.js"

/** The schema of what is on the wire: the encoded side. Throws if there is none, or none that would be taken. */
export const objectSchema = (what: string, { ast }: Pick<Schema.Schema.All, "ast">): JsonObject => {
  const encoded = SchemaAST.encodedAST(ast)
  // `{}` is anything but null to Effect; as a tool's input it means that there is none. So do records of nothing.
  if (
    SchemaAST.isTypeLiteral(encoded) && encoded.propertySignatures.length === 0 &&
    encoded.indexSignatures.every(({ type }) => SchemaAST.isNeverKeyword(type))
  ) {
    return { type: "object", properties: {}, additionalProperties: false }
  }
  const $defs: { [name: string]: JSONSchema.JsonSchema7 } = {}
  const root = withoutIds(JSONSchema.fromAST(ast, {
    definitions: $defs,
    // The API reads 2020-12, where tuples are written differently.
    target: "jsonSchema2020-12",
    // A name at the root would give a mere reference.
    topLevelReferenceStrategy: "skip"
  }))
  if (!isObject(root) || root["type"] !== "object" || ["anyOf", "oneOf", "allOf"].some((union) => union in root)) {
    throw new Error(`${what} must be an object, and no union: the CLI would not take it`)
  }
  return Object.keys($defs).length === 0 ? root : { ...root, $defs: withoutIds($defs) }
}

/** Effect gives `unknown` and its like an `$id`; the same one twice is not a valid schema. */
const withoutIds = (schema: object): unknown =>
  JSON.parse(
    JSON.stringify(schema),
    (key, value: unknown) =>
      key === "$id" && typeof value === "string" && value.startsWith("/schemas/") ? undefined : value
  )
