/**
 * The error of a subscription that cannot go on without losing what must not be lost.
 *
 * @since 0.1.0
 * @stability experimental
 */
import * as Schema from "effect/Schema"
import { SessionSnapshot } from "./SessionSnapshot.js"

/**
 * Which buffer of the subscriber was full.
 *
 * - `StateEvents`: more state events waited than `SubscribeOptions.stateCapacity`.
 * - `Frames`: more frames waited than `SubscribeOptions.capacity`, and the strategy is `fail`.
 */
export const SubscriptionOverflowReason = Schema.Literal("StateEvents", "Frames")
export type SubscriptionOverflowReason = typeof SubscriptionOverflowReason.Type

const explanations: Record<SubscriptionOverflowReason, (capacity: number) => string> = {
  StateEvents: (capacity) => `More than ${capacity} state events waited for this subscriber`,
  Frames: (capacity) => `More than ${capacity} frames waited for this subscriber, whose strategy is "fail"`
}

/**
 * A subscriber was too slow, and its stream ended after the last event that had room. The session and its other subscribers go on.
 *
 * Subscribe again, and go on from `snapshot`: it is the session's state when the stream failed, after the events that are
 * missing. Or give the subscription more room with `capacity` and `stateCapacity`, or less to do with `only`.
 *
 * @example
 * ```ts
 * import type { Conversation } from "@claude-duplex/session/Conversation"
 * import type { SessionSnapshot } from "@claude-duplex/session/SessionSnapshot"
 * import { Effect, Stream } from "effect"
 *
 * declare const conversation: typeof Conversation.Service
 * declare const rebuild: (snapshot: SessionSnapshot) => Effect.Effect<void>
 *
 * const follow: Effect.Effect<void> = Stream.runDrain(conversation.events).pipe(
 *   Effect.catchTag("SubscriptionOverflow", ({ snapshot }) => Effect.zipRight(rebuild(snapshot), follow))
 * )
 * ```
 */
export class SubscriptionOverflow
  extends Schema.TaggedError<SubscriptionOverflow>("@claude-duplex/session/SubscriptionOverflow")(
    "SubscriptionOverflow",
    {
      reason: SubscriptionOverflowReason,
      /** How many may wait in the buffer that was full. */
      capacity: Schema.Number,
      /** The state of the session when the stream failed. */
      snapshot: SessionSnapshot
    }
  )
{
  override get message(): string {
    return `${
      explanations[this.reason](this.capacity)
    }, so its stream ended. Subscribe again and go on from the snapshot; or give the subscription more room, or fewer kinds of events.`
  }
}
