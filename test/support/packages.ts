/** The packages of this repository: what each one exports, and what its sources import. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import ts from "typescript-5"
import { root } from "./markdown.js"

export interface Manifest {
  readonly name: string
  readonly private?: boolean
  readonly exports: Readonly<Record<string, unknown>>
  readonly files?: ReadonlyArray<string>
  readonly engines?: { readonly node?: string }
  readonly bin?: Readonly<Record<string, string>>
  readonly scripts?: Readonly<Record<string, string>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
}

/** The folders of the packages, by name. */
export const packages: ReadonlyArray<string> = readdirSync(new URL("packages/", root))
  .filter((name) => existsSync(new URL(`packages/${name}/package.json`, root)))
  .sort()

export const manifestOf = (name: string): Manifest =>
  // npm's own format.
  JSON.parse(readFileSync(new URL(`packages/${name}/package.json`, root), "utf8")) as Manifest

/** The sources of a package, as paths below its `src`, without extension. */
export const sourcesOf = (name: string): ReadonlyArray<string> =>
  readdirSync(new URL(`packages/${name}/src/`, root), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => file.slice(0, -3).replaceAll("\\", "/"))
    .sort()

/** Whether a package exports a source: by name, or by a pattern that no longer pattern excludes. */
const isExported = (exports: Manifest["exports"], source: string): boolean => {
  if (exports[`./${source}`] !== undefined) return exports[`./${source}`] !== null
  const pattern = Object.keys(exports)
    .filter((key) => key.endsWith("*") && `./${source}`.startsWith(key.slice(0, -1)))
    .sort((a, b) => b.length - a.length)[0]
  return pattern !== undefined && exports[pattern] !== null
}

/** The public modules of a package, as paths below its `src`, without extension. */
export const publicModulesOf = (name: string): ReadonlyArray<string> => {
  const { exports } = manifestOf(name)
  return sourcesOf(name).filter((source) => isExported(exports, source))
}

/** The text of a source. */
export const textOf = (name: string, source: string): string =>
  readFileSync(new URL(`packages/${name}/src/${source}.ts`, root), "utf8")

/** What a source imports, types included. */
export const importsOf = (name: string, source: string): ReadonlyArray<string> =>
  ts.preProcessFile(textOf(name, source)).importedFiles.map(({ fileName }) => fileName)

/** The package that an import is from: `effect`, `@effect/platform`, `node:`. Undefined for a relative import. */
export const packageOf = (specifier: string): string | undefined =>
  specifier.startsWith(".")
    ? undefined
    : specifier.startsWith("node:")
    ? "node:"
    : specifier.split("/").slice(0, specifier.startsWith("@") ? 2 : 1).join("/")
