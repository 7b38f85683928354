/**
 * A `Transport` in memory, with a {@link Behaviour} at its other end. Owns the pipe between the two and its end. What the
 * behaviour says is in `Script` and `Replay`; `MockConnector` makes one of these for each connection of a session.
 *
 * Time passes only where a behaviour waits, so `TestClock` controls all of it.
 *
 * @since 0.1.0
 * @stability stable
 */
import { type Transport, TransportError } from "@claude-duplex/protocol/Transport"
import * as TransportContract from "@claude-duplex/protocol/TransportContract"
import type { TransportExit } from "@claude-duplex/protocol/TransportExit"
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Mailbox from "effect/Mailbox"
import * as PubSub from "effect/PubSub"
import * as Ref from "effect/Ref"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { Behaviour, Peer, PeerExit } from "./Peer.js"

/** A transport in memory. */
export interface MockTransport<E = never> extends Transport {
  /**
   * Waits for the behaviour's end, and fails as it did: a host that strayed from a script shows here. It shows to the host
   * as well, as a CLI that writes the reason to stderr and exits with {@link failureCode}.
   */
  readonly outcome: Effect.Effect<void, E>
}

/** The exit code of a fake whose behaviour failed. */
export const failureCode = 70

/** How much of stderr an exit reports, in characters. */
const stderrKept = 64 * 1024

/** How many writes to stderr a listener may fall behind before it loses the oldest. */
const listenerCapacity = 256

/** How many writes of the fake's, or lines of the host's, wait for the other end to read them: a pipe, not a store. */
const pipeCapacity = 64

/**
 * Makes a transport whose other end is played by `behaviour`.
 *
 * @example
 * ```ts
 * import * as MockTransport from "@claude-duplex/transport-mock/MockTransport"
 * import { Effect, Stream } from "effect"
 *
 * const program = Effect.gen(function*() {
 *   const transport = yield* MockTransport.make((peer) =>
 *     Effect.gen(function*() {
 *       yield* peer.receive
 *       yield* peer.write(new TextEncoder().encode(`{"type":"keep_alive"}\n`))
 *     })
 *   )
 *   yield* transport.send(`{"type":"user","message":{"role":"user","content":"hello"}}`)
 *   return yield* Stream.runCount(transport.incoming)
 * })
 * ```
 */
export const make = <E = never, R = never>(
  behaviour: Behaviour<E, R>
): Effect.Effect<MockTransport<E>, never, R | Scope.Scope> =>
  Effect.gen(function*() {
    const input = yield* Mailbox.make<string>({ capacity: pipeCapacity })
    const output = yield* Mailbox.make<Uint8Array>({ capacity: pipeCapacity })
    const stderr = yield* Ref.make("")
    const listeners = yield* PubSub.sliding<string>(listenerCapacity)
    const ended = yield* Deferred.make<TransportExit>()
    const outcome = yield* Deferred.make<void, E>()

    const exit = (how: PeerExit) =>
      Effect.flatMap(Ref.get(stderr), (text) => Deferred.succeed(ended, { ...how, stderr: text })).pipe(
        Effect.zipRight(output.end),
        Effect.zipRight(input.shutdown),
        Effect.asVoid
      )

    const peer: Peer = {
      receive: Effect.option(input.take),
      write: (bytes) => Effect.asVoid(output.offer(bytes)),
      writeStderr: (text) =>
        Effect.zipRight(
          Ref.update(stderr, (known) => (known + text).slice(-stderrKept)),
          Effect.asVoid(PubSub.publish(listeners, text))
        ),
      exit
    }

    const fiber = yield* Effect.interruptible(Effect.suspend(() => behaviour(peer))).pipe(
      Effect.onExit((result) =>
        Exit.isSuccess(result)
          ? exit({ _tag: "Exited", code: 0 })
          : Cause.isInterruptedOnly(result.cause)
          ? exit({ _tag: "Signaled", signal: "SIGTERM" })
          : Effect.zipRight(peer.writeStderr(Cause.pretty(result.cause)), exit({ _tag: "Exited", code: failureCode }))
      ),
      Effect.intoDeferred(outcome),
      Effect.forkScoped,
      // The fiber begins uninterruptible, so that a scope that closes at once still ends in an exit; only the behaviour
      // is interruptible, and that wherever the transport is made.
      Effect.uninterruptible
    )

    return TransportContract.enforce<MockTransport<E>>({
      incoming: Mailbox.toStream(output),
      send: (line) =>
        Effect.flatMap(input.offer(line), (taken) =>
          taken
            ? Effect.void
            : Effect.flatMap(Deferred.isDone(ended), (isOver) => isOver ? brokenPipe() : inputEnded())),
      endInput: Effect.asVoid(input.end),
      exit: Deferred.await(ended),
      close: Effect.asVoid(Fiber.interrupt(fiber)),
      stderr: Stream.interruptWhen(Stream.fromPubSub(listeners), Deferred.await(ended)),
      outcome: Deferred.await(outcome)
    })
  })

const brokenPipe = () => new TransportError({ reason: "Write", detail: "The CLI has ended; nothing can be sent." })

const inputEnded = () =>
  new TransportError({ reason: "Closed", detail: "The input was ended before; nothing can be sent." })
