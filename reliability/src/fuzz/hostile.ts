/** JSON that is allowed and that nobody means well with: texts, because some of it no value of JavaScript's can be. */
import type { Random } from "@claude-duplex/benchmarks/random"

/** As deep as the issue asks for, and far deeper than any stack. */
export const depth = 100_000

const nested = (open: string, close: string, inside: string): string =>
  open.repeat(depth) + inside + close.repeat(depth)

/** Made when it is first needed: some are large. New ones go to the end: the corpus knows them by their numbers. */
const texts: ReadonlyArray<() => string> = [
  // Wrong types.
  () => "null",
  () => "0",
  () => "true",
  () => `""`,
  () => `"success"`,
  () => "[]",
  () => "{}",
  () => "[null]",
  () => `{"type":"text"}`,
  // Numbers that no double holds, or not exactly.
  () => "1e400",
  () => "-1e400",
  () => "1e-400",
  () => "-0",
  () => "9".repeat(1_000),
  () => `0.${"1".repeat(1_000)}e-5`,
  // Strings that no UTF-8 holds.
  () => `"\\ud800"`,
  () => `"\\udc00\\ud800x"`,
  () => `"\\u0000\\u2028\\u2029\\ufeff"`,
  // Names that mean something to JavaScript.
  () => `{"__proto__":{"polluted":true}}`,
  () => `{"constructor":{"prototype":{"polluted":true}}}`,
  () => `{"toString":1,"valueOf":null,"hasOwnProperty":false,"then":"x","toJSON":0,"length":-1}`,
  () => `"__proto__"`,
  () => `"constructor"`,
  // The same name twice.
  () => `{"a":1,"a":{"b":2},"type":"x","type":3}`,
  // Large and deep.
  () => `"${"x".repeat(100_000)}"`,
  () => `[${"0,".repeat(30_000)}0]`,
  () => `{${Array.from({ length: 5_000 }, (_, i) => `"k${i}":${i}`).join(",")}}`,
  () => nested("[", "]", ""),
  () => nested(`{"a":`, "}", "1"),
  () => nested(`[{"content":`, "}]", "null")
]

/** How many there are. */
export const count = texts.length

/** One of them. */
export const text = (index: number): string => (texts[index] ?? (() => "null"))()

/** One of them; the small ones more often, or nothing else would be tried in the time that there is. */
export const pick = (random: Random): string => {
  const index = Math.floor(random.next() * texts.length)
  return text(index >= texts.length - 6 && random.next() < 0.8 ? Math.floor(random.next() * (texts.length - 6)) : index)
}

const hole = "\u0001hole"

/** A value with one part of it, anywhere, replaced by a text; as JSON. */
export const planted = (value: unknown, random: Random, planted: string): string =>
  withText(replaceSomewhere(value, random), planted)

/** A value that has {@link hole} in it, as JSON, with a text in that place. */
const withText = (value: unknown, text: string): string =>
  JSON.stringify(value).replace(JSON.stringify(hole), () => text)

const replaceSomewhere = (value: unknown, random: Random): unknown => {
  const keys = typeof value === "object" && value !== null ? Object.keys(value) : []
  if (keys.length === 0 || random.next() < 0.15) return hole
  const key = random.pick(keys)
  return replaceAt(value, key, (inside) => replaceSomewhere(inside, random))
}

/** The value with one of its parts changed. */
export const replaceAt = (value: unknown, key: string, change: (inside: unknown) => unknown): unknown =>
  Array.isArray(value)
    ? value.map((item: unknown, i) => String(i) === key ? change(item) : item)
    : Object.fromEntries(
      Object.entries(value ?? {}).map(([name, inside]) => [name, name === key ? change(inside) : inside])
    )
