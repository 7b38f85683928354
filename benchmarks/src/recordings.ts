/**
 * Frames of a real CLI, as templates for the corpus. Only the three kinds that grow with what is said and done:
 * content deltas, messages of the model, results of tools.
 */
import { readdirSync, readFileSync } from "node:fs"
import { isObject, type JsonObject } from "./json.js"

/** The version of the CLI that was recorded. */
export const recordedVersion = "2.1.326"

/** Parsed frames by kind, in the order of the recordings. */
export interface Templates {
  readonly delta: ReadonlyArray<JsonObject>
  readonly assistant: ReadonlyArray<JsonObject>
  readonly toolResult: ReadonlyArray<JsonObject>
}

// From `src` as from `dist`: both lie one level below the package.
const directory = new URL(`../../recordings/${recordedVersion}/`, import.meta.url)

/** Reads the recordings. Sorted: the order of a directory is not the same everywhere, and the corpus depends on it. */
export const readTemplates = (): Templates => {
  const byKind: Record<keyof Templates, Array<JsonObject>> = { delta: [], assistant: [], toolResult: [] }
  for (const name of readdirSync(directory).filter((file) => file.endsWith(".jsonl")).sort()) {
    for (const entry of readFileSync(new URL(name, directory), "utf8").split("\n")) {
      const frame = entry === "" ? undefined : cliFrame(entry)
      const kind = frame === undefined ? undefined : kindOf(frame)
      if (frame !== undefined && kind !== undefined) byKind[kind].push(frame)
    }
  }
  return byKind
}

/** What the CLI said in an entry `{t, dir, line}` of a recording, if it is JSON: one recording has lines that are not. */
const cliFrame = (entry: string): JsonObject | undefined => {
  const recorded: unknown = JSON.parse(entry)
  if (!isObject(recorded) || recorded["dir"] !== "cli" || typeof recorded["line"] !== "string") return undefined
  if (!recorded["line"].startsWith("{")) return undefined
  const frame: unknown = JSON.parse(recorded["line"])
  return isObject(frame) ? frame : undefined
}

const kindOf = (frame: JsonObject): keyof Templates | undefined => {
  switch (frame["type"]) {
    case "stream_event":
      return isObject(frame["event"]) && isObject(frame["event"]["delta"]) && hasText(frame["event"]["delta"])
        ? "delta"
        : undefined
    case "assistant":
      return "assistant"
    case "user":
      return "tool_use_result" in frame ? "toolResult" : undefined
    default:
      return undefined
  }
}

/** Deltas of text and of thinking; those of signatures and of whole messages are too rare to be in the mix. */
const hasText = (delta: JsonObject): boolean => delta["type"] === "text_delta" || delta["type"] === "thinking_delta"
