/**
 * A recording of 100,000 frames beside one of 1,000: how long until something is to be seen, how smoothly it scrolls, and
 * what it costs to keep. Ratios of medians, in one run that alternates between the two.
 */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Page } from "playwright-core"
import * as Browser from "./Browser.js"

const rounds = 5

const delta = (t: number, i: number) =>
  JSON.stringify({
    t,
    dir: "cli",
    line: JSON.stringify({
      type: "stream_event",
      event: { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: `word ${i} “of” many ` } },
      session_id: "s",
      parent_tool_use_id: null,
      uuid: `00000000-0000-4000-8000-${String(i).padStart(12, "0")}`
    })
  })

/** Turns of forty deltas with a tool in each, as many as make so many frames. */
const recordingOf = (folder: string, frames: number): string => {
  const lines: Array<string> = []
  const cli = (t: number, frame: object) =>
    lines.push(
      JSON.stringify({ t, dir: "cli", line: JSON.stringify({ ...frame, session_id: "s", uuid: `u${lines.length}` }) })
    )
  const message = { type: "message", role: "assistant", model: "model", stop_reason: null, stop_sequence: null }
  const usage = { input_tokens: 10, output_tokens: 10 }
  for (let t = 0; lines.length < frames; t += 1_000) {
    const id = `m${t}`
    const parent = { parent_tool_use_id: null }
    const prompt = { type: "user", message: { role: "user", content: `prompt ${t}` } }
    lines.push(JSON.stringify({ t, dir: "host", line: JSON.stringify(prompt) }))
    cli(t, {
      type: "stream_event",
      event: { type: "message_start", message: { ...message, id, content: [], usage } },
      ...parent
    })
    const block = { type: "text", text: "" }
    cli(t, { type: "stream_event", event: { type: "content_block_start", index: 0, content_block: block }, ...parent })
    for (let i = 0; i < 40; i++) lines.push(delta(t + i * 10, i))
    const text = { type: "text", text: "word ".repeat(40) }
    cli(t + 500, { type: "assistant", message: { ...message, id, content: [text], usage }, ...parent })
    const call = { type: "tool_use", id: `t${t}`, name: "Read", input: { file_path: "a.txt" } }
    cli(t + 510, { type: "assistant", message: { ...message, id, content: [call], usage }, ...parent })
    const output = { type: "tool_result", tool_use_id: `t${t}`, content: "line\n".repeat(20) }
    cli(t + 600, { type: "user", message: { role: "user", content: [output] }, ...parent })
    cli(t + 700, {
      type: "result",
      subtype: "success",
      is_error: false,
      result: "done",
      num_turns: 1,
      duration_ms: 700,
      duration_api_ms: 600,
      total_cost_usd: t / 1e6,
      usage,
      modelUsage: {},
      permission_denials: []
    })
  }
  const path = join(folder, `${frames}.jsonl`)
  writeFileSync(path, `${lines.slice(0, frames).join("\n")}\n`)
  return path
}

/** When the first card was there, in milliseconds since the page was asked for. */
const firstContent = (page: Page) =>
  page.waitForFunction(() => {
    const [mark] = performance.getEntriesByName("first-card")
    return mark?.startTime
  }).then((handle) => handle.jsonValue())

const markFirstCard = () => {
  const watch = new MutationObserver(() => {
    if (document.querySelector(".card") === null) return
    watch.disconnect()
    performance.mark("first-card")
  })
  document.addEventListener("DOMContentLoaded", () => watch.observe(document.body, { childList: true, subtree: true }))
}

/** Scrolls the conversation and the wire up and down for 120 pictures: milliseconds between two of them, sorted. */
const scrolled = (page: Page) =>
  page.evaluate(async () => {
    const boxes = [...document.querySelectorAll(".cards, .list")]
    const times: Array<number> = []
    let last = performance.now()
    for (let i = 0; i < 120; i++) {
      for (const box of boxes) box.scrollTop += i % 40 < 20 ? 150 : -150
      await new Promise(requestAnimationFrame)
      times.push(performance.now() - last)
      last = performance.now()
    }
    return times.sort((a, b) => a - b)
  })

const isWhole = (page: Page, frames: number) =>
  page.waitForFunction((count) => document.querySelector(`[aria-label="${count} lines"]`) !== null, frames)

const median = (values: ReadonlyArray<number>): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? NaN

interface Measured {
  readonly first: number
  /** Nineteen of twenty pictures came faster. */
  readonly frame: number
  readonly long: number
  readonly nodes: number
  readonly heap: number
}

it.scopedLive("a hundred times as much is as quick to open and to scroll", () =>
  Effect.gen(function*() {
    const folder = yield* Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "claude-duplex-ui-"))),
      (path) => Effect.sync(() => rmSync(path, { recursive: true }))
    )
    const browser = yield* Browser.launch
    const measure = (frames: number, path: string) =>
      Effect.scoped(Effect.gen(function*() {
        const { url } = yield* Browser.serve({ recordings: [path] })
        const { page } = yield* Browser.visit(browser, "about:blank")
        return yield* Effect.promise(async (): Promise<Measured> => {
          await page.addInitScript(markFirstCard)
          await page.goto(url)
          const first = (await firstContent(page)) ?? NaN
          // While the rest is still on its way.
          const times = await scrolled(page)
          await isWhole(page, frames)
          await page.getByRole("listbox").focus()
          await page.keyboard.press("End")
          await page.waitForFunction((last) => document.querySelector(`#row-${last}`) !== null, frames - 1)
          const debug = await page.context().newCDPSession(page)
          await debug.send("HeapProfiler.collectGarbage")
          const { usedSize } = await debug.send("Runtime.getHeapUsage")
          return {
            first,
            frame: times[Math.floor(times.length * 0.95)] ?? NaN,
            long: times.filter((time) => time > 50).length,
            nodes: await page.evaluate(() => document.querySelectorAll("*").length),
            heap: usedSize / 1e6
          }
        })
      }))

    const small: Array<Measured> = []
    const big: Array<Measured> = []
    const paths = [recordingOf(folder, 1_000), recordingOf(folder, 100_000)] as const
    for (let round = 0; round <= rounds; round++) {
      const pair = [yield* measure(1_000, paths[0]), yield* measure(100_000, paths[1])] as const
      // The first is for the browser to get warm.
      if (round === 0) continue
      small.push(pair[0])
      big.push(pair[1])
    }
    const of = (all: ReadonlyArray<Measured>, what: keyof Measured) => median(all.map((one) => one[what]))
    const ratio = (what: keyof Measured) => of(big, what) / of(small, what)
    console.log([
      "| 100,000 frames against 1,000 | 1,000 | 100,000 | ratio | target |",
      "| --- | --- | --- | --- | --- |",
      `| first content, ms | ${of(small, "first").toFixed(0)} | ${of(big, "first").toFixed(0)} | ${
        ratio("first").toFixed(2)
      } | ≤ 2 |`,
      `| picture while scrolling, 95 of 100 below, ms | ${of(small, "frame").toFixed(1)} | ${
        of(big, "frame").toFixed(1)
      } | ${ratio("frame").toFixed(2)} | ≤ 2 |`,
      `| pictures over 50 ms, of 120 | ${of(small, "long")} | ${of(big, "long")} | | |`,
      `| elements in the page | ${of(small, "nodes")} | ${of(big, "nodes")} | ${ratio("nodes").toFixed(2)} | ≤ 2 |`,
      `| heap, MB | ${of(small, "heap").toFixed(1)} | ${of(big, "heap").toFixed(1)} | | ≤ 100 MB |`
    ].join("\n"))
    assert.isAtMost(ratio("first"), 2)
    assert.isAtMost(ratio("frame"), 2)
    assert.isAtMost(ratio("nodes"), 2)
    assert.isAtMost(of(big, "heap"), 100)
  }))
