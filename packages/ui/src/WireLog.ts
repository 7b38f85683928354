/**
 * The lines of a live conversation as they pass, numbered from 0: kept so far back as was asked for, and followed by any
 * number of readers, each at its own pace. Owns the numbers; a reader who asks for what is gone begins with what is there.
 *
 * @since 0.1.0
 * @stability experimental
 */
import type { Entry } from "@claude-duplex/transport-mock/Recording"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberId from "effect/FiberId"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { Batch } from "./Api.js"

/** How many lines go to a reader at once: the page draws between two of them. */
const batchSize = 500

/**
 * Lines that pass.
 *
 * @example
 * ```ts
 * import { WireLog } from "@claude-duplex/ui/WireLog"
 *
 * const log = new WireLog(100_000)
 * log.append([{ t: 0, dir: "cli", line: `{"type":"keep_alive"}` }])
 * const all = log.follow(0) // goes on until log.end()
 * ```
 */
export class WireLog {
  readonly #kept: number
  #entries: Array<Entry> = []
  /** The number of the first one that is kept. */
  #first = 0
  #hasEnded = false
  #change = Deferred.unsafeMake<void>(FiberId.none)

  /** Keeps the last so many, and up to as many again. */
  constructor(kept: number) {
    this.#kept = kept
  }

  get length(): number {
    return this.#first + this.#entries.length
  }

  append(entries: ReadonlyArray<Entry>): void {
    for (const entry of entries) this.#entries.push(entry)
    // Cut in one go now and then: from the front of an array, one by one is quadratic.
    if (this.#entries.length >= this.#kept * 2) {
      this.#first += this.#entries.length - this.#kept
      this.#entries = this.#entries.slice(-this.#kept)
    }
    this.#changed()
  }

  /** Nothing more will come. */
  end(): void {
    this.#hasEnded = true
    this.#changed()
  }

  at(index: number): Option.Option<Entry> {
    return Option.fromNullable(this.#entries[index - this.#first])
  }

  /** Those there are from a number on, and those to come. */
  follow(from: number): Stream.Stream<Batch> {
    return Stream.suspend(() => {
      let next = from
      const pull: Effect.Effect<Batch, Option.Option<never>> = Effect.suspend(() => {
        const start = Math.max(next, this.#first)
        if (start < this.length) {
          const entries = this.#entries.slice(start - this.#first, start - this.#first + batchSize)
          next = start + entries.length
          return Effect.succeed({ from: start, entries })
        }
        return this.#hasEnded ? Effect.fail(Option.none()) : Effect.zipRight(Deferred.await(this.#change), pull)
      })
      return Stream.repeatEffectOption(pull)
    })
  }

  #changed(): void {
    const changed = this.#change
    this.#change = Deferred.unsafeMake(FiberId.none)
    Deferred.unsafeDone(changed, Exit.void)
  }
}
