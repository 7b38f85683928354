/** What each package may import, and what importing its modules loads. `docs/architecture.md` has the rule. */
import { assert, describe, it } from "@effect/vitest"
import { build } from "esbuild"
import { execFile } from "node:child_process"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { createContext, runInContext } from "node:vm"
import { importsOf, packageOf, packages, publicModulesOf, sourcesOf } from "./support/packages.js"

const root = new URL("..", import.meta.url)

// ---- what docs/architecture.md allows ----

const code = (cell: string) => Array.from(cell.matchAll(/`([^`]+)`/g), ([, name = ""]) => name)

/** The table of packages: what any source of each may import, and what only the named sources may import. */
const table = new Map(
  readFileSync(new URL("docs/architecture.md", root), "utf8").split("\n")
    .filter((line) => line.startsWith("| `packages/"))
    .map((line) => {
      const [, folder = "", , imports = "", exceptions = ""] = line.split("|")
      return [(code(folder)[0] ?? "").replace("packages/", ""), {
        imports: code(imports),
        exceptions: exceptions.split(";").map(code).filter((names) => names.length > 0).map((
          [name = "", ...sources]
        ) => ({ name, sources }))
      }] as const
    })
)

/** A package as the table names it: ours by its folder, others by their name. */
const named = (specifier: string) => packageOf(specifier)?.replace("@claude-duplex/", "")

describe("docs/architecture.md", () => {
  it("has every package", () => {
    assert.deepStrictEqual([...table.keys()].sort(), [...packages])
  })

  it("has each package below those that it imports", () => {
    const order = [...table.keys()]
    for (const [name, { imports }] of table) {
      const later = imports.filter((other) => order.indexOf(other) >= order.indexOf(name))
      assert.deepStrictEqual(later, [], name)
    }
  })

  for (const [name, { exceptions, imports }] of table) {
    it(`names what ${name} imports, and nothing else`, () => {
      const actual = new Map<string, Set<string>>()
      for (const source of sourcesOf(name)) {
        for (const specifier of importsOf(name, source)) {
          const other = named(specifier)
          if (other !== undefined) actual.set(other, new Set([...actual.get(other) ?? [], source]))
        }
      }
      const only = new Map(exceptions.map((exception) => [exception.name, exception.sources]))
      assert.sameMembers([...actual.keys()], [...imports, ...only.keys()])
      for (const [other, sources] of only) assert.sameMembers([...actual.get(other) ?? []], [...sources], other)
    })
  }
})

describe("sources", () => {
  it("import modules of effect and its packages, not all of them at once: that takes two thirds longer", () => {
    const barrels = packages.flatMap((name) =>
      sourcesOf(name).flatMap((source) =>
        importsOf(name, source)
          .filter((specifier) => specifier === "effect" || /^@effect\/[^/]+$/.test(specifier))
          // It has no modules.
          .filter((specifier) => specifier !== "@effect/vitest")
          .map((specifier) => `${name}/${source}: ${specifier}`)
      )
    )
    assert.deepStrictEqual(barrels, [])
  })
})

// ---- what an import loads ----

/** Packages of others of which something is loaded by importing every public module of a package, as it was built. */
const loadedBy = async (name: string, except: ReadonlyArray<string>): Promise<ReadonlyArray<string>> => {
  const modules = publicModulesOf(name).filter((module) => !except.includes(module))
  assert.isNotEmpty(modules)
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [
      fileURLToPath(new URL("support/load.mjs", import.meta.url)),
      ...modules.map((module) => new URL(`packages/${name}/dist/${module}.js`, root).href)
    ],
    { maxBuffer: 2 ** 24 }
  )
  const names = stdout.split("\n").flatMap((url) =>
    url.startsWith("node:") ? ["node:"] : /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url)?.[1] ?? []
  )
  return [...new Set(names)].sort()
}

/** `effect` and its own dependencies. */
const effect = ["effect", "fast-check", "pure-rand"]

/** What is loaded with each library. Modules for an optional peer are left out. */
const loads: Readonly<Record<string, { readonly others: ReadonlyArray<string>; readonly except?: Array<string> }>> = {
  "protocol": { others: effect },
  "mcp": { others: effect, except: ["AiToolkitServer"] },
  "session": { others: effect },
  "transport-node": { others: [...effect, "node:"] },
  "transport-mock": { others: ["@effect/platform", ...effect], except: ["TransportSuiteVitest"] },
  "loopback-api": { others: [...effect, "node:"] }
}

describe.concurrent("a fresh import", () => {
  for (const [name, { except = [], others }] of Object.entries(loads)) {
    it(`of ${name} loads only ${others.join(", ")}`, async () => {
      assert.sameMembers([...await loadedBy(name, except)], [...others])
    })
  }
})

describe("protocol in a browser", () => {
  it("bundles without modules of Node, and decodes", async () => {
    const { outputFiles } = await build({
      stdin: {
        contents: `
          import * as Codec from "@claude-duplex/protocol/Codec"
          import * as Connection from "@claude-duplex/protocol/Connection"
          import * as Frame from "@claude-duplex/protocol/Frame"
          import * as SessionMachine from "@claude-duplex/protocol/SessionMachine"
          const decoder = Codec.cli.makeDecoder()
          const items = decoder.push(new TextEncoder().encode('{"type":"keep_alive"}\\n{"type":"x"}\\nlog\\n'))
          globalThis.seen = items.map((item) => Frame.isKnown(item) ? item.type : item.reason).join()
          globalThis.status = SessionMachine.status(SessionMachine.make())
          const connection = Connection.make({ makeMessageId: () => "m" })
          connection.send("hello")
          globalThis.line = connection.transmit()`,
        resolveDir: fileURLToPath(root)
      },
      alias: { "@claude-duplex/protocol": fileURLToPath(new URL("packages/protocol/src", root)) },
      bundle: true,
      write: false,
      format: "iife",
      platform: "browser",
      // A page with a strict policy has no \`eval\`; see below.
      logLevel: "silent"
    })
    // Only what a page has: no process, no Buffer, no require.
    for (const strings of [true, false]) {
      const page: { seen?: string; status?: string; line?: string } & Record<string, unknown> = {
        TextEncoder,
        TextDecoder,
        URL,
        performance
      }
      runInContext(
        outputFiles[0]?.text ?? "",
        createContext(page, { codeGeneration: { strings, wasm: false } })
      )
      assert.strictEqual(page.seen, "keep_alive,UnknownType,InvalidJson")
      assert.strictEqual(page.status, "Starting")
      assert.include(page.line, `"uuid":"m"`)
    }
  })
})
