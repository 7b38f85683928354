/** Every link between pages leads somewhere: to a file that is there, and to a heading that it has. */
import { assert, describe, it } from "@effect/vitest"
import { existsSync } from "node:fs"
import { all, anchorsOf, linksOf, type Page, root } from "./support/markdown.js"

const anchors = new Map(all.map((page) => [new URL(page.path, root).href, anchorsOf(page)]))

/** What is wrong with a link, if anything is. */
const problem = (page: Page, link: string): string | undefined => {
  const [path = "", anchor] = link.split("#")
  const target = new URL(path, new URL(page.path, root))
  if (!existsSync(target)) return `${page.path}: ${link}: there is no such file`
  const known = anchors.get(target.href)
  if (anchor === undefined || (known === undefined && /^L\d+/.test(anchor))) return undefined
  return known?.has(decodeURIComponent(anchor)) === true ? undefined : `${page.path}: ${link}: there is no such heading`
}

describe("links", () => {
  it("lead somewhere", () => {
    const links = all.flatMap((page) => linksOf(page).map((link) => [page, link] as const))
    assert.isAbove(links.length, 500)
    assert.deepStrictEqual(links.map(([page, link]) => problem(page, link)).filter((found) => found !== undefined), [])
  })

  it("are found, and told if they lead nowhere", () => {
    const page = {
      path: "docs/architecture.md",
      text: "[a](seeds.md#what-we-began-with) `[b](b)` [c](c.md)\n\n```\n[d](d)\n```\n\n[e]: #nowhere\n"
    }
    assert.deepStrictEqual(linksOf(page), ["seeds.md#what-we-began-with", "c.md", "#nowhere"])
    assert.deepStrictEqual(linksOf(page).map((link) => problem(page, link)), [
      undefined,
      "docs/architecture.md: c.md: there is no such file",
      "docs/architecture.md: #nowhere: there is no such heading"
    ])
  })

  it("lead to headings by the anchors that GitHub makes", () => {
    const text = "# `Session.send`: why?\n## A _b_ c-d\n## A _b_ c-d\n```\n# no\n```\n## 2.1.326, and ß\n"
    assert.deepStrictEqual([...anchorsOf({ path: "", text })], [
      "sessionsend-why",
      "a-_b_-c-d",
      "a-_b_-c-d-1",
      "21326-and-ß"
    ])
  })
})
