/**
 * What in a value is not as a {@link Plan} has it: found by comparing it with the alternative that fits best. For values that
 * are known to have something new, and there are few of those.
 */
import type { Plan } from "./plan.js"

/** What is new at a place: see `Novelty`. */
export interface Found {
  readonly kind: "new-field" | "new-value" | "missing-field" | "other-kind"
  /** The nearest named schema, and the way from there. */
  readonly at: string
  readonly value: unknown
}

/** The codec refuses a frame with one of these. */
const isHard = ({ kind }: Found): boolean => kind === "missing-field" || kind === "other-kind"

type Struct = Extract<Plan, { _tag: "Struct" }>

/** The member of an open union that stands for everything unknown: what it holds is nobody's field. */
export const isFallback = ({ fields }: Struct): boolean =>
  fields.some(({ plan }) => plan._tag === "StringExcept" && plan.names.size > 0)

/** All that is new. */
export const find = (plan: Plan, value: unknown, at: string): ReadonlyArray<Found> => {
  switch (plan._tag) {
    case "Any":
      return []
    case "TypeOf":
      if (typeof value !== plan.type) return [{ kind: "other-kind", at, value }]
      return plan.known === undefined || plan.known.has(value) ? [] : [{ kind: "new-value", at, value }]
    case "OneOf": {
      if (plan.values.some((listed) => listed === value)) return []
      const isListed = typeof value === "string" && plan.values.some((listed) => typeof listed === "string")
      return [{ kind: isListed ? "new-value" : "other-kind", at, value }]
    }
    case "StringExcept":
      return [{ kind: typeof value === "string" ? "new-value" : "other-kind", at, value }]
    case "Array":
      return Array.isArray(value)
        ? value.flatMap((item: unknown) => find(plan.item, item, `${at}[]`))
        : [{ kind: "other-kind", at, value }]
    case "Record":
      return isObject(value)
        ? Object.values(value).flatMap((item) => find(plan.value, item, `${at}{}`))
        : [{ kind: "other-kind", at, value }]
    case "Struct":
      return isObject(value) ? inStruct(plan, value, at) : [{ kind: "other-kind", at, value }]
    case "Dispatch": {
      if (!isObject(value)) return [{ kind: "other-kind", at, value }]
      const member = memberOf(plan, value)
      // None has this value in the field that tells them apart: then any may be the nearest.
      return member === undefined ? nearest([...plan.cases.values()], value, at) : find(member, value, at)
    }
    case "Either": {
      const fitting = plan.plans.filter((one) => fits(one, value))
      return nearest(fitting.length > 0 ? fitting : plan.plans, value, at)
    }
  }
}

const nearest = (plans: ReadonlyArray<Plan>, value: unknown, at: string): ReadonlyArray<Found> => {
  const [first = [], ...others] = plans.map((plan) => find(plan, value, at))
  return others.reduce((best, found) => cost(found) < cost(best) ? found : best, first)
}

const cost = (found: ReadonlyArray<Found>): number => found.filter(isHard).length * 1_000 + found.length

/** Whether a value is of the kind that a plan is for; of a struct, whether the fields with fixed values have one of those. */
const fits = (plan: Plan, value: unknown): boolean => {
  switch (plan._tag) {
    case "Any":
      return true
    case "TypeOf":
      return typeof value === plan.type
    case "OneOf":
      return plan.values.some((listed) => listed === value)
    case "StringExcept":
      return typeof value === "string" && !plan.names.has(value)
    case "Array":
      return Array.isArray(value)
    case "Record":
      return isObject(value)
    case "Struct":
      return isObject(value) &&
        plan.fields.every(({ name, plan }) => !Object.hasOwn(value, name) || !isFixed(plan) || fits(plan, value[name]))
    case "Dispatch": {
      const member = isObject(value) ? memberOf(plan, value) : undefined
      return member !== undefined && fits(member, value)
    }
    case "Either":
      return plan.plans.some((one) => fits(one, value))
  }
}

/** Made of listed values, with or without room for others. */
const isFixed = (plan: Plan): boolean =>
  plan._tag === "OneOf" || plan._tag === "StringExcept" || (plan._tag === "Either" && plan.plans.every(isFixed))

const memberOf = ({ cases, key, otherwise }: Extract<Plan, { _tag: "Dispatch" }>, value: JsonObject) => {
  const name = value[key]
  return (typeof name === "string" ? cases.get(name) : undefined) ?? otherwise
}

const inStruct = (struct: Struct, value: JsonObject, path: string): ReadonlyArray<Found> => {
  const at = struct.name ?? path
  const known = struct.fields.flatMap(({ name, optional, plan }): ReadonlyArray<Found> => {
    if (Object.hasOwn(value, name)) return find(plan, value[name], `${at}.${name}`)
    return optional ? [] : [{ kind: "missing-field", at: `${at}.${name}`, value: undefined }]
  })
  // A member that nobody knows is new as a whole.
  if (isFallback(struct)) return known
  const names = new Set(struct.fields.map(({ name }) => name))
  const unknown = Object.entries(value).filter(([name]) => !names.has(name))
    .map(([name, value]): Found => ({ kind: "new-field", at: `${at}.${name}`, value }))
  return [...known, ...unknown]
}

type JsonObject = { readonly [name: string]: unknown }

const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)
