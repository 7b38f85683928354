/** What must not get in: other pages, visitors without the token, and what tools say. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Browser from "./Browser.js"

/** Another program's page on this machine. */
const neighbour = Effect.acquireRelease(
  Effect.async<{ readonly url: string; readonly close: () => void }>((resume) => {
    const server = createServer((_, response) => {
      response.setHeader("content-type", "text/html")
      response.end("<p>hello</p>")
    })
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      const port = typeof address === "object" ? address?.port : 0
      resume(Effect.succeed({ url: `http://127.0.0.1:${port}/`, close: () => server.close() }))
    })
  }),
  ({ close }) => Effect.sync(close)
)

const hostile = `<img src=x onerror="window.hacked=1"><script>window.hacked=1</script><svg onload="window.hacked=1">` +
  `<a href="javascript:window.hacked=1">click</a><iframe srcdoc="<script>parent.hacked=1</script>"></iframe>`

/** A recording in which everybody says the same hostile thing. */
const hostileRecording = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "claude-duplex-ui-"))),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
  ),
  (folder) => {
    const ids = { session_id: "s", uuid: "u", parent_tool_use_id: null }
    const message = {
      id: "m",
      type: "message",
      role: "assistant",
      model: hostile,
      stop_reason: null,
      stop_sequence: null
    }
    const usage = { input_tokens: 1, output_tokens: 1 }
    const frames = [
      ["host", { type: "user", message: { role: "user", content: hostile } }],
      ["cli", {
        type: "assistant",
        message: {
          ...message,
          usage,
          content: [
            { type: "thinking", thinking: hostile, signature: "" },
            { type: "text", text: hostile },
            { type: "tool_use", id: "t", name: hostile, input: { [hostile]: hostile } }
          ]
        },
        ...ids
      }],
      ["cli", {
        type: "user",
        message: { role: "user", content: [{ type: "tool_result", tool_use_id: "t", content: hostile }] },
        ...ids
      }],
      ["cli", { type: hostile, text: hostile }]
    ] as const
    const lines = frames.map(([dir, frame], t) => JSON.stringify({ t, dir, line: JSON.stringify(frame) }))
    const path = join(folder, `x.jsonl`)
    writeFileSync(path, [...lines, JSON.stringify({ t: 9, dir: "cli", line: hostile }), ""].join("\n"))
    return path
  }
)

describe("the page keeps out", () => {
  it.scopedLive("visitors without the token", () =>
    Effect.gen(function*() {
      const { port, url } = yield* Browser.serve({ recordings: [Browser.recording("plain")] })
      const browser = yield* Browser.launch
      for (const address of [`http://127.0.0.1:${port}/`, url.replace(/\/[^/]+\/$/, "/wrong/")]) {
        const { page } = yield* Browser.visit(browser, address)
        const text = yield* Effect.promise(() => page.locator("body").innerText())
        assert.include(text, "for whoever started it")
      }
    }))

  it.scopedLive("pages of another origin, though they know the address", () =>
    Effect.gen(function*() {
      const { url } = yield* Browser.serve({ recordings: [Browser.recording("plain")] })
      const { url: elsewhere } = yield* neighbour
      const { page } = yield* Browser.visit(yield* Browser.launch, elsewhere)
      const outcome = yield* Effect.promise(() =>
        page.evaluate(async (address) => {
          const fetched = await fetch(address).then((response) => `status ${response.status}`, () => "blocked")
          const opaque = await fetch(address, { mode: "no-cors" }).then(({ type }) => type, () => "blocked")
          const socket = await new Promise((resolve) => {
            const socket = new WebSocket(`${address.replace("http", "ws")}rpc`)
            socket.addEventListener("open", () => resolve("open"))
            socket.addEventListener("error", () => resolve("blocked"))
          })
          const framed = await new Promise((resolve) => {
            const frame = document.createElement("iframe")
            frame.src = address
            frame.addEventListener("load", () => {
              try {
                resolve(frame.contentDocument === null ? "blocked" : "readable")
              } catch {
                resolve("blocked")
              }
            })
            document.body.append(frame)
          })
          return { fetched, opaque, socket, framed }
        }, url)
      )
      assert.deepStrictEqual(outcome, { fetched: "blocked", opaque: "blocked", socket: "blocked", framed: "blocked" })
    }))

  it.scopedLive("what tools and models say: it is text", () =>
    Effect.gen(function*() {
      const { url } = yield* Browser.serve({ recordings: [yield* hostileRecording] })
      const { page } = yield* Browser.visit(yield* Browser.launch, url)
      yield* Effect.promise(async () => {
        await page.locator(".card.problem").nth(1).waitFor()
        for (const kind of ["prompt", "text", "thinking", "tool"]) {
          assert.include(await page.locator(`.card.${kind}`).innerText(), hostile, kind)
        }
        await page.locator("#row-2").click()
        await page.waitForFunction(() => document.querySelector(".line")?.textContent?.includes("tool_result"))
        const made = await page.locator("#page").locator("img, script, iframe, a, svg").count()
        assert.strictEqual(made, 0)
        assert.strictEqual(await page.evaluate(() => "hacked" in window), false)
      })
    }))

  it.scopedLive("scripts and styles that are not its own", () =>
    Effect.gen(function*() {
      const { url } = yield* Browser.serve({ recordings: [Browser.recording("plain")] })
      const { page } = yield* Browser.visit(yield* Browser.launch, url)
      yield* Effect.promise(async () => {
        await page.locator(".card").first().waitFor()
        const outcome = await page.evaluate(async () => {
          const refused = (element: HTMLElement) =>
            new Promise((resolve) => {
              document.addEventListener("securitypolicyviolation", () => resolve("refused"), { once: true })
              setTimeout(() => resolve("taken"), 1_000)
              document.body.append(element)
            })
          const image = document.createElement("img")
          image.src = "http://127.0.0.1:9/x.png"
          const style = document.createElement("style")
          style.textContent = "body { color: red }"
          return [await refused(image), await refused(style), await fetch("http://127.0.0.1:9/").catch(() => "refused")]
        })
        assert.deepStrictEqual(outcome, ["refused", "refused", "refused"])
      })
    }))
})
