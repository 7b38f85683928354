/**
 * The walk: an SDK type and our schema side by side, field by field, at every depth where both are modelled. It asks of
 * every value that the SDK's type allows whether our schema names it, and notes what our schema names besides.
 */
import { claimAlternatives, claimField, isFallback } from "./claims.js"
import type { FindingKind } from "./finding.js"
import * as Outcome from "./outcome.js"
import type { Alternative, Literal, Shape, Struct, StructAlternative } from "./shape.js"
import { alternativeKey, describe, fieldKey, isStruct, literalsOf } from "./shape.js"

/** Where the walk is. */
export interface Place {
  readonly sdk: string
  readonly ours: string
  /** Who writes the value. What we send must also have every field that the SDK requires. */
  readonly writer: "cli" | "host"
  /** Schemas below which the host is the writer. */
  readonly hostNodes: ReadonlySet<object>
}

export const compare = (sdk: Shape, ours: Shape, place: Place): Outcome.Outcome => {
  const outcome = Outcome.empty()
  if (ours.alternatives.some(({ what }) => what._tag === "Any")) {
    meetAll(sdk, outcome.met)
    return outcome
  }
  claimAlternatives(outcome.claims, ours, place.ours, place.sdk)
  for (const alternative of sdk.alternatives) Outcome.merge(outcome, compareOne(alternative, ours, place))
  return outcome
}

/** Types below an opaque value of ours are known about, and deliberately not looked into. */
const meetAll = (shape: Shape, met: Set<object>): void => {
  for (const { node, what } of shape.alternatives) {
    if (met.has(node)) continue
    met.add(node)
    if (what._tag === "Array") meetAll(what.item(), met)
    if (what._tag === "Record") meetAll(what.value(), met)
    if (what._tag === "Struct") { for (const field of what.fields.values()) meetAll(field.shape(), met) }
  }
}

const compareOne = (sdk: Alternative, ours: Shape, place: Place): Outcome.Outcome => {
  const { what } = sdk
  switch (what._tag) {
    case "Any":
    case "Unreadable":
    case "Open":
      return failed(sdk, "refused-kind", place.sdk, `${describe(what)} in the SDK, ${accepted(ours)} in ${place.ours}`)
    case "Literal":
      return compareLiteral(sdk, what.value, ours, place)
    case "String": {
      if (!ours.alternatives.some((our) => our.what._tag === "String" || our.what._tag === "Open")) break
      // The SDK leaves the values open: it does not contradict those that we list.
      return agreed(sdk, ours.alternatives.filter((our) => our.what._tag === "String" || isText(our)))
    }
    case "Number":
    case "Boolean":
    case "Null": {
      const same = ours.alternatives.filter((our) => our.what._tag === what._tag)
      if (same.length > 0) return agreed(sdk, same)
      break
    }
    case "Array": {
      const tries = ours.alternatives.flatMap((our) => {
        if (our.what._tag !== "Array") return []
        const inside = { ...place, sdk: `${place.sdk}[]`, ours: `${place.ours}[]` }
        return [both(agreed(sdk, [our]), compare(what.item(), our.what.item(), inside))]
      })
      if (tries.length > 0) return best(tries)
      break
    }
    case "Record": {
      const tries = ours.alternatives.flatMap((our) => {
        if (our.what._tag !== "Record") return []
        const inside = { ...place, sdk: `${place.sdk}{}`, ours: `${place.ours}{}` }
        return [both(agreed(sdk, [our]), compare(what.value(), our.what.value(), inside))]
      })
      if (tries.length > 0) return best(tries)
      break
    }
    case "Struct":
      return compareStruct({ ...sdk, what }, ours, place)
  }
  return failed(
    sdk,
    "refused-kind",
    place.sdk,
    `may be ${describe(what)} in the SDK, only ${accepted(ours)} in ${place.ours}`
  )
}

const compareLiteral = (sdk: Alternative, value: Literal, ours: Shape, place: Place): Outcome.Outcome => {
  const same = ours.alternatives.filter(({ what }) => what._tag === "Literal" && what.value === value)
  if (same.length > 0) return agreed(sdk, same)
  const kind = typeof value === "string" ? "String" : typeof value === "number" ? "Number" : "Boolean"
  const wider = ours.alternatives.filter(({ what }) => what._tag === kind)
  if (wider.length > 0) return agreed(sdk, wider)
  const openly = ours.alternatives.some(({ what }) => what._tag === "Open")
  const how = openly ? "not listed by" : "refused by"
  return failed(sdk, "missing-literal", `${place.sdk} ${JSON.stringify(value)}`, `in the SDK, ${how} ${place.ours}`)
}

const compareStruct = (sdk: StructAlternative, ours: Shape, place: Place): Outcome.Outcome => {
  const record = ours.alternatives.find(({ what }) => what._tag === "Record")
  const candidates = ours.alternatives.filter(isStruct).filter((our) => compatible(sdk.what, our.what))
  const known = candidates.filter((our) => !isFallback(our))
  if (known.length > 0) {
    const split = splitField(sdk.what, known)
    if (split !== undefined) return compareSplit(sdk, split, known, ours, place)
    return best(known.map((our) => compareFields(sdk, our, place)))
  }
  if (record !== undefined && record.what._tag === "Record") {
    const value = record.what.value()
    const fields = [...sdk.what.fields].map(([name, field]) =>
      compare(field.shape(), value, { ...place, sdk: `${sdk.what.name ?? place.sdk}.${name}`, ours: `${place.ours}{}` })
    )
    return [agreed(sdk, [record]), ...fields].reduce(both)
  }
  const how = candidates.length > 0 ? "only kept as unrecognized by" : "not modelled by"
  return failed(sdk, "missing-member", nameIn(sdk.what, place.sdk), `in the SDK, ${how} ${place.ours}`)
}

const compareFields = (sdk: StructAlternative, ours: StructAlternative, place: Place): Outcome.Outcome => {
  const outcome = agreed(sdk, [ours])
  outcome.compared.add(sdk.node)
  const here = { sdk: sdk.what.name ?? place.sdk, ours: ours.what.name ?? place.ours }
  const writer = place.hostNodes.has(ours.node) ? "host" : place.writer
  const find = (kind: FindingKind, name: string, message: string) =>
    outcome.findings.push({ kind, at: `${here.sdk}.${name}`, message })

  for (const [name, field] of sdk.what.fields) {
    const our = ours.what.fields.get(name)
    // A field that can only be absent is TypeScript's way to forbid it.
    if (field.shape().alternatives.length === 0) continue
    if (our === undefined) {
      find("missing-field", name, `in the SDK, not modelled by ${here.ours}`)
      continue
    }
    outcome.fields++
    outcome.supported.add(fieldKey(ours, name))
    if (field.optional && !our.optional) find("too-strict", name, `optional in the SDK, required by ${here.ours}`)
    if (writer === "host" && !field.optional && our.optional) {
      find("too-lenient", name, `required in the SDK, optional in ${here.ours}`)
    }
    const inside = { ...place, writer, sdk: `${here.sdk}.${name}`, ours: `${here.ours}.${name}` } as const
    Outcome.merge(outcome, compare(field.shape(), our.shape(), inside))
  }
  for (const [name, field] of ours.what.fields) {
    claimField(outcome.claims, ours, [name, field], here.ours, here.sdk)
    if (!field.optional && !sdk.what.fields.has(name)) {
      find("too-strict", name, `absent from the SDK, required by ${here.ours}`)
    }
  }
  return outcome
}

/** Whether no field with fixed values tells the two apart. */
const compatible = (sdk: Struct, ours: Struct): boolean =>
  [...ours.fields].every(([name, field]) => {
    const accepts = acceptedLiterals(field.shape())
    if (accepts === undefined) return true
    const theirs = sdk.fields.get(name)
    if (theirs === undefined) return field.optional
    const literals = literalsOf(theirs.shape())
    return literals === undefined || literals.some(accepts)
  })

/** Which literals a field takes, for fields that take only some. */
const acceptedLiterals = (shape: Shape): ((value: Literal) => boolean) | undefined => {
  const values = new Set<Literal>()
  let except: ReadonlySet<string> | undefined
  for (const { what } of shape.alternatives) {
    if (what._tag === "Literal") values.add(what.value)
    else if (what._tag === "Open") except = what.except
    else return undefined
  }
  const excepted = except
  return (value) => values.has(value) || (excepted !== undefined && typeof value === "string" && !excepted.has(value))
}

/** A field of which the SDK's struct allows several values, and by which structs of ours are told apart. */
const splitField = (sdk: Struct, ours: ReadonlyArray<StructAlternative>): string | undefined => {
  for (const [name, field] of sdk.fields) {
    const literals = literalsOf(field.shape())
    if (literals === undefined || literals.length < 2) continue
    const taken = ours.map((our) => literals.map((value) => takesLiteral(our.what, name, value)).join())
    if (new Set(taken).size > 1) return name
  }
  return undefined
}

const takesLiteral = (ours: Struct, name: string, value: Literal): boolean => {
  const field = ours.fields.get(name)
  const accepts = field === undefined ? undefined : acceptedLiterals(field.shape())
  return accepts === undefined || accepts(value)
}

/** Compares the struct once for each value of one of its fields. */
const compareSplit = (
  sdk: StructAlternative,
  name: string,
  known: ReadonlyArray<StructAlternative>,
  ours: Shape,
  place: Place
): Outcome.Outcome => {
  const field = sdk.what.fields.get(name)
  const outcome = Outcome.empty()
  for (const alternative of field?.shape().alternatives ?? []) {
    const only = { optional: field?.optional === true, shape: () => ({ alternatives: [alternative] }) }
    const one = { ...sdk, what: { ...sdk.what, fields: new Map(sdk.what.fields).set(name, only) } }
    const value = alternative.what._tag === "Literal" ? alternative.what.value : undefined
    if (value !== undefined && !known.some((our) => takesLiteral(our.what, name, value))) {
      const at = `${sdk.what.name ?? place.sdk}.${name} ${JSON.stringify(value)}`
      Outcome.merge(outcome, failed(one, "missing-literal", at, `in the SDK, not modelled by ${place.ours}`))
    } else {
      Outcome.merge(outcome, compareStruct(one, ours, place))
    }
  }
  return outcome
}

const isText = (our: Alternative): boolean => our.what._tag === "Literal" && typeof our.what.value === "string"

const nameIn = (struct: Struct, path: string): string => struct.name ?? `${path} ${describe(struct)}`

const accepted = (ours: Shape): string => {
  const shown = ours.alternatives.slice(0, 4).map(({ what }) => describe(what))
  return [...shown, ...(ours.alternatives.length > 4 ? ["…"] : [])].join(" | ")
}

const agreed = (sdk: Alternative, ours: ReadonlyArray<Alternative>): Outcome.Outcome => {
  const outcome = Outcome.empty()
  outcome.met.add(sdk.node)
  for (const our of ours) outcome.supported.add(alternativeKey(our))
  return outcome
}

const failed = (sdk: Alternative, kind: FindingKind, at: string, message: string): Outcome.Outcome => {
  const outcome = Outcome.empty()
  // What is below is reported by this one finding.
  meetAll({ alternatives: [sdk] }, outcome.met)
  outcome.findings.push({ kind, at, message })
  return outcome
}

const both = (a: Outcome.Outcome, b: Outcome.Outcome): Outcome.Outcome => {
  Outcome.merge(a, b)
  return a
}

/** Where several of our alternatives could take the value: those that take it best, all that are equally good. */
const best = (outcomes: ReadonlyArray<Outcome.Outcome>): Outcome.Outcome => {
  const fewest = Math.min(...outcomes.map(({ findings }) => findings.length))
  return outcomes.filter(({ findings }) => findings.length === fewest).reduce(both)
}
