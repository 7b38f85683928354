/** What can go wrong at a frame, one thing at a time. */
import * as Faults from "@claude-duplex/transport-mock/Faults"
import type { Behaviour } from "@claude-duplex/transport-mock/Peer"
import type { ReplayError } from "@claude-duplex/transport-mock/ReplayError"
import { Effect } from "effect"

type Cli = Behaviour<ReplayError>

/** A kind of fault. */
export interface Kind {
  readonly name: string
  /** What it does, for people. */
  readonly title: string
  /** Frames of which side it can happen to. */
  readonly of: "cli" | "host"
  /** The host must not notice: turns, answers and calls are what they would have been. */
  readonly harmless: boolean
  /** Lets it happen to the frame with this number, from 0. */
  readonly at: (frame: number) => (cli: Cli) => Cli
}

/** Longer than any timeout of a session's, and shorter than the patience of the host. */
const late = "10 minutes"

/** Does something else with one of the writes: a replay writes a line at a time. */
const insteadOf = (
  frame: number,
  write: (bytes: Uint8Array, write: (bytes: Uint8Array) => Effect.Effect<void>) => Effect.Effect<void>
) =>
(cli: Cli): Cli =>
(peer) => {
  let count = 0
  return cli({
    ...peer,
    write: (bytes) => Effect.suspend(() => count++ === frame ? write(bytes, peer.write) : peer.write(bytes))
  })
}

/** In how many pieces a line comes that is cut. */
const pieces = 50

const newline = Uint8Array.of(0x0A)

export const kinds: ReadonlyArray<Kind> = [
  {
    name: "cut",
    title: "its line comes in 50 pieces, cut anywhere",
    of: "cli",
    harmless: true,
    at: (frame) =>
      insteadOf(frame, (bytes, write) => {
        const size = Math.ceil(bytes.length / pieces)
        return Effect.forEach(
          Array.from({ length: pieces }, (_, i) => bytes.subarray(i * size, (i + 1) * size)),
          write,
          { discard: true }
        )
      })
  },
  {
    name: "noise",
    title: "a line that is no frame comes before it",
    of: "cli",
    harmless: true,
    at: (line) => Faults.apply(Faults.insert({ line, text: "[warn] über ☃ {\"type\":" }))
  },
  {
    name: "duplicate",
    title: "it comes twice",
    of: "cli",
    harmless: true,
    at: (line) => Faults.apply(Faults.duplicate({ line }))
  },
  {
    name: "torn",
    title: "half of it is lost",
    of: "cli",
    harmless: false,
    at: (frame) =>
      insteadOf(frame, (bytes, write) => Effect.zipRight(write(bytes.subarray(0, bytes.length / 2)), write(newline)))
  },
  {
    name: "swapped",
    title: "it changes places with the next",
    of: "cli",
    harmless: false,
    at: (line) => Faults.apply(Faults.hold({ line }, { lines: 1 }))
  },
  {
    name: "delay",
    title: "it, and all that follows, comes after every timeout",
    of: "cli",
    harmless: false,
    at: (line) => Faults.apply(Faults.delay({ line, time: late }))
  },
  {
    name: "late",
    title: "it alone comes after every timeout: an answer, after the question was withdrawn",
    of: "cli",
    harmless: false,
    at: (line) => Faults.apply(Faults.hold({ line }, { time: late }))
  },
  {
    name: "exit",
    title: "the CLI ends after it",
    of: "cli",
    harmless: false,
    at: (line) => Faults.apply(Faults.exit({ after: { line }, with: "SIGKILL" }))
  },
  {
    name: "eof",
    title: "the CLI ends in the middle of its line",
    of: "cli",
    harmless: false,
    at: (line) => Faults.apply(Faults.endInLine({ line, bytes: 40 }))
  },
  {
    name: "deaf",
    title: "the CLI reads nothing after it",
    of: "host",
    harmless: false,
    at: (frame) => Faults.apply(Faults.stalledInput({ lines: frame + 1 }))
  }
]
