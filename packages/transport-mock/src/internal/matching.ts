/**
 * Compares JSON values, and says where they differ. Owns the rules of `partial` and `exact`:
 *
 * - partial: the given fields must be there and match, at every depth; other fields are ignored. Arrays have the given
 *   length, and match element by element.
 * - exact: nothing else may be there. The order of keys is of no meaning in either.
 *
 * A field given as `undefined` counts as not given: JSON has none.
 */
import * as Either from "effect/Either"

/** One place where two values differ. Texts, ready to be read. */
export interface Difference {
  readonly path: string
  readonly expected: string
  readonly actual: string
}

export type Mode = "partial" | "exact"

/** Where `actual` is not what `expected` says; nothing if it matches. */
export const differences = (expected: unknown, actual: unknown, mode: Mode): ReadonlyArray<Difference> => {
  const found: Array<Difference> = []
  compare(expected, actual, mode, "", found)
  return found
}

export const matches = (expected: unknown, actual: unknown, mode: Mode = "partial"): boolean =>
  differences(expected, actual, mode).length === 0

/** Whether a line of text is JSON that the pattern fits. */
export const matchesLine = (pattern: unknown, line: string): boolean =>
  Either.match(parse(line), { onLeft: () => false, onRight: (value) => matches(pattern, value) })

/** A value as a person reads it, with long texts (an image, a file) cut. */
export const pretty = (value: unknown, indent = 2): string =>
  JSON.stringify(
    value,
    (_, item: unknown) =>
      typeof item === "string" && item.length > shownCharacters
        ? `${item.slice(0, shownCharacters)}… (${item.length} characters)`
        : item,
    indent
  ) ?? "nothing"

const shownCharacters = 200

const compare = (expected: unknown, actual: unknown, mode: Mode, path: string, found: Array<Difference>): void => {
  if (Array.isArray(expected) && Array.isArray(actual)) {
    for (let i = 0; i < Math.max(expected.length, actual.length); i++) {
      compare(expected[i], actual[i], i < expected.length ? mode : "exact", join(path, String(i)), found)
    }
  } else if (isObject(expected) && isObject(actual)) {
    const keys = mode === "exact" ? new Set([...Object.keys(expected), ...Object.keys(actual)]) : Object.keys(expected)
    for (const key of keys) {
      if (expected[key] === undefined && mode === "partial") continue
      compare(own(expected, key), own(actual, key), mode, join(path, key), found)
    }
  } else if (expected !== actual) {
    found.push({ path: path === "" ? "(the whole frame)" : path, expected: inline(expected), actual: inline(actual) })
  }
}

const inline = (value: unknown): string => value === undefined ? "nothing" : pretty(value, 0)

const join = (path: string, key: string): string => path === "" ? key : `${path}.${key}`

/** Not what an object inherits: a pattern for `constructor` must not match every frame. */
const own = (object: Readonly<Record<string, unknown>>, key: string): unknown =>
  Object.hasOwn(object, key) ? object[key] : undefined

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const parse = (line: string): Either.Either<unknown, unknown> => Either.try((): unknown => JSON.parse(line))
