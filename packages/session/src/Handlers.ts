/**
 * What a host does for the CLI when it asks: hooks, MCP servers that live in the host, questions of MCP servers, dialogs.
 * What nobody handles is refused at once, and no consent is ever made up.
 */
import type { ElicitationRequest, ElicitationResponse } from "@claude-duplex/protocol/Elicitation"
import type { HookEvent, HookInput } from "@claude-duplex/protocol/Hook"
import type { HookOutput } from "@claude-duplex/protocol/HookOutput"
import type { JsonRpcMessage } from "@claude-duplex/protocol/JsonRpc"
import type { UserDialogRequest, UserDialogResponse } from "@claude-duplex/protocol/UserDialog"
import type { Effect } from "effect"

/** A hook: called for every event of its kind that its matcher lets through. */
export interface Hook<E = unknown, R = never> {
  readonly event: HookEvent
  /** Which tools, as the CLI matches them. Default: all. */
  readonly matcher?: string | undefined
  /** How long the CLI waits for it, in seconds. */
  readonly timeout?: number | undefined
  readonly run: (input: HookInput, toolUseId: string | undefined) => Effect.Effect<HookOutput, E, R>
}

/** An MCP server that lives in the host: answers JSON-RPC. Notifications need no answer; return nothing. */
export type McpServer<E = unknown, R = never> = (
  message: JsonRpcMessage
) => Effect.Effect<JsonRpcMessage | undefined, E, R>

/** Puts a question of an MCP server to the user. */
export type OnElicitation<E = unknown, R = never> = (
  request: ElicitationRequest
) => Effect.Effect<ElicitationResponse, E, R>

/** Shows a dialog to the user. */
export type OnUserDialog<E = unknown, R = never> = (
  request: UserDialogRequest
) => Effect.Effect<UserDialogResponse, E, R>
