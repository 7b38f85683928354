/** What a script has received, and the placeholders that speak of it. */
import { type HostFrame, Unknown } from "@claude-duplex/protocol/Frame"
import type { Path, Placeholder, Received } from "../ScriptStep.js"
import { isObject } from "./matching.js"

export type HostItem = HostFrame | Unknown

/** The JSON of a frame. */
export const rawOf = (frame: HostItem): unknown => frame instanceof Unknown ? frame.raw : frame

/** The frames that matched: the last one, and those with a label. */
export interface Memory {
  last: HostItem | undefined
  readonly labelled: Map<string, HostItem>
}

export const emptyMemory = (): Memory => ({ last: undefined, labelled: new Map() })

/**
 * A placeholder that stands for nothing. Thrown, because functions in a script meet it as well, and they have no other
 * way out; the runner catches it.
 */
export class Unresolved extends Error {}

/** The template with its placeholders replaced, and without fields that are `undefined`. */
export const resolve = (template: unknown, memory: Memory): unknown => {
  if (isPlaceholder(template)) return valueAt(memory, template.$received, template.of)
  if (Array.isArray(template)) return template.map((item) => resolve(item, memory))
  if (!isObject(template)) return template
  return Object.fromEntries(
    Object.entries(template).flatMap(([key, value]) => value === undefined ? [] : [[key, resolve(value, memory)]])
  )
}

/** The memory as functions see it. */
export const toReceived = (memory: Memory): Received => ({
  get frame() {
    return frameOf(memory, undefined)
  },
  of: (label) => frameOf(memory, label),
  text: (path, of) => {
    const value = valueAt(memory, path, of)
    if (typeof value === "string") return value
    throw new Unresolved(`The value at ${nameOf(path)} is no text: ${JSON.stringify(value)}`)
  }
})

const frameOf = (memory: Memory, of: string | undefined): HostItem => {
  const frame = of === undefined ? memory.last : memory.labelled.get(of)
  if (frame !== undefined) return frame
  const labels = Array.from(memory.labelled.keys(), (label) => `"${label}"`).join(", ")
  throw new Unresolved(
    of === undefined
      ? "Nothing has been received yet that a placeholder could speak of."
      : `Nothing has been received for the label "${of}". Known labels: ${labels === "" ? "none" : labels}.`
  )
}

const valueAt = (memory: Memory, path: Path, of: string | undefined): unknown => {
  const frame = rawOf(frameOf(memory, of))
  const keys = typeof path === "string" ? path.split(".") : path
  let value = frame
  for (const key of keys) {
    value = (Array.isArray(value) || isObject(value)) && Object.hasOwn(value, key)
      // An own key of an array or object; which of the two it is makes no difference to reading it.
      ? (value as Readonly<Record<string | number, unknown>>)[key]
      : undefined
  }
  if (value !== undefined) return value
  throw new Unresolved(
    `The frame that was received ${of === undefined ? "last" : `for "${of}"`} has nothing at ${nameOf(path)}: ${
      JSON.stringify(frame)
    }`
  )
}

const nameOf = (path: Path): string => JSON.stringify(path)

const isPlaceholder = (value: unknown): value is Placeholder =>
  isObject(value) && Object.hasOwn(value, "$received") &&
  Object.keys(value).every((key) => key === "$received" || key === "of")
