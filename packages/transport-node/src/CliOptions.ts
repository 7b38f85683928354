/**
 * Everything that can be set when a CLI is started, as arguments. Pure: it starts nothing and reads nothing.
 *
 * The rules of {@link toArgv}, checked against the CLIs 1.0.128 and 2.1.326:
 * - Every value is bound with `=` in one argument, so that no value can become a flag, whatever it begins with.
 * - Lists repeat their flag, one element each. A list joined by commas would not do: `--betas` does not split at commas,
 *   and a tool rule with an unclosed parenthesis swallows the rules after it, so that a denied tool is allowed again.
 *   Bound with `=`, a variadic flag does not take the argument after it.
 * - Nothing is emitted that was not set, except `--replay-user-messages`. The order is fixed; raw arguments come last.
 *
 * The environment is in `CliEnvironment`, `initialize` in `CliInitialize`, what is legal but dangerous in `CliWarning`.
 *
 * @since 0.1.0
 * @stability stable
 */
import type { AgentDefinition } from "@claude-duplex/protocol/schema/Agent"
import type { JsonObject } from "@claude-duplex/protocol/schema/Json"
import type { McpServerConfig } from "@claude-duplex/protocol/schema/McpServerConfig"
import type { PermissionMode } from "@claude-duplex/protocol/schema/PermissionRequest"
import * as Either from "effect/Either"
import { CliOptionsError } from "./CliOptionsError.js"
import { check } from "./internal/checkCliOptions.js"

export {
  /** The options are refused; nothing was started. */
  CliOptionsError
}

/** Where settings are read from. */
export type SettingSource = "user" | "project" | "local"

/** How hard the model works. */
export type Effort = "low" | "medium" | "high" | "xhigh" | "max"

/** Whether the model thinks before it answers. */
export type Thinking = "adaptive" | "enabled" | "disabled"

/** What a CLI is started with. An older CLI exits on a flag that it does not know, with the reason on stderr. */
export interface CliOptions {
  /** A model's alias (`"opus"`) or full name. */
  readonly model?: string | undefined
  /** The model to use while the main one is not available; newer CLIs take several, separated by commas. */
  readonly fallbackModel?: string | undefined
  /** How hard the model works. */
  readonly effort?: Effort | undefined
  /** Whether the model thinks. Not together with `maxThinkingTokens`, which the CLI would ignore. */
  readonly thinking?: Thinking | undefined
  /** How many tokens it may think for; 0 is not at all. */
  readonly maxThinkingTokens?: number | undefined

  /** Replaces the system prompt. Empty is a value: it takes the CLI's own prompt away. */
  readonly systemPrompt?: string | undefined
  /** Adds to the system prompt. */
  readonly appendSystemPrompt?: string | undefined
  /** A JSON schema that the result must follow. */
  readonly jsonSchema?: JsonObject | undefined

  /** Continues this session, by its id (newer CLIs: or its title). */
  readonly resume?: string | undefined
  /** Continues the last session of the working directory. */
  readonly continue?: boolean | undefined
  /** Continues under a new session id and leaves the old session as it is. With `resume` or `continue`. */
  readonly forkSession?: boolean | undefined
  /** The id of the new session, a UUID. With `resume` or `continue` only if the session is forked. */
  readonly sessionId?: string | undefined
  /** Continues from this message of the session, by its uuid. With `resume`. */
  readonly resumeSessionAt?: string | undefined
  /** Does not save the session: it cannot be resumed. */
  readonly noSessionPersistence?: boolean | undefined
  /** Works in a git worktree of its own; `true` lets the CLI name it. */
  readonly worktree?: true | string | undefined

  /** The agent that runs the session. */
  readonly agent?: string | undefined
  /** Subagents, by name. */
  readonly agents?: Readonly<Record<string, AgentDefinition>> | undefined
  /** Plugin folders to load. */
  readonly plugins?: ReadonlyArray<string> | undefined

  /** How much is asked. Older CLIs do not have `dontAsk` and `auto`. */
  readonly permissionMode?: PermissionMode | undefined
  /** Who is asked. `"stdio"` is what makes the CLI ask the host; else the name of an MCP tool. */
  readonly permissionPromptTool?: string | undefined
  /**
   * **Dangerous.** Every tool runs, nobody is asked, and a permission handler is never called. For sandboxes without
   * a network. The CLI refuses it to root.
   */
  readonly dangerouslySkipPermissions?: boolean | undefined
  /** **Dangerous.** Lets the session switch to `bypassPermissions` later, without starting in it. */
  readonly allowDangerouslySkipPermissions?: boolean | undefined
  /** Rules for what runs without asking, one each: `"Bash(git log:*)"`. */
  readonly allowedTools?: ReadonlyArray<string> | undefined
  /** Rules for what never runs, one each. */
  readonly disallowedTools?: ReadonlyArray<string> | undefined
  /** The built-in tools that exist at all; none if empty, and `"default"` for the CLI's own choice. */
  readonly tools?: "default" | ReadonlyArray<string> | undefined
  /** More directories that tools may touch. */
  readonly addDirs?: ReadonlyArray<string> | undefined

  /** MCP servers, by name. The CLI does not answer until the host has served those of type `sdk`. */
  readonly mcpServers?: Readonly<Record<string, McpServerConfig>> | undefined
  /** Files with MCP servers. */
  readonly mcpConfig?: ReadonlyArray<string> | undefined
  /** Only the MCP servers given here, none from settings. */
  readonly strictMcpConfig?: boolean | undefined
  /** A settings file, or the settings themselves. */
  readonly settings?: string | JsonObject | undefined
  /** Where settings are read from; nowhere if empty. */
  readonly settingSources?: ReadonlyArray<SettingSource> | undefined
  /** Beta headers to send. */
  readonly betas?: ReadonlyArray<string> | undefined

  /** Ends a turn after so many model calls. */
  readonly maxTurns?: number | undefined
  /** Ends the session when it has cost so much. */
  readonly maxBudgetUsd?: number | undefined

  /** Sends `stream_event` frames. */
  readonly includePartialMessages?: boolean | undefined
  /** Sends hook frames. */
  readonly includeHookEvents?: boolean | undefined
  /** Sends what subagents say. */
  readonly forwardSubagentText?: boolean | undefined
  /** Debug logs, all or those that the filter lets through. */
  readonly debug?: boolean | string | undefined
  /** Where debug logs go. */
  readonly debugFile?: string | undefined
  /**
   * Reads `initialize` before anything else, which must then be the first line sent. What makes MCP servers and plugins
   * in `initialize` work; `CliInitialize.split` sets it. Newer CLIs only.
   */
  readonly awaitInitialize?: boolean | undefined
  /** Echoes each accepted message. On unless `false`: which result is whose depends on it. */
  readonly replayUserMessages?: boolean | undefined

  /** Arguments that are passed as they are, after all others. They can override everything: see `CliWarning`. */
  readonly extraArgs?: ReadonlyArray<string> | undefined
}

/**
 * The longest argument that Linux takes: 128 KiB with its final NUL. One byte more and no process starts (`E2BIG`).
 * Other systems limit the whole command line: macOS at 1 MiB with the environment, Windows at 32,767 characters.
 */
export const maxArgumentBytes = 131_071

/**
 * The arguments for these options, without the executable.
 *
 * @example
 * ```ts
 * import * as CliOptions from "@claude-duplex/transport-node/CliOptions"
 * import { Either } from "effect"
 *
 * const argv = CliOptions.toArgv({ model: "opus", permissionPromptTool: "stdio" })
 * if (Either.isRight(argv)) console.log(argv.right.slice(4))
 * // ["--model=opus", "--permission-prompt-tool=stdio", "--replay-user-messages"]
 * ```
 */
export const toArgv = (options: CliOptions): Either.Either<ReadonlyArray<string>, CliOptionsError> => {
  const refused = check(options)
  if (refused !== undefined) return Either.left(refused)
  const own = [...always, ...keys.flatMap((key) => encode(key, options))]
  const extra = options.extraArgs ?? []
  return takesNext.has(own.at(-1) ?? "") && extra[0] !== undefined && !extra[0].startsWith("-")
    ? Either.left(
      new CliOptionsError({
        reason: "Conflict",
        options: ["extraArgs"],
        detail: `its first element would become the value of ${own.at(-1)}. Begin it with a flag.`
      })
    )
    : Either.right([...own, ...extra])
}

/** What every start has: the protocol itself. */
const always = ["--print", "--verbose", "--input-format=stream-json", "--output-format=stream-json"] as const

type Values = { readonly [K in Exclude<keyof CliOptions, "extraArgs">]-?: Exclude<CliOptions[K], undefined> }
type Encoders = { readonly [K in keyof Values]: (value: Values[K]) => ReadonlyArray<string> }

const value = (flag: string) => (value: string | number) => [`${flag}=${value}`]
const json = (flag: string) => (value: unknown) => [`${flag}=${JSON.stringify(value)}`]
const each = (flag: string) => (values: ReadonlyArray<string>) => values.map((value) => `${flag}=${value}`)
const on = (flag: string) => (value: boolean) => value ? [flag] : []
const maybe = (flag: string) => (value: boolean | string) =>
  typeof value === "string" ? [`${flag}=${value}`] : on(flag)(value)

/** One entry for each option; their order is the order of the arguments. */
const encoders: Encoders = {
  // These two take a value only if the next argument is not a flag, so they go where flags follow.
  debug: maybe("--debug"),
  worktree: maybe("--worktree"),
  debugFile: value("--debug-file"),
  model: value("--model"),
  fallbackModel: value("--fallback-model"),
  effort: value("--effort"),
  thinking: value("--thinking"),
  maxThinkingTokens: value("--max-thinking-tokens"),
  systemPrompt: value("--system-prompt"),
  appendSystemPrompt: value("--append-system-prompt"),
  jsonSchema: json("--json-schema"),
  resume: value("--resume"),
  continue: on("--continue"),
  forkSession: on("--fork-session"),
  sessionId: value("--session-id"),
  resumeSessionAt: value("--resume-session-at"),
  noSessionPersistence: on("--no-session-persistence"),
  agent: value("--agent"),
  agents: json("--agents"),
  plugins: each("--plugin-dir"),
  permissionMode: value("--permission-mode"),
  permissionPromptTool: value("--permission-prompt-tool"),
  dangerouslySkipPermissions: on("--dangerously-skip-permissions"),
  allowDangerouslySkipPermissions: on("--allow-dangerously-skip-permissions"),
  allowedTools: each("--allowedTools"),
  disallowedTools: each("--disallowedTools"),
  tools: (tools) => tools === "default" || tools.length === 0 ? [`--tools=${tools}`] : each("--tools")(tools),
  addDirs: each("--add-dir"),
  // A bare record of servers is refused by every CLI: the key is part of the format.
  mcpServers: (mcpServers) => json("--mcp-config")({ mcpServers }),
  mcpConfig: each("--mcp-config"),
  strictMcpConfig: on("--strict-mcp-config"),
  settings: (settings) => typeof settings === "string" ? value("--settings")(settings) : json("--settings")(settings),
  settingSources: (sources) => [`--setting-sources=${sources.join(",")}`],
  betas: each("--betas"),
  maxTurns: value("--max-turns"),
  maxBudgetUsd: value("--max-budget-usd"),
  includePartialMessages: on("--include-partial-messages"),
  includeHookEvents: on("--include-hook-events"),
  forwardSubagentText: on("--forward-subagent-text"),
  awaitInitialize: on("--await-initialize"),
  replayUserMessages: on("--replay-user-messages")
}

// `Object.keys` forgets the type of what it lists; these are the keys of the literal above, in its order.
const keys = Object.keys(encoders) as ReadonlyArray<keyof Encoders>

const defaults: CliOptions = { replayUserMessages: true }

const encode = <K extends keyof Encoders>(key: K, options: CliOptions): ReadonlyArray<string> => {
  const value: CliOptions[K] = options[key] ?? defaults[key]
  // TypeScript does not narrow a generic property; `undefined` is what was just excluded.
  return value === undefined ? [] : encoders[key](value as Values[K])
}

/** Without a value of their own, these take the next argument unless it is a flag. */
const takesNext: ReadonlySet<string> = new Set(["--debug", "--worktree"])
