/**
 * An MCP server that lives in the host: what a session needs of one. It does not say what a server offers; see
 * `McpToolServer` for tools of our own, `McpSdkServer` and `AiToolkitServer` for those of others.
 *
 * A session connects once to each server. The CLI, though, may shake hands again on the same connection: after
 * `mcp_toggle`, and when servers are set or `initialize` is sent again, with calls of before still running.
 *
 * @since 0.1.0
 * @stability stable
 */
import type { JsonRpcMessage } from "@claude-duplex/protocol/schema/JsonRpc"
import * as Effect from "effect/Effect"
import { dual } from "effect/Function"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { cancellable } from "./internal/jsonRpc.js"

/** The CLI, as a server sees it. */
export interface Client {
  /** Sends something unasked: a notification, or a request, whose answer comes as a message. Does not wait for the CLI. */
  readonly send: (message: JsonRpcMessage) => Effect.Effect<void>
}

/**
 * Answers one message. Messages come concurrently, each in a fiber of its own. One that is no request has no answer:
 * `undefined`. A failure is for the session, which refuses the message.
 */
export type Connection<R = never> = (message: JsonRpcMessage) => Effect.Effect<JsonRpcMessage | undefined, unknown, R>

/** A server. The scope of a connection closes when the server is removed, or the session ends. */
export interface McpServer<R = never> {
  readonly connect: (client: Client) => Effect.Effect<Connection<R>, never, R | Scope.Scope>
}

/** What a server needs. */
export type Requirements<Server> = Server extends McpServer<infer R> ? R : never

/**
 * A server that is a bare function. It sees every message, `initialize` too. Requests that the CLI cancels are interrupted.
 *
 * @example
 * ```ts
 * import * as McpServer from "@claude-duplex/mcp/McpServer"
 * import { Effect } from "effect"
 *
 * const pong = McpServer.raw((message) =>
 *   Effect.succeed("id" in message && "method" in message ? { jsonrpc: "2.0", id: message.id, result: {} } : undefined)
 * )
 * ```
 */
export const raw = <E, R>(
  handler: (message: JsonRpcMessage, client: Client) => Effect.Effect<JsonRpcMessage | undefined, E, R>
): McpServer<R> => ({ connect: (client) => cancellable((message) => handler(message, client)) })

/**
 * Gives a server what it needs. The layer is built for each connection, and lives as long.
 *
 * @example
 * ```ts
 * import * as McpServer from "@claude-duplex/mcp/McpServer"
 * import { Context, Effect, Layer } from "effect"
 *
 * class Greeting extends Context.Tag("Greeting")<Greeting, string>() {}
 *
 * const server = McpServer.raw(() => Effect.as(Greeting, undefined))
 * const greeting = McpServer.provide(server, Layer.succeed(Greeting, "hello"))
 * ```
 */
export const provide: {
  <A, R2>(layer: Layer.Layer<A, never, R2>): <R>(self: McpServer<R>) => McpServer<Exclude<R, A> | R2>
  <R, A, R2>(self: McpServer<R>, layer: Layer.Layer<A, never, R2>): McpServer<Exclude<R, A> | R2>
} = dual(
  2,
  <R, A, R2>(self: McpServer<R>, layer: Layer.Layer<A, never, R2>): McpServer<Exclude<R, A> | R2> => ({
    connect: (client) =>
      Effect.flatMap(Layer.build(layer), (context) =>
        self.connect(client).pipe(
          Effect.map((connection) => (message: JsonRpcMessage) => Effect.provide(connection(message), context)),
          Effect.provide(context)
        ))
  })
)
