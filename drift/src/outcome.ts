/**
 * What one comparison yields. A comparison can be tried and thrown away (several members of a union may fit), so it
 * writes into an outcome of its own, and only those that count are merged.
 */
import type { Finding } from "./finding.js"
import type { Shape } from "./shape.js"

/** Something that our schemas name, and for which the SDK or a recording has to vouch. */
export interface Claim {
  readonly kind: "field" | "member" | "literal"
  readonly at: string
  /** The SDK's type that was compared, if there is one. */
  readonly against: string | undefined
  /** What lies below, which has to be vouched for by recordings if this was. */
  readonly inner: Shape | undefined
}

export interface Outcome {
  readonly findings: Array<Finding>
  readonly claims: Map<string, Claim>
  /** Keys of claims for which the SDK vouches. */
  readonly supported: Set<string>
  /** The SDK's types that were met, also those that we keep opaque. */
  readonly met: Set<object>
  /** The SDK's object types that were compared with a struct of ours. */
  readonly compared: Set<object>
  /** How many fields both sides have. */
  fields: number
}

export const empty = (): Outcome => ({
  findings: [],
  claims: new Map(),
  supported: new Set(),
  met: new Set(),
  compared: new Set(),
  fields: 0
})

export const merge = (into: Outcome, from: Outcome): void => {
  into.findings.push(...from.findings)
  for (const [key, claim] of from.claims) if (!into.claims.has(key)) into.claims.set(key, claim)
  for (const key of from.supported) into.supported.add(key)
  for (const type of from.met) into.met.add(type)
  for (const type of from.compared) into.compared.add(type)
  into.fields += from.fields
}
