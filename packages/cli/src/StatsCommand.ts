/** `stats`: how long things took in files, and what they cost. What is measured is in `Stats`. */
import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Effect from "effect/Effect"
import * as Arguments from "./Arguments.js"
import * as Entries from "./Entries.js"
import * as Format from "./Format.js"
import type { Example } from "./Help.js"
import { Output } from "./Output.js"
import * as Source from "./Source.js"
import * as Stats from "./Stats.js"
import * as StatsText from "./StatsText.js"

/** For the list of commands. */
export const summary = "Time to first token, latency of turns and tools, tokens and cost: a table and a chart."

/** For the help. */
export const examples: ReadonlyArray<Example> = [
  ["claude-duplex stats session.jsonl", "p50, p95 and max of turns, tools and requests; tokens; cost"],
  ["claude-duplex stats recordings/*.jsonl", "a line for each file, and all of them together"],
  ["claude-duplex stats --json session.jsonl | jq .total.firstToken.p95", "for scripts"]
]

/** See {@link summary}. */
export const command = Command.make(
  "stats",
  {
    files: Args.atLeast(Arguments.file("file"), 1),
    json: Options.boolean("json").pipe(
      Options.withDescription(
        "One JSON object: `files` by name, and `total`; each is the schema `Summary` of @claude-duplex/cli/Stats."
      )
    )
  },
  ({ files, json }) =>
    Effect.gen(function*() {
      const output = yield* Output
      const total = new Stats.Measured()
      const each: Array<readonly [name: string, summary: Stats.Summary]> = []
      for (const file of files) {
        const measured = yield* measure(file)
        total.add(measured)
        each.push([Source.nameOf(file), Stats.summarize(measured)])
      }
      const all = Stats.summarize(total)
      if (json) {
        return yield* output.write(`${JSON.stringify({ files: Object.fromEntries(each), total: all })}\n`)
      }
      const title = files.length === 1 ? Source.nameOf(files[0] ?? "") : Format.counted(files.length, "file")
      yield* output.write(
        (files.length === 1 ? "" : StatsText.overview(each, output.palette)) +
          StatsText.render(title, all, output.palette)
      )
    })
).pipe(Command.withDescription(summary))

const measure = (file: string) =>
  Effect.gen(function*() {
    const reader = Entries.make()
    const meter = Stats.make(reader.format)
    yield* Source.read(file, (piece) => Effect.sync(() => Entries.visit(reader, piece, meter.observe)))
    for (const entry of reader.end()) meter.observe(entry)
    return meter.measured
  })
