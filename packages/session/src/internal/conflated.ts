/**
 * A value that plain code sets and that streams follow. A slow reader skips values and always gets the latest one: nothing is
 * buffered for it, so it can neither fall behind nor fail.
 *
 * Not Effect's `SubscriptionRef`: it is set by an effect, and the driver that sets this runs none.
 */
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Stream from "effect/Stream"
import * as Subscribable from "effect/Subscribable"
import { stream } from "./readable.js"
import { Signal } from "./signal.js"

export class Conflated<A> {
  readonly #signal = new Signal()
  #value: A
  #version = 0
  #hasEnded = false

  constructor(value: A) {
    this.#value = value
  }

  get value(): A {
    return this.#value
  }

  /** The same value again is no change. */
  set(value: A): void {
    if (value === this.#value) return
    this.#value = value
    this.#version++
    this.#signal.wake()
  }

  /** There is no later value: its streams end after this one. */
  end(): void {
    this.#hasEnded = true
    this.#signal.wake()
  }

  /** `changes` begins with the present value. */
  get subscribable(): Subscribable.Subscribable<A> {
    return Subscribable.make({
      get: Effect.sync(() => this.#value),
      changes: Stream.suspend(() => {
        let seen = -1
        return stream<A, never>({
          signal: this.#signal,
          isReady: () => seen !== this.#version || this.#hasEnded,
          take: () => {
            if (seen === this.#version) return Chunk.empty()
            seen = this.#version
            return Chunk.of(this.#value)
          },
          end: () => this.#hasEnded ? Exit.void : undefined
        })
      })
    })
  }
}
