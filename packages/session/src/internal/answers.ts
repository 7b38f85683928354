/**
 * Finds the answer to a request of the CLI's with the handlers that the host gave: hooks by the ids that they were
 * registered under, MCP messages by server, the rest by kind. A permission that is left open has no answer yet.
 */
import type { CliRequest } from "@claude-duplex/protocol/CliRequest"
import { EncodeError } from "@claude-duplex/protocol/EncodeError"
import type { InitializeRequest } from "@claude-duplex/protocol/InitializeRequest"
import type { JsonObject } from "@claude-duplex/protocol/Json"
import type { JsonRpcMessage } from "@claude-duplex/protocol/JsonRpc"
import * as SessionMachine from "@claude-duplex/protocol/SessionMachine"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Handlers } from "../Handlers.js"
import { type Hook, isInputOf } from "../Hook.js"
import type { Connection } from "../McpServer.js"
import * as Permission from "../Permission.js"
import * as JsonRpc from "./jsonRpc.js"

/** What an answer is found with. */
export interface Desk<R> {
  readonly handlers: Handlers<R>
  readonly connection: (server: string) => Connection | undefined
  /** Lets work go on that nobody waits for, as long as the session lives. */
  readonly background: (work: Effect.Effect<unknown, unknown, R>) => Effect.Effect<void, never, R>
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

/** What `initialize` says of hooks and servers. */
export const registration = <R>(
  hooks: ReadonlyArray<Hook<R>>,
  servers: ReadonlyArray<string>
): Omit<InitializeRequest, "subtype"> => {
  const byEvent: { [event: string]: Array<object> } = {}
  hooks.forEach(({ event, matcher, onFailure, timeout }, index) => {
    ;(byEvent[event] ??= []).push({
      hookCallbackIds: [hookId(index)],
      ...(matcher === undefined ? {} : { matcher }),
      ...(timeout === undefined ? {} : { timeout }),
      ...(onFailure === undefined ? {} : { onFailure })
    })
  })
  return {
    // Keys are hook events, as `Hook.event` says.
    ...(hooks.length > 0 ? { hooks: byEvent as InitializeRequest["hooks"] & {} } : {}),
    ...(servers.length > 0 ? { sdkMcpServers: servers } : {})
  }
}

/** The answer, or none if a permission was deferred. A failure is what the CLI is refused with. */
export const find = <R>(
  desk: Desk<R>,
  id: string,
  request: CliRequest
): Effect.Effect<Option.Option<JsonObject>, unknown, R> =>
  // A handler that throws before it returns an effect has failed like any other.
  Effect.suspend(() => answer(desk, id, request))

const answer = <R>(
  { background, connection, handlers }: Desk<R>,
  id: string,
  request: CliRequest
): Effect.Effect<Option.Option<JsonObject>, unknown, R> => {
  switch (request.subtype) {
    case "can_use_tool":
      return decide(handlers, Permission.request(id, request))
    case "hook_callback": {
      const hook = handlers.hooks?.find((_, index) => hookId(index) === request.callback_id)
      if (hook === undefined) return Effect.fail(new Unhandled(`No hook is registered as ${request.callback_id}`))
      if (!isInputOf(hook.event, request.input)) {
        return Effect.fail(new Unhandled(`${request.callback_id} is a hook of ${hook.event}`))
      }
      const run = Effect.suspend(() => hook.run(request.input, request.tool_use_id))
      return hook.mode === "background"
        ? Effect.as(background(run), Option.some({ async: true }))
        : Effect.map(run, (output) => Option.some(asJson(output)))
    }
    case "mcp_message": {
      const server = connection(request.server_name)
      if (server === undefined) return Effect.fail(new Unhandled(`There is no MCP server ${request.server_name} here`))
      const { message } = request
      return Effect.map(server(message), (answer) => Option.some({ mcp_response: answer ?? unanswered(message) }))
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

/** A notification has no answer, and the CLI wants one all the same. A request that has none must not look done. */
const unanswered = (message: JsonRpcMessage): JsonRpcMessage =>
  JsonRpc.isRequest(message)
    ? JsonRpc.failure(message.id, "methodNotFound", `The server has no answer to ${message.method}`)
    : { jsonrpc: "2.0", id: 0, result: {} }

const decide = <R>(
  { onPermission, permissionTimeout }: Handlers<R>,
  request: Permission.Request
): Effect.Effect<Option.Option<JsonObject>, never, R> => {
  if (onPermission === undefined) {
    return Effect.succeedSome(permissionResponse(request, Permission.deny("Nobody is there to be asked.")))
  }
  const decision: Effect.Effect<Permission.Decision, unknown, R> = Effect.suspend(() => onPermission(request))
  // Disconnected: one that cannot be interrupted is not waited for.
  const inTime = permissionTimeout === undefined
    ? decision
    : Effect.timeout(Effect.disconnect(decision), permissionTimeout)
  return inTime.pipe(
    Effect.filterOrFail(isDecision, () => new Unhandled("The permission handler did not decide")),
    Effect.map((made) => made._tag === "Defer" ? Option.none() : Option.some(permissionResponse(request, made))),
    // Whoever fails to decide has not allowed it.
    Effect.catchAllCause((cause) =>
      Effect.as(
        Effect.logWarning("A permission handler failed; the tool was denied.", cause),
        Option.some(permissionResponse(request, Permission.deny("The host could not decide.")))
      )
    )
  )
}

/** What is no decision allows nothing, whatever TypeScript thought of it. */
export const isDecision = (decision: Permission.Decision): boolean =>
  ["Allow", "Deny", "Defer"].includes(decision?._tag)

/** Whether this answers a question, whatever TypeScript thought of it. A deferral does not. */
export const isAnswer = (decision: Permission.Allow | Permission.Deny): boolean =>
  ["Allow", "Deny"].includes(decision?._tag)

/** What whoever gave one from elsewhere is told. */
export const undecided = (): EncodeError =>
  new EncodeError({
    reason: "InvalidFrame",
    detail:
      "it does not answer the question. Give what `Permission.allow` or `Permission.deny` makes; the question is still open."
  })

/** A decision as the CLI reads it: with the input always, for those that need it. */
export const permissionResponse = (
  request: Permission.Request,
  decision: Permission.Allow | Permission.Deny
): JsonObject =>
  decision._tag === "Allow"
    ? {
      behavior: "allow",
      // Only what is left away means "as it was asked": any other nonsense is not sent, and the tool does not run.
      updatedInput: decision.updatedInput === undefined ? request.input : decision.updatedInput,
      ...(decision.updatedPermissions === undefined ? {} : { updatedPermissions: decision.updatedPermissions })
    }
    : {
      behavior: "deny",
      message: decision.message,
      ...(decision.interrupt === undefined ? {} : { interrupt: decision.interrupt })
    }

/** What is wrong with an answer, if the CLI could not read it. */
export const unreadable = (
  state: SessionMachine.State,
  id: string,
  response: JsonObject
): EncodeError | undefined => {
  const [, actions] = SessionMachine.step(state, { _tag: "Answer", id, response })
  return actions.find((action) => action._tag === "AnswerInvalid")?.error
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
