/** A person at the page: with the mouse, with the keyboard alone, on a phone. */
import * as Recording from "@claude-duplex/transport-mock/Recording"
import * as NodeContext from "@effect/platform-node/NodeContext"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import type { Page } from "playwright-core"
import * as Browser from "./Browser.js"

/** The page, and a session with `fake-claude` behind it. */
const visited = (name: string, size?: { readonly width: number; readonly height: number }) =>
  Effect.gen(function*() {
    const { url } = yield* Browser.serve({ connector: Browser.fakeClaude(name) })
    return yield* Browser.visit(yield* Browser.launch, url, size)
  })

const card = (page: Page, kind: string) => page.locator(`.card.${kind}`)

const results = (page: Page) => card(page, "result")

const say = async (page: Page, text: string) => {
  await page.getByLabel("Say something").fill(text)
  await page.keyboard.press("Enter")
}

/** All that was written to the CLI, as the page tells it. */
const written = async (page: Page): Promise<ReadonlyArray<string>> => {
  const texts: Array<string> = []
  for (const row of await page.locator(".list-row:has(.direction.host)").all()) {
    await row.click()
    await page.waitForFunction(() => document.querySelector(".line")?.textContent?.startsWith("{"))
    texts.push(await page.locator(".line").innerText())
  }
  return texts
}

/** What axe finds that matters. */
const serious = async (page: Page): Promise<ReadonlyArray<string>> => {
  await page.evaluate(readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8"))
  return page.evaluate(async () => {
    // Put there by the line above.
    const { axe } = window as unknown as {
      readonly axe: {
        readonly run: () => Promise<{
          readonly violations: ReadonlyArray<{
            readonly id: string
            readonly impact: string
            readonly nodes: ReadonlyArray<{ readonly html: string }>
          }>
        }>
      }
    }
    const { violations } = await axe.run()
    return violations.filter(({ impact }) => impact === "serious" || impact === "critical")
      .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ").slice(0, 400)}`)
  })
}

describe("a person", () => {
  it.scopedLive("sees text as it comes, allows a tool, and stops a turn", () =>
    Effect.gen(function*() {
      const { complaints, page } = yield* visited("tour")
      yield* Effect.promise(async () => {
        await page.getByRole("button", { name: "New session" }).click()
        await say(page, "What happens between a program and claude?")
        await results(page).nth(0).waitFor()
        assert.include(await card(page, "text").first().innerText(), "One process, held open.")

        await say(page, "Leave a greeting in hello.txt.")
        const permission = page.getByRole("region", { name: "Bash wants to run" })
        await permission.waitFor()
        assert.include(await permission.innerText(), "hello.txt")
        await page.screenshot({ path: `${Browser.docs}ui-permission.png` })
        await permission.getByRole("button", { name: "Allow" }).click()
        await results(page).nth(1).waitFor()
        assert.include(await card(page, "tool").innerText(), "allowed")
        assert.include(await card(page, "tool").innerText(), "Hello from the other end of the pipe.")
        assert.isFalse(await permission.isVisible())

        await say(page, "Tell me all about pipes. I will stop you with Ctrl-C.")
        await page.waitForFunction(() =>
          (document.querySelector(".card.text:last-of-type")?.textContent ?? "").length > 40
        )
        await page.getByRole("button", { name: "Interrupt" }).click()
        await results(page).nth(2).waitFor()
        assert.include(await results(page).nth(2).innerText(), "interrupted")

        await page.getByRole("button", { name: "Timeline", exact: true }).click()
        await page.locator(".bars").nth(2).waitFor()
        await page.getByRole("button", { name: "Charts", exact: true }).click()
        assert.include(await page.locator("figcaption").first().innerText(), "$0.0567")
      })
      assert.deepStrictEqual(complaints, [])
    }))

  it.scopedLive("needs no mouse: starts, asks, changes the input and allows", () =>
    Effect.gen(function*() {
      const { page } = yield* visited("permission-allow")
      yield* Effect.promise(async () => {
        const focused = () => page.evaluate(() => document.activeElement?.textContent ?? "")
        for (let i = 0; i < 20 && (await focused()) !== "New session"; i++) await page.keyboard.press("Tab")
        await page.keyboard.press("Enter")
        const composer = page.getByLabel("Say something")
        await composer.waitFor()
        const isAt = () => composer.evaluate((element) => element === document.activeElement)
        for (let i = 0; i < 30 && !(await isAt()); i++) await page.keyboard.press("Tab")
        await page.keyboard.type("make a file")
        await page.keyboard.press("Enter")
        // The question takes the focus, and Enter alone allows nothing.
        await page.locator(".permission:focus").waitFor()
        await page.keyboard.press("Enter")
        await page.keyboard.press("Space")
        assert.isTrue(await page.locator(".permission").isVisible())
        await page.keyboard.press("e")
        await page.keyboard.press("ControlOrMeta+a")
        await page.keyboard.type("{ no JSON")
        await page.getByRole("alert").waitFor()
        assert.isTrue(await page.getByRole("button", { name: "Allow" }).isDisabled())
        await page.keyboard.press("ControlOrMeta+a")
        await page.keyboard.type(`{"command":"touch elsewhere.txt"}`)
        await page.keyboard.press("Tab")
        await page.keyboard.press("Enter")
        await results(page).waitFor()
        const answers = (await written(page)).filter((text) => text.includes("control_response"))
        assert.lengthOf(answers, 1)
        assert.include(answers[0], `"behavior": "allow"`)
        assert.include(answers[0], "elsewhere.txt")
      })
    }))

  it.scopedLive("denies with a key, and always allows with another", () =>
    Effect.gen(function*() {
      for (
        const [name, key, expected] of [
          ["permission-deny", "n", `"behavior": "deny"`],
          ["permission-allow", "a", `"updatedPermissions"`]
        ] as const
      ) {
        const { page } = yield* visited(name)
        yield* Effect.promise(async () => {
          await page.getByRole("button", { name: "New session" }).click()
          await say(page, "make a file")
          await page.locator(".permission:focus").waitFor()
          await page.keyboard.press(key)
          await results(page).waitFor()
          const answers = (await written(page)).filter((text) => text.includes("control_response"))
          assert.include(answers.join(), expected)
        })
      }
    }))

  it.scopedLive("finds nothing in the way: axe, in light and dark, wide and on a phone", () =>
    Effect.gen(function*() {
      for (const size of [{ width: 1280, height: 800 }, { width: 390, height: 800 }]) {
        const { page } = yield* visited("permission-allow", size)
        yield* Effect.promise(async () => {
          await page.getByRole("button", { name: "New session" }).click()
          await say(page, "make a file")
          await page.locator(".permission").waitFor()
          for (const colorScheme of ["light", "dark"] as const) {
            await page.emulateMedia({ colorScheme })
            for (const pane of ["Wire", "Timeline", "Charts", ...(size.width < 700 ? ["Conversation"] : [])]) {
              await page.getByRole("button", { name: pane, exact: true }).click()
              assert.deepStrictEqual(await serious(page), [], `${pane} ${colorScheme} ${size.width}`)
              const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
              assert.isAtMost(overflow, 0, `${pane} at ${size.width}`)
            }
          }
          if (size.width < 700) await page.screenshot({ path: `${Browser.docs}ui-phone.png` })
        })
      }
    }))

  it.scopedLive("says something while a turn runs: it waits for its turn, or steers the one that runs", () =>
    Effect.gen(function*() {
      const { entries } = yield* Effect.provide(Recording.read(Browser.recording("plain")), NodeContext.layer)
      const init = entries.find(({ line }) => line.includes(`"subtype":"init"`))?.line ?? ""
      // Begins a turn, and never ends it.
      const busy = Browser.mock((peer) =>
        Effect.zipRight(
          Effect.zipRight(peer.receive, peer.write(new TextEncoder().encode(`${init}\n`))),
          Effect.forever(peer.receive)
        )
      )
      const { url } = yield* Browser.serve({ connector: busy })
      const { page } = yield* Browser.visit(yield* Browser.launch, url)
      yield* Effect.promise(async () => {
        await page.getByRole("button", { name: "New session" }).click()
        await say(page, "one")
        await page.getByRole("button", { name: "Session 1 Running" }).waitFor()
        await say(page, "two")
        await page.getByLabel("While it is busy").selectOption("steer")
        await say(page, "three")
        await card(page, "prompt").nth(1).waitFor()
        assert.deepStrictEqual(await card(page, "prompt").locator(".said").allInnerTexts(), ["one", "three"])
      })
    }))

  it.scopedLive("opens a recording, and sees which line is which card", () =>
    Effect.gen(function*() {
      const { url } = yield* Browser.serve({ recordings: [Browser.recording("tour"), Browser.recording("plain")] })
      const { complaints, page } = yield* Browser.visit(yield* Browser.launch, url)
      yield* Effect.promise(async () => {
        await page.locator("#row-12").click()
        await page.waitForFunction(() => document.querySelector(".line")?.textContent?.includes("content_block_delta"))
        assert.include(await page.locator(".card.marked").innerText(), "One process, held open.")
        await page.screenshot({ path: `${Browser.docs}ui-recording.png` })
        await card(page, "tool").getByRole("button").click()
        await page.waitForFunction(() => document.querySelector("[aria-selected=true]")?.textContent?.includes("72"))
        await page.getByRole("button", { name: "plain.jsonl" }).click()
        await results(page).nth(1).waitFor()
        assert.strictEqual(await card(page, "prompt").count(), 2)
      })
      assert.deepStrictEqual(complaints, [])
    }))
})
