/** The streams of a `Turn` have the frames of its own turn only, although it may be known late whose turn runs. */
import * as Codec from "@claude-duplex/protocol/Codec"
import * as Frame from "@claude-duplex/protocol/Frame"
import type { CliFrame, Unknown } from "@claude-duplex/protocol/Frame"
import * as TransportExit from "@claude-duplex/protocol/TransportExit"
import * as Session from "@claude-duplex/session/Session"
import type { Turn } from "@claude-duplex/session/Turn"
import { assert, describe, it } from "@effect/vitest"
import { Chunk, Deferred, Effect, Exit, Fiber, Queue, Stream, TestClock } from "effect"
import { names } from "../../../reliability/src/recorded/recordings.js"
import { background, heard, resultOf, settle, soon, type UserLine } from "./support/handmadeCli.js"
import { init, recording, session } from "./support/sessions.js"

const assistant = (text: string) => ({
  type: "assistant",
  message: {
    id: `msg_${text}`,
    type: "message",
    role: "assistant",
    model: "m",
    content: [{ type: "text", text }],
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: 1, output_tokens: 1 }
  },
  parent_tool_use_id: null,
  session_id: "s"
})

/** What a CLI with `--replay-user-messages` repeats. */
const echoOf = (message: UserLine) => ({ ...message, isReplay: true, session_id: "s" })

/** What a CLI before 2.1.250 says: neither lifecycles nor uuids, and results do not name their messages. */
const silentResult = (text: string) => {
  const { user_message_uuids: _, ...rest } = resultOf(text)
  return rest
}

const old = { ...init, claude_code_version: "2.1.143" }

/** Collects what the stream emits, also if it fails later. */
const follow = <A, E>(stream: Stream.Stream<A, E>) =>
  Effect.gen(function*() {
    const seen: Array<A> = []
    const fiber = yield* Effect.fork(Stream.runForEach(stream, (value) => Effect.sync(() => seen.push(value))))
    return { seen, fiber }
  })

/** The texts of whole messages. */
const textsOf = (frames: ReadonlyArray<CliFrame | Unknown>) =>
  frames.flatMap((frame) =>
    Frame.isKnown(frame) && frame.type === "assistant"
      ? frame.message.content.flatMap((block) => block.type === "text" ? [block.text] : [])
      : []
  )

const textsIn = (turn: Turn) => Effect.map(Stream.runCollect(turn.frames), (all) => textsOf(Chunk.toReadonlyArray(all)))

describe("frames of another turn", () => {
  it.scoped("are not shown while another message waits for a result, and only order tells whose turn runs", () =>
    Effect.gen(function*() {
      const { behaviour } = heard(({ message, say }) =>
        Effect.gen(function*() {
          const a = yield* message
          const b = yield* message
          // `b` jumps the queue.
          yield* say(old)
          yield* say(assistant("for b"))
          yield* Effect.sleep("1 second")
          yield* say(echoOf(b))
          yield* say(silentResult("b"))
          yield* say(old)
          yield* say(echoOf(a))
          yield* say(assistant("for a"))
          yield* say(silentResult("a"))
        })
      )
      const s = yield* session(behaviour)
      const a = yield* s.start("a")
      const b = yield* s.start("b", { whenBusy: "steer", priority: "now" })
      const [followedA, followedB] = [yield* follow(a.messages), yield* follow(b.messages)]
      yield* settle
      assert.deepStrictEqual([textsOf(followedA.seen), textsOf(followedB.seen)], [[], []])
      yield* TestClock.adjust("1 second")
      yield* soon(Fiber.join(followedA.fiber))
      yield* soon(Fiber.join(followedB.fiber))
      assert.deepStrictEqual(textsOf(followedA.seen), ["for a"])
      assert.deepStrictEqual(textsOf(followedB.seen), ["for b"])
    }))

  it.scoped("fail a stream that has shown them; run again, it has those of its own turn", () =>
    Effect.gen(function*() {
      const { behaviour } = heard(({ message, say }) =>
        Effect.gen(function*() {
          const a = yield* message
          yield* say(init)
          yield* say(assistant("of a turn that the CLI started"))
          yield* Effect.sleep("1 second")
          yield* say(background("unsolicited"))
          yield* say(init)
          yield* say(assistant("for a"))
          yield* say(resultOf("a", a))
        })
      )
      const s = yield* session(behaviour)
      const a = yield* s.start("a")
      const followed = yield* follow(a.frames)
      yield* settle
      yield* TestClock.adjust("1 second")
      const exit = yield* soon(Fiber.await(followed.fiber))
      assert.deepStrictEqual(textsOf(followed.seen), ["of a turn that the CLI started"])
      assert.isTrue(Exit.isFailure(exit))
      assert.deepStrictEqual(yield* textsIn(a), ["for a"])
      assert.strictEqual((yield* a.result).text, "a")
    }))
})

describe("a turn that a background task may have started", () => {
  const tasks = (...ids: ReadonlyArray<string>) => ({
    type: "system",
    subtype: "background_tasks_changed",
    tasks: ids.map((id) => ({ task_id: id, task_type: "local_bash", description: "sleep" })),
    uuid: "u",
    session_id: "s"
  })

  it.scoped("is shown when it is known that it was not, at the latest at its end", () =>
    Effect.gen(function*() {
      const { behaviour } = heard(({ message, say }) =>
        Effect.gen(function*() {
          const a = yield* message
          yield* say(old)
          yield* say(tasks("t"))
          yield* say(resultOf("a", a))
          yield* Effect.sleep("1 second")
          yield* say(tasks())
          const b = yield* message
          yield* say(old)
          yield* say(assistant("the task has ended"))
          yield* Effect.sleep("1 second")
          yield* say(background("unsolicited"))
          yield* say(old)
          yield* say(assistant("for b"))
          yield* Effect.sleep("1 second")
          yield* say(resultOf("b", b))
        })
      )
      const s = yield* session(behaviour)
      yield* s.send("a")
      yield* TestClock.adjust("1 second")
      const b = yield* s.start("b")
      const followed = yield* follow(b.frames)
      yield* TestClock.adjust("1 second")
      yield* settle
      // The turn of the task is over; the next one is nothing to wait for.
      assert.deepStrictEqual(textsOf(followed.seen), ["for b"])
      yield* TestClock.adjust("1 second")
      yield* soon(Fiber.join(followed.fiber))
      assert.deepStrictEqual(textsOf(followed.seen), ["for b"])
    }))
})

describe("a message whose turn was never known", () => {
  it.scoped("is shown nothing when the CLI ends", () =>
    Effect.gen(function*() {
      const die = yield* Deferred.make<void>()
      const { behaviour } = heard(({ message, say }) =>
        Effect.gen(function*() {
          yield* message
          yield* message
          yield* say(old)
          yield* say(assistant("for one of them"))
          yield* Deferred.await(die)
        })
      )
      const s = yield* session((peer) => Effect.raceFirst(behaviour(peer), Deferred.await(die)))
      const a = yield* s.start("a")
      yield* s.start("b", { whenBusy: "steer" })
      const followed = yield* follow(a.frames)
      yield* settle
      yield* Deferred.succeed(die, undefined)
      assert.strictEqual((yield* soon(Effect.flip(a.result)))._tag, "SessionClosed")
      yield* soon(Fiber.join(followed.fiber))
      assert.deepStrictEqual(followed.seen, [])
      assert.deepStrictEqual(yield* textsIn(a), [])
    }))
})

/** What was said, in words. */
const promptOf = (content: unknown) => typeof content === "string" ? content : "an image"

/**
 * Plays what a recorded CLI wrote, line by line, and counts the partial messages that the streams of turns emit: as soon as they
 * come, and in all.
 */
const shownIn = (name: string) =>
  Effect.gen(function*() {
    const { entries } = recording(name)
    const bytes = yield* Queue.unbounded<Uint8Array>()
    const s = yield* Session.fromTransport({
      launch: { replayUserMessages: entries.some(({ line }) => line.includes(`"isReplay":true`)) },
      incoming: Stream.fromQueue(bytes),
      send: () => Effect.void,
      endInput: Effect.void,
      close: Queue.shutdown(bytes),
      exit: Effect.as(Queue.awaitShutdown(bytes), TransportExit.exited(0))
    }, {
      initialization: "skip",
      onPermission: () => Effect.never
    })
    const count = { atOnce: 0, atResult: 0, inAll: 0 }
    for (const { dir, line } of entries) {
      const frame = (dir === "cli" ? Codec.cli : Codec.host).fromJson(JSON.parse(line))
      if (dir === "cli") {
        const before = count.inAll
        yield* Queue.offer(bytes, new TextEncoder().encode(`${line}\n`))
        yield* Effect.repeatN(Effect.yieldNow(), 100)
        if (!Frame.isKnown(frame)) continue
        if (frame.type === "stream_event") count.atOnce += count.inAll - before
        if (frame.type === "result") count.atResult += count.inAll - before
      } else if (Frame.isKnown(frame) && frame.type === "user") {
        const { frames } = yield* s.start(promptOf(frame.message.content), { id: frame.uuid, whenBusy: "steer" })
        yield* Effect.fork(
          Stream.runForEach(frames, (each) =>
            Effect.sync(() => {
              if (Frame.isKnown(each) && each.type === "stream_event") count.inAll++
            }))
        )
        yield* Effect.repeatN(Effect.yieldNow(), 100)
      }
    }
    return count
  })

interface Shown {
  /** In the same step in which they came. */
  readonly atOnce: number
  /** Only with the result of their turn. */
  readonly atResult: number
  readonly inAll: number
}

/** How many partial messages the streams of turns emit, and when, in each recording that has any. */
const shown: Record<string, Shown> = {
  "1.0.128/interrupt": { atOnce: 15, atResult: 0, inAll: 15 },
  // The second message runs while the third waits, and nothing tells which of them it is: held until its result.
  "1.0.128/queue-midturn": { atOnce: 15, atResult: 6, inAll: 21 },
  "2.1.143/interrupt": { atOnce: 11, atResult: 0, inAll: 11 },
  "2.1.143/queue-midturn": { atOnce: 21, atResult: 0, inAll: 21 },
  // An echo is expected, and comes after the first six: held until then.
  "2.1.143/queue-midturn-replay": { atOnce: 9, atResult: 0, inAll: 15 },
  "2.1.326/commands": { atOnce: 18, atResult: 0, inAll: 18 },
  "2.1.326/compaction": { atOnce: 24, atResult: 0, inAll: 24 },
  "2.1.326/eof-midturn": { atOnce: 8, atResult: 0, inAll: 8 },
  "2.1.326/interrupt": { atOnce: 14, atResult: 0, inAll: 14 },
  "2.1.326/kill-midturn": { atOnce: 3, atResult: 0, inAll: 3 },
  "2.1.326/queue-midturn": { atOnce: 21, atResult: 0, inAll: 21 },
  "2.1.326/subagent": { atOnce: 18, atResult: 0, inAll: 18 },
  "2.1.326/thinking": { atOnce: 11, atResult: 0, inAll: 11 },
  "2.1.326/tour": { atOnce: 257, atResult: 0, inAll: 257 },
  "2.1.326/tour-denied": { atOnce: 30, atResult: 0, inAll: 30 }
}

describe("partial messages are shown as soon as they come", () => {
  it("in every recording that has any", () => {
    const streamed = names.filter((name) =>
      recording(name).entries.some(({ dir, line }) => dir === "cli" && line.includes(`"type":"stream_event"`))
    )
    assert.deepStrictEqual(Object.keys(shown), streamed)
  })

  for (const [name, expected] of Object.entries(shown)) {
    it.scoped(`in ${name}: ${expected.atOnce} of ${expected.inAll}`, () =>
      Effect.map(shownIn(name), (count) => assert.deepStrictEqual(count, expected)))
  }
})
