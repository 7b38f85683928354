/**
 * The same question as the walk's, asked of TypeScript: is a value of the SDK's type a value of ours? Nothing here runs;
 * a type that drifts fails the build, and the error names the member that does not fit.
 */
import type * as Sdk from "@anthropic-ai/claude-agent-sdk"
import type { CliFrame } from "@claude-duplex/protocol/Frame"
import type { CliRequest, CliResponse } from "@claude-duplex/protocol/schema/CliRequest"
import type { ControlResponseFrame } from "@claude-duplex/protocol/schema/ControlFrame"
import type { HookEvent, HookInput } from "@claude-duplex/protocol/schema/HookCallback"
import type { HostRequest, HostResponse } from "@claude-duplex/protocol/schema/HostRequest"
import type { McpServerStatus } from "@claude-duplex/protocol/schema/McpServerConfig"
import type { Unrecognized } from "@claude-duplex/protocol/schema/Open"
import type { Origin } from "@claude-duplex/protocol/schema/Origin"
import type { PermissionUpdate } from "@claude-duplex/protocol/schema/PermissionRequest"
import type { HostUserFrame } from "@claude-duplex/protocol/schema/UserFrame"

/** The members of `From` that are not assignable to `To`. */
type Refused<From, To> = From extends unknown ? (From extends To ? never : From) : never

/** Fails to compile for anything but `never`, and shows what it was given. */
type None<T extends never> = T

/**
 * A type as JSON sees it: arrays and fields are not readonly, and an interface is an object like any other (TypeScript
 * gives no interface an index signature, so none would be assignable to our `JsonObject`).
 */
type Plain<T> = T extends string ? T
  : T extends ReadonlyArray<infer Item> ? Array<Plain<Item>>
  : T extends object ? { -readonly [K in keyof T]: Plain<T[K]> }
  : T

type Same<A, B> = (<X>() => X extends A ? 1 : 2) extends (<X>() => X extends B ? 1 : 2) ? true : false

/**
 * Ours without its openness: the listed literals, the known members. TypeScript cannot say that `string & {}` or the
 * opaque `Unrecognized` is a value which the SDK may add one day; what is listed can be compared, and the walk does the
 * rest (it also finds what is assignable only because our type is open).
 */
type Closed<T> = T extends string ? (Same<T, string & {}> extends true ? never : T)
  : T extends ReadonlyArray<infer Item> ? Array<Closed<Item>>
  : T extends { type: Unrecognized } | { kind: Unrecognized } | { hook_event_name: Unrecognized } ? never
  : T extends object ? { -readonly [K in keyof T]: Closed<T[K]> }
  : T

type SdkRequest = Sdk.SDKControlRequest["request"]

/** The SDK has the API's type of any message where a user frame holds a user's: see `exceptions.ts`. */
type SdkUser = (Sdk.SDKUserMessage | Sdk.SDKUserMessageReplay) & { message: { role: "user" } }

export type Messages = None<Refused<Plain<Exclude<Sdk.SDKMessage, { type: "user" }>>, CliFrame>>
export type Users = None<Refused<Plain<SdkUser>, CliFrame>>
export type ActiveGoal = None<Refused<Sdk.SDKActiveGoalMessage, CliFrame>>
export type ControlResponses = None<Refused<Sdk.SDKControlResponse, ControlResponseFrame>>
export type Requests = None<Refused<SdkRequest, CliRequest | HostRequest>>
/** Without `mcp_message`: its JSON-RPC parameters are opaque to us, and an opaque value is assignable to nothing. */
export type RequestsBack = None<Refused<Closed<Exclude<HostRequest, { subtype: "mcp_message" }>>, SdkRequest>>
export type HookInputs = None<Refused<Sdk.HookInput, HookInput>>
export type HookEvents = None<Refused<Sdk.HookEvent, HookEvent> | Refused<HookEvent, Sdk.HookEvent>>
export type Statuses = None<Refused<Sdk.McpServerStatus, McpServerStatus>>
export type Origins = None<Refused<Sdk.SDKMessageOrigin, Origin>>
export type Updates = None<Refused<Sdk.PermissionUpdate, PermissionUpdate>>
export type UpdatesBack = None<Refused<Closed<PermissionUpdate>, Sdk.PermissionUpdate>>
/**
 * Not of the whole frame: a `uuid` is plain text for us, and the blocks in `message` and `pasted_content` hold opaque
 * parts. `parent_tool_use_id` is the walk's to judge.
 */
type NotCompared = "message" | "pasted_content" | "uuid" | "parent_tool_use_id"
export type UserFields = None<Exclude<keyof HostUserFrame, keyof Sdk.SDKUserMessage>>
export type UserFrames = None<Refused<Omit<Closed<HostUserFrame>, NotCompared>, Omit<Sdk.SDKUserMessage, NotCompared>>>

/** Answers to the host. */
export type Initialize = None<Refused<Sdk.SDKControlInitializeResponse, HostResponse<"initialize">>>
export type Interrupt = None<Refused<Sdk.SDKControlInterruptResponse, HostResponse<"interrupt">>>
export type ContextUsage = None<Refused<Sdk.SDKControlGetContextUsageResponse, HostResponse<"get_context_usage">>>
export type Usage = None<Refused<Sdk.SDKControlGetUsageResponse, HostResponse<"get_usage">>>
export type Rules = None<Refused<Sdk.SDKControlListPermissionRulesResponse, HostResponse<"list_permission_rules">>>
export type Resource = None<Refused<Sdk.SDKControlMcpReadResourceResponse, HostResponse<"mcp_read_resource">>>
export type File = None<Refused<Sdk.SDKControlReadFileResponse, HostResponse<"read_file">>>
export type Plugins = None<Refused<Sdk.SDKControlReloadPluginsResponse, HostResponse<"reload_plugins">>>
export type Skills = None<Refused<Sdk.SDKControlReloadSkillsResponse, HostResponse<"reload_skills">>>
export type Styles = None<Refused<Sdk.SDKControlReloadOutputStylesResponse, HostResponse<"reload_output_styles">>>
export type Rewound = None<Refused<Sdk.RewindFilesResult, HostResponse<"rewind_files">>>
export type Servers = None<Refused<Sdk.McpSetServersResult, HostResponse<"mcp_set_servers">>>

/** Answers of the host's: what ours writes, the SDK's type must take. */
export type Permission = None<Refused<Closed<CliResponse<"can_use_tool">>, Sdk.PermissionResult>>
export type Hook = None<Refused<Closed<CliResponse<"hook_callback">>, Sdk.HookJSONOutput>>
export type HookBack = None<Refused<Sdk.HookJSONOutput, CliResponse<"hook_callback">>>
export type Elicitation = None<Refused<Closed<CliResponse<"elicitation">>, Sdk.ElicitationResult>>
export type ElicitationBack = None<Refused<Sdk.ElicitationResult, CliResponse<"elicitation">>>
export type Dialog = None<Refused<Closed<CliResponse<"request_user_dialog">>, Sdk.UserDialogResult>>
export type DialogBack = None<Refused<Sdk.UserDialogResult, CliResponse<"request_user_dialog">>>
