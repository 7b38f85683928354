/** `docs/errors.md` has every error of the libraries, every reason of each, and no other. */
import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import ts from "typescript-5"
import { root } from "./support/markdown.js"
import { packages, publicModulesOf, textOf } from "./support/packages.js"

/** The page is about the libraries; errors of the programs are in their own pages. */
const libraries = packages.filter((name) => name !== "cli" && name !== "ui")

const sources = libraries.flatMap((name) => publicModulesOf(name).map((module) => textOf(name, module)))

const texts = (node: ts.Node): ReadonlyArray<string> =>
  ts.isCallExpression(node) && node.expression.getText() === "Schema.Literal"
    ? node.arguments.filter(ts.isStringLiteral).map(({ text }) => text)
    : []

/**
 * Errors by their tags, each with its reasons: of `class X extends Schema.TaggedError<X>(id)("Tag", { reason: … })`, or
 * of `class X extends Data.TaggedError("Tag")`.
 */
const errors = new Map(sources.flatMap((source) => {
  const file = ts.createSourceFile("x.ts", source, ts.ScriptTarget.Latest, true)
  const constants = new Map(
    file.statements.filter(ts.isVariableStatement).flatMap(({ declarationList }) =>
      declarationList.declarations.map(({ initializer, name }) => [name.getText(), initializer] as const)
    )
  )
  return file.statements.filter(ts.isClassDeclaration).flatMap(
    (node): ReadonlyArray<[string, ReadonlyArray<string>]> => {
      const base = node.heritageClauses?.[0]?.types[0]?.expression
      if (base === undefined || !ts.isCallExpression(base)) return []
      const [tag, fields] = base.arguments
      // An error without a schema has no reasons.
      if (base.getText().startsWith("Data.TaggedError") && tag !== undefined && ts.isStringLiteral(tag)) {
        return [[tag.text, []]]
      }
      if (!base.getText().startsWith("Schema.TaggedError")) return []
      if (
        tag === undefined || !ts.isStringLiteral(tag) || fields === undefined || !ts.isObjectLiteralExpression(fields)
      ) return []
      const reason = fields.properties.filter(ts.isPropertyAssignment).find(({ name }) => name.getText() === "reason")
      const value = reason === undefined ? undefined : constants.get(reason.initializer.getText()) ?? reason.initializer
      return [[tag.text, value === undefined ? [] : texts(value)]]
    }
  )
}))

/** The sections of the page by their headings, each with the first words of its tables' rows. */
const sections = new Map(
  readFileSync(new URL("docs/errors.md", root), "utf8").split(/^## /m).slice(1).map((
    section
  ): [string, ReadonlyArray<string>] => [
    /^`(\w+)`/.exec(section)?.[1] ?? "",
    Array.from(section.matchAll(/^\| `(\w+)`/gm), ([, reason = ""]) => reason)
  ]).filter(([tag]) => tag !== "")
)

describe("docs/errors.md", () => {
  it("has every error", () => {
    assert.isAbove(errors.size, 10)
    assert.deepStrictEqual([...sections.keys()].sort(), [...errors.keys()].sort())
  })

  for (const [tag, reasons] of errors) {
    it(`has every reason of ${tag}: ${reasons.join(", ")}`, () =>
      assert.deepStrictEqual([...sections.get(tag) ?? []].sort(), [...reasons].sort()))
  }
})
