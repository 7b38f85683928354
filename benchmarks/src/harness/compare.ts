/**
 * Two variants side by side. Rounds alternate between them, so that whatever else the machine does falls on both; what
 * comes out is a ratio of medians and never a speed.
 */
import type { VariantName } from "../work/variants.js"
import * as Child from "./child.js"

/** What a benchmark found. */
export interface Measured {
  /** Median time of the work by median time of what it is held against. */
  readonly ratio: number
  /** The quartiles of the ratios of single rounds: how far to trust `ratio`. */
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
  /** Both variants get them. */
  readonly nodeFlags?: ReadonlyArray<string>
  /** The variants read different input, so what they kept need not be equal. */
  readonly differentInput?: boolean
}

/** Rounds that do not count, in each pair of processes: code is compiled in them. */
const warmUpRounds = 4

/** How often both processes are started anew: where a process puts things is luck, good for some hundredths. */
const launches = 3

/** Runs a comparison. */
export const compare = (comparison: Comparison) => async (options: RunOptions): Promise<Measured> => {
  const pairs: Array<Pair> = []
  for (let launch = 0; launch < launches; launch++) {
    // So that they add up to the rounds that were asked for.
    const rounds = Math.floor((options.rounds + launch) / launches)
    pairs.push(...await measurePair(comparison, rounds, options.progress))
  }
  const ratios = pairs.map((pair) => pair.work / pair.against)
  return {
    ratio: quantile(pairs.map((pair) => pair.work), 0.5) / quantile(pairs.map((pair) => pair.against), 0.5),
    quartiles: [quantile(ratios, 0.25), quantile(ratios, 0.75)],
    rounds: pairs.length
  }
}

/** Milliseconds of one round of each. */
interface Pair {
  readonly work: number
  readonly against: number
}

const measurePair = async (
  comparison: Comparison,
  rounds: number,
  progress: RunOptions["progress"]
): Promise<ReadonlyArray<Pair>> => {
  const children: Array<Child.Child> = []
  const open = async (variant: VariantName): Promise<Child.Child> => {
    const child = await Child.start(variant, comparison.nodeFlags ?? [])
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
      const first = await (workFirst ? work : against).round(comparison.passes)
      const second = await (workFirst ? against : work).round(comparison.passes)
      const [mine, theirs] = workFirst ? [first, second] : [second, first]
      if (comparison.differentInput !== true && mine.kept !== theirs.kept) {
        throw new Error(`${comparison.work} kept ${mine.kept}, ${comparison.against} ${theirs.kept}: not the same work`)
      }
      const counts = round >= warmUpRounds
      progress(`${counts ? "round" : "warm-up"} ${mine.milliseconds.toFixed(0)} / ${theirs.milliseconds.toFixed(0)} ms`)
      if (counts) pairs.push({ work: mine.milliseconds, against: theirs.milliseconds })
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
