/** Who sits at the other end of the session: somebody at a terminal, or nobody. Owns the interface between them and it. */
import type * as Permission from "@claude-duplex/session/Permission"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { Screen } from "./Screen.js"

/** What the session is doing, as far as it concerns them. */
export interface Situation {
  readonly isBusy: boolean
  /** What was said and waits for its turn. */
  readonly queued: ReadonlyArray<string>
}

/** Somebody, or nobody. */
export interface Person {
  readonly screen: Screen
  /** What they say next; none: that was all. */
  readonly prompt: Effect.Effect<Option.Option<string>>
  /** Whether they say something while they are being answered. */
  readonly speaksWhenBusy: boolean
  /** Whether a tool may run. */
  readonly decide: Permission.Handler
  /** Returns when they want to stop what is going on, each time. */
  readonly interrupt: Effect.Effect<void>
  /** Tells them what the session is doing. */
  readonly tell: (situation: Situation) => Effect.Effect<void>
}
