/** Conversations written by hand, and what is made of them. */
import * as Entries from "@claude-duplex/cli/Entries"

/** What was read, whatever way the bytes were cut. */
export const read = (text: string, cut = text.length || 1): ReadonlyArray<Entries.Entry | Entries.Damage> => {
  const bytes = new TextEncoder().encode(text)
  const reader = Entries.make()
  const all: Array<Entries.Entry | Entries.Damage> = []
  for (let start = 0; start < bytes.length; start += cut) all.push(...reader.push(bytes.subarray(start, start + cut)))
  return [...all, ...reader.end()]
}

/** A line of a recording: `→` of the host's, `←` of the CLI's. */
export type Line = readonly [t: number, dir: "→" | "←", frame: object | string]

export const recording = (lines: ReadonlyArray<Line>): string =>
  lines.map(([t, dir, frame]) => {
    const line = typeof frame === "string" ? frame : JSON.stringify(frame)
    return `${JSON.stringify({ t, dir: dir === "→" ? "host" : "cli", line })}\n`
  }).join("")

export const user = (uuid: string, content: unknown = "hi") => ({
  type: "user",
  uuid,
  message: { role: "user", content }
})

export const init = {
  type: "system",
  subtype: "init",
  session_id: "s",
  model: "m",
  permissionMode: "default",
  tools: [],
  cwd: "/",
  mcp_servers: [],
  apiKeySource: "none",
  slash_commands: [],
  output_style: "default",
  claude_code_version: "2.1.326"
}

export const assistant = (...content: ReadonlyArray<object>) => ({
  type: "assistant",
  session_id: "s",
  parent_tool_use_id: null,
  message: {
    id: "msg",
    type: "message",
    role: "assistant",
    model: "m",
    content,
    stop_reason: null,
    usage: { input_tokens: 1, output_tokens: 1 }
  }
})

export const toolResult = (id: string, isError = false) => ({
  type: "user",
  session_id: "s",
  parent_tool_use_id: null,
  message: { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: "ok", is_error: isError }] }
})

export const event = (inner: object) => ({
  type: "stream_event",
  session_id: "s",
  parent_tool_use_id: null,
  event: inner
})

export const delta = (index: number, text: string) =>
  event({ type: "content_block_delta", index, delta: { type: "text_delta", text } })

export const result = (uuid: string, more: object = {}) => ({
  type: "result",
  subtype: "success",
  session_id: "s",
  uuid: `result of ${uuid}`,
  user_message_uuids: [uuid],
  is_error: false,
  num_turns: 1,
  duration_ms: 7,
  duration_api_ms: 5,
  total_cost_usd: 0.25,
  usage: { input_tokens: 10, output_tokens: 20, cache_read_input_tokens: 3 },
  result: "done",
  ...more
})

export const request = (id: string, inner: object) => ({ type: "control_request", request_id: id, request: inner })

export const answer = (id: string, response: object = {}) => ({
  type: "control_response",
  response: { subtype: "success", request_id: id, response }
})
