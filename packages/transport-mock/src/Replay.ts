/**
 * Plays the CLI of a recording against a live host. Owns when a recorded line is written, and in whose ids; where
 * recordings come from is `Recording`, and which line of the host's stands for which recorded one `internal/hostMatcher`.
 *
 * | mode     | a recorded line of the CLI's is written                           | the host's lines           |
 * | -------- | ----------------------------------------------------------------- | -------------------------- |
 * | `causal` | once all that the host had written before it has been sent        | matched with the recorded  |
 * | `timed`  | as in `causal`, and not before the recorded time since the entry before it has passed | the same |
 * | `fast`   | at once                                                           | read, and not looked at    |
 *
 * ## Which line stands for which
 *
 * | the host sends           | it stands for                                                                      |
 * | ------------------------ | ---------------------------------------------------------------------------------- |
 * | `control_response`       | the recorded answer to the same request; requests of the CLI's keep their ids      |
 * | `control_request`        | the first recorded request of that subtype that is left                            |
 * | `control_cancel_request` | the recorded withdrawal of the same request                                        |
 * | `user`                   | the first recorded message that is left                                            |
 * | anything else            | the first recorded line of that `type` that is left, or that is not JSON either    |
 *
 * So answers to different requests may come in another order, and requests between messages; messages may not.
 *
 * ## Ids
 *
 * The live host's ids differ from the recorded host's. They are learned from each line that finds its counterpart: the id
 * of a request, the `uuid` of a message, the callbacks of hooks, and a `session_id` if it is the one that the CLI uses.
 * In every later line of the CLI's, a string that *equals* a recorded one becomes the live one, wherever it is. Nothing
 * else in the line changes, and a line without such an id is written as it was recorded, byte for byte.
 *
 * Gotcha: a recorded id that is a common word would be replaced in texts, too, if they consist of nothing else.
 *
 * @since 0.1.0
 * @stability stable
 */
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { hostLine } from "./internal/hostLine.js"
import { HostMatcher } from "./internal/hostMatcher.js"
import { replaceStrings } from "./internal/jsonStrings.js"
import { toBytes } from "./internal/lineText.js"
import type { Behaviour, Peer, PeerExit } from "./Peer.js"
import type { Entry, Recording } from "./Recording.js"
import type { ReplayError } from "./ReplayError.js"

/** When recorded lines are written: see the table at the top. */
export type Mode = "causal" | "timed" | "fast"

/**
 * How closely a line of the host's is compared with the one that it stands for. One that stands for none is a failure with
 * all three.
 *
 * - `exact`: it is the same JSON, ids aside.
 * - `kind`: an answer is an answer of the same sort: success or error, allow or deny. Other lines are not looked into.
 * - `none`: not at all.
 */
export type Compare = "exact" | "kind" | "none"

/** How a recording is played. */
export interface Options {
  /** Default: `causal`, or `fast` if the recording has no line of a host's (plain stdout). */
  readonly mode?: Mode | undefined
  /** `timed` only: 2 is twice as fast as recorded. Default: 1. */
  readonly speed?: number | undefined
  /** Default: `kind`. */
  readonly compare?: Compare | undefined
  /**
   * Bears with a host that sends more than was recorded, as the CLI would: requests are answered with the error
   * `unsupported_request`; answers, withdrawals and unknown types are ignored. Messages are not. Default: false.
   */
  readonly ignoreExtra?: boolean | undefined
  /** Answers an `initialize` that was not recorded with a success that lists nothing. Default: true: every session sends one. */
  readonly initialize?: boolean | undefined
  /** The id of the live session: it takes the place of the first session id that the recorded CLI named. */
  readonly sessionId?: string | undefined
  /** How the CLI ends. Default: code 0. */
  readonly exit?: PeerExit | undefined
  /**
   * When: after the last entry and the end of the host's input, or after the last entry already, as a CLI does that ends
   * by itself. Default: `EndOfInput`.
   */
  readonly exitAfter?: "EndOfInput" | "LastEntry" | undefined
}

/**
 * A CLI that says what was recorded. Fails with a {@link ReplayError} if the host strays.
 *
 * @example
 * ```ts
 * import * as MockTransport from "@claude-duplex/transport-mock/MockTransport"
 * import * as Recording from "@claude-duplex/transport-mock/Recording"
 * import * as Replay from "@claude-duplex/transport-mock/Replay"
 * import { Effect } from "effect"
 *
 * const transport = Effect.gen(function*() {
 *   const recording = yield* Recording.read("recordings/2.1.326/plain.jsonl")
 *   return yield* MockTransport.make(Replay.behaviour(recording))
 * })
 * ```
 */
export const behaviour = (recording: Recording, options: Options = {}): Behaviour<ReplayError> => (peer) => {
  const { entries } = recording
  const mode = options.mode ?? (entries.some(({ dir }) => dir === "host") ? "causal" : "fast")
  const exit = peer.exit(options.exit ?? { _tag: "Exited", code: 0 })
  return Effect.gen(function*() {
    const { play, receive } = mode === "fast"
      ? playAtOnce(peer, entries, options)
      : yield* playInTurn(peer, entries, mode, options)
    yield* options.exitAfter === "LastEntry"
      // The host's end is not the CLI's, but a host that strays before it is.
      ? Effect.raceFirst(play, Effect.zipRight(receive, Effect.never))
      : Effect.all([play, receive], { concurrency: "unbounded", discard: true })
    yield* exit
  })
}

/** The two halves of a CLI: each runs until it is through. */
interface Halves {
  readonly play: Effect.Effect<void>
  readonly receive: Effect.Effect<void, ReplayError>
}

const playAtOnce = (peer: Peer, entries: ReadonlyArray<Entry>, options: Options): Halves => {
  const ids = idsAtStart(entries, options)
  return {
    play: Effect.forEach(
      entries,
      ({ dir, line }) => dir === "cli" ? writeLine(peer, replaceStrings(line, ids)) : Effect.void,
      { discard: true }
    ),
    receive: Effect.repeat(peer.receive, { while: Option.isSome }).pipe(Effect.asVoid)
  }
}

const playInTurn = (
  peer: Peer,
  entries: ReadonlyArray<Entry>,
  mode: "causal" | "timed",
  options: Options
): Effect.Effect<Halves> =>
  Effect.gen(function*() {
    const matcher = new HostMatcher(entries, {
      compare: options.compare ?? "kind",
      ignoreExtra: options.ignoreExtra ?? false,
      initialize: options.initialize ?? true
    })
    const sent = yield* Effect.forEach(entries, () => Deferred.make<void>())
    // Both halves write, and no transport promises that two writes at once do not mix.
    const one = yield* Effect.makeSemaphore(1)
    const write = (line: string) => one.withPermits(1)(writeLine(peer, line))
    // Filled in recorded order, whatever the order in which the live host sends: a recorded id may have been used twice.
    const ids = idsAtStart(entries, options)

    const play = Effect.gen(function*() {
      let before = 0
      for (const [index, { dir, line, t }] of entries.entries()) {
        const isSent = sent[index]
        if (dir === "host" && isSent !== undefined) {
          yield* Deferred.await(isSent)
          for (const [recorded, live] of matcher.learnedFrom(index)) ids.set(recorded, live)
        } else {
          if (mode === "timed") yield* Effect.sleep(gap(t - before, options.speed))
          yield* write(replaceStrings(line, withoutOwn(line, ids)))
        }
        before = t
      }
    })

    const receive: Effect.Effect<void, ReplayError> = Effect.gen(function*() {
      for (;;) {
        const line = yield* peer.receive
        if (Option.isNone(line)) break
        const verdict = matcher.receive(line.value)
        switch (verdict._tag) {
          case "Matched": {
            const isSent = sent[verdict.index]
            if (isSent !== undefined) yield* Deferred.succeed(isSent, undefined)
            break
          }
          case "Answer":
            yield* write(verdict.line)
            break
          case "Ignored":
            break
          case "Strayed":
            return yield* verdict.error
        }
      }
      const error = matcher.end()
      if (error !== undefined) return yield* error
    })

    return { play, receive }
  })

/** A request of the CLI's keeps its id, though the host may have used the same one for a request of its own. */
const withoutOwn = (line: string, ids: ReadonlyMap<string, string>): ReadonlyMap<string, string> => {
  const { kind, requestId } = hostLine(line)
  const isOwn = kind.startsWith("control_request ") || kind === "control_cancel_request"
  if (!isOwn || requestId === undefined || !ids.has(requestId)) return ids
  const others = new Map(ids)
  others.delete(requestId)
  return others
}

const writeLine = (peer: Peer, line: string): Effect.Effect<void> => peer.write(toBytes(`${line}\n`))

const gap = (millis: number, speed = 1): Duration.Duration => Duration.millis(Math.max(0, millis) / speed)

const idsAtStart = (entries: ReadonlyArray<Entry>, { sessionId }: Options): Map<string, string> => {
  const recorded = sessionId === undefined ? undefined : firstSession(entries)
  return new Map(recorded === undefined || sessionId === undefined ? [] : [[recorded, sessionId]])
}

const firstSession = (entries: ReadonlyArray<Entry>): string | undefined => {
  for (const { dir, line } of entries) {
    const [, id] = dir === "cli" ? /"session_id":"([^"\\]+)"/.exec(line) ?? [] : []
    if (id !== undefined) return id
  }
  return undefined
}
