/**
 * What the CLI asks of the host, and how each question is answered. A request that nobody answers stalls the CLI for
 * ever, so an unknown `subtype` is answered too: with an error.
 *
 * @since 0.1.0
 * @stability stable
 */
import type { Either } from "effect/Either"
import type { ParseError } from "effect/ParseResult"
import * as Schema from "effect/Schema"
import { validate } from "../internal/validate.js"
import { ElicitationRequest, ElicitationResponse } from "./Elicitation.js"
import { HookCallbackRequest } from "./HookCallback.js"
import { HookOutput } from "./HookOutput.js"
import { McpMessageRequest, McpMessageResponse } from "./McpRequest.js"
import { CanUseToolRequest, PermissionResult } from "./PermissionRequest.js"
import { UserDialogRequest, UserDialogResponse } from "./UserDialog.js"

/** A request of the CLI's, by `subtype`. */
export const CliRequest = Schema.Union(
  CanUseToolRequest,
  HookCallbackRequest,
  McpMessageRequest,
  ElicitationRequest,
  UserDialogRequest
).annotations({ identifier: "CliRequest" })
export type CliRequest = typeof CliRequest.Type

/** The `subtype` of a request of the CLI's. */
export type CliSubtype = CliRequest["subtype"]

/** The schema of the answer to each request of the CLI's. */
export const responses = {
  can_use_tool: PermissionResult,
  hook_callback: HookOutput,
  mcp_message: McpMessageResponse,
  elicitation: ElicitationResponse,
  request_user_dialog: UserDialogResponse
} as const satisfies Record<CliSubtype, Schema.Schema.Any>

/** The answer to a request of the CLI's. */
export type CliResponse<S extends CliSubtype> = Schema.Schema.Type<(typeof responses)[S]>

/**
 * Checks an answer before it is sent: the frame's own schema takes any object as `response`.
 *
 * @example
 * ```ts
 * import * as CliRequest from "@claude-duplex/protocol/schema/CliRequest"
 *
 * CliRequest.validateResponse("can_use_tool", { behavior: "allow" }) // Left: updatedInput is missing
 * ```
 */
export const validateResponse = <S extends CliSubtype>(
  subtype: S,
  response: unknown
): Either<CliResponse<S>, ParseError> =>
  // The table's value at `subtype` is the schema of exactly that answer; TypeScript widens the look-up to the union.
  validate(responses[subtype] as unknown as Schema.Schema<CliResponse<S>>, response)
