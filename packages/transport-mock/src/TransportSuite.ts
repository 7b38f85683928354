/**
 * The contract of a `Transport`, as tests. Every transport of this project passes them; so should yours.
 *
 * A transport is tested with something at its other end that does as it is told: a `Script`. In memory that is
 * `MockTransport`; for a transport to a process, `fake-claude` plays the script's JSON form (see {@link toJson}); for any
 * other, run `Script.behaviour` against a `Peer` of yours.
 *
 * Needs `@effect/vitest`, which is an optional peer of this package.
 */
import type * as Codec from "@claude-duplex/protocol/Codec"
import * as FrameStream from "@claude-duplex/protocol/FrameStream"
import type { Service, TransportError } from "@claude-duplex/protocol/Transport"
import * as TransportExit from "@claude-duplex/protocol/TransportExit"
import { assert, describe, it } from "@effect/vitest"
import * as Chunk from "effect/Chunk"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Ref from "effect/Ref"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as Script from "./Script.js"

/** A transport under test. */
export interface Subject {
  readonly name: string
  /** Makes the transport, with a CLI at its other end that plays the script. */
  readonly make: (script: Script.Script) => Effect.Effect<Service, unknown, Scope.Scope>
}

/**
 * A script as the JSON that `fake-claude --script` reads. All scripts of the suite have a JSON form.
 *
 * @example
 * ```ts
 * import * as Script from "@claude-duplex/transport-mock/Script"
 * import * as TransportSuite from "@claude-duplex/transport-mock/TransportSuite"
 *
 * TransportSuite.toJson(Script.make(Script.exit(0))) // [{"exit":0}]
 * ```
 */
export const toJson = (script: Script.Script): string => JSON.stringify(script.steps)

const user = (content: string) => JSON.stringify({ type: "user", message: { role: "user", content } })

const keepAlive = { type: "keep_alive" } as const

/** Frames as their types, errors as their reasons. */
const frames = (transport: Service) =>
  transport.incoming.pipe(
    FrameStream.decode(),
    Stream.map((item: Codec.Item) => "_tag" in item ? item.reason : item.type),
    Stream.runCollect,
    Effect.map(Chunk.toReadonlyArray)
  )

const text = (transport: Service) =>
  transport.incoming.pipe(Stream.decodeText(), Stream.runFold("", (all, piece) => all + piece))

/**
 * Declares the tests. Call it at the top of a test file.
 *
 * @example
 * ```ts
 * import * as MockTransport from "@claude-duplex/transport-mock/MockTransport"
 * import * as Script from "@claude-duplex/transport-mock/Script"
 * import * as TransportSuite from "@claude-duplex/transport-mock/TransportSuite"
 *
 * TransportSuite.run({ name: "in memory", make: (script) => MockTransport.make(Script.behaviour(script)) })
 * ```
 */
export const run = ({ make, name }: Subject): void => {
  /** Bounded, so that a transport that hangs fails a test and not the run. */
  const live = (what: string, test: Effect.Effect<unknown, unknown, Scope.Scope>) =>
    it.live(what, () => Effect.timeout(Effect.scoped(test), "20 seconds"))

  describe(`Transport: ${name}`, () => {
    live(
      "carries lines one way and bytes the other, in order",
      Effect.gen(function*() {
        const transport = yield* make(Script.make(
          Script.expect({ type: "user", message: { content: "one ß水🍌" } }),
          Script.reply(keepAlive),
          Script.expect({ type: "user", message: { content: "two" } }),
          Script.replyLine("not a frame"),
          Script.reply(keepAlive)
        ))
        yield* transport.send(user("one ß水🍌"))
        yield* transport.send(user("two"))
        yield* transport.endInput
        assert.deepStrictEqual(yield* frames(transport), ["keep_alive", "InvalidJson", "keep_alive"])
        assert.deepStrictEqual(yield* transport.exit, { _tag: "Exited", code: 0, stderr: "" })
      })
    )

    live(
      "passes bytes on as they are, however they are cut",
      Effect.gen(function*() {
        const whole = new TextEncoder().encode(`{"a":"ß水🍌"}\r\n\u2028\n`)
        const transport = yield* make(Script.make(
          Script.replyChunks(...Array.from(whole, (_, i) => whole.slice(i, i + 1))),
          Script.replyChunks(Uint8Array.of(0xff, 0x00, 0x0a)),
          Script.exit(0)
        ))
        const received = yield* transport.incoming.pipe(
          Stream.runFold<ReadonlyArray<number>, Uint8Array>([], (all, piece) => [...all, ...piece])
        )
        assert.deepStrictEqual(received, [...whole, 0xff, 0x00, 0x0a])
      })
    )

    live(
      "carries lines of megabytes both ways (pain 2)",
      Effect.gen(function*() {
        const long = "水".repeat(1_000_000)
        const transport = yield* make(Script.make(
          Script.expect({ type: "user", message: { content: long } }),
          Script.replyUnchecked({ type: "keep_alive", long }),
          Script.exit(0)
        ))
        yield* transport.send(user(long))
        assert.strictEqual(yield* text(transport), `${JSON.stringify({ type: "keep_alive", long })}\n`)
      })
    )

    live(
      "never mixes lines that are sent at once",
      Effect.gen(function*() {
        const contents = Array.from({ length: 30 }, (_, i) => `${i}:`.padEnd(50_000, String(i % 10)))
        const transport = yield* make(Script.make(
          Script.expectAll(contents.map((content) => Script.expect({ type: "user", message: { content } }))),
          Script.exit(0)
        ))
        yield* Effect.forEach(contents, (content) => transport.send(user(content)), { concurrency: "unbounded" })
        assert.deepStrictEqual(yield* frames(transport), [])
        assert.deepInclude(yield* transport.exit, { _tag: "Exited", code: 0 })
      })
    )

    live(
      "reports code and stderr, after all output and to everybody (pain 24)",
      Effect.gen(function*() {
        const transport = yield* make(Script.make(
          Script.stderr("error: unknown option"),
          Script.replyLine("x".repeat(30_000)),
          Script.exit(7)
        ))
        const exits = yield* Effect.forkAll([transport.exit, transport.exit])
        const expected = TransportExit.exited(7, "error: unknown option")
        // Nobody has read yet: the exit is known, and nothing is lost for it.
        assert.deepStrictEqual(yield* Fiber.join(exits), [expected, expected])
        assert.strictEqual((yield* text(transport)).length, 30_001)
        assert.deepStrictEqual(yield* transport.exit, expected)
      })
    )

    live(
      "reports a signal",
      Effect.gen(function*() {
        const transport = yield* make(Script.make(Script.reply(keepAlive), Script.exit("SIGKILL")))
        assert.deepStrictEqual(yield* frames(transport), ["keep_alive"])
        assert.deepInclude(yield* transport.exit, { _tag: "Signaled", signal: "SIGKILL" })
      })
    )

    live(
      "ends in the middle of a line",
      Effect.gen(function*() {
        const transport = yield* make(Script.make(
          Script.reply(keepAlive),
          Script.replyChunks(`{"type":"keep_`),
          Script.exit(1)
        ))
        assert.deepStrictEqual(yield* frames(transport), ["keep_alive", "TruncatedTail"])
      })
    )

    live(
      "tells the other end that the input ended, once",
      Effect.gen(function*() {
        const transport = yield* make(Script.make(Script.expectEnd(), Script.reply(keepAlive), Script.exit(3)))
        yield* transport.endInput
        yield* transport.endInput
        assert.deepStrictEqual(yield* frames(transport), ["keep_alive"])
        assert.deepInclude(yield* transport.exit, { _tag: "Exited", code: 3 })
      })
    )

    live(
      "refuses to send after the input was ended",
      Effect.gen(function*() {
        const transport = yield* make(Script.make(Script.expectEnd(), Script.exit(0)))
        yield* transport.endInput
        assert.strictEqual((yield* Effect.flip(transport.send(user("late")))).reason, "Closed")
      })
    )

    live(
      "refuses to send to what has ended, and does not crash (EPIPE)",
      Effect.gen(function*() {
        const transport = yield* make(Script.make(Script.exit(0)))
        yield* transport.exit
        const error: TransportError = yield* Effect.flip(Effect.forever(transport.send(user("x".repeat(100_000)))))
        assert.strictEqual(error.reason, "Write")
      })
    )

    live(
      "holds back who sends faster than the other end reads",
      Effect.gen(function*() {
        const transport = yield* make(Script.make(Script.delay("1 hour")))
        const sent = yield* Ref.make(0)
        const line = user("x".repeat(100_000))
        // What is taken without being read is bounded; the scope ends both.
        yield* Effect.forEach(
          Array.from({ length: 1_000 }),
          () => Effect.zipRight(transport.send(line), Ref.update(sent, (n) => n + 1)),
          { discard: true }
        ).pipe(Effect.timeoutOption("1 second"))
        assert.isBelow(yield* Ref.get(sent), 500)
      })
    )

    live(
      "lets a send be interrupted, and goes on",
      Effect.gen(function*() {
        const transport = yield* make(Script.make(
          Script.ignore({ type: "user", message: { content: "maybe" } }),
          Script.expect({ type: "user", message: { content: "surely" } }),
          Script.exit(0)
        ))
        const fiber = yield* Effect.fork(transport.send(user("maybe")))
        yield* Fiber.interrupt(fiber)
        yield* transport.send(user("surely"))
        assert.deepInclude(yield* transport.exit, { _tag: "Exited", code: 0 })
      })
    )

    live(
      "ends when it is closed, though the other end would not, and can be closed again",
      Effect.gen(function*() {
        const transport = yield* make(Script.make(Script.expect({ type: "user" }, { label: "never sent" })))
        yield* transport.close
        assert.isFalse(TransportExit.isSuccess(yield* transport.exit), "it did not end well")
        yield* transport.close
        assert.deepStrictEqual(yield* frames(transport), [])
        assert.oneOf((yield* Effect.flip(transport.send(user("late")))).reason, ["Closed", "Write"])
      })
    )

    live(
      "ends with its scope, though the other end would not, and says so to who waits (pain 22)",
      Effect.gen(function*() {
        const scope = yield* Scope.make()
        const transport = yield* Scope.extend(
          make(Script.make(Script.expect({ type: "user" }, { label: "never sent" }))),
          scope
        )
        const started = yield* Deferred.make<void>()
        const reader = yield* Effect.fork(Effect.zipRight(Deferred.succeed(started, undefined), frames(transport)))
        yield* Deferred.await(started)
        yield* Scope.close(scope, Exit.void)
        assert.isFalse(TransportExit.isSuccess(yield* transport.exit), "it did not end well")
        assert.deepStrictEqual(yield* Fiber.join(reader), [])
      })
    )
  })
}
