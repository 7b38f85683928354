/**
 * The command: `pnpm fuzz | faults | soak | load`, and `pnpm reliability [--write]` for all of them. Progress goes to stderr,
 * what was found to stdout (`--json` for programs). It fails if anything does not hold, and says how to see it again.
 */
import * as Machine from "@claude-duplex/benchmarks/machine"
import { spawnSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { loadavg } from "node:os"
import { fileURLToPath } from "node:url"
import { load } from "./endurance/load.js"
import { soak } from "./endurance/soak.js"
import { faults } from "./faults/command.js"
import { fuzz } from "./fuzz/command.js"
import * as Options from "./options.js"
import type { Outcome } from "./outcome.js"
import * as Report from "./report.js"

const run = (command: Exclude<Options.Command, "all">, options: Options.Options): Outcome | Promise<Outcome> => {
  switch (command) {
    case "fuzz":
      return fuzz(options)
    case "faults":
      return faults(options)
    case "soak":
      return soak(options)
    case "load":
      return load(options)
  }
}

/** In a process of its own: what one leaves on the heap is not to be seen by the next. */
const runApart = (command: Exclude<Options.Command, "all">, { seconds, seed }: Options.Options): Outcome => {
  const args = [command, "--json", "--seconds", String(seconds), "--seed", String(seed)]
  const { status, stdout } = spawnSync(
    process.execPath,
    ["--expose-gc", fileURLToPath(import.meta.url), ...args],
    { stdio: ["ignore", "pipe", "inherit"], encoding: "utf8", maxBuffer: 1e9 }
  )
  // With violations it is 1, and what it found is there as well.
  if (stdout === "") throw new Error(`${command} ended with ${status} and found nothing; see above`)
  // It was written a few lines below.
  return JSON.parse(stdout) as Outcome
}

const main = async (): Promise<void> => {
  const options = Options.parse(process.argv.slice(2))
  const { command } = options
  const found: Array<Report.Found> = []
  if (command === "all") {
    for (const name of Options.commands) found.push({ command: name, outcome: runApart(name, options) })
  } else found.push({ command, outcome: await run(command, options) })

  const violations = found.flatMap(({ outcome }) => outcome.violations)
  const [first] = found
  if (!options.json) console.log(Report.table(found))
  else console.log(JSON.stringify(command === "all" ? found : first?.outcome, undefined, 2))
  for (const { reproduce, what } of violations) console.error(`✗ ${what}\n  ${reproduce}`)
  if (options.write) {
    const date = new Date().toISOString().slice(0, 10)
    writeFileSync(
      new URL("../../docs/reliability.md", import.meta.url),
      Report.page({ date, machine: Machine.describe(), load: loadavg()[2] ?? 0, found })
    )
  }
  if (violations.length > 0) process.exitCode = 1
}

main().catch((cause: unknown) => {
  console.error(cause instanceof Error ? cause.message : cause)
  process.exitCode = 1
})
