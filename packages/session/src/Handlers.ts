/**
 * What a host does for the CLI when it asks. What nobody handles is refused at once, and no consent is ever made up.
 *
 * @since 0.1.0
 * @stability stable
 */
import type { McpServer } from "@claude-duplex/mcp/McpServer"
import type { ElicitationRequest, ElicitationResponse } from "@claude-duplex/protocol/schema/Elicitation"
import type { UserDialogRequest, UserDialogResponse } from "@claude-duplex/protocol/schema/UserDialog"
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import type { Hook } from "./Hook.js"
import type * as Permission from "./Permission.js"

/** Identifies a call of a handler. */
export interface HandlerContext {
  /** The id of the CLI's control request. A later `control_cancel_request` and the events of the call carry it. */
  readonly requestId: string
}

/** Puts a question of an MCP server to the user. */
export type OnElicitation<E = unknown, R = never> = (
  request: ElicitationRequest,
  context: HandlerContext
) => Effect.Effect<ElicitationResponse, E, R>

/** Shows a dialog to the user. Which kinds can be shown, the host says in `initialize`: `supportedDialogKinds`. */
export type OnUserDialog<E = unknown, R = never> = (
  request: UserDialogRequest,
  context: HandlerContext
) => Effect.Effect<UserDialogResponse, E, R>

/**
 * The handlers of a host. Each call runs in its own fiber, which is interrupted when the CLI withdraws the request, and in its
 * own scope, which closes when the call ends: a resource that a handler acquires lives as long as the call.
 *
 * A handler that fails is an event (`HandlerFailed`) and a log entry, and the CLI receives the message of the failure.
 */
export interface Handlers<R = never> {
  /** Decides whether a tool may run. Nobody, a failure, a defect: it may not. */
  readonly onPermission?: Permission.Handler<unknown, R> | undefined
  /**
   * How long {@link onPermission} may take before the tool is denied. A question that it deferred is not its business any
   * more, and stays open. Default: for ever; a person may be asked.
   */
  readonly permissionTimeout?: Duration.DurationInput | undefined
  readonly hooks?: ReadonlyArray<Hook<R>> | undefined
  /** MCP servers that live in the host, by name. */
  readonly mcpServers?: { readonly [name: string]: McpServer<R> } | undefined
  readonly onElicitation?: OnElicitation<unknown, R> | undefined
  readonly onUserDialog?: OnUserDialog<unknown, R> | undefined
  /**
   * The text that the CLI, and through it the model, receives when a handler fails. Its argument is the failure, or the defect.
   * Default: the message of a failure, and nothing about a defect.
   */
  readonly describeFailure?: ((error: unknown) => string) | undefined
}
