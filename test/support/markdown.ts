/** The Markdown of this repository, as tests look at it: pages, their fences, links and headings. */
import { existsSync, readdirSync, readFileSync } from "node:fs"

export const root = new URL("../..", import.meta.url)

/** A page, by its path below the root. */
export interface Page {
  readonly path: string
  readonly text: string
}

/** A block of code, with the comment that stands before it and says where it comes from. */
export interface Fence {
  readonly language: string
  readonly code: string
  /** What the comment before it says; empty if there is none. */
  readonly source: string
}

const read = (path: string): Page => ({ path, text: readFileSync(new URL(path, root), "utf8") })

const below = (folder: string): ReadonlyArray<string> =>
  readdirSync(new URL(folder, root), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".md"))
    .map((file) => `${folder}${file}`)
    .sort()

/** Pages that are written by hand. */
export const written: ReadonlyArray<Page> = [
  "README.md",
  "CONTRIBUTING.md",
  ...below("docs/").filter((path) => !path.startsWith("docs/api/")),
  "examples/README.md",
  "recordings/README.md",
  ...readdirSync(new URL("packages/", root)).map((name) => `packages/${name}/README.md`)
].filter((path) => existsSync(new URL(path, root))).map(read)

/** All of them, with those that are made. */
export const all: ReadonlyArray<Page> = [...written, ...below("docs/api/").map(read)]

const fence = /(?:^<!-- (.*?) -->\n+)?^```(\w*)\n([^]*?)^```$/gm

export const fencesOf = ({ text }: Page): ReadonlyArray<Fence> =>
  Array.from(text.matchAll(fence), ([, source = "", language = "", code = ""]) => ({ source, language, code }))

const prose = ({ text }: Page): string => text.replaceAll(fence, "").replaceAll(/<!--[^]*?-->/g, "")

/** Targets of links and images that are not addresses, in the text and in lists at the end of it. */
export const linksOf = (page: Page): ReadonlyArray<string> =>
  Array.from(
    prose(page).replaceAll(/`[^`\n]*`/g, "code").matchAll(/\]\(([^)\s]+)\)|^\[[^\]]+\]: (\S+)$/gm),
    ([, inline, listed]) => inline ?? listed ?? ""
  ).filter((target) => !/^[a-z]+:/.test(target))

/** The anchors of a page's headings, as GitHub makes them. */
export const anchorsOf = (page: Page): ReadonlySet<string> => {
  const anchors = new Set<string>()
  for (const [, heading = ""] of prose(page).matchAll(/^#{1,6} (.+)$/gm)) {
    const text = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1").toLowerCase().trim()
    const slug = text.replaceAll(/[^\p{L}\p{N}_\- ]/gu, "").replaceAll(" ", "-")
    let anchor = slug
    for (let n = 1; anchors.has(anchor); n++) anchor = `${slug}-${n}`
    anchors.add(anchor)
  }
  return anchors
}
