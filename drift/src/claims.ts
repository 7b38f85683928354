/**
 * The other direction: what our schemas name and the SDK does not. A schema is shared by many places (one content block,
 * two directions), so a claim counts for the schema: it is enough that the SDK, or a recording, has it in one of them.
 */
import type { Finding } from "./finding.js"
import type { Claim, Outcome } from "./outcome.js"
import type { Alternative, Field, Shape, StructAlternative } from "./shape.js"
import { alternativeKey, describe, fieldKey, isStruct } from "./shape.js"

/** The member of an open union that stands for everything unknown: it claims nothing. */
export const isFallback = (alternative: Alternative): boolean =>
  isStruct(alternative) && [...alternative.what.fields.values()].some((field) => {
    const [only, ...others] = field.shape().alternatives
    return others.length === 0 && only?.what._tag === "Open" && only.what.except.size > 0
  })

/** Claims that one of several alternatives exists. With a single one there is no choice, and a clash is found anyway. */
export const claimAlternatives = (into: Map<string, Claim>, shape: Shape, at: string, against?: string): void => {
  if (shape.alternatives.length < 2) return
  for (const alternative of shape.alternatives) {
    const { what } = alternative
    if (what._tag === "Open" || what._tag === "Any" || isFallback(alternative)) continue
    into.set(alternativeKey(alternative), {
      kind: what._tag === "Literal" ? "literal" : "member",
      at: `${at} ${describe(what)}`,
      against,
      inner: { alternatives: [alternative] }
    })
  }
}

/** Claims that a field exists. */
export const claimField = (
  into: Map<string, Claim>,
  struct: StructAlternative,
  [name, field]: readonly [string, Field],
  at: string,
  against?: string
): void => {
  into.set(fieldKey(struct, name), { kind: "field", at: `${at}.${name}`, against, inner: field.shape() })
}

/** Everything that a shape claims at its next level, for places where the SDK has nothing to compare with. */
export const claimShape = (shape: Shape, at: string): Map<string, Claim> => {
  const claims = new Map<string, Claim>()
  claimAlternatives(claims, shape, at)
  if (shape.alternatives.length > 1) return claims
  for (const alternative of shape.alternatives) {
    if (isStruct(alternative)) {
      const here = alternative.what.name ?? at
      for (const entry of alternative.what.fields) claimField(claims, alternative, entry, here)
    } else if (alternative.what._tag === "Array") {
      for (const [key, claim] of claimShape(alternative.what.item(), `${at}[]`)) claims.set(key, claim)
    } else if (alternative.what._tag === "Record") {
      for (const [key, claim] of claimShape(alternative.what.value(), `${at}{}`)) claims.set(key, claim)
    }
  }
  return claims
}

/** The claims that nobody vouches for. What a recording vouches for is followed down; what nobody does, is not. */
export const unsupported = (outcome: Outcome, recorded: ReadonlySet<string>): ReadonlyArray<Finding> => {
  const findings: Array<Finding> = []
  const done = new Set<string>()
  const open = [...outcome.claims]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [key, claim] = next
    if (done.has(key) || outcome.supported.has(key)) continue
    done.add(key)
    if (recorded.has(key)) {
      if (claim.inner !== undefined) open.push(...claimShape(claim.inner, claim.at))
    } else {
      const where = claim.against === undefined ? "in the SDK" : `in the SDK (${claim.against})`
      findings.push({ kind: `extra-${claim.kind}`, at: claim.at, message: `modelled, not ${where} nor in a recording` })
    }
  }
  return findings
}
