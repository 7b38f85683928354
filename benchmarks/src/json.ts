/** What is known of a parsed JSON object: the corpus works on frames without their types, which are what is measured. */

/** A JSON object. */
export type JsonObject = { readonly [key: string]: unknown }

/** Whether a value is a JSON object. */
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)
