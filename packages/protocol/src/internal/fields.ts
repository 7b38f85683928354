import * as Schema from "effect/Schema"

/** A field that may be absent, but is never `undefined` when present: JSON has no `undefined`. */
export const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { exact: true })
