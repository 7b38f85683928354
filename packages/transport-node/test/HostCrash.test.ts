/**
 * A host that ends in the middle of a turn, in each of the ways in which a host can end: a real host, with a session, and a
 * real CLI that would go on speaking for ever.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schedule } from "effect"
import { spawn } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { isAlive } from "./support/processes.js"

const hostProgram = fileURLToPath(new URL("hosts/bundle/turnHost.js", import.meta.url))

const support = (name: string) => fileURLToPath(new URL(`support/${name}`, import.meta.url))

/** Polls; the only way to see that a process is gone. Bounded, and in real time. */
const eventually = (isSo: () => boolean) =>
  Effect.suspend(() => isSo() ? Effect.void : Effect.fail("not yet")).pipe(
    Effect.retry(Schedule.spaced("10 millis")),
    Effect.timeout("1 minute")
  )

interface Ended {
  readonly code: number | null
  readonly signal: string | null
}

/** A host whose CLI is in a turn, and that CLI. */
const inATurn = (way: "wait" | "exit" | "throw" | "reject", cli: "patient" | "stubborn") =>
  Effect.gen(function*() {
    const folder = yield* Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "claude-duplex-crash-"))),
      (path) => Effect.sync(() => rmSync(path, { recursive: true }))
    )
    const file = join(folder, "ended")
    const host = spawn(process.execPath, [hostProgram, way, support("turning.mjs")], {
      stdio: ["ignore", "pipe", "ignore"],
      env: {
        ...process.env,
        ENDED_FILE: file,
        // One that ends by itself is given all the time that it takes on a busy machine.
        ...(cli === "stubborn" ? { STUBBORN: "1", INPUT_GRACE: "100 millis" } : { INPUT_GRACE: "1 minute" })
      }
    })
    const ended = new Promise<Ended>((resolve) => host.once("exit", (code, signal) => resolve({ code, signal })))
    const pid = yield* Effect.async<number, string>((resume) => {
      host.stdout.once("data", (data) => resume(Effect.succeed(Number(String(data)))))
      host.once("exit", () => resume(Effect.fail("The host ended before its turn began")))
    })
    // One that ends by itself may have done so by now.
    if (way === "wait") assert.isTrue(isAlive(pid))
    // What a failed test leaves behind.
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        host.kill("SIGKILL")
        if (isAlive(pid)) process.kill(pid, "SIGKILL")
      })
    )
    return {
      host,
      pid,
      ended: Effect.timeout(Effect.promise(() => ended), "1 minute"),
      /** What the CLI did last. */
      lastDeed: () => readFileSync(file, "utf8")
    }
  })

describe.runIf(process.platform === "linux")("a host that ends in the middle of a turn", () => {
  it.scopedLive("by SIGKILL: its CLI reads the end of its input, and ends by itself", () =>
    Effect.gen(function*() {
      const { ended, host, lastDeed, pid } = yield* inATurn("wait", "patient")
      host.kill("SIGKILL")
      assert.deepStrictEqual(yield* ended, { code: null, signal: "SIGKILL" })
      yield* eventually(() => !isAlive(pid))
      assert.strictEqual(lastDeed(), "the end of the input")
    }))

  for (
    const [name, way, signal, code] of [
      ["SIGTERM", "wait", "SIGTERM", null],
      ["SIGINT", "wait", "SIGINT", null],
      ["SIGHUP", "wait", "SIGHUP", null],
      ["process.exit", "exit", null, 3],
      ["an uncaught exception", "throw", null, 1],
      ["an unhandled rejection", "reject", null, 1]
    ] as const
  ) {
    it.scopedLive(`by ${name}: its CLI is ended, though it heeds nothing but SIGKILL`, () =>
      Effect.gen(function*() {
        const { ended, host, pid } = yield* inATurn(way, "stubborn")
        if (signal !== null) host.kill(signal)
        assert.deepStrictEqual(yield* ended, { code, signal })
        yield* eventually(() => !isAlive(pid))
      }))
  }

  it.scopedLive("by SIGTERM: its CLI reads the end of its input first, and may end by itself", () =>
    Effect.gen(function*() {
      const { ended, host, lastDeed, pid } = yield* inATurn("wait", "patient")
      host.kill("SIGTERM")
      assert.deepStrictEqual(yield* ended, { code: null, signal: "SIGTERM" })
      assert.isFalse(isAlive(pid))
      assert.strictEqual(lastDeed(), "the end of the input")
    }))
})
