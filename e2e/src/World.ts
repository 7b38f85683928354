/**
 * A real CLI in a world of its own: a scripted API on loopback, a home and a working directory that nobody else has, and an
 * environment with nothing in it but what it needs. Owns what surrounds a session; the session is `Session`'s own.
 */
import type * as Script from "@claude-duplex/loopback-api/ApiScript"
import * as LoopbackApi from "@claude-duplex/loopback-api/LoopbackApi"
import type * as Connector from "@claude-duplex/protocol/Connector"
import * as Session from "@claude-duplex/session/Session"
import type { CliOptions } from "@claude-duplex/transport-node/CliOptions"
import * as NodeConnector from "@claude-duplex/transport-node/NodeConnector"
import * as NodeTransport from "@claude-duplex/transport-node/NodeTransport"
import { Effect, type Scope } from "effect"
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type Support, supportOf } from "./Versions.js"
import * as WatchedProxy from "./WatchedProxy.js"

/** The CLI that is tried: set by `pnpm e2e`. */
export const cli = {
  get executable(): string {
    const path = process.env["CLAUDE_DUPLEX_E2E_EXECUTABLE"]
    if (path === undefined) throw new Error("There is no CLI to try. Run the tests by `pnpm e2e`, which installs one.")
    return path
  },
  get version(): string {
    return process.env["CLAUDE_DUPLEX_E2E_VERSION"] ?? ""
  },
  get supports(): Support {
    return supportOf(this.version)
  }
}

/** Where a CLI lives. */
export interface World {
  readonly api: LoopbackApi.Service
  readonly home: string
  readonly cwd: string
  /** Where it wanted to go by HTTP, beside the API. It did not get there. */
  readonly strangers: () => ReadonlyArray<string>
  /** All of its environment. */
  readonly env: { readonly [name: string]: string }
}

/** Makes a world, and takes it away with the scope. */
export const make = <R = never>(script: Script.Script<R>): Effect.Effect<World, never, R | Scope.Scope> =>
  Effect.gen(function*() {
    const api = yield* Effect.orDie(LoopbackApi.make(script))
    const root = yield* Effect.acquireRelease(
      Effect.sync(() => realpathSync(mkdtempSync(join(tmpdir(), "claude-duplex-e2e-")))),
      (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true, maxRetries: 3 }))
    )
    const home = join(root, "home")
    const cwd = join(root, "project")
    mkdirSync(home)
    mkdirSync(cwd)
    // Some CLIs call their makers whatever they are told: see `callsHome`.
    const proxy = yield* WatchedProxy.make(api.port)
    return {
      api,
      home,
      cwd,
      strangers: proxy.refused,
      env: {
        PATH: process.env["PATH"] ?? "",
        HOME: home,
        TMPDIR: root,
        // A CLI that is root's refuses some modes unless it believes to be in a sandbox; here it is.
        IS_SANDBOX: "1",
        HTTP_PROXY: proxy.url,
        HTTPS_PROXY: proxy.url,
        NO_PROXY: "127.0.0.1",
        ...LoopbackApi.cliEnvironment(api)
      }
    }
  })

/** How the CLI under test is started in this world. */
export const launch = (
  world: World,
  options?: CliOptions,
  env?: { readonly [name: string]: string }
): NodeTransport.Options => ({
  executable: cli.executable,
  cwd: world.cwd,
  env: { ...world.env, ...env },
  inheritEnv: false,
  checkVersion: false,
  cli: {
    permissionPromptTool: "stdio",
    includePartialMessages: cli.supports.partialMessages,
    replayUserMessages: cli.supports.echoes,
    ...options
  }
})

/** The CLI under test in this world, as a transport. */
export const transport = (
  world: World,
  options?: CliOptions,
  env?: { readonly [name: string]: string }
): ReturnType<typeof NodeTransport.make> => NodeTransport.make(launch(world, options, env))

/** The CLI under test in this world, as a connector. */
export const connector = (
  world: World,
  options?: CliOptions,
  env?: { readonly [name: string]: string }
): ReturnType<typeof NodeConnector.make> => NodeConnector.make(launch(world, options, env))

/**
 * A session with the CLI under test. 1.0.60 does not answer `initialize`, so a session does not wait for it there, unless it registers
 * something: then it must not begin.
 */
export const session = <R = never>(connector: Connector.Service, options: Session.Options<R> = {}) => {
  const registers = [options.hooks, options.mcpServers, options.initialize].some((given) => given !== undefined)
  const initialization = cli.supports.initialize ? "require" : registers ? "await" : "background"
  return Session.fromConnector(connector, { initialization, ...options })
}
