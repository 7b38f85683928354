/**
 * An MCP server that is a process of its own, as CLIs start them: a tool, a tool that asks the user something, a resource.
 * As little of MCP as that needs, in plain JavaScript, since it is run by whatever Node there is.
 */
import type { McpServerConfig } from "@claude-duplex/protocol/schema/McpServerConfig"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import type * as World from "./World.js"

const program = `
let asking
const say = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n")
const text = (text) => ({ content: [{ type: "text", text }] })
const tool = (name) => ({ name, description: name, inputSchema: { type: "object", properties: {} } })
const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {}, resources: {} },
    serverInfo: { name: "notes", version: "1.0.0" }
  }),
  ping: () => ({}),
  "tools/list": () => ({ tools: [tool("note"), tool("ask")] }),
  "resources/list": () => ({ resources: [{ uri: "notes://one", name: "one", mimeType: "text/plain" }] }),
  "resources/read": ({ uri }) => ({ contents: [{ uri, mimeType: "text/plain", text: "the first note" }] }),
  "tools/call": () => text("noted")
}
const receive = ({ id, method, params, result, error }) => {
  if (method === undefined) return say({ id: asking, result: text(JSON.stringify(result ?? error)) })
  if (id === undefined) return
  if (method === "tools/call" && params.name === "ask") {
    asking = id
    const requestedSchema = { type: "object", properties: { name: { type: "string" } }, required: ["name"] }
    return say({ id: "question", method: "elicitation/create", params: { message: "Who are you?", requestedSchema } })
  }
  const answer = answers[method]
  say(answer ? { id, result: answer(params) } : { id, error: { code: -32601, message: "No such method" } })
}
let rest = ""
process.stdin.on("data", (data) => {
  const lines = (rest + data).split("\\n")
  rest = lines.pop()
  for (const line of lines) if (line.trim()) receive(JSON.parse(line))
})
`

/** Puts the server into a world, and says how it is started. */
export const make = (world: World.World): McpServerConfig => {
  const path = join(world.home, "notes.mjs")
  writeFileSync(path, program)
  return { type: "stdio", command: "node", args: [path] }
}
