/** The fault `hold`: lines that come late. Owns when they come, and that they never land in the middle of another line. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import type * as Fault from "../Fault.js"
import type { Peer } from "../Peer.js"
import { chooser } from "./chooser.js"
import { matchesLine } from "./matching.js"
import { concat, makeSplitter, type Piece } from "./outputLines.js"

interface Held {
  readonly bytes: Uint8Array
  /** How many lines still go first; infinitely many, if something else lets it go. */
  linesLeft: number
}

export const holding = ({ until, where }: Fault.Hold, peer: Peer, scope: Scope.Scope): Effect.Effect<Peer> =>
  Effect.sync(() => {
    // What is written, what time lets go and what the host lets go come from different fibers.
    const lock = Effect.unsafeMakeSemaphore(1)
    const split = makeSplitter()
    const isChosen = chooser(where)
    // A line that is chosen by its number passes or is kept piece by piece; by its fields, only when it is whole.
    const passesAtOnce = "line" in where ? (line: number) => line !== where.line : () => false
    let held: ReadonlyArray<Held> = []
    let pieces: Array<Uint8Array> = []
    let inLine = false

    /** Writes what may go, unless a line is unfinished: then its end does. */
    const release = Effect.suspend(() => {
      if (inLine) return Effect.void
      const due = held.filter(({ linesLeft }) => linesLeft <= 0)
      held = held.filter(({ linesLeft }) => linesLeft > 0)
      return Effect.forEach(due, ({ bytes }) => peer.write(bytes), { discard: true })
    })

    const hold = (bytes: Uint8Array): Effect.Effect<void> => {
      const line: Held = { bytes, linesLeft: "lines" in until ? until.lines : Number.POSITIVE_INFINITY }
      held = [...held, line]
      if (!("time" in until)) return release
      const later = Effect.suspend(() => {
        line.linesLeft = 0
        return release
      })
      return Effect.sleep(until.time).pipe(
        Effect.zipRight(lock.withPermits(1)(later)),
        Effect.forkIn(scope),
        Effect.asVoid
      )
    }

    const pass = (bytes: Uint8Array, ends: boolean): Effect.Effect<void> =>
      Effect.suspend(() => {
        inLine = !ends
        if (ends) { for (const line of held) line.linesLeft-- }
        return Effect.zipRight(peer.write(bytes), release)
      })

    const onPiece = ({ bytes, ends, line }: Piece): Effect.Effect<void> => {
      if (passesAtOnce(line)) return pass(bytes, ends)
      // A copy: whoever wrote it may use its buffer again before it is let go.
      pieces.push(new Uint8Array(bytes))
      if (!ends) return Effect.void
      const whole = concat(pieces)
      pieces = []
      return isChosen(line, whole) ? hold(whole) : pass(whole, true)
    }

    const everything = Effect.suspend(() => {
      // After a line that never ends there is no place for another.
      const rest = [...(inLine ? [] : held.map(({ bytes }) => bytes)), ...pieces]
      held = []
      pieces = []
      return Effect.forEach(rest, peer.write, { discard: true })
    })

    const receive = !("received" in until) ? peer.receive : Effect.tap(peer.receive, (line) => {
      if (Option.isNone(line) || !matchesLine(until.received, line.value)) return Effect.void
      for (const one of held) one.linesLeft = 0
      return lock.withPermits(1)(release)
    })

    return {
      ...peer,
      receive,
      write: (bytes) =>
        lock.withPermits(1)(Effect.suspend(() => Effect.forEach(split(bytes), onPiece, { discard: true }))),
      exit: (how) => Effect.zipRight(lock.withPermits(1)(everything), peer.exit(how))
    }
  })
