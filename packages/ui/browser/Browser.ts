/**
 * A real browser, and the page in it. Owns where Chromium is and how it is started: by its own means it would ask the
 * network for this and that, which the flags forbid.
 */
import type * as Connector from "@claude-duplex/protocol/Connector"
import * as MockConnector from "@claude-duplex/transport-mock/MockConnector"
import type { Behaviour } from "@claude-duplex/transport-mock/Peer"
import * as NodeConnector from "@claude-duplex/transport-node/NodeConnector"
import * as Conversations from "@claude-duplex/ui/Conversations"
import * as UiServer from "@claude-duplex/ui/UiServer"
import * as NodeContext from "@effect/platform-node/NodeContext"
import { Effect, type Scope } from "effect"
import { existsSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { type Browser, chromium, type Page } from "playwright-core"

const root = fileURLToPath(new URL("../../../", import.meta.url))

/** Where screenshots for readers go. */
export const docs = `${root}docs/`

/** A recording of the repository's. */
export const recording = (name: string): string => `${root}recordings/2.1.326/${name}.jsonl`

const places = [process.env["CHROMIUM"], "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"]

const executable = (): string => {
  const found = places.find((path) => path !== undefined && existsSync(path))
  if (found === undefined) throw new Error("There is no Chromium. Run the tests by `pnpm browser`, which installs one.")
  return found
}

/** A browser, until the scope closes. */
export const launch: Effect.Effect<Browser, never, Scope.Scope> = Effect.acquireRelease(
  Effect.promise(() =>
    chromium.launch({
      executablePath: executable(),
      args: [
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync"
      ]
    })
  ),
  (browser) => Effect.promise(() => browser.close())
)

/** A session of the page's is with `fake-claude`, which plays this recording. */
export const fakeClaude = (name: string) =>
  NodeConnector.fromCommand({
    command: process.execPath,
    args: [`${root}packages/transport-mock/bin/fake-claude.mjs`, "--recording", recording(name), "--lenient"],
    env: {}
  })

/** A session of the page's is with this, in memory. */
export const mock = (behaviour: Behaviour) => MockConnector.make(behaviour)

/** The server, with these recordings opened. */
export const serve = (options: {
  readonly recordings?: ReadonlyArray<string>
  readonly connector?: Effect.Effect<Connector.Service>
}): Effect.Effect<UiServer.Service, UiServer.UiServerError, Scope.Scope> =>
  Effect.gen(function*() {
    const conversations = yield* Conversations.make({
      connector: yield* options.connector ?? Effect.succeed(undefined)
    })
    yield* Effect.forEach(options.recordings ?? [], conversations.openRecording)
    return yield* Effect.provideService(UiServer.make(), Conversations.Conversations, conversations)
  }).pipe(Effect.provide(NodeContext.layer))

/** What a page complained about, in its console or by an error. */
export interface Complaints {
  readonly page: Page
  readonly complaints: Array<string>
}

/** The codec tries whether it may generate code, and the page's policy says no: that is meant, and the browser says so. */
const isMeant = (text: string) => /TrustedScript|TrustedString|unsafe-eval/.test(text)

/** A page of the browser's, at this address. */
export const visit = (
  browser: Browser,
  url: string,
  size = { width: 1280, height: 800 }
): Effect.Effect<Complaints, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const page = await browser.newPage({ viewport: size })
      page.setDefaultTimeout(20_000)
      const complaints: Array<string> = []
      page.on("pageerror", ({ message }) => complaints.push(message))
      page.on("console", (message) => {
        if (message.type() === "error" && !isMeant(message.text())) complaints.push(message.text())
      })
      await page.goto(url)
      return { page, complaints }
    }),
    ({ page }) => Effect.promise(() => page.close())
  )
