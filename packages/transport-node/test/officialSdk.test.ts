/**
 * Somebody else's host against our fake: the official SDK's `query()` drives `fake-claude` through recorded conversations.
 * What it needs is what the protocol needs.
 */
import type { HookCallback, SDKMessage, SDKUserMessage } from "@anthropic-ai/claude-agent-sdk"
import { createSdkMcpServer, query, tool } from "@anthropic-ai/claude-agent-sdk"
import { assert, describe, it } from "@effect/vitest"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { z } from "zod"
import { fakeClaude } from "./support/fakeClaude.js"

const recording = (name: string) => fileURLToPath(new URL(`../../../recordings/${name}.jsonl`, import.meta.url))

const message = (content: string): SDKUserMessage => ({
  type: "user",
  message: { role: "user", content },
  parent_tool_use_id: null
})

/** A host on the SDK, with a home of its own: nothing of the person who runs the tests is read. */
const drive = async (
  name: string,
  prompts: ReadonlyArray<string>,
  options: Parameters<typeof query>[0]["options"],
  meanwhile: (conversation: ReturnType<typeof query>) => Promise<unknown> = async () => undefined
) => {
  const home = mkdtempSync(join(tmpdir(), "claude-duplex-sdk-"))
  const results: Array<string> = []
  let next: (() => void) | undefined
  const input = async function*() {
    for (const [i, prompt] of prompts.entries()) {
      yield message(prompt)
      // The next one when this one has its result: one turn after the other, as a person would.
      await new Promise<void>((resolve) => results.length > i ? resolve() : next = resolve)
    }
  }
  const conversation = query({
    prompt: input(),
    options: {
      pathToClaudeCodeExecutable: fakeClaude,
      extraArgs: { recording: recording(name), lenient: null },
      env: { PATH: process.env["PATH"], HOME: home },
      cwd: home,
      settingSources: [],
      ...options
    }
  })
  const seen: Array<SDKMessage> = []
  try {
    const side = meanwhile(conversation)
    for await (const received of conversation) {
      seen.push(received)
      if (received.type === "result") {
        results.push(received.subtype === "success" ? received.result : received.subtype)
        next?.()
        if (results.length === prompts.length) conversation.close()
      }
    }
    await side
  } finally {
    rmSync(home, { recursive: true })
  }
  return { results, seen }
}

const calculator = (onAdd: (pair: readonly [number, number]) => void) =>
  createSdkMcpServer({
    name: "calc",
    version: "1.0.0",
    tools: [
      tool("add", "add", { a: z.number(), b: z.number() }, async ({ a, b }) => {
        onAdd([a, b])
        return { content: [{ type: "text", text: String(a + b) }] }
      })
    ]
  })

describe("the official SDK drives fake-claude", () => {
  it("through several turns", async () => {
    const { results, seen } = await drive("2.1.326/plain", ["hello", "second turn"], {})
    assert.deepStrictEqual(results, ["echo: hello", "echo: second turn"])
    assert.deepStrictEqual(seen.map(({ type }) => type), [
      "system",
      "assistant",
      "result",
      "system",
      "assistant",
      "result"
    ])
  })

  it("through several turns with a permission callback, hooks and a tool that lives in the host", async () => {
    const events: Array<string> = []
    const hook: HookCallback = async (hookInput) => {
      events.push(hookInput.hook_event_name)
      return {}
    }
    const { results } = await drive("2.1.326/multi-turn", ["add two numbers", "make a file", "say goodbye"], {
      mcpServers: { calc: calculator(([a, b]) => events.push(`add ${a} ${b}`)) },
      canUseTool: async (name, toolInput) => {
        events.push(`may ${name}`)
        return { behavior: "allow", updatedInput: toolInput }
      },
      hooks: {
        PreToolUse: [{ hooks: [hook] }],
        PostToolUse: [{ hooks: [hook] }],
        UserPromptSubmit: [{ hooks: [hook] }],
        Stop: [{ hooks: [hook] }]
      }
    })
    assert.deepStrictEqual(results, ["tool done: 42", "tool done: made", "echo: goodbye"])
    assert.deepStrictEqual(
      events.join(" "),
      "UserPromptSubmit PreToolUse may mcp__calc__add add 2 40 PostToolUse Stop "
        + "UserPromptSubmit PreToolUse may Bash PostToolUse Stop "
        + "UserPromptSubmit Stop"
    )
  })

  it("with a permission callback", async () => {
    const asked: Array<string> = []
    const { results } = await drive("2.1.326/permission-allow", [recordedPrompt], {
      canUseTool: async (name, toolInput) => {
        asked.push(name)
        return { behavior: "allow", updatedInput: toolInput }
      }
    })
    assert.deepStrictEqual(asked, ["Bash"])
    assert.include(results[0], "tool done")
  })

  it("with hooks", async () => {
    const called: Array<string> = []
    const hook: HookCallback = async (hookInput) => {
      called.push(hookInput.hook_event_name)
      return {}
    }
    const { results } = await drive("2.1.326/initialize-hooks", [recordedPrompt], {
      hooks: {
        PreToolUse: [{ matcher: "Bash", hooks: [hook] }],
        PostToolUse: [{ hooks: [hook] }],
        UserPromptSubmit: [{ hooks: [hook] }],
        Stop: [{ hooks: [hook] }],
        SessionStart: [{ hooks: [hook] }]
      }
    })
    assert.deepStrictEqual(called, ["UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop"])
    assert.deepStrictEqual(results, [`tool done: "hooked"`])
  })

  it("with a tool that lives in the host", async () => {
    const added: Array<readonly [number, number]> = []
    const { results } = await drive(
      "2.1.326/sdk-mcp",
      [recordedPrompt],
      {
        mcpServers: { calc: calculator((pair) => added.push(pair)) },
        canUseTool: async (_, toolInput) => ({ behavior: "allow", updatedInput: toolInput })
      },
      // Recorded too: the host asked how its server was before it said anything.
      (conversation) => conversation.mcpServerStatus()
    )
    assert.deepStrictEqual(added, [[2, 40]])
    assert.include(results[0], "42")
  })
})

/** What was said there does not matter to a replay that compares kinds. */
const recordedPrompt = "please"
