/** `doctor`: whether `claude` is there, and works with this toolkit. Owns the order of the checks and how they are told. */
import * as Executable from "@claude-duplex/transport-node/Executable"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as Option from "effect/Option"
import { CliError } from "./CliError.js"
import * as Check from "./doctor/Check.js"
import * as checks from "./doctor/checks.js"
import * as roundTrip from "./doctor/roundTrip.js"
import type { Example } from "./Help.js"
import { noClaude } from "./internal/noClaude.js"
import { Output } from "./Output.js"
import type { Palette } from "./Palette.js"

export const summary = "Finds claude, and tries it: version, environment, one turn offline."
export const examples: ReadonlyArray<Example> = [
  ["claude-duplex doctor", "checks the claude that is installed"],
  ["claude-duplex doctor --json", "the same for programs; the exit code is 1 if anything failed"]
]

const marks: Record<Check.Check["status"], (palette: Palette) => string> = {
  ok: ({ green }) => green("✓"),
  warning: ({ yellow }) => yellow("!"),
  failed: ({ red }) => red("✗"),
  skipped: ({ dim }) => dim("–")
}

const nameWidth = "environment".length + 1

/** A check, as a person reads it. */
const toText = ({ advice, name, status, summary }: Check.Check, palette: Palette): string =>
  [
    `${marks[status](palette)} ${palette.bold(name.padEnd(nameWidth))} ${summary}`,
    ...advice.map((line) => palette.dim(`  ${line}`))
  ].join("\n")

const executableOf = (found: Executable.Executable): string => found.args[0] ?? found.command

/**
 * `claude-duplex doctor`.
 */
export const command = Command.make("doctor", {
  claude: Options.text("claude").pipe(
    Options.withDescription("Where claude is. Default: it is looked for."),
    Options.optional
  ),
  json: Options.boolean("json").pipe(Options.withDescription("Prints what was found as JSON."))
}, ({ claude, json }) =>
  Effect.gen(function*() {
    const output = yield* Output
    const found: Array<Check.Check> = []
    /** Told as soon as it is known: the last one takes a while. */
    const tell = (check: Check.Check) => {
      found.push(check)
      return json ? Effect.void : output.write(`${toText(check, output.palette)}\n`)
    }

    const executable = yield* Effect.either(Executable.find({ path: Option.getOrUndefined(claude) }))
    if (executable._tag === "Right") {
      const path = executableOf(executable.right)
      yield* tell(Check.ok("claude", path, { data: { path } }))
      yield* output.status("asking for its version …")
      const version = yield* checks.version(executable.right)
      yield* tell(version)
      yield* tell(checks.environment(process.env))
      yield* output.status("trying a turn …")
      yield* tell(
        version.status === "failed"
          ? Check.skipped("turn", "not tried, since the version is not known or too old")
          : yield* roundTrip.check(path)
      )
    } else {
      const { detail, summary } = noClaude(executable.left)
      yield* tell(Check.failed("claude", summary, { advice: detail?.split("\n") ?? [] }))
      yield* tell(checks.environment(process.env))
    }

    const isWell = found.every(({ status }) => status !== "failed")
    if (json) yield* output.write(`${JSON.stringify({ ok: isWell, checks: found }, null, 2)}\n`)
    if (!isWell) return yield* new CliError({ reason: "Findings", summary: "" })
  }).pipe(Effect.provide(Logger.remove(Logger.defaultLogger)))).pipe(Command.withDescription(summary))
