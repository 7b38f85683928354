/** `diff`: what differs between two files. What a difference is, `Diff` says. */
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Effect from "effect/Effect"
import * as Arguments from "./Arguments.js"
import { CliError } from "./CliError.js"
import * as Diff from "./Diff.js"
import * as DiffText from "./DiffText.js"
import * as Entries from "./Entries.js"
import type { Example } from "./Help.js"
import { Output } from "./Output.js"
import * as Source from "./Source.js"

/** For the list of commands. */
export const summary =
  "Compares two recordings, ids aligned: order, shape, values, timing; exits with 1 if they differ."

/** For the help. */
export const examples: ReadonlyArray<Example> = [
  ["claude-duplex diff old/plain.jsonl new/plain.jsonl", "did a CLI upgrade change anything?"],
  ["claude-duplex diff --ignore values a.jsonl b.jsonl", "order and shape alone: the models may say what they like"],
  ["claude-duplex diff --json a.jsonl b.jsonl | jq '.shape[] | select(.change == \"only-b\") | .path'", "for scripts"]
]

/** See {@link summary}. */
export const command = Command.make(
  "diff",
  {
    a: Arguments.file("a"),
    b: Arguments.file("b"),
    ignore: Options.choice("ignore", ["order", "shape", "values", "timing"]).pipe(
      Options.withAlias("i"),
      Options.withDescription("Leaves this out. May be given more than once."),
      Options.repeated
    ),
    json: Options.boolean("json").pipe(
      Options.withDescription("One JSON object: the schema `Report` of @claude-duplex/cli/Diff.")
    )
  },
  ({ a, b, ignore, json }) =>
    Effect.gen(function*() {
      const output = yield* Output
      const report = without(Diff.compare(yield* sideOf(a), yield* sideOf(b)), ignore)
      yield* output.write(
        json ? `${JSON.stringify(report)}\n` : DiffText.render(report, output.palette, output.columns)
      )
      if (!report.same) return yield* new CliError({ reason: "Findings", summary: "" })
    })
).pipe(Command.withDescription(summary))

const without = (report: Diff.Report, ignored: ReadonlyArray<string>): Diff.Report => {
  const kept = <A>(name: string, all: ReadonlyArray<A>): ReadonlyArray<A> => ignored.includes(name) ? [] : all
  const order = kept("order", report.order)
  const shape = kept("shape", report.shape)
  const values = kept("values", report.values)
  const timing = kept("timing", report.timing)
  return { ...report, order, shape, values, timing, same: order.length + shape.length + values.length === 0 }
}

const sideOf = (file: string) =>
  Effect.gen(function*() {
    const reader = Entries.make()
    const entries: Array<Entries.Entry> = []
    const keep = (entry: Entries.Entry | Entries.Damage): void => {
      if (entry._tag === "Entry") entries.push(entry)
    }
    yield* Source.read(file, (piece) => Effect.sync(() => Entries.visit(reader, piece, keep)))
    reader.end().forEach(keep)
    return { name: Source.nameOf(file), format: reader.format(), entries } satisfies Diff.Side
  })
