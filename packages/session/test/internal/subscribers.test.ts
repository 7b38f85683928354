import type { Received } from "@claude-duplex/protocol/SessionAction"
import type { SessionEvent } from "@claude-duplex/session/SessionEvent"
import { assert, describe, it } from "@effect/vitest"
import { Chunk, Effect, FastCheck as fc, Scope, Stream } from "effect"
import { type Strategy, Subscribers, type Subscription } from "../../src/internal/subscribers.js"
import type { SessionSnapshot } from "../../src/SessionSnapshot.js"

const snapshot: SessionSnapshot = {
  status: { _tag: "Idle" },
  sessionId: "s",
  turn: null,
  messages: [],
  permissions: [],
  cost: { usd: 0, byModel: {} },
  warnings: []
}

const options = (more: Partial<Subscription> = {}): Subscription => ({
  capacity: 4,
  stateCapacity: 4,
  strategy: "sliding",
  only: undefined,
  first: [],
  snapshot: () => snapshot,
  ...more
})

const partial = (turn: number): Received => ({
  _tag: "Received",
  item: {
    type: "stream_event",
    event: { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "a" } },
    parent_tool_use_id: null,
    session_id: "s",
    uuid: "p"
  },
  turn
})

const whole = (turn: number): Received => ({ _tag: "Received", item: { type: "keep_alive" }, turn })

const state = (turn: number): SessionEvent => ({ _tag: "TurnDropped", turn })

/** An event in a word: what it is, and its number; for a gap, how much is missing, and how much of that is partial. */
const word = (event: SessionEvent): string => {
  switch (event._tag) {
    case "Received":
      return `${"type" in event.item && event.item.type === "stream_event" ? "p" : "w"}${event.turn}`
    case "TurnDropped":
      return `s${event.turn}`
    case "Lagged":
      return `-${event.count}/${event.partialCount}`
    default:
      return event._tag
  }
}

/** A subscriber, what it is told, and what it reads. */
const subscribed = (more?: Partial<Subscription>) => {
  const subscribers = new Subscribers()
  const scope = Effect.runSync(Scope.make())
  const events = Effect.runSync(Scope.extend(subscribers.subscribe(() => options(more)), scope))
  return {
    subscribers,
    events,
    tell: (...told: ReadonlyArray<SessionEvent>) => {
      for (const event of told) subscribers.publish(event)
      subscribers.flush()
    },
    /** All that waits: one batch. */
    read: () =>
      Chunk.toReadonlyArray(Effect.runSync(Stream.runCollect(Stream.take(Stream.chunks(events), 1)))).flatMap(
        (batch) => Chunk.toReadonlyArray(batch)
      ),
    /** All that comes until it fails. */
    readToFailure: Effect.gen(function*() {
      const seen: Array<string> = []
      const error = yield* Effect.flip(Stream.runForEach(events, (event) => Effect.sync(() => seen.push(word(event)))))
      return { seen, error }
    })
  }
}

const numbers = (count: number) => Array.from({ length: count }, (_, i) => i)

describe("a subscriber that is too slow", () => {
  it("loses partial messages first, and has a gap where they were", () => {
    const { read, tell } = subscribed()
    tell(whole(0), partial(1), partial(2), whole(3), state(4), partial(5), whole(6), whole(7))
    assert.deepStrictEqual(read().map(word), ["w0", "-2/2", "w3", "s4", "-1/1", "w6", "w7"])
  })

  it("loses other frames only when no partial message is left: the oldest, or the newest", () => {
    const told = [partial(0), ...numbers(6).map((i) => whole(i + 1))]
    const sliding = subscribed()
    sliding.tell(...told)
    assert.deepStrictEqual(sliding.read().map(word), ["-3/1", "w3", "w4", "w5", "w6"])
    const dropping = subscribed({ strategy: "dropping" })
    dropping.tell(...told)
    assert.deepStrictEqual(dropping.read().map(word), ["-1/1", "w1", "w2", "w3", "w4", "-2/0"])
  })

  it("loses nothing of what it begins with, and none of what came when it had room again", () => {
    const { read, tell } = subscribed({ first: numbers(6).map(whole) })
    tell(...numbers(4).map(partial))
    assert.strictEqual(read().length, 10)
    tell(...numbers(4).map(partial))
    assert.deepStrictEqual(read().map(word), ["p0", "p1", "p2", "p3"])
  })

  it("has the frames of a run in the same way, of whatever size", () => {
    for (const size of [1, 3, 4, 5, 50, 5_000]) {
      const { read, subscribers } = subscribed()
      subscribers.publishPartials(numbers(size).map(partial))
      subscribers.flush()
      const words = read().map(word)
      assert.deepStrictEqual(words.slice(-Math.min(4, size)), numbers(size).slice(-4).map((i) => `p${i}`))
      assert.deepStrictEqual(words.slice(0, -4), size > 4 ? [`-${size - 4}/${size - 4}`] : [])
    }
  })

  it.effect("fails at the first loss, if its strategy says so, after what came before", () =>
    Effect.gen(function*() {
      const { readToFailure, tell } = subscribed({ strategy: "fail" })
      tell(...numbers(9).map(partial), state(9))
      const { error, seen } = yield* readToFailure
      assert.deepStrictEqual(seen, ["p0", "p1", "p2", "p3"])
      assert.deepInclude(error, { _tag: "SubscriptionOverflow", reason: "Frames", capacity: 4, snapshot })
    }))

  it.effect("fails when too many state events wait; the others go on", () =>
    Effect.gen(function*() {
      const { readToFailure, subscribers, tell } = subscribed()
      const other = yield* subscribers.subscribe(() => options({ stateCapacity: 100 }))
      for (const i of numbers(9)) tell(state(i))
      const { error, seen } = yield* readToFailure
      assert.deepStrictEqual(seen, ["s0", "s1", "s2", "s3"])
      assert.deepInclude(error, { reason: "StateEvents", capacity: 4, snapshot })
      subscribers.end()
      assert.strictEqual(Chunk.size(yield* Stream.runCollect(other)), 9)
    }).pipe(Effect.scoped))

  it.effect("does not fail because of one burst, if it had read everything before", () =>
    Effect.gen(function*() {
      const { read, readToFailure, tell } = subscribed()
      tell(...numbers(50).map(state))
      assert.strictEqual(read().length, 50)
      tell(...numbers(50).map(state))
      tell(state(50))
      assert.strictEqual((yield* readToFailure).seen.length, 50)
    }))

  it.effect("gets the state when it failed, and not when it lost something", () =>
    Effect.gen(function*() {
      let turn = 0
      const { readToFailure, tell } = subscribed({ snapshot: () => ({ ...snapshot, turn: { turn, messages: [] } }) })
      for (const i of numbers(9)) tell(state(i))
      turn = 42
      const { error } = yield* readToFailure
      assert.strictEqual(error.snapshot.turn?.turn, 42)
    }))

  it("does not take what it did not ask for, nor room for it", () => {
    const { read, tell } = subscribed({ only: new Set(["TurnDropped"]), capacity: 1 })
    tell(...numbers(100).flatMap((i) => [whole(i), partial(i)]), state(1))
    assert.deepStrictEqual(read().map(word), ["s1"])
  })
})

/** What is kept of frames that come while nobody reads, by the rule and without the means. */
const expected = (told: ReadonlyArray<SessionEvent>, capacity: number, strategy: Strategy): ReadonlyArray<string> => {
  const order = strategy === "sliding" ? told.map((_, i) => i) : told.map((_, i) => told.length - 1 - i)
  const isA = (kind: string) => (i: number) => word(told[i] as SessionEvent).startsWith(kind)
  const droppable = [...order.filter(isA("p")), ...order.filter(isA("w"))]
  const dropped = new Set(droppable.slice(0, Math.max(0, droppable.length - capacity)))
  const words: Array<string> = []
  let gap = { count: 0, partial: 0 }
  const close = () => {
    if (gap.count > 0) words.push(`-${gap.count}/${gap.partial}`)
    gap = { count: 0, partial: 0 }
  }
  told.forEach((event, i) => {
    if (dropped.has(i)) gap = { count: gap.count + 1, partial: gap.partial + (isA("p")(i) ? 1 : 0) }
    else {
      close()
      words.push(word(event))
    }
  })
  close()
  return words
}

describe("what is kept", () => {
  it("is what the rule says, whatever comes, in steps of any size", () => {
    const kind = fc.constantFrom(partial, whole, state)
    const batches = fc.array(fc.array(kind, { maxLength: 300 }), { maxLength: 6 })
    const strategy = fc.constantFrom<Strategy>("sliding", "dropping")
    fc.assert(
      fc.property(batches, fc.integer({ min: 1, max: 40 }), strategy, (batches, capacity, strategy) => {
        const { read, subscribers } = subscribed({ capacity, strategy, stateCapacity: Infinity })
        const told: Array<SessionEvent> = []
        for (const batch of batches) {
          for (const make of batch) {
            const event = make(told.length)
            told.push(event)
            subscribers.publish(event)
          }
          subscribers.flush()
        }
        subscribers.publish(state(-1))
        assert.deepStrictEqual(read().map(word), [...expected(told, capacity, strategy), "s-1"])
      }),
      { numRuns: 200 }
    )
  })
})
