/**
 * What a turn cost. The CLI reports running totals; a turn's share is the difference between two results. Newer CLIs tell
 * the share itself, and that is better: the totals of a resumed session begin with what it had spent before.
 */
import type { ModelUsage, ModelUsageByName } from "./Usage.js"

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
    const share = known === undefined ? total : subtract(known, total)
    // A model that this turn did not use is still listed in the totals, and is no part of the turn.
    if (counters.some((counter) => (share[counter] ?? 0) !== 0)) {
      // Names come from the wire, and `__proto__` is one.
      Object.defineProperty(byModel, model, { value: share, enumerable: true, configurable: true, writable: true })
    }
  }
  return { usd: since(before.usd, after.usd), byModel }
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

const subtract = (before: ModelUsage, after: ModelUsage): ModelUsage => {
  const share: { -readonly [K in keyof ModelUsage]: ModelUsage[K] } = { ...after }
  for (const counter of counters) {
    const total = after[counter]
    if (total !== undefined) share[counter] = since(before[counter] ?? 0, total)
  }
  return share
}
