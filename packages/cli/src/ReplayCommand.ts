/** `replay`: is `fake-claude`. Owns the command line, which says the same in another form. */
import * as FakeClaudeProcess from "@claude-duplex/transport-mock/FakeClaudeProcess"
import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Example } from "./Help.js"
import { Passthrough } from "./Passthrough.js"

export const summary = "Plays claude from a recording, over stdin and stdout: it is fake-claude."
export const examples: ReadonlyArray<Example> = [
  ["claude-duplex replay session.jsonl", "answers what was recorded as it was answered"],
  ["claude-duplex replay session.jsonl --mode timed --", "at the recorded pace; what a host appends is ignored"]
]

const optional = <A>(name: string, option: Options.Options<A>, description: string) =>
  Options.withDescription(option, description).pipe(
    Options.optional,
    Options.map(Option.match({ onNone: () => [], onSome: (value) => [`--${name}=${String(value)}`] }))
  )

/**
 * `claude-duplex replay`.
 */
export const command = Command.make("replay", {
  file: Args.file({ name: "F", exists: "yes" }).pipe(
    Args.withDescription("A recording, or what a CLI wrote to its stdout. With --script: a script.")
  ),
  script: Options.boolean("script").pipe(Options.withDescription("F is a script, in its JSON form.")),
  lenient: Options.boolean("lenient").pipe(
    Options.withDescription("Answers requests that were not recorded, initialize too.")
  ),
  rest: Options.all([
    optional(
      "mode",
      Options.choice("mode", ["causal", "timed", "fast"]),
      "When recorded lines come: after what caused them (the default), at the recorded pace too, or at once."
    ),
    optional(
      "compare",
      Options.choice("compare", ["exact", "kind", "none"]),
      "How closely what the host sends is compared with what was recorded. Default: kind."
    ),
    optional("exit-code", Options.integer("exit-code"), "How it ends. Default: 0."),
    optional("faults", Options.file("faults", { exists: "yes" }), "A JSON file with a list of faults.")
  ])
}, ({ file, lenient, rest, script }) =>
  Effect.flatMap(Passthrough, (theirs) =>
    FakeClaudeProcess.run(
      [
        ...theirs,
        script ? `--script=${file}` : `--recording=${file}`,
        ...rest.flat(),
        ...(lenient ? ["--lenient"] : [])
      ],
      process.env
    ))).pipe(
    Command.withDescription(`${summary} What stands after -- are claude's arguments, which are ignored.`)
  )
