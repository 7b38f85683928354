/**
 * Wakes fibers that wait until something is true of plain mutable state: an outbox has a line, a subscriber has an event.
 *
 * It is level-triggered. A fiber waits for a condition and not for a notification, and the condition is checked in the same
 * synchronous step in which the fiber begins to wait. So no wake-up is missed, wherever the fiber was suspended before.
 *
 * Not Effect's latch: a latch must be closed by those who wait for it, so two fibers with different conditions on one latch can
 * close it for each other and miss a wake-up. `test/internal/signal.test.ts` runs both under every schedule.
 */
import * as Effect from "effect/Effect"

export class Signal {
  /** Made by the first fiber that waits: most signals never have one, and there are several for each message. */
  #waiting: Set<() => void> | undefined

  /** Checks the condition of every waiting fiber. Call it after a change that may make one true. */
  wake(): void {
    if (this.#waiting === undefined || this.#waiting.size === 0) return
    for (const check of this.#waiting) check()
  }

  /** Waits until the condition is true. It may be false again when the fiber runs: check it then. */
  wait(isTrue: () => boolean): Effect.Effect<void> {
    return Effect.suspend(() => {
      let check: (() => void) | undefined
      // Not the canceller of `async`: a fiber that is interrupted right after it has registered would never run that.
      return Effect.onInterrupt(
        Effect.async<void>((resume) => {
          if (isTrue()) return resume(Effect.void)
          const waiting = this.#waiting ??= new Set()
          check = () => {
            if (!isTrue() || check === undefined) return
            waiting.delete(check)
            resume(Effect.void)
          }
          waiting.add(check)
        }),
        () =>
          Effect.sync(() => {
            if (check !== undefined) this.#waiting?.delete(check)
          })
      )
    })
  }
}
