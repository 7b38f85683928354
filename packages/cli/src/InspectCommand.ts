/** `inspect`: a file as a timeline. What is in it is `Timeline`'s, how it looks `TimelineText`'s. */
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Arguments from "./Arguments.js"
import { CliError } from "./CliError.js"
import * as Entries from "./Entries.js"
import type { Example } from "./Help.js"
import { Output } from "./Output.js"
import * as Source from "./Source.js"
import * as Timeline from "./Timeline.js"
import * as TimelineText from "./TimelineText.js"

/** For the list of commands. */
export const summary = "Shows a recording, or a copy of the CLI's stdout, as a readable timeline."

/** For the help. */
export const examples: ReadonlyArray<Example> = [
  ["claude-duplex inspect session.jsonl", "turns, tools, permissions, control traffic, timings, cost"],
  ["claude-duplex inspect --kind tool --kind permission session.jsonl", "only what tools did, and who allowed it"],
  ["claude-duplex inspect --turn 2 --grep 'rm -rf' session.jsonl", "one turn, one word"],
  ["claude-duplex inspect --follow session.jsonl", "goes on while the file grows"],
  ["claude … --output-format stream-json | claude-duplex inspect -", "a live CLI's stdout"],
  ["claude-duplex inspect --json session.jsonl | jq 'select(.kind == \"result\") | .usd'", "for scripts"]
]

/** Which items are wanted. */
interface Filter {
  readonly kinds: ReadonlyArray<Timeline.Kind>
  readonly turns: ReadonlyArray<number>
  readonly dir: Option.Option<"host" | "cli">
  readonly grep: Option.Option<RegExp>
}

const matches = ({ dir, grep, kinds, turns }: Filter) => (draft: Timeline.Draft): boolean =>
  (kinds.length === 0 || kinds.includes(draft.kind)) &&
  (turns.length === 0 || (draft.turn !== null && turns.includes(draft.turn))) &&
  (Option.isNone(dir) || draft.dir === dir.value) &&
  (Option.isNone(grep) || grep.value.test(draft.name) || grep.value.test(Timeline.textOf(draft.body)))

/** How much is printed as one text: to encode each line on its own takes longer. */
const textLength = 16 * 1024

/** See {@link summary}. */
export const command = Command.make(
  "inspect",
  {
    file: Arguments.file("file"),
    kinds: Options.choice("kind", Timeline.Kind.literals).pipe(
      Options.withAlias("k"),
      Options.withDescription("Only items of this kind. May be given more than once."),
      Options.repeated
    ),
    turns: Options.integer("turn").pipe(
      Options.withDescription("Only this turn, from 1. May be given more than once."),
      Options.repeated
    ),
    dir: Options.choice("dir", ["host", "cli"]).pipe(
      Options.withDescription("Only what this side wrote."),
      Options.optional
    ),
    grep: Options.text("grep").pipe(
      Options.withAlias("g"),
      Options.withDescription("Only items whose name or text this regular expression finds something in."),
      Options.optional
    ),
    follow: Options.boolean("follow").pipe(
      Options.withAlias("f"),
      Options.withDescription("Waits for more at the end of the file, until it is interrupted.")
    ),
    json: Options.boolean("json").pipe(
      Options.withDescription("One JSON object a line: the schema `Item` of @claude-duplex/cli/Timeline.")
    )
  },
  ({ dir, file, follow, grep, json, kinds, turns }) =>
    Effect.gen(function*() {
      const output = yield* Output
      const isWanted = matches({ kinds, turns, dir, grep: yield* compile(grep) })
      const reader = Entries.make()
      const timeline = Timeline.make()
      let writer: TimelineText.Writer | undefined
      const line = (draft: Timeline.Draft): string => {
        if (json) return `${JSON.stringify(Timeline.finish(draft))}\n`
        const format = reader.format() ?? "recording"
        writer ??= TimelineText.make({ palette: output.palette, columns: output.columns, format })
        return writer(draft)
      }
      let printed: Array<Uint8Array> = []
      let lines = ""
      /** As bytes before long: a text holds on to the one that it was cut from, and no text may be of any length. */
      const toBytes = (): void => {
        printed.push(Buffer.from(lines))
        lines = ""
      }
      const add = (drafts: ReadonlyArray<Timeline.Draft>): void => {
        for (const draft of drafts) {
          if (!isWanted(draft)) continue
          lines += line(draft)
          if (lines.length >= textLength) toBytes()
        }
      }
      const show = (entry: Entries.Entry | Entries.Damage): void => {
        const drafts = timeline.observe(entry)
        if (drafts.length > 0) add(drafts)
      }
      /** All of a piece at once. */
      const write = Effect.suspend(() => {
        if (lines !== "") toBytes()
        const all = printed
        printed = []
        return all.length === 0 ? Effect.void : output.write(Buffer.concat(all))
      })
      const flush = Effect.suspend(() => {
        add(timeline.flush())
        return write
      })
      const step = (piece: Uint8Array) =>
        Effect.suspend(() => {
          Entries.visit(reader, piece, show)
          return write
        })
      yield* Source.read(file, step, { follow, onIdle: flush })
      for (const entry of reader.end()) show(entry)
      yield* flush
    })
).pipe(Command.withDescription(summary))

const compile = (grep: Option.Option<string>) =>
  Option.match(grep, {
    onNone: () => Effect.succeed(Option.none<RegExp>()),
    onSome: (source) =>
      Effect.try({
        try: () => Option.some(new RegExp(source)),
        catch: (cause) =>
          new CliError({
            reason: "Usage",
            summary: `--grep ${source} is no regular expression.`,
            detail: String(cause)
          })
      })
  })
