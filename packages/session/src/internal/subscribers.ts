/**
 * Fan-out: each subscriber has a buffer of its own, so a slow one costs the others nothing, and the reader never waits.
 *
 * A buffer has room for so many frames and so many state events. State events (all but `Received`) are never dropped: one that
 * has no room fails the subscriber's stream. Frames are dropped, partial messages before others, and what is kept stays in
 * order; where something is missing, there is a `Lagged`.
 *
 * Not a `PubSub` or a `Mailbox`: both buffer without regard to what an event is, and take an effect for each. The benchmark is
 * `fan-out`.
 */
import { isKnown } from "@claude-duplex/protocol/Frame"
import type { Received } from "@claude-duplex/protocol/SessionAction"
import type * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Scope from "effect/Scope"
import type * as Stream from "effect/Stream"
import type { Lagged, SessionEvent, Tag } from "../SessionEvent.js"
import * as SessionMetrics from "../SessionMetrics.js"
import type { SessionSnapshot } from "../SessionSnapshot.js"
import { SubscriptionOverflow, type SubscriptionOverflowReason } from "../SubscriptionOverflow.js"
import { type Readable, shortLived, stream } from "./readable.js"
import { Signal } from "./signal.js"

/** What happens to frames that a subscriber has no room for. */
export type Strategy = "sliding" | "dropping" | "fail"

export interface Subscription {
  /** How many frames may wait. */
  readonly capacity: number
  /** How many state events may wait. */
  readonly stateCapacity: number
  readonly strategy: Strategy
  /** The events that this subscriber wants; others take no room. Undefined: all. */
  readonly only: ReadonlySet<Tag> | undefined
  /** What it gets before anything new, beside its capacity. */
  readonly first: ReadonlyArray<SessionEvent>
  /** The state of the session, for a subscriber that has to go on without some events. */
  readonly snapshot: () => SessionSnapshot
}

/** How many frames more than its capacity a subscriber holds at least before any is dropped. */
const leastSlack = 128

export class Subscribers {
  readonly #all = new Set<Subscriber>()
  #ended = false

  /** Hands an event to every subscriber; they run at the next {@link flush}. */
  publish(event: SessionEvent): void {
    if (event._tag === "Received") {
      const partial = isPartial(event)
      for (const subscriber of this.#all) subscriber.pushFrame(event, partial)
    } else {
      for (const subscriber of this.#all) subscriber.pushState(event)
    }
  }

  /** The same for a run of partial messages: on the hot path there are many. */
  publishPartials(frames: ReadonlyArray<Received>): void {
    for (const subscriber of this.#all) subscriber.pushPartials(frames)
  }

  /** Wakes the subscribers that wait: once for all that was published together. */
  flush(): void {
    for (const subscriber of this.#all) subscriber.flush()
  }

  end(): void {
    this.#ended = true
    for (const subscriber of this.#all) subscriber.close()
    this.#all.clear()
  }

  /** Subscribes, from now until the scope closes. */
  subscribe(
    subscription: () => Subscription
  ): Effect.Effect<Stream.Stream<SessionEvent, SubscriptionOverflow>, never, Scope.Scope> {
    return Effect.map(
      Effect.acquireRelease(
        Effect.sync(() => {
          const subscriber = new Subscriber(subscription())
          if (this.#ended) subscriber.close()
          else this.#all.add(subscriber)
          return subscriber
        }),
        (subscriber) =>
          Effect.sync(() => {
            this.#all.delete(subscriber)
            subscriber.close()
          })
      ),
      stream
    )
  }
}

class Subscriber implements Readable<SessionEvent, SubscriptionOverflow> {
  readonly signal = new Signal()
  readonly #options: Subscription
  readonly #wantsFrames: boolean
  /** What waits, in order, with a `Lagged` where frames were dropped. */
  #events: Array<SessionEvent>
  #frames: number
  /** How many of the frames are partial messages. */
  #partials: number
  /** How many frames may wait: the capacity, and what the subscriber begins with until it has read that. */
  #room: number
  /** Frames are dropped when so many wait, and not one by one: from the middle of an array that would be quadratic. */
  #compactAt: number
  #states = 0
  /** State events that waited at the last flush, so that the subscriber could have taken them since. */
  #unreadStates = 0
  #isClosed = false
  #overflow: SubscriptionOverflowReason | undefined

  constructor(options: Subscription) {
    this.#options = options
    this.#wantsFrames = options.only?.has("Received") ?? true
    this.#events = options.first.filter(({ _tag }) => options.only?.has(_tag) ?? true)
    const frames = this.#events.filter((event) => event._tag === "Received")
    this.#frames = frames.length
    this.#partials = frames.filter(isPartial).length
    this.#room = this.#capacity + this.#frames
    this.#compactAt = this.#nextCompaction()
  }

  get #capacity(): number {
    return Math.max(1, this.#options.capacity)
  }

  pushPartials(frames: ReadonlyArray<Received>): void {
    if (this.#events.length > 0 || frames.length > this.#room) {
      for (const frame of frames) this.pushFrame(frame, true)
    } else if (this.#wantsFrames && !this.#isClosed) {
      // Mostly it has read all that there was, and has room for what comes.
      this.#events = frames.slice()
      this.#frames = frames.length
      this.#partials = frames.length
    }
  }

  pushFrame(frame: Received, isPartial: boolean): void {
    if (!this.#wantsFrames || this.#isClosed) return
    if (this.#options.strategy === "fail" && this.#frames >= this.#room) return this.#fail("Frames")
    this.#events.push(frame)
    if (isPartial) this.#partials++
    if (++this.#frames >= this.#compactAt) this.#compact()
  }

  pushState(event: SessionEvent): void {
    if (this.#isClosed || this.#options.only?.has(event._tag) === false) return
    // What was published since the last flush does not count: the subscriber could not take any of it yet.
    if (this.#unreadStates >= this.#options.stateCapacity) return this.#fail("StateEvents")
    this.#events.push(event)
    this.#states++
  }

  /** The stream fails when it comes to this place. */
  #fail(reason: SubscriptionOverflowReason): void {
    this.#overflow = reason
    SessionMetrics.subscriptionOverflows.unsafeUpdate(1, [])
    this.close()
  }

  /** Drops the frames that there is no room for. */
  #compact(): void {
    const over = this.#frames - this.#room
    if (over > 0) {
      const partial = Math.min(over, this.#partials)
      const drop = { partial, other: over - partial }
      const isMixed = this.#partials > 0 && this.#partials < this.#frames
      this.#events = this.#options.strategy === "sliding"
        ? withoutFirst(this.#events, drop, isMixed)
        : withoutFirst(this.#events.reverse(), drop, isMixed).reverse()
      this.#frames = this.#room
      this.#partials -= partial
      SessionMetrics.eventsLost.unsafeUpdate(over, [])
    }
    this.#compactAt = this.#nextCompaction()
  }

  /** After as many more frames as it takes to look through all that waits; so each frame costs the same however many wait. */
  #nextCompaction(): number {
    return this.#room + Math.max(this.#room, this.#events.length - this.#frames, leastSlack)
  }

  flush(): void {
    this.#unreadStates = this.#states
    this.signal.wake()
  }

  close(): void {
    this.#isClosed = true
    this.signal.wake()
  }

  isReady(): boolean {
    return this.#events.length > 0 || this.#isClosed
  }

  take(): Chunk.Chunk<SessionEvent> {
    if (this.#frames > this.#room) this.#compact()
    const events = this.#events
    this.#events = []
    this.#frames = 0
    this.#partials = 0
    this.#room = this.#capacity
    this.#compactAt = this.#nextCompaction()
    this.#states = 0
    this.#unreadStates = 0
    return shortLived(events)
  }

  end(): Exit.Exit<void, SubscriptionOverflow> | undefined {
    if (!this.#isClosed) return undefined
    const { snapshot, stateCapacity } = this.#options
    const reason = this.#overflow
    if (reason === undefined) return Exit.void
    const capacity = reason === "Frames" ? this.#capacity : stateCapacity
    // Not validated: all of it was made here.
    return Exit.fail(new SubscriptionOverflow({ reason, capacity, snapshot: snapshot() }, { disableValidation: true }))
  }
}

const isPartial = ({ item }: Received): boolean => isKnown(item) && item.type === "stream_event"

/** The events without the first so many partial messages and other frames, and with a `Lagged` for each gap. */
const withoutFirst = (
  events: ReadonlyArray<SessionEvent>,
  { other, partial }: { readonly other: number; readonly partial: number },
  isMixed: boolean
): Array<SessionEvent> => {
  const kept: Array<SessionEvent> = []
  let partials = 0
  let others = 0
  let gap: { count: number; partialCount: number } | undefined
  let next = 0
  // A `Lagged` that follows the last gap is a part of it.
  for (; partials < partial || others < other || events[next]?._tag === "Lagged"; next++) {
    const event = events[next]
    if (event === undefined) break
    if (event._tag === "Lagged") {
      gap ??= { count: 0, partialCount: 0 }
      gap.count += event.count
      gap.partialCount += event.partialCount
      continue
    }
    if (event._tag === "Received") {
      const isPartialMessage = isMixed ? isPartial(event) : partial > 0
      if (isPartialMessage ? partials < partial : others < other) {
        gap ??= { count: 0, partialCount: 0 }
        gap.count++
        if (isPartialMessage) {
          partials++
          gap.partialCount++
        } else others++
        continue
      }
    }
    if (gap !== undefined) kept.push(lagged(gap))
    gap = undefined
    kept.push(event)
  }
  if (gap !== undefined) kept.push(lagged(gap))
  return kept.concat(events.slice(next))
}

const lagged = (gap: { readonly count: number; readonly partialCount: number }): Lagged => ({ _tag: "Lagged", ...gap })
