/** The command line. */
import { parseArgs } from "node:util"

/** What was asked for. */
export interface Options {
  /** Names of benchmarks; none means all. */
  readonly only: ReadonlyArray<string>
  readonly rounds: number
  readonly json: boolean
  readonly write: boolean
}

/** Fewer rounds than this have no median worth a name. */
const leastRounds = 7

/** Reads the arguments. Throws with a text for people. */
export const parse = (args: ReadonlyArray<string>): Options => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: "string", multiple: true, default: [] },
      rounds: { type: "string", default: "9" },
      json: { type: "boolean", default: false },
      write: { type: "boolean", default: false }
    }
  })
  const rounds = Number(values.rounds)
  if (!Number.isInteger(rounds) || rounds < leastRounds) {
    throw new Error(`--rounds takes a whole number of at least ${leastRounds}`)
  }
  if (values.write && values.only.length > 0) {
    throw new Error("--write replaces the whole page, so it does not go with --only")
  }
  return { only: values.only, rounds, json: values.json, write: values.write }
}
