/** Whatever waits for something gets it, and its end, wherever its fiber is suspended when that comes. */
import { MessageCancelled } from "@claude-duplex/protocol/SessionError"
import type { Transport } from "@claude-duplex/protocol/Transport"
import type { SessionEvent } from "@claude-duplex/session/SessionEvent"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Scope, Stream } from "effect"
import { Conflated } from "../../src/internal/conflated.js"
import { Outbox } from "../../src/internal/outbox.js"
import { Subscribers, type Subscription } from "../../src/internal/subscribers.js"
import { TurnRecord } from "../../src/internal/turnRecord.js"
import { everySchedule, type Scenario } from "../support/schedules.js"

/** What a consumer got, and that it ended. */
const collecting = <A>(expected: ReadonlyArray<A>) => {
  const seen: Array<A> = []
  return {
    seen,
    collect: <E>(stream: Stream.Stream<A, E>) =>
      Stream.runForEachChunk(stream, (chunk) => Effect.sync(() => seen.push(...chunk))),
    check: ([exit]: ReadonlyArray<Exit.Exit<unknown, unknown> | undefined>) => {
      assert.isTrue(exit !== undefined && Exit.isSuccess(exit), "it waits for ever")
      assert.deepStrictEqual(seen, expected)
    }
  }
}

const writer = (): Scenario => {
  const outbox = new Outbox()
  const { check, seen } = collecting(["first", "last"])
  outbox.write("first", false)
  const transport: Transport = {
    incoming: Stream.empty,
    send: (line) => Effect.sync(() => seen.push(line)),
    endInput: Effect.void,
    close: Effect.void,
    exit: Effect.never
  }
  return {
    fibers: [outbox.into(transport)],
    steps: [() => outbox.write("last", false), () => outbox.end()],
    check
  }
}

const subscriber = (): Scenario => {
  const [first, last] = [{ _tag: "TurnDropped", turn: 1 }, { _tag: "TurnDropped", turn: 2 }] as const
  const subscribers = new Subscribers()
  const { check, collect, seen } = collecting<SessionEvent>([first, last])
  const options: Subscription = {
    capacity: 10,
    stateCapacity: 10,
    strategy: "sliding",
    only: undefined,
    first: [first],
    snapshot: () => {
      throw new Error("It does not overflow")
    }
  }
  const scope = Effect.runSync(Scope.make())
  const events = Effect.runSync(Scope.extend(subscribers.subscribe(() => options), scope))
  return {
    fibers: [collect(events)],
    hasBegun: () => seen.length > 0,
    steps: [() => {
      subscribers.publish(last)
      subscribers.flush()
    }, () => subscribers.end()],
    check
  }
}

const reader = (): Scenario => {
  const frame = { type: "keep_alive" } as const
  const message = { type: "user", message: { role: "user", content: "a" } } as const
  const record = new TurnRecord("a", message, "messages", () => undefined)
  const { check, collect, seen } = collecting(["keep_alive", "keep_alive"])
  const frames: Array<typeof frame> = [frame]
  record.attach({ frames, hasSkipped: false, isDoubtful: false })
  return {
    fibers: [collect(Stream.map(record.frames, (each) => "type" in each ? String(each.type) : "?"))],
    hasBegun: () => seen.length > 0,
    steps: [() => {
      frames.push(frame)
      record.receive(frame, true)
    }, () => record.settle(Exit.fail(new MessageCancelled({ id: "a" })))],
    check
  }
}

const follower = (): Scenario => {
  const value = new Conflated("first")
  const seen: Array<string> = []
  return {
    fibers: [Stream.runForEach(value.subscribable.changes, (each) => Effect.sync(() => seen.push(each)))],
    hasBegun: () => seen.length > 0,
    steps: [() => value.set("second"), () => value.set("last"), () => value.end()],
    check: ([exit]) => {
      assert.isTrue(exit !== undefined && Exit.isSuccess(exit), "it waits for ever")
      assert.strictEqual(seen.at(-1), "last")
    }
  }
}

describe("under every schedule, nothing is missed", () => {
  for (const [name, scenario] of Object.entries({ writer, subscriber, reader, follower })) {
    it(`by a ${name}`, () => {
      assert.isAbove(everySchedule(scenario, { suspensions: 1 }), 100)
    })
  }
})
