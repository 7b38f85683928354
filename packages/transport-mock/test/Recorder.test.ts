import * as Connector from "@claude-duplex/protocol/Connector"
import { type Transport, TransportError } from "@claude-duplex/protocol/Transport"
import * as MockConnector from "@claude-duplex/transport-mock/MockConnector"
import * as MockTransport from "@claude-duplex/transport-mock/MockTransport"
import * as Recorder from "@claude-duplex/transport-mock/Recorder"
import * as Recording from "@claude-duplex/transport-mock/Recording"
import * as Replay from "@claude-duplex/transport-mock/Replay"
import { layer as nodeFileSystem } from "@effect/platform-node/NodeFileSystem"
import { FileSystem } from "@effect/platform/FileSystem"
import { assert, describe, it } from "@effect/vitest"
import { Chunk, Deferred, Effect, Either, Exit, Fiber, Layer, Logger, Option, Scope, Stream, TestClock } from "effect"
import { ByteLines } from "../src/internal/byteLines.js"
import { host, linesOf, recording, recordings } from "./support/recordings.js"

const bytes = (text: string) => new TextEncoder().encode(text)
const said = ({ dir, line }: Recording.Entry) => [dir, line]

/** A transport that delivers these chunks and takes everything. */
const source = (...chunks: ReadonlyArray<Uint8Array>): Transport => ({
  incoming: Stream.rechunk(Stream.fromIterable(chunks), 1),
  send: () => Effect.void,
  endInput: Effect.void,
  exit: Effect.succeed({ _tag: "Exited", code: 0, stderr: "" }),
  close: Effect.void
})

/** What is recorded while `use` runs. */
const recorded = <A, E, R>(
  transport: Transport,
  use: (transport: Transport) => Effect.Effect<A, E, R>,
  options?: Recorder.Options
) =>
  Effect.gen(function*() {
    const { entries, sink } = yield* Recorder.toMemory
    const value = yield* Effect.scoped(Effect.flatMap(Recorder.wrap(transport, { ...options, sink }), use))
    return { value, entries: yield* entries }
  })

/** Collects what is logged. */
const logged = <A, E, R>(effect: Effect.Effect<A, E, R>) => {
  const messages: Array<string> = []
  const logger = Logger.make(({ logLevel, message }) => messages.push(`${logLevel.label} ${String(message)}`))
  return Effect.map(
    Effect.provide(effect, Logger.replace(Logger.defaultLogger, logger)),
    (value) => ({ value, messages })
  )
}

describe("Recorder of every replayed recording", () => {
  for (const { entries, name } of recordings) {
    it.scoped(`${name}: gives the same recording back`, () =>
      Effect.gen(function*() {
        const transport = yield* MockTransport.make(Replay.behaviour({ entries }))
        const again = yield* recorded(transport, (wrapped) => host(wrapped, entries))
        yield* transport.outcome
        assert.deepStrictEqual(again.value, linesOf({ entries }, "cli"))
        assert.deepStrictEqual(again.entries.map(said), entries.map(said))
      }))
  }

  it.scoped("gives its times back, too", () =>
    Effect.gen(function*() {
      // The first line of the host's at 0, and no time between what comes and what is sent: the driver's own pace.
      const entries: ReadonlyArray<Recording.Entry> = [
        { t: 0, dir: "host", line: "a" },
        { t: 10, dir: "cli", line: "b" },
        { t: 10, dir: "host", line: "c" },
        { t: 1_500, dir: "cli", line: "d" }
      ]
      const transport = yield* MockTransport.make(Replay.behaviour({ entries }, { mode: "timed" }))
      const again = yield* Effect.fork(recorded(transport, (wrapped) => host(wrapped, entries)))
      yield* TestClock.adjust(10)
      yield* TestClock.adjust(1_490)
      assert.deepStrictEqual((yield* Fiber.join(again)).entries, entries)
    }))
})

describe("Recorder.wrap", () => {
  it.effect("delivers the same chunks, and records their lines", () =>
    Effect.gen(function*() {
      const chunks = ["one\r\ntw", "", "o\n\nthr", "ee", "\nfour"].map(bytes)
      const { entries, value } = yield* recorded(
        source(...chunks),
        (transport) => Stream.runCollect(transport.incoming)
      )
      const delivered = Chunk.toReadonlyArray(value)
      assert.strictEqual(delivered.length, chunks.length)
      for (const [index, chunk] of delivered.entries()) assert.strictEqual(chunk, chunks[index])
      assert.deepStrictEqual(entries.map(({ line }) => line), ["one\r", "two", "", "three", "four"])
    }))

  it.effect("keeps bytes that are not UTF-8, and characters that are cut", () =>
    Effect.gen(function*() {
      const whole = Uint8Array.of(...bytes("é€😀 "), 0xff, 0xed, 0xa0, 0x80, 0x0a)
      const { entries } = yield* recorded(
        source(...Array.from(whole, (byte) => Uint8Array.of(byte))),
        (transport) => Stream.runDrain(transport.incoming)
      )
      assert.deepStrictEqual(entries.map(({ line }) => line), ["é€😀 \udcff\udced\udca0\udc80"])
      const written: Array<number> = []
      yield* Replay.behaviour({ entries: Either.getOrThrow(Recording.parse(Recording.stringify(entries))).entries })({
        receive: Effect.succeedNone,
        write: (chunk) => Effect.sync(() => written.push(...chunk)),
        writeStderr: () => Effect.void,
        exit: () => Effect.void
      })
      assert.deepStrictEqual(Uint8Array.from(written), whole)
    }))

  it.effect("has its own copy of the bytes", () =>
    Effect.gen(function*() {
      const buffer = bytes("secret")
      const { entries } = yield* recorded(
        source(buffer),
        (transport) => Stream.runForEach(transport.incoming, (chunk) => Effect.sync(() => chunk.fill(0x20)))
      )
      assert.deepStrictEqual(entries.map(({ line }) => line), ["secret"])
    }))

  it.effect("goes on where another run of the stream stopped", () =>
    Effect.gen(function*() {
      const left = ["a\nb", "c\n", "d"].map(bytes)
      const next = Effect.suspend(() =>
        Option.match(Option.fromNullable(left.shift()), {
          onNone: () => Effect.fail(Option.none()),
          onSome: Effect.succeed
        })
      )
      const { entries } = yield* recorded(
        { ...source(), incoming: Stream.repeatEffectOption(next) },
        ({ incoming }) => Effect.zip(Stream.runDrain(Stream.take(incoming, 1)), Stream.runDrain(incoming))
      )
      assert.deepStrictEqual(entries.map(({ line }) => line), ["a", "bc", "d"])
    }))

  it.effect("records the tail of an output that fails, and passes the failure on", () =>
    Effect.gen(function*() {
      const broken = new TransportError({ reason: "Read", detail: "gone" })
      const { entries, value } = yield* recorded(
        { ...source(), incoming: Stream.concat(Stream.make(bytes("whole\nhal")), Stream.fail(broken)) },
        (transport) => Effect.zipLeft(Effect.flip(Stream.runDrain(transport.incoming)), transport.send("after"))
      )
      assert.strictEqual(value, broken)
      assert.deepStrictEqual(entries.map(said), [["cli", "whole"], ["cli", "hal"], ["host", "after"]])
    }))

  it.effect("records only what was sent", () =>
    Effect.gen(function*() {
      const closed = new TransportError({ reason: "Closed", detail: "over" })
      const { entries, value } = yield* recorded(
        { ...source(), send: (line) => line === "no" ? Effect.fail(closed) : Effect.void },
        (transport) => Effect.zipRight(transport.send("yes"), Effect.flip(transport.send("no")))
      )
      assert.strictEqual(value, closed)
      assert.deepStrictEqual(entries.map(said), [["host", "yes"]])
    }))

  it.effect("puts a line before its answer, even if the answer comes before it is known to be sent", () =>
    Effect.gen(function*() {
      const flushed = yield* Deferred.make<void>()
      const { entries } = yield* recorded(
        { ...source(bytes("answer\n")), send: () => Deferred.await(flushed) },
        (transport) =>
          Effect.gen(function*() {
            const sending = yield* Effect.fork(transport.send("question"))
            yield* Effect.yieldNow()
            yield* TestClock.adjust(5)
            yield* Stream.runDrain(transport.incoming)
            yield* Deferred.succeed(flushed, undefined)
            yield* Fiber.join(sending)
          })
      )
      assert.deepStrictEqual(entries, [{ t: 0, dir: "host", line: "question" }, { t: 5, dir: "cli", line: "answer" }])
    }))

  it.effect("does not wait for a line that is never sent", () =>
    Effect.gen(function*() {
      const { entries } = yield* recorded(
        { ...source(bytes("before\n")), send: () => Effect.never },
        (transport) =>
          Effect.gen(function*() {
            yield* Effect.forkDaemon(transport.send("stuck"))
            yield* Effect.yieldNow()
            yield* Stream.runDrain(transport.incoming)
          })
      )
      assert.deepStrictEqual(entries.map(said), [["cli", "before"]])
    }))

  it.effect("passes the rest on as it is", () =>
    Effect.gen(function*() {
      const transport = source()
      const { value } = yield* recorded(transport, Effect.succeed)
      assert.strictEqual(value.endInput, transport.endInput)
      assert.strictEqual(value.exit, transport.exit)
    }))

  it.effect("redacts, by line and direction", () =>
    Effect.gen(function*() {
      const { entries, value } = yield* recorded(
        source(bytes("key hunter2\n")),
        (transport) => Effect.zipRight(transport.send("hunter2 is it"), Stream.runCollect(transport.incoming)),
        { redact: (line, dir) => line.replaceAll("hunter2", `(${dir})`) }
      )
      assert.deepStrictEqual(entries.map(said), [["host", "(host) is it"], ["cli", "key (cli)"]])
      assert.deepStrictEqual(Chunk.toReadonlyArray(value), [bytes("key hunter2\n")])
    }))
})

describe("Recorder.tap", () => {
  it.effect("records both directions of bytes, however they are cut, each line where its last byte passed", () =>
    Effect.gen(function*() {
      const { entries, sink } = yield* Recorder.toMemory
      yield* Effect.scoped(Effect.gen(function*() {
        const { note } = yield* Recorder.tap({ sink, redact: (line) => line.replace("secret", "…") })
        note("host", bytes("ask a sec"))
        note("cli", bytes("noise\r\nans"))
        yield* TestClock.adjust("5 millis")
        note("host", bytes("ret\nnot en"))
        note("cli", bytes("wer\n"))
        note("host", bytes("ded"))
        note("cli", bytes("late\n"), 3)
      }))
      assert.deepStrictEqual(yield* entries, [
        { t: 0, dir: "cli", line: "noise\r" },
        { t: 5, dir: "host", line: "ask a …" },
        { t: 5, dir: "cli", line: "answer" },
        { t: 3, dir: "cli", line: "late" },
        { t: 5, dir: "host", line: "not ended" }
      ])
    }))
})

describe("a recording that fails", () => {
  const lines = ["a\n", "b\n", "c\n"].map(bytes)

  const slowly = (transport: Transport) =>
    Stream.runForEach(transport.incoming, () => Effect.repeatN(Effect.yieldNow(), 20)).pipe(
      Effect.zipRight(transport.send("still there"))
    )

  for (
    const [name, fail] of [["fails", Effect.fail("disk full")], ["dies", Effect.dieMessage("disk full")]] as const
  ) {
    it.effect(`because its sink ${name} is reported once, and the transport goes on`, () =>
      Effect.gen(function*() {
        let asked = 0
        const { messages } = yield* logged(Effect.scoped(Effect.gen(function*() {
          const transport = yield* Recorder.wrap(source(...lines), {
            sink: () => Effect.suspend(() => ++asked === 1 ? Effect.void : fail)
          })
          yield* slowly(transport)
        })))
        assert.strictEqual(asked, 2)
        assert.strictEqual(messages.length, 1)
        assert.match(messages[0] ?? "", /^WARN The recording ends after 1 entries/)
      }))
  }

  it.effect("because a line cannot be redacted does not write that line, nor lose those before it", () =>
    Effect.gen(function*() {
      const { messages, value: { entries } } = yield* logged(recorded(source(bytes("a\nb\nc\n")), slowly, {
        redact: (line) => {
          if (line === "b") throw new Error("no idea what this is")
          return line
        }
      }))
      assert.deepStrictEqual(entries.map(({ line }) => line), ["a"])
      assert.strictEqual(messages.length, 1)
    }))

  it.effect("because its sink hangs does not hold the scope for ever", () =>
    Effect.gen(function*() {
      const scope = yield* Scope.make()
      const transport = yield* Scope.extend(
        Recorder.wrap(source(...lines), { sink: () => Effect.never, flushTimeout: "50 millis" }),
        scope
      )
      yield* slowly(transport)
      yield* Scope.close(scope, Exit.void)
    }))
})

describe("Recorder.toFile", () => {
  const entry = (line: string): Recording.Entry => ({ t: 0, dir: "cli", line })

  it.scoped("writes whole lines at once, and begins anew", () =>
    Effect.gen(function*() {
      const files = yield* FileSystem
      const path = `${yield* files.makeTempDirectoryScoped()}/a.jsonl`
      yield* files.writeFileString(path, "what was there before, which is longer than what comes now ".repeat(9))
      yield* Effect.scoped(Effect.gen(function*() {
        const sink = yield* Recorder.toFile(path)
        yield* sink([entry("a"), entry("b")])
        assert.strictEqual(yield* files.readFileString(path), Recording.stringify([entry("a"), entry("b")]))
        yield* sink([entry("c")])
        assert.deepStrictEqual((yield* Recording.read(path)).entries, [entry("a"), entry("b"), entry("c")])
      }))
    }).pipe(Effect.provide(nodeFileSystem)))

  it.scoped("leaves a file alone that exists, if so wanted", () =>
    Effect.gen(function*() {
      const files = yield* FileSystem
      const path = `${yield* files.makeTempDirectoryScoped()}/a.jsonl`
      yield* files.writeFileString(path, "mine")
      assert.strictEqual((yield* Effect.flip(Recorder.toFile(path, { flag: "wx" })))._tag, "SystemError")
      assert.strictEqual(yield* files.readFileString(path), "mine")
    }).pipe(Effect.provide(nodeFileSystem)))

  it.scoped("makes a fixture of a session, through layers", () =>
    Effect.gen(function*() {
      const files = yield* FileSystem
      const path = `${yield* files.makeTempDirectoryScoped()}/a.jsonl`
      const { entries } = recording("2.1.326/perm-pending-interrupt")
      const layer = Recorder.layerFile(path).pipe(Layer.provide(MockConnector.layer(Replay.behaviour({ entries }))))
      yield* Effect.flatMap(Connector.Connector, ({ connect }) =>
        Effect.flatMap(connect(), (transport) => host(transport, entries))).pipe(
          Effect.scoped,
          Effect.provide(layer)
        )
      assert.deepStrictEqual((yield* Recording.read(path)).entries.map(said), entries.map(said))
    }).pipe(Effect.provide(nodeFileSystem)))
})

describe("Recorder.onEntry and layer", () => {
  it.scoped("hand over one entry after the other", () =>
    Effect.gen(function*() {
      const seen: Array<string> = []
      const sink = Recorder.onEntry(({ line }) => Effect.sync(() => seen.push(line)).pipe(Effect.asVoid))
      const connector = Connector.fromTransport(source(bytes("a\nb\n")))
      yield* Effect.flatMap(Connector.Connector, ({ connect }) =>
        Effect.scoped(Effect.flatMap(connect(), ({ incoming }) => Stream.runDrain(incoming)))).pipe(
          Effect.provide(Layer.provide(Recorder.layer({ sink }), Layer.succeed(Connector.Connector, connector)))
        )
      assert.deepStrictEqual(seen, ["a", "b"])
    }))
})

describe("ByteLines", () => {
  it("gives the same lines however the bytes are cut", () => {
    const whole = bytes("\none\r\n\n\ntwo é\nthree")
    const split = (size: number) => {
      const lines = new ByteLines()
      const out: Array<Uint8Array> = []
      for (let at = 0; at < whole.length; at += size) out.push(...lines.push(whole.subarray(at, at + size)))
      return [...out, ...lines.end()].map((line) => new TextDecoder().decode(line))
    }
    for (let size = 1; size <= whole.length; size++) {
      assert.deepStrictEqual(split(size), ["", "one\r", "", "", "two é", "three"])
    }
  })
})
