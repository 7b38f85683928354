/**
 * A process that speaks the protocol as a CLI does, and costs as little as it can: for benchmarks of hosts. What it does is
 * what the prompt says: `deltas N` prints so many deltas and a result, anything else a short answer.
 *
 * When all of a turn is written, it says so: as a file, if `PRINTER_DONE` names one. A host that does not read cannot tell.
 */
import { writeFileSync } from "node:fs"
import { createInterface } from "node:readline"
import * as Corpus from "../corpus.js"
import { isObject } from "../json.js"

const sessionId = "11111111-1111-4111-8111-111111111111"

const line = (frame: object): string => `${JSON.stringify(frame)}\n`

const write = async (text: string | Buffer): Promise<void> => {
  if (!process.stdout.write(text)) await new Promise((resolve) => process.stdout.once("drain", resolve))
}

const init = line({
  type: "system",
  subtype: "init",
  session_id: sessionId,
  cwd: "/",
  tools: [],
  mcp_servers: [],
  model: "model",
  permissionMode: "default",
  apiKeySource: "none",
  claude_code_version: "2.1.326",
  slash_commands: [],
  output_style: "default",
  uuid: "22222222-2222-4222-8222-222222222222"
})

let results = 0
const result = (): string =>
  line({
    type: "result",
    subtype: "success",
    is_error: false,
    result: "done",
    num_turns: 1,
    duration_ms: 1,
    duration_api_ms: 1,
    total_cost_usd: 0,
    session_id: sessionId,
    usage: { input_tokens: 1, output_tokens: 1 },
    modelUsage: {},
    permission_denials: [],
    uuid: `33333333-3333-4333-8333-${String(results++).padStart(12, "0")}`
  })

const answer = line({
  type: "assistant",
  message: {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "model",
    content: [{ type: "text", text: "done" }],
    stop_reason: "end_turn",
    stop_sequence: null,
    usage: { input_tokens: 1, output_tokens: 1 }
  },
  parent_tool_use_id: null,
  session_id: sessionId,
  uuid: "44444444-4444-4444-8444-444444444444"
})

let pages: ReadonlyArray<string> | undefined

/** Deltas, a few thousand of them, again and again: the process that is measured is the other one. */
const deltas = async (count: number): Promise<void> => {
  pages ??= Corpus.deltas({ lines: 4_000 }).map((text) => `${text}\n`)
  const whole = Buffer.from(pages.join(""))
  let left = count
  for (; left >= pages.length; left -= pages.length) await write(whole)
  await write(pages.slice(0, left).join(""))
}

const onPrompt = async (prompt: string): Promise<void> => {
  const [verb, count] = prompt.split(" ")
  await write(init)
  if (verb === "deltas") await deltas(Number(count))
  else await write(answer)
  await write(result())
  const { PRINTER_DONE } = process.env
  if (PRINTER_DONE !== undefined) writeFileSync(PRINTER_DONE, "")
}

for await (const said of createInterface({ input: process.stdin })) {
  const frame: unknown = JSON.parse(said)
  if (!isObject(frame)) continue
  const { message, request_id } = frame
  if (frame["type"] === "control_request") {
    const response = { commands: [], models: [], agents: [], account: {} }
    await write(line({ type: "control_response", response: { subtype: "success", request_id, response } }))
  }
  if (frame["type"] === "user" && isObject(message)) await onPrompt(textOf(message["content"]))
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content
  const [block] = Array.isArray(content) ? content as ReadonlyArray<unknown> : []
  return isObject(block) && typeof block["text"] === "string" ? block["text"] : ""
}
