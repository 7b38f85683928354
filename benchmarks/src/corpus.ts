/**
 * The lines that every benchmark reads: frames of a real CLI with their texts replaced. Deterministic: the same seed
 * gives the same bytes. Shares and sizes are assumed, not counted: the recordings are of a scripted model and too short.
 *
 * By count about 80% are content deltas of some 350 bytes, 12% messages of the model of 0.5 to 20 KB and 8% results of
 * tools of 1 to 100 KB; by bytes most is tool results. Escapes are everywhere, and four frames in ten have text that is
 * not ASCII: such text takes other paths through `JSON.parse`, and two bytes a character.
 *
 * Deltas come in runs, as a block is written: those of a run differ in their text and their uuid, and in nothing else. A run
 * lasts until something else comes, or until it is as long as a long paragraph.
 */
import type { JsonObject } from "./json.js"
import * as Random from "./random.js"
import { readTemplates, type Templates } from "./recordings.js"

/** A line of the corpus, without its newline. */
export interface Entry {
  readonly kind: keyof Templates
  readonly line: string
}

/** How a corpus is made. */
export interface Options {
  readonly lines: number
  readonly seed?: number | undefined
}

/** Which share of the frames is of a kind, and how large they are in bytes. */
export const mix: {
  readonly [kind in keyof Templates]: { readonly share: number; readonly bytes: readonly [number, number] }
} = {
  delta: { share: 0.8, bytes: [310, 400] },
  assistant: { share: 0.12, bytes: [700, 20_000] },
  toolResult: { share: 0.08, bytes: [1_100, 100_000] }
}

/** Makes a corpus. */
export const make = (options: Options): ReadonlyArray<Entry> => {
  const random = Random.make(options.seed ?? 20_326)
  const recorded = readTemplates()
  const templates: Templates = {
    delta: recorded.delta,
    assistant: recorded.assistant.filter(hasText),
    toolResult: recorded.toolResult.filter(hasText)
  }
  const blocks = runs(templates.delta, random)
  return Array.from({ length: options.lines }, () => {
    const kind = pickKind(random)
    const [low, high] = mix[kind].bytes
    if (kind !== "delta") blocks.end()
    return {
      kind,
      line: fill(kind === "delta" ? blocks.next() : random.pick(templates[kind]), random.logUniform(low, high), random)
    }
  })
}

/** Lines of content deltas alone, without anything between. */
export const deltas = (options: Options): ReadonlyArray<string> => {
  const random = Random.make(options.seed ?? 20_326)
  const blocks = runs(readTemplates().delta, random)
  const [low, high] = mix.delta.bytes
  return Array.from({ length: options.lines }, () => fill(blocks.next(), random.logUniform(low, high), random))
}

/** The deltas of a block that is not ended by anything else. */
const longestRun = 400

/** The templates of deltas: the same one for as long as a block lasts. */
const runs = (templates: Templates["delta"], random: Random.Random) => {
  let left = 0
  let template = random.pick(templates)
  return {
    next: (): JsonObject => {
      if (left-- <= 0) {
        left = longestRun
        template = random.pick(templates)
      }
      return template
    },
    end: (): void => {
      left = 0
    }
  }
}

/** The lines alone. */
export const lines = (options: Options): ReadonlyArray<string> => make(options).map((entry) => entry.line)

/** The lines as a process would write them. */
export const bytes = (options: Options): Buffer => Buffer.from(lines(options).map((line) => `${line}\n`).join(""))

/** Bytes as a pipe hands them over: 64 KiB at a time, cut wherever it happens to be. */
export const chunksOf = (whole: Buffer, size = 64 * 1024): ReadonlyArray<Buffer> =>
  Array.from({ length: Math.ceil(whole.length / size) }, (_, index) => whole.subarray(index * size, (index + 1) * size))

const pickKind = (random: Random.Random): keyof Templates => {
  const at = random.next()
  if (at < mix.delta.share) return "delta"
  return at < mix.delta.share + mix.assistant.share ? "assistant" : "toolResult"
}

/** Keys whose strings are what somebody wrote: they grow to give a frame its size. The other fields stay as recorded. */
const textKeys: ReadonlySet<string> = new Set(["text", "thinking", "command", "stdout", "content", "tool_use_result"])

const isText = (key: string, value: unknown): value is string => typeof value === "string" && textKeys.has(key)

const hasText = (template: JsonObject): boolean => {
  let found = false
  JSON.stringify(template, (key, value: unknown) => {
    found ||= isText(key, value)
    return value
  })
  return found
}

/** The template as a line of at most `size` bytes, with a text that fills it. */
const fill = (template: JsonObject, size: number, random: Random.Random): string => {
  let slots = 0
  const empty = JSON.stringify(template, (key, value: unknown) => {
    if (!isText(key, value)) return value
    slots++
    return ""
  })
  const text = write((size - Buffer.byteLength(empty)) / slots, random)
  return JSON.stringify(template, (key, value: unknown) => {
    if (key === "uuid") return random.uuid()
    return isText(key, value) ? text : value
  })
}

/** Text that takes up to `size` bytes of JSON. */
const write = (size: number, random: Random.Random): string => {
  const phrases = random.next() < 0.4 ? international : plain
  const parts: Array<string> = []
  let left = size
  for (;;) {
    const phrase = random.pick(phrases)
    left -= phrase.cost
    if (left < 0) return parts.join("")
    parts.push(phrase.text)
  }
}

interface Phrase {
  readonly text: string
  /** Bytes of JSON: an escape takes two. */
  readonly cost: number
}

const phrase = (text: string): Phrase => ({ text, cost: Buffer.byteLength(JSON.stringify(text)) - 2 })

const plain: ReadonlyArray<Phrase> = [
  "the test ",
  "of the module ",
  "which reads ",
  "one line, ",
  "and then ",
  "returns it. ",
  "We should ",
  "check that ",
  "a value ",
  "in this file ",
  "is \"quoted\" ",
  "\n",
  "\n\n- ",
  "const x = \"",
  "if (done) {\n",
  "\treturn\n",
  "C:\\src\\",
  "src/index.ts:42 ",
  "// see ",
  "0.25, "
].map(phrase)

const international: ReadonlyArray<Phrase> = [
  ...plain,
  ...["für die Größe ", "café – naïve ", "“quoted” ", "→ ✓ ", "日本語の文 ", "для строки ", "🎉 "].map(phrase)
]
