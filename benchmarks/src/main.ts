/**
 * The command: `pnpm bench [--only NAME]... [--rounds N] [--json] [--write]`. Progress goes to stderr, what was measured
 * to stdout. A target that is missed is reported and is no failure: on a busy machine it may be nobody's fault.
 */
import { writeFileSync } from "node:fs"
import * as Machine from "./machine.js"
import * as Options from "./options.js"
import { benchmarks } from "./registry.js"
import * as Report from "./report.js"

const main = async (): Promise<void> => {
  const options = Options.parse(process.argv.slice(2))
  const unknown = options.only.find((name) => !benchmarks.some((benchmark) => benchmark.id === name))
  if (unknown !== undefined) {
    throw new Error(`There is no benchmark ${unknown}; there are ${benchmarks.map(({ id }) => id).join(", ")}`)
  }
  const outcomes: Array<Report.Outcome> = []
  for (const benchmark of benchmarks) {
    if (options.only.length > 0 && !options.only.includes(benchmark.id)) continue
    const progress = (text: string): void => console.error(`${benchmark.id}: ${text}`)
    const measured = await benchmark.run({ rounds: options.rounds, progress })
    progress(`measured ${measured.value.toFixed(3)}`)
    outcomes.push({ benchmark, measured })
  }
  const report: Report.Report = {
    date: new Date().toISOString().slice(0, 10),
    machine: Machine.describe(),
    outcomes
  }
  console.log(options.json ? Report.json(report) : Report.table(outcomes))
  if (options.write) writeFileSync(new URL("../../docs/performance.md", import.meta.url), Report.page(report))
}

main().catch((cause: unknown) => {
  console.error(cause instanceof Error ? cause.message : cause)
  process.exitCode = 1
})
