/** `ui` as a process. What the page does is tried in `packages/ui/browser`. */
import { assert, describe, it } from "@effect/vitest"
import { fileURLToPath } from "node:url"
import { tool } from "./support/terminal.js"
import * as Tool from "./support/tool.js"

const recording = fileURLToPath(new URL("../../../recordings/2.1.326/plain.jsonl", import.meta.url))

/** What an address answers. */
const page = async (url: string) => {
  const response = await fetch(url)
  return { status: response.status, text: await response.text() }
}

describe("ui", () => {
  it("prints the address of the page, and ends with Ctrl-C", async () => {
    const child = Tool.start(process.execPath, [tool, "ui", recording])
    const url = await new Promise<string>((resolve) =>
      child.stdout.once("data", (bytes: Buffer) => resolve(bytes.toString().trim()))
    )
    assert.match(url, /^http:\/\/127\.0\.0\.1:\d+\/[\w-]{43}\/$/)
    const { status, text } = await page(url)
    assert.deepStrictEqual([status, text.includes("<title>claude-duplex</title>")], [200, true])
    assert.strictEqual((await page(new URL("/", url).href)).status, 403)
    const ended = Tool.ended(child)
    child.kill("SIGINT")
    assert.strictEqual((await ended).code, 130)
  })

  it("says at once what cannot be read", async () => {
    const { code, stderr } = await Tool.run(["ui", recording, "/nowhere/a.jsonl"])
    assert.deepStrictEqual([code, stderr], [
      2,
      "claude-duplex: /nowhere/a.jsonl: there is no such file that can be read.\n"
    ])
  })
})
