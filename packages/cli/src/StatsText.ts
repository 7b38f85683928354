/** Statistics for people: tables, and bars. */
import * as Format from "./Format.js"
import type { Palette } from "./Palette.js"
import type { Distribution, Summary } from "./Stats.js"

/** How wide the longest bar is. */
const barWidth = 30

const eighths = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"]

/**
 * A bar of so many parts of the longest one.
 */
export const bar = (share: number, width = barWidth): string => {
  const parts = Math.round(Math.min(1, Math.max(0, share)) * width * 8)
  // Something that is there is seen.
  return parts === 0 && share > 0 ? "▏" : "█".repeat(Math.floor(parts / 8)) + (eighths[parts % 8] ?? "")
}

/** Columns as wide as their widest cell; numbers to the right. */
const table = (rows: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<string> => {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? "").length)))
  return rows.map((row) =>
    row.map((cell, column) => {
      const width = widths[column] ?? 0
      return column === 0 ? cell.padEnd(width) : cell.padStart(width)
    }).join("  ").trimEnd()
  )
}

const durations = ({ count, max, p50, p95 }: Distribution): ReadonlyArray<string> => [
  Format.count(count),
  ...[p50, p95, max].map(Format.millis)
]

/**
 * A summary as text.
 */
export const render = (title: string, summary: Summary, { bold, cyan, dim, red }: Palette): string => {
  const { entries, failedTurns, firstToken, histogram, models, requests, tokens, tools, turn, turns, usd } = summary
  const failed = failedTurns === 0 ? "" : `, ${red(`${failedTurns} failed`)}`
  const heading = `${bold(title)}  ${dim(`${Format.counted(entries, "line")}, `)}${
    Format.counted(turns, "turn")
  }${failed}`
  const rows = [
    ["", "count", "p50", "p95", "max"],
    ...(firstToken === null ? [] : [["first token", ...durations(firstToken)]]),
    ...(turn === null ? [] : [["turn", ...durations(turn)]]),
    ...Object.entries(tools).map(([name, tool]) => [
      `tool ${name}${tool.errors === 0 ? "" : ` (${Format.counted(tool.errors, "error")})`}`,
      ...durations(tool)
    ]),
    ...Object.entries(requests).map((
      [name, request]
    ) => [name.replace("cli ", "← ").replace("host ", "→ "), ...durations(request)])
  ]
  const [header = "", ...body] = table(rows)
  const longest = Math.max(1, ...histogram.map((bucket) => bucket.turns))
  const labels = histogram.map(({ upTo }) =>
    upTo === null ? "longer" : upTo < 1_000 ? `≤ ${upTo} ms` : `≤ ${upTo / 1_000} s`
  )
  const labelWidth = Math.max(...labels.map((label) => label.length))
  const chart = histogram.map(({ turns }, i) =>
    `  ${(labels[i] ?? "").padStart(labelWidth)}  ${cyan(bar(turns / longest))} ${
      turns === 0 ? "" : Format.count(turns)
    }`
      .trimEnd()
  )
  const used = Object.entries(models)
  const cost = table([
    ["", "input", "output", "cache read", "cache write", "cost"],
    ...used.map(([name, model]) => [
      name,
      ...[model.input, model.output, model.cacheRead, model.cacheWrite].map(Format.count),
      Format.usd(model.usd)
    ]),
    ...(used.length === 1
      ? []
      : [[
        "all",
        ...[tokens.input, tokens.output, tokens.cacheRead, tokens.cacheWrite].map(Format.count),
        Format.usd(usd)
      ]])
  ])
  return [
    heading,
    ...(body.length === 0 ? [] : ["", dim(`  ${header}`), ...body.map((row) => `  ${row}`)]),
    ...(chart.length === 0 ? [] : ["", `  ${dim("turns by how long they took")}`, ...chart]),
    ...(turns === 0 ? [] : ["", dim(`  ${cost[0] ?? ""}`), ...cost.slice(1).map((row) => `  ${row}`)]),
    ""
  ].join("\n")
}

/**
 * A line for each of several files.
 */
export const overview = (files: ReadonlyArray<readonly [name: string, summary: Summary]>, { dim }: Palette): string => {
  const longest = Math.max(1, ...files.map(([, { turn }]) => turn?.p50 ?? 0))
  const rows = table([
    ["file", "turns", "first token", "turn p50", "cost", ""],
    ...files.map(([name, { firstToken, turn, turns, usd }]) => [
      name,
      Format.count(turns),
      firstToken === null ? "–" : Format.millis(firstToken.p50),
      turn === null ? "–" : Format.millis(turn.p50),
      Format.usd(usd)
    ])
  ])
  const [header = "", ...body] = rows
  const bars = files.map(([, { turn }]) => turn === null ? "" : bar(turn.p50 / longest, 20))
  const width = Math.max(...rows.map((row) => row.length))
  return [dim(header), ...body.map((row, i) => `${row.padEnd(width)}  ${bars[i] ?? ""}`.trimEnd()), "", ""].join("\n")
}
