/**
 * The options that can also be sent in `initialize`, and how to divide them. Pure. An argument has a size limit and is
 * seen by everybody who can list processes; a frame has and is neither.
 *
 * The command line stays the default, because CLIs differ (measured):
 * - 2.1.326 takes all of them in `initialize`, where they win over the command line. MCP servers and plugins are taken
 *   only under `--await-initialize`, and `initialize` must then be the first line sent.
 * - 1.0.128 answers `initialize` with success and **ignores them without a word**.
 *
 * @since 0.1.0
 * @stability experimental
 */
import type { InitializeRequest } from "@claude-duplex/protocol/schema/InitializeRequest"
import * as Either from "effect/Either"
import type { CliOptions } from "./CliOptions.js"
import { maxArgumentBytes, toArgv } from "./CliOptions.js"

/** Options that `initialize` can carry. */
export type InitializeOption =
  | "systemPrompt"
  | "appendSystemPrompt"
  | "jsonSchema"
  | "agents"
  | "plugins"
  | "mcpServers"

/** The part of an `initialize` request that options can fill. */
export type InitializePayload = Pick<InitializeRequest, InitializeOption>

/** Options, divided. Both halves are needed to start a session. */
export interface Split {
  /** For the command line. */
  readonly options: CliOptions
  /** To be merged into the `initialize` request, and sent before the first message. */
  readonly initialize: InitializePayload
}

/**
 * These options as they are written in `initialize`.
 *
 * @example
 * ```ts
 * import * as CliInitialize from "@claude-duplex/transport-node/CliInitialize"
 *
 * CliInitialize.toInitialize({ systemPrompt: "Be brief.", model: "opus" }) // { systemPrompt: ["Be brief."] }
 * ```
 */
export const toInitialize = (options: CliOptions): InitializePayload => ({
  ...(options.systemPrompt === undefined ? {} : { systemPrompt: [options.systemPrompt] }),
  ...(options.appendSystemPrompt === undefined ? {} : { appendSystemPrompt: options.appendSystemPrompt }),
  ...(options.jsonSchema === undefined ? {} : { jsonSchema: options.jsonSchema }),
  ...(options.agents === undefined ? {} : { agents: options.agents }),
  ...(options.plugins === undefined
    ? {}
    : { plugins: options.plugins.map((path) => ({ type: "local" as const, path })) }),
  ...(options.mcpServers === undefined ? {} : { mcpServers: options.mcpServers })
})

/**
 * Moves to `initialize` what is too long for an argument, or with `move: "all"` whatever can be moved. Nothing is moved
 * from options that fit.
 *
 * @example
 * ```ts
 * import * as CliInitialize from "@claude-duplex/transport-node/CliInitialize"
 *
 * const { initialize, options } = CliInitialize.split({ model: "opus", systemPrompt: "x".repeat(200_000) })
 * console.log(options) // { model: "opus" }
 * console.log(initialize.systemPrompt?.length) // 1
 * ```
 */
export const split = (options: CliOptions, how?: {
  /** `"long"` unless told otherwise. */
  readonly move?: "long" | "all"
  /** The longest argument to allow, with its flag: `CliOptions.maxArgumentBytes` unless told otherwise. */
  readonly maxArgumentBytes?: number
}): Split => {
  const limit = how?.maxArgumentBytes ?? maxArgumentBytes
  const kept: Mutable = { ...options }
  const moved: Mutable = {}
  const move = <K extends InitializeOption>(name: K) => {
    if (options[name] === undefined) return
    const alone: Mutable = {}
    alone[name] = options[name]
    if (how?.move !== "all" && longestArgument(alone) <= limit) return
    moved[name] = options[name]
    delete kept[name]
    if (readAtStart.has(name)) kept.awaitInitialize = true
  }
  movable.forEach((name) => move(name))
  return { options: kept, initialize: toInitialize(moved) }
}

type Mutable = { -readonly [K in keyof CliOptions]: CliOptions[K] }

/** Options that are refused have no length; they stay where they are, and are refused when they are used. */
const longestArgument = (options: CliOptions): number =>
  Either.match(toArgv(options), {
    onLeft: () => 0,
    onRight: (argv) => Math.max(...argv.map((argument) => Buffer.byteLength(argument)))
  })

const movable: ReadonlyArray<InitializeOption> = [
  "systemPrompt",
  "appendSystemPrompt",
  "jsonSchema",
  "agents",
  "plugins",
  "mcpServers"
]

/** What the CLI sets up before it reads its input, unless it is told to wait. */
const readAtStart: ReadonlySet<InitializeOption> = new Set<InitializeOption>(["plugins", "mcpServers"])
