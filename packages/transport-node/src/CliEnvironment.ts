/**
 * The environment of a CLI, as data. Pure: the parent's environment is an argument.
 *
 * Three things of the parent's would do harm: `CLAUDECODE` (a CLI inside another one refuses or misbehaves),
 * `CLAUDE_CODE_ENTRYPOINT` (the parent's, not ours), and a debugger's options, with which the child would stop and wait
 * for the debugger, or take its port.
 *
 * @since 0.1.0
 * @stability stable
 */

/** Variables by name. `undefined` stands for one that is not there. */
export type Variables = Readonly<Record<string, string | undefined>>

/** What the CLI reports about who started it, unless `extra` says something else. */
export const entrypoint = "claude-duplex"

/**
 * The environment of the child: what it inherits, without what would do harm, then our entrypoint, then `extra`, which
 * wins over everything and removes what it sets to `undefined`.
 *
 * `inherit: false` means nothing at all: no `HOME`, and no `PATH`, without which the CLI finds neither `git` nor the tools
 * that it runs. Give in `extra` what it needs. (On Windows libuv adds `SystemRoot`, `PATH` and some others by itself.)
 *
 * @example
 * ```ts
 * import * as CliEnvironment from "@claude-duplex/transport-node/CliEnvironment"
 *
 * CliEnvironment.make({
 *   parent: { PATH: "/usr/bin", CLAUDECODE: "1", DEBUG: "*" },
 *   extra: { ANTHROPIC_BASE_URL: "http://127.0.0.1:8080", DEBUG: undefined }
 * })
 * // { PATH: "/usr/bin", CLAUDE_CODE_ENTRYPOINT: "claude-duplex", ANTHROPIC_BASE_URL: "http://127.0.0.1:8080" }
 * ```
 */
export const make = (options: {
  /** The host's environment: `process.env`. */
  readonly parent: Variables
  /** What to add, replace or remove. */
  readonly extra?: Variables | undefined
  /** Whether anything is taken from `parent`. */
  readonly inherit?: boolean | undefined
}): Record<string, string> => {
  const all: Variables = {
    ...(options.inherit === false ? {} : scrub(options.parent)),
    CLAUDE_CODE_ENTRYPOINT: entrypoint,
    ...options.extra
  }
  return Object.fromEntries(
    Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined)
  )
}

const scrub = (parent: Variables): Variables => ({
  ...parent,
  CLAUDECODE: undefined,
  CLAUDE_CODE_ENTRYPOINT: undefined,
  VSCODE_INSPECTOR_OPTIONS: undefined,
  // The variable goes whole: its quoting is node's own, and half of a debugger's options is worse than none.
  ...(isInspected(parent) ? { NODE_OPTIONS: undefined } : {})
})

/**
 * Whether a process with these variables would stop for a debugger. VS Code loads its own with `--require`, and is known by
 * its second variable.
 *
 * @example
 * ```ts
 * import * as CliEnvironment from "@claude-duplex/transport-node/CliEnvironment"
 *
 * CliEnvironment.isInspected({ NODE_OPTIONS: "--inspect-brk" }) // true
 * ```
 */
export const isInspected = (parent: Variables): boolean =>
  parent["VSCODE_INSPECTOR_OPTIONS"] !== undefined ||
  /(^|[\s"'])--(inspect|debug-port)/.test(parent["NODE_OPTIONS"] ?? "")
