// A CLI in a turn that does not end: it takes a message, says `init`, and then speaks, piece by piece, for ever. It
// writes how it ended to the file named in the environment; with STUBBORN=1 there, it ends for nothing but SIGKILL.
import { writeFileSync } from "node:fs"
import { createInterface } from "node:readline"

const file = process.env["ENDED_FILE"]
const isStubborn = process.env["STUBBORN"] === "1"

const end = (how) => () => {
  if (isStubborn) return
  writeFileSync(file, how)
  process.exit(0)
}
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(signal, end(signal))
// Who listened is gone; what is left to do is to read the input to its end.
process.stdout.on("error", () => undefined)

const say = (frame) => process.stdout.write(`${JSON.stringify(frame)}\n`)
createInterface({ input: process.stdin }).on("line", (line) => {
  const { request, request_id, type } = JSON.parse(line)
  if (request?.subtype === "initialize") {
    say({ type: "control_response", response: { subtype: "success", request_id, response: {} } })
  }
  if (type !== "user") return
  say({
    type: "system",
    subtype: "init",
    session_id: "s",
    cwd: "/",
    tools: [],
    mcp_servers: [],
    model: "m",
    permissionMode: "default",
    apiKeySource: "none",
    claude_code_version: "2.1.326"
  })
  setInterval(() =>
    say({
      type: "stream_event",
      event: { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "." } },
      parent_tool_use_id: null,
      uuid: crypto.randomUUID(),
      session_id: "s"
    }), 5)
}).on("close", end("the end of the input"))
// Keeps a stubborn one alive after that.
if (isStubborn) setInterval(() => undefined, 1_000)
