/**
 * A CLI that does not read any more, or says nothing any more, is about to end, and its exit tells everybody. One that stays
 * would leave everybody waiting: it is ended.
 */
import type * as Transport from "@claude-duplex/protocol/Transport"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

/** How long it may stay. */
const patience = Duration.seconds(5)

export const endIfItStays = ({ close, exit }: Transport.Transport): Effect.Effect<void> =>
  Effect.flatMap(Effect.timeoutOption(exit, patience), (ended) => Option.isSome(ended) ? Effect.void : close)
