/**
 * The host of `codecOnly`, connected to a process. Here, that is `fake-claude`, which plays a recording; with `claude --print
 * --verbose --input-format stream-json --output-format stream-json` nothing else changes.
 */
import * as TransportExit from "@claude-duplex/protocol/TransportExit"
import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import * as Host from "./codecOnly.js"

const path = (file: string) => fileURLToPath(new URL(`../../${file}`, import.meta.url))
const fakeClaude = path("packages/transport-mock/bin/fake-claude.mjs")
const recording = path("recordings/2.1.326/tour.jsonl")

const child = spawn(process.execPath, [fakeClaude, "--recording", recording], { stdio: ["pipe", "pipe", "pipe"] })
let stderr = ""
child.stderr.on("data", (data) => stderr = (stderr + data).slice(-65_536))
let text = ""
const host = Host.start({
  write: (line) => child.stdin.write(`${line}\n`),
  onText: (piece) => {
    const isEnough = text.length < 1_000 && text.length + piece.length >= 1_000
    text += piece
    if (isEnough) host.interrupt()
  },
  mayRun: async ({ tool_name }) => {
    console.log(`? ${tool_name}: allowed`)
    return true
  },
  turnTimeout: 60_000,
  onStuck: () => child.kill()
})
child.stdout.on("data", host.receive)
child.on(
  "close",
  (code, signal) =>
    host.end(code === null ? TransportExit.signaled(signal ?? "SIGKILL", stderr) : TransportExit.exited(code, stderr))
)

for (const prompt of ["What is this?", "Write a file.", "Tell me all about pipes."]) {
  text = ""
  const outcome = await host.send(prompt)
  const end = outcome instanceof Error ? outcome.message : outcome.outcome
  console.log(`▶ ${prompt}\n◀ ${end}: ${text.slice(0, 60)}…`)
}
child.stdin.end()
