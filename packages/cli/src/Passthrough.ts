/**
 * What stands after `--` on the command line: somebody else's arguments, as they are. They never reach the parser, which
 * would look for options of its own among them (`--version`, `--help`).
 */
import * as Context from "effect/Context"

/** The arguments after `--`; none if there is no `--`. */
export class Passthrough extends Context.Reference<Passthrough>()("@claude-duplex/cli/Passthrough", {
  defaultValue: (): ReadonlyArray<string> => []
}) {}

/**
 * Takes the arguments of a process apart.
 */
export const split = (
  argv: ReadonlyArray<string>
): { readonly ours: ReadonlyArray<string>; readonly theirs: ReadonlyArray<string> } => {
  const at = argv.indexOf("--")
  return at === -1 ? { ours: argv, theirs: [] } : { ours: argv.slice(0, at), theirs: argv.slice(at + 1) }
}
