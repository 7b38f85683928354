// Everything that must hold before a change lands, in the order in which it is quickest to fail. With arguments (`npm test --
// session`), only the unit tests of those packages or folders.
import { spawnSync } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const report = join(mkdtempSync(join(tmpdir(), "claude-duplex-check-")), "unit.json")

/** A package by its name, anything else as a filter of vitest's: a part of a path. */
const filters = process.argv.slice(2).map((name) => existsSync(`packages/${name}`) ? `packages/${name}/` : name)

const unit = [
  "unit tests",
  "vitest",
  "run",
  ...filters,
  "--reporter=dot",
  "--reporter=json",
  `--outputFile.json=${report}`
]

const steps = filters.length > 0 ? [unit] : [
  ["format", "dprint", "check"],
  ["lint", "oxlint", "--deny-warnings"],
  ["types, build and Effect diagnostics", "node", "scripts/tsc.mjs", "-b"],
  ["page", "pnpm", "--silent", "page"],
  unit
]

const seconds = (start) => `${((performance.now() - start) / 1000).toFixed(1)} s`

const start = performance.now()
let failed
for (const [name, command, ...args] of steps) {
  const start = performance.now()
  console.log(`\n▶ ${name}`)
  const { status, error } = spawnSync(command, args, { stdio: "inherit", shell: process.platform === "win32" })
  if (status !== 0) {
    console.error(`✗ ${name}${error ? `: ${error.message}` : ""} (${seconds(start)})`)
    failed = name
    break
  }
  console.log(`✓ ${name} (${seconds(start)})`)
}

// Missing if an earlier step failed.
if (existsSync(report)) {
  const { numFailedTests, numPassedTests, numPendingTests } = JSON.parse(readFileSync(report, "utf8"))
  console.log(`\nTests: ${numPassedTests} passed, ${numFailedTests} failed, ${numPendingTests} skipped`)
}
rmSync(join(report, ".."), { recursive: true, force: true })
console.log(`Total: ${seconds(start)}`)
if (failed) {
  console.error(`\n${failed} failed.`)
  process.exit(1)
}
