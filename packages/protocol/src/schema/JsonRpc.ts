/**
 * The JSON-RPC 2.0 envelope of the Model Context Protocol, as `mcp_message` carries it. Methods and results are MCP's own
 * business and stay opaque here.
 *
 * @since 0.1.0
 * @stability stable
 */
import * as Schema from "effect/Schema"
import { optional } from "../internal/fields.js"
import { JsonNumber, JsonObject, JsonValue } from "./Json.js"

/** A JSON-RPC request id. */
export const JsonRpcId = Schema.Union(Schema.String, JsonNumber).annotations({ identifier: "JsonRpcId" })
export type JsonRpcId = typeof JsonRpcId.Type

/** A call that wants an answer. */
export const JsonRpcRequest = Schema.Struct({
  jsonrpc: Schema.Literal("2.0"),
  id: JsonRpcId,
  method: Schema.String,
  params: optional(JsonObject)
}).annotations({ identifier: "JsonRpcRequest" })
export interface JsonRpcRequest extends Schema.Schema.Type<typeof JsonRpcRequest> {}

/** A call that wants none. Over `mcp_message` even these must be acknowledged. */
export const JsonRpcNotification = Schema.Struct({
  jsonrpc: Schema.Literal("2.0"),
  method: Schema.String,
  params: optional(JsonObject)
}).annotations({ identifier: "JsonRpcNotification" })
export interface JsonRpcNotification extends Schema.Schema.Type<typeof JsonRpcNotification> {}

/** An answer. */
export const JsonRpcSuccess = Schema.Struct({
  jsonrpc: Schema.Literal("2.0"),
  id: JsonRpcId,
  result: JsonObject
}).annotations({ identifier: "JsonRpcSuccess" })
export interface JsonRpcSuccess extends Schema.Schema.Type<typeof JsonRpcSuccess> {}

/** A refusal. */
export const JsonRpcFailure = Schema.Struct({
  jsonrpc: Schema.Literal("2.0"),
  id: optional(Schema.NullOr(JsonRpcId)),
  error: Schema.Struct({ code: JsonNumber, message: Schema.String, data: optional(JsonValue) })
}).annotations({ identifier: "JsonRpcFailure" })
export interface JsonRpcFailure extends Schema.Schema.Type<typeof JsonRpcFailure> {}

/** Any JSON-RPC message. */
export const JsonRpcMessage = Schema.Union(JsonRpcRequest, JsonRpcNotification, JsonRpcSuccess, JsonRpcFailure)
  .annotations({ identifier: "JsonRpcMessage" })
export type JsonRpcMessage = typeof JsonRpcMessage.Type
