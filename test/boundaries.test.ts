/** The rooms of the house and their order, checked on the built output: what a user of the packages gets. */
import { assert, describe, it } from "@effect/vitest"
import { build } from "esbuild"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { createContext, runInContext } from "node:vm"
import ts from "typescript"

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
  { file: /^packages\/transport-mock\/dist\/bin\//, allowed: /^(node:|@effect\/platform-node\/)/ },
  // An adapter for an optional peer, which only whoever has it imports.
  { file: /^packages\/session\/dist\/AiToolkitServer\.js$/, allowed: /^@effect\/ai\// },
  // Tests for others to run, with an optional peer.
  { file: /^packages\/transport-mock\/dist\/TransportSuite\.js$/, allowed: /^@effect\/vitest$/ }
]

const filesIn = (folder: URL): ReadonlyArray<URL> =>
  existsSync(folder)
    ? readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
      entry.isDirectory()
        ? filesIn(new URL(`${entry.name}/`, folder))
        : entry.name.endsWith(".js")
        ? [new URL(entry.name, folder)]
        : []
    )
    : []

const importsOf = (source: string) =>
  ts.preProcessFile(source, true, true).importedFiles.map(({ fileName }) => fileName)

describe("packages", () => {
  it("are all listed", () => {
    assert.deepStrictEqual(readdirSync(new URL("packages/", root)).sort(), Object.keys(rooms).sort())
  })

  for (const [name, allowed] of Object.entries(rooms)) {
    it(`${name} imports only from the rooms before it`, () => {
      const outside = filesIn(new URL(`packages/${name}/dist/`, root)).flatMap((file) => {
        const path = file.pathname.slice(root.pathname.length)
        const all = [...allowed, ...doors.filter((door) => door.file.test(path)).map((door) => door.allowed)]
        return importsOf(readFileSync(file, "utf8"))
          .filter((specifier) => !specifier.startsWith(".") && !all.some((pattern) => pattern.test(specifier)))
          .map((specifier) => `${path}: ${specifier}`)
      })
      assert.deepStrictEqual(outside, [])
    })
  }

  it("protocol was built, and the check sees its imports", () => {
    const codec = readFileSync(new URL("packages/protocol/dist/Codec.js", root), "utf8")
    assert.includeMembers(importsOf(codec), ["effect/Either", "./Frame.js"])
    assert.deepStrictEqual(importsOf(`import fs from "node:fs"\nawait import("node:net")`), ["node:fs", "node:net"])
  })
})

describe("protocol in a browser", () => {
  it("bundles without anything of Node's, and decodes", async () => {
    const { outputFiles } = await build({
      stdin: {
        contents: `
          import * as Codec from "@claude-duplex/protocol/Codec"
          import * as SessionMachine from "@claude-duplex/protocol/SessionMachine"
          const decoder = Codec.make()
          const items = decoder.push(new TextEncoder().encode('{"type":"keep_alive"}\\n{"type":"x"}\\nlog\\n'))
          globalThis.seen = items.map((item) => "_tag" in item ? item.reason : item.type).join()
          globalThis.status = SessionMachine.status(SessionMachine.make())`,
        resolveDir: fileURLToPath(new URL("examples/", root))
      },
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
