/**
 * Argument lines, before `@effect/cli` reads them, and the arguments that several commands have. Owns what that library does
 * not do: options of the tool anywhere in the line, and a guess at what was meant.
 */
import * as Args from "@effect/cli/Args"
import { levensteinDistance } from "@effect/cli/AutoCorrect"
import * as CliConfig from "@effect/cli/CliConfig"
import * as HelpDoc from "@effect/cli/HelpDoc"
import * as Effect from "effect/Effect"

/**
 * Moves `--verbose` to where the tool's own options are read. What comes after `--` is somebody else's.
 */
export const normalize = (args: ReadonlyArray<string>): ReadonlyArray<string> => {
  const end = args.indexOf("--")
  const ours = end === -1 ? args : args.slice(0, end)
  return ours.includes("--verbose")
    ? ["--verbose", ...ours.filter((arg) => arg !== "--verbose"), ...args.slice(ours.length)]
    : args
}

/**
 * The command that a line names: its first word that is no option.
 */
export const commandOf = (args: ReadonlyArray<string>): string | undefined => {
  const valued = new Set(["--log-level", "--completions"])
  const at = args.findIndex((arg, i) => !arg.startsWith("-") && !valued.has(args[i - 1] ?? ""))
  return args[at]
}

/**
 * The name that was probably meant, if any is near.
 */
export const nearest = (word: string, names: Iterable<string>): string | undefined => {
  let best: string | undefined
  let distance = Math.min(3, Math.ceil(word.length / 2) + 1)
  for (const name of names) {
    const its = name.startsWith(word) ? 1 : levensteinDistance(word, name, CliConfig.defaultConfig)
    if (its < distance) [best, distance] = [name, its]
  }
  return best
}

/**
 * The name of a file, or `-` for stdin. What looks like an option is one that no command has: `@effect/cli` would take it
 * for a file.
 */
export const file = (name: string): Args.Args<string> =>
  Args.text({ name }).pipe(
    Args.mapEffect((path) =>
      path.length > 1 && path.startsWith("-")
        ? Effect.fail(HelpDoc.p(`There is no option ${path} here. --help lists those that there are.`))
        : Effect.succeed(path)
    )
  )
