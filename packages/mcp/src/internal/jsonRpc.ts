/**
 * JSON-RPC as MCP servers write it, and requests that a client may take back.
 */
import type { JsonObject } from "@claude-duplex/protocol/schema/Json"
import type {
  JsonRpcFailure,
  JsonRpcId,
  JsonRpcMessage,
  JsonRpcRequest,
  JsonRpcSuccess
} from "@claude-duplex/protocol/schema/JsonRpc"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FiberMap from "effect/FiberMap"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"

/** Codes of JSON-RPC; the last is the Language Server Protocol's, since neither JSON-RPC nor MCP has one. */
export const codes = {
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  connectionClosed: -32000,
  requestCancelled: -32800
} as const

export const success = (id: JsonRpcId, result: JsonObject): JsonRpcSuccess => ({ jsonrpc: "2.0", id, result })

export const failure = (id: JsonRpcId, code: keyof typeof codes, message: string): JsonRpcFailure => ({
  jsonrpc: "2.0",
  id,
  error: { code: codes[code], message }
})

export const isRequest = (message: JsonRpcMessage): message is JsonRpcRequest => "method" in message && "id" in message

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** As JSON carries it: without what is undefined, which the codec would refuse. */
// What JSON gives back of an object is that object, but for what is left out.
export const plain = <A extends object>(value: A): A => JSON.parse(JSON.stringify(value)) as A

type Answer<E, R> = (message: JsonRpcMessage) => Effect.Effect<JsonRpcMessage | undefined, E, R>

/**
 * Lets the client take a request back. An interrupted turn comes as `notifications/cancelled` and as nothing else: the CLI
 * does not withdraw the control request that the call came in. So this is what stops a running tool.
 *
 * What was taken back is answered with an error all the same. MCP would rather have silence, but the control request wants
 * an answer, and the CLI has forgotten the id.
 */
export const cancellable = <E, R>(answer: Answer<E, R>): Effect.Effect<Answer<E, R>, never, Scope.Scope> =>
  Effect.map(FiberMap.make<JsonRpcId, JsonRpcMessage | undefined, E>(), (running) => (message) =>
    Effect.suspend(() => {
      const answered = Effect.suspend(() => answer(message))
      if (!isRequest(message)) return Effect.zipRight(stop(running, message), answered)
      const { id } = message
      if (FiberMap.unsafeHas(running, id)) {
        return Effect.succeed(failure(id, "invalidRequest", "A request with this id is under way"))
      }
      return Effect.uninterruptibleMask((restore) =>
        Effect.flatMap(FiberMap.run(running, id, answered), (fiber) =>
          restore(Fiber.await(fiber)).pipe(
            Effect.onInterrupt(() => Fiber.interrupt(fiber)),
            Effect.flatMap((exit) =>
              Exit.isInterrupted(exit)
                ? Effect.succeed(failure(id, "requestCancelled", "The request was cancelled"))
                : exit
            )
          ))
      )
    }))

/** Stops the request that a message is about, if it is about stopping one. */
const stop = <A, E>(running: FiberMap.FiberMap<JsonRpcId, A, E>, message: JsonRpcMessage): Effect.Effect<void> => {
  if (!("method" in message) || message.method !== "notifications/cancelled") return Effect.void
  const id = message.params?.["requestId"]
  if (typeof id !== "string" && typeof id !== "number") return Effect.void
  const fiber = FiberMap.unsafeGet(running, id)
  // Not waited for: the acknowledgement should not depend on how long a tool takes to clean up.
  return Option.isSome(fiber) ? Fiber.interruptFork(fiber.value) : Effect.void
}
