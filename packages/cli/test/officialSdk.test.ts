/**
 * Somebody else's host, unchanged, with its path to `claude` pointing at the proxy: the official SDK's `query()`. What was
 * recorded then plays the same conversation again.
 */
import { query, type SDKUserMessage } from "@anthropic-ai/claude-agent-sdk"
import { assert, it } from "@effect/vitest"
import { readdirSync } from "node:fs"
import { join } from "node:path"
import * as Terminal from "./support/terminal.js"
import * as Tool from "./support/tool.js"

/** A host of two turns, with a home of its own: nothing of the person who runs the tests is read. */
const converse = async (executable: string, recording: string): Promise<ReadonlyArray<string>> => {
  const home = Tool.folder()
  const results: Array<string> = []
  let next: (() => void) | undefined
  const prompts = async function*(): AsyncGenerator<SDKUserMessage> {
    for (const [i, content] of ["hello", "second turn"].entries()) {
      yield { type: "user", message: { role: "user", content }, parent_tool_use_id: null }
      // The next one when this one has its result: one turn after the other, as a person would.
      await new Promise<void>((resolve) => results.length > i ? resolve() : next = resolve)
    }
  }
  const conversation = query({
    prompt: prompts(),
    options: {
      pathToClaudeCodeExecutable: executable,
      extraArgs: { recording, lenient: null },
      env: { PATH: process.env["PATH"], HOME: home },
      cwd: home,
      settingSources: []
    }
  })
  for await (const received of conversation) {
    if (received.type !== "result") continue
    results.push(received.subtype === "success" ? received.result : received.subtype)
    next?.()
    if (results.length === 2) conversation.close()
  }
  return results
}

it("the official SDK talks through the proxy; the recording passes check, and plays the same again", async () => {
  const folder = Tool.folder()
  const shim = join(folder, "claude")
  await Tool.run(["record", "--out", `${folder}/out/`, "--shim", shim, "--", Terminal.fakeClaude])
  const expected = ["echo: hello", "echo: second turn"]
  assert.deepStrictEqual(await converse(shim, Terminal.recording("2.1.326/plain")), expected)

  const files = readdirSync(join(folder, "out"))
  assert.strictEqual(files.length, 1)
  const recorded = join(folder, "out", files[0] ?? "")
  const checked = await Tool.run(["check", recorded])
  assert.strictEqual(checked.code, 0, checked.stdout.toString())
  assert.deepStrictEqual(await converse(Terminal.fakeClaude, recorded), expected)
})
