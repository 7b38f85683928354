/** The command-line tool: it starts, and its page is found in the package that has it. */
import { execFileSync, spawn } from "node:child_process"

const tool = "node_modules/@claude-duplex/cli/bin/claude-duplex.mjs"

const version = execFileSync(process.execPath, [tool, "--version"], { encoding: "utf8" })
if (!/^\d+\.\d+\.\d+\n$/.test(version)) throw new Error(`Unexpected version: ${version}`)

const server = spawn(process.execPath, [tool, "ui", "plain.jsonl"], { stdio: ["ignore", "pipe", "inherit"] })
const address = await new Promise<string>((resolve, reject) => {
  let output = ""
  server.stdout.on("data", (data) => {
    output += String(data)
    const url = /http:\S+/.exec(output)?.[0]
    if (url !== undefined) resolve(url)
  })
  server.once("exit", (code) => reject(new Error(`The page ended with code ${String(code)}`)))
})
const page = await (await fetch(address)).text()
server.kill()
if (!page.includes("<title>")) throw new Error(`Unexpected page: ${page}`)
