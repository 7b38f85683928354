/** Which package may import what, checked on the sources without their types: what is imported at run time. */
import { assert, describe, it } from "@effect/vitest"
import { build } from "esbuild"
import { readdirSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { createContext, runInContext } from "node:vm"

const root = new URL("..", import.meta.url)

/**
 * What each package may import; anything else is a wall broken through. Of `effect`, modules and never the barrel:
 * that loads all of it, and an import of ours takes two thirds longer.
 */
const rooms: Record<string, ReadonlyArray<RegExp>> = {
  "protocol": [/^effect\//],
  "transport-node": [/^effect\//, /^@effect\/platform\//, /^node:/, /^@claude-duplex\/protocol\//],
  "transport-mock": [/^effect\//, /^@effect\/platform\//, /^@claude-duplex\/protocol\//],
  "session": [/^effect\//, /^@claude-duplex\/protocol\//],
  "loopback-api": [/^effect\//, /^@effect\/platform\//, /^@effect\/platform-node\//, /^node:http$/],
  "ui": [
    /^effect\//,
    /^@effect\/platform(-node)?\//,
    /^@effect\/rpc\//,
    /^node:/,
    /^@claude-duplex\/(protocol|session|transport-mock)\//
  ],
  // The top: a program, which may use all of them.
  "cli": [/^effect\//, /^@effect\//, /^node:/, /^@claude-duplex\//]
}

/** Files that may import more, and why. */
const doors: ReadonlyArray<{ readonly file: RegExp; readonly allowed: RegExp }> = [
  // The executable: its stdio is Node's.
  { file: /^packages\/transport-mock\/src\/bin\//, allowed: /^(node:|@effect\/platform-node\/)/ },
  // An adapter for an optional peer, which only whoever has it imports.
  { file: /^packages\/session\/src\/AiToolkitServer\.ts$/, allowed: /^@effect\/ai\// },
  // The suite for vitest, with an optional peer. The cases themselves need no test runner.
  { file: /^packages\/transport-mock\/src\/TransportSuiteVitest\.ts$/, allowed: /^@effect\/vitest$/ }
]

/** What the modules of a package import once types are gone, each with the module. */
const importsOf = async (name: string): Promise<ReadonlyArray<readonly [file: string, specifier: string]>> => {
  const folder = `packages/${name}/src`
  const { metafile: { inputs } } = await build({
    absWorkingDir: fileURLToPath(root),
    entryPoints: readdirSync(new URL(folder, root), { encoding: "utf8", recursive: true })
      .filter((file) => file.endsWith(".ts"))
      .map((file) => `${folder}/${file}`),
    bundle: true,
    packages: "external",
    platform: "node",
    format: "esm",
    outdir: "unused",
    write: false,
    metafile: true
  })
  return Object.entries(inputs).flatMap(([file, { imports }]) =>
    imports.filter(({ external }) => external).map(({ path }) => [file, path] as const)
  )
}

describe("packages", () => {
  it("are all listed", () => {
    assert.deepStrictEqual(readdirSync(new URL("packages/", root)).sort(), Object.keys(rooms).sort())
  })

  for (const [name, allowed] of Object.entries(rooms)) {
    it(`${name} imports only from the rooms before it`, async () => {
      const imports = await importsOf(name)
      assert.isNotEmpty(imports)
      const outside = imports.filter(([file, specifier]) => {
        const all = [...allowed, ...doors.filter((door) => door.file.test(file)).map((door) => door.allowed)]
        return !all.some((pattern) => pattern.test(specifier))
      })
      assert.deepStrictEqual(outside, [])
    })
  }

  it("are checked without their type imports", async () => {
    const check = (await importsOf("cli")).filter(([file]) => file === "packages/cli/src/Check.ts")
    assert.deepInclude(check, ["packages/cli/src/Check.ts", "@claude-duplex/protocol/Novelty"])
    assert.notDeepInclude(check, ["packages/cli/src/Check.ts", "@claude-duplex/protocol/StreamEvent"])
  })
})

describe("protocol in a browser", () => {
  it("bundles without anything of Node's, and decodes", async () => {
    const { outputFiles } = await build({
      stdin: {
        contents: `
          import * as Codec from "@claude-duplex/protocol/Codec"
          import * as Frame from "@claude-duplex/protocol/Frame"
          import * as SessionMachine from "@claude-duplex/protocol/SessionMachine"
          const decoder = Codec.cli.makeDecoder()
          const items = decoder.push(new TextEncoder().encode('{"type":"keep_alive"}\\n{"type":"x"}\\nlog\\n'))
          globalThis.seen = items.map((item) => Frame.isKnown(item) ? item.type : item.reason).join()
          globalThis.status = SessionMachine.status(SessionMachine.make())`,
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
    // What a page has, and no more: no process, no Buffer, no require.
    for (const strings of [true, false]) {
      const page: { seen?: string; status?: string } & Record<string, unknown> = {
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
    }
  })
})
