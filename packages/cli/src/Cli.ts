/**
 * The tool as one value: every command, how arguments are read, and what becomes of errors. Owns no process: that is `bin/`.
 */
import * as Command from "@effect/cli/Command"
import * as HelpDoc from "@effect/cli/HelpDoc"
import * as Options from "@effect/cli/Options"
import { isValidationError, type ValidationError } from "@effect/cli/ValidationError"
import * as Cause from "effect/Cause"
import type * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Arguments from "./Arguments.js"
import { CliError } from "./CliError.js"
import * as Help from "./Help.js"
import { Output, type Service } from "./Output.js"
import * as Palette from "./Palette.js"
import { Passthrough, split } from "./Passthrough.js"

/** Options of the tool itself. */
export const root = Command.make("claude-duplex", {
  verbose: Options.boolean("verbose").pipe(
    Options.withDescription("Says more when something goes wrong.")
  )
}).pipe(
  Command.withDescription("See and use the Claude Code CLI's stream-json protocol.")
)

/**
 * In the order of the help. A command is a module with `command`, `summary` and `examples`, and one line here. It is loaded
 * when it is named: with what `chat`, `doctor` and `ui` need, `check` would take half as long again to start.
 */
const modules = [
  ["chat", () => import("./ChatCommand.js")],
  ["record", () => import("./RecordCommand.js")],
  ["replay", () => import("./ReplayCommand.js")],
  ["inspect", () => import("./InspectCommand.js")],
  ["check", () => import("./CheckCommand.js")],
  ["diff", () => import("./DiffCommand.js")],
  ["stats", () => import("./StatsCommand.js")],
  ["ui", () => import("./UiCommand.js")],
  ["doctor", () => import("./DoctorCommand.js")]
] as const

type Entry = typeof modules[number]

type Module = Awaited<ReturnType<Entry[1]>>

interface Loaded extends Help.About {
  readonly command: Module["command"]
}

const load = ([name, module]: Entry): Effect.Effect<Loaded> =>
  Effect.map(
    Effect.promise<Module>(module),
    ({ command, examples, summary }) => ({ name, command, examples, summary })
  )

const loadAll = Effect.forEach(modules, load)

const join = ([first, ...others]: readonly [Loaded, ...Array<Loaded>]) =>
  Command.withSubcommands(root, [first.command, ...others.map((one) => one.command)])

/**
 * Every command.
 */
export const command = Effect.map(loadAll, join)

/** As in `package.json`. */
export const version = "0.0.0"

/** Of an error that is a mistake of this program's: `EX_SOFTWARE` of sysexits(3). */
export const defectCode = 70

/**
 * Reads arguments (without the program's own name), carries them out, and gives the exit code. Errors are one line on
 * stderr; `--verbose` shows what is behind them.
 */
export const run = (given: ReadonlyArray<string>) =>
  Effect.gen(function*() {
    const output = yield* Output
    const { ours, theirs } = split(given)
    const args = Arguments.normalize(ours)
    const isVerbose = args.includes("--verbose")
    const base = yield* Effect.console
    return yield* execute(args, output, base).pipe(
      Effect.provideService(Passthrough, theirs),
      Effect.as(0),
      Effect.catchAllCause((cause) => report(cause, isVerbose, output))
    )
  })

const execute = Effect.fnUntraced(function*(args: ReadonlyArray<string>, output: Service, base: Console.Console) {
  const name = Arguments.commandOf(args)
  const module = modules.find(([its]) => its === name)
  if (name === undefined && !args.some((arg) => /^--(version|completions|wizard)/.test(arg))) {
    return yield* output.write(Help.overview(yield* loadAll, version, output.palette))
  }
  if (name !== undefined && module === undefined) {
    const nearest = Arguments.nearest(name, modules.map(([its]) => its))
    const hint = nearest === undefined ? "--help lists those that there are." : `Did you mean ${nearest}?`
    return yield* new CliError({ reason: "Usage", summary: `There is no command ${name}. ${hint}` })
  }
  const its = module === undefined ? undefined : yield* load(module)
  const app = { name: "claude-duplex", version, ...(its === undefined ? {} : { footer: Help.examples(its.examples) }) }
  const whole = its === undefined || concernsAll(args, its.name) ? yield* command : join([its])
  return yield* Command.run(whole, app)(["node", "claude-duplex", ...args]).pipe(
    Effect.withConsole(consoleOf(output, base))
  )
})

/** Whether a line that names a command is about the others too: those are options of the tool, before the name or anywhere. */
const concernsAll = (args: ReadonlyArray<string>, name: string): boolean =>
  args.find((arg) => arg !== "--verbose") !== name || args.some((arg) => /^--(completions|wizard)/.test(arg))

/**
 * What `@effect/cli` prints: help to stdout, without colours where there are none. Its errors come as failures as well, and
 * are told once, by {@link report}: so commands say what they have to say through `Output`.
 */
const consoleOf = (output: Service, base: Console.Console): Console.Console => {
  const print = (...texts: ReadonlyArray<unknown>): Effect.Effect<void> => {
    const text = `${texts.map(String).join(" ").trimEnd()}\n`
    // Nobody may be left to read it, which is no error.
    return Effect.ignore(output.write(output.isColoured ? text : Palette.strip(text)))
  }
  return { ...base, log: print, error: () => Effect.void }
}

/** Tells what went wrong, in a line; gives the exit code. */
const report = <E>(cause: Cause.Cause<E>, isVerbose: boolean, output: Service): Effect.Effect<number> => {
  if (Cause.isInterruptedOnly(cause)) return Effect.succeed(130)
  const { dim, red } = output.notePalette
  const say = (summary: string, detail: string | undefined) =>
    summary === ""
      ? Effect.void
      : output.note(
        `${red("claude-duplex:")} ${summary}${isVerbose && detail !== undefined ? `\n${dim(detail)}` : ""}`
      )
  const failure = Option.getOrUndefined(Cause.failureOption(cause))
  if (failure instanceof CliError) return Effect.as(say(failure.summary, failure.detail), failure.exitCode)
  if (isValidationError(failure)) {
    return Effect.as(say(sentence(failure), undefined), new CliError({ reason: "Usage", summary: "" }).exitCode)
  }
  return Effect.as(
    say(
      `something happened that should not: ${Cause.pretty(cause).split("\n", 1).join("")}${
        isVerbose ? "" : " (--verbose shows where)"
      }`,
      Cause.pretty(cause)
    ),
    defectCode
  )
}

/** The library's words on one line, and where to look. */
const sentence = (error: ValidationError): string => {
  const words = Palette.strip(HelpDoc.toAnsiText(error.error)).replaceAll(/\s+/g, " ").trim()
  return `${words}${/[.?!]$/.test(words) ? "" : "."}${words.includes("--help") ? "" : " --help says what it takes."}`
}
