/** Scripts for `fake-claude`, in their JSON form: turns of a CLI that a person talks to. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { folder } from "./tool.js"

export type Step = { readonly [verb: string]: unknown }

const session_id = "11111111-1111-4111-8111-111111111111"
let uuids = 0
const uuid = () => `22222222-2222-4222-8222-${String(uuids++).padStart(12, "0")}`

/** Waits for a message, and begins its turn. */
export const turn = (content?: string): ReadonlyArray<Step> => [
  { expect: { type: "user", ...(content === undefined ? {} : { message: { content } }) } },
  {
    reply: {
      type: "system",
      subtype: "init",
      session_id,
      cwd: "/project",
      tools: ["Bash"],
      mcp_servers: [],
      model: "model",
      permissionMode: "default",
      apiKeySource: "none",
      claude_code_version: "2.1.326",
      slash_commands: [],
      output_style: "default",
      uuid: uuid()
    }
  }
]

/** A piece of text. */
export const text = (piece: string): Step => ({
  reply: {
    type: "stream_event",
    event: { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: piece } },
    parent_tool_use_id: null,
    session_id,
    uuid: uuid()
  }
})

let questions = 0

/** A question, and an answer that is expected. */
export const question = (
  input: object,
  answer: object,
  suggestions: ReadonlyArray<object> = []
): ReadonlyArray<Step> => {
  const request_id = `question-${questions++}`
  const request = { subtype: "can_use_tool", tool_name: "Bash", input, permission_suggestions: suggestions }
  return [
    { reply: { type: "control_request", request_id, request } },
    { expect: { type: "control_response", response: { request_id, response: answer } } }
  ]
}

/** Waits for an interrupt, and ends the turn by it. */
export const interrupted: ReadonlyArray<Step> = [
  { expect: { type: "control_request", request: { subtype: "interrupt" } } },
  {
    reply: {
      type: "control_response",
      response: { subtype: "success", request_id: { $received: "request_id" }, response: {} }
    }
  }
]

/** The end of a turn. */
export const result = (more: object = {}): Step => ({
  reply: {
    type: "result",
    subtype: "success",
    is_error: false,
    result: "done",
    num_turns: 1,
    duration_ms: 1,
    duration_api_ms: 1,
    total_cost_usd: 0.0123,
    session_id,
    usage: { input_tokens: 1, output_tokens: 1 },
    modelUsage: {},
    permission_denials: [],
    uuid: uuid(),
    ...more
  }
})

export const aborted = result({
  subtype: "error_during_execution",
  is_error: true,
  terminal_reason: "aborted_streaming"
})

/** Tells how full the context is, whenever it is asked. */
export const context: Step = {
  respond: { type: "control_request", request: { subtype: "get_context_usage" } },
  with: [{
    reply: {
      type: "control_response",
      response: {
        subtype: "success",
        request_id: { $received: "request_id" },
        response: {
          categories: [],
          totalTokens: 24_000,
          maxTokens: 200_000,
          rawMaxTokens: 200_000,
          percentage: 12,
          gridRows: [],
          model: "model",
          memoryFiles: [],
          mcpTools: [],
          agents: [],
          isAutoCompactEnabled: true,
          apiUsage: null
        }
      }
    }
  }]
}

/** Writes a script to a file of its own; its path. */
export const write = (...steps: ReadonlyArray<Step | ReadonlyArray<Step>>): string => {
  const file = join(folder(), "script.json")
  writeFileSync(file, JSON.stringify(steps.flat()))
  return file
}
