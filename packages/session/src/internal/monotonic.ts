/**
 * Time for intervals: timeouts, settling, the watchdog, deadlines. It does not follow the wall clock, which jumps when somebody
 * sets it, when it is synchronized, and when a laptop wakes up. Never to be shown: it counts from an arbitrary moment.
 */
import type * as Clock from "effect/Clock"

/**
 * Milliseconds since this function was made. Effect's clock is monotonic in nanoseconds and not in milliseconds; `TestClock`
 * drives both.
 */
export const monotonic = (clock: Clock.Clock): () => number => {
  const start = clock.unsafeCurrentTimeNanos()
  return () => Math.round(Number(clock.unsafeCurrentTimeNanos() - start) / 1e6)
}
