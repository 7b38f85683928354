/**
 * Runs an effect in a world of its own: one queue of tasks, one clock, no timers and no event loop. When nothing is left to
 * do, time jumps to the next sleeper; when nobody sleeps either, nothing can ever happen again, and that is known at once
 * and for certain. So a hang is a result here, and days take microseconds. The same effect always runs the same way.
 *
 * For effects whose world is in memory. One that waits for a process, a socket or a promise looks stuck.
 */
import { Clock, Duration, Effect, type Exit, type Fiber, Logger, LogLevel, type Scheduler } from "effect"

/** How a simulation came out. */
export type Outcome<A, E> =
  /** `left`: how many fibers still slept when all was over. */
  | { readonly _tag: "Done"; readonly exit: Exit.Exit<A, E>; readonly millis: number; readonly left: number }
  /** Nothing can happen any more, and it is not over. */
  | { readonly _tag: "Stuck" }
  /** It has taken more tasks than it may: it goes in circles. */
  | { readonly _tag: "Endless" }

/** As many tasks as no honest run comes near. */
const mostTasks = 5_000_000

/** Runs an effect to its end, if it has one. Synchronous. */
export const run = <A, E>(effect: Effect.Effect<A, E>, most: number = mostTasks): Outcome<A, E> => {
  const tasks = new Tasks()
  const clock = new VirtualClock()
  let exit: Exit.Exit<A, E> | undefined
  const fiber = Effect.runFork(
    effect.pipe(Effect.withClock(clock), Logger.withMinimumLogLevel(LogLevel.None)),
    { scheduler: tasks }
  )
  fiber.addObserver((ended) => {
    exit = ended
  })
  for (let count = 0; count < most; count++) {
    if (tasks.runOne()) continue
    // Only now: what goes on after the end is looked at, and not cut off.
    if (exit !== undefined) return { _tag: "Done", exit, millis: clock.unsafeCurrentTimeMillis(), left: clock.sleeping }
    if (!clock.jump()) return { _tag: "Stuck" }
  }
  return { _tag: "Endless" }
}

/** Tasks in the order in which they came; those of a lower priority number first. */
class Tasks implements Scheduler.Scheduler {
  #queues: Array<{ readonly priority: number; tasks: Array<() => void>; next: number }> = []

  shouldYield(fiber: Fiber.RuntimeFiber<unknown, unknown>): number | false {
    return fiber.currentOpCount > 2_048 ? 0 : false
  }

  scheduleTask(task: () => void, priority: number): void {
    let queue = this.#queues.find((known) => known.priority === priority)
    if (queue === undefined) {
      queue = { priority, tasks: [], next: 0 }
      this.#queues = [...this.#queues, queue].sort((a, b) => a.priority - b.priority)
    }
    queue.tasks.push(task)
  }

  runOne(): boolean {
    for (const queue of this.#queues) {
      const task = queue.tasks[queue.next]
      if (task === undefined) continue
      queue.next++
      if (queue.next === queue.tasks.length) {
        queue.tasks = []
        queue.next = 0
      }
      task()
      return true
    }
    return false
  }
}

interface Sleeper {
  readonly at: number
  readonly wake: () => void
}

class VirtualClock implements Clock.Clock {
  readonly [Clock.ClockTypeId]: Clock.ClockTypeId = Clock.ClockTypeId
  #now = 0
  readonly #sleepers = new Set<Sleeper>()

  unsafeCurrentTimeMillis(): number {
    return this.#now
  }

  unsafeCurrentTimeNanos(): bigint {
    return BigInt(Math.round(this.#now * 1_000_000))
  }

  readonly currentTimeMillis = Effect.sync(() => this.unsafeCurrentTimeMillis())
  readonly currentTimeNanos = Effect.sync(() => this.unsafeCurrentTimeNanos())

  get sleeping(): number {
    return this.#sleepers.size
  }

  sleep(duration: Duration.Duration): Effect.Effect<void> {
    return Effect.async((resume) => {
      const sleeper: Sleeper = { at: this.#now + Duration.toMillis(duration), wake: () => resume(Effect.void) }
      this.#sleepers.add(sleeper)
      return Effect.sync(() => this.#sleepers.delete(sleeper))
    })
  }

  /** To when somebody wakes; of those at the same time, the one who fell asleep first. */
  jump(): boolean {
    let next: Sleeper | undefined
    for (const sleeper of this.#sleepers) if (next === undefined || sleeper.at < next.at) next = sleeper
    if (next === undefined || next.at === Infinity) return false
    this.#sleepers.delete(next)
    this.#now = next.at
    next.wake()
    return true
  }
}
