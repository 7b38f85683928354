/** Each signature lists the errors that can happen, and no other: this file does not compile if one is added or left out. */
import type { ControlError } from "@claude-duplex/protocol/ControlError"
import type { EncodeError } from "@claude-duplex/protocol/EncodeError"
import type {
  MessageCancelled,
  PermissionNotPending,
  SessionBusy,
  SessionClosed
} from "@claude-duplex/protocol/SessionError"
import type { Service } from "@claude-duplex/session/Session"
import type { Turn } from "@claude-duplex/session/Turn"
import type { TurnTimeout } from "@claude-duplex/session/TurnTimeout"
import { assert, it } from "@effect/vitest"
import type { Effect } from "effect"

type Errors<F> = F extends (...args: ReadonlyArray<never>) => Effect.Effect<infer _, infer E> ? E
  : F extends Effect.Effect<infer _, infer E> ? E
  : "not an effect"

/** True if both are the same type. */
type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false

const same: {
  readonly send: Same<
    Errors<Service["send"]>,
    SessionBusy | SessionClosed | MessageCancelled | TurnTimeout | EncodeError
  >
  readonly start: Same<Errors<Service["start"]>, SessionBusy | SessionClosed | EncodeError>
  readonly append: Same<Errors<Service["append"]>, SessionClosed | EncodeError>
  readonly endInput: Same<Errors<Service["endInput"]>, SessionBusy>
  readonly interrupt: Same<Errors<Service["interrupt"]>, ControlError>
  readonly respondToPermission: Same<
    Errors<Service["respondToPermission"]>,
    PermissionNotPending | SessionClosed | EncodeError
  >
  readonly close: Same<Errors<Service["close"]>, never>
  readonly "turn.result": Same<Errors<Turn["result"]>, SessionClosed | MessageCancelled | TurnTimeout | EncodeError>
  readonly "turn.interrupt": Same<Errors<Turn["interrupt"]>, ControlError>
  readonly "turn.withdraw": Same<Errors<Turn["withdraw"]>, never>
} = {
  send: true,
  start: true,
  append: true,
  endInput: true,
  interrupt: true,
  respondToPermission: true,
  close: true,
  "turn.result": true,
  "turn.interrupt": true,
  "turn.withdraw": true
}

it("each signature lists the errors that can happen", () => {
  for (const [name, isSame] of Object.entries(same)) assert.isTrue(isSame, name)
})
