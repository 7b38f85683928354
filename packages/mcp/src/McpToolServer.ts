/**
 * An MCP server of tools. It speaks as much of MCP as tools need, and keeps nothing between calls: a handshake may come
 * again at any time, and calls run side by side.
 *
 * @since 0.1.0
 * @stability stable
 */
import type { JsonObject } from "@claude-duplex/protocol/schema/Json"
import type { JsonRpcMessage, JsonRpcNotification, JsonRpcRequest } from "@claude-duplex/protocol/schema/JsonRpc"
import * as Effect from "effect/Effect"
import { cancellable, failure, isObject, isRequest, plain, success } from "./internal/jsonRpc.js"
import type { Client, McpServer } from "./McpServer.js"
import type { Call, McpTool, Requirements } from "./McpTool.js"

/** How a server is made. */
export interface Options<Tools extends ReadonlyArray<McpTool<unknown>>> {
  /** What it calls itself. Its tools are called by the name that the session has for it. */
  readonly name: string
  /** Default: `0.0.0`. */
  readonly version?: string | undefined
  /** What the model is told about the server as a whole. */
  readonly instructions?: string | undefined
  readonly tools: Tools
}

/** Versions of MCP that have all that is used here; newest first. */
const versions: ReadonlyArray<unknown> = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"]

/**
 * A server of tools. Throws if two of them have the same name.
 *
 * @example
 * ```ts
 * import * as McpTool from "@claude-duplex/mcp/McpTool"
 * import * as McpToolServer from "@claude-duplex/mcp/McpToolServer"
 * import { DateTime, Effect, Schema } from "effect"
 *
 * const clock = McpToolServer.make({
 *   name: "clock",
 *   tools: [
 *     McpTool.make({
 *       name: "now",
 *       description: "Tells the time.",
 *       input: Schema.Struct({}),
 *       run: () => Effect.map(DateTime.now, DateTime.formatIso)
 *     })
 *   ]
 * })
 * ```
 */
export const make = <const Tools extends ReadonlyArray<McpTool<unknown>>>(
  options: Options<Tools>
): McpServer<Requirements<Tools[number]>> => {
  // What the tools need is what they need one by one, which TypeScript does not see of a type that it has yet to learn.
  const tools = options.tools as ReadonlyArray<McpTool<Requirements<Tools[number]>>>
  const byName = new Map(tools.map((tool) => [tool.definition.name, tool]))
  if (byName.size < tools.length) {
    const names = tools.map(({ definition }) => definition.name)
    throw new Error(`Two tools are called ${names.find((name, i) => names.indexOf(name) < i)}`)
  }
  return { connect: (client) => cancellable(answer(options, byName, client)) }
}

const answer = <R>(
  options: Options<ReadonlyArray<McpTool<unknown>>>,
  tools: ReadonlyMap<string, McpTool<R>>,
  client: Client
) =>
(message: JsonRpcMessage): Effect.Effect<JsonRpcMessage | undefined, never, R> => {
  // Notifications, and answers to what was never asked.
  if (!isRequest(message)) return Effect.succeed(undefined)
  const { id, method, params = {} } = message
  switch (method) {
    case "initialize":
      return Effect.succeed(success(id, introduction(options, params["protocolVersion"])))
    case "ping":
      return Effect.succeed(success(id, {}))
    case "tools/list":
      return Effect.succeed(success(id, { tools: [...tools.values()].map(({ definition }) => definition) }))
    case "tools/call":
      return call(message, tools, client)
    default:
      return Effect.succeed(failure(id, "methodNotFound", `There is no method ${method} here`))
  }
}

const introduction = (
  { instructions, name, version = "0.0.0" }: Options<ReadonlyArray<McpTool<unknown>>>,
  asked: unknown
): JsonObject =>
  plain({
    protocolVersion: versions.includes(asked) ? asked : versions[0],
    capabilities: { tools: {} },
    serverInfo: { name, version },
    instructions
  })

const call = <R>(
  { id, params = {} }: JsonRpcRequest,
  tools: ReadonlyMap<string, McpTool<R>>,
  client: Client
): Effect.Effect<JsonRpcMessage, never, R> => {
  const { _meta: meta = {}, arguments: input = {}, name } = params
  if (typeof name !== "string") return Effect.succeed(failure(id, "invalidParams", "A tool is called by its name"))
  const tool = tools.get(name)
  if (tool === undefined) return Effect.succeed(failure(id, "invalidParams", `There is no tool ${name} here`))
  if (!isObject(input)) return Effect.succeed(failure(id, "invalidParams", "Arguments of a tool are an object"))
  // A result is a typed struct; as JSON it is an object, which TypeScript does not see of an interface.
  return Effect.map(tool.call(input, about(isObject(meta) ? meta : {}, client)), (result) => success(id, { ...result }))
}

const about = (meta: JsonObject, client: Client): Call => {
  const { "claudecode/toolUseId": toolUseId, progressToken } = meta
  return {
    meta,
    toolUseId: typeof toolUseId === "string" ? toolUseId : undefined,
    progress: (progress) =>
      progressToken === undefined
        ? Effect.void
        : client.send(plain<JsonRpcNotification>({
          jsonrpc: "2.0",
          method: "notifications/progress",
          params: { progressToken, ...progress }
        }))
  }
}
