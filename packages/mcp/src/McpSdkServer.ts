/**
 * A server of `@modelcontextprotocol/sdk` as one of ours: its `Transport`, in memory. Imports nothing of the SDK but types.
 *
 * What the server asks of its client goes to the CLI like anything else, and the CLI's answer comes back. 2.1.326 says that it
 * can do nothing: it answers `ping`, and that there is no such method to sampling, elicitation and roots.
 *
 * @since 0.1.0
 * @stability experimental
 */
import type { JsonRpcId, JsonRpcMessage } from "@claude-duplex/protocol/schema/JsonRpc"
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js"
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as FiberId from "effect/FiberId"
import * as Runtime from "effect/Runtime"
import { cancellable, failure, isRequest, plain } from "./internal/jsonRpc.js"
import type { Client, McpServer } from "./McpServer.js"

/** What is needed of a server: both `McpServer` and `Server` of the SDK have it. */
export interface SdkServer {
  readonly connect: (transport: Transport) => Promise<void>
  readonly close: () => Promise<void>
}

/**
 * Makes a server of the SDK's. It is made anew for each connection, since it can have but one; if it cannot be made or
 * connected, that is a defect. A request that is cancelled aborts the signal of its handler, as in the SDK.
 *
 * @example
 * ```ts
 * import * as McpSdkServer from "@claude-duplex/mcp/McpSdkServer"
 *
 * // For instance `() => new McpServer({ name: "files", version: "1.0.0" })`, with its tools registered.
 * declare const makeFiles: () => McpSdkServer.SdkServer
 *
 * const files = McpSdkServer.make(makeFiles)
 * ```
 */
export const make = (makeServer: () => SdkServer): McpServer => ({
  connect: (client) =>
    Effect.gen(function*() {
      const transport = yield* makeTransport(client)
      yield* Effect.acquireRelease(
        Effect.promise(async () => {
          const server = makeServer()
          await server.connect(transport)
          return server
        }),
        // It is gone in any case; what it says about that helps nobody.
        (server) => Effect.ignoreLogged(Effect.tryPromise(() => server.close()))
      )
      return yield* cancellable((message) => transport.take(message))
    })
})

const makeTransport = (client: Client): Effect.Effect<InMemory> =>
  Effect.map(
    Effect.runtime(),
    (runtime) => new InMemory((message) => Runtime.runPromise(runtime)(client.send(message)))
  )

class InMemory implements Transport {
  onclose?: () => void
  onerror?: (error: Error) => void
  onmessage?: Transport["onmessage"] & {}
  readonly #toClient: (message: JsonRpcMessage) => Promise<void>
  readonly #waiting = new Map<JsonRpcId, Deferred.Deferred<JsonRpcMessage>>()
  #closed = false

  constructor(toClient: (message: JsonRpcMessage) => Promise<void>) {
    this.#toClient = toClient
  }

  start(): Promise<void> {
    return Promise.resolve()
  }

  /** From the server: an answer to whoever waits for it, anything else to the client. */
  async send(sent: JSONRPCMessage): Promise<void> {
    if ("method" in sent) return this.#toClient(asJson(sent))
    const { id } = sent
    // Nobody is to blame, and nobody waits.
    if (id === undefined) return
    try {
      this.#settle(id, asJson(sent))
    } catch (error) {
      this.#settle(id, failure(id, "internalError", "The server's answer is not JSON"))
      // The SDK tells its server.
      throw error
    }
  }

  close(): Promise<void> {
    if (!this.#closed) {
      this.#closed = true
      for (const id of this.#waiting.keys()) this.#settle(id, closed(id))
      this.onclose?.()
    }
    return Promise.resolve()
  }

  /** From the client. */
  take(message: JsonRpcMessage): Effect.Effect<JsonRpcMessage | undefined> {
    return Effect.suspend(() => {
      if (isRequest(message)) return this.#closed ? Effect.succeed(closed(message.id)) : this.#ask(message.id, message)
      // The request is interrupted, and says so itself.
      if (!("method" in message && message.method === "notifications/cancelled")) this.#toServer(message)
      return Effect.succeed(undefined)
    })
  }

  #ask(id: JsonRpcId, message: JsonRpcMessage): Effect.Effect<JsonRpcMessage> {
    const answer = Deferred.unsafeMake<JsonRpcMessage>(FiberId.none)
    this.#waiting.set(id, answer)
    this.#toServer(message)
    return Deferred.await(answer).pipe(
      Effect.onInterrupt(() =>
        Effect.sync(() =>
          this.#toServer({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: id } })
        )
      ),
      Effect.ensuring(Effect.sync(() => this.#waiting.delete(id)))
    )
  }

  #toServer(message: JsonRpcMessage): void {
    // JSON-RPC is what the SDK expects, and it looks closer itself.
    this.onmessage?.(message as JSONRPCMessage)
  }

  #settle(id: JsonRpcId, message: JsonRpcMessage): void {
    const waiting = this.#waiting.get(id)
    if (waiting !== undefined) Deferred.unsafeDone(waiting, Effect.succeed(message))
  }
}

// The SDK's messages are JSON-RPC, with properties that are undefined among them.
const asJson = (message: JSONRPCMessage): JsonRpcMessage => plain(message) as JsonRpcMessage

const closed = (id: JsonRpcId) => failure(id, "connectionClosed", "The server is closed")
