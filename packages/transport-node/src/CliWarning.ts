/**
 * Options that are legal and may not do what was meant, as data: nothing is logged here. What the CLI would refuse is a
 * `CliOptionsError`.
 */
import { Either, Schema } from "effect"
import type { CliOptions } from "./CliOptions.js"
import { maxArgumentBytes, toArgv } from "./CliOptions.js"

/**
 * What a warning is about.
 *
 * - `BypassInExtraArgs`: raw arguments switch permissions off, which has an option of its own.
 * - `BypassInSettings`, `BypassInAgent`: settings or a subagent do so.
 * - `NobodyIsAsked`: permissions are bypassed, so that the prompt tool is never called.
 * - `NoPermissionPromptTool`: there is nobody to ask, so that whatever would be asked is denied.
 * - `ProtocolInExtraArgs`: raw arguments change the format that this library speaks.
 * - `ReplayOff`: messages are not echoed, so that results are told apart by their order on most CLIs.
 * - `ArgumentTooLong`: Linux will not start a process with it.
 */
export const CliWarningKind = Schema.Literal(
  "BypassInExtraArgs",
  "BypassInSettings",
  "BypassInAgent",
  "NobodyIsAsked",
  "NoPermissionPromptTool",
  "ProtocolInExtraArgs",
  "ReplayOff",
  "ArgumentTooLong"
)
export type CliWarningKind = typeof CliWarningKind.Type

/** Something to look at before a process is started. */
export const CliWarning = Schema.Struct({
  kind: CliWarningKind,
  /** What it leads to and what to do. Values are not quoted: they may be secret. */
  message: Schema.String
}).annotations({ identifier: "CliWarning" })
export interface CliWarning extends Schema.Schema.Type<typeof CliWarning> {}

/**
 * What is dangerous or surprising about these options. Settings files are not read.
 *
 * @example
 * ```ts
 * import * as CliWarning from "@claude-duplex/transport-node/CliWarning"
 *
 * CliWarning.warnings({ permissionPromptTool: "stdio", extraArgs: ["--dangerously-skip-permissions"] })
 *   .map((warning) => warning.kind) // ["BypassInExtraArgs", "NobodyIsAsked"]
 * ```
 */
export const warnings = (options: CliOptions): ReadonlyArray<CliWarning> =>
  checks.flatMap(({ applies, kind, message }) => applies(options) ? [{ kind, message }] : [])

const checks: ReadonlyArray<CliWarning & { readonly applies: (options: CliOptions) => boolean }> = [
  {
    kind: "BypassInExtraArgs",
    applies: (o) => extraBypasses(o.extraArgs ?? []),
    message:
      "`extraArgs` switches permission checks off, or allows that to be done later. If it is meant, say so with " +
      "`dangerouslySkipPermissions` or `allowDangerouslySkipPermissions`."
  },
  {
    kind: "BypassInSettings",
    applies: settingsBypass,
    message: "`settings` starts the session in `bypassPermissions`: every tool runs unasked. If it is meant, say so " +
      "with `dangerouslySkipPermissions`."
  },
  {
    kind: "BypassInAgent",
    applies: (o) => Object.values(o.agents ?? {}).some((agent) => agent.permissionMode === "bypassPermissions"),
    message: "A subagent in `agents` has the mode `bypassPermissions`: its tools may run unasked."
  },
  {
    kind: "NobodyIsAsked",
    applies: (o) => o.permissionPromptTool !== undefined && bypasses(o),
    message: "Permissions are bypassed, so `permissionPromptTool` and any permission handler are never called."
  },
  {
    kind: "NoPermissionPromptTool",
    applies: (o) =>
      o.permissionPromptTool === undefined && !bypasses(o) && o.permissionMode !== "dontAsk" &&
      !hasFlag(o.extraArgs ?? [], "--permission-prompt-tool"),
    message: "Nobody can be asked, so every tool call that needs permission is denied. Set `permissionPromptTool` to " +
      "\"stdio\" to be asked."
  },
  {
    kind: "ProtocolInExtraArgs",
    applies: (o) => ["--input-format", "--output-format"].some((flag) => hasFlag(o.extraArgs ?? [], flag)),
    message: "`extraArgs` changes the input or output format. Nothing here can talk to a CLI that does not speak " +
      "stream-json both ways."
  },
  {
    kind: "ReplayOff",
    applies: (o) => o.replayUserMessages === false,
    message: "Without `replayUserMessages`, CLIs before 2.1.250 do not say which message a result belongs to, and " +
      "merged messages cannot be told apart."
  },
  {
    kind: "ArgumentTooLong",
    applies: (o) =>
      Either.match(toArgv(o), {
        onLeft: () => false,
        onRight: (argv) => argv.some((argument) => Buffer.byteLength(argument) > maxArgumentBytes)
      }),
    message: "An argument is longer than Linux allows. Use `CliInitialize.split`, or a file for settings and servers."
  }
]

const bypasses = (options: CliOptions): boolean =>
  options.dangerouslySkipPermissions === true || options.permissionMode === "bypassPermissions" ||
  extraStartsBypassed(options.extraArgs ?? [])

const extraStartsBypassed = (args: ReadonlyArray<string>): boolean =>
  args.some((arg, index) =>
    arg === "--dangerously-skip-permissions" || arg === "--permission-mode=bypassPermissions" ||
    (arg === "--permission-mode" && args[index + 1] === "bypassPermissions")
  )

// A flag that is really another one's value, or comes after `--`, is warned about as well: better once too often.
const extraBypasses = (args: ReadonlyArray<string>): boolean =>
  extraStartsBypassed(args) || hasFlag(args, "--allow-dangerously-skip-permissions")

const hasFlag = (args: ReadonlyArray<string>, flag: string): boolean =>
  args.some((arg) => arg === flag || arg.startsWith(`${flag}=`))

function settingsBypass({ settings }: CliOptions): boolean {
  if (typeof settings !== "object") return false
  const permissions = settings["permissions"]
  return typeof permissions === "object" && permissions !== null && "defaultMode" in permissions &&
    permissions.defaultMode === "bypassPermissions"
}
