/** Runs: one recording, one frame of it, one fault there. */
import { Cause, Effect } from "effect"
import { play, type Played } from "../recorded/play.js"
import { recordedBy } from "../recorded/recordedHost.js"
import * as Recordings from "../recorded/recordings.js"
import * as Simulation from "../simulation.js"
import { endingOf, judge } from "./judge.js"
import { type Kind, kinds } from "./kinds.js"

/** What is to be run. */
export interface Run {
  readonly recording: string
  readonly kind: Kind
  /** Which frame of its side, from 0. */
  readonly frame: number
}

/** A run that was made. */
export interface Judged {
  readonly run: Run
  /** How messages and requests ended. */
  readonly endings: ReadonlyArray<string>
  /** What did not hold; empty if all did. */
  readonly violations: ReadonlyArray<string>
}

/** Every run there is. */
export const all = (): ReadonlyArray<Run> =>
  Recordings.names.flatMap((recording) => {
    const { cli, steps } = recordedBy(recording)
    return kinds.flatMap((kind) =>
      Array.from({ length: kind.of === "cli" ? cli.length : steps.length }, (_, frame) => ({ recording, kind, frame }))
    )
  })

/** The name of a run, as the command takes it. */
export const nameOf = ({ frame, kind, recording }: Run): string => `${recording}:${kind.name}:${frame}`

/** Makes runs. Keeps, for each recording, what happens without a fault. */
export const maker = (): (run: Run) => Judged => {
  const unharmed = new Map<string, Played>()

  const unharmedOf = (recording: string): Played => {
    const known = unharmed.get(recording)
    if (known !== undefined) return known
    const outcome = Simulation.run(Effect.scoped(play(recording)))
    if (outcome._tag !== "Done" || outcome.exit._tag === "Failure") {
      throw new Error(`${recording} cannot even be played without a fault: ${outcome._tag}`)
    }
    unharmed.set(recording, outcome.exit.value)
    return outcome.exit.value
  }

  return (run) => {
    const { frame, kind, recording } = run
    const made = (endings: ReadonlyArray<string>, violations: ReadonlyArray<string>): Judged => ({
      run,
      endings,
      violations
    })
    const outcome = Simulation.run(Effect.scoped(play(recording, { faulty: kind.at(frame) })))
    if (outcome._tag === "Stuck") return made([], ["something never settles"])
    if (outcome._tag === "Endless") return made([], ["it goes in circles"])
    const left = outcome.left === 0 ? [] : [`${outcome.left} fibers sleep on after the end`]
    if (outcome.exit._tag === "Failure") {
      const { cause } = outcome.exit
      const failure = Cause.failureOption(cause)
      const isTyped = failure._tag === "Some" && failure.value._tag === "ControlError"
      return isTyped
        ? made([`session: ${failure.value.reason}`], left)
        : made([], [...left, `the session failed with ${Cause.pretty(cause)}`])
    }
    const played = outcome.exit.value
    return made(
      [
        ...played.results.map((result) => `message: ${endingOf(result, "result")}`),
        ...played.refused.map(({ _tag }) => `message: ${_tag}`),
        ...played.answers.map((answer) => `request: ${endingOf(answer, "answer")}`)
      ],
      [...left, ...judge(played, kind.harmless ? unharmedOf(recording) : undefined)]
    )
  }
}
