/** What was measured, for people and for programs. Owns the table and the page; measures nothing. */
import type { Measured } from "./harness/compare.js"
import type { Machine } from "./machine.js"
import type { Benchmark } from "./registry.js"

/** A benchmark that was run. */
export interface Outcome {
  readonly benchmark: Benchmark
  readonly measured: Measured
}

/** Everything about one run of the command. */
export interface Report {
  readonly date: string
  readonly machine: Machine
  readonly outcomes: ReadonlyArray<Outcome>
}

const met = ({ benchmark, measured }: Outcome): boolean | undefined =>
  benchmark.target === undefined ? undefined : measured.value <= benchmark.target

/** A Markdown table, padded as the formatter would. */
export const table = (outcomes: ReadonlyArray<Outcome>): string => {
  const rows = [
    ["#", "work", "against", "target", "measured", "met?"],
    ...outcomes.map((outcome) => {
      const { benchmark, measured } = outcome
      const unit = benchmark.unit === undefined ? "" : ` ${benchmark.unit}`
      const [low, high] = measured.quartiles
      const verdict = met(outcome)
      return [
        benchmark.row ?? "",
        `${benchmark.title} (\`${benchmark.id}\`)`,
        benchmark.against,
        benchmark.target === undefined ? "–" : `≤ ${benchmark.target.toFixed(2)}${unit}`,
        `${digits(measured.value)}${unit} (${digits(low)}–${digits(high)})`,
        verdict === undefined ? "–" : verdict ? "yes" : "**no**"
      ]
    })
  ]
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const format = (row: ReadonlyArray<string>): string =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`
  const [header = [], ...body] = rows
  return [format(header), format(widths.map((width) => "-".repeat(width))), ...body.map(format)].join("\n")
}

/** Why targets were missed, where that is known. */
export const reasons = (outcomes: ReadonlyArray<Outcome>): string =>
  outcomes.flatMap((outcome) => {
    const { id, reason } = outcome.benchmark
    return met(outcome) === false && reason !== undefined ? [`- \`${id}\`: ${reason}`] : []
  }).join("\n")

/** Three digits say all that such a measurement knows. */
const digits = (value: number): string =>
  Math.abs(value) >= 100 ? value.toFixed(0) : Math.abs(value) >= 10 ? value.toFixed(1) : value.toFixed(2)

/** For programs. */
export const json = (report: Report): string =>
  JSON.stringify(
    {
      date: report.date,
      machine: report.machine,
      benchmarks: report.outcomes.map((outcome) => ({
        row: outcome.benchmark.row ?? null,
        id: outcome.benchmark.id,
        title: outcome.benchmark.title,
        against: outcome.benchmark.against,
        target: outcome.benchmark.target ?? null,
        reason: met(outcome) === false ? outcome.benchmark.reason ?? null : null,
        unit: outcome.benchmark.unit ?? "ratio",
        ...outcome.measured,
        met: met(outcome) ?? null
      }))
    },
    undefined,
    2
  )

const notMet = (outcomes: ReadonlyArray<Outcome>): string => {
  const why = reasons(outcomes)
  return why === "" ? "" : `\n## Not met, and why\n\n${why}\n`
}

/** The page `docs/performance.md`. */
export const page = ({ date, machine, outcomes }: Report): string =>
  `# Performance

Made by \`pnpm bench --write\`; do not edit.

A number without a unit is a ratio: the median of the work by the median of what it is held against, over ${
    outcomes[0]?.measured.rounds ?? 0
  } rounds that
alternate between the two (in brackets: the quartiles of single rounds). Below 1 is less. Speeds of one machine mean little
on another, and little on the same one when it is busy; ratios of work that was done side by side mean more. CPU is the
host's alone: what the process that prints uses is not in it. A target that is not met stays here with what was measured.

${table(outcomes)}
${notMet(outcomes)}
## The corpus

2000 lines made from frames that version ${machine.recordings} of the CLI wrote, with their texts replaced: by count about 80%
content deltas of some 350 bytes, 12% messages of the model of 0.5 to 20 KB, 8% results of tools of 1 to 100 KB. By
bytes, most is results of tools. Shares and sizes are an assumption about working sessions. The same seed makes the same
bytes everywhere.

## The machine

- ${machine.cpu}, ${machine.cores} cores, ${machine.platform}
- Node ${machine.node}, effect ${machine.effect}, @claude-duplex/protocol ${machine.protocol}
- ${date}

## To reproduce

\`\`\`sh
pnpm install
pnpm build
pnpm bench                # this table
pnpm bench --only decode  # one benchmark
pnpm bench --rounds 21    # more rounds
pnpm bench --json         # for programs
pnpm bench --write        # this page
\`\`\`

Each variant runs in a process of its own, so that what the engine learns from one does not change the other; both are
started anew a few times, and every time the first rounds do not count.
`
