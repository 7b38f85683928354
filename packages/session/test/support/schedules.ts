/**
 * Runs a scenario under every schedule: all orders in which the steps of its fibers, and of one plain producer beside them, can
 * follow each other. A fiber may be suspended before any of its operations, so many times in a schedule.
 */
import { Effect, type Exit, type Scheduler } from "effect"

/** What runs at the same time. Made anew for each schedule. */
export interface Scenario {
  readonly fibers: ReadonlyArray<Effect.Effect<unknown, unknown>>
  /** Done in this order, whenever no fiber runs. */
  readonly steps: ReadonlyArray<() => void>
  /** Until this is true, no fiber is suspended and no step is done: there is nothing to be tried yet. Default: always. */
  readonly hasBegun?: () => boolean
  /** Looks at what came of it: how each fiber ended; undefined if it did not. */
  readonly check: (ended: ReadonlyArray<Exit.Exit<unknown, unknown> | undefined>) => void
}

export interface Options {
  /** How often fibers are suspended in one schedule, beside where they suspend themselves. Default: 2. */
  readonly suspensions?: number
  /** How many schedules there may be. Default: 100,000. */
  readonly limit?: number
}

/** Takes one of so many possibilities. */
type Choose = (of: number) => number

/** Keeps what the fibers want to do next, instead of doing it, and suspends them where it is chosen. */
class Chosen implements Scheduler.Scheduler {
  readonly tasks: Array<() => void> = []
  readonly #choose: Choose
  readonly #hasBegun: () => boolean
  #suspensions: number

  constructor(choose: Choose, hasBegun: () => boolean, suspensions: number) {
    this.#choose = choose
    this.#hasBegun = hasBegun
    this.#suspensions = suspensions
  }

  scheduleTask(task: () => void): void {
    this.tasks.push(task)
  }

  shouldYield(): number | false {
    if (this.#suspensions === 0 || !this.#hasBegun() || this.#choose(2) === 0) return false
    this.#suspensions--
    return 0
  }
}

const runOnce = (scenario: Scenario, choose: Choose, suspensions: number): void => {
  const { hasBegun = () => true } = scenario
  const scheduler = new Chosen(choose, hasBegun, suspensions)
  const fibers = scenario.fibers.map((effect) => Effect.runFork(effect, { scheduler }))
  const steps = [...scenario.steps]
  for (;;) {
    const possible = scheduler.tasks.length + (steps.length > 0 && hasBegun() ? 1 : 0)
    if (possible === 0) break
    const [task] = scheduler.tasks.splice(possible === 1 ? 0 : choose(possible), 1)
    if (task === undefined) steps.shift()?.()
    else task()
  }
  scenario.check(fibers.map((fiber) => fiber.unsafePoll() ?? undefined))
}

/** Runs every schedule, and returns how many there are. */
export const everySchedule = (make: () => Scenario, { limit = 100_000, suspensions = 2 }: Options = {}): number => {
  /** What is chosen first in this schedule; after it, always the first possibility. */
  let given: ReadonlyArray<number> = []
  for (let count = 1; count <= limit; count++) {
    const choices: Array<{ readonly taken: number; readonly of: number }> = []
    runOnce(make(), (of) => {
      const taken = given[choices.length] ?? 0
      choices.push({ taken, of })
      return taken
    }, suspensions)
    // The next schedule differs in the last choice that has another possibility.
    const last = choices.map(({ of, taken }) => taken + 1 < of).lastIndexOf(true)
    if (last < 0) return count
    given = choices.slice(0, last + 1).map(({ taken }, index) => index === last ? taken + 1 : taken)
  }
  throw new Error(`There are more than ${limit} schedules`)
}
