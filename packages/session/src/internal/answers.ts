/**
 * Finds the answer to a request of the CLI's with the handlers that the host gave: hooks by the ids that they were
 * registered under, MCP messages by server, the rest by kind. A permission that is left open has no answer yet.
 */
import type { CliRequest } from "@claude-duplex/protocol/CliRequest"
import type { InitializeRequest } from "@claude-duplex/protocol/InitializeRequest"
import type { JsonObject } from "@claude-duplex/protocol/Json"
import { Cause, Effect, Option } from "effect"
import type { Hook, McpServer, OnElicitation, OnUserDialog } from "../Handlers.js"
import * as Permission from "../Permission.js"

/** Handlers of a session. */
export interface Handlers<R> {
  readonly onPermission?: Permission.Handler<unknown, R> | undefined
  readonly hooks?: ReadonlyArray<Hook<unknown, R>> | undefined
  readonly mcpServers?: { readonly [name: string]: McpServer<unknown, R> } | undefined
  readonly onElicitation?: OnElicitation<unknown, R> | undefined
  readonly onUserDialog?: OnUserDialog<unknown, R> | undefined
}

/** Nobody handles this. The CLI is told so. */
class Unhandled {
  readonly _tag = "Unhandled"
  readonly message: string

  constructor(message: string) {
    this.message = message
  }
}

const hookId = (index: number) => `hook_${index}`

/** What `initialize` says of the handlers. */
export const registration = <R>({ hooks = [], mcpServers = {} }: Handlers<R>): Omit<InitializeRequest, "subtype"> => {
  const byEvent: { [event: string]: Array<object> } = {}
  hooks.forEach(({ event, matcher, timeout }, index) => {
    ;(byEvent[event] ??= []).push({
      hookCallbackIds: [hookId(index)],
      ...(matcher === undefined ? {} : { matcher }),
      ...(timeout === undefined ? {} : { timeout })
    })
  })
  const names = Object.keys(mcpServers)
  return {
    // Keys are hook events, as `Hook.event` says.
    ...(hooks.length > 0 ? { hooks: byEvent as InitializeRequest["hooks"] & {} } : {}),
    ...(names.length > 0 ? { sdkMcpServers: names } : {})
  }
}

/** The answer, or none if a permission was deferred. A failure is what the CLI is refused with. */
export const find = <R>(
  handlers: Handlers<R>,
  id: string,
  request: CliRequest
): Effect.Effect<Option.Option<JsonObject>, unknown, R> =>
  // A handler that throws before it returns an effect has failed like any other.
  Effect.suspend(() => answer(handlers, id, request))

const answer = <R>(
  handlers: Handlers<R>,
  id: string,
  request: CliRequest
): Effect.Effect<Option.Option<JsonObject>, unknown, R> => {
  switch (request.subtype) {
    case "can_use_tool":
      return decide(handlers, Permission.request(id, request))
    case "hook_callback": {
      const hook = handlers.hooks?.find((_, index) => hookId(index) === request.callback_id)
      return hook === undefined
        ? Effect.fail(new Unhandled(`No hook is registered as ${request.callback_id}`))
        : Effect.map(hook.run(request.input, request.tool_use_id), (output) => Option.some(asJson(output)))
    }
    case "mcp_message": {
      const server = handlers.mcpServers?.[request.server_name]
      if (server === undefined) return Effect.fail(new Unhandled(`There is no MCP server ${request.server_name} here`))
      const { message } = request
      return Effect.map(server(message), (answer) =>
        Option.some({
          // A notification has no answer, and wants an acknowledgement all the same.
          mcp_response: answer ??
            { jsonrpc: "2.0", result: {}, id: "id" in message && message.id !== null ? message.id ?? 0 : 0 }
        }))
    }
    case "elicitation":
      return handlers.onElicitation === undefined
        ? Effect.fail(new Unhandled("Nobody here can be asked"))
        : Effect.map(handlers.onElicitation(request), (response) => Option.some(asJson(response)))
    case "request_user_dialog":
      return handlers.onUserDialog === undefined
        ? Effect.fail(new Unhandled(`No dialog can be shown here (${request.dialog_kind})`))
        : Effect.map(handlers.onUserDialog(request), (response) => Option.some(asJson(response)))
  }
}

const decide = <R>(
  { onPermission }: Handlers<R>,
  request: Permission.Request
): Effect.Effect<Option.Option<JsonObject>, never, R> => {
  const decision: Effect.Effect<Permission.Decision, unknown, R> = onPermission === undefined
    ? Effect.succeed(Permission.deny("Nobody is there to be asked."))
    : Effect.suspend(() => onPermission(request))
  return decision.pipe(
    Effect.map((made) => made._tag === "Defer" ? Option.none() : Option.some(permissionResponse(request, made))),
    // Whoever fails to decide has not allowed it.
    Effect.catchAllCause((cause) =>
      Effect.as(
        Effect.logWarning("A permission handler failed; the tool was denied.", Cause.isDie(cause) ? cause : ""),
        Option.some(permissionResponse(request, Permission.deny("The host could not decide.")))
      )
    )
  )
}

/** A decision as the CLI reads it: with the input always, for those that need it. */
export const permissionResponse = (
  request: Permission.Request,
  decision: Permission.Allow | Permission.Deny
): JsonObject =>
  decision._tag === "Allow"
    ? {
      behavior: "allow",
      updatedInput: decision.updatedInput ?? request.input,
      ...(decision.updatedPermissions === undefined ? {} : { updatedPermissions: decision.updatedPermissions })
    }
    : {
      behavior: "deny",
      message: decision.message,
      ...(decision.interrupt === undefined ? {} : { interrupt: decision.interrupt })
    }

// Answers are typed structs; as JSON they are objects, which TypeScript does not see of an interface.
const asJson = (value: object): JsonObject => value as JsonObject

/** Why nobody answered, for the CLI. */
export const reasonOf = (cause: Cause.Cause<unknown>): string => {
  const failure = Cause.failureOption(cause)
  return Option.isSome(failure) && failure.value instanceof Unhandled
    ? failure.value.message
    : "The host's handler failed"
}
