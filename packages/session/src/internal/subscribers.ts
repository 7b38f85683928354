/**
 * Fan-out: each subscriber has a buffer of its own, and one that is full loses its oldest events and is told how many. So
 * nobody who is slow costs anybody else anything, and the reader never waits.
 */
import { Chunk, Effect, Option, type Scope, Stream } from "effect"
import type { Lagged } from "../SessionEvent.js"

interface Subscriber<A> {
  readonly push: (event: A) => void
  readonly wake: () => void
  readonly end: () => void
}

export class Subscribers<A> {
  readonly #all = new Set<Subscriber<A>>()
  #ended = false

  /** Hands an event to everybody; they hear of it at the next {@link flush}. */
  publish(event: A): void {
    for (const subscriber of this.#all) subscriber.push(event)
  }

  /** Wakes who waits: once for all that was published together. */
  flush(): void {
    for (const subscriber of this.#all) subscriber.wake()
  }

  end(): void {
    this.#ended = true
    for (const subscriber of this.#all) subscriber.end()
    this.#all.clear()
  }

  get size(): number {
    return this.#all.size
  }

  /** Subscribes, from now until the scope closes. */
  subscribe(capacity: number): Effect.Effect<Stream.Stream<A | Lagged>, never, Scope.Scope> {
    return Effect.map(
      Effect.acquireRelease(
        Effect.sync(() => {
          const buffer = new Buffer<A>(capacity, this.#ended)
          this.#all.add(buffer)
          return buffer
        }),
        (buffer) =>
          Effect.sync(() => {
            this.#all.delete(buffer)
            buffer.end()
          })
      ),
      (buffer) => buffer.stream
    )
  }
}

class Buffer<A> implements Subscriber<A> {
  readonly #capacity: number
  #events: Array<A> = []
  #lost = 0
  #ended: boolean
  #waiting: (() => void) | undefined

  constructor(capacity: number, ended: boolean) {
    this.#capacity = Math.max(1, capacity)
    this.#ended = ended
  }

  push(event: A): void {
    this.#events.push(event)
    // Dropping one by one from the front of an array is quadratic; so it may grow to twice its size before it is cut.
    if (this.#events.length >= this.#capacity * 2) this.#cut()
  }

  #cut(): void {
    const over = this.#events.length - this.#capacity
    if (over <= 0) return
    this.#events = this.#events.slice(over)
    this.#lost += over
  }

  wake(): void {
    const waiting = this.#waiting
    this.#waiting = undefined
    waiting?.()
  }

  end(): void {
    this.#ended = true
    this.wake()
  }

  get stream(): Stream.Stream<A | Lagged> {
    return Stream.repeatEffectChunkOption(this.#pull)
  }

  readonly #pull: Effect.Effect<Chunk.Chunk<A | Lagged>, Option.Option<never>> = Effect.suspend(() => {
    if (this.#events.length > 0) return Effect.succeed(this.#take())
    if (this.#ended) return Effect.fail(Option.none())
    return Effect.zipRight(
      Effect.async<void>((resume) => {
        const waiting = () => resume(Effect.void)
        this.#waiting = waiting
        return Effect.sync(() => {
          if (this.#waiting === waiting) this.#waiting = undefined
        })
      }),
      this.#pull
    )
  })

  #take(): Chunk.Chunk<A | Lagged> {
    this.#cut()
    const taken: Array<A | Lagged> = this.#lost > 0
      ? [{ _tag: "Lagged", count: this.#lost }, ...this.#events]
      : this.#events
    this.#events = []
    this.#lost = 0
    return Chunk.unsafeFromArray(taken)
  }
}
