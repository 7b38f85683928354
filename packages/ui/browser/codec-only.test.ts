/** The host of `examples/src/codecOnly.ts`, bundled for browsers, in a page of a real one. Its CLI is a function of the page. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { build } from "esbuild"
import { fileURLToPath } from "node:url"
import type * as Host from "../../../examples/src/codecOnly.js"
import * as Browser from "./Browser.js"

const root = fileURLToPath(new URL("../../../", import.meta.url))

/** The host as a script that sets `CodecOnly`. */
const bundled = Effect.promise(async () => {
  const { outputFiles } = await build({
    entryPoints: [`${root}examples/src/codecOnly.ts`],
    alias: { "@claude-duplex/protocol": `${root}packages/protocol/src` },
    bundle: true,
    write: false,
    format: "iife",
    globalName: "CodecOnly",
    platform: "browser"
  })
  return outputFiles[0]?.text ?? ""
})

/** Runs in the page: a turn with text and a permission, a turn that takes too long, and one whose connection is lost. */
const converse = async () => {
  // What the bundle has defined.
  const { CodecOnly } = globalThis as unknown as { CodecOnly: typeof Host }
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
  const result = {
    type: "result",
    subtype: "success",
    result: "done",
    is_error: false,
    num_turns: 1,
    duration_ms: 1,
    duration_api_ms: 1,
    total_cost_usd: 0,
    session_id: "s"
  }
  const aborted = { subtype: "error_during_execution", is_error: true, terminal_reason: "aborted_streaming" }
  const delta = {
    type: "stream_event",
    event: { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "ünïcode" } },
    parent_tool_use_id: null,
    session_id: "s",
    uuid: "d"
  }
  const question = {
    type: "control_request",
    request_id: "p",
    request: { subtype: "can_use_tool", tool_name: "Bash", input: {} }
  }
  const log: Array<string> = []

  /** A host and a CLI that asks for a permission, if it is told to `go`, and otherwise waits to be interrupted. */
  const start = (turnTimeout: number) => {
    const say = (...frames: ReadonlyArray<object>) =>
      setTimeout(() => {
        for (const frame of frames) host.receive(new TextEncoder().encode(`${JSON.stringify(frame)}\n`))
      })
    const hear = (line: string) => {
      const { message, request, request_id, response, type } = JSON.parse(line)
      log.push(`host: ${type} ${message?.content ?? request?.subtype ?? response?.subtype}`)
      if (type === "user" && message.content === "go") say(init, delta, question)
      else if (type === "user") say(init)
      else if (type === "control_response") say(result)
      else {
        const acknowledged = { subtype: "success", request_id, response: { still_queued: [] } }
        say({ type: "control_response", response: acknowledged }, { ...result, ...aborted })
      }
    }
    const host = CodecOnly.start({
      write: hear,
      onText: (text) => log.push(`text: ${text}`),
      mayRun: async ({ tool_name }) => log.push(`asked: ${tool_name}`) > 0,
      turnTimeout,
      onStuck: (error) => log.push(error.message)
    })
    const send = async (prompt: string) => {
      const outcome = await host.send(prompt)
      log.push(outcome instanceof Error ? outcome.message : outcome.outcome)
    }
    return { host, send }
  }

  const { host, send } = start(600_000)
  await send("go")
  const lost = send("wait")
  host.end({ _tag: "ConnectionLost", cause: "closed", stderr: "" })
  await lost
  await start(1).send("take too long")
  return log
}

it.scopedLive("a host on the codec alone runs in a page", () =>
  Effect.gen(function*() {
    const script = yield* bundled
    const { complaints, page } = yield* Browser.visit(yield* Browser.launch, "about:blank")
    yield* Effect.promise(async () => {
      // A page of its own origin over HTTPS: others have no `crypto.randomUUID`. It is served from here, not from the network.
      await page.route("https://host.test/**", (route) => route.fulfill({ contentType: "text/html", body: "" }))
      await page.goto("https://host.test/")
      await page.addScriptTag({ content: script })
      assert.deepStrictEqual(await page.evaluate(converse), [
        "host: user go",
        "text: ünïcode",
        "asked: Bash",
        "host: control_response success",
        "success",
        "host: user wait",
        "The session is over: the connection to the CLI was lost: closed.",
        "host: user take too long",
        "host: control_request interrupt",
        "interrupted"
      ])
    })
    assert.deepStrictEqual(complaints, [])
  }))
