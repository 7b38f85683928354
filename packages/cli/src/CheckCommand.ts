/** `check`: what is wrong with files, or new in them. What that is, `Check` knows. */
import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Effect from "effect/Effect"
import * as Arguments from "./Arguments.js"
import * as Check from "./Check.js"
import * as CheckText from "./CheckText.js"
import { CliError } from "./CliError.js"
import * as Entries from "./Entries.js"
import * as Format from "./Format.js"
import type { Example } from "./Help.js"
import { Output } from "./Output.js"
import * as Source from "./Source.js"

/** For the list of commands. */
export const summary =
  "Reports what is unknown, malformed, unanswered, unended or out of order; exits with 1 if anything is."

/** For the help. */
export const examples: ReadonlyArray<Example> = [
  ["claude-duplex check recordings/*.jsonl", "exits with 1 if there is anything to report"],
  ["claude-duplex check --json session.jsonl | jq '.findings[] | select(.kind == \"new-field\") | .at'", "for scripts"],
  ["claude … --output-format stream-json | claude-duplex check -", "a live CLI's stdout"]
]

/** See {@link summary}. */
export const command = Command.make(
  "check",
  {
    files: Args.atLeast(Arguments.file("file"), 1),
    json: Options.boolean("json").pipe(
      Options.withDescription(
        "One JSON object for each file, one a line: the schema `Report` of @claude-duplex/cli/Check."
      )
    )
  },
  ({ files, json }) =>
    Effect.gen(function*() {
      const output = yield* Output
      let found = 0
      for (const file of files) {
        const report = yield* check(file)
        found += report.findings.length
        yield* output.write(
          json ? `${JSON.stringify(report)}\n` : CheckText.render(report, output.palette, output.columns)
        )
      }
      if (!json && files.length > 1) {
        const findings = found === 0 ? "nothing to report" : Format.counted(found, "finding")
        yield* output.write(`\n${Format.counted(files.length, "file")}, ${findings}\n`)
      }
      if (found > 0) return yield* new CliError({ reason: "Findings", summary: "" })
    })
).pipe(Command.withDescription(summary))

const check = (file: string) =>
  Effect.gen(function*() {
    const reader = Entries.make()
    const checker = Check.make()
    yield* Source.read(file, (piece) => Effect.sync(() => Entries.visit(reader, piece, checker.observe)))
    for (const entry of reader.end()) checker.observe(entry)
    return checker.end(Source.nameOf(file), reader.format())
  })
