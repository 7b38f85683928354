/** What a check found, for people. */
import type { Finding, FindingKind, Report } from "./Check.js"
import { damages } from "./Entries.js"
import * as Format from "./Format.js"
import type { Palette } from "./Palette.js"

const words: Record<FindingKind, string> = {
  "damaged": "damaged file",
  "malformed": "malformed line",
  "new-frame": "unknown frame",
  "new-field": "unknown field",
  "new-value": "unknown value",
  "missing-field": "missing field",
  "other-kind": "other kind of value",
  "unanswered": "unanswered request",
  "unended": "never ended",
  "order": "out of order"
}

/**
 * A report as text: a line if nothing was found, a heading and a line for each finding otherwise.
 */
export const render = (report: Report, { bold, dim, green, red }: Palette, columns: number): string => {
  const { entries, file, findings, format, turns, version } = report
  const about = format === null ? "empty" : [
    ...(version === null ? [] : [`claude ${version}`]),
    format === "stdout" ? "stdout" : "recording",
    Format.counted(entries, "line"),
    Format.counted(turns, "turn")
  ].join(", ")
  if (findings.length === 0) return `${green("✓")} ${file}  ${dim(about)}\n`
  return [
    `${red("✗")} ${bold(file)}  ${dim(about)}`,
    ...findings.map((finding) => `    ${line(finding, columns - 4, { dim, red })}`),
    ""
  ].join("\n")
}

/** What a finding is about, in words where it is not already. */
const subject = ({ at, kind }: Finding): string =>
  // The key was just found in it.
  kind === "damaged" && Object.hasOwn(damages, at) ? damages[at as keyof typeof damages] : at

const line = (finding: Finding, columns: number, { dim, red }: Pick<Palette, "dim" | "red">): string => {
  const { by, count, kind, lines, sample } = finding
  const at = subject(finding)
  const who = by === null || kind === "unended" ? "" : by === "cli" ? " by claude" : " by the host"
  const where = lines.length === 0
    ? ""
    : `${lines.length === 1 ? "line" : "lines"} ${lines.join(", ")}${count > lines.length ? ", …" : ""}`
  const often = count > 1 ? `${Format.count(count)}×, ` : ""
  const left = `${words[kind]}${who}: ${at}`
  const right = `(${often}${where})`
  const room = columns - left.length - right.length - 4
  const shown = sample === undefined || room < 12 ? "" : ` = ${Format.oneLine(sample, room)}`
  return `${red(words[kind])}${who}: ${at}${shown} ${dim(right)}`
}
