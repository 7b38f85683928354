// Everything that must hold before a change lands, in the order in which it is quickest to fail.
import { spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const report = join(mkdtempSync(join(tmpdir(), "claude-duplex-check-")), "unit.json")

const steps = [
  ["format", "dprint", "check"],
  ["lint", "oxlint", "--deny-warnings"],
  ["types and build", "tsc", "-b"],
  ["page", "pnpm", "--silent", "page"],
  ["effect diagnostics", "node", "scripts/diagnostics.mjs"],
  ["unit tests", "vitest", "run", "--reporter=dot", "--reporter=json", `--outputFile.json=${report}`]
]

let failed
for (const [name, command, ...args] of steps) {
  const start = performance.now()
  console.log(`\n▶ ${name}`)
  const { status, error } = spawnSync(command, args, { stdio: "inherit", shell: process.platform === "win32" })
  if (status !== 0) {
    console.error(`✗ ${name}${error ? `: ${error.message}` : ""}`)
    failed = name
    break
  }
  console.log(`✓ ${name} (${((performance.now() - start) / 1000).toFixed(1)} s)`)
}

const unit = (() => {
  try {
    return JSON.parse(readFileSync(report, "utf8"))
  } catch {
    // An earlier step failed, so no test ran.
    return undefined
  }
})()
rmSync(join(report, ".."), { recursive: true, force: true })
if (unit) {
  console.log(`\nTests: ${unit.numPassedTests} passed, ${unit.numFailedTests} failed, ${unit.numPendingTests} skipped`)
}
if (failed) {
  console.error(`\n${failed} failed.`)
  process.exit(1)
}
