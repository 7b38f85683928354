/** The command line. */
import { parseArgs } from "node:util"

/** The commands, each of which keeps one of the promises. */
export const commands = ["fuzz", "faults", "soak", "load"] as const

/** One of them, or all one after the other. */
export type Command = (typeof commands)[number] | "all"

/** What was asked for. */
export interface Options {
  readonly command: Command
  readonly json: boolean
  readonly write: boolean
  readonly seconds: number
  readonly seed: number
  readonly only: ReadonlyArray<string>
  readonly turns: number
  readonly events: number
  readonly processes: number
  readonly mocks: number
}

/** Reads the arguments. Throws with a text for people. */
export const parse = (args: ReadonlyArray<string>): Options => {
  const { positionals, values } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      json: { type: "boolean", default: false },
      write: { type: "boolean", default: false },
      seconds: { type: "string", default: "60" },
      seed: { type: "string", default: "1" },
      only: { type: "string", multiple: true, default: [] },
      turns: { type: "string", default: "100000" },
      events: { type: "string", default: "1000000" },
      processes: { type: "string", default: "200" },
      mocks: { type: "string", default: "1000" }
    }
  })
  const [command, ...others] = positionals
  if (!isCommand(command) || others.length > 0) throw new Error(`The command is one of ${commands.join(", ")} and all`)
  if (values.write && command !== "all") throw new Error("--write writes the whole page, so it goes with all")
  return {
    command,
    json: values.json,
    write: values.write,
    seconds: number("seconds", values.seconds, 1),
    seed: number("seed", values.seed, 0),
    only: values.only,
    turns: number("turns", values.turns, 10),
    events: number("events", values.events, 10),
    processes: number("processes", values.processes, 1),
    mocks: number("mocks", values.mocks, 1)
  }
}

const isCommand = (command: string | undefined): command is Command =>
  command === "all" || commands.some((name) => name === command)

const number = (name: string, text: string, least: number): number => {
  const value = Number(text)
  if (!Number.isInteger(value) || value < least) throw new Error(`--${name} takes a whole number of at least ${least}`)
  return value
}
