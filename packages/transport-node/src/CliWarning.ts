/**
 * Options that are legal and may not do what was meant, as data: nothing is logged here. What the CLI would refuse is a
 * `CliOptionsError`.
 *
 * @since 0.1.0
 * @stability experimental
 */
import type { Warning } from "@claude-duplex/protocol/Warning"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { isInspected, type Variables } from "./CliEnvironment.js"
import type { CliOptions } from "./CliOptions.js"
import { maxArgumentBytes, toArgv } from "./CliOptions.js"
import { hasFlag, valuesOf } from "./internal/rawArguments.js"
import * as Secrets from "./internal/secrets.js"

/**
 * What is dangerous or surprising about these options, and about what is added to the environment. Settings files are not
 * read.
 *
 * @example
 * ```ts
 * import * as CliWarning from "@claude-duplex/transport-node/CliWarning"
 *
 * CliWarning.warnings({ permissionPromptTool: "stdio", extraArgs: ["--dangerously-skip-permissions"] })
 *   .map((warning) => warning.kind) // ["BypassInExtraArgs", "NobodyIsAsked"]
 * ```
 */
export const warnings = (options: CliOptions, env: Variables = {}): ReadonlyArray<Warning> =>
  checks.flatMap(({ applies, kind, message }) => applies(options, env) ? [{ kind, message }] : [])

const checks: ReadonlyArray<Warning & { readonly applies: (options: CliOptions, env: Variables) => boolean }> = [
  {
    kind: "BypassInExtraArgs",
    applies: (o) => extraBypasses(o.extraArgs ?? []),
    message:
      "`extraArgs` switches permission checks off, or allows that to be done later: by a flag, in settings or for a " +
      "subagent. If it is meant, say so with `dangerouslySkipPermissions` or `allowDangerouslySkipPermissions`."
  },
  {
    kind: "BypassInSettings",
    applies: (o) => o.settings !== undefined && bypassing(settingsIn(o.settings)),
    message: "`settings` starts the session in `bypassPermissions`: every tool runs unasked. If it is meant, say so " +
      "with `dangerouslySkipPermissions`."
  },
  {
    kind: "BypassInAgent",
    applies: (o) => isBypassingAgents(o.agents ?? {}),
    message: "A subagent in `agents` has the mode `bypassPermissions`: its tools may run unasked."
  },
  {
    kind: "NobodyIsAsked",
    applies: (o) => o.permissionPromptTool !== undefined && bypasses(o),
    message: "Permissions are bypassed, so `permissionPromptTool` and any permission handler are never called."
  },
  {
    kind: "ShellAllowed",
    applies: (o) => o.permissionPromptTool !== undefined && allowRules(o).some((rule) => /^Bash(\(\*\))?$/.test(rule)),
    message:
      "A rule allows `Bash` as a whole: every command runs unasked, and a shell can do whatever any tool can. A " +
      "permission handler is never called for it. Name the commands that may run: \"Bash(git log:*)\"."
  },
  {
    kind: "RuleWithoutEffect",
    applies: (o) => [...allowRules(o), ...(o.disallowedTools ?? [])].includes("*"),
    message:
      "A rule is `*`. No CLI takes that as an allow rule, and as a deny rule only newer ones do: 2.1.326 then has no " +
      "tools, 2.1.50 and 1.0.128 have all of them. Name the tools, or take them away with `tools`."
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
  },
  {
    kind: "SecretInArguments",
    applies: (o) => Secrets.inOptions(o).length > 0,
    message: "What is called a key, a token or a header is on the command line, where everybody sees it who can list " +
      "processes. Send servers in `initialize` (`CliInitialize.split` with `move: \"all\"`), or put servers and settings " +
      "into files that only you can read."
  },
  {
    kind: "LeakedEnvironment",
    applies: (_, env) => env["CLAUDECODE"] !== undefined || isInspected(env),
    message:
      "`env` passes on `CLAUDECODE` or a debugger's options. A CLI that believes to run inside another one refuses " +
      "or misbehaves, and one under a debugger stops and waits for it. Leave them out."
  }
]

/** Whether the session begins with nobody being asked. */
const bypasses = (options: CliOptions): boolean =>
  options.dangerouslySkipPermissions === true || options.permissionMode === "bypassPermissions" ||
  extraStartsBypassed(options.extraArgs ?? [])

const extraStartsBypassed = (args: ReadonlyArray<string>): boolean =>
  hasFlag(args, "--dangerously-skip-permissions") ||
  valuesOf(args, "--permission-mode").includes("bypassPermissions") ||
  valuesOf(args, "--settings").some((settings) => bypassing(settingsIn(settings)))

const extraBypasses = (args: ReadonlyArray<string>): boolean =>
  extraStartsBypassed(args) || hasFlag(args, "--allow-dangerously-skip-permissions") ||
  valuesOf(args, "--agents").some((agents) => Option.exists(parseJson(agents), isBypassingAgents))

/** Rules that let tools run unasked, wherever they are given. Settings files are not read. */
function allowRules(options: CliOptions): ReadonlyArray<string> {
  const extra = options.extraArgs ?? []
  const settings = [...(options.settings === undefined ? [] : [options.settings]), ...valuesOf(extra, "--settings")]
  return [
    ...(options.allowedTools ?? []),
    ...["--allowedTools", "--allowed-tools"].flatMap((flag) => valuesOf(extra, flag)),
    ...settings.flatMap((given) =>
      Option.match(Option.flatMap(settingsIn(given), Schema.decodeUnknownOption(AllowingSettings)), {
        onNone: () => [],
        onSome: ({ permissions }) => permissions.allow
      })
    )
  ]
}

const AllowingSettings = Schema.Struct({ permissions: Schema.Struct({ allow: Schema.Array(Schema.String) }) })

const bypassing = (settings: Option.Option<unknown>): boolean => Option.exists(settings, Schema.is(BypassingSettings))

const BypassingSettings = Schema.Struct({
  permissions: Schema.Struct({ defaultMode: Schema.Literal("bypassPermissions") })
})

const isBypassingAgents = (agents: unknown): boolean =>
  typeof agents === "object" && agents !== null && Object.values(agents).some(Schema.is(BypassingAgent))

const BypassingAgent = Schema.Struct({ permissionMode: Schema.Literal("bypassPermissions") })

/** Settings that are given as text are JSON, or the name of a file. */
const settingsIn = (settings: NonNullable<CliOptions["settings"]>): Option.Option<unknown> =>
  typeof settings === "string" ? parseJson(settings) : Option.some(settings)

const parseJson = Schema.decodeOption(Schema.parseJson())
