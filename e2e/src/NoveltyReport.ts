/** What the check of a CLI came to: the same for people and for programs. */
import type { Kind, Novelty } from "@claude-duplex/protocol/Novelty"
import { Array } from "effect"

/** Something new, wherever it occurred. */
export interface Finding {
  readonly kind: Kind
  readonly at: string
  readonly sample: string | undefined
  /** How often. */
  readonly count: number
  readonly frames: ReadonlyArray<string>
  readonly scenarios: ReadonlyArray<string>
}

/** How one scenario went. */
export interface Played {
  readonly scenario: string
  /** How many frames of the CLI's there were. */
  readonly frames: number
  readonly novelties: ReadonlyArray<Novelty>
  /** Why it could not be played to its end, if it could not. That is news, too. */
  readonly failure: string | undefined
}

/** A whole check. */
export interface Report {
  readonly version: string
  readonly scenarios: number
  readonly frames: number
  readonly findings: ReadonlyArray<Finding>
  readonly failures: ReadonlyArray<{ readonly scenario: string; readonly why: string }>
}

/** Sums up what was played. */
export const make = (version: string, played: ReadonlyArray<Played>): Report => ({
  version,
  scenarios: played.length,
  frames: played.reduce((sum, { frames }) => sum + frames, 0),
  findings: summarize(played),
  failures: played.flatMap(({ failure, scenario }) => failure === undefined ? [] : [{ scenario, why: failure }])
})

/** Whether the CLI is as the schemas and the scenarios have it. */
export const isClean = ({ failures, findings }: Report): boolean => failures.length === 0 && findings.length === 0

const summarize = (played: ReadonlyArray<Played>): ReadonlyArray<Finding> => {
  const all = played.flatMap(({ novelties, scenario }) => novelties.map((novelty) => ({ ...novelty, scenario })))
  // Two new values of one field are two things to add; two samples of a new field are one.
  const groups = Array.groupBy(all, ({ at, kind, sample }) => `${kind} ${at} ${kind === "new-value" ? sample : ""}`)
  return Object.entries(groups).sort(([a], [b]) => a < b ? -1 : 1).map(([, same]) => ({
    kind: same[0].kind,
    at: same[0].at,
    sample: same[0].sample,
    count: same.length,
    frames: [...new Set(same.map(({ frame }) => frame))],
    scenarios: [...new Set(same.map(({ scenario }) => scenario))]
  }))
}

const words: Record<Kind, string> = {
  "new-frame": "new frame",
  "new-field": "new field",
  "new-value": "new value",
  "missing-field": "missing field",
  "other-kind": "other kind of value",
  "not-a-frame": "not a frame"
}

/** For people. */
export const render = (report: Report): string => {
  const findings = report.findings.map(({ at, count, frames, kind, sample, scenarios }) =>
    [
      `${words[kind]}: ${at}${sample === undefined || kind === "new-frame" ? "" : ` = ${sample}`}`,
      ...(kind === "new-frame" ? [`    ${sample ?? ""}`] : []),
      `    ${count}× in ${frames.join(", ")} (${shortened(scenarios)})`
    ].join("\n")
  )
  const failures = report.failures.map(({ scenario, why }) => `not played to its end: ${scenario}\n    ${why}`)
  const all = [...findings, ...failures]
  const looked = `claude ${report.version}: ${report.frames} frames in ${report.scenarios} scenarios`
  return all.length === 0
    ? `${looked}, and nothing new.`
    : [...all, "", `${looked}, ${findings.length} new, ${failures.length} not played to their end.`].join("\n")
}

const shortened = (names: ReadonlyArray<string>): string =>
  names.length > 4 ? `${names.slice(0, 3).join(", ")} and ${names.length - 3} more` : names.join(", ")
