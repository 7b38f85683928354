/** The tool without a terminal: started, written to, and waited for. */
import { afterAll } from "@effect/vitest"
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { tool } from "./terminal.js"

/** How it ended, and what it wrote. */
export interface Ended {
  readonly code: number | null
  readonly signal: string | null
  readonly stdout: Buffer
  readonly stderr: string
}

const folders: Array<string> = []
afterAll(() => {
  for (const path of folders) rmSync(path, { recursive: true, force: true })
})

/** A folder of one's own, until the tests of the file are over. */
export const folder = (): string => {
  const path = mkdtempSync(join(tmpdir(), "claude-duplex-cli-"))
  folders.push(path)
  return path
}

/** Starts a program, with as little of an environment as it needs. */
export const start = (
  command: string,
  args: ReadonlyArray<string>,
  env: { readonly [name: string]: string } = {}
): ChildProcessWithoutNullStreams =>
  spawn(command, args, { env: { PATH: process.env["PATH"], HOME: "/nowhere", ...env }, timeout: 120_000 })

/** Waits for the end of a program. */
export const ended = (child: ChildProcessWithoutNullStreams): Promise<Ended> =>
  new Promise((resolve) => {
    const stdout: Array<Buffer> = []
    let stderr = ""
    child.stdout.on("data", (bytes: Buffer) => stdout.push(bytes))
    child.stderr.on("data", (bytes: Buffer) => stderr += bytes.toString("utf8"))
    child.on("close", (code, signal) => resolve({ code, signal, stdout: Buffer.concat(stdout), stderr }))
  })

/** Runs the tool with this input. */
export const run = (
  args: ReadonlyArray<string>,
  input: string | Uint8Array = "",
  env?: { readonly [name: string]: string }
): Promise<Ended> => {
  const child = start(process.execPath, [tool, ...args], env)
  child.stdin.on("error", () => undefined)
  child.stdin.end(input)
  return ended(child)
}
