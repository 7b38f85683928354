/** `pnpm faults [--only RECORDING:KIND:FRAME]`: every recording, every frame of it, every fault there. */
import { grouped, type Outcome, progress, type Violation } from "../outcome.js"
import * as Recordings from "../recorded/recordings.js"
import { kinds } from "./kinds.js"
import { all, maker, nameOf } from "./run.js"

/** How the command is called. */
export interface Options {
  /** Names of runs, or parts of names (`:duplicate:`); none means all. */
  readonly only: ReadonlyArray<string>
}

/** Makes the runs. */
export const faults = ({ only }: Options): Outcome => {
  const tell = progress("faults")
  const make = maker()
  const runs = all().filter((run) => only.length === 0 || only.some((name) => nameOf(run).includes(name)))
  if (runs.length === 0) throw new Error(`There is no run ${only.join(", ")}; they are named RECORDING:KIND:FRAME`)
  const start = performance.now()
  const violations: Array<Violation> = []
  const endings = new Map<string, number>()
  for (const [i, run] of runs.entries()) {
    tell(`${grouped(i)} of ${grouped(runs.length)} runs; ${run.recording}`)
    const judged = make(run)
    for (const ending of judged.endings) endings.set(ending, (endings.get(ending) ?? 0) + 1)
    for (const what of judged.violations) {
      violations.push({ what: `${nameOf(run)}: ${what}`, reproduce: `pnpm faults --only ${nameOf(run)}` })
      console.error(`faults: ${nameOf(run)}: ${what}`)
    }
  }
  const seconds = (performance.now() - start) / 1_000
  const listed = (of: string) =>
    [...endings].filter(([name]) => name.startsWith(of)).sort(([, a], [, b]) => b - a).map(([name, count]) =>
      `${name.slice(of.length)} ${grouped(count)}`
    ).join(", ")
  return {
    rows: [
      {
        promise:
          "Whatever goes wrong at whichever frame, every message, request and subscriber settles, once, and nothing comes twice",
        figure:
          `${grouped(runs.length)} runs (${Recordings.names.length} recordings, ${kinds.length} faults, every frame) ` +
          `in ${seconds.toFixed(0)} s; violations: ${violations.length}`
      },
      {
        promise: "The outcome of each is one of a few",
        figure: `messages: ${listed("message: ")}; requests: ${listed("request: ")}; never began: ${
          listed("session: ")
        }`
      }
    ],
    measured: { runs: runs.length, seconds, endings: Object.fromEntries(endings) },
    violations
  }
}
