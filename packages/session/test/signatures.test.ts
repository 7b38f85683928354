/** Each signature lists the errors that can happen, and no other: this file does not compile if one is added or left out. */
import type { ControlError } from "@claude-duplex/protocol/ControlError"
import type { EncodeError } from "@claude-duplex/protocol/EncodeError"
import type {
  MessageCancelled,
  OutboxFull,
  PermissionNotPending,
  SessionBusy,
  SessionClosed
} from "@claude-duplex/protocol/SessionError"
import type { Service } from "@claude-duplex/session/Session"
import type { SubscriptionOverflow } from "@claude-duplex/session/SubscriptionOverflow"
import type { Turn } from "@claude-duplex/session/Turn"
import type { TurnReset } from "@claude-duplex/session/TurnReset"
import type { TurnTimeout } from "@claude-duplex/session/TurnTimeout"
import { assert, it } from "@effect/vitest"
import type { Effect, Stream } from "effect"

/** An effect is a stream too, so it comes first: what it gives is meant. */
type StreamErrors<S> = S extends (...args: ReadonlyArray<never>) => infer R ? StreamErrors<R>
  : S extends Effect.Effect<infer A, infer _, infer _> ? StreamErrors<A>
  : S extends Stream.Stream<infer _, infer E, infer _> ? E
  : "not a stream"

type Errors<F> = F extends (...args: ReadonlyArray<never>) => Effect.Effect<infer _, infer E> ? E
  : F extends Effect.Effect<infer _, infer E> ? E
  : "not an effect"

/** True if both are the same type. */
type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false

const same: {
  readonly send: Same<
    Errors<Service["send"]>,
    SessionBusy | SessionClosed | OutboxFull | MessageCancelled | TurnTimeout | EncodeError
  >
  readonly start: Same<Errors<Service["start"]>, SessionBusy | SessionClosed | OutboxFull | EncodeError>
  readonly append: Same<Errors<Service["append"]>, SessionClosed | OutboxFull | EncodeError>
  readonly endInput: Same<Errors<Service["endInput"]>, SessionBusy>
  readonly interrupt: Same<Errors<Service["interrupt"]>, ControlError>
  readonly respondToPermission: Same<
    Errors<Service["respondToPermission"]>,
    PermissionNotPending | SessionClosed | EncodeError
  >
  readonly close: Same<Errors<Service["close"]>, never>
  readonly subscribe: Same<StreamErrors<Service["subscribe"]>, SubscriptionOverflow>
  readonly events: Same<StreamErrors<Service["events"]>, SubscriptionOverflow>
  readonly "status.changes": Same<StreamErrors<Service["status"]["changes"]>, never>
  readonly "permissions.changes": Same<StreamErrors<Service["permissions"]["changes"]>, never>
  readonly "turn.frames": Same<StreamErrors<Turn["frames"]>, TurnReset>
  readonly "turn.messages": Same<StreamErrors<Turn["messages"]>, TurnReset>
  readonly "turn.text": Same<StreamErrors<Turn["text"]>, TurnReset>
  readonly "turn.deltas": Same<StreamErrors<Turn["deltas"]>, TurnReset>
  readonly "turn.phases": Same<StreamErrors<Turn["phases"]>, never>
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
  subscribe: true,
  events: true,
  "status.changes": true,
  "permissions.changes": true,
  "turn.frames": true,
  "turn.messages": true,
  "turn.text": true,
  "turn.deltas": true,
  "turn.phases": true,
  "turn.result": true,
  "turn.interrupt": true,
  "turn.withdraw": true
}

it("each signature lists the errors that can happen", () => {
  for (const [name, isSame] of Object.entries(same)) assert.isTrue(isSame, name)
})
