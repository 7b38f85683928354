/**
 * Something that is legal and may not do what was meant: a permission handler that can never be called, an old CLI. Told
 * before it costs anybody an hour; nothing fails because of it.
 *
 * @since 0.1.0
 * @stability stable
 */
import * as Schema from "effect/Schema"
import { optional } from "./internal/fields.js"
import * as Open from "./schema/Open.js"

/**
 * The kind of a warning. Transports of other authors may add their own.
 *
 * About options, before a process starts:
 * - `BypassInExtraArgs`: raw arguments switch permissions off, by a flag, by settings or by a subagent.
 * - `BypassInSettings`, `BypassInAgent`: settings or a subagent switch permissions off.
 * - `NobodyIsAsked`: permissions are bypassed, so the prompt tool is never called.
 * - `ShellAllowed`: a rule allows the shell as a whole, so no command is asked about.
 * - `RuleWithoutEffect`: a rule `*`, which allows nothing, and denies nothing on older CLIs.
 * - `NoPermissionPromptTool`: there is no prompt tool, so every tool that would be asked about is denied.
 * - `ProtocolInExtraArgs`: raw arguments change the format that this library speaks.
 * - `ReplayOff`: messages are not echoed, so most CLIs give no evidence but order for which result is whose.
 * - `ArgumentTooLong`: Linux does not start a process with this argument.
 * - `SecretInArguments`: a key or a token is on the command line.
 * - `LeakedEnvironment`: `env` restores a variable that was removed because it does harm.
 *
 * About the CLI, once it runs:
 * - `OldCli`: the CLI is older than what is supported.
 * - `HandlerNeverCalled`, `PermissionsBypassed`: the permission mode means that no handler is asked.
 * - `InitializeIgnored`: the CLI is too old for some fields of `initialize`.
 * - `InitializeSkipped`: the session was told not to send `initialize`, and has something to register in it.
 * - `McpServerFailed`: the CLI could not connect to an MCP server; `subject` is its name.
 * - `InputEndedEarly`: the input was ended while a turn was running.
 * - `TracerFailed`: the tracer of the host threw.
 */
export const WarningKind = Open.literal(
  "BypassInExtraArgs",
  "BypassInSettings",
  "BypassInAgent",
  "NobodyIsAsked",
  "ShellAllowed",
  "RuleWithoutEffect",
  "NoPermissionPromptTool",
  "ProtocolInExtraArgs",
  "ReplayOff",
  "ArgumentTooLong",
  "SecretInArguments",
  "LeakedEnvironment",
  "OldCli",
  "HandlerNeverCalled",
  "PermissionsBypassed",
  "InitializeIgnored",
  "InitializeSkipped",
  "McpServerFailed",
  "InputEndedEarly",
  "TracerFailed"
).annotations({ identifier: "WarningKind" })
export type WarningKind = typeof WarningKind.Type

/** Something to look at. */
export const Warning = Schema.Struct({
  kind: WarningKind,
  /** What the warning is about, if there can be several of a kind, as the name of a server. A session tells each once. */
  subject: optional(Schema.String),
  /** What it leads to and what to do, for people. Values are not quoted: they may be secret. */
  message: Schema.String
}).annotations({ identifier: "Warning" })
export interface Warning extends Schema.Schema.Type<typeof Warning> {}
