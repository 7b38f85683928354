/**
 * Notices a CLI that has fallen silent: a turn runs, no tool and no question is open, and nothing was said for a time. A tool
 * may take hours and a person days; a model that says nothing for minutes has hung.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as SessionMetrics from "../SessionMetrics.js"
import type { Driver } from "./driver.js"

/** How a CLI is noticed that has fallen silent. */
export interface Watchdog {
  /** How long the CLI may say nothing. */
  readonly after: Duration.DurationInput
  /** What is done beside telling: nothing, the turn is interrupted, or the CLI is ended. Default: `tell`. */
  readonly action?: "tell" | "interrupt" | "close" | undefined
}

export const watch = (
  driver: Driver,
  after: Duration.DurationInput,
  now: () => number,
  act: Effect.Effect<unknown, unknown>
): Effect.Effect<void> => {
  const limit = Duration.toMillis(after)
  /** The silence that was told of already. */
  let told: number | undefined
  const look = Effect.suspend(() => {
    const { connection: { openCliRequests, pendingMessages, turn }, openWork } = driver
    const isAtWork = (turn !== undefined || pendingMessages.length > 0) && openCliRequests.size === 0 &&
      !openWork.hasTools
    const silent = now() - driver.lastActivity
    if (!isAtWork || silent < limit || told === driver.lastActivity) return Effect.void
    told = driver.lastActivity
    SessionMetrics.stalls.unsafeUpdate(1, [])
    driver.events.tell({ _tag: "Stalled", silentMillis: silent })
    return Effect.ignore(act)
  })
  const sleep = Effect.suspend(() => {
    const left = driver.lastActivity + limit - now()
    return Effect.sleep(Duration.millis(left > 0 ? left : limit))
  })
  return Effect.forever(Effect.zipRight(sleep, look))
}
