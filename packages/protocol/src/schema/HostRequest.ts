/**
 * Control requests of the host: one table, {@link requests}, with the payload, the response and the first version of each. The
 * CLI refuses a `subtype` that it does not know with `error_code: "unsupported_request"`.
 *
 * @since 0.1.0
 * @stability stable
 */
import * as Either from "effect/Either"
import type { ParseError } from "effect/ParseResult"
import * as Record from "effect/Record"
import * as Schema from "effect/Schema"
import { validate } from "../internal/validate.js"
import * as Validator from "../internal/validator.js"
import { GetContextUsageRequest, GetContextUsageResponse } from "./ContextUsage.js"
import {
  CancelAsyncMessageRequest,
  CancelAsyncMessageResponse,
  InterruptRequest,
  InterruptResponse,
  ListModelsRequest,
  ListModelsResponse,
  RenameSessionRequest,
  RewindFilesRequest,
  RewindFilesResponse,
  SeedReadStateRequest,
  SetColorRequest,
  SetHasSubscribersRequest,
  SetMaxThinkingTokensRequest,
  SetModelRequest,
  SetModelResponse,
  SetPermissionModeRequest,
  SetPermissionModeResponse
} from "./ConversationRequest.js"
import { InitializeRequest, InitializeResponse } from "./InitializeRequest.js"
import { JsonObject } from "./Json.js"
import {
  McpCallRequest,
  McpMessageRequest,
  McpReadResourceRequest,
  McpReadResourceResponse,
  McpReconnectRequest,
  McpSetServersRequest,
  McpSetServersResponse,
  McpStatusRequest,
  McpStatusResponse,
  McpToggleRequest
} from "./McpRequest.js"
import {
  ApplyFlagSettingsRequest,
  GetHooksListingRequest,
  GetHooksListingResponse,
  GetSettingsRequest,
  GetSettingsResponse,
  ListPermissionRulesRequest,
  ListPermissionRulesResponse,
  UpdateSettingsRequest
} from "./SettingsRequest.js"
import { BackgroundTasksRequest, GetTaskOutputRequest, GetTaskOutputResponse, StopTaskRequest } from "./TaskRequest.js"
import { GetSessionCostRequest, GetSessionCostResponse, GetUsageRequest, GetUsageResponse } from "./UsageRequest.js"
import {
  FileSuggestionsRequest,
  FileSuggestionsResponse,
  GetBinaryVersionRequest,
  GetBinaryVersionResponse,
  ReadFileRequest,
  ReadFileResponse,
  RegisterRepoRootRequest,
  ReloadOutputStylesRequest,
  ReloadOutputStylesResponse,
  ReloadPluginsRequest,
  ReloadPluginsResponse,
  ReloadSkillsRequest,
  ReloadSkillsResponse
} from "./WorkspaceRequest.js"

/** An answer that only says "done": nothing, or an object without promised fields. */
export const Acknowledged = JsonObject.annotations({ identifier: "Acknowledged" })
export type Acknowledged = typeof Acknowledged.Type

/** What is known of one control request. */
export interface Definition {
  /** The request itself. */
  readonly payload: Schema.Schema.Any
  /** What the CLI answers. */
  readonly response: Schema.Schema.Any
  /** The first version, of those that were tried, that carries the request out; undefined if none of them does. */
  readonly since: string | undefined
}

/**
 * Every control request of a host, by `subtype`. Everything else that knows requests is derived from this table:
 * {@link HostRequest}, {@link responses}, the methods of `Control`, their table in `docs/guide/control.md`, which requests an old
 * CLI is asked, and the table in `docs/support.md`, which `pnpm e2e` compares with the real CLIs.
 *
 * @example
 * ```ts
 * import { requests } from "@claude-duplex/protocol/schema/HostRequest"
 *
 * console.log(requests.get_context_usage.since) // "2.1.143"
 * ```
 */
export const requests = {
  /** Changes settings of this session, as flags do. Nothing is saved. */
  apply_flag_settings: { payload: ApplyFlagSettingsRequest, response: Acknowledged, since: "2.1.50" },
  /** Moves running work to the background: one tool call, or all. */
  background_tasks: { payload: BackgroundTasksRequest, response: Acknowledged, since: "2.1.143" },
  /** Removes a message from the CLI's queue. */
  cancel_async_message: { payload: CancelAsyncMessageRequest, response: CancelAsyncMessageResponse, since: "2.1.143" },
  /** Completes a file name. */
  file_suggestions: { payload: FileSuggestionsRequest, response: FileSuggestionsResponse, since: "2.1.143" },
  /** Returns the version of the CLI. */
  get_binary_version: { payload: GetBinaryVersionRequest, response: GetBinaryVersionResponse, since: "2.1.143" },
  /** Returns how full the context is, and what fills it. */
  get_context_usage: { payload: GetContextUsageRequest, response: GetContextUsageResponse, since: "2.1.143" },
  /** Lists the configured hooks. */
  get_hooks_listing: { payload: GetHooksListingRequest, response: GetHooksListingResponse, since: "2.1.326" },
  /** Returns the cost of the session, as text. */
  get_session_cost: { payload: GetSessionCostRequest, response: GetSessionCostResponse, since: "2.1.143" },
  /** Returns the effective settings and their sources. */
  get_settings: { payload: GetSettingsRequest, response: GetSettingsResponse, since: "2.1.143" },
  /** Returns the output of a background task. */
  get_task_output: { payload: GetTaskOutputRequest, response: GetTaskOutputResponse, since: "2.1.326" },
  /** Returns the usage and limits of the account. */
  get_usage: { payload: GetUsageRequest, response: GetUsageResponse, since: "2.1.250" },
  /** Registers hooks and MCP servers, and sets prompts, agents and other options. */
  initialize: { payload: InitializeRequest, response: InitializeResponse, since: "1.0.128" },
  /** Interrupts the running turn. */
  interrupt: { payload: InterruptRequest, response: InterruptResponse, since: "1.0.60" },
  /** Lists the models that can be chosen. */
  list_models: { payload: ListModelsRequest, response: ListModelsResponse, since: "2.1.250" },
  /** Lists the permission rules in effect. */
  list_permission_rules: {
    payload: ListPermissionRulesRequest,
    response: ListPermissionRulesResponse,
    since: "2.1.326"
  },
  /** Calls a tool of an MCP server, without the model. */
  mcp_call: { payload: McpCallRequest, response: Acknowledged, since: "2.1.143" },
  /** Sends a JSON-RPC message to the CLI as an MCP server that lives in the host. */
  mcp_message: { payload: McpMessageRequest, response: Acknowledged, since: "2.0.76" },
  /** Reads a resource of an MCP server. */
  mcp_read_resource: { payload: McpReadResourceRequest, response: McpReadResourceResponse, since: "2.1.326" },
  /** Connects to an MCP server again. */
  mcp_reconnect: { payload: McpReconnectRequest, response: Acknowledged, since: "2.1.50" },
  /** Replaces the MCP servers that an earlier call set. For servers that live in the host: `Session.setMcpServers`. */
  mcp_set_servers: { payload: McpSetServersRequest, response: McpSetServersResponse, since: "2.0.76" },
  /** Lists the MCP servers and their status. */
  mcp_status: { payload: McpStatusRequest, response: McpStatusResponse, since: "1.0.128" },
  /** Enables or disables an MCP server. */
  mcp_toggle: { payload: McpToggleRequest, response: Acknowledged, since: "2.1.50" },
  /** Reads a file as the CLI sees it. */
  read_file: { payload: ReadFileRequest, response: ReadFileResponse, since: "2.1.143" },
  /** Adds the root of a repository. */
  register_repo_root: { payload: RegisterRepoRootRequest, response: Acknowledged, since: "2.1.250" },
  /** Reads the output styles again. */
  reload_output_styles: { payload: ReloadOutputStylesRequest, response: ReloadOutputStylesResponse, since: "2.1.326" },
  /** Reads the plugins again. */
  reload_plugins: { payload: ReloadPluginsRequest, response: ReloadPluginsResponse, since: "2.1.143" },
  /** Reads the skills again. */
  reload_skills: { payload: ReloadSkillsRequest, response: ReloadSkillsResponse, since: "2.1.250" },
  /** Changes the title of the session. */
  rename_session: { payload: RenameSessionRequest, response: Acknowledged, since: "2.1.250" },
  /** Restores files to their state at a user message. A dry run only reports what would change. */
  rewind_files: { payload: RewindFilesRequest, response: RewindFilesResponse, since: "2.0.76" },
  /** Tells the CLI that a file was read, so that it may be changed. */
  seed_read_state: { payload: SeedReadStateRequest, response: Acknowledged, since: "2.1.143" },
  /** Changes the color of the session. */
  set_color: { payload: SetColorRequest, response: Acknowledged, since: undefined },
  /** Tells the CLI whether a client is watching; `null` is unknown. */
  set_has_subscribers: { payload: SetHasSubscribersRequest, response: Acknowledged, since: "2.1.326" },
  /** Changes how many tokens the model may use for thinking, and how thinking is displayed. */
  set_max_thinking_tokens: { payload: SetMaxThinkingTokensRequest, response: Acknowledged, since: "2.0.76" },
  /** Changes the model. Without one, the default is used again. */
  set_model: { payload: SetModelRequest, response: SetModelResponse, since: "1.0.128" },
  /** Changes the permission mode. */
  set_permission_mode: { payload: SetPermissionModeRequest, response: SetPermissionModeResponse, since: "1.0.128" },
  /** Stops a background task. */
  stop_task: { payload: StopTaskRequest, response: Acknowledged, since: "2.1.50" },
  /** Changes settings and saves them. */
  update_settings: { payload: UpdateSettingsRequest, response: Acknowledged, since: "2.1.326" }
} as const satisfies { readonly [subtype: string]: Definition }

type Requests = typeof requests

/** The `subtype` of a request of the host's. */
export type HostSubtype = keyof Requests

type Payload = Requests[HostSubtype]["payload"]

// There are at least two, without which `Union` has no `members`.
const payloads = Record.values(Record.map(requests, ({ payload }) => payload)) as [Payload, Payload, ...Array<Payload>]

/** A request of the host's, by `subtype`. */
export const HostRequest = Schema.Union(...payloads).annotations({ identifier: "HostRequest" })
export type HostRequest = typeof HostRequest.Type

/** `Record.map` keeps the keys, but its type does not say that each has the value of its own row. */
type Responses = { readonly [S in HostSubtype]: Requests[S]["response"] }

/** The schema of the answer to each request of the host's. */
export const responses = Record.map(requests, ({ response }) => response) as Responses

/** The answer to a request of the host's. */
export type HostResponse<S extends HostSubtype> = Schema.Schema.Type<(typeof responses)[S]>

/**
 * Reads the answer to a request. A missing `response` (the CLI leaves it out when there is nothing to say) is an empty one.
 *
 * @example
 * ```ts
 * import * as HostRequest from "@claude-duplex/protocol/schema/HostRequest"
 *
 * HostRequest.decodeResponse("set_model", { model: "claude-haiku-4-5" }) // Right: the same object, typed
 * ```
 */
export const decodeResponse = <S extends HostSubtype>(
  subtype: S,
  response: unknown
): Either.Either<HostResponse<S>, ParseError> => {
  const value = response ?? {}
  // The table's value at `subtype` is the schema of exactly that answer; TypeScript widens the look-up to the union.
  const schema = responses[subtype] as unknown as Schema.Schema<HostResponse<S>>
  // The check is the schema's own. It keeps what the schema does not know, which the schema itself would take away.
  return checks[subtype](value) ? Either.right(value as HostResponse<S>) : validate(schema, value)
}

const checks = Record.map(responses, (schema) => Validator.make(schema))
