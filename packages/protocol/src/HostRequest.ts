/**
 * What the host asks of the CLI, and how each question is answered. The CLI refuses a `subtype` that it does not know with
 * `error_code: "unsupported_request"`: which ones exist depends on its version.
 */
import * as Either from "effect/Either"
import type { ParseError } from "effect/ParseResult"
import * as Record from "effect/Record"
import * as Schema from "effect/Schema"
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
import { validate } from "./internal/validate.js"
import * as Validator from "./internal/validator.js"
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

/** A request of the host's, by `subtype`. */
export const HostRequest = Schema.Union(
  ApplyFlagSettingsRequest,
  BackgroundTasksRequest,
  CancelAsyncMessageRequest,
  FileSuggestionsRequest,
  GetBinaryVersionRequest,
  GetContextUsageRequest,
  GetHooksListingRequest,
  GetSessionCostRequest,
  GetSettingsRequest,
  GetTaskOutputRequest,
  GetUsageRequest,
  InitializeRequest,
  InterruptRequest,
  ListModelsRequest,
  ListPermissionRulesRequest,
  McpCallRequest,
  McpMessageRequest,
  McpReadResourceRequest,
  McpReconnectRequest,
  McpSetServersRequest,
  McpStatusRequest,
  McpToggleRequest,
  ReadFileRequest,
  RegisterRepoRootRequest,
  ReloadOutputStylesRequest,
  ReloadPluginsRequest,
  ReloadSkillsRequest,
  RenameSessionRequest,
  RewindFilesRequest,
  SeedReadStateRequest,
  SetColorRequest,
  SetHasSubscribersRequest,
  SetMaxThinkingTokensRequest,
  SetModelRequest,
  SetPermissionModeRequest,
  StopTaskRequest,
  UpdateSettingsRequest
).annotations({ identifier: "HostRequest" })
export type HostRequest = typeof HostRequest.Type

/** The `subtype` of a request of the host's. */
export type HostSubtype = HostRequest["subtype"]

/** An answer that only says "done": nothing, or an object without promised fields. */
export const Acknowledged = JsonObject.annotations({ identifier: "Acknowledged" })
export type Acknowledged = typeof Acknowledged.Type

/** The schema of the answer to each request of the host's. */
export const responses = {
  apply_flag_settings: Acknowledged,
  background_tasks: Acknowledged,
  cancel_async_message: CancelAsyncMessageResponse,
  file_suggestions: FileSuggestionsResponse,
  get_binary_version: GetBinaryVersionResponse,
  get_context_usage: GetContextUsageResponse,
  get_hooks_listing: GetHooksListingResponse,
  get_session_cost: GetSessionCostResponse,
  get_settings: GetSettingsResponse,
  get_task_output: GetTaskOutputResponse,
  get_usage: GetUsageResponse,
  initialize: InitializeResponse,
  interrupt: InterruptResponse,
  list_models: ListModelsResponse,
  list_permission_rules: ListPermissionRulesResponse,
  mcp_call: Acknowledged,
  mcp_message: Acknowledged,
  mcp_read_resource: McpReadResourceResponse,
  mcp_reconnect: Acknowledged,
  mcp_set_servers: McpSetServersResponse,
  mcp_status: McpStatusResponse,
  mcp_toggle: Acknowledged,
  read_file: ReadFileResponse,
  register_repo_root: Acknowledged,
  reload_output_styles: ReloadOutputStylesResponse,
  reload_plugins: ReloadPluginsResponse,
  reload_skills: ReloadSkillsResponse,
  rename_session: Acknowledged,
  rewind_files: RewindFilesResponse,
  seed_read_state: Acknowledged,
  set_color: Acknowledged,
  set_has_subscribers: Acknowledged,
  set_max_thinking_tokens: Acknowledged,
  set_model: SetModelResponse,
  set_permission_mode: SetPermissionModeResponse,
  stop_task: Acknowledged,
  update_settings: Acknowledged
} as const satisfies Record<HostSubtype, Schema.Schema.Any>

/** The answer to a request of the host's. */
export type HostResponse<S extends HostSubtype> = Schema.Schema.Type<(typeof responses)[S]>

/**
 * Reads the answer to a request. A missing `response` (the CLI leaves it out when there is nothing to say) is an empty one.
 *
 * @example
 * ```ts
 * import * as HostRequest from "@claude-duplex/protocol/HostRequest"
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
