/**
 * Asks a schedule whether to restart, and how long to wait before. Effect's `Schedule.driver` answers only after the wait; a session
 * announces a restart before it, and must not announce one that will not happen.
 */
import type { SessionExit } from "@claude-duplex/protocol/SessionExit"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Schedule from "effect/Schedule"
import * as ScheduleDecision from "effect/ScheduleDecision"
import * as ScheduleIntervals from "effect/ScheduleIntervals"

export interface RestartSchedule<R> {
  /** How long to wait before the next restart; none: the session ends. A schedule that dies has ended. */
  readonly next: (exit: SessionExit) => Effect.Effect<Option.Option<Duration.Duration>, never, R>
}

export const make = <R>(schedule: Schedule.Schedule<unknown, SessionExit, R>): RestartSchedule<R> => {
  let state: unknown = schedule.initial
  return {
    next: (exit) =>
      Effect.flatMap(
        Clock.currentTimeMillis,
        (now) =>
          Effect.map(schedule.step(now, exit, state), ([next, , decision]) => {
            state = next
            return ScheduleDecision.isDone(decision)
              ? Option.none()
              : Option.some(Duration.millis(Math.max(0, ScheduleIntervals.start(decision.intervals) - now)))
          })
      ).pipe(Effect.catchAllDefect(() => Effect.succeedNone))
  }
}
