/**
 * What goes wrong between a CLI and its host: wrappers around any {@link Behaviour}, so that a script, a replay and a
 * program of yours can all be made to fail in the same ways. Owns how faults are made and put together; `Fault` has their
 * data and JSON form. Nothing here is left to chance: what is random depends on a seed.
 *
 * Faults form a pipe: the output passes them in the order in which they are given, and each counts the lines (from 0) that
 * reach it, with those that a fault before it added. What a host sends passes them in the opposite order.
 *
 * A behaviour that a fault ends (`exit`, `endInLine`) is interrupted. One that fails by itself takes along what a fault
 * still holds back.
 *
 * @since 0.1.0
 * @stability experimental
 */
import type { JsonObject } from "@claude-duplex/protocol/schema/Json"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Data from "./Fault.js"
import { wrap } from "./internal/faultyPeer.js"
import { defined, type ExitWith } from "./internal/fields.js"
import type { Behaviour, Peer } from "./Peer.js"

/** The schema of a fault. */
export const Fault = Data.Fault
export type Fault = Data.Fault

/**
 * Puts faults between a behaviour and its host.
 *
 * @example
 * ```ts
 * import * as Faults from "@claude-duplex/transport-mock/Faults"
 * import * as MockTransport from "@claude-duplex/transport-mock/MockTransport"
 * import * as Script from "@claude-duplex/transport-mock/Script"
 *
 * const script = Script.make(Script.expect({ type: "user" }), Script.reply({ type: "keep_alive" }))
 *
 * const transport = MockTransport.make(
 *   Faults.apply(Faults.noise({ seed: 1 }), Faults.cut({ seed: 1 }))(Script.behaviour(script))
 * )
 * ```
 */
export const apply =
  (...faults: ReadonlyArray<Fault>) => <E, R>(behaviour: Behaviour<E, R>): Behaviour<E, R> => (peer) =>
    Effect.scopedWith((scope) =>
      Effect.gen(function*() {
        const killed = yield* Deferred.make<void>()
        const faulty = yield* Effect.reduceRight(
          faults,
          exitingOnce(peer),
          (fault, faulty) => wrap(fault, faulty, { killed, scope })
        )
        if (yield* Deferred.isDone(killed)) return
        // The exit that a behaviour leaves out is made here, because faults write what they still hold back before it.
        const whole = Effect.zipRight(behaviour(faulty), faulty.exit({ _tag: "Exited", code: 0 }))
        yield* Effect.raceFirst(whole, Deferred.await(killed))
      })
    )

/** A process ends once. */
const exitingOnce = (peer: Peer): Peer => {
  let isOver = false
  return {
    ...peer,
    exit: (how) =>
      Effect.suspend(() => {
        if (isOver) return Effect.void
        isOver = true
        return peer.exit(how)
      })
  }
}

/**
 * The same bytes in other chunks, of 1 to `largest` (64) bytes.
 *
 * @example
 * ```ts
 * import * as Faults from "@claude-duplex/transport-mock/Faults"
 *
 * Faults.cut({ seed: 42, largest: 7 })
 * ```
 */
export const cut = ({ largest, seed }: {
  readonly seed: number
  readonly largest?: number | undefined
}): Data.Cut => ({ type: "cut", seed, ...defined({ largest }) })

/**
 * Lines that are no frames, each before a line with the given chance (0.5).
 *
 * @example
 * ```ts
 * import * as Faults from "@claude-duplex/transport-mock/Faults"
 *
 * Faults.noise({ seed: 42, chance: 1, texts: ["Debugger attached."] })
 * ```
 */
export const noise = ({ chance, seed, texts }: {
  readonly seed: number
  readonly chance?: number | undefined
  readonly texts?: readonly [string, ...Array<string>] | undefined
}): Data.Noise => ({ type: "noise", seed, ...defined({ chance, texts }) })

/**
 * A line of a given text, before a line of the output.
 *
 * @example
 * ```ts
 * import * as Faults from "@claude-duplex/transport-mock/Faults"
 *
 * Faults.insert({ line: 0, text: "Welcome!" })
 * ```
 */
export const insert = (options: { readonly line: number; readonly text: string }): Data.Insert => ({
  type: "insert",
  ...options
})

/**
 * A line of so many bytes, before a line of the output. It is no frame, whatever length the host allows.
 *
 * @example
 * ```ts
 * import * as Faults from "@claude-duplex/transport-mock/Faults"
 *
 * Faults.longLine({ line: 3, bytes: 65 * 1024 * 1024 })
 * ```
 */
export const longLine = (options: { readonly line: number; readonly bytes: number }): Data.LongLine => ({
  type: "longLine",
  ...options
})

/**
 * Lines that are written again right after they were written, so many `times` (once): the one with a number, or those
 * that have at least some fields.
 *
 * @example
 * ```ts
 * import * as Faults from "@claude-duplex/transport-mock/Faults"
 *
 * Faults.duplicate({ line: 0 })
 * Faults.duplicate({ match: { type: "control_request" } })
 * ```
 */
export const duplicate = (
  where: Data.Where,
  options: { readonly times?: number | undefined } = {}
): Data.Duplicate => ({ type: "duplicate", where, ...defined({ times: options.times }) })

/**
 * Lines that come late: after so many other lines, so much time, or a frame of the host's. With the last, an answer comes
 * after the host has cancelled its request.
 *
 * @example
 * ```ts
 * import * as Faults from "@claude-duplex/transport-mock/Faults"
 *
 * Faults.hold({ match: { type: "control_response" }, nth: 1 }, { received: { type: "control_cancel_request" } })
 * Faults.hold({ line: 3 }, { time: "2 seconds" })
 * Faults.hold({ line: 3 }, { lines: 1 })
 * ```
 */
export const hold = (
  where: Data.Where,
  until:
    | { readonly lines: number }
    | { readonly time: Duration.DurationInput }
    | { readonly received: JsonObject }
): Data.Hold => ({
  type: "hold",
  where,
  until: "time" in until ? { time: Duration.toMillis(until.time) } : until
})

/**
 * A pause before a line, in which everything stands still.
 *
 * @example
 * ```ts
 * import * as Faults from "@claude-duplex/transport-mock/Faults"
 *
 * Faults.delay({ line: 2, time: "1 minute" })
 * ```
 */
export const delay = ({ line, time }: {
  readonly line: number
  readonly time: Duration.DurationInput
}): Data.Delay => ({ type: "delay", line, time: Duration.toMillis(time) })

/**
 * The end of the process in a line: after `bytes` (1) of it, and in any case before its newline. `with` is an exit code
 * or a signal (1).
 *
 * @example
 * ```ts
 * import * as Faults from "@claude-duplex/transport-mock/Faults"
 *
 * Faults.endInLine({ line: 2, bytes: 10, with: "SIGKILL" })
 * ```
 */
export const endInLine = ({ bytes, line, with: how }: {
  readonly line: number
  readonly bytes?: number | undefined
  readonly with?: ExitWith | undefined
}): Data.EndInLine => ({ type: "endInLine", line, ...defined({ bytes, with: how }) })

/**
 * The end of the process after a line, or after so many bytes of all that is written; 0 is before anything happens.
 *
 * @example
 * ```ts
 * import * as Faults from "@claude-duplex/transport-mock/Faults"
 *
 * Faults.exit({ after: { line: 2 } })
 * Faults.exit({ after: { bytes: 0 }, with: "SIGSEGV" })
 * ```
 */
export const exit = ({ after, with: how }: {
  readonly after: { readonly line: number } | { readonly bytes: number }
  readonly with?: ExitWith | undefined
}): Data.Exit => ({ type: "exit", after, ...defined({ with: how }) })

/**
 * A fake that reads nothing any more, not even the end of its input, after so many lines of the host's.
 *
 * @example
 * ```ts
 * import * as Faults from "@claude-duplex/transport-mock/Faults"
 *
 * Faults.stalledInput({ lines: 1 })
 * ```
 */
export const stalledInput = (options: { readonly lines: number }): Data.StalledInput => ({
  type: "stalledInput",
  ...options
})
