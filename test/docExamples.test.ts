/** All TypeScript in doc comments and in the docs compiles, without Effect diagnostics. Needs the build, as a user would. */
import { assert, it } from "@effect/vitest"
import { execFile } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { fencesOf, written } from "./support/markdown.js"
import { packages, publicModulesOf } from "./support/packages.js"

const root = fileURLToPath(new URL("..", import.meta.url))

const sources = packages.flatMap((name) => publicModulesOf(name).map((module) => `packages/${name}/src/${module}.ts`))

interface Example {
  /** Where it is shown. */
  readonly source: string
  readonly code: string
}

const examples: ReadonlyArray<Example> = [
  ...sources.flatMap((source) =>
    Array.from(
      readFileSync(`${root}${source}`, "utf8").matchAll(/@example\n \* ```ts\n((?: \*.*\n)*?) \* ```/g),
      ([, code = ""]) => ({ source, code: code.replaceAll(/^ \* ?/gm, "") })
    )
  ),
  // Code that is a file has been compiled with it.
  ...written.flatMap((page) =>
    fencesOf(page).flatMap(({ code, language, source }) =>
      language === "ts" && source === "" ? [{ source: page.path, code }] : []
    )
  )
]

/** The packages whose dependencies an example may use: all of ours, or the official SDK. */
const hostOf = ({ code }: Example) => code.includes("@anthropic-ai/") ? "drift" : "examples"

const compilerOptions = {
  noEmit: true,
  composite: false,
  incremental: false,
  declaration: false,
  declarationMap: false,
  lib: ["ES2022", "DOM"],
  types: ["node"],
  // An example shows how something is made, not what is done with it.
  noUnusedLocals: false
}

/** The compiler's output for the examples that belong to a package, written below it so that its dependencies are found. */
const problemsIn = async (host: string): Promise<string> => {
  const folder = mkdtempSync(`${root}${host}/doc-examples-`)
  try {
    for (const [i, { code, source }] of examples.filter((example) => hostOf(example) === host).entries()) {
      writeFileSync(join(folder, `${source.replaceAll(/[^\w]/g, "_")}_${i}.ts`), `${code}\nexport {}\n`)
    }
    writeFileSync(
      join(folder, "tsconfig.json"),
      JSON.stringify({ extends: `${root}tsconfig.base.json`, compilerOptions, include: ["*.ts"] })
    )
    return await new Promise((resolve) =>
      execFile(
        process.execPath,
        [`${root}scripts/tsc.mjs`, "-p", folder],
        { encoding: "utf8" },
        (_, stdout, stderr) => resolve(stdout + stderr)
      )
    )
  } finally {
    rmSync(folder, { recursive: true })
  }
}

it("examples in doc comments compile", async () => {
  assert.isAbove(examples.length, 100)
  assert.deepStrictEqual(await Promise.all([problemsIn("examples"), problemsIn("drift")]), ["", ""])
})
