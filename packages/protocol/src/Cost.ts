/**
 * What a turn cost. The CLI reports running totals; a turn's share is the difference between two results. Newer CLIs tell
 * the share itself, and that is better: the totals of a resumed session begin with what it had spent before.
 *
 * @since 0.1.0
 * @stability stable
 */
import type { ModelUsage, ModelUsageByName } from "./schema/Usage.js"

/** Money and tokens, of a turn or in total. */
export interface Cost {
  readonly usd: number
  readonly byModel: ModelUsageByName
}

/** Nothing spent. */
export const zero: Cost = { usd: 0, byModel: {} }

/** The counters of a {@link ModelUsage}; its other fields (window sizes, names) describe the model and are kept. */
const counters = [
  "inputTokens",
  "outputTokens",
  "thinkingTokens",
  "cacheReadInputTokens",
  "cacheCreationInputTokens",
  "cacheCreationEphemeral5mInputTokens",
  "cacheCreationEphemeral1hInputTokens",
  "webSearchRequests",
  "costUSD"
] as const satisfies ReadonlyArray<keyof ModelUsage>

/**
 * What was spent between two totals. A total that went down was started anew, and counts from zero.
 *
 * @example
 * ```ts
 * import * as Cost from "@claude-duplex/protocol/Cost"
 *
 * Cost.difference({ usd: 0.25, byModel: {} }, { usd: 0.75, byModel: {} }) // { usd: 0.5, byModel: {} }
 * ```
 */
export const difference = (before: Cost, after: Cost): Cost => {
  const byModel: { [model: string]: ModelUsage } = {}
  for (const [model, total] of Object.entries(after.byModel)) {
    const known = Object.hasOwn(before.byModel, model) ? before.byModel[model] : undefined
    const share = known === undefined ? total : combine(known, total, since)
    // A model that this turn did not use is still listed in the totals, and is no part of the turn.
    if (counters.some((counter) => (share[counter] ?? 0) !== 0)) {
      set(byModel, model, share)
    }
  }
  return { usd: since(before.usd, after.usd), byModel }
}

/**
 * What was spent in both.
 *
 * @example
 * ```ts
 * import * as Cost from "@claude-duplex/protocol/Cost"
 *
 * Cost.sum({ usd: 0.25, byModel: {} }, { usd: 0.5, byModel: {} }) // { usd: 0.75, byModel: {} }
 * ```
 */
export const sum = (a: Cost, b: Cost): Cost => {
  const byModel: { [model: string]: ModelUsage } = {}
  for (const [model, usage] of [...Object.entries(a.byModel), ...Object.entries(b.byModel)]) {
    const known = Object.hasOwn(byModel, model) ? byModel[model] : undefined
    set(byModel, model, known === undefined ? usage : combine(known, usage, (before, after) => before + after))
  }
  return { usd: a.usd + b.usd, byModel }
}

/**
 * The cost of what was used.
 *
 * @example
 * ```ts
 * import * as Cost from "@claude-duplex/protocol/Cost"
 *
 * Cost.ofUsage({}) // { usd: 0, byModel: {} }
 * ```
 */
export const ofUsage = (byModel: ModelUsageByName): Cost => ({
  usd: Object.values(byModel).reduce((sum, usage) => sum + usage.costUSD, 0),
  byModel
})

const since = (before: number, after: number): number => after >= before ? after - before : after

/** Counters of both, taken together; what is no counter is of the second. */
const combine = (
  a: ModelUsage,
  b: ModelUsage,
  how: (a: number, b: number) => number
): ModelUsage => {
  const both: { -readonly [K in keyof ModelUsage]: ModelUsage[K] } = { ...b }
  for (const counter of counters) {
    const count = b[counter]
    if (count !== undefined) both[counter] = how(a[counter] ?? 0, count)
  }
  return both
}

/** Names come from the wire, and `__proto__` is one. */
const set = (byModel: { [model: string]: ModelUsage }, model: string, usage: ModelUsage): void => {
  Object.defineProperty(byModel, model, { value: usage, enumerable: true, configurable: true, writable: true })
}
