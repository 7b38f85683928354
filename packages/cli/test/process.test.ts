/** The tool as a process, where a process is the point: pipes, stdin, a file that grows. */
import { assert, it } from "@effect/vitest"
import { spawn, spawnSync } from "node:child_process"
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const bin = fileURLToPath(new URL("../bin/claude-duplex.mjs", import.meta.url))
const tour = fileURLToPath(new URL("../../../recordings/2.1.326/tour.jsonl", import.meta.url))

it("a reader that goes away is no error", () => {
  // Enough that a pipe cannot hold it.
  const many = Array.from({ length: 40 }, () => readFileSync(tour, "utf8")).join("")
  const { status, stderr, stdout } = spawnSync(
    "bash",
    ["-c", `set -o pipefail; "${process.execPath}" "${bin}" inspect --json - | head -n 1`],
    { input: many, encoding: "utf8", maxBuffer: 1e9 }
  )
  assert.deepStrictEqual([status, stderr, stdout.split("\n").length], [0, "", 2])
})

it("stdin is a file like any other, and a finding an exit code", () => {
  const check = (input: string) => spawnSync(process.execPath, [bin, "check", "-"], { input, encoding: "utf8" })
  const clean = check(readFileSync(tour, "utf8"))
  assert.deepStrictEqual([clean.status, clean.stdout], [0, "✓ stdin  claude 2.1.326, recording, 293 lines, 3 turns\n"])
  assert.strictEqual(check(`{"type":"hologram"}\n`).status, 1)
})

it("a file is followed while it grows, until it is interrupted", async () => {
  const folder = mkdtempSync(join(tmpdir(), "claude-duplex-follow-"))
  const file = join(folder, "a.jsonl")
  const entry = (t: number, text: string) =>
    `${
      JSON.stringify({
        t,
        dir: "host",
        line: JSON.stringify({ type: "user", message: { role: "user", content: text } })
      })
    }\n`
  writeFileSync(file, entry(1, "first"))
  const child = spawn(process.execPath, [bin, "inspect", "--follow", file], { stdio: ["ignore", "pipe", "inherit"] })
  try {
    let shown = ""
    const until = (text: string) =>
      new Promise<void>((resolve) => {
        const look = () => {
          if (!shown.includes(text)) return
          child.stdout.off("data", look)
          resolve()
        }
        child.stdout.on("data", look)
        look()
      })
    child.stdout.on("data", (data: Buffer) => shown += data.toString())
    await until("first")
    // A line in two pieces: it is shown when it is whole.
    const second = entry(2, "second")
    appendFileSync(file, second.slice(0, 20))
    appendFileSync(file, second.slice(20))
    await until("second")
    const exit = new Promise<number | null>((resolve) => child.once("exit", resolve))
    child.kill("SIGINT")
    assert.strictEqual(await exit, 130)
  } finally {
    child.kill("SIGKILL")
    rmSync(folder, { recursive: true, force: true })
  }
})
