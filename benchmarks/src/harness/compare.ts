/**
 * Two variants side by side. Rounds alternate between them, so that whatever else the machine does falls on both; what
 * comes out is a ratio of medians and never a speed.
 */
import type { VariantName } from "../work/variants.js"
import * as Child from "./child.js"
import type { RoundReply } from "./protocol.js"

/** What a benchmark found. */
export interface Measured {
  /** A ratio of medians: of the work, by what it is held against. Or, if it is held against nothing, a median. */
  readonly value: number
  /** The quartiles of single rounds: how far to trust `value`. */
  readonly quartiles: readonly [number, number]
  readonly rounds: number
}

/** How a benchmark is run. */
export interface RunOptions {
  readonly rounds: number
  readonly progress: (text: string) => void
}

/** What is compared. */
export interface Comparison {
  readonly work: VariantName
  readonly against: VariantName
  /** Passes in a round: as many as make it last a tenth of a second or more, far above the clock and the scheduler. */
  readonly passes: number
  /**
   * What of a round is compared: how long it took, how much CPU its process used, or the number that it gave, if that is
   * itself a measurement. Default: `time`.
   */
  readonly measure?: "time" | "cpu" | "kept"
  /** Both variants get them. */
  readonly nodeFlags?: ReadonlyArray<string>
  /** The variants read different input, so what they kept need not be equal. */
  readonly differentInput?: boolean
  /** Rounds that do not count, in each pair of processes: code is compiled in them. */
  readonly warmUpRounds?: number
  /** How often both processes are started anew: where a process puts things is luck, good for some hundredths. */
  readonly launches?: number
}

/** Runs a comparison. */
export const compare = (comparison: Comparison) => async (options: RunOptions): Promise<Measured> => {
  const pairs: Array<Pair> = []
  const launches = comparison.launches ?? 3
  for (let launch = 0; launch < launches; launch++) {
    // So that they add up to the rounds that were asked for.
    const rounds = Math.floor((options.rounds + launch) / launches)
    pairs.push(...await measurePair(comparison, rounds, options.progress))
  }
  const ratios = pairs.map((pair) => pair.work / pair.against)
  return {
    value: quantile(pairs.map((pair) => pair.work), 0.5) / quantile(pairs.map((pair) => pair.against), 0.5),
    quartiles: [quantile(ratios, 0.25), quantile(ratios, 0.75)],
    rounds: pairs.length
  }
}

/** Runs a variant that measures something itself, held against nothing: each round in a process of its own. */
export const sample =
  (variant: VariantName, nodeFlags: ReadonlyArray<string> = []) =>
  async ({ progress, rounds }: RunOptions): Promise<Measured> => {
    const values: Array<number> = []
    for (let round = 0; round < rounds; round++) {
      const child = await Child.start(variant, nodeFlags)
      try {
        const { kept } = await child.round(1)
        progress(`round ${kept.toFixed(1)}`)
        values.push(kept)
      } finally {
        await child.close()
      }
    }
    return { value: quantile(values, 0.5), quartiles: [quantile(values, 0.25), quantile(values, 0.75)], rounds }
  }

/** What one round of each came to. */
interface Pair {
  readonly work: number
  readonly against: number
}

const measurements: Record<NonNullable<Comparison["measure"]>, (reply: RoundReply) => number> = {
  time: ({ milliseconds }) => milliseconds,
  cpu: ({ cpuMilliseconds }) => cpuMilliseconds,
  kept: ({ kept }) => kept
}

const measurePair = async (
  comparison: Comparison,
  rounds: number,
  progress: RunOptions["progress"]
): Promise<ReadonlyArray<Pair>> => {
  const { differentInput = false, measure = "time", nodeFlags = [], passes, warmUpRounds = 4 } = comparison
  const of = measurements[measure]
  const children: Array<Child.Child> = []
  const open = async (variant: VariantName): Promise<Child.Child> => {
    const child = await Child.start(variant, nodeFlags)
    children.push(child)
    return child
  }
  try {
    const work = await open(comparison.work)
    const against = await open(comparison.against)
    const pairs: Array<Pair> = []
    for (let round = 0; round < warmUpRounds + rounds; round++) {
      // Each is first in every other round: a machine that gets slower while it runs favours neither.
      const workFirst = round % 2 === 0
      const first = await (workFirst ? work : against).round(passes)
      const second = await (workFirst ? against : work).round(passes)
      const [mine, theirs] = workFirst ? [first, second] : [second, first]
      if (!differentInput && measure !== "kept" && mine.kept !== theirs.kept) {
        throw new Error(`${comparison.work} kept ${mine.kept}, ${comparison.against} ${theirs.kept}: not the same work`)
      }
      const counts = round >= warmUpRounds
      progress(`${counts ? "round" : "warm-up"} ${of(mine).toFixed(1)} / ${of(theirs).toFixed(1)}`)
      if (counts) pairs.push({ work: of(mine), against: of(theirs) })
    }
    return pairs
  } finally {
    await Promise.all(children.map((child) => child.close()))
  }
}

/** The value below which a share of the values lies, between two of them where it must. */
export const quantile = (values: ReadonlyArray<number>, share: number): number => {
  const sorted = [...values].sort((left, right) => left - right)
  const at = (sorted.length - 1) * share
  const low = sorted[Math.floor(at)] ?? Number.NaN
  const high = sorted[Math.ceil(at)] ?? Number.NaN
  return low + (high - low) * (at - Math.floor(at))
}
