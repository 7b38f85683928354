/**
 * What stands in for `claude` in the examples, so that they run anywhere: a recording, or a script. In a program of yours
 * `NodeConnector.layer(…)` takes its place, and nothing else changes.
 */
import * as MockConnector from "@claude-duplex/transport-mock/MockConnector"
import * as Recording from "@claude-duplex/transport-mock/Recording"
import * as Replay from "@claude-duplex/transport-mock/Replay"
import * as Script from "@claude-duplex/transport-mock/Script"
import type { AnyStep } from "@claude-duplex/transport-mock/ScriptStep"
import * as NodeConnector from "@claude-duplex/transport-node/NodeConnector"
import { Effect, Either } from "effect"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

/** One of the recorded conversations with 2.1.326. */
export const recording = (name: string): Recording.Recording => {
  const file = new URL(`../../../recordings/2.1.326/${name}.jsonl`, import.meta.url)
  return Either.getOrThrowWith(Recording.parse(readFileSync(file, "utf8")), (error) => error)
}

/** A CLI that says what was recorded. */
export const recorded = (name: string) => MockConnector.layer(Replay.behaviour(recording(name)))

/** A CLI that answers these requests as one did, in the order in which they were recorded, and nothing else. */
export const recordedRequests = (...subtypes: ReadonlyArray<string>) => {
  const { entries } = recording("controls")
  const ids = entries.flatMap(({ line }) => {
    const { request, request_id: id } = JSON.parse(line)
    return subtypes.includes(request?.subtype) ? [`"${id}"`] : []
  })
  const theirs = entries.filter(({ line }) => ids.some((id) => line.includes(id)))
  return MockConnector.layer(Replay.behaviour({ entries: theirs }))
}

/** A CLI that follows a script. */
export const scripted = (...steps: ReadonlyArray<AnyStep>) =>
  MockConnector.layer(Script.behaviour(Script.make(...steps)))

/** The same as a process of its own: a `fake-claude`, which reads the script from a file. */
export const scriptedProcess = (...steps: ReadonlyArray<AnyStep>) =>
  Effect.gen(function*() {
    const folder = yield* Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "claude-duplex-"))),
      (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
    )
    const script = join(folder, "script.json")
    writeFileSync(script, JSON.stringify(steps))
    return yield* NodeConnector.fromCommand({
      command: process.execPath,
      args: [fakeClaude, "--script", script],
      env: {}
    })
  })

const fakeClaude = fileURLToPath(new URL("../../../packages/transport-mock/bin/fake-claude.mjs", import.meta.url))

/** Waits for a message, and begins its turn. */
export const beginTurn: ReadonlyArray<AnyStep> = [
  Script.expect({ type: "user" }, { label: "message" }),
  Script.reply({
    type: "system",
    subtype: "init",
    session_id: "session",
    cwd: "/home/dev/project",
    tools: ["Bash", "Read"],
    mcp_servers: [],
    model: "claude-opus-5-5",
    permissionMode: "default",
    apiKeySource: "none",
    claude_code_version: "2.1.326"
  })
]

/** Ends the turn. */
export const endTurn = (text: string, structuredOutput: unknown = null): AnyStep =>
  Script.reply({
    type: "result",
    subtype: "success",
    result: text,
    structured_output: structuredOutput,
    is_error: false,
    num_turns: 1,
    duration_ms: 1,
    duration_api_ms: 1,
    total_cost_usd: 0,
    session_id: "session",
    user_message_uuids: [Script.received("uuid", "message")]
  })

/** Waits until the turn is interrupted, and ends it as the CLI does then. */
export const interruptedTurn: ReadonlyArray<AnyStep> = [
  Script.expect({ type: "control_request", request: { subtype: "interrupt" } }),
  Script.reply({
    type: "control_response",
    response: { subtype: "success", request_id: Script.received("request_id"), response: { still_queued: [] } }
  }),
  Script.reply({
    type: "result",
    subtype: "error_during_execution",
    terminal_reason: "aborted_streaming",
    is_error: true,
    num_turns: 1,
    duration_ms: 1,
    duration_api_ms: 1,
    total_cost_usd: 0,
    session_id: "session",
    user_message_uuids: [Script.received("uuid", "message")]
  })
]
