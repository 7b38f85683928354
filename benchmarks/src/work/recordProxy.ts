/** What a process prints, read by its host through the tool's `record` and through nothing. */
import { spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { Work } from "./Work.js"

const printer = [process.execPath, fileURLToPath(new URL("./printer.js", import.meta.url))] as const

const tool = fileURLToPath(new URL("../../../packages/cli/bin/claude-duplex.mjs", import.meta.url))

const line = (content: string): string => `${JSON.stringify({ type: "user", message: { role: "user", content } })}\n`

/** About 15 MB, at once: more than a CLI says in an hour. */
const flood = { prompt: line("deltas 50000"), times: 1 }

/** What a CLI says in a turn without a model, again and again. */
const tiny = { prompt: line("hello"), times: 200 }

type Talk = typeof flood

/** Turns of a process that stays, one after the other, by the bytes that come of them. */
const turns = (command: string, args: ReadonlyArray<string>, { prompt, times }: Talk): Work => {
  const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] })
  return () =>
    new Promise((resolve) => {
      let bytes = 0
      let left = times
      const count = (piece: Buffer): void => {
        bytes += piece.length
        // The result is the last line of a turn, and a short one; it may be cut anywhere, but for its end.
        if (piece.at(-1) !== 0x0a || !piece.subarray(-1_000).includes(`"type":"result"`)) return
        if (--left > 0) {
          child.stdin.write(prompt)
          return
        }
        child.stdout.off("data", count)
        resolve(bytes)
      }
      child.stdout.on("data", count)
      child.stdin.write(prompt)
    })
}

/** With nobody between. */
const bare = (talk: Talk): Work => turns(printer[0], printer.slice(1), talk)

/** Through the proxy, which records all of it. */
const proxied = (talk: Talk): Work => {
  const folder = mkdtempSync(join(tmpdir(), "claude-duplex-bench-"))
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }))
  return turns(process.execPath, [tool, "record", "--out", join(folder, "a.jsonl"), "--", ...printer], talk)
}

export const bareFlood = (): Work => bare(flood)
export const proxiedFlood = (): Work => proxied(flood)
export const bareTurns = (): Work => bare(tiny)
export const proxiedTurns = (): Work => proxied(tiny)
