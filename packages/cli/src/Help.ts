/**
 * What the tool says about itself. `@effect/cli` explains a command's options; this adds what it has no place for: the list
 * of commands at a glance, and examples.
 */
import * as HelpDoc from "@effect/cli/HelpDoc"
import * as Span from "@effect/cli/HelpDoc/Span"
import type { Palette } from "./Palette.js"

/** A line to type, and what it does. */
export type Example = readonly [line: string, does: string]

/** What is told of a command. */
export interface About {
  readonly name: string
  /** One sentence, in the list of commands. */
  readonly summary: string
  readonly examples: ReadonlyArray<Example>
}

/**
 * The list of commands, and what holds for all of them.
 */
export const overview = (commands: ReadonlyArray<About>, version: string, { bold, cyan, dim }: Palette): string => {
  const options = [
    ["--help, -h", "this; after a command, what it takes"],
    ["--verbose", "says more when something goes wrong; anywhere in the line"],
    ["--version", "the version"],
    ["--completions bash|fish|zsh", "prints a completion script for the shell"]
  ] as const
  const list = (rows: ReadonlyArray<readonly [string, string]>): ReadonlyArray<string> => {
    const width = Math.max(...rows.map(([name]) => name.length))
    return rows.map(([name, text]) => `  ${cyan(name.padEnd(width))}  ${text}`)
  }
  return [
    `${bold("claude-duplex")} ${version} – see and use the Claude Code CLI's stream-json protocol`,
    "",
    `${bold("Usage")}  claude-duplex COMMAND [OPTION]… [ARGUMENT]…`,
    "",
    bold("Commands"),
    ...list(commands.map(({ name, summary }) => [name, summary])),
    "",
    bold("Options"),
    ...list(options),
    "",
    bold("Examples"),
    ...commands.flatMap(({ examples: [first] }) =>
      first === undefined ? [] : [`  ${first[0]}  ${dim(`# ${first[1]}`)}`]
    ),
    ""
  ].join("\n")
}

/**
 * The examples of a command, for the end of its help.
 */
export const examples = (lines: ReadonlyArray<Example>): HelpDoc.HelpDoc =>
  HelpDoc.blocks([
    HelpDoc.h1("EXAMPLES"),
    ...lines.map(([line, does]) =>
      HelpDoc.p(Span.spans([Span.text("  "), Span.code(line), Span.text("  "), Span.weak(`# ${does}`)]))
    )
  ])
