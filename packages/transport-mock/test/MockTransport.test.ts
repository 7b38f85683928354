import * as MockTransport from "@claude-duplex/transport-mock/MockTransport"
import type { Peer } from "@claude-duplex/transport-mock/Peer"
import * as Script from "@claude-duplex/transport-mock/Script"
import { assert, describe, it } from "@effect/vitest"
import { Chunk, Deferred, Effect, Exit, Fiber, Option, Ref, Scope, Stream } from "effect"

const utf8 = new TextEncoder()

const prompt = `{"type":"user","message":{"role":"user","content":"hello"}}`

/** Lets every other fiber do what it can do without time passing. */
const settle = Effect.forEach(Array.from({ length: 100 }), () => Effect.yieldNow(), { discard: true })

const text = (chunks: Iterable<Uint8Array>) => {
  const decoder = new TextDecoder()
  return Array.from(chunks, (chunk) => decoder.decode(chunk, { stream: true })).join("")
}

/** Says back what it hears. */
const echo = (peer: Peer): Effect.Effect<void> =>
  Effect.flatMap(
    peer.receive,
    Option.match({
      onNone: () => Effect.void,
      onSome: (line) => Effect.zipRight(peer.write(utf8.encode(`${line}\n`)), echo(peer))
    })
  )

describe("sending", () => {
  it.scoped("lines arrive in order, and the output is read to its end", () =>
    Effect.gen(function*() {
      const transport = yield* MockTransport.make(echo)
      yield* Effect.forEach(["a", "b", "c"], transport.send)
      yield* transport.endInput
      assert.strictEqual(text(yield* Stream.runCollect(transport.incoming)), "a\nb\nc\n")
      assert.deepStrictEqual(yield* transport.exit, { _tag: "Exited", code: 0, stderr: "" })
      yield* transport.outcome
    }))

  it.scoped("after the end of the input fails as `Closed`", () =>
    Effect.gen(function*() {
      const transport = yield* MockTransport.make(() => Effect.never)
      yield* transport.endInput
      yield* transport.endInput
      assert.strictEqual((yield* Effect.flip(transport.send(prompt))).reason, "Closed")
    }))

  it.scoped("after the exit fails as `Write`", () =>
    Effect.gen(function*() {
      const transport = yield* MockTransport.make((peer) => peer.exit({ _tag: "Exited", code: 3 }))
      yield* transport.exit
      assert.strictEqual((yield* Effect.flip(transport.send(prompt))).reason, "Write")
      yield* transport.endInput
    }))

  it.scoped("what was sent before the end of the input is received before it", () =>
    Effect.gen(function*() {
      const received = yield* Ref.make<ReadonlyArray<string>>([])
      const go = yield* Deferred.make<void>()
      const hear = (peer: Peer): Effect.Effect<void> =>
        Effect.flatMap(
          peer.receive,
          Option.match({
            onNone: () => Ref.update(received, (known) => [...known, "(end)"]),
            onSome: (line) => Effect.zipRight(Ref.update(received, (known) => [...known, line]), hear(peer))
          })
        )
      const transport = yield* MockTransport.make((peer) => Effect.zipRight(Deferred.await(go), hear(peer)))
      yield* transport.send("1")
      yield* transport.send("2")
      yield* transport.endInput
      yield* Deferred.succeed(go, undefined)
      yield* transport.exit
      assert.deepStrictEqual(yield* Ref.get(received), ["1", "2", "(end)"])
    }))
})

describe("the exit", () => {
  it.scoped("carries code and stderr", () =>
    Effect.gen(function*() {
      const transport = yield* MockTransport.make((peer) =>
        peer.writeStderr("one, ").pipe(
          Effect.zipRight(peer.writeStderr("two")),
          Effect.zipRight(peer.exit({ _tag: "Exited", code: 143 }))
        )
      )
      assert.deepStrictEqual(yield* transport.exit, { _tag: "Exited", code: 143, stderr: "one, two" })
    }))

  it.scoped("carries a signal, and the first of several counts", () =>
    Effect.gen(function*() {
      const transport = yield* MockTransport.make((peer) =>
        Effect.zipRight(peer.exit({ _tag: "Signaled", signal: "SIGKILL" }), peer.exit({ _tag: "Exited", code: 0 }))
      )
      assert.deepStrictEqual(yield* transport.exit, { _tag: "Signaled", signal: "SIGKILL", stderr: "" })
    }))

  it.scoped("keeps the end of a long stderr", () =>
    Effect.gen(function*() {
      const transport = yield* MockTransport.make((peer) =>
        Effect.forEach(["a", "b", "c"], (letter) => peer.writeStderr(letter.repeat(40 * 1024)), { discard: true })
      )
      const { stderr } = yield* transport.exit
      assert.strictEqual(stderr, "b".repeat(24 * 1024) + "c".repeat(40 * 1024))
    }))

  it.scoped("may be the loss of the connection, which has no code and no signal", () =>
    Effect.gen(function*() {
      const cause = "read ECONNRESET"
      const transport = yield* MockTransport.make((peer) =>
        Effect.zipRight(peer.writeStderr("so far"), peer.exit({ _tag: "ConnectionLost", cause }))
      )
      assert.deepStrictEqual(yield* transport.exit, { _tag: "ConnectionLost", cause, stderr: "so far" })
    }))

  it.scoped("nothing that is written afterwards is seen; what was written before is", () =>
    Effect.gen(function*() {
      const transport = yield* MockTransport.make((peer) =>
        peer.write(utf8.encode("before\n")).pipe(
          Effect.zipRight(peer.exit({ _tag: "Exited", code: 0 })),
          Effect.zipRight(peer.write(utf8.encode("after\n")))
        )
      )
      yield* transport.outcome
      assert.strictEqual(text(yield* Stream.runCollect(transport.incoming)), "before\n")
    }))

  it.scoped("of a behaviour that fails is 70 with the reason on stderr, and the outcome fails in the same way", () =>
    Effect.gen(function*() {
      const transport = yield* MockTransport.make(Script.behaviour(Script.make(Script.expectEnd())))
      yield* transport.send(prompt)
      const exit = yield* transport.exit
      assert.deepInclude(exit, { _tag: "Exited", code: MockTransport.failureCode })
      assert.include(exit.stderr, "expected the end of the input")
      assert.strictEqual((yield* Effect.flip(transport.outcome)).reason, "Unexpected")
      assert.strictEqual(text(yield* Stream.runCollect(transport.incoming)), "")
    }))

  it.scoped("of a behaviour that dies is 70 as well", () =>
    Effect.gen(function*() {
      const transport = yield* MockTransport.make(() => Effect.die(new Error("a bug")))
      const exit = yield* transport.exit
      assert.deepInclude(exit, { _tag: "Exited", code: MockTransport.failureCode })
      assert.include(exit.stderr, "a bug")
      assert.isTrue(Exit.isFailure(yield* Effect.exit(transport.outcome)))
    }))
})

describe("the scope", () => {
  it.effect("closed, interrupts the behaviour and settles the exit", () =>
    Effect.gen(function*() {
      const interrupted = yield* Deferred.make<void>()
      const scope = yield* Scope.make()
      const transport = yield* Scope.extend(
        MockTransport.make(() => Effect.onInterrupt(Effect.never, () => Deferred.succeed(interrupted, undefined))),
        scope
      )
      const exit = yield* Effect.fork(transport.exit)
      yield* settle
      assert.isTrue(Option.isNone(yield* Fiber.poll(exit)))
      yield* Scope.close(scope, Exit.void)
      yield* Deferred.await(interrupted)
      assert.deepStrictEqual(yield* Fiber.join(exit), { _tag: "Signaled", signal: "SIGTERM", stderr: "" })
      assert.strictEqual(yield* Stream.runCount(transport.incoming), 0)
    }))

  it.effect("closed before the behaviour could begin, settles the exit too", () =>
    Effect.gen(function*() {
      const transport = yield* Effect.scoped(MockTransport.make(() => Effect.never))
      assert.deepStrictEqual(yield* transport.exit, { _tag: "Signaled", signal: "SIGTERM", stderr: "" })
      assert.isTrue(Exit.isInterrupted(yield* Effect.exit(transport.outcome)))
    }))

  it.effect("closes although the transport was made in an uninterruptible region", () =>
    Effect.gen(function*() {
      const transport = yield* Effect.scoped(
        Effect.tap(Effect.uninterruptible(MockTransport.make(() => Effect.never)), () => settle)
      )
      assert.deepInclude(yield* transport.exit, { _tag: "Signaled", signal: "SIGTERM" })
    }))

  it.effect("closed while the behaviour is held back by the host, settles the exit too", () =>
    Effect.gen(function*() {
      const transport = yield* Effect.scoped(Effect.tap(
        MockTransport.make((peer) => Effect.forever(peer.write(utf8.encode("x\n")))),
        () => settle
      ))
      assert.deepInclude(yield* transport.exit, { _tag: "Signaled", signal: "SIGTERM" })
    }))
})

describe("back-pressure", () => {
  it.scoped("holds a behaviour back until the host reads", () =>
    Effect.gen(function*() {
      const written = yield* Ref.make(0)
      const transport = yield* MockTransport.make((peer) =>
        Effect.forEach(
          Array.from({ length: 1000 }, (_, i) => i),
          (i) => Effect.zipRight(peer.write(utf8.encode(`${i}\n`)), Ref.update(written, (n) => n + 1)),
          { discard: true }
        )
      )
      yield* settle
      const before = yield* Ref.get(written)
      assert.isAbove(before, 0)
      assert.isBelow(before, 100)
      const chunks = yield* Stream.runCollect(transport.incoming)
      assert.strictEqual(yield* Ref.get(written), 1000)
      assert.strictEqual(text(chunks), Array.from({ length: 1000 }, (_, i) => `${i}\n`).join(""))
      assert.strictEqual(Chunk.size(chunks), 1000)
    }))
})
