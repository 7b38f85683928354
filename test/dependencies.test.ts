/** What is taken from a registry: each named with its reason in `docs/dependencies.md`, pinned, and not allowed to run. */
import { assert, describe, it } from "@effect/vitest"
import { existsSync, readdirSync, readFileSync } from "node:fs"

const root = new URL("..", import.meta.url)
const read = (path: string) => readFileSync(new URL(path, root), "utf8")
const workspace = read("pnpm-workspace.yaml")

interface Manifest {
  readonly name: string
  readonly private?: boolean
  readonly files?: ReadonlyArray<string>
  readonly engines?: { readonly node?: string }
  readonly scripts?: Readonly<Record<string, string>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>
}

// ---- what is there ----

/** Folders of the workspace, as `pnpm-workspace.yaml` lists them. */
const folders = (/^packages:\n((?: {2}- .+\n)+)/m.exec(workspace)?.[1] ?? "").trim().split("\n")
  .map((line) => line.replace(/^\s*- "?|"?$/g, ""))
  .flatMap((folder) =>
    folder.endsWith("/*")
      ? readdirSync(new URL(folder.slice(0, -1), root)).map((name) => `${folder.slice(0, -1)}${name}`)
      : [folder]
  )
  .filter((folder) => existsSync(new URL(`${folder}/package.json`, root)))

/** By what documents call them: the name of the folder. */
const manifests = new Map(
  ["", ...folders].map((folder): [string, Manifest] => [
    folder === "" ? "root" : folder.split("/").at(-1) ?? folder,
    // npm's own format.
    JSON.parse(read(folder === "" ? "package.json" : `${folder}/package.json`)) as Manifest
  ])
)

const published = [...manifests].filter(([, { private: isPrivate }]) => isPrivate !== true)

/** Dependencies of ours by name, each with who uses it. */
const collect = (pick: (manifest: Manifest) => ReadonlyArray<string>): Map<string, ReadonlyArray<string>> => {
  const users = new Map<string, ReadonlyArray<string>>()
  for (const [user, manifest] of manifests) {
    for (const name of new Set(pick(manifest))) {
      if (!name.startsWith("@claude-duplex/")) users.set(name, [...users.get(name) ?? [], user])
    }
  }
  return users
}

const names = (group: Readonly<Record<string, string>> | undefined) => Object.keys(group ?? {})

const shipped = collect((manifest) =>
  manifest.private === true
    ? []
    : [...names(manifest.dependencies), ...names(manifest.optionalDependencies), ...names(manifest.peerDependencies)]
)
const kept = collect((manifest) => [
  ...names(manifest.devDependencies),
  ...(manifest.private === true ? [...names(manifest.dependencies), ...names(manifest.optionalDependencies)] : [])
])

/** What a published package is in for: a dependency of its own, or one that the user brings. */
const kindsOf = (name: string): ReadonlyArray<string> => [
  ...new Set(published.flatMap(([, manifest]) => [
    ...(manifest.dependencies?.[name] === undefined ? [] : ["dependency"]),
    ...(manifest.peerDependencies?.[name] === undefined
      ? []
      : [manifest.peerDependenciesMeta?.[name]?.optional === true ? "optional peer" : "peer"])
  ]))
]

// ---- what is written ----

/** The rows of the table under a heading, without its head. */
const tableOf = (heading: string): ReadonlyArray<ReadonlyArray<string>> => {
  const section = read("docs/dependencies.md").split(/^## /m).find((part) => part.startsWith(heading)) ?? ""
  const lines = section.split("\n").filter((line) => line.startsWith("|"))
  return lines.slice(2).map((line) => line.split("|").slice(1, -1).map((cell) => cell.trim()))
}

const listed = (cell: string) => cell.split(",").map((name) => name.trim()).sort()

/** A table as what it says, to be compared with what is there. */
const written = (rows: ReadonlyArray<ReadonlyArray<string>>) =>
  rows.map(([name = "", of = ""]) => [plain(name), listed(of)])
const there = (users: ReadonlyMap<string, ReadonlyArray<string>>) =>
  [...users].map(([name, of]) => [name, [...of].sort()])
const plain = (name: string) => name.replaceAll("`", "")
const reasonless = (rows: ReadonlyArray<ReadonlyArray<string>>) => rows.filter((row) => (row.at(-1) ?? "") === "")

describe("docs/dependencies.md", () => {
  it("has every dependency that comes with our packages, and no other", () => {
    const rows = tableOf("What comes with our packages")
    assert.sameDeepMembers(written(rows), there(shipped))
    assert.deepStrictEqual(reasonless(rows), [])
    for (const [name = "", , as = ""] of rows) assert.deepStrictEqual(kindsOf(plain(name)), as.split(", "), name)
  })

  it("has every dependency of the repository, and no other", () => {
    const rows = tableOf("What the repository needs")
    assert.sameDeepMembers(written(rows), there(kept))
    assert.deepStrictEqual(reasonless(rows), [])
  })
})

describe("dependencies", () => {
  it("run no code when they are installed", () => {
    assert.match(workspace, /^onlyBuiltDependencies: \[\]$/m)
    assert.notMatch(workspace, /dangerouslyAllowAllBuilds|neverBuiltDependencies/)
    for (const [name, { scripts = {} }] of manifests) {
      const hooks = Object.keys(scripts).filter((script) => /^(pre|post)?(install|prepare|pack|publish)/.test(script))
      assert.deepStrictEqual(hooks.filter((script) => script !== "pack:check"), [], name)
    }
  })

  it("of the repository itself have exact versions", () => {
    for (const [user, manifest] of manifests) {
      const exact = { ...manifest.devDependencies, ...(manifest.private === true ? manifest.dependencies : {}) }
      for (const [name, range] of Object.entries(exact)) {
        assert.match(range, /^(workspace:\*|(npm:typescript@)?\d+\.\d+\.\d+)$/, `${user}: ${name}`)
      }
    }
  })

  it("of what is published are ranges, so that a program that uses several packages installs one version", () => {
    for (const [user, { dependencies, optionalDependencies, peerDependencies }] of published) {
      for (
        const [name, range] of Object.entries({ ...dependencies, ...optionalDependencies, ...peerDependencies })
      ) {
        assert.match(range, /^(workspace:\^|\^\d+\.\d+\.\d+)$/, `${user}: ${name}`)
      }
    }
  })

  it("have no address of a registry in the lockfile", () => {
    assert.notMatch(read("pnpm-lock.yaml"), /https?:\/\//)
    assert.match(workspace, /^lockfileIncludeTarballUrl: false$/m)
  })
})

describe("what is published", () => {
  it("is listed, file by file, and says which Node it needs", () => {
    assert.isAbove(published.length, 4)
    for (const [name, { engines, files, scripts }] of published) {
      assert.includeMembers([...files ?? []], ["dist/**/*.js", "dist/**/*.d.ts", "src"], name)
      assert.strictEqual(engines?.node, manifests.get("root")?.engines?.node, name)
      assert.isUndefined(scripts, name)
    }
  })
})
