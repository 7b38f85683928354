/** How long a process takes to import something: a new process each time, since a module is loaded once. */
import { buildSync } from "esbuild"
import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import type { Work } from "./Work.js"

// This package's own folder: what it depends on is found from there, from `src` as from `dist`.
const cwd = fileURLToPath(new URL("../..", import.meta.url))

const importing = (modules: ReadonlyArray<string>): Work => {
  const imports = modules.map((name) => `await import(${JSON.stringify(name)});`).join("")
  const program = `const start=performance.now();${imports}process.stdout.write(String(performance.now()-start))`
  return () =>
    Number(execFileSync(process.execPath, ["--input-type=module", "--eval", program], { cwd, encoding: "utf8" }))
}

/** The same in one file with all that they need, as an application that is bundled has it. */
const importingBundled = (modules: ReadonlyArray<string>): Work => {
  const folder = mkdtempSync(join(tmpdir(), "claude-duplex-bench-"))
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }))
  const outfile = join(folder, "bundle.mjs")
  buildSync({
    stdin: { contents: modules.map((name) => `export * from ${JSON.stringify(name)}`).join("\n"), resolveDir: cwd },
    outfile,
    bundle: true,
    minify: true,
    format: "esm",
    platform: "node"
  })
  return importing([pathToFileURL(outfile).href])
}

const ofProtocol = ["@claude-duplex/protocol/Codec", "@claude-duplex/protocol/SessionMachine"]

const ofSession = ["@claude-duplex/session/Session", "@claude-duplex/transport-node/NodeTransport"]

/** All that a host on the codec alone needs. */
export const protocol = (): Work => importing(ofProtocol)

/** The same in one file. */
export const protocolBundled = (): Work => importingBundled(ofProtocol)

/** All that a host with a session needs. */
export const session = (): Work => importing(ofSession)

/** The same in one file. */
export const sessionBundled = (): Work => importingBundled(ofSession)

/** What every schema is made of, and errors too. */
export const effectSchema = (): Work => importing(["effect/Schema"])

/** What a host with a session is written with. */
export const effectStream = (): Work => importing(["effect/Effect", "effect/Stream"])

/** The official SDK. */
export const officialSdk = (): Work => importing(["@anthropic-ai/claude-agent-sdk"])
