// A CLI that says whatever it knows, wherever it can: noise on stdout, its environment and arguments on stderr, the prompt in
// a tool's input. It asks for a permission in its first turn, refuses a request, and ends with code 1 in its second.
import { createInterface } from "node:readline"

const say = (frame) => process.stdout.write(`${JSON.stringify(frame)}\n`)

const result = (uuid) => ({
  type: "result",
  subtype: "success",
  result: "done",
  is_error: false,
  num_turns: 1,
  duration_ms: 1,
  duration_api_ms: 1,
  total_cost_usd: 0,
  session_id: "s",
  user_message_uuids: [uuid]
})

process.stderr.write(`${JSON.stringify(process.env)}\n${process.argv.join("\n")}\n`)
for (const [name, value] of Object.entries(process.env)) {
  process.stderr.write(`${name} is ${value}, or ${value.split(" ")[1]}\n`)
}

let first
for await (const line of createInterface({ input: process.stdin })) {
  const frame = JSON.parse(line)
  if (frame.type === "control_request") {
    say({
      type: "control_response",
      response: frame.request.subtype === "initialize"
        ? { subtype: "success", request_id: frame.request_id, response: {} }
        : frame.request.subtype === "mcp_status"
        ? { subtype: "success", request_id: frame.request_id, response: { mcpServers: process.env } }
        : { subtype: "error", request_id: frame.request_id, error: "not today" }
    })
  } else if (frame.type === "user" && first === undefined) {
    first = frame
    say({
      type: "system",
      subtype: "init",
      session_id: "s",
      cwd: "/",
      tools: [],
      mcp_servers: [{ name: "db", status: "failed" }],
      model: "m",
      permissionMode: "default",
      apiKeySource: "none",
      claude_code_version: "2.1.326"
    })
    process.stdout.write(`noise: ${JSON.stringify(process.env)}\n`)
    say({ type: "hologram", said: frame.message })
    say({
      type: "control_request",
      request_id: "h",
      request: {
        subtype: "hook_callback",
        callback_id: "hook_0",
        input: {
          hook_event_name: "UserPromptSubmit",
          session_id: "s",
          transcript_path: "",
          cwd: "/",
          prompt: frame.message.content
        }
      }
    })
    say({
      type: "control_request",
      request_id: "p",
      request: { subtype: "can_use_tool", tool_name: "Bash", input: { command: `echo ${frame.message.content}` } }
    })
  } else if (frame.type === "control_response" && frame.response.request_id === "p") {
    say(result(first.uuid))
  } else if (frame.type === "user") {
    process.exit(1)
  }
}
