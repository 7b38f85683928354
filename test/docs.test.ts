/** What `docs/seeds.md` and `docs/pains.md` say is there: names in the sources, and tests under the titles given. */
import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import ts from "typescript-5"
import { packages, sourcesOf } from "./support/packages.js"

const root = new URL("..", import.meta.url)
const read = (path: string | URL) => readFileSync(new URL(path, root), "utf8")
const parse = (file: string | URL) => ts.createSourceFile("x.ts", read(file), ts.ScriptTarget.Latest, true)
const docs = new URL("docs/", root)

/** Every node under one, itself included. */
const under = (node: ts.Node): ReadonlyArray<ts.Node> => {
  const all: Array<ts.Node> = [node]
  ts.forEachChild(node, (child) => {
    all.push(...under(child))
  })
  return all
}

// ---- names ----

const sources = packages.flatMap((name) =>
  sourcesOf(name).filter((source) => !source.includes("internal/")).map((source) => `packages/${name}/src/${source}.ts`)
)

const isExported = (statement: ts.Statement) =>
  ts.canHaveModifiers(statement) &&
  ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) === true

/** What a module exports, and the members of that. */
const namesOf = (file: string): ReadonlyArray<string> =>
  parse(file).statements.filter(isExported).flatMap(under).flatMap((node) =>
    (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node) || ts.isClassDeclaration(node) ||
        ts.isVariableDeclaration(node) || ts.isPropertySignature(node) || ts.isPropertyAssignment(node)) &&
      node.name !== undefined && ts.isIdentifier(node.name)
      ? [node.name.text]
      : []
  )

/** By the name of the module. A name that two packages have is both. */
const modules = new Map<string, Set<string>>()
for (const file of sources) {
  const name = file.split("/").at(-1)?.replace(".ts", "") ?? ""
  modules.set(name, new Set([...modules.get(name) ?? [], ...namesOf(file)]))
}
const text = sources.map(read).join("\n")

/** A module, a member of one, or else a word that our sources have: a flag, a reason, a field of the wire. */
const exists = (name: string): boolean => {
  const [module = "", ...members] = name.split(".")
  const names = modules.get(module)
  return names === undefined ? text.includes(name) : members.every((member) => names.has(member))
}

// ---- tests ----

/** What titles say beside which pain they are about. */
const plain = (title: string) => title.replace(/^pain \d+: /, "").replaceAll(/ \(pain \d+\)/g, "")

/** Titles of tests and of groups; where a table makes the tests, what stands in it. */
const titlesOf = (file: URL): ReadonlyArray<string> => {
  const nodes = under(parse(file))
  return nodes.flatMap((node) => {
    if (!ts.isCallExpression(node) || !/^(it|describe)\b/.test(node.expression.getText())) return []
    const [title] = node.arguments
    if (title === undefined) return []
    if (ts.isStringLiteral(title) || ts.isTemplateExpression(title)) return [title.getText().slice(1, -1)]
    if (!ts.isIdentifier(title)) return []
    return nodes.flatMap((entry) =>
      ts.isPropertyAssignment(entry) && ts.isIdentifier(entry.name) ? [entry.name.text] : []
    )
  })
}

/** Whether a title is the one named, as it is or with its placeholders filled in. */
const isNamed = (name: string) => (title: string): boolean =>
  new RegExp(
    `^${plain(title).split(/\$\{[^}]*\}/).map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")).join(".+")}$`
  ).test(name)

// ---- the documents ----

/** The rows of all tables, without their heads. */
const rowsOf = (document: string): ReadonlyArray<ReadonlyArray<string>> =>
  document.split("\n").filter((line) => line.startsWith("|")).map((line) =>
    line.split("|").slice(1, -1).map((cell) => cell.trim())
  ).filter((cells, i, rows) => !isRule(cells) && !isRule(rows[i + 1] ?? []))

const isRule = (cells: ReadonlyArray<string>) => cells[0]?.startsWith("--") === true

const spans = (cell: string) => Array.from(cell.matchAll(/`([^`]+)`/g), ([, code = ""]) => code)
const quotes = (cell: string) => Array.from(cell.matchAll(/"([^"]+)"/g), ([, title = ""]) => title)

const seeds = read("docs/seeds.md")
const pains = read("docs/pains.md")

/** Files by the names that a document gives them. */
const linksOf = (document: string) =>
  new Map(
    Array.from(
      document.matchAll(/\[([^\]]+)\](?:\(|: )([^)\s]+)/g),
      ([, name = "", target = ""]): [string, URL] => [name, new URL(target, docs)]
    )
  )

const missingNames = (cells: ReadonlyArray<string>) => cells.flatMap(spans).filter((name) => !exists(name))

describe("docs/seeds.md", () => {
  const rows = rowsOf(seeds)
  const tests = new Set(
    Array.from(
      (/const seeds = \[([^\]]*)\]/.exec(read("packages/session/test/Seeds.test.ts"))?.[1] ?? "").matchAll(/"(\w+)"/g),
      ([, name = ""]) => name
    )
  )
  const isTest = ([there = ""]: ReadonlyArray<string>) => tests.has(spans(there)[0] ?? "")

  it("names only what exists", () => {
    const names = rows.filter((row) => !isTest(row)).map(([, ...cells]) => cells)
    assert.isAbove(names.length, 60)
    assert.deepStrictEqual(missingNames(names.flat()), [])
    assert.isFalse(exists("Session.sendd"))
    assert.isTrue(exists("Conversation.SendOptions.whenBusy"))
  })

  it("has every test of the seed", () => {
    assert.strictEqual(tests.size, 65)
    assert.deepStrictEqual(rows.filter(isTest).flatMap(([there = ""]) => spans(there)).sort(), [...tests].sort())
  })

  it("names tests that exist", () => {
    const here = titlesOf(new URL("packages/session/test/Seeds.test.ts", root))
    const elsewhere = titlesOf(new URL("packages/transport-node/test/CliOptions.test.ts", root))
    for (const [there = "", cell = ""] of rows.filter(isTest)) {
      const [name = ""] = spans(there)
      const cited = quotes(cell)
      if (cited.length === 0) assert.isTrue(here.some((title) => title.split(";")[0] === `seed: ${name}`), name)
      for (const title of cited) assert.isTrue(elsewhere.some(isNamed(title)), title)
    }
  })
})

describe("docs/pains.md", () => {
  const rows = rowsOf(pains)

  it("has all of them", () => {
    assert.deepStrictEqual(rows.map(([number]) => Number(number)), Array.from({ length: 26 }, (_, i) => i + 1))
  })

  it("names only what exists", () => {
    assert.deepStrictEqual(missingNames(rows.map(([, , here = ""]) => here)), [])
  })

  const links = linksOf(pains)

  for (const [number = "", pain = "", , shown = ""] of rows) {
    it(`${number}: ${pain}: is shown by tests that exist, one of which names it`, () => {
      const cited = shown.split("; [").flatMap((part) => {
        const file = links.get(part.replace(/^\[/, "").split("]")[0] ?? "")
        assert.isDefined(file, part)
        const titles = titlesOf(file)
        return quotes(part).map((name) => {
          const title = titles.find(isNamed(name))
          assert.isDefined(title, `${file.pathname}: ${name}`)
          return title
        })
      })
      assert.isTrue(cited.some((title) => new RegExp(`\\bpain ${number}\\b`).test(title)), cited.join("\n"))
    })
  }
})

describe("links", () => {
  for (const document of [seeds, pains]) {
    it(`of ${document.split("\n")[0] ?? ""}`, () => {
      const links = linksOf(document)
      assert.isAbove(links.size, 0)
      for (const [name, target] of links) assert.doesNotThrow(() => readFileSync(target), name)
    })
  }
})
