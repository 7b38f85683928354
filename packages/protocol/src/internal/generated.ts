/**
 * Carries out a {@link Plan} with generated code: one function per struct, array and dispatch, primitive checks in line.
 * The code is made of the names and literals of our own schemas and of nothing that came over the wire.
 */
import type { Check } from "./closures.js"
import { isFallback } from "./novelties.js"
import type { Plan } from "./plan.js"

/**
 * The check of a plan, or `undefined` where code may not be generated. `exact` is what `exact.ts` does: nothing is taken that
 * the plan does not name.
 */
export const make = (plan: Plan, exact = false): Check | undefined => {
  const functions: Array<string> = []
  const names = new Map<Plan, string>()

  const call = (inner: Plan, value: string): string => {
    let name = names.get(inner)
    if (name === undefined) {
      name = `f${names.size}`
      names.set(inner, name)
      functions.push(`function ${name}(v){${body(inner)}}`)
    }
    return `${name}(${value})`
  }

  /** An expression for plans that need no statement; a call for the others. */
  const expression = (inner: Plan, value: string): string => {
    switch (inner._tag) {
      case "Any":
        return `${value}!==undefined`
      case "TypeOf":
        return exact && inner.known !== undefined
          ? `known${inners(inner.known)}.has(${value})`
          : `typeof ${value}===${quote(inner.type)}`
      case "OneOf":
        return inner.values.map((literal) => `${value}===${quote(literal)}`).join("||")
      case "StringExcept":
        if (exact) return "false"
        return [`typeof ${value}==="string"`, ...Array.from(inner.names, (name) => `${value}!==${quote(name)}`)].join(
          "&&"
        )
      case "Either":
        return inner.plans.map((option) => `(${expression(option, value)})`).join("||")
      default:
        return call(inner, value)
    }
  }

  /** Fields are counted as they are read: a value with more of them has one that is not known. */
  const exactStruct = (inner: Extract<Plan, { _tag: "Struct" }>): string =>
    `if(!(${isObject}))return false;var x,n=0;${
      inner.fields.map((field) => {
        const check = `if(!(${expression(field.plan, "x")}))return false;n++;`
        return `x=v[${quote(field.name)}];${field.optional ? `if(x!==undefined){${check}}` : check}`
      }).join("")
    }for(var k in v)n--;return n===0`

  /** The values that open literals list: too many to be spelled out. */
  const lists: Array<ReadonlySet<unknown>> = []
  const inners = (list: ReadonlySet<unknown>): number => lists.push(list) - 1

  const body = (inner: Plan): string => {
    switch (inner._tag) {
      case "Array":
        return `if(!Array.isArray(v))return false;for(var i=0;i<v.length;i++){var x=v[i];if(!(${
          expression(inner.item, "x")
        }))return false}return true`
      case "Record":
        return inner.value._tag === "Any"
          ? `return ${isObject}`
          : `if(!(${isObject}))return false;for(var k in v){var x=v[k];if(!(${
            expression(inner.value, "x")
          }))return false}return true`
      case "Struct":
        if (exact) return isFallback(inner) ? "return false" : exactStruct(inner)
        return `if(!(${isObject}))return false;var x;${
          inner.fields.map((field) => {
            const read = `x=v[${quote(field.name)}];`
            const check = expression(field.plan, "x")
            return field.optional
              ? (field.plan._tag === "Any" ? "" : `${read}if(x!==undefined&&!(${check}))return false;`)
              : `${read}if(!(${check}))return false;`
          }).join("")
        }return true`
      case "Dispatch":
        return `if(!(${isObject}))return false;switch(v[${quote(inner.key)}]){${
          Array.from(inner.cases, ([name, member]) => `case ${quote(name)}:return ${expression(member, "v")};`).join("")
        }default:return ${inner.otherwise === undefined ? "false" : expression(inner.otherwise, "v")}}`
      default:
        return `return ${expression(inner, "v")}`
    }
  }

  const entry = call(plan, "v")
  try {
    // `new Function` sees no scope of ours, and `source` is built from our own schemas alone.
    const names = lists.map((_, i) => `known${i}`)
    const compiled: unknown = new Function(
      ...names,
      `"use strict";${functions.join("")}return function(v){return ${entry}}`
    )(...lists)
    return typeof compiled === "function" ? (value) => compiled(value) === true : undefined
  } catch {
    // A content security policy forbids it; closures do the same.
    return undefined
  }
}

const isObject = `typeof v==="object"&&v!==null&&!Array.isArray(v)`

const quote = (literal: string | number | boolean | bigint | null): string =>
  typeof literal === "bigint" ? `${literal}n` : JSON.stringify(literal)
