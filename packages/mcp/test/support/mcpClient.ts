/** The CLI's side of a connection, for tests of MCP servers. */
import type { McpServer } from "@claude-duplex/mcp/McpServer"
import type { JsonObject } from "@claude-duplex/protocol/schema/Json"
import type { JsonRpcId, JsonRpcMessage } from "@claude-duplex/protocol/schema/JsonRpc"
import { JsonRpcMessage as JsonRpcMessageSchema } from "@claude-duplex/protocol/schema/JsonRpc"
import { assert } from "@effect/vitest"
import { Effect, Schema } from "effect"

/** Connects, and keeps all that the server sends unasked. */
export const connect = <R>(server: McpServer<R>) =>
  Effect.gen(function*() {
    const sent: Array<JsonRpcMessage> = []
    const take = yield* server.connect({ send: (message) => Effect.sync(() => void sent.push(message)) })
    let ids = 0
    const ask = (method: string, params?: JsonObject, id: JsonRpcId = `c:${ids++}`) =>
      Effect.map(take({ jsonrpc: "2.0", id, method, ...(params === undefined ? {} : { params }) }), (answer) => {
        // What the codec would let through: plain JSON, and JSON-RPC.
        assert.deepStrictEqual(JSON.parse(JSON.stringify(answer)), answer)
        assert.isTrue(Schema.is(JsonRpcMessageSchema)(answer))
        assert.strictEqual(answer !== undefined && "id" in answer && answer.id, id)
        return answer
      })
    return {
      sent,
      take,
      ask,
      notify: (method: string, params: JsonObject = {}) => take({ jsonrpc: "2.0", method, params }),
      result: (method: string, params?: JsonObject, id?: JsonRpcId) =>
        Effect.map(ask(method, params, id), (answer) => {
          if (answer === undefined || !("result" in answer)) return assert.fail(JSON.stringify(answer))
          return answer.result
        }),
      /** The code of the refusal. */
      refused: (method: string, params?: JsonObject, id?: JsonRpcId) =>
        Effect.map(ask(method, params, id), (answer) => {
          if (answer === undefined || !("error" in answer)) return assert.fail(JSON.stringify(answer))
          return answer.error.code
        }),
      call: (name: string, input: JsonObject = {}, meta: JsonObject = {}, id?: JsonRpcId) =>
        Effect.map(ask("tools/call", { name, arguments: input, _meta: meta }, id), (answer) => {
          if (answer === undefined || !("result" in answer)) return assert.fail(JSON.stringify(answer))
          return answer.result
        })
    }
  })

/** A result that is text. */
export const said = (text: string) => ({ content: [{ type: "text", text }] } as const)

/** A result that is an error. */
export const failed = (text: string) => ({ ...said(text), isError: true } as const)
