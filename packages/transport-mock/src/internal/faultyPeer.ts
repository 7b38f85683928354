/** A peer with one fault: everything that passes it is what the fault makes of it. */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import type * as Fault from "../Fault.js"
import type { Peer } from "../Peer.js"
import { chooser } from "./chooser.js"
import { type ExitWith, toPeerExit } from "./fields.js"
import { holding } from "./heldLines.js"
import { concat, makeSplitter, type Piece } from "./outputLines.js"
import { makeRandom } from "./random.js"

/** What faults of one fake share. */
export interface Run {
  /** Done when a fault has ended the process: whoever plays the CLI is stopped then. */
  readonly killed: Deferred.Deferred<void>
  /** Where what a fault does later runs. */
  readonly scope: Scope.Scope
}

export const wrap = (fault: Fault.Fault, peer: Peer, run: Run): Effect.Effect<Peer> => {
  switch (fault.type) {
    case "cut":
      return Effect.sync(() => cutting(fault, peer))
    case "noise":
      return Effect.sync(() => noisy(fault, peer))
    case "insert":
      return onPieces(
        peer,
        (piece) => piece.starts && piece.line === fault.line ? writeLine(peer, fault.text) : nothing
      )
    case "longLine":
      return onPieces(
        peer,
        (piece) => piece.starts && piece.line === fault.line ? writeLong(peer, fault.bytes) : nothing
      )
    case "delay":
      return onPieces(peer, (piece) => piece.starts && piece.line === fault.line ? Effect.sleep(fault.time) : nothing)
    case "duplicate":
      return Effect.sync(() => duplicating(fault, peer))
    case "hold":
      return holding(fault, peer, run.scope)
    case "endInLine":
      return Effect.sync(() => endingInLine(fault, peer, run))
    case "exit":
      return exiting(fault, peer, run)
    case "stalledInput":
      return Effect.sync(() => stalled(fault, peer))
  }
}

const nothing = Effect.void

/** Does something before pieces of lines, and lets all of them pass. */
const onPieces = (peer: Peer, before: (piece: Piece) => Effect.Effect<void>): Effect.Effect<Peer> =>
  Effect.sync(() => overPieces(peer, (piece) => Effect.zipRight(before(piece), peer.write(piece.bytes))))

const overPieces = (peer: Peer, write: (piece: Piece) => Effect.Effect<void>): Peer => {
  const split = makeSplitter()
  return { ...peer, write: (bytes) => Effect.suspend(() => Effect.forEach(split(bytes), write, { discard: true })) }
}

const utf8 = new TextEncoder()

const writeLine = (peer: Peer, text: string): Effect.Effect<void> => peer.write(utf8.encode(`${text}\n`))

/** In pieces: a line that is too long for a host need not be in memory at once here. */
const writeLong = (peer: Peer, bytes: number): Effect.Effect<void> => {
  const piece = new Uint8Array(Math.min(bytes, 64 * 1024)).fill(0x78)
  const write = (left: number): Effect.Effect<void> =>
    left === 0
      ? peer.write(Uint8Array.of(0x0A))
      : Effect.flatMap(peer.write(piece.subarray(0, left)), () => write(left - Math.min(left, piece.length)))
  return write(bytes)
}

const cutting = ({ largest = 64, seed }: Fault.Cut, peer: Peer): Peer => {
  const random = makeRandom(seed)
  const cut = (bytes: Uint8Array): ReadonlyArray<Uint8Array> => {
    const chunks: Array<Uint8Array> = []
    for (let at = 0; at < bytes.length;) {
      const size = 1 + Math.floor(random() * largest)
      chunks.push(bytes.subarray(at, at + size))
      at += size
    }
    return chunks
  }
  return { ...peer, write: (bytes) => Effect.suspend(() => Effect.forEach(cut(bytes), peer.write, { discard: true })) }
}

/** What CLIs and their children have been seen to print; none of it is JSON. */
const usualNoise = [
  "[warn] low disk space",
  "Debugger attached.",
  "(node:4242) ExperimentalWarning: this may change at any time",
  "\u001b[33mwarning\u001b[0m: über ☃"
] as const

const noisy = ({ chance = 0.5, seed, texts = usualNoise }: Fault.Noise, peer: Peer): Peer => {
  const random = makeRandom(seed)
  return overPieces(peer, ({ bytes, starts }) => {
    const isNoisy = starts && random() < chance
    const text = isNoisy ? texts[Math.floor(random() * texts.length)] : undefined
    return text === undefined ? peer.write(bytes) : Effect.zipRight(writeLine(peer, text), peer.write(bytes))
  })
}

const duplicating = ({ times = 1, where }: Fault.Duplicate, peer: Peer): Peer => {
  const isChosen = chooser(where)
  let pieces: Array<Uint8Array> = []
  return overPieces(peer, ({ bytes, ends, line }) => {
    // A copy: whoever wrote it may use its buffer again before the line ends.
    pieces.push(new Uint8Array(bytes))
    if (!ends) return peer.write(bytes)
    const whole = concat(pieces)
    pieces = []
    return Effect.zipRight(
      peer.write(bytes),
      isChosen(line, whole) ? Effect.replicateEffect(peer.write(whole), times, { discard: true }) : nothing
    )
  })
}

/** Ends the process: what the caller would have done next never happens. */
const kill = (peer: Peer, run: Run, how: ExitWith = 1): Effect.Effect<never> =>
  peer.exit(toPeerExit(how)).pipe(
    Effect.zipRight(Deferred.succeed(run.killed, undefined)),
    Effect.zipRight(Effect.never)
  )

const endingInLine = ({ bytes: allowed = 1, line, with: how }: Fault.EndInLine, peer: Peer, run: Run): Peer => {
  let left = allowed
  return overPieces(peer, (piece) => {
    if (piece.line !== line) return peer.write(piece.bytes)
    const content = piece.ends ? piece.bytes.length - 1 : piece.bytes.length
    const shown = piece.bytes.subarray(0, Math.min(content, left))
    left -= shown.length
    const write = shown.length === 0 ? nothing : peer.write(shown)
    return left > 0 && !piece.ends ? write : Effect.zipRight(write, kill(peer, run, how))
  })
}

const exiting = ({ after, with: how }: Fault.Exit, peer: Peer, run: Run): Effect.Effect<Peer> => {
  if ("line" in after) {
    return Effect.sync(() =>
      overPieces(
        peer,
        ({ bytes, ends, line }) =>
          ends && line === after.line ? Effect.zipRight(peer.write(bytes), kill(peer, run, how)) : peer.write(bytes)
      )
    )
  }
  // Before anything happens, nobody writes yet who could be stopped.
  const atOnce = after.bytes === 0
    ? Effect.zipRight(peer.exit(toPeerExit(how ?? 1)), Deferred.succeed(run.killed, undefined))
    : nothing
  return Effect.map(atOnce, () => {
    let left = after.bytes
    return {
      ...peer,
      write: (bytes) =>
        Effect.suspend(() => {
          const shown = bytes.subarray(0, left)
          left -= shown.length
          return left > 0 ? peer.write(shown) : Effect.zipRight(peer.write(shown), kill(peer, run, how))
        })
    }
  })
}

const stalled = ({ lines }: Fault.StalledInput, peer: Peer): Peer => {
  let left = lines
  return {
    ...peer,
    receive: Effect.suspend(() =>
      left === 0 ? Effect.never : Effect.tap(peer.receive, (line) => {
        if (Option.isSome(line)) left--
      })
    )
  }
}
