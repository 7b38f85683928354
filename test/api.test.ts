/** `docs/api/` says what the doc comments say, and how declarations are shown there. */
import { assert, describe, it } from "@effect/vitest"
import { readdirSync, readFileSync } from "node:fs"
import { read } from "../reference/src/declarations.js"
import { folder, pages } from "../reference/src/pages.js"

const root = new URL("..", import.meta.url)

it("the pages of the API reference are up to date (if not: pnpm docs:api)", () => {
  const made = pages(root)
  const there = readdirSync(new URL(folder, root), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".md"))
  assert.deepStrictEqual(there.sort(), [...made.keys()].sort())
  const old = there.filter((file) => readFileSync(new URL(`${folder}${file}`, root), "utf8") !== made.get(file))
  assert.deepStrictEqual(old, [])
})

describe("a declaration is shown", () => {
  /** Of a module, each name with its kind and code. */
  const shown = (source: string) => read(source).declarations.map(({ code, kind, name }) => [name, kind, code])

  it("with what its comment says, and its example apart", () => {
    const { declarations, header } = read(
      "/**\n * The header.\n */\nimport { x } from \"y\"\n\n" +
        "/**\n * Adds.\n *\n * @example\n * ```ts\n * add(1) // 2\n * ```\n */\n" +
        "export const add = (a: number): number => a + x\n"
    )
    assert.strictEqual(header, "The header.")
    assert.deepStrictEqual(declarations, [{
      name: "add",
      kind: "function",
      docs: "Adds.",
      example: "```ts\nadd(1) // 2\n```",
      code: "const add: (a: number) => number"
    }])
  })

  it("without the tags of the header, which are apart", () => {
    const { header, since, stability } = read(
      "/**\n * The header.\n *\n * @since 0.1.0\n * @stability stable\n */\nexport const a = 1\n"
    )
    assert.deepStrictEqual({ header, since, stability }, {
      header: "The header.",
      since: "0.1.0",
      stability: "stable"
    })
  })

  it("as its type, if it is a function: defaults are optional, patterns are options", () => {
    assert.deepStrictEqual(
      shown("export const make = <R = never>(a: A, { b = 1 }: O<R> = {}, ...c: Array<C>) => (d: D): E => f\n"),
      [["make", "function", "const make: <R = never>(a: A, options?: O<R>, ...c: Array<C>) => (d: D) => E"]]
    )
    const unsaid = "const twice = (a: number) => a * 2"
    assert.deepStrictEqual(shown(`export ${unsaid}\n`), [["twice", "function", unsaid]])
  })

  it("by its overloads, without the implementation", () => {
    assert.deepStrictEqual(
      shown(
        "export function f(a: A): B\nexport function f(a: C): D\nexport function f(a: A | C): B | D {\n  return a\n}\n"
      ),
      [["f", "function", "function f(a: A): B\nfunction f(a: C): D"]]
    )
  })

  it("as a schema with what it is made of, and without its type, which says the same", () => {
    assert.deepStrictEqual(
      shown(
        "const common = { a: Schema.String }\nexport const X = Schema.Struct({\n  ...common,\n  b: Schema.Number\n})\n" +
          "export interface X extends Schema.Schema.Type<typeof X> {}\n"
      ),
      [[
        "X",
        "schema",
        "const common = { a: Schema.String }\n\nconst X = Schema.Struct({\n  ...common,\n  b: Schema.Number\n})"
      ]]
    )
  })

  it("as a class with its methods, without what they do", () => {
    assert.deepStrictEqual(
      shown(
        "export class E extends Base<E>()(\"E\", {\n  a: A\n}) {\n  override get message() {\n    return \"\"\n  }\n" +
          "  /** Makes one. */\n  static of(a: A): E {\n    return new E({ a })\n  }\n}\n"
      ),
      [["E", "class", "class E extends Base<E>()(\"E\", {\n  a: A\n}) {\n  /** Makes one. */\n  static of(a: A): E\n}"]]
    )
  })

  it("as another module has it, if it comes from there", () => {
    const { declarations } = read(
      "export type { X } from \"./internal/x.js\"\n",
      () => "/** An x. */\nexport type X = 1\n"
    )
    assert.deepStrictEqual(declarations, [{ name: "X", kind: "type", docs: "An x.", example: "", code: "type X = 1" }])
  })

  it("not at all, if it is not exported", () => {
    assert.deepStrictEqual(shown("const a = 1\ninterface B {}\n"), [])
  })
})
