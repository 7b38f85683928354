/**
 * `record`: a proxy between a host and `claude` that writes down what passes. Owns the command line; the traffic is
 * `record/`'s.
 */
import * as Executable from "@claude-duplex/transport-node/Executable"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { CliError } from "./CliError.js"
import type { Example } from "./Help.js"
import { noClaude } from "./internal/noClaude.js"
import { Output } from "./Output.js"
import { Passthrough } from "./Passthrough.js"
import { launch } from "./record/launch.js"
import * as Proxy from "./record/proxy.js"
import * as Shim from "./record/Shim.js"
import type { Settings } from "./record/tape.js"

export const summary = "Sits between any host and claude, changes nothing, and writes a recording."
export const examples: ReadonlyArray<Example> = [
  ["claude-duplex record --out session.jsonl -- claude", "stands in for claude; what a host appends is claude's"],
  ["claude-duplex record --out recordings/ --shim ./claude-recorded", "writes a stand-in, for hosts that take a path"]
]

/** The command, as {@link find} finds it, and its arguments. */
const find = ([name, ...args]: ReadonlyArray<string>): Effect.Effect<Executable.Executable, CliError> =>
  // Who says `claude` means the one that everything else here finds, too.
  Executable.find(name === undefined || name === "claude" ? {} : { path: name }).pipe(
    Effect.map((executable) => ({ ...executable, args: [...executable.args, ...args] })),
    Effect.mapError(noClaude)
  )

/**
 * `claude-duplex record`.
 */
export const command = Command.make("record", {
  out: Options.text("out").pipe(
    Options.withAlias("o"),
    Options.withDescription(
      "The file to record into, or a folder in which each conversation gets a file of its own. Nothing is overwritten: a name that is taken gets a number. Default: a file named for the time, here."
    ),
    Options.optional
  ),
  raw: Options.boolean("raw").pipe(
    Options.withDescription("Records keys and tokens as they are, instead of taking them out.")
  ),
  shim: Options.file("shim").pipe(
    Options.withDescription(
      "Writes an executable that stands in for the command and records whenever it is run: for hosts that take a path to claude and nothing else."
    ),
    Options.optional
  )
}, ({ out, raw, shim }) =>
  Effect.gen(function*() {
    const executable = yield* find(yield* Passthrough)
    const settings: Settings = { out: Option.getOrUndefined(out), raw }
    if (Option.isSome(shim)) {
      yield* Shim.write(shim.value, settings, executable)
      const { write } = yield* Output
      return yield* write(`${shim.value} records. Give its path to your host in place of claude's.\n`)
    }
    return yield* Proxy.run(launch(executable.command, executable.args), settings)
  })).pipe(
    Command.withDescription(
      `${summary} The command and its arguments stand after --, and are claude if there are none.`
    )
  )
