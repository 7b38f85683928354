/**
 * `pnpm pack:check`: packs every package as it would be published, looks at what is in it, has `publint` and
 * `@arethetypeswrong/cli` look at it, and then installs it with npm into empty projects, which use it in the three ways that
 * there are: codec only, tests, and a full session. Says what fails, and goes on.
 */
import { spawnSync, type SpawnSyncOptions } from "node:child_process"
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { publint } from "publint"
import { formatMessage } from "publint/utils"
import { complaints, modulesOf, type Tarball, unpack } from "./Tarball.js"

const root = fileURLToPath(new URL("../..", import.meta.url))
const here = fileURLToPath(new URL("..", import.meta.url))
const work = mkdtempSync(join(tmpdir(), "claude-duplex-packaging-"))

/** Runs a program; what it said, if it failed. */
const run = (command: string, args: ReadonlyArray<string>, options: SpawnSyncOptions = {}): ReadonlyArray<string> => {
  const { error, status, stderr, stdout } = spawnSync(command, args, { cwd: root, ...options, encoding: "utf8" })
  return status === 0 ? [] : [error?.message ?? `${stdout}\n${stderr}`.trim()]
}

let passed = 0
let failed = 0
const check = async (name: string, find: () => ReadonlyArray<string> | Promise<ReadonlyArray<string>>) => {
  const began = performance.now()
  const found = await find()
  const seconds = ((performance.now() - began) / 1_000).toFixed(1)
  if (found.length === 0) {
    passed++
    console.log(`✓ ${name} (${seconds} s)`)
  } else {
    failed++
    console.log(`✗ ${name} (${seconds} s)\n${found.map((line) => `    ${line.replaceAll("\n", "\n    ")}`).join("\n")}`)
  }
}

// ---- pack ----

/** The pnpm that runs this script, or else the one that the workspace names. */
const pnpm = (...args: ReadonlyArray<string>): ReadonlyArray<string> => {
  const running = process.env["npm_execpath"] ?? ""
  if (/pnpm\.[cm]?js$/.test(running)) return run(process.execPath, [running, ...args])
  // The workspace's own.
  const { packageManager } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { packageManager: string }
  return run("npm", ["exec", "--yes", `--package=${packageManager}`, "--", "pnpm", ...args])
}

await check("pnpm packs every package", () => pnpm("--filter=./packages/*", "pack", "--pack-destination", work))
const tarballs = readdirSync(work).filter((file) => file.endsWith(".tgz")).map((file) => unpack(join(work, file)))
await check("and has left none out", () => {
  const expected = readdirSync(join(root, "packages"))
  return tarballs.length === expected.length ? [] : [`${tarballs.length} tarballs, ${expected.length} packages`]
})

// ---- look ----

for (const tarball of tarballs) {
  await check(`${tarball.name}: what is in it`, () => complaints(tarball))
  await check(`${tarball.name}: publint`, async () => {
    const { messages, pkg } = await publint({ pkgDir: tarball.folder, pack: false, level: "suggestion", strict: true })
    return messages.map((message) => formatMessage(message, pkg, { color: false }) ?? message.code)
  })
  // An executable alone has no types.
  if (modulesOf(tarball).length === 0) continue
  await check(`${tarball.name}: are the types wrong?`, () =>
    run(join(here, "node_modules/.bin/attw"), [
      tarball.file,
      // There is no CommonJS here; and a pattern is not checked unless its modules are named.
      "--profile=esm-only",
      "--no-emoji",
      "--no-color",
      "--format=ascii",
      "--entrypoints",
      ...modulesOf(tarball)
    ]))
}

// ---- use ----

/** Installs packages in an empty project with npm, and compiles and runs programs there. */
const use = async (title: string, packages: ReadonlyArray<string>, programs: ReadonlyArray<string>) => {
  const project = join(work, title.replaceAll(" ", "-"))
  mkdirSync(project)
  writeFileSync(join(project, "package.json"), JSON.stringify({ name: "empty", private: true, type: "module" }))
  copyFileSync(join(root, "recordings/2.1.326/plain.jsonl"), join(project, "plain.jsonl"))
  for (const program of programs) copyFileSync(join(here, `uses/${program}.ts`), join(project, `${program}.ts`))
  const files = packages.map((name) => tarballOf(`@claude-duplex/${name}`).file)
  await check(
    `${title}: npm installs ${packages.join(", ")}`,
    () =>
      run("npm", ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", ...files, effect], {
        cwd: project
      })
  )
  writeFileSync(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["*.ts"] }))
  await check(
    `${title}: TypeScript reads the types, every one of them`,
    () => run(join(here, "node_modules/typescript-5/bin/tsc"), ["--project", project])
  )
  for (const program of programs) {
    await check(`${title}: ${program} runs`, () => run(process.execPath, [`${program}.js`], { cwd: project }))
  }
}

/** A strict project, which looks into the types of its libraries too. */
const compilerOptions = {
  target: "ES2022",
  lib: ["ES2022", "DOM", "DOM.Iterable"],
  module: "NodeNext",
  strict: true,
  exactOptionalPropertyTypes: true,
  skipLibCheck: false,
  typeRoots: [join(root, "node_modules/@types")],
  types: ["node"]
}

const tarballOf = (name: string): Tarball => {
  const found = tarballs.find((tarball) => tarball.name === name)
  if (found === undefined) throw new Error(`${name} was not packed`)
  return found
}

/** The Effect that this was built with. */
const effect = (() => {
  const { devDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    readonly devDependencies: { readonly effect: string }
  }
  return `effect@${devDependencies.effect}`
})()

await use("codec only", ["protocol"], ["codecOnly"])
await use("tests and sessions", ["protocol", "transport-mock", "transport-node", "mcp", "session"], [
  "replay",
  "fullSession"
])
await use("the tool", tarballs.map(({ name }) => name.slice("@claude-duplex/".length)), ["tool"])

rmSync(work, { recursive: true })
console.log(`\nPackaging: ${passed} passed, ${failed} failed`)
if (failed > 0) process.exitCode = 1
