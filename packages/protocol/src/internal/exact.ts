/**
 * Carries out a {@link Plan} to the letter: no field that the schemas do not have, no value of an open literal that they do
 * not list, no member of an open union that they do not know. Says yes or no, fast; what is new is found by `novelties.ts`.
 */
import type { Check } from "./closures.js"
import { isFallback } from "./novelties.js"
import type { Plan } from "./plan.js"

/** The check of a plan. */
export const make = (plan: Plan): Check => {
  const known = memo.get(plan)
  if (known !== undefined) return known
  const check = build(plan)
  memo.set(plan, check)
  return check
}

const memo = new WeakMap<Plan, Check>()

type Fields = { readonly [name: string]: unknown }

const isObject = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const anything: Check = () => true
const nothing: Check = () => false

const build = (plan: Plan): Check => {
  switch (plan._tag) {
    case "Any":
      return anything
    case "TypeOf": {
      const { known, type } = plan
      return known === undefined ? (value) => typeof value === type : (value) => known.has(value)
    }
    case "OneOf": {
      const only = plan.values[0]
      if (plan.values.length === 1) return (value) => value === only
      const values: ReadonlySet<unknown> = new Set(plan.values)
      return (value) => values.has(value)
    }
    case "StringExcept":
      return nothing
    case "Array": {
      const item = make(plan.item)
      return item === anything ? Array.isArray : (value) => {
        if (!Array.isArray(value)) return false
        for (const one of value) if (!item(one)) return false
        return true
      }
    }
    case "Record": {
      const item = make(plan.value)
      return item === anything ? isObject : (value) => {
        if (!isObject(value)) return false
        for (const key in value) if (!item(value[key])) return false
        return true
      }
    }
    case "Struct": {
      if (isFallback(plan)) return nothing
      const fields = new Map(plan.fields.map((field) => [field.name, make(field.plan)]))
      const required = plan.fields.filter(({ optional }) => !optional).map(({ name }) => name)
      return (value) => {
        if (!isObject(value)) return false
        for (const name of required) if (value[name] === undefined) return false
        for (const name in value) {
          const field = fields.get(name)
          if (field === undefined || !field(value[name])) return false
        }
        return true
      }
    }
    case "Dispatch": {
      const cases = new Map<unknown, Check>(Array.from(plan.cases, ([name, member]) => [name, make(member)]))
      const otherwise = plan.otherwise === undefined ? nothing : make(plan.otherwise)
      return (value) => isObject(value) && (cases.get(value[plan.key]) ?? otherwise)(value)
    }
    case "Either": {
      const checks = plan.plans.map(make)
      return (value) => {
        for (const check of checks) if (check(value)) return true
        return false
      }
    }
  }
}
