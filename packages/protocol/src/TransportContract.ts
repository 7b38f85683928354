/**
 * The rules of a `Transport` that do not depend on how its bytes travel, implemented once: one consumer of `incoming`, and no
 * newline in a line. Every transport of this project is made with {@link enforce}; so should yours. The other rules (whole
 * lines, back-pressure, the end) are the transport's own, and `TransportSuite` tests them.
 *
 * @since 0.1.0
 * @stability stable
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { type Transport, TransportMisuse } from "./Transport.js"

/**
 * The same transport, which dies with `TransportMisuse` when a second consumer runs `incoming` or a line contains a newline.
 *
 * @example
 * ```ts
 * import * as TransportContract from "@claude-duplex/protocol/TransportContract"
 * import * as TransportExit from "@claude-duplex/protocol/TransportExit"
 * import { Effect, Stream } from "effect"
 *
 * const silent = TransportContract.enforce({
 *   incoming: Stream.empty,
 *   send: () => Effect.void,
 *   endInput: Effect.void,
 *   exit: Effect.succeed(TransportExit.exited(0)),
 *   close: Effect.void
 * })
 * ```
 */
export const enforce = <S extends Transport>(transport: S): S => ({
  ...transport,
  incoming: oneConsumer(transport.incoming),
  // Checked when it is called and not when it runs: a line cannot change, and most calls need no effect more.
  send: (line) => line.includes("\n") ? newline : transport.send(line)
})

const oneConsumer = <A, E>(stream: Stream.Stream<A, E>): Stream.Stream<A, E> => {
  let consumer: symbol | undefined
  return Stream.suspend(() => {
    const me = Symbol()
    return Stream.ensuring(
      Stream.suspend(() => {
        if (consumer !== undefined) return secondConsumer
        consumer = me
        return stream
      }),
      Effect.sync(() => {
        if (consumer === me) consumer = undefined
      })
    )
  })
}

const newline = Effect.suspend(() =>
  Effect.die(
    new TransportMisuse({
      reason: "NewlineInLine",
      detail:
        "A line to send contains a newline. Nothing of it was written. Send each line by itself, and JSON without line breaks."
    })
  )
)

const secondConsumer = Stream.suspend(() =>
  Stream.die(
    new TransportMisuse({
      reason: "SecondConsumer",
      detail:
        "The output of this transport has a consumer already. Make one transport for each session, or share the events of one session."
    })
  )
)
