/**
 * How long things took in a conversation, and what they cost. Pure; reads entries, and keeps a number for each turn, tool call
 * and request.
 *
 * Durations are those of the recording: between one line and another, as they passed. A copy of stdout has no times; there,
 * only what the CLI itself says of a turn is known.
 */
import { isKnown } from "@claude-duplex/protocol/Frame"
import * as TurnResult from "@claude-duplex/protocol/TurnResult"
import type { Format } from "@claude-duplex/transport-mock/Recording"
import * as Schema from "effect/Schema"
import * as Conversation from "./Conversation.js"
import type { Damage, Entry } from "./Entries.js"

/** Durations, in milliseconds. */
export const Distribution = Schema.Struct({
  count: Schema.Number,
  p50: Schema.Number,
  p95: Schema.Number,
  max: Schema.Number,
  total: Schema.Number
}).annotations({ identifier: "Distribution" })
export interface Distribution extends Schema.Schema.Type<typeof Distribution> {}

/** Tokens, as the API counts them. */
export const Tokens = Schema.Struct({
  input: Schema.Number,
  output: Schema.Number,
  cacheRead: Schema.Number,
  cacheWrite: Schema.Number
}).annotations({ identifier: "Tokens" })
export interface Tokens extends Schema.Schema.Type<typeof Tokens> {}

/** What was measured: what `stats --json` prints for each file, and for all of them. */
export const Summary = Schema.Struct({
  entries: Schema.Number,
  turns: Schema.Number,
  /** Turns whose result is an error; those that were interrupted are none. */
  failedTurns: Schema.Number,
  /** From a turn's beginning to the first piece of the model's answer; nothing if there was none. */
  firstToken: Schema.NullOr(Distribution),
  turn: Schema.NullOr(Distribution),
  /** From the model's wish to the tool's result, permission included. By the tool's name. */
  tools: Schema.Record({ key: Schema.String, value: Schema.Struct({ ...Distribution.fields, errors: Schema.Number }) }),
  /** From a request to its answer. By who asked, and for what: `cli can_use_tool`. */
  requests: Schema.Record({ key: Schema.String, value: Distribution }),
  tokens: Tokens,
  usd: Schema.Number,
  /** By model. */
  models: Schema.Record({ key: Schema.String, value: Schema.Struct({ ...Tokens.fields, usd: Schema.Number }) }),
  /** How many turns took so long: `upTo` is in milliseconds, and `null` in the last. */
  histogram: Schema.Array(Schema.Struct({ upTo: Schema.NullOr(Schema.Number), turns: Schema.Number }))
}).annotations({ identifier: "Summary" })
export interface Summary extends Schema.Schema.Type<typeof Summary> {}

/** Measures a file. Stateful: one for each. */
export interface Meter {
  readonly observe: (entry: Entry | Damage) => void
  readonly measured: Measured
}

/**
 * What was measured so far.
 */
export class Measured {
  entries = 0
  turns = 0
  failedTurns = 0
  readonly firstToken: Array<number> = []
  readonly turn: Array<number> = []
  readonly tools = new Map<string, { readonly durations: Array<number>; errors: number }>()
  readonly requests = new Map<string, Array<number>>()
  readonly tokens = noTokens()
  usd = 0
  readonly models = new Map<string, MutableTokens & { usd: number }>()

  /** Adds what was measured elsewhere. */
  add(other: Measured): void {
    this.entries += other.entries
    this.turns += other.turns
    this.failedTurns += other.failedTurns
    this.usd += other.usd
    append(this.firstToken, other.firstToken)
    append(this.turn, other.turn)
    addTokens(this.tokens, other.tokens)
    for (const [name, { durations, errors }] of other.tools) {
      const mine = this.tool(name)
      append(mine.durations, durations)
      mine.errors += errors
    }
    for (const [name, durations] of other.requests) append(this.request(name), durations)
    for (const [name, tokens] of other.models) {
      const mine = this.model(name)
      addTokens(mine, tokens)
      mine.usd += tokens.usd
    }
  }

  tool(name: string) {
    return known(this.tools, name, () => ({ durations: [], errors: 0 }))
  }

  request(name: string) {
    return known(this.requests, name, () => [])
  }

  model(name: string) {
    return known(this.models, name, () => ({ ...noTokens(), usd: 0 }))
  }
}

type MutableTokens = { -readonly [K in keyof Tokens]: Tokens[K] }

const noTokens = (): MutableTokens => ({ input: 0, output: 0, cacheRead: 0, cacheWrite: 0 })

const addTokens = (to: MutableTokens, from: Tokens): void => {
  to.input += from.input
  to.output += from.output
  to.cacheRead += from.cacheRead
  to.cacheWrite += from.cacheWrite
}

const append = (to: Array<number>, from: ReadonlyArray<number>): void => {
  for (const value of from) to.push(value)
}

const known = <A>(map: Map<string, A>, name: string, make: () => A): A => {
  const found = map.get(name)
  if (found !== undefined) return found
  const made = make()
  map.set(name, made)
  return made
}

/**
 * Begins to measure. `format` is asked when a duration is known: a copy of stdout has no times of its own.
 */
export const make = (format: () => Format | undefined): Meter => {
  const conversation = Conversation.make()
  const measured = new Measured()
  const hasTimes = () => format() === "recording"

  const told = (fact: Conversation.Fact): void => {
    switch (fact._tag) {
      case "FirstToken":
        if (hasTimes()) measured.firstToken.push(fact.millis)
        return
      case "TurnEnded":
        ended(fact)
        return
      case "ToolEnded": {
        if (!hasTimes()) return
        const tool = measured.tool(fact.tool.name)
        tool.durations.push(fact.millis)
        if (fact.isError) tool.errors++
        return
      }
      case "RequestAnswered":
        if (hasTimes()) {
          const { by, subtype } = fact.request
          measured.request(`${by} ${subtype}`).push(fact.millis)
        }
        return
    }
  }

  const ended = ({ cost, millis, result }: Extract<Conversation.Fact, { _tag: "TurnEnded" }>): void => {
    measured.turns++
    measured.usd += cost.usd
    for (const [name, usage] of Object.entries(cost.byModel)) {
      const model = measured.model(name)
      model.usd += usage.costUSD
      addTokens(model, {
        input: usage.inputTokens,
        output: usage.outputTokens,
        cacheRead: usage.cacheReadInputTokens,
        cacheWrite: usage.cacheCreationInputTokens
      })
    }
    if (!isKnown(result)) {
      if (hasTimes()) measured.turn.push(millis)
      return
    }
    if (TurnResult.outcomeOf(result) === "error") measured.failedTurns++
    measured.turn.push(hasTimes() ? millis : result.duration_ms)
    if (!hasTimes() && "ttft_ms" in result && result.ttft_ms !== undefined) measured.firstToken.push(result.ttft_ms)
    const { usage } = result
    if (usage === undefined) return
    addTokens(measured.tokens, {
      input: usage.input_tokens,
      output: usage.output_tokens,
      cacheRead: usage.cache_read_input_tokens ?? 0,
      cacheWrite: usage.cache_creation_input_tokens ?? 0
    })
  }

  return {
    measured,
    observe: (entry) => {
      if (entry._tag === "Damage") return
      measured.entries++
      for (const fact of conversation.observe(entry)) told(fact)
    }
  }
}

/**
 * What durations come to; nothing if there are none.
 */
export const distribution = (durations: ReadonlyArray<number>): Distribution | null => {
  if (durations.length === 0) return null
  const sorted = Float64Array.from(durations).sort()
  // The nearest rank: a duration that occurred, not one between two of them.
  const quantile = (share: number) => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0
  return {
    count: sorted.length,
    p50: quantile(0.5),
    p95: quantile(0.95),
    max: quantile(1),
    total: sorted.reduce((sum, value) => sum + value, 0)
  }
}

/** Upper ends of the histogram, in milliseconds: about three to a factor of ten. */
const steps = [100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000, 200_000, 500_000]

const histogram = (durations: ReadonlyArray<number>): Summary["histogram"] => {
  const counts = Array.from({ length: steps.length + 1 }, () => 0)
  for (const value of durations) {
    const at = steps.findIndex((step) => value <= step)
    const bucket = at === -1 ? steps.length : at
    counts[bucket] = (counts[bucket] ?? 0) + 1
  }
  const first = counts.findIndex((count) => count > 0)
  const last = counts.reduce((found, count, i) => count > 0 ? i : found, -1)
  return counts.map((turns, i) => ({ upTo: steps[i] ?? null, turns })).slice(Math.max(0, first), last + 1)
}

/**
 * Sums up what was measured.
 */
export const summarize = (measured: Measured): Summary => ({
  entries: measured.entries,
  turns: measured.turns,
  failedTurns: measured.failedTurns,
  firstToken: distribution(measured.firstToken),
  turn: distribution(measured.turn),
  tools: Object.fromEntries(
    byTotal(Array.from(measured.tools, ([name, { durations, errors }]) => [
      name,
      { ...(distribution(durations) ?? none), errors }
    ]))
  ),
  requests: Object.fromEntries(
    byTotal(Array.from(measured.requests, ([name, durations]) => [name, distribution(durations) ?? none]))
  ),
  tokens: { ...measured.tokens },
  usd: measured.usd,
  models: Object.fromEntries(measured.models),
  histogram: histogram(measured.turn)
})

const none: Distribution = { count: 0, p50: 0, p95: 0, max: 0, total: 0 }

/** What took longest comes first. */
const byTotal = <A extends Distribution>(rows: Array<[string, A]>): Array<[string, A]> =>
  rows.sort(([, a], [, b]) => b.total - a.total)
