/**
 * Finds the answer to a request of the CLI's with the handlers that the host gave: hooks by the ids that they were
 * registered under, MCP messages by server, the rest by kind. A permission that is left open has no answer yet.
 */
import type { Connection } from "@claude-duplex/mcp/McpServer"
import { EncodeError } from "@claude-duplex/protocol/EncodeError"
import type { CliRequest } from "@claude-duplex/protocol/schema/CliRequest"
import type { InitializeRequest } from "@claude-duplex/protocol/schema/InitializeRequest"
import type { JsonObject } from "@claude-duplex/protocol/schema/Json"
import type { JsonRpcMessage } from "@claude-duplex/protocol/schema/JsonRpc"
import * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Handlers } from "../Handlers.js"
import { type Hook, isInputOf } from "../Hook.js"
import * as Permission from "../Permission.js"

/** What an answer is found with. */
export interface Desk<R> {
  readonly handlers: Handlers<R>
  readonly connection: (server: string) => Connection | undefined
  /** Runs work in the background, for as long as the session lives. */
  readonly background: (work: Effect.Effect<unknown, never, R>) => Effect.Effect<void, never, R>
  /** Reports a call that failed. */
  readonly failed: (id: string, subtype: CliRequest["subtype"], cause: Cause.Cause<unknown>) => Effect.Effect<void>
}

/** Nobody handles this. The CLI is told so. */
class Unhandled {
  readonly _tag = "Unhandled"
  readonly message: string

  constructor(message: string) {
    this.message = message
  }
}

/** In seconds. The CLI is JavaScript, whose timers take a delay of more than 2^31 - 1 milliseconds for none at all. */
const longest = 2_147_483

/** A timeout of a hook as on the wire. */
const seconds = (duration: Duration.DurationInput): number => Math.min(Duration.toSeconds(duration), longest)

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
      ...(timeout === undefined ? {} : { timeout: seconds(timeout) }),
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
  Effect.suspend(() => answer(desk, id, request)).pipe(
    // The scope of this call, in place of the session's: what a handler acquires is released when the call ends.
    Effect.scoped
  )

const answer = <R>(
  { background, connection, failed, handlers }: Desk<R>,
  id: string,
  request: CliRequest
): Effect.Effect<Option.Option<JsonObject>, unknown, R> => {
  switch (request.subtype) {
    case "can_use_tool":
      return decide(handlers, failed, Permission.request(id, request))
    case "hook_callback": {
      const hook = handlers.hooks?.find((_, index) => hookId(index) === request.callback_id)
      if (hook === undefined) return Effect.fail(new Unhandled(`No hook is registered as ${request.callback_id}`))
      if (!isInputOf(hook.event, request.input)) {
        return Effect.fail(new Unhandled(`${request.callback_id} is a hook of ${hook.event}`))
      }
      const run = Effect.suspend(() => hook.run(request.input, { requestId: id, toolUseId: request.tool_use_id }))
      return hook.mode === "background"
        ? Effect.as(
          background(Effect.catchAllCause(Effect.scoped(run), (cause) => failed(id, request.subtype, cause))),
          Option.some({ async: true })
        )
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
        : Effect.map(handlers.onElicitation(request, { requestId: id }), (response) => Option.some(asJson(response)))
    case "request_user_dialog":
      return handlers.onUserDialog === undefined
        ? Effect.fail(new Unhandled(`No dialog can be shown here (${request.dialog_kind})`))
        : Effect.map(handlers.onUserDialog(request, { requestId: id }), (response) => Option.some(asJson(response)))
  }
}

/** JSON-RPC's code for an unknown method. */
const methodNotFound = -32601

/** The CLI requires a response to a notification too. A request without a response must not look successful. */
const unanswered = (message: JsonRpcMessage): JsonRpcMessage =>
  "method" in message && "id" in message
    ? {
      jsonrpc: "2.0",
      id: message.id,
      error: { code: methodNotFound, message: `The server has no answer to ${message.method}` }
    }
    : { jsonrpc: "2.0", id: 0, result: {} }

const decide = <R>(
  { describeFailure, onPermission, permissionTimeout }: Handlers<R>,
  failed: Desk<R>["failed"],
  request: Permission.Request
): Effect.Effect<Option.Option<JsonObject>, never, R> => {
  if (onPermission === undefined) {
    return Effect.succeedSome(permissionResponse(request, Permission.deny("No permission handler is registered.")))
  }
  const decision: Effect.Effect<Permission.Decision, unknown, R> = Effect.suspend(() => onPermission(request))
  // Disconnected: one that cannot be interrupted is not waited for.
  const inTime = permissionTimeout === undefined
    ? decision
    : Effect.timeoutFail(Effect.disconnect(decision), {
      duration: permissionTimeout,
      onTimeout: () =>
        new Unhandled(`The permission handler did not decide within ${Duration.format(permissionTimeout)}.`)
    })
  return inTime.pipe(
    Effect.filterOrFail(isDecision, () => new Unhandled("The permission handler returned no decision.")),
    Effect.map((made) => made._tag === "Defer" ? Option.none() : Option.some(permissionResponse(request, made))),
    // Whoever fails to decide has not allowed it.
    Effect.catchAllCause((cause) =>
      Effect.as(
        failed(request.id, "can_use_tool", cause),
        Option.some(permissionResponse(request, Permission.deny(reasonOf(cause, "can_use_tool", describeFailure))))
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
      ...(decision.updatedPermissions === undefined ? {} : { updatedPermissions: decision.updatedPermissions }),
      ...classification(decision)
    }
    : {
      behavior: "deny",
      message: decision.message,
      ...(decision.interrupt === undefined ? {} : { interrupt: decision.interrupt }),
      ...classification(decision)
    }

const classification = ({ decisionClassification, toolUseId }: Permission.Allow | Permission.Deny): JsonObject => ({
  ...(toolUseId === undefined ? {} : { toolUseID: toolUseId }),
  ...(decisionClassification === undefined ? {} : { decisionClassification })
})

// Answers are typed structs; as JSON they are objects, which TypeScript does not see of an interface.
const asJson = (value: object): JsonObject => value as JsonObject

/** Whether no handler was called: the request is refused because none is registered for it. */
export const isUnhandled = (cause: Cause.Cause<unknown>): boolean => {
  const failure = Cause.failureOption(cause)
  return Option.isSome(failure) && failure.value instanceof Unhandled
}

/** The handlers of each request, as messages call them. */
export const handlerNames = {
  can_use_tool: "permission handler",
  hook_callback: "hook",
  mcp_message: "MCP server",
  elicitation: "elicitation handler",
  request_user_dialog: "dialog handler"
} satisfies Record<CliRequest["subtype"], string>

/** Why a request was not answered, for the CLI. */
export const reasonOf = (
  cause: Cause.Cause<unknown>,
  subtype: CliRequest["subtype"],
  describe?: (error: unknown) => string
): string => {
  const error = Cause.squash(cause)
  if (error instanceof Unhandled) return error.message
  const failed = `The ${handlerNames[subtype]} failed`
  try {
    // A defect is a bug: its message was not written for the model, and may hold anything.
    const message = describe === undefined ? Cause.isFailure(cause) ? messageOf(error) : "" : describe(error)
    return message === "" ? `${failed}.` : `${failed}: ${message}`
  } catch {
    // An error whose message cannot be read, or a `describeFailure` that throws, hides nothing else.
    return `${failed}.`
  }
}

/** A failure in its own words. Objects without a message may hold anything, so they are not shown. */
const messageOf = (error: unknown): string =>
  typeof error === "string"
    ? error
    : typeof error === "object" && error !== null && "message" in error && typeof error.message === "string"
    ? error.message
    : ""
