/** One package as it would be published: what is in its tarball, and whether that is what should be. */
import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs"
import { basename, dirname, join, normalize } from "node:path"

/** A tarball that was unpacked. */
export interface Tarball {
  readonly name: string
  /** The file itself. */
  readonly file: string
  /** Where it was unpacked. */
  readonly folder: string
  /** What is in it. */
  readonly files: ReadonlyArray<string>
  readonly manifest: Manifest
}

/** What matters of a `package.json`. */
export interface Manifest {
  readonly name: string
  readonly description?: string
  readonly license?: string
  readonly type?: string
  readonly files?: ReadonlyArray<string>
  readonly engines?: { readonly node?: string }
  readonly scripts?: Readonly<Record<string, string>>
  readonly bin?: Readonly<Record<string, string>>
  readonly exports?: Readonly<Record<string, unknown>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
}

/** Unpacks a tarball beside itself. */
export const unpack = (file: string): Tarball => {
  const folder = file.replace(/\.tgz$/, "")
  mkdirSync(folder)
  const { status, stderr } = spawnSync("tar", ["-xzf", file, "-C", folder, "--strip-components=1"], {
    encoding: "utf8"
  })
  if (status !== 0) throw new Error(`${basename(file)} could not be unpacked: ${stderr}`)
  // npm's own format.
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
  return { name: manifest.name, file, folder, files, manifest }
}

/** Modules that can be imported, as paths below the name of the package. */
export const modulesOf = ({ files, manifest }: Tarball): ReadonlyArray<string> =>
  files
    .flatMap((file) => /^dist\/(.+)\.js$/.exec(file)?.[1] ?? [])
    .filter((module) => isExported(manifest.exports ?? {}, module))

/** Whether a module is exported: by name, or by the longest pattern that fits. */
const isExported = (exports: Readonly<Record<string, unknown>>, module: string): boolean => {
  const pattern = Object.keys(exports)
    .filter((key) => key.endsWith("*") && `./${module}`.startsWith(key.slice(0, -1)))
    .sort((a, b) => b.length - a.length)[0]
  return (exports[`./${module}`] ?? (pattern === undefined ? undefined : exports[pattern]) ?? null) !== null
}

/** Whatever may be in a tarball. */
const allowed = [
  /^(package\.json|README\.md|LICENSE)$/,
  /^bin\/[\w-]+\.mjs$/,
  // Executables in as few files as can be, with the licenses of what they include.
  /^bundle\/([\w-]+\.js|third-party\.txt)$/,
  /^src\/([\w-]+\/)*[\w-]+\.ts$/,
  /^dist\/([\w-]+\/)*[\w-]+\.(js|d\.ts)(\.map)?$/,
  // The page of `ui`, as Vite builds it.
  /^dist-page\/(index\.html|icon\.svg|assets\/[\w-]+\.(js|css))$/
]

/** What is in it that should not be, or is not and should be. */
export const complaints = (tarball: Tarball): ReadonlyArray<string> => [
  ...tarball.files.filter((file) => !allowed.some((pattern) => pattern.test(file))).map((file) => `has ${file}`),
  ...tarball.files.filter((file) => /(^|[/.])(test|spec|tests)[/.]/.test(file)).map((file) => `has a test: ${file}`),
  ...["README.md", "LICENSE"].filter((file) => !tarball.files.includes(file)).map((file) => `has no ${file}`),
  ...(modulesOf(tarball).length === 0 && tarball.manifest.bin === undefined ? ["has no module and no executable"] : []),
  ...(tarball.manifest.bin === undefined || tarball.files.includes("bundle/third-party.txt") ? [] : ["has no bundle"]),
  ...(tarball.name.endsWith("/ui") && !tarball.files.includes("dist-page/index.html") ? ["has no page"] : []),
  ...unbuilt(tarball),
  ...lostSources(tarball),
  ...complaintsOfManifest(tarball.manifest)
]

/** Every source was built, and nothing is there that has no source any more. */
const unbuilt = ({ files }: Tarball): ReadonlyArray<string> => {
  const named = (pattern: RegExp) => new Set(files.flatMap((file) => pattern.exec(file)?.[1] ?? []))
  const sources = named(/^src\/(.+)\.ts$/)
  const built = named(/^dist\/(.+)\.js$/)
  return [
    ...[...sources].filter((name) => !built.has(name)).map((name) => `has src/${name}.ts and not what it is built to`),
    ...[...built].filter((name) => !sources.has(name)).map((name) => `has dist/${name}.js, which has no source`)
  ]
}

/** A map that leads nowhere is of no use: the sources are there for it. */
const lostSources = ({ files, folder }: Tarball): ReadonlyArray<string> =>
  files.filter((file) => file.endsWith(".map")).flatMap((file) => {
    // The compiler's own format.
    const { sources } = JSON.parse(readFileSync(join(folder, file), "utf8")) as {
      readonly sources: ReadonlyArray<string>
    }
    return sources
      .map((source) => normalize(join(dirname(file), source)))
      .filter((source) => !existsSync(join(folder, source)))
      .map((source) => `has ${file}, and not ${source}`)
  })

const complaintsOfManifest = (manifest: Manifest): ReadonlyArray<string> => {
  const wants = {
    "a description": manifest.description !== undefined,
    "the license MIT": manifest.license === "MIT",
    "the type module": manifest.type === "module",
    "an allow list of files": (manifest.files ?? []).length > 0,
    "the Node that it needs": manifest.engines?.node !== undefined,
    "types before code in its exports": Object.entries(manifest.exports ?? {})
      .every(([path, entry]) => path === "./package.json" || entry === null || typesFirst(entry)),
    "its internals closed": isClosed(manifest.exports ?? {}),
    "no script that npm would run": Object.keys(manifest.scripts ?? {}).length === 0,
    "effect as a peer": manifest.peerDependencies?.["effect"] !== undefined,
    "only versions that a registry has": Object.values({ ...manifest.dependencies, ...manifest.peerDependencies })
      .every((range) => /^[\^~]?\d+\.\d+\.\d+$/.test(range))
  }
  return Object.entries(wants).flatMap(([want, is]) => is ? [] : [`does not have ${want}`])
}

/** Internals cannot be imported: they are excluded, or no pattern includes them. */
const isClosed = (exports: Readonly<Record<string, unknown>>): boolean =>
  exports["./internal/*"] === null || Object.keys(exports).every((path) => !path.endsWith("*"))

const typesFirst = (entry: unknown): boolean =>
  typeof entry === "object" && entry !== null && Object.keys(entry)[0] === "types"
