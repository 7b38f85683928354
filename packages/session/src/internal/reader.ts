/**
 * The one fiber that reads: bytes into the connection. One effect for a chunk of bytes, and nothing in it
 * waits for anybody.
 */
import type * as Transport from "@claude-duplex/protocol/Transport"
import { TransportMisuse } from "@claude-duplex/protocol/Transport"
import type { TransportExit } from "@claude-duplex/protocol/TransportExit"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { Driver } from "./driver.js"
import { endIfItStays } from "./halfGone.js"
import * as Telemetry from "./telemetry.js"

/** Reads until there is nothing more, and then tells how the CLI ended. */
export const read = (
  driver: Driver,
  transport: Transport.Transport
): Effect.Effect<TransportExit> =>
  Effect.gen(function*() {
    yield* take(transport.incoming, (bytes) => driver.receive(bytes)).pipe(
      // A CLI that cannot be heard is of no use, and would wait for answers for ever.
      Effect.catchAllCause((cause) => {
        // Another session reads from this transport: the CLI belongs to that one, and is not ended.
        const misuse = Option.filter(Cause.dieOption(cause), (defect) => defect instanceof TransportMisuse)
        if (Option.isSome(misuse)) return Effect.die(misuse.value)
        return Effect.zipRight(
          Telemetry.warn(driver.connection, "Reading from the CLI failed; it is ended.", cause),
          transport.close
        )
      })
    )
    driver.endOutput()
    yield* endIfItStays(transport)
    return yield* transport.exit
  })

/**
 * Hands over what comes, chunk by chunk. `forever` lets others run in between, so that everybody who was woken by one looks at
 * it before the next: a transport that never waits would run ahead of all subscribers. Pulled, and not run for each, which
 * leaves V8 with chunks that it takes for long-lived ones (see `shortLived` in `subscribers.ts`).
 */
const take = <A, E>(stream: Stream.Stream<A, E>, see: (value: A) => void): Effect.Effect<void, E> =>
  Stream.toPull(stream).pipe(
    Effect.flatMap((pull) =>
      Effect.forever(Effect.map(pull, (chunk) => {
        for (const value of chunk) see(value)
      }))
    ),
    Effect.catchAll(Option.match({ onNone: () => Effect.void, onSome: Effect.fail })),
    Effect.scoped
  )
