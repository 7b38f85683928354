/** What was found, for people: the table and the page. Measures nothing. */
import type { Machine } from "@claude-duplex/benchmarks/machine"
import { byTests } from "./byTests.js"
import { kinds } from "./faults/kinds.js"
import type { Outcome } from "./outcome.js"

/** What one command found. */
export interface Found {
  readonly command: string
  readonly outcome: Outcome
}

/** Everything about one run of all commands. */
export interface Report {
  readonly date: string
  readonly machine: Machine
  /** The load average of the machine, over the last quarter of an hour: what else it did meanwhile. */
  readonly load: number
  readonly found: ReadonlyArray<Found>
}

/** A Markdown table, padded as the formatter would. */
const markdown = (rows: ReadonlyArray<ReadonlyArray<string>>): string => {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const format = (row: ReadonlyArray<string>): string =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`
  const [header = [], ...body] = rows
  return [format(header), format(widths.map((width) => "-".repeat(width))), ...body.map(format)].join("\n")
}

const rowsOf = (found: ReadonlyArray<Found>): ReadonlyArray<ReadonlyArray<string>> =>
  found.flatMap(({ command, outcome }) =>
    outcome.rows.map(({ figure, promise }) => [promise, figure, `\`pnpm ${command}\``])
  )

/** The promises with what was measured of them. */
export const table = (found: ReadonlyArray<Found>): string =>
  markdown([["promise", "figure", "command"], ...rowsOf(found)])

/** The page `docs/reliability.md`. */
export const page = ({ date, found, load, machine }: Report): string =>
  `# Reliability

Made by \`pnpm reliability --write\`; do not edit. What is promised, what was measured of it, and the command that measures it
again. Each command fails if anything does not hold, and prints how to see it again.

${
    markdown([
      ["promise", "figure", "command"],
      ...rowsOf(found),
      ...byTests.map(({ command, figure, promise }) => [promise, figure, `\`${command}\``])
    ])
  }

## What is tried

**\`pnpm fuzz [--seconds 60] [--seed N]\`** throws bytes at the line decoder, the codec, the session machine and a whole
session: what once failed (\`reliability/corpus/\`), wrong types in every field of every schema, and then what chance makes of a
seed: bytes, recordings with bytes or fields changed, made-up frames, real frames in impossible order, JSON nested 100,000
levels deep, huge numbers, lone surrogates, \`__proto__\`, the same key twice. Nothing may throw but the typed errors; each input
ends within 20 s (a loop without an end is stopped and reported); no prototype may change; any cutting of the bytes gives
the same; what is decoded encodes to the same JSON; the next good frame is decoded; everything that waits settles once. An
input that fails is made smaller and kept in the corpus.

**\`pnpm faults\`** plays every recording to a session whose host is made of the same recording, once for every frame and every
fault there, in virtual time: no timer runs, a day takes microseconds, and that nothing can happen any more is known at once.
Then it judges: everything settled and how, every line told of once and in order, no message, answer or permission twice, no
fiber left. One run: \`pnpm faults --only 2.1.326/plain:exit:3\`. A seeded sample is part of the unit tests.

${
    markdown([
      ["fault", "at a frame", "the host"],
      ...kinds.map(({ harmless, name, title }) => [
        `\`${name}\``,
        title,
        harmless ? "sees the same turns, answers and calls" : "gets a result or a typed error for each"
      ])
    ])
  }

**\`pnpm soak\`** keeps one session on one process. After every tenth, the engine is asked for all objects that are alive, after a
garbage collection: fibers, entries of all maps and sets, listeners; and the system for descriptors and children.

**\`pnpm load\`** opens many sessions in one host. Starting 200 \`fake-claude\` processes is mostly Node's own start, some 0.3 s of
CPU each, eight at a time. The delay of the event loop is that of the host, from the first start to the last result, and
includes what the system gives to the processes meanwhile.

## The machine

- ${machine.cpu}, ${machine.cores} cores, ${machine.platform}
- Node ${machine.node}, effect ${machine.effect}, @claude-duplex/protocol ${machine.protocol}, recordings of ${machine.recordings}
- ${date}; load average of the machine at the end of the run: ${load.toFixed(1)} (this run alone makes about 1)
`
