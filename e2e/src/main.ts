/**
 * `pnpm e2e`: tries the toolkit on real CLIs. The newest one, the one that `--cli=VERSION` names, or with `--matrix` all of
 * them; then the table of what each can do is written to `docs/support.md`. Everything else is passed on to vitest.
 */
import { spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { install } from "./ClaudeCli.js"
import { type Run, toMarkdown } from "./SupportTable.js"
import { versions } from "./Versions.js"

const root = fileURLToPath(new URL("../..", import.meta.url))
const args = process.argv.slice(2)
const isMatrix = args.includes("--matrix")
const named = args.find((arg) => arg.startsWith("--cli="))?.slice("--cli=".length)
const rest = args.filter((arg) => arg !== "--matrix" && !arg.startsWith("--cli="))

/** What vitest says of a run. */
interface Report {
  readonly numPassedTests: number
  readonly numFailedTests: number
  readonly numPendingTests: number
  readonly testResults: ReadonlyArray<{
    readonly assertionResults: ReadonlyArray<{
      readonly ancestorTitles: ReadonlyArray<string>
      readonly title: string
      readonly status: string
    }>
  }>
}

const run = async (version: string): Promise<Run> => {
  const executable = await install(version)
  const folder = mkdtempSync(join(tmpdir(), "claude-duplex-e2e-report-"))
  const report = join(folder, "report.json")
  console.log(`\n▶ claude ${version}`)
  const began = performance.now()
  spawnSync(
    join(root, "node_modules/.bin/vitest"),
    [
      "run",
      "--config=e2e/vitest.config.ts",
      "--reporter=dot",
      "--reporter=json",
      `--outputFile.json=${report}`,
      ...rest
    ],
    {
      cwd: root,
      stdio: "inherit",
      shell: process.platform === "win32",
      env: { ...process.env, CLAUDE_DUPLEX_E2E_EXECUTABLE: executable, CLAUDE_DUPLEX_E2E_VERSION: version }
    }
  )
  // Vitest's own format.
  const said = JSON.parse(readFileSync(report, "utf8")) as Report
  rmSync(folder, { recursive: true })
  return {
    version,
    seconds: (performance.now() - began) / 1_000,
    passed: said.numPassedTests,
    failed: said.numFailedTests,
    skipped: said.numPendingTests,
    tests: said.testResults.flatMap(({ assertionResults }) =>
      assertionResults.map(({ ancestorTitles, status, title }) => ({
        title: [...ancestorTitles, title].join(" › "),
        status
      }))
    )
  }
}

const wanted = isMatrix ? versions.map(({ version }) => version) : [named ?? versions[0]?.version ?? ""]
const runs: Array<Run> = []
for (const version of wanted) runs.push(await run(version))

console.log("")
for (const { failed, passed, seconds, skipped, version } of runs) {
  console.log(
    `claude ${version.padEnd(8)} ${passed} passed, ${failed} failed, ${skipped} skipped (${seconds.toFixed(0)} s)`
  )
}
const failed = runs.reduce((sum, run) => sum + run.failed, 0)
console.log(`Tests: ${runs.reduce((sum, run) => sum + run.passed, 0)} passed, ${failed} failed`)
if (isMatrix && rest.length === 0 && failed === 0) {
  writeFileSync(join(root, "docs/support.md"), toMarkdown(runs))
  spawnSync(join(root, "node_modules/.bin/dprint"), ["fmt", "docs/support.md"], {
    cwd: root,
    shell: process.platform === "win32"
  })
  console.log("docs/support.md is new.")
}
if (failed > 0 || runs.some(({ passed }) => passed === 0)) process.exitCode = 1
