/**
 * Evidence from recordings: which fields, union members and literals of our schemas occur in frames that a real CLI and
 * its hosts wrote. Answers are read with the schema of the request that they belong to.
 */
import { CliFrame, HostFrame } from "@claude-duplex/protocol/Frame"
import { responses as cliResponses } from "@claude-duplex/protocol/schema/CliRequest"
import { responses as hostResponses } from "@claude-duplex/protocol/schema/HostRequest"
import { Schema, type SchemaAST } from "effect"
import * as fs from "node:fs"
import * as path from "node:path"
import type { ReadSchema } from "./ourSchemas.js"
import type { Alternative, Shape } from "./shape.js"
import { alternativeKey, fieldKey } from "./shape.js"

/** The keys of everything that occurs in the recordings below a folder, one folder for each version. */
export const collect = (folder: string, read: ReadSchema): ReadonlySet<string> => {
  const keys = new Set<string>()
  for (const version of fs.readdirSync(folder, { withFileTypes: true })) {
    if (!version.isDirectory()) continue
    const inside = path.join(folder, version.name)
    for (const file of fs.readdirSync(inside).filter((name) => name.endsWith(".jsonl"))) {
      observeSession(fs.readFileSync(path.join(inside, file), "utf8"), read, keys)
    }
  }
  return keys
}

/** A line of a recording. */
const Recorded = Schema.parseJson(Schema.Struct({ dir: Schema.Literal("host", "cli"), line: Schema.String }))

const Asked = Schema.Struct({
  type: Schema.Literal("control_request"),
  request_id: Schema.String,
  request: Schema.Struct({ subtype: Schema.String })
})

const Answered = Schema.Struct({
  type: Schema.Literal("control_response"),
  response: Schema.Struct({ subtype: Schema.Literal("success"), request_id: Schema.String, response: Schema.Unknown })
})

/** Notes what occurs in one recording. */
export const observeSession = (text: string, read: ReadSchema, keys: Set<string>): void => {
  const asked = new Map<string, SchemaAST.AST>()
  for (const recorded of text.split("\n")) {
    if (recorded === "") continue
    const { dir, line } = Schema.decodeSync(Recorded)(recorded)
    const frame = parse(line)
    const schema: SchemaAST.AST = dir === "cli" ? CliFrame.ast : HostFrame.ast
    observe(read(schema), frame, keys)
    if (Schema.is(Asked)(frame)) {
      const table: Readonly<Record<string, Schema.Schema.Any>> = dir === "cli" ? cliResponses : hostResponses
      const answer = table[frame.request.subtype]
      if (answer !== undefined) asked.set(`${dir} ${frame.request_id}`, answer.ast)
    }
    if (Schema.is(Answered)(frame)) {
      const answer = asked.get(`${dir === "cli" ? "host" : "cli"} ${frame.response.request_id}`)
      if (answer !== undefined) observe(read(answer), frame.response.response, keys)
    }
  }
}

/** Some recordings hold, on purpose, a line that is not JSON. */
const parse = (line: string): unknown => {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

/** Notes what of a shape occurs in a value. */
export const observe = (shape: Shape, value: unknown, keys: Set<string>): void => {
  for (const alternative of shape.alternatives) {
    if (!takes(alternative, value)) continue
    keys.add(alternativeKey(alternative))
    const { what } = alternative
    if (what._tag === "Array" && Array.isArray(value)) { for (const item of value) observe(what.item(), item, keys) }
    if (!isObject(value)) continue
    if (what._tag === "Record") { for (const item of Object.values(value)) observe(what.value(), item, keys) }
    if (what._tag !== "Struct") continue
    for (const [name, field] of what.fields) {
      if (!(name in value)) continue
      keys.add(fieldKey(alternative, name))
      observe(field.shape(), value[name], keys)
    }
  }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Whether a value is of this alternative, all the way down: a frame that does not fit is evidence of nothing. */
const takes = ({ what }: Alternative, value: unknown): boolean => {
  switch (what._tag) {
    case "Any":
      return true
    case "String":
    case "Number":
    case "Boolean":
      return typeof value === what._tag.toLowerCase()
    case "Null":
      return value === null
    case "Literal":
      return value === what.value
    case "Open":
      return typeof value === "string" && !what.except.has(value)
    case "Array":
      return Array.isArray(value) && value.every((item) => takenBy(what.item(), item))
    case "Record":
      return isObject(value) && Object.values(value).every((item) => takenBy(what.value(), item))
    case "Struct":
      return isObject(value) &&
        [...what.fields].every(([name, field]) => name in value ? takenBy(field.shape(), value[name]) : field.optional)
    case "Unreadable":
      return false
  }
}

const takenBy = (shape: Shape, value: unknown): boolean =>
  shape.alternatives.some((alternative) => takes(alternative, value))
