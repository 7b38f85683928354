/**
 * Carries out a {@link Plan} with closures: for places where code may not be generated (a page with a strict content
 * security policy).
 */
import type { Plan } from "./plan.js"

/** Whether a JSON value is what the plan says. */
export type Check = (value: unknown) => boolean

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

const build = (plan: Plan): Check => {
  switch (plan._tag) {
    case "Any":
      return (value) => value !== undefined
    case "TypeOf": {
      const { type } = plan
      return (value) => typeof value === type
    }
    case "OneOf": {
      const only = plan.values[0]
      if (plan.values.length === 1) return (value) => value === only
      const values: ReadonlySet<unknown> = new Set(plan.values)
      return (value) => values.has(value)
    }
    case "StringExcept": {
      const { names } = plan
      return (value) => typeof value === "string" && !names.has(value)
    }
    case "Array": {
      const item = make(plan.item)
      return (value) => Array.isArray(value) && value.every(item)
    }
    case "Record": {
      const item = make(plan.value)
      return (value) => {
        if (!isObject(value)) return false
        if (plan.value._tag === "Any") return true
        for (const key of Object.keys(value)) if (!item(value[key])) return false
        return true
      }
    }
    case "Struct": {
      const required = plan.fields.filter((field) => !field.optional).map(compileField)
      const optional = plan.fields.filter((field) => field.optional).map(compileField)
      return (value) => {
        if (!isObject(value)) return false
        for (const field of required) if (!field.check(value[field.name])) return false
        for (const field of optional) {
          const found = value[field.name]
          if (found !== undefined && !field.check(found)) return false
        }
        return true
      }
    }
    case "Dispatch": {
      const cases = new Map(Array.from(plan.cases, ([name, member]) => [name as unknown, make(member)]))
      const otherwise = plan.otherwise === undefined ? never : make(plan.otherwise)
      return (value) => isObject(value) && (cases.get(value[plan.key]) ?? otherwise)(value)
    }
    case "Either": {
      const checks = plan.plans.map(make)
      return (value) => checks.some((check) => check(value))
    }
  }
}

const never: Check = () => false

const compileField = (field: { readonly name: string; readonly plan: Plan }) => ({
  name: field.name,
  check: make(field.plan)
})
