/** The host without a runtime: with `fake-claude` as its CLI, and by hand where time must pass. */
import * as TransportExit from "@claude-duplex/protocol/TransportExit"
import type { TurnResult } from "@claude-duplex/protocol/TurnResult"
import * as Script from "@claude-duplex/transport-mock/Script"
import type { AnyStep } from "@claude-duplex/transport-mock/ScriptStep"
import { afterEach, assert, describe, it, vi } from "@effect/vitest"
import { spawn } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import * as Host from "../src/codecOnly.js"
import { beginTurn, endTurn, interruptedTurn } from "../src/support/fakes.js"

const fakeClaude = fileURLToPath(new URL("../../packages/transport-mock/bin/fake-claude.mjs", import.meta.url))

const textOf = (outcome: TurnResult | Error) => outcome instanceof Error ? outcome.message : outcome.text

/** A host and a CLI that follows a script; the CLI's exit code is 0 if the host did what the script expects. */
const withScript = (steps: ReadonlyArray<AnyStep>, options: Partial<Host.Options> = {}) => {
  const folder = mkdtempSync(join(tmpdir(), "claude-duplex-"))
  const script = join(folder, "script.json")
  writeFileSync(script, JSON.stringify(steps))
  const child = spawn(process.execPath, [fakeClaude, "--script", script], { stdio: ["pipe", "pipe", "pipe"] })
  let said = ""
  let complaints = ""
  child.stderr.on("data", (data: Buffer) => {
    complaints += data.toString("utf8")
  })
  const host = Host.start({
    write: (line) => child.stdin.write(`${line}\n`),
    onText: (text) => {
      said += text
    },
    mayRun: () => Promise.resolve(true),
    turnTimeout: 1_000_000,
    onStuck: () => assert.fail("the CLI is stuck"),
    ...options
  })
  child.stdout.on("data", host.receive)
  const ended = new Promise<number | null>((resolve) =>
    child.on("close", (code) => {
      host.end(code === null ? TransportExit.signaled("SIGKILL") : TransportExit.exited(code))
      rmSync(folder, { recursive: true })
      resolve(code)
    })
  )
  return {
    host,
    said: () => said,
    /** Ends the CLI's input; fails if the host deviated from the script. */
    end: async () => {
      child.stdin.end()
      assert.strictEqual(await ended, 0, complaints)
    }
  }
}

const bash = { subtype: "can_use_tool", tool_name: "Bash", input: { command: "ls" } }

const ask = (id: string, request: object = bash) =>
  Script.replyUnchecked({ type: "control_request", request_id: id, request })

const answered = (id: string, response: object) =>
  Script.expect({ type: "control_response", response: { subtype: "success", request_id: id, response } })

const delta = (text: string) =>
  Script.reply({
    type: "stream_event",
    event: { type: "content_block_delta", index: 0, delta: { type: "text_delta", text } },
    parent_tool_use_id: null,
    session_id: "session",
    uuid: "delta"
  })

describe("a host on the codec, with fake-claude", () => {
  it("is complete in under 80 lines", () => {
    const lines = readFileSync(new URL("../src/codecOnly.ts", import.meta.url), "utf8").trimEnd().split("\n")
    assert.isBelow(lines.length, 80)
  })

  it("streams text, and returns results in order", async () => {
    const { end, host, said } = withScript([
      ...beginTurn,
      delta("one "),
      delta("piece"),
      endTurn("first"),
      ...beginTurn,
      endTurn("second")
    ])
    const outcomes = await Promise.all([host.send("a"), host.send("b")])
    assert.deepStrictEqual(outcomes.map(textOf), ["first", "second"])
    assert.strictEqual(said(), "one piece")
    await end()
  })

  it("allows and denies tools, also if deciding fails", async () => {
    const decisions = [() => true, () => false, () => {
      throw new Error("a bug")
    }]
    const denied = { behavior: "deny" }
    const { end, host } = withScript(
      [
        ...beginTurn,
        ask("p1"),
        answered("p1", { behavior: "allow", updatedInput: { command: "ls" } }),
        ask("p2"),
        answered("p2", denied),
        ask("p3"),
        answered("p3", denied),
        endTurn("done")
      ],
      { mayRun: async () => decisions.shift()?.() ?? false }
    )
    assert.strictEqual(textOf(await host.send("a")), "done")
    await end()
  })

  it("stops asking when the CLI withdraws a question, and answers nothing more", async () => {
    const { end, host } = withScript(
      [
        ...beginTurn,
        ask("p1"),
        Script.reply({ type: "control_cancel_request", request_id: "p1" }),
        ask("p2"),
        answered("p2", { behavior: "deny" }),
        endTurn("done")
      ],
      {
        mayRun: (_, withdrawn) =>
          // The first question is never answered; the second is asked after the first was withdrawn.
          ++questions === 1
            ? new Promise((resolve) => withdrawn.addEventListener("abort", () => resolve(true)))
            : Promise.resolve(false)
      }
    )
    let questions = 0
    assert.strictEqual(textOf(await host.send("a")), "done")
    await end()
  })

  it("refuses requests that it does not know: nothing stalls", async () => {
    const refused = (id: string) =>
      Script.expect({ type: "control_response", response: { subtype: "error", request_id: id } })
    const { end, host } = withScript([
      ...beginTurn,
      ask("h", { subtype: "hook_callback", callback_id: "hook_0", input: { hook_event_name: "Stop" } }),
      refused("h"),
      ask("x", { subtype: "hologram" }),
      refused("x"),
      endTurn("done")
    ])
    assert.strictEqual(textOf(await host.send("a")), "done")
    await end()
  })

  it("interrupts a turn that takes too long", async () => {
    const { end, host } = withScript([...beginTurn, ...interruptedTurn], { turnTimeout: 1 })
    const outcome = await host.send("a")
    assert.strictEqual(outcome instanceof Error ? outcome.message : outcome.outcome, "interrupted")
    await end()
  })

  it("returns an error when the CLI ends", async () => {
    const { host } = withScript([...beginTurn, Script.exit(3)])
    const outcomes = await Promise.all([host.send("a"), host.send("b")])
    for (const outcome of outcomes) assert.include(textOf(outcome), "code 3")
  })
})

describe("a host on the codec, in time", () => {
  afterEach(() => {
    vi.useRealTimers()
  })

  it("says that the CLI is stuck when an interrupt is not answered", () => {
    vi.useFakeTimers()
    const written: Array<string> = []
    const stuck: Array<Error> = []
    const host = Host.start({
      write: (line) => written.push(line),
      onText: () => {},
      mayRun: () => Promise.resolve(true),
      turnTimeout: 5_000,
      onStuck: (error) => stuck.push(error)
    })
    void host.send("a")
    const init = {
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
    }
    host.receive(new TextEncoder().encode(`${JSON.stringify(init)}\n`))
    vi.advanceTimersByTime(4_999)
    assert.strictEqual(written.length, 1)
    vi.advanceTimersByTime(1)
    assert.include(written[1], "interrupt")
    vi.advanceTimersByTime(9_999)
    assert.deepStrictEqual(stuck, [])
    vi.advanceTimersByTime(1)
    assert.include(stuck[0]?.message, "did not answer interrupt in time")
    assert.include(written[2], "control_cancel_request")
  })
})
