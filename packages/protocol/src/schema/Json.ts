/**
 * Opaque JSON: payloads that the protocol carries and does not look into (tool inputs, settings, JSON schemas).
 *
 * @since 0.1.0
 * @stability stable
 */
import * as Schema from "effect/Schema"

/**
 * Any JSON value.
 *
 * @example
 * ```ts
 * import { JsonValue } from "@claude-duplex/protocol/schema/Json"
 * import { Schema } from "effect"
 *
 * Schema.is(JsonValue)({ command: "ls" }) // true
 * ```
 */
export const JsonValue = Schema.Unknown.annotations({
  identifier: "JsonValue",
  arbitrary: () => (fc) => fc.jsonValue({ maxDepth: 2 })
})
export type JsonValue = typeof JsonValue.Type

/** Any JSON number: a finite one, which is all that JSON can write. */
export const JsonNumber = Schema.Number.annotations({
  identifier: "JsonNumber",
  // JSON writes -0 as 0, and what is generated here is meant to survive the wire.
  arbitrary: () => (fc) => fc.double({ noNaN: true, noDefaultInfinity: true }).map((n) => n === 0 ? 0 : n)
})
export type JsonNumber = typeof JsonNumber.Type

/** Any JSON object. */
export const JsonObject = Schema.Record({ key: Schema.String, value: JsonValue }).annotations({
  identifier: "JsonObject"
})
export type JsonObject = typeof JsonObject.Type
