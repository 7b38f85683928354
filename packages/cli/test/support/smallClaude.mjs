#!/usr/bin/env node
// A CLI of one turn that asks its API as the real one does, and says what that said: enough for `doctor`. What it is like
// otherwise, SMALL_CLAUDE in its name says: this file is copied under another.
import { createInterface } from "node:readline"

const say = (frame) => process.stdout.write(`${JSON.stringify(frame)}\n`)
const session_id = "11111111-1111-4111-8111-111111111111"

if (process.argv.includes("--version")) {
  process.stdout.write(`${/claude-(\d+\.\d+\.\d+)/.exec(process.argv[1])?.[1] ?? "2.1.326"} (Claude Code)\n`)
  process.exit(0)
}

const ask = async () => {
  if (process.argv[1].includes("deaf")) return "I know it all."
  const response = await fetch(`${process.env.ANTHROPIC_BASE_URL}/v1/messages`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-api-key": process.env.ANTHROPIC_API_KEY },
    body: JSON.stringify({ model: "m", max_tokens: 10, messages: [{ role: "user", content: "Say a word." }] })
  })
  const { content } = await response.json()
  return content[0].text
}

if (process.argv[1].includes("dying")) {
  process.stderr.write("no licence\n")
  process.exit(1)
}

for await (const line of createInterface({ input: process.stdin })) {
  const { request, request_id } = JSON.parse(line)
  if (request?.subtype === "initialize") {
    say({ type: "control_response", response: { subtype: "success", request_id, response: {} } })
    continue
  }
  say({
    type: "system",
    subtype: "init",
    session_id,
    cwd: process.cwd(),
    tools: [],
    mcp_servers: [],
    model: "m",
    permissionMode: "default",
    apiKeySource: "none",
    slash_commands: [],
    output_style: "default",
    uuid: "22222222-2222-4222-8222-222222222222"
  })
  say({
    type: "result",
    subtype: "success",
    is_error: false,
    result: await ask(),
    num_turns: 1,
    duration_ms: 1,
    duration_api_ms: 1,
    total_cost_usd: 0,
    session_id,
    usage: { input_tokens: 1, output_tokens: 1 },
    modelUsage: {},
    permission_denials: [],
    uuid: "33333333-3333-4333-8333-333333333333"
  })
}
