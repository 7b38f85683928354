/** What `pnpm record` is asked to do, read from its arguments. Pure: what does it is `record.ts`. */
import { Either } from "effect"
import { scenarios } from "./Scenarios.js"
import type { Scenario } from "./Stage.js"

/** What is asked of it. */
export type Command =
  | { readonly _tag: "List" }
  | {
    readonly _tag: "Record"
    readonly scenarios: ReadonlyArray<Scenario>
    /** A version, or `latest`; the newest that is known if there is none. */
    readonly cli: string | undefined
    /** The folder that gets a folder for the version. */
    readonly out: string | undefined
    /** Whether a recording that is there may be replaced. */
    readonly force: boolean
  }
  | {
    readonly _tag: "Check"
    readonly scenarios: ReadonlyArray<Scenario>
    readonly cli: string | undefined
    readonly out: string | undefined
    readonly json: boolean
  }

/** How it is used. */
export const usage = `pnpm record -- SCENARIO… [--cli=VERSION] [--out=DIR] [--force]   records these conversations
pnpm record -- --all [--cli=VERSION] [--out=DIR] [--force]       records all that the CLI can play
pnpm record -- --check [SCENARIO…] [--cli=VERSION] [--json]      says what a CLI says that the schemas do not know
VERSION may be any that npm has, and \`latest\`.`

const flags = new Set(["--all", "--check", "--force", "--json"])
const valued = ["--cli=", "--out="]

/** Reads arguments; what is wrong with them is told in words. */
export const parse = (args: ReadonlyArray<string>): Either.Either<Command, string> => {
  // pnpm hands on the `--` that ends its own arguments.
  const given = args.filter((arg) => arg !== "--")
  const wrong = given.find((arg) =>
    arg.startsWith("-") && !flags.has(arg) && !valued.some((flag) => arg.startsWith(flag) && arg !== flag)
  )
  if (wrong !== undefined) return Either.left(`There is no option ${wrong}.\n\n${usage}`)
  const names = given.filter((arg) => !arg.startsWith("-"))
  const unknown = names.filter((name) => !scenarios.some((scenario) => scenario.name === name))
  if (unknown.length > 0) return Either.left(unknown.map(helpWith).join("\n"))
  const valueOf = (flag: string) => given.findLast((arg) => arg.startsWith(flag))?.slice(flag.length)
  const named = names.length === 0 ? scenarios : scenarios.filter(({ name }) => names.includes(name))
  const common = { scenarios: named, cli: valueOf("--cli="), out: valueOf("--out=") }
  if (given.includes("--check")) return Either.right({ _tag: "Check", ...common, json: given.includes("--json") })
  return Either.right(
    names.length > 0 || given.includes("--all")
      ? { _tag: "Record", ...common, force: given.includes("--force") }
      : { _tag: "List" }
  )
}

const helpWith = (name: string): string => {
  const parts = name.split("-")
  const near = scenarios.filter((scenario) => parts.some((part) => part.length > 2 && scenario.name.includes(part)))
  const there = (near.length > 0 ? near : scenarios).map((scenario) => scenario.name).join(", ")
  return `There is no scenario ${name}. ${near.length > 0 ? "There is" : "There are"}: ${there}.`
}

/** Every scenario, and what it shows. */
export const listing = (): string => {
  const width = Math.max(...scenarios.map(({ name }) => name.length))
  return [usage, "", ...scenarios.map(({ name, shows }) => `${name.padEnd(width)}  ${shows}`)].join("\n")
}
