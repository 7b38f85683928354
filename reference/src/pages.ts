/**
 * The pages of `docs/api/`: one for each public module, and an index. Pure but for reading the sources.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import type { Declaration, Module } from "./declarations.js"
import { read } from "./declarations.js"

/** Where the pages are, below the root of the repository. */
export const folder = "docs/api/"

const made = "<!-- Made from the doc comments by `pnpm docs:api`; do not edit. -->"

interface Package {
  readonly folder: string
  readonly name: string
  readonly description: string
  readonly modules: ReadonlyArray<readonly [name: string, module: Module]>
}

/** The text of each page, by its path below {@link folder}. */
export const pages = (root: URL): ReadonlyMap<string, string> => {
  const packages = readdirSync(new URL("packages/", root)).sort().flatMap((name) => packageAt(root, name))
  return new Map([
    ["README.md", index(packages)],
    ...packages.flatMap((owner) =>
      owner.modules.map(([name, module]): [string, string] => [
        `${owner.folder}/${name}.md`,
        page(owner, name, module)
      ])
    )
  ])
}

/** A package with the modules that its `exports` name. A package that exports none has no pages. */
const packageAt = (root: URL, folder: string): ReadonlyArray<Package> => {
  const manifest = new URL(`packages/${folder}/package.json`, root)
  if (!existsSync(manifest)) return []
  const { description, exports, name }: Manifest = JSON.parse(readFileSync(manifest, "utf8"))
  const names = readdirSync(new URL(`packages/${folder}/src/`, root), { recursive: true, encoding: "utf8" })
    .flatMap((file) => file.endsWith(".ts") ? [file.slice(0, -3).replaceAll("\\", "/")] : [])
    .filter((module) =>
      exports?.[`./${module}`] !== undefined || (exports?.["./*"] !== undefined && !module.includes("/"))
    )
    .sort()
  return names.length === 0 ? [] : [{
    folder,
    name,
    description: description ?? "",
    modules: names.map((module) => {
      const file = new URL(`packages/${folder}/src/${module}.ts`, root)
      const source = (url: URL) => existsSync(url) ? readFileSync(url, "utf8") : ""
      return [
        module,
        read(source(file), (specifier) => source(new URL(specifier.replace(/\.js$/, ".ts"), file)))
      ] as const
    })
  }]
}

interface Manifest {
  readonly name: string
  readonly description?: string
  readonly exports?: { readonly [path: string]: unknown }
}

const index = (packages: ReadonlyArray<Package>): string =>
  paragraphs(
    "# API reference",
    made,
    "Every public module, by package. There are no barrels: import the module of the thing that you need.",
    ...packages.flatMap(({ description, folder, modules, name }) => [
      `## \`${name}\``,
      description,
      table(
        ["module", "what it owns"],
        modules.map(([module, { header }]) => [`[\`${module}\`](${folder}/${module}.md)`, linked(summary(header), [])])
      )
    ])
  )

const page = (owner: Package, path: string, { declarations, header, since, stability }: Module): string => {
  const name = path.split("/").at(-1) ?? path
  // From the page to the folder of all pages.
  const up = "../".repeat(path.split("/").length)
  const facts = [
    `[Source](${up}../../packages/${owner.folder}/src/${path}.ts)`,
    `[all modules](${up}README.md)`,
    ...(stability === "" ? [] : [`[${stability}](${up}../stability.md)`]),
    ...(since === "" ? [] : [`since ${since}`])
  ]
  return paragraphs(
    `# \`${name}\``,
    made,
    fence(`import * as ${name} from "${owner.name}/${path}"`),
    linked(header, declarations),
    facts.join(" · "),
    table(
      ["export", "", ""],
      declarations.map((declaration) => [
        `[\`${declaration.name}\`](#${anchor(declaration.name)})`,
        declaration.kind,
        linked(summary(declaration.docs), [])
      ])
    ),
    ...declarations.flatMap((declaration) => [
      `## \`${declaration.name}\``,
      linked(declaration.docs, declarations),
      fence(declaration.code),
      declaration.example === "" ? "" : `Example:\n\n${declaration.example}`
    ])
  )
}

// ---- Markdown ----

const paragraphs = (...parts: ReadonlyArray<string>): string => `${parts.filter((part) => part !== "").join("\n\n")}\n`

const fence = (code: string): string => `\`\`\`ts\n${code}\n\`\`\``

const table = (head: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  rows.length === 0 ? "" : [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n")

/** The anchor that GitHub gives a heading which is a name. */
const anchor = (name: string) => name.toLowerCase()

/** The first sentence, on one line and fit for a table. */
const summary = (docs: string): string => {
  const [paragraph = ""] = docs.split("\n\n")
  const text = paragraph.replaceAll(/\s*\n\s*/g, " ")
  const sentence = /^.*?\.(?=\s|$)/.exec(text)?.[0] ?? text
  return sentence.replace(/[.:]$/, "").replaceAll("|", "\\|")
}

/** `{@link name}` as a link where the page has that name, else as code. */
const linked = (docs: string, declarations: ReadonlyArray<Declaration>): string =>
  docs.replaceAll(/\{@link (\w+)\}/g, (_, name: string) =>
    declarations.some((declaration) => declaration.name === name)
      ? `[\`${name}\`](#${anchor(name)})`
      : `\`${name}\``)
