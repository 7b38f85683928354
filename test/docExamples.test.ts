/** Every example in a doc comment, and all TypeScript in the docs, compiles, as a user would write it. */
import { assert, it } from "@effect/vitest"
import { readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import ts from "typescript-5"
import { fencesOf, written } from "./support/markdown.js"

const root = fileURLToPath(new URL("..", import.meta.url))

const sources = readdirSync(`${root}packages`).flatMap((name) =>
  readdirSync(`${root}packages/${name}/src`).filter((file) => file.endsWith(".ts")).map((file) =>
    `packages/${name}/src/${file}`
  )
)

/** In a package that may import all of ours; or in the one that has the official SDK. */
const fileOf = (source: string, i: number, code: string) =>
  `${root}${code.includes("@anthropic-ai/") ? "drift" : "examples"}/src/${source.replaceAll(/[^\w]/g, "_")}_${i}.ts`

/** Examples by the name of a file that each would be. */
const examples = new Map([
  ...sources.flatMap((source) =>
    Array.from(
      readFileSync(`${root}${source}`, "utf8").matchAll(/@example\n \* ```ts\n((?: \*.*\n)*?) \* ```/g),
      ([, code = ""], i): [string, string] => [
        fileOf(source, i, ""),
        `${code.replaceAll(/^ \* ?/gm, "")}\nexport {}\n`
      ]
    )
  ),
  // Code that is a file has been compiled with it.
  ...written.flatMap((page) =>
    fencesOf(page).flatMap(({ code, language, source }, i): ReadonlyArray<[string, string]> =>
      language === "ts" && source === "" ? [[fileOf(page.path, i, code), `${code}\nexport {}\n`]] : []
    )
  )
])

it("examples in doc comments compile", () => {
  assert.isAbove(examples.size, 100)
  const { config } = ts.readConfigFile(`${root}tsconfig.base.json`, ts.sys.readFile)
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, root)
  const settings: ts.CompilerOptions = {
    ...options,
    lib: ["lib.es2022.d.ts", "lib.dom.d.ts"],
    types: ["node"],
    typeRoots: [`${root}node_modules/@types`],
    noEmit: true,
    composite: false,
    incremental: false,
    declaration: false,
    declarationMap: false,
    // An example shows how something is made; what is done with it is not its subject.
    noUnusedLocals: false
  }
  const files = ts.createCompilerHost(settings)
  const host: ts.CompilerHost = {
    ...files,
    fileExists: (file) => examples.has(file) || files.fileExists(file),
    readFile: (file) => examples.get(file) ?? files.readFile(file),
    getSourceFile: (file, target) => {
      const code = examples.get(file)
      return code === undefined ? files.getSourceFile(file, target) : ts.createSourceFile(file, code, target, true)
    }
  }
  const program = ts.createProgram([...examples.keys()], settings, host)
  const problems = ts.getPreEmitDiagnostics(program).map((problem) =>
    `${problem.file?.fileName.split("/").at(-1) ?? ""}: ${ts.flattenDiagnosticMessageText(problem.messageText, "\n")}`
  )
  assert.deepStrictEqual(problems, [])
})
