/**
 * What the comparison finds, and how it is printed: one line each.
 */

export type FindingKind =
  /** The SDK has a field that our schema does not name. */
  | "missing-field"
  /** The SDK has a union member that we do not model, or only by the member for everything unknown. */
  | "missing-member"
  /** The SDK names a value that our schema does not list. */
  | "missing-literal"
  /** A value of the SDK's type would be refused by our schema. */
  | "refused-kind"
  /** We require what the SDK may leave out. */
  | "too-strict"
  /** We may leave out, in what we send, what the SDK requires. */
  | "too-lenient"
  /** Our schema names a field, a union member or a literal that neither the SDK nor a recording has. */
  | "extra-field"
  | "extra-member"
  | "extra-literal"
  /** A type of the protocol, by its name, that no root leads to. */
  | "unreached-type"
  /** An exception that excuses nothing. */
  | "unused-exception"

export interface Finding {
  readonly kind: FindingKind
  /** The nearest named type or schema, and the way from there. */
  readonly at: string
  readonly message: string
}

export const render = (finding: Finding): string => `${finding.at}  ${finding.message}`

/** Sorted, each once: many paths lead to a shared type. */
export const distinct = (findings: ReadonlyArray<Finding>): ReadonlyArray<Finding> => {
  const byLine = new Map(findings.map((finding) => [`${finding.kind} ${render(finding)}`, finding]))
  return [...byLine.entries()].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)).map(([, finding]) => finding)
}
