/**
 * Code in the docs is real: it is a file of `examples/`, a part of one or what one prints (`reference/src/snippets.ts` has
 * the rules; `pnpm docs:snippets` brings a page up to date), or it is a frame that a CLI wrote:
 *
 * `<!-- recordings/2.1.326/plain.jsonl:4 -->` is the one in that line of a recording. `"…"` stands for what was left out: as a
 * member, other members; as an element, more elements; at the end of a text, the rest of it.
 *
 * TypeScript that comes from nowhere compiles (`docExamples.test.ts`), and examples that are shown nowhere still run.
 */
import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { fill, outputOf, partOf } from "../reference/src/snippets.js"
import { output, programs } from "./support/examples.js"
import { type Fence, fencesOf, root, written } from "./support/markdown.js"

const shown = written.flatMap((page) =>
  fencesOf(page).flatMap((fence) => fence.source === "" ? [] : [{ ...fence, path: page.path }])
)

const isExample = ({ source }: Fence) => source.startsWith("examples/")
const isOutput = ({ source }: Fence) => outputOf(source) !== undefined
const isFrame = ({ source }: Fence) => source.startsWith("recordings/")

const ellipsis = "…"

/** Whether what is shown is the real thing, but for what is visibly left out. */
const isExcerpt = (part: unknown, whole: unknown): boolean => {
  if (typeof part === "string" && typeof whole === "string") {
    return part === whole || (part.endsWith(ellipsis) && whole.startsWith(part.slice(0, -1)))
  }
  if (Array.isArray(part) && Array.isArray(whole)) {
    const isCut = part.at(-1) === ellipsis
    const kept = isCut ? part.slice(0, -1) : part
    return (isCut ? kept.length < whole.length : kept.length === whole.length) &&
      kept.every((element, i) => isExcerpt(element, whole[i]))
  }
  if (isObject(part) && isObject(whole)) {
    const { [ellipsis]: cut, ...kept } = part
    const names = Object.keys(kept)
    const there = Object.keys(whole)
    return (cut === undefined ? names.length === there.length : names.length < there.length) &&
      // In the order of the wire, too.
      names.join() === there.filter((name) => names.includes(name)).join() &&
      names.every((name) => isExcerpt(kept[name], whole[name]))
  }
  return part === whole
}

const isObject = (value: unknown): value is { readonly [name: string]: unknown } =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The frame in a line of a recording, counted from 1. */
const frameAt = (source: string): unknown => {
  const [file = "", line] = source.split(":")
  const entry = readFileSync(new URL(file, root), "utf8").split("\n")[Number(line) - 1]
  return JSON.parse(JSON.parse(entry ?? "").line)
}

describe("the docs show", () => {
  it("examples", () => assert.isAbove(shown.length, 30))

  for (const { code, path, source } of shown.filter(isExample)) {
    it(`${source} as it is (${path})`, () => assert.strictEqual(code, partOf(root, source)))
  }

  for (const { code, path, source } of shown.filter(isOutput)) {
    it(`the ${source} as it is (${path})`, async () => assert.strictEqual(code, await output(outputOf(source) ?? "")))
  }

  for (const { code, path, source } of shown.filter(isFrame)) {
    it(`${source} as it was recorded (${path})`, () =>
      assert.isTrue(isExcerpt(JSON.parse(code), frameAt(source)), JSON.stringify(frameAt(source))))
  }

  it("nothing of another source", () => {
    const others = shown.filter((fence) => !isExample(fence) && !isOutput(fence) && !isFrame(fence))
    assert.deepStrictEqual(others.map(({ path, source }) => `${path}: ${source}`), [])
  })

  it("excerpts, and nothing that was not said", () => {
    const whole = { a: 1, b: { c: "hello" }, d: [1, 2] }
    const excerpts = [
      whole,
      { a: 1, "…": "…" },
      { a: 1, b: { c: "he…" }, d: [1, "…"] },
      { b: { c: "hello" }, d: ["…"], "…": "…" }
    ]
    const lies = [
      { a: 1 },
      { ...whole, "…": "…" },
      { a: 2, "…": "…" },
      { e: 1, "…": "…" },
      { d: [1, 2], a: 1, "…": "…" },
      { d: [1], "…": "…" },
      { b: { c: "hullo…" }, "…": "…" }
    ]
    for (const part of excerpts) assert.isTrue(isExcerpt(part, whole), JSON.stringify(part))
    for (const part of lies) assert.isFalse(isExcerpt(part, whole), JSON.stringify(part))
  })
})

describe("a page", () => {
  it("is brought up to date, but for frames, which are the writer's to choose", () => {
    const page = [
      "<!-- examples/test/tcpTransport.test.ts#suite -->\n\n```ts\nold\n```",
      "<!-- output of hello -->\n\n```\nold\n```",
      "<!-- recordings/2.1.326/plain.jsonl:1 -->\n\n```json\n{ \"…\": \"…\" }\n```",
      "```ts\nmine\n```\n"
    ]
    const [example = "", printed = "", ...rest] = fill(page.join("\n\n"), root, (name) => `${name}!\n`).split(
      /\n\n(?=<!--|```ts\nmine)/
    )
    assert.match(example, /```ts\nTransportSuiteVitest\.run\({\n[^]+\n}\)\n```$/)
    assert.strictEqual(printed, "<!-- output of hello -->\n\n```\nhello!\n```")
    assert.deepStrictEqual(rest, page.slice(2))
  })
})

describe.concurrent("examples", () => {
  for (const program of programs) {
    it(`${program} runs`, async () => assert.isAbove((await output(program)).length, 0))
  }
})
