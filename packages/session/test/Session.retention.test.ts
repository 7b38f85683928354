/** How much of what is said a session keeps, and for how long: what a turn retains, and what waits for a CLI that does not read. */
import { ControlError } from "@claude-duplex/protocol/ControlError"
import * as Frame from "@claude-duplex/protocol/Frame"
import type { CliFrame, Unknown } from "@claude-duplex/protocol/Frame"
import * as TransportExit from "@claude-duplex/protocol/TransportExit"
import type { Retain } from "@claude-duplex/session/Conversation"
import * as Permission from "@claude-duplex/session/Permission"
import * as Session from "@claude-duplex/session/Session"
import { assert, describe, it } from "@effect/vitest"
import { Chunk, Deferred, Effect, Exit, Fiber, Option, Queue, Stream } from "effect"
import { capacity } from "../src/internal/frameReader.js"
import { lifecycle, soon } from "./support/handmadeCli.js"
import { canUseTool, init, result } from "./support/sessions.js"

const event = (event: object) => ({ type: "stream_event", event, parent_tool_use_id: null, session_id: "s", uuid: "d" })

const delta = (text: string) => event({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } })

const message = (id: string, content: ReadonlyArray<object>, model = "m") => ({
  id,
  type: "message",
  role: "assistant",
  model,
  content,
  stop_reason: null,
  stop_sequence: null,
  usage: { input_tokens: 1, output_tokens: 1 }
})

const begins = (id: string) => event({ type: "message_start", message: message(id, []) })

const whole = (id: string, text: string, model?: string) => ({
  type: "assistant",
  message: message(id, [{ type: "text", text }], model),
  parent_tool_use_id: null,
  session_id: "s"
})

const stops = event({ type: "message_stop" })

/** A message of the model, as the CLI sends it under `--include-partial-messages`. */
const streamed = (id: string, ...pieces: ReadonlyArray<string>) => [
  begins(id),
  ...pieces.map(delta),
  whole(id, pieces.join("")),
  stops
]

/** A result that names no message. */
const ends = (text: string) => {
  const { user_message_uuids: _, ...plain } = result(text)
  return plain
}

/** A session with a CLI that says what it is told to, when it is told to. */
const conversation = Effect.gen(function*() {
  const bytes = yield* Queue.unbounded<Uint8Array>()
  const s = yield* Session.fromTransport({
    incoming: Stream.fromQueue(bytes),
    send: () => Effect.void,
    endInput: Effect.void,
    close: Queue.shutdown(bytes),
    exit: Effect.as(Queue.awaitShutdown(bytes), TransportExit.exited(0))
  }, { initialization: "skip" })
  const say = (...frames: ReadonlyArray<object>) =>
    Effect.zipRight(
      Queue.offer(bytes, new TextEncoder().encode(frames.map((frame) => `${JSON.stringify(frame)}\n`).join(""))),
      Effect.repeatN(Effect.yieldNow(), 100)
    )
  return { s, say }
})

const typesOf = (frames: Iterable<CliFrame | Unknown>) =>
  Array.from(frames, (frame) => Frame.isKnown(frame) ? frame.type : frame._tag)

/** Runs a stream in a fiber, and shows what it has emitted so far. */
const follow = <A, E>(stream: Stream.Stream<A, E>) =>
  Effect.gen(function*() {
    const seen: Array<A> = []
    const fiber = yield* Effect.fork(Stream.runForEach(stream, (value) => Effect.sync(() => seen.push(value))))
    yield* Effect.repeatN(Effect.yieldNow(), 100)
    return { seen, fiber }
  })

describe("a turn", () => {
  it.scoped("keeps no partial messages unless they are asked for, however it was started", () =>
    Effect.gen(function*() {
      const { s, say } = yield* conversation
      const turn = yield* s.start("go")
      yield* say(init)
      const thousand = Array.from({ length: 1_000 }, () => delta("a"))
      yield* Effect.repeatN(say(...thousand), 199)
      // What it retains is what a late reader gets first.
      const late = yield* follow(turn.frames)
      assert.deepStrictEqual(typesOf(late.seen), ["system"])
      yield* say(ends("done"))
      assert.deepStrictEqual(typesOf((yield* turn.result).frames), ["system", "result"])
      assert.deepStrictEqual(typesOf(yield* Stream.runCollect(turn.frames)), ["system", "result"])
    }))

  it.scoped("gives partial messages to those who read it, although it does not keep them", () =>
    Effect.gen(function*() {
      const { s, say } = yield* conversation
      const turn = yield* s.start("go")
      const [frames, text, messages] = [
        yield* follow(turn.frames),
        yield* follow(turn.text),
        yield* follow(turn.messages)
      ]
      yield* say(init)
      yield* say(...streamed("m1", "hel", "lo"))
      assert.deepStrictEqual(text.seen, ["hel", "lo"])
      assert.strictEqual(messages.seen.length, 1)
      yield* say(ends("hello"))
      yield* soon(Fiber.join(frames.fiber))
      assert.deepStrictEqual(typesOf(frames.seen), [
        "system",
        "stream_event",
        "stream_event",
        "stream_event",
        "assistant",
        "stream_event",
        "result"
      ])
      assert.deepStrictEqual(typesOf((yield* turn.result).frames), ["system", "assistant", "result"])
    }))

  it.scoped("gives a late reader what it retains, and then goes on; no text is missing or comes twice", () =>
    Effect.gen(function*() {
      const { s, say } = yield* conversation
      const turn = yield* s.start("go")
      yield* say(init, ...streamed("m1", "one ", "two "), begins("m2"), delta("th"))
      const [frames, text] = [yield* follow(turn.frames), yield* follow(turn.text)]
      assert.deepStrictEqual([typesOf(frames.seen), text.seen], [["system", "assistant"], ["one two "]])
      // Half a partial message looks like a whole one: the rest of this one is left out, and it comes whole.
      yield* say(delta("ree "))
      assert.deepStrictEqual([frames.seen.length, text.seen.length], [2, 1])
      yield* say(whole("m2", "three "), stops, ...streamed("m3", "fo", "ur"))
      yield* say(ends("four"))
      yield* soon(Fiber.join(text.fiber))
      assert.deepStrictEqual(text.seen, ["one two ", "three ", "fo", "ur"])
      // After the end, too.
      assert.strictEqual(yield* Stream.mkString(turn.text), "one two three four")
    }))

  it.scoped("retains for each message what that asked for, although they share it", () =>
    Effect.gen(function*() {
      const { s, say } = yield* conversation
      const retained = ["result", "messages", "all"] as const satisfies ReadonlyArray<Retain>
      const turns = yield* Effect.forEach(retained, (retain) => s.start(retain, { retain, whenBusy: "steer" }))
      const uuids = turns.map(({ id }) => id)
      yield* say(...uuids.map((uuid) => lifecycle(uuid, "started")))
      yield* say(init, ...streamed("m1", "hi"), { ...ends("hi"), user_message_uuids: uuids })
      const frames = yield* Effect.forEach(turns, (turn) => Effect.map(turn.result, ({ frames }) => typesOf(frames)))
      const all = ["system", "stream_event", "stream_event", "assistant", "stream_event", "result"]
      assert.deepStrictEqual(frames, [["result"], ["system", "assistant", "result"], all])
      const replayed = yield* Effect.forEach(turns, (turn) => Effect.map(Stream.runCollect(turn.frames), typesOf))
      assert.deepStrictEqual(replayed, frames)
    }))

  it.scoped("retains what a local command printed, even if only the result is asked for", () =>
    Effect.gen(function*() {
      const { s, say } = yield* conversation
      const turn = yield* s.start("/context", { retain: "result" })
      yield* say(lifecycle(turn.id, "started"), init, whole("m1", "42 % used", "<synthetic>"), ends("42 % used"))
      const { frames } = yield* turn.result
      assert.deepStrictEqual(typesOf(frames), ["assistant", "result"])
    }))
})

describe("a slow reader of a turn", () => {
  const flood = (say: (...frames: ReadonlyArray<object>) => Effect.Effect<void>) =>
    Effect.zipRight(
      say(begins("m1")),
      Effect.repeatN(say(...Array.from({ length: capacity / 16 }, () => delta("a"))), 15)
    )

  /** Takes one frame, and the others when the gate opens. */
  const slow = <A, E>(stream: Stream.Stream<A, E>) =>
    Effect.gen(function*() {
      const gate = yield* Deferred.make<void>()
      const reader = yield* follow(Stream.tap(stream, () => Deferred.await(gate)))
      return { ...reader, open: Deferred.succeed(gate, undefined) }
    })

  it.scoped("fails when too much waits that is not retained; run again, the stream has every text", () =>
    Effect.gen(function*() {
      const { s, say } = yield* conversation
      const turn = yield* s.start("go")
      const reader = yield* slow(turn.frames)
      const other = yield* follow(turn.frames)
      yield* say(init)
      yield* flood(say)
      yield* reader.open
      const error = yield* soon(Effect.flip(Fiber.join(reader.fiber)))
      assert.deepInclude(error, { _tag: "TurnReset", reason: "Overflow", id: turn.id })
      const again = yield* follow(turn.text)
      yield* say(whole("m1", "a".repeat(capacity)), stops, ends("done"))
      yield* soon(Fiber.join(again.fiber))
      assert.strictEqual(again.seen.join(""), "a".repeat(capacity))
      // One that keeps up has all of it.
      yield* soon(Fiber.join(other.fiber))
      assert.strictEqual(other.seen.length, capacity + 5)
    }))

  it.scoped("never fails if the turn retains all", () =>
    Effect.gen(function*() {
      const { s, say } = yield* conversation
      const turn = yield* s.start("go", { retain: "all" })
      const reader = yield* slow(turn.frames)
      yield* say(init)
      yield* flood(say)
      yield* flood(say)
      yield* say(ends("done"))
      yield* reader.open
      yield* soon(Fiber.join(reader.fiber))
      assert.strictEqual(reader.seen.length, 2 * (capacity + 1) + 2)
    }))
})

describe("a reader that may not read yet", () => {
  it.scoped("gets whole messages in place of partial ones when too much waits, and does not fail", () =>
    Effect.gen(function*() {
      const { s, say } = yield* conversation
      const turn = yield* s.start("go")
      // It waits too, so it may be its turn that runs.
      yield* s.start("another", { whenBusy: "steer" })
      const [frames, text] = [yield* follow(turn.frames), yield* follow(turn.text)]
      yield* say(init)
      yield* Effect.repeatN(say(...streamed("m1", ...Array.from({ length: capacity / 16 }, () => "a"))), 16)
      assert.deepStrictEqual([frames.seen, text.seen], [[], []])
      yield* say({ ...ends("done"), user_message_uuids: [turn.id] })
      yield* soon(Fiber.join(text.fiber))
      yield* soon(Fiber.join(frames.fiber))
      assert.isBelow(frames.seen.length, capacity)
      assert.strictEqual(text.seen.join(""), "a".repeat(17 * capacity / 16))
    }))
})

/** A CLI that never reads, and writes what is put into the queue. */
const deaf = Effect.gen(function*() {
  const bytes = yield* Queue.unbounded<Uint8Array>()
  const say = (frame: object) => Queue.offer(bytes, new TextEncoder().encode(`${JSON.stringify(frame)}\n`))
  return {
    say,
    transport: {
      incoming: Stream.fromQueue(bytes),
      send: () => Effect.never,
      endInput: Effect.void,
      close: Queue.shutdown(bytes),
      exit: Effect.as(Queue.awaitShutdown(bytes), TransportExit.signaled("SIGKILL", "deaf"))
    }
  }
})

describe("a CLI that does not read", () => {
  const kilobyte = "x".repeat(512)

  it.scoped("gets no more messages and requests than the outbox may hold; the others fail at once", () =>
    Effect.gen(function*() {
      const { transport } = yield* deaf
      const s = yield* Session.fromTransport(transport, { initialization: "skip", outbox: { maxBytes: 10_000 } })
      const outcomes = yield* Effect.forEach(
        Array.from({ length: 20 }),
        () => Effect.either(s.start(kilobyte, { whenBusy: "steer" }))
      )
      const refused = outcomes.flatMap((outcome) => outcome._tag === "Left" ? [outcome.left] : [])
      assert.strictEqual(outcomes.findIndex(({ _tag }) => _tag === "Left"), outcomes.length - refused.length)
      assert.isAbove(refused.length, 8)
      for (const error of refused) {
        assert.deepInclude(error, { _tag: "OutboxFull", maxBytes: 10_000 })
        assert.isTrue(error._tag === "OutboxFull" && error.waitingBytes > 10_000 && error.waitingBytes < 12_000)
      }
      const message = yield* Effect.flip(s.send("one more", { whenBusy: "queue" }))
      assert.strictEqual(message._tag, "OutboxFull")
      assert.strictEqual((yield* Effect.flip(s.append("one more")))._tag, "OutboxFull")
      const request = yield* Effect.flip(s.request({ subtype: "mcp_status" }))
      assert.deepInclude(request, { _tag: "ControlError", reason: "OutboxFull", subtype: "mcp_status" })
      const interrupt = yield* Effect.flip(s.control.setModel({ model: "m" }))
      assert.isTrue(interrupt instanceof ControlError && interrupt.message.includes("does not read its input"))
      // It is not an end: the session goes on.
      assert.strictEqual((yield* s.status.get)._tag, "Running")
      yield* s.close
      assert.strictEqual((yield* Effect.flip(s.send("after")))._tag, "SessionClosed")
    }))

  it.scoped("can be ended by an interrupt that escalates", () =>
    Effect.gen(function*() {
      const { say, transport } = yield* deaf
      const s = yield* Session.fromTransport(transport, { initialization: "skip", outbox: { maxBytes: 10 } })
      yield* s.start(kilobyte)
      yield* say(init)
      yield* Stream.runDrain(Stream.takeUntil(s.sessionId.changes, Option.isSome))
      const error = yield* soon(Effect.flip(s.interrupt({ escalate: "close" })))
      assert.strictEqual(error.reason, "OutboxFull")
      assert.deepInclude(yield* soon(s.awaitExit), { _tag: "Signaled", signal: "SIGKILL" })
    }))

  it.scoped("gets its responses in the reserve, and is ended when that is used up", () =>
    Effect.gen(function*() {
      const { say, transport } = yield* deaf
      const s = yield* Session.fromTransport(transport, {
        initialization: "skip",
        outbox: { maxBytes: 1_000, reserveBytes: 3_000 },
        onPermission: ({ input }) => Effect.succeed(Permission.allow({ updatedInput: { ...input, padding: kilobyte } }))
      })
      const turn = yield* s.start(kilobyte)
      yield* say(init)
      const settled = yield* s.subscribe({ only: ["PermissionSettled"] })
      // Three go into the reserve, which then has less than nothing left.
      for (const id of ["p1", "p2", "p3"]) yield* say(canUseTool(id))
      assert.strictEqual(Chunk.size(yield* soon(Stream.runCollect(Stream.take(settled, 3)))), 3)
      assert.notStrictEqual((yield* s.status.get)._tag, "Closed")
      yield* say(canUseTool("p4"))
      const exit = yield* soon(s.awaitExit)
      assert.deepInclude(exit, { _tag: "Failed", reason: "OutboxFull", stderr: "deaf" })
      const outcome = yield* soon(Effect.exit(turn.result))
      assert.isTrue(Exit.isFailure(outcome))
      const { message } = yield* Effect.flip(turn.result)
      assert.include(message, "did not read its input")
    }))
})
