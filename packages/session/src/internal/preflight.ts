/**
 * What a session can see from its handlers and from what the CLI says of itself that will not do what was meant. What can
 * be seen from the CLI's options alone is the transport's business; both are told as `Warned`.
 */
import type { Launch } from "@claude-duplex/protocol/Connector"
import type { SystemInitFrame } from "@claude-duplex/protocol/schema/SystemFrame"
import type { Warning } from "@claude-duplex/protocol/Warning"

/** What matters of a session's options. */
export interface Expectations {
  readonly hasPermissionHandler: boolean
  /** Subagents in `initialize` that ask nobody. */
  readonly bypassingAgents: ReadonlyArray<string>
  /** The options that only `initialize` carries; older CLIs ignore them. */
  readonly initialize: ReadonlyArray<string>
}

/** What the session's options expect of how the CLI was started. */
export interface LaunchExpectations {
  readonly hasPermissionHandler: boolean
  /** Whether the session sends `initialize`. */
  readonly isInitialized: boolean
  /** The fields of `initialize` that the host has values for. */
  readonly registers: ReadonlyArray<string>
}

/** Warnings that can be given as soon as the CLI is connected. */
export const launchWarnings = (
  { permissionPrompts }: Launch,
  { hasPermissionHandler, isInitialized, registers }: LaunchExpectations
): ReadonlyArray<Warning> => [
  ...(hasPermissionHandler && permissionPrompts === false
    ? [{
      kind: "HandlerNeverCalled" as const,
      subject: "permissionPromptTool",
      message:
        "The CLI was started without `--permission-prompt-tool stdio`, so the permission handler is never called, and tools " +
        "that need permission are denied. Set `permissionPromptTool: \"stdio\"` in the connector's options."
    }]
    : []),
  ...(isInitialized || registers.length === 0 ? [] : [{
    kind: "InitializeSkipped" as const,
    message: `The session does not send \`initialize\`, so ${registers.join(", ")} have no effect. Remove ` +
      "`initialization: \"skip\"`, or send `initialize` with `reinitialize`."
  }])
]

/** `initialize` fields that a CLI of the 1.0 line takes note of. */
const understoodEarly = new Set(["hooks", "sdkMcpServers"])

export const warnings = (
  { claude_code_version: version, mcp_servers: servers, permissionMode: mode }: SystemInitFrame,
  { bypassingAgents, hasPermissionHandler, initialize }: Expectations
): ReadonlyArray<Warning> => {
  const found: Array<Warning> = []
  if (hasPermissionHandler && (mode === "bypassPermissions" || mode === "dontAsk")) {
    found.push({
      kind: "HandlerNeverCalled",
      message: `The session is in the mode \`${mode}\`, so the permission handler is never called: ` +
        (mode === "dontAsk" ? "what is not allowed by a rule is denied." : "every tool runs unasked.") +
        " Start it in another mode, or change it with `control.setPermissionMode`."
    })
  }
  if (!hasPermissionHandler && mode === "bypassPermissions") {
    found.push({
      kind: "PermissionsBypassed",
      message:
        "The session is in the mode `bypassPermissions`: every tool runs unasked. If it is not meant, look for it in " +
        "the options, in raw arguments and in settings files."
    })
  }
  if (bypassingAgents.length > 0) {
    found.push({
      kind: "BypassInAgent",
      message: `Subagents have the mode \`bypassPermissions\`: the tools of ${
        bypassingAgents.join(", ")
      } may run unasked.`
    })
  }
  // CLIs of the 1.0 line do not tell their version.
  const ignored = version === undefined ? initialize.filter((name) => !understoodEarly.has(name)) : []
  if (ignored.length > 0) {
    found.push({
      kind: "InitializeIgnored",
      message: `This CLI is too old to take ${ignored.join(", ")} in \`initialize\`, and says nothing of it. ` +
        "Give them as options of the process, or use a newer CLI."
    })
  }
  for (const { name, status } of servers) {
    if (status !== "failed") continue
    found.push({
      kind: "McpServerFailed",
      subject: name,
      message: `The CLI could not connect to the MCP server ${name}: its tools are missing. ` +
        "`control.mcpStatus` gives the reason, `control.mcpReconnect` tries again."
    })
  }
  return found
}
