/**
 * The one fiber that reads: bytes to frames to steps of the machine. One effect for a chunk of bytes, and nothing in it
 * waits for anybody.
 */
import * as Codec from "@claude-duplex/protocol/Codec"
import type * as LineDecoder from "@claude-duplex/protocol/LineDecoder"
import type * as Transport from "@claude-duplex/protocol/Transport"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Driver } from "./driver.js"
import { endIfItStays } from "./halfGone.js"
import * as Telemetry from "./telemetry.js"

/** Reads until there is nothing more, and then tells how the CLI ended. */
export const read = (
  driver: Driver,
  transport: Transport.Service,
  options: LineDecoder.Options
): Effect.Effect<Transport.TransportExit> =>
  Effect.gen(function*() {
    const decoder = Codec.make(options)
    yield* Stream.runForEachChunk(transport.incoming, (chunk) =>
      Effect.sync(() => {
        for (const bytes of chunk) driver.receive(decoder.push(bytes))
      })).pipe(
        // A CLI that cannot be heard is of no use, and would wait for answers for ever.
        Effect.catchAllCause((cause) =>
          Effect.zipRight(
            Telemetry.warn(driver.state, "Reading from the CLI failed; it is ended.", cause),
            transport.close
          )
        )
      )
    driver.receive(decoder.end())
    yield* endIfItStays(transport)
    return yield* transport.exit
  })
