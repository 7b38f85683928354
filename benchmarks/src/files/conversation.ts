/**
 * A long conversation as a file: turns of two thousand lines of the corpus each, put in order, so that every block begins
 * before it grows and every tool is called before its result comes. As the CLI's stdout, and as a recording of both sides.
 */
import { closeSync, openSync, readFileSync, writeSync } from "node:fs"
import * as Corpus from "../corpus.js"
import { isObject, type JsonObject } from "../json.js"

/** The two formats that the tool reads. */
export type Format = "stdout" | "recording"

/** Stands for the number of the turn, in ids that must not occur twice. */
const turnMark = "TURN"

const recorded = new URL("../../../recordings/2.1.326/", import.meta.url)

/** The first frame of a recording that is one. */
const frameOf = (file: string, isIt: (frame: JsonObject) => boolean): JsonObject => {
  for (const line of readFileSync(new URL(file, recorded), "utf8").trimEnd().split("\n")) {
    const entry: unknown = JSON.parse(line)
    const frame: unknown = isObject(entry) && typeof entry["line"] === "string" ? JSON.parse(entry["line"]) : undefined
    if (isObject(frame) && isIt(frame)) return frame
  }
  throw new Error(`${file} has no such frame`)
}

/** The lines of the CLI's in one turn. */
const turnLines = (): ReadonlyArray<string> => {
  const eventOf = (type: string) =>
    frameOf(
      "tour.jsonl",
      ({ event, type: frame }) => frame === "stream_event" && isObject(event) && event["type"] === type
    )
  const call = frameOf("tour.jsonl", ({ message, type }) => {
    const content = isObject(message) ? message["content"] : undefined
    return type === "assistant" && Array.isArray(content) && isObject(content[0]) && content[0]["type"] === "tool_use"
  })
  const [messageStart, messageStop] = [eventOf("message_start"), eventOf("message_stop")].map((frame) =>
    JSON.stringify(frame)
  )
  const blockStart = (index: unknown, parent: unknown) => {
    const frame = eventOf("content_block_start")
    return JSON.stringify({
      ...frame,
      parent_tool_use_id: parent,
      event: { ...(isObject(frame["event"]) ? frame["event"] : {}), index }
    })
  }
  const lines: Array<string> = [JSON.stringify(frameOf("tour.jsonl", ({ subtype }) => subtype === "init"))]
  let open = false
  let block: string | undefined
  let tools = 0
  for (const { kind, line } of Corpus.make({ lines: 2_000 })) {
    const frame: unknown = JSON.parse(line)
    if (!isObject(frame)) continue
    if (kind === "delta" && isObject(frame["event"])) {
      const of = `${String(frame["event"]["index"])} ${String(frame["parent_tool_use_id"])}`
      if (!open) lines.push(messageStart ?? "")
      if (!open || of !== block) lines.push(blockStart(frame["event"]["index"], frame["parent_tool_use_id"]))
      open = true
      block = of
    } else if (open) {
      lines.push(messageStop ?? "")
      open = false
    }
    if (kind === "toolResult") {
      const id = `toolu_${turnMark}_${++tools}`
      lines.push(withId(call, "id", id), withId(frame, "tool_use_id", id))
    } else lines.push(line)
  }
  if (open) lines.push(messageStop ?? "")
  const result = frameOf("tour.jsonl", ({ type }) => type === "result")
  // None of the corpus's messages is the one that it names.
  lines.push(JSON.stringify({ ...result, uuid: `result-${turnMark}`, user_message_uuids: [`message-${turnMark}`] }))
  return lines
}

/** The frame with another id in its content blocks. */
const withId = (frame: JsonObject, field: "id" | "tool_use_id", id: string): string => {
  const message = isObject(frame["message"]) ? frame["message"] : {}
  const content = Array.isArray(message["content"]) ? message["content"] : []
  return JSON.stringify({
    ...frame,
    message: {
      ...message,
      content: content.map((block: unknown) => isObject(block) ? { ...block, [field]: id } : block)
    }
  })
}

/** Writes a file of at least so many bytes. */
export const write = (path: string, format: Format, bytes: number): void => {
  const message = JSON.stringify({
    type: "user",
    uuid: `message-${turnMark}`,
    message: { role: "user", content: "go on" }
  })
  const lines = format === "stdout"
    ? turnLines()
    : [entry("host", message), ...turnLines().map((line) => entry("cli", line))]
  // Few lines have the number of their turn in them, and looking for it in every one would take longer than all else.
  const hasMark = lines.map((line) => line.includes(turnMark))
  const file = openSync(path, "w")
  try {
    let written = 0
    let t = 0
    for (let turn = 1; written < bytes; turn++) {
      const text = lines.map((line, i) => {
        const own = hasMark[i] === true ? line.replaceAll(turnMark, String(turn)) : line
        return format === "stdout" ? own : `{"t":${t++}${own}`
      })
      written += writeSync(file, Buffer.from(`${text.join("\n")}\n`))
    }
  } finally {
    closeSync(file)
  }
}

/** An entry of a recording, but for its time. */
const entry = (dir: "host" | "cli", line: string): string => JSON.stringify({ t: 0, dir, line }).slice(`{"t":0`.length)
