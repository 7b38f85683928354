/**
 * Where the walk begins: which type of the SDK's stands for which schema of ours, and who writes it.
 */
import { CliFrame } from "@claude-duplex/protocol/Frame"
import { CliRequest, responses as cliResponses } from "@claude-duplex/protocol/schema/CliRequest"
import { HookEvent, HookInput } from "@claude-duplex/protocol/schema/HookCallback"
import { HostRequest, responses as hostResponses } from "@claude-duplex/protocol/schema/HostRequest"
import { McpServerStatus } from "@claude-duplex/protocol/schema/McpServerConfig"
import { Origin } from "@claude-duplex/protocol/schema/Origin"
import { PermissionUpdate } from "@claude-duplex/protocol/schema/PermissionRequest"
import { HostUserFrame } from "@claude-duplex/protocol/schema/UserFrame"
import type { SchemaAST as AST } from "effect"
import { Schema } from "effect"

export interface Root {
  /** `undefined` where the SDK has no type: only recordings can vouch for such a schema. */
  readonly sdk: string | undefined
  readonly ours: string
  readonly ast: AST.AST
  readonly writer: "cli" | "host"
  /** Fields of which only the name is compared. */
  readonly byNameOnly?: ReadonlyArray<string>
}

/** The SDK's type of each answer to the host. The others have none. */
const hostResponseTypes: Partial<Record<keyof typeof hostResponses, string>> = {
  get_context_usage: "SDKControlGetContextUsageResponse",
  get_hooks_listing: "SDKControlGetHooksListingResponse",
  get_task_output: "SDKControlGetTaskOutputResponse",
  get_usage: "SDKControlGetUsageResponse",
  initialize: "SDKControlInitializeResponse",
  interrupt: "SDKControlInterruptResponse",
  list_permission_rules: "SDKControlListPermissionRulesResponse",
  mcp_read_resource: "SDKControlMcpReadResourceResponse",
  mcp_set_servers: "McpSetServersResult",
  read_file: "SDKControlReadFileResponse",
  reload_output_styles: "SDKControlReloadOutputStylesResponse",
  reload_plugins: "SDKControlReloadPluginsResponse",
  reload_skills: "SDKControlReloadSkillsResponse",
  rewind_files: "RewindFilesResult"
}

/** The SDK's type of each answer of the host's. */
const cliResponseTypes: Partial<Record<keyof typeof cliResponses, string>> = {
  can_use_tool: "PermissionResult",
  elicitation: "ElicitationResult",
  hook_callback: "HookJSONOutput",
  request_user_dialog: "UserDialogResult"
}

const answers = (
  table: Readonly<Record<string, Schema.Schema.Any>>,
  types: Readonly<Partial<Record<string, string>>>,
  writer: "cli" | "host"
): ReadonlyArray<Root> =>
  Object.entries(table).map(([subtype, schema]) => ({
    sdk: types[subtype],
    ours: `answer to ${subtype}`,
    ast: schema.ast,
    writer
  }))

export const roots: ReadonlyArray<Root> = [
  { sdk: "StdoutMessage", ours: "CliFrame", ast: CliFrame.ast, writer: "cli" },
  // What we let a host say is narrower than what the API's own type allows; the blocks are compared where the CLI sends.
  {
    sdk: "SDKUserMessage",
    ours: "HostUserFrame",
    ast: HostUserFrame.ast,
    writer: "host",
    byNameOnly: ["message", "pasted_content"]
  },
  { sdk: "HookInput", ours: "HookInput", ast: HookInput.ast, writer: "cli" },
  { sdk: "HookEvent", ours: "HookEvent", ast: HookEvent.ast, writer: "host" },
  { sdk: "McpServerStatus", ours: "McpServerStatus", ast: McpServerStatus.ast, writer: "cli" },
  { sdk: "SDKMessageOrigin", ours: "Origin", ast: Origin.ast, writer: "cli" },
  { sdk: "PermissionUpdate", ours: "PermissionUpdate", ast: PermissionUpdate.ast, writer: "cli" },
  ...answers(hostResponses, hostResponseTypes, "cli"),
  ...answers(cliResponses, cliResponseTypes, "host")
]

/** The SDK has one union of control requests, for both directions; we have two. */
export const instead: ReadonlyMap<AST.AST, AST.AST> = new Map([
  [CliRequest.ast, Schema.Union(CliRequest.annotations({}), HostRequest).ast]
])

/** Requests that only a host writes. */
export const hostNodes: ReadonlySet<object> = new Set(
  HostRequest.members.map(({ ast }) => ast).filter((ast) => !CliRequest.members.some((member) => member.ast === ast))
)

/** Names by which a type is known to belong to the protocol: each must be reached. */
export const protocolNames: ReadonlyArray<RegExp> = [
  /^SDK.*Message$/,
  /^SDKControl.*Request$/,
  /^SDKControl.*Response$/,
  /HookInput$/,
  /HookSpecificOutput$/
]
