/** Two conversations side by side, for people: what changed, grouped, and no more than fits a screen or two. */
import type { Report } from "./Diff.js"
import * as Format from "./Format.js"
import type { Palette } from "./Palette.js"

/** How many differences of one sort are shown; `--json` has them all. */
const most = 25

/**
 * A report as text.
 */
export const render = (report: Report, palette: Palette, columns: number): string => {
  const { bold, dim, green, red, yellow } = palette
  const { a, aligned, b, durations, order, shape, timing, values } = report
  const often = (count: number) => count > 1 ? dim(` (${Format.count(count)}×)`) : ""
  const lines = (numbers: ReadonlyArray<number>, count: number) =>
    `${numbers.length === 1 ? "line" : "lines"} ${numbers.join(", ")}${count > numbers.length ? ", …" : ""}`
  const arrow = (dir: "host" | "cli") => dir === "host" ? "→" : "←"
  const room = Math.max(24, columns - 10)
  const change = (from: string, to: string) => {
    const half = Math.floor((room - 4) / 2)
    return `${Format.oneLine(from, half)} ${dim("⇒")} ${Format.oneLine(to, half)}`
  }
  return [
    `${red("−")} ${bold(a)}\n${green("+")} ${bold(b)}\n`,
    ...section(
      bold("Order"),
      order.map(({ change, count, dir, frame, lines: at, linesB }) => {
        const mark = change === "only-a" ? red("−") : change === "only-b" ? green("+") : yellow("~")
        const where = linesB === undefined
          ? lines(at, count)
          : `moved: ${lines(at, count)} ⇒ ${linesB.join(", ")}`
        return `  ${mark} ${arrow(dir)} ${frame}${often(count)} ${dim(where)}`
      })
    ),
    ...byFrame(bold("Shape"), shape, ({ a, b, change, count, path }) => {
      if (change === "kind") return `    ${yellow("~")} ${path}: ${a} ${dim("⇒")} ${b}${often(count)}`
      const sample = Format.oneLine(a ?? b ?? "", Math.max(12, room - path.length))
      return `    ${change === "only-a" ? red("−") : green("+")} ${path} ${dim(sample)}${often(count)}`
    }),
    ...byFrame(
      bold("Values"),
      values,
      ({ a, b, count, path }) => `    ${yellow("~")} ${path}${often(count)}\n        ${change(a, b)}`
    ),
    ...section(
      `${bold("Timing")}${
        durations === null ? "" : dim(`  ${Format.millis(durations.a)} ⇒ ${Format.millis(durations.b)} in all`)
      }`,
      timing.slice(0, 8).map(({ a, b, frame, lineA, lineB }) =>
        `  ${frame}: ${Format.millis(a)} ${dim("⇒")} ${Format.millis(b)} ${dim(`lines ${lineA} ⇒ ${lineB}`)}`
      )
    ),
    report.same
      ? `${green("✓")} the same, in ${Format.counted(aligned, "frame")}; ids, times, tokens and cost aside\n`
      : `${
        Format.counted(aligned, "frame")
      } aligned; ${order.length} differ in order, ${shape.length} in shape, ${values.length} in value\n`
  ].join("\n")
}

const section = (title: string, rows: ReadonlyArray<string>): ReadonlyArray<string> =>
  rows.length === 0 ? [] : [[title, ...rows.slice(0, most), ...more(rows.length)].join("\n"), ""]

const more = (count: number): ReadonlyArray<string> =>
  count > most ? [`  … ${count - most} more; --json lists all`] : []

/** A heading for each frame, and its differences below. */
const byFrame = <A extends { readonly frame: string }>(
  title: string,
  all: ReadonlyArray<A>,
  row: (one: A) => string
): ReadonlyArray<string> => {
  const shown = all.slice(0, most)
  const frames = [...new Set(shown.map(({ frame }) => frame))]
  const rows = frames.flatMap((frame) => [`  ${frame}`, ...shown.filter((one) => one.frame === frame).map(row)])
  return rows.length === 0 ? [] : [[title, ...rows, ...more(all.length)].join("\n"), ""]
}
