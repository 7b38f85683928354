/**
 * Fan-out: each subscriber has a buffer of its own, and one that is full loses events and is told how many. So nobody who
 * is slow costs anybody else anything, and the reader never waits.
 */
import * as Channel from "effect/Channel"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { Lagged } from "../SessionEvent.js"
import * as SessionMetrics from "../SessionMetrics.js"

/** What happens to a subscriber whose buffer is full. */
export type OnLag = "dropOldest" | "dropNewest" | "end"

/** How somebody subscribes. */
export interface Subscription<A> {
  readonly capacity: number
  readonly onLag: OnLag
  /** What this one wants to see; the rest takes no room in its buffer. */
  readonly accepts: (event: A) => boolean
  /** What it sees before anything new. */
  readonly first: Iterable<A>
}

export class Subscribers<A> {
  readonly #all = new Set<Buffer<A>>()
  #ended = false

  /** Hands an event to everybody; they hear of it at the next {@link flush}. */
  publish(event: A): void {
    for (const subscriber of this.#all) subscriber.push(event)
  }

  /** Hands over several, which must be alike: one of them is accepted if all are. */
  publishAll(events: ReadonlyArray<A>): void {
    for (const subscriber of this.#all) subscriber.pushAll(events)
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

  /** Subscribes, from now until the scope closes. */
  subscribe(subscription: () => Subscription<A>): Effect.Effect<Stream.Stream<A | Lagged>, never, Scope.Scope> {
    return Effect.map(
      Effect.acquireRelease(
        Effect.sync(() => {
          const buffer = new Buffer<A>(subscription())
          if (this.#ended) buffer.end()
          else this.#all.add(buffer)
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

class Buffer<A> {
  readonly #how: Subscription<A>
  readonly #capacity: number
  #events: Array<A> = []
  #lost = 0
  #ended = false
  /** Mostly one; but a stream may be run twice, and then each of them has what the other has not. */
  readonly #waiting = new Set<() => void>()

  constructor(how: Subscription<A>) {
    this.#how = how
    this.#capacity = Math.max(1, how.capacity)
    for (const event of how.first) this.push(event)
  }

  push(event: A): void {
    if (this.#ended || !this.#how.accepts(event)) return
    if (this.#how.onLag === "dropOldest") {
      this.#events.push(event)
      // Dropping one by one from the front of an array is quadratic; so it may grow to twice its size before it is cut.
      if (this.#events.length >= this.#capacity * 2) this.#cut()
    } else if (this.#events.length < this.#capacity && this.#lost === 0) this.#events.push(event)
    else {
      this.#lose(1)
      if (this.#how.onLag === "end") this.end()
    }
  }

  pushAll(events: ReadonlyArray<A>): void {
    if (this.#hasNews || events.length > this.#capacity) {
      for (const event of events) this.push(event)
      return
    }
    // Mostly it has read all that there was, and has room for what comes.
    const [first] = events
    if (first !== undefined && !this.#ended && this.#how.accepts(first)) this.#events = events.slice()
  }

  #cut(): void {
    const over = this.#events.length - this.#capacity
    if (over <= 0) return
    this.#events = this.#events.slice(over)
    this.#lose(over)
  }

  #lose(count: number): void {
    this.#lost += count
    SessionMetrics.eventsLost.unsafeUpdate(count, [])
  }

  wake(): void {
    if (this.#waiting.size === 0) return
    const waiting = [...this.#waiting]
    this.#waiting.clear()
    for (const resume of waiting) resume()
  }

  end(): void {
    this.#ended = true
    this.wake()
  }

  get stream(): Stream.Stream<A | Lagged> {
    return Stream.fromChannel(this.#channel)
  }

  /** A loop of its own: what `Stream` has for this takes several times as many steps for each batch. */
  readonly #channel: Channel.Channel<Chunk.Chunk<A | Lagged>> = Channel.suspend(() => {
    if (this.#hasNews) return Channel.zipRight(Channel.write(this.#take()), this.#channel)
    return this.#ended ? Channel.void : Channel.zipRight(Channel.fromEffect(this.#news), this.#channel)
  })

  get #hasNews(): boolean {
    return this.#events.length > 0 || this.#lost > 0
  }

  /** Waits until there is something to take. */
  readonly #news: Effect.Effect<void> = Effect.async((resume) => {
    // It may have come since it was looked: any fiber may stand still between two steps.
    if (this.#hasNews || this.#ended) return resume(Effect.void)
    const waiting = () => resume(Effect.void)
    this.#waiting.add(waiting)
    return Effect.sync(() => this.#waiting.delete(waiting))
  })

  /** All there is, with a mark where something is missing: before the rest, or after it. */
  #take(): Chunk.Chunk<A | Lagged> {
    if (this.#how.onLag === "dropOldest") this.#cut()
    const events = this.#events
    const lost = this.#lost
    this.#events = []
    this.#lost = 0
    if (lost === 0) return shortLived<A | Lagged>(events)
    const lagged: Lagged = { _tag: "Lagged", count: lost }
    return shortLived(this.#how.onLag === "dropOldest" ? [lagged, ...events] : [...events, lagged])
  }
}

/**
 * A chunk, made twice. V8 watches how long objects live by the place in the code that makes them; when nearly all chunks that
 * a collection finds are still in use, it makes later ones where the old ones are, and there each keeps its events alive
 * long after they were read. Of two chunks for each batch one is garbage at once, so it does not come to that. The benchmark
 * `streaming` takes half as long again and more without.
 */
const shortLived = <A>(events: Array<A>): Chunk.Chunk<A> =>
  Chunk.unsafeFromArray(Chunk.toReadonlyArray(Chunk.unsafeFromArray(events)).slice())
