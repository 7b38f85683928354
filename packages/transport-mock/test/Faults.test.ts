import * as Codec from "@claude-duplex/protocol/Codec"
import { DecodeError } from "@claude-duplex/protocol/DecodeError"
import { Unknown } from "@claude-duplex/protocol/Frame"
import * as Faults from "@claude-duplex/transport-mock/Faults"
import * as MockTransport from "@claude-duplex/transport-mock/MockTransport"
import type { Behaviour } from "@claude-duplex/transport-mock/Peer"
import * as Script from "@claude-duplex/transport-mock/Script"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Either, FastCheck as fc, Fiber, Option, Schema, Stream, TestClock } from "effect"
import { linesOf, recordings } from "./support/recordings.js"

const utf8 = new TextEncoder()

const text = (chunks: Iterable<Uint8Array>) => {
  const decoder = new TextDecoder()
  return Array.from(chunks, (chunk) => decoder.decode(chunk, { stream: true })).join("")
}

/** Writes these chunks and ends. */
const say = (...chunks: ReadonlyArray<string>): Behaviour => (peer) =>
  Effect.forEach(chunks, (chunk) => peer.write(utf8.encode(chunk)), { discard: true })

/** Everything that the host reads, and the exit. */
const hear = <E>(behaviour: Behaviour<E>) =>
  Effect.scoped(Effect.gen(function*() {
    const transport = yield* MockTransport.make(behaviour)
    const chunks = Array.from(yield* Stream.runCollect(transport.incoming))
    const ended = yield* transport.exit
    const exit = ended._tag === "Exited" ? ended.code : ended._tag === "Signaled" ? ended.signal : ended._tag
    return { chunks, text: text(chunks), exit }
  }))

/** What a behaviour says when nothing holds it up, without a runtime to wait for. */
const heardText = (behaviour: Behaviour, ...faults: ReadonlyArray<Faults.Fault>) =>
  Effect.runSync(Effect.gen(function*() {
    const chunks: Array<Uint8Array> = []
    yield* Faults.apply(...faults)(behaviour)({
      receive: Effect.succeedNone,
      write: (bytes) => Effect.sync(() => void chunks.push(bytes)),
      writeStderr: () => Effect.void,
      exit: () => Effect.void
    })
    return chunks
  }))

const describeItem = (item: Codec.Item): unknown =>
  item instanceof DecodeError ? item.reason : item instanceof Unknown ? item.raw : item

const decode = (chunks: ReadonlyArray<Uint8Array>) => {
  const decoder = Codec.cli.makeDecoder()
  return [...chunks.flatMap((chunk) => decoder.push(chunk)), ...decoder.end()].map(describeItem)
}

const seed = fc.integer()
const recording = fc.constantFrom(...recordings)
const sayRecording = (lines: ReadonlyArray<string>) => say(...lines.map((line) => `${line}\n`))

describe("properties", () => {
  it("cut: other chunks, the same bytes, and so the same frames of every recording", () => {
    fc.assert(
      fc.property(recording, seed, fc.integer({ min: 1, max: 5000 }), (recording, seed, largest) => {
        const lines = linesOf(recording, "cli")
        const chunks = heardText(sayRecording(lines), Faults.cut({ seed, largest }))
        assert.isTrue(chunks.every(({ length }) => length > 0 && length <= largest))
        assert.strictEqual(text(chunks), lines.map((line) => `${line}\n`).join(""))
        assert.deepStrictEqual(decode(chunks), lines.map((line) => describeItem(Either.merge(Codec.cli.decode(line)))))
      }),
      { numRuns: 60 }
    )
  })

  it("noise: adds its lines between frames, each one `InvalidJson`, and changes nothing else", () => {
    fc.assert(
      fc.property(recording, seed, fc.double({ min: 0, max: 1, noNaN: true }), (recording, seed, chance) => {
        const lines = linesOf(recording, "cli")
        const noise = Faults.noise({ seed, chance })
        const chunks = heardText(sayRecording(lines), noise)
        const added = text(chunks).split("\n").length - 1 - lines.length
        const items = decode(chunks)
        assert.strictEqual(items.filter((item) => item === "InvalidJson").length, added)
        assert.deepStrictEqual(
          items.filter((item) => item !== "InvalidJson"),
          lines.map((line) => describeItem(Either.merge(Codec.cli.decode(line))))
        )
        if (chance === 1) assert.strictEqual(added, lines.length)
        // However the noisy output is cut then, it is the same.
        assert.deepStrictEqual(decode(heardText(sayRecording(lines), noise, Faults.cut({ seed }))), items)
      }),
      { numRuns: 60 }
    )
  })

  it("the same seed does the same, another one something else", () => {
    const lines = sayRecording(Array.from({ length: 50 }, (_, i) => `{"type":"keep_alive","n":${i}}`))
    const outcomeOf = (seed: number) =>
      heardText(lines, Faults.noise({ seed }), Faults.cut({ seed })).map((chunk) => text([chunk]))
    assert.deepStrictEqual(outcomeOf(1), outcomeOf(1))
    assert.notDeepEqual(outcomeOf(1), outcomeOf(2))
  })

  it("exit after n bytes: exactly n bytes are seen, whatever the chunks", () => {
    fc.assert(fc.property(seed, fc.nat(60), (seed, bytes) => {
      const output = "one\ntwo\nthree\nfour\nand some more of it\n"
      const heard = heardText(say(output), Faults.cut({ seed, largest: 5 }), Faults.exit({ after: { bytes } }))
      assert.strictEqual(text(heard), output.slice(0, bytes))
    }))
  })

  it("every fault is data", () => {
    const faults: ReadonlyArray<Faults.Fault> = [
      Faults.cut({ seed: 1, largest: 2 }),
      Faults.noise({ seed: 1, chance: 0.1, texts: ["x"] }),
      Faults.insert({ line: 1, text: "x" }),
      Faults.longLine({ line: 1, bytes: 10 }),
      Faults.duplicate({ match: { type: "user" }, nth: 1 }, { times: 2 }),
      Faults.hold({ line: 1 }, { time: "1 second" }),
      Faults.hold({ line: 1 }, { lines: 2 }),
      Faults.hold({ line: 1 }, { received: { type: "user" } }),
      Faults.delay({ line: 1, time: "1 second" }),
      Faults.endInLine({ line: 1, bytes: 3, with: "SIGKILL" }),
      Faults.exit({ after: { line: 1 }, with: 3 }),
      Faults.exit({ after: { bytes: 1 } }),
      Faults.stalledInput({ lines: 1 })
    ]
    const json: unknown = JSON.parse(JSON.stringify(faults))
    assert.deepStrictEqual(Schema.decodeUnknownSync(Schema.Array(Faults.Fault))(json), faults)
    assert.deepStrictEqual<unknown>(Schema.encodeSync(Schema.Array(Faults.Fault))(faults), json)
    const isFault = Schema.is(Faults.Fault)
    assert.isFalse(isFault({ type: "insert", line: 0, text: "two\nlines" }))
    assert.isFalse(isFault({ type: "noise", seed: 1, texts: [" "] }))
    assert.isFalse(isFault({ type: "exit", after: { line: -1 } }))
  })
})

describe("lines that are added", () => {
  it.effect("insert: before its line, also when lines come in pieces", () =>
    Effect.gen(function*() {
      const { text } = yield* hear(Faults.apply(Faults.insert({ line: 1, text: "x" }))(say("a", "a\nb", "b", "b\nc\n")))
      assert.strictEqual(text, "aa\nx\nbbb\nc\n")
    }))

  it.effect("longLine: as long as asked for, and too long for a host that allows less", () =>
    Effect.gen(function*() {
      const frame = `{"type":"keep_alive"}\n`
      const bytes = 200_000
      const { chunks } = yield* hear(Faults.apply(Faults.longLine({ line: 1, bytes }))(say(frame, frame)))
      assert.strictEqual(text(chunks), `${frame}${"x".repeat(bytes)}\n${frame}`)
      const decoder = Codec.cli.makeDecoder({ maxLineBytes: 1000 })
      assert.deepStrictEqual(chunks.flatMap((chunk) => decoder.push(chunk)).map(describeItem), [
        { type: "keep_alive" },
        "LineTooLong",
        { type: "keep_alive" }
      ])
    }))

  it.effect("duplicate: by number, by fields, the nth with these fields, several times", () =>
    Effect.gen(function*() {
      const output = say(`{"a":1}\n{"b"`, `:1}\nnoise\n{"b":2,"c":{"d":3}}\n`)
      const duplicated = (...args: Parameters<typeof Faults.duplicate>) =>
        Effect.map(hear(Faults.apply(Faults.duplicate(...args))(output)), ({ text }) => text.split("\n").slice(0, -1))
      const [a, b1, noise, b2] = [`{"a":1}`, `{"b":1}`, "noise", `{"b":2,"c":{"d":3}}`]
      assert.deepStrictEqual(yield* duplicated({ line: 2 }), [a, b1, noise, noise, b2])
      assert.deepStrictEqual(yield* duplicated({ match: { b: 1 } }, { times: 2 }), [a, b1, b1, b1, noise, b2])
      assert.deepStrictEqual(yield* duplicated({ match: {} }), [a, a, b1, b1, noise, b2, b2])
      assert.deepStrictEqual(yield* duplicated({ match: {}, nth: 2 }), [a, b1, noise, b2, b2])
      assert.deepStrictEqual(yield* duplicated({ match: { c: { d: 4 } } }), [a, b1, noise, b2])
    }))
})

describe("lines that come late", () => {
  it.effect("after so many others, and at the end if there are too few", () =>
    Effect.gen(function*() {
      const held = (lines: number, ...chunks: ReadonlyArray<string>) =>
        Effect.map(hear(Faults.apply(Faults.hold({ line: 1 }, { lines }))(say(...chunks))), ({ text }) => text)
      assert.strictEqual(yield* held(2, "a\nb\nc", "\nd\ne\n"), "a\nc\nd\nb\ne\n")
      assert.strictEqual(yield* held(1, "a\n", "b", "\nc\n"), "a\nc\nb\n")
      assert.strictEqual(yield* held(9, "a\nb\nc\n"), "a\nc\nb\n")
      assert.strictEqual(yield* held(0, "a\nb\nc\n"), "a\nb\nc\n")
    }))

  it.effect("also before an exit of the behaviour's own, which stays the same", () =>
    Effect.gen(function*() {
      const script = Script.make(Script.replyLine("a"), Script.replyLine("b"), Script.exit("SIGTERM"))
      const heard = yield* hear(Faults.apply(Faults.hold({ line: 0 }, { lines: 5 }))(Script.behaviour(script)))
      assert.deepStrictEqual([heard.text, heard.exit], ["b\na\n", "SIGTERM"])
    }))

  it.scoped("after some time, but never in the middle of a line", () =>
    Effect.gen(function*() {
      const script = Script.make(
        Script.replyLine("late"),
        Script.replyChunks("b", "b"),
        Script.delay("10 seconds"),
        Script.replyChunks("b\n"),
        Script.replyLine("c"),
        Script.delay("10 seconds")
      )
      const transport = yield* MockTransport.make(
        Faults.apply(Faults.hold({ line: 0 }, { time: "5 seconds" }))(Script.behaviour(script))
      )
      let seen = ""
      yield* Effect.fork(Stream.runForEach(transport.incoming, (chunk) => Effect.sync(() => seen += text([chunk]))))
      yield* TestClock.adjust("9 seconds")
      assert.strictEqual(seen, "bb")
      yield* TestClock.adjust("1 second")
      assert.strictEqual(seen, "bbb\nlate\nc\n")
    }))

  it.scoped("after some time, while the behaviour waits", () =>
    Effect.gen(function*() {
      const script = Script.make(Script.replyLine("late"), Script.replyLine("b"))
      const transport = yield* MockTransport.make(
        Faults.apply(Faults.hold({ match: {} }, { time: 1 }), Faults.hold({ line: 0 }, { time: "5 seconds" }))(
          Script.behaviour(script)
        )
      )
      let seen = ""
      yield* Effect.fork(Stream.runForEach(transport.incoming, (chunk) => Effect.sync(() => seen += text([chunk]))))
      yield* TestClock.adjust("4 seconds")
      assert.strictEqual(seen, "b\n")
      yield* TestClock.adjust("1 second")
      assert.strictEqual(seen, "b\nlate\n")
    }))

  it.scoped("an answer after its request was cancelled", () =>
    Effect.gen(function*() {
      const answer = (id: string) => ({
        type: "control_response" as const,
        response: { subtype: "success" as const, request_id: id }
      })
      const script = Script.make(
        Script.reply(answer("1")),
        Script.reply(answer("2")),
        Script.reply({ type: "keep_alive" }),
        Script.expect({ type: "control_cancel_request" }),
        Script.replyLine("after")
      )
      const transport = yield* MockTransport.make(
        Faults.apply(
          Faults.hold({ match: { type: "control_response" }, nth: 1 }, { received: { type: "control_cancel_request" } })
        )(Script.behaviour(script))
      )
      let seen = ""
      yield* Effect.fork(Stream.runForEach(transport.incoming, (chunk) => Effect.sync(() => seen += text([chunk]))))
      yield* TestClock.adjust("1 hour")
      const before = `${JSON.stringify(answer("1"))}\n{"type":"keep_alive"}\n`
      assert.strictEqual(seen, before)
      yield* transport.send(`{"type":"control_cancel_request","request_id":"2"}`)
      yield* transport.endInput
      yield* transport.outcome
      yield* TestClock.adjust(0)
      assert.strictEqual(seen, `${before}${JSON.stringify(answer("2"))}\nafter\n`)
    }))

  it.scoped("delay: everything stands still before its line", () =>
    Effect.gen(function*() {
      const transport = yield* MockTransport.make(
        Faults.apply(Faults.delay({ line: 1, time: "1 minute" }))(say("a\nb\nc\n"))
      )
      const heard = yield* Effect.fork(Stream.runCollect(transport.incoming))
      yield* TestClock.adjust("59 seconds")
      assert.isTrue(Option.isNone(yield* Fiber.poll(heard)))
      yield* TestClock.adjust("1 second")
      assert.strictEqual(text(yield* Fiber.join(heard)), "a\nb\nc\n")
    }))
})

describe("ends", () => {
  const output = say("aaaa\nbb", "bb\ncccc\n")

  it.effect("in a line: what is left of it is a truncated tail", () =>
    Effect.gen(function*() {
      const heard = (options: Parameters<typeof Faults.endInLine>[0]) =>
        Effect.map(hear(Faults.apply(Faults.endInLine(options))(output)), ({ exit, text }) => [text, exit])
      assert.deepStrictEqual(yield* heard({ line: 1 }), ["aaaa\nb", 1])
      assert.deepStrictEqual(yield* heard({ line: 1, bytes: 3, with: "SIGKILL" }), ["aaaa\nbbb", "SIGKILL"])
      assert.deepStrictEqual(yield* heard({ line: 1, bytes: 99, with: 7 }), ["aaaa\nbbbb", 7])
      assert.deepStrictEqual(yield* heard({ line: 1, bytes: 0 }), ["aaaa\n", 1])
      assert.deepStrictEqual(yield* heard({ line: 9 }), ["aaaa\nbbbb\ncccc\n", 0])
      const { chunks } = yield* hear(
        Faults.apply(Faults.endInLine({ line: 1, bytes: 5 }))(say(`{"type":"keep_alive"}\n{"type":"keep_alive"}\n`))
      )
      assert.deepStrictEqual(decode(chunks), [{ type: "keep_alive" }, "TruncatedTail"])
    }))

  it.effect("after a line, after some bytes, and before anything", () =>
    Effect.gen(function*() {
      const heard = (options: Parameters<typeof Faults.exit>[0]) =>
        Effect.map(hear(Faults.apply(Faults.exit(options))(output)), ({ exit, text }) => [text, exit])
      assert.deepStrictEqual(yield* heard({ after: { line: 1 } }), ["aaaa\nbbbb\n", 1])
      assert.deepStrictEqual(yield* heard({ after: { line: 0 }, with: "SIGSEGV" }), ["aaaa\n", "SIGSEGV"])
      assert.deepStrictEqual(yield* heard({ after: { bytes: 6 }, with: 0 }), ["aaaa\nb", 0])
      assert.deepStrictEqual(yield* heard({ after: { bytes: 0 } }), ["", 1])
      assert.deepStrictEqual(yield* heard({ after: { bytes: 999 } }), ["aaaa\nbbbb\ncccc\n", 0])
    }))

  it.scoped("interrupt the behaviour, and the host cannot send any more", () =>
    Effect.gen(function*() {
      let isInterrupted = false
      const transport = yield* MockTransport.make(
        Faults.apply(Faults.exit({ after: { line: 0 } }))((peer) =>
          Effect.onInterrupt(peer.write(utf8.encode("a\nb\n")), () => Effect.sync(() => isInterrupted = true))
        )
      )
      yield* transport.outcome
      assert.isTrue(isInterrupted)
      assert.strictEqual((yield* Effect.flip(transport.send("x"))).reason, "Write")
    }))

  it.scoped("do not come from a fault, if the behaviour fails first", () =>
    Effect.gen(function*() {
      const transport = yield* MockTransport.make(
        Faults.apply(Faults.exit({ after: { line: 5 } }), Faults.cut({ seed: 1 }))(
          Script.behaviour(Script.make(Script.expect({ type: "user" })))
        )
      )
      yield* transport.endInput
      assert.strictEqual((yield* Effect.flip(transport.outcome)).reason, "EndOfInput")
      assert.deepInclude(yield* transport.exit, { _tag: "Exited", code: MockTransport.failureCode })
    }))
})

describe("a stalled input", () => {
  it.scoped("reads so many lines and nothing more, not even the end", () =>
    Effect.gen(function*() {
      const frame = `{"type":"control_cancel_request","request_id":"1"}`
      const script = Script.make(
        Script.expect({}),
        Script.replyLine("one"),
        Script.expect({}),
        Script.replyLine("two")
      )
      const transport = yield* MockTransport.make(
        Faults.apply(Faults.stalledInput({ lines: 1 }))(Script.behaviour(script))
      )
      let seen = ""
      yield* Effect.fork(Stream.runForEach(transport.incoming, (chunk) => Effect.sync(() => seen += text([chunk]))))
      yield* transport.send(frame)
      yield* transport.send(frame)
      yield* transport.endInput
      const outcome = yield* Effect.fork(transport.outcome)
      yield* TestClock.adjust("1 hour")
      assert.strictEqual(seen, "one\n")
      assert.isTrue(Option.isNone(yield* Fiber.poll(outcome)))
    }))
})

describe("together", () => {
  const output = say("a\nb\n")

  it.effect("faults pass the output on in the order given, and each counts the lines that reach it", () =>
    Effect.gen(function*() {
      const heard = (...faults: ReadonlyArray<Faults.Fault>) =>
        Effect.map(hear(Faults.apply(...faults)(output)), ({ text }) => text)
      const insert = Faults.insert({ line: 0, text: "x" })
      const twice = Faults.duplicate({ line: 0 })
      assert.strictEqual(yield* heard(insert, twice), "x\nx\na\nb\n")
      assert.strictEqual(yield* heard(twice, insert), "x\na\na\nb\n")
      assert.strictEqual(yield* heard(insert, Faults.exit({ after: { line: 0 } })), "x\n")
      assert.strictEqual(yield* heard(Faults.exit({ after: { line: 0 } }), insert), "x\na\n")
      assert.strictEqual(yield* heard(), "a\nb\n")
    }))

  it.effect("`apply` in steps is `apply` at once", () =>
    Effect.gen(function*() {
      const [one, two, three] = [Faults.noise({ seed: 3 }), Faults.duplicate({ line: 1 }), Faults.cut({ seed: 3 })]
      const atOnce = yield* hear(Faults.apply(one, two, three)(output))
      const inSteps = yield* hear(Faults.apply(three)(Faults.apply(two)(Faults.apply(one)(output))))
      assert.deepStrictEqual(inSteps, atOnce)
    }))

  it.effect("what one holds back at the end passes those behind it", () =>
    Effect.gen(function*() {
      const { text } = yield* hear(
        Faults.apply(Faults.hold({ line: 0 }, { lines: 9 }), Faults.duplicate({ line: 1 }))(output)
      )
      assert.strictEqual(text, "b\na\na\n")
    }))
})
