/**
 * Control requests about MCP servers.
 *
 * @since 0.1.0
 * @stability stable
 */
import * as Schema from "effect/Schema"
import { optional } from "../internal/fields.js"
import { JsonNumber, JsonObject } from "./Json.js"
import { JsonRpcMessage } from "./JsonRpc.js"
import { McpServerConfig, McpServerStatus } from "./McpServerConfig.js"

/** Asks how the MCP servers are. */
export const McpStatusRequest = Schema.Struct({
  subtype: Schema.Literal("mcp_status"),
  liveReply: optional(Schema.Boolean)
}).annotations({ identifier: "McpStatusRequest" })
export interface McpStatusRequest extends Schema.Schema.Type<typeof McpStatusRequest> {}

/** How the MCP servers are. */
export const McpStatusResponse = Schema.Struct({ mcpServers: Schema.Array(McpServerStatus) }).annotations({
  identifier: "McpStatusResponse"
})
export interface McpStatusResponse extends Schema.Schema.Type<typeof McpStatusResponse> {}

/** Replaces the servers that were set at run time. */
export const McpSetServersRequest = Schema.Struct({
  subtype: Schema.Literal("mcp_set_servers"),
  servers: Schema.Record({ key: Schema.String, value: McpServerConfig })
}).annotations({ identifier: "McpSetServersRequest" })
export interface McpSetServersRequest extends Schema.Schema.Type<typeof McpSetServersRequest> {}

/** Which servers came and went. */
export const McpSetServersResponse = Schema.Struct({
  added: Schema.Array(Schema.String),
  removed: Schema.Array(Schema.String),
  errors: Schema.Record({ key: Schema.String, value: Schema.String })
}).annotations({ identifier: "McpSetServersResponse" })
export interface McpSetServersResponse extends Schema.Schema.Type<typeof McpSetServersResponse> {}

/** Connects a server again. */
export const McpReconnectRequest = Schema.Struct({
  subtype: Schema.Literal("mcp_reconnect"),
  serverName: Schema.String
}).annotations({ identifier: "McpReconnectRequest" })
export interface McpReconnectRequest extends Schema.Schema.Type<typeof McpReconnectRequest> {}

/** Switches a server on or off. */
export const McpToggleRequest = Schema.Struct({
  subtype: Schema.Literal("mcp_toggle"),
  serverName: Schema.String,
  enabled: Schema.Boolean
}).annotations({ identifier: "McpToggleRequest" })
export interface McpToggleRequest extends Schema.Schema.Type<typeof McpToggleRequest> {}

/** Calls an MCP tool without the model. */
export const McpCallRequest = Schema.Struct({
  subtype: Schema.Literal("mcp_call"),
  tool: Schema.String,
  arguments: optional(JsonObject),
  expires_at: optional(Schema.String),
  timeout_ms: optional(JsonNumber),
  result_not_for_model: optional(Schema.Boolean),
  check_permissions: optional(Schema.Boolean),
  input_files: optional(Schema.Array(Schema.Struct({
    name: Schema.String,
    lane_path: Schema.String
  }))),
  output_files: optional(Schema.Array(Schema.Struct({
    name: Schema.String,
    lane_path: Schema.String,
    if_match: optional(Schema.String)
  })))
}).annotations({ identifier: "McpCallRequest" })
export interface McpCallRequest extends Schema.Schema.Type<typeof McpCallRequest> {}

/** Reads an MCP resource. */
export const McpReadResourceRequest = Schema.Struct({
  subtype: Schema.Literal("mcp_read_resource"),
  serverName: Schema.String,
  uri: Schema.String
}).annotations({ identifier: "McpReadResourceRequest" })
export interface McpReadResourceRequest extends Schema.Schema.Type<typeof McpReadResourceRequest> {}

/** The resource's contents. */
export const McpReadResourceResponse = Schema.Struct({
  contents: Schema.Array(Schema.Struct({
    uri: Schema.String,
    mimeType: optional(Schema.String),
    text: optional(Schema.String),
    blob: optional(Schema.String),
    _meta: optional(JsonObject)
  }))
}).annotations({ identifier: "McpReadResourceResponse" })
export interface McpReadResourceResponse extends Schema.Schema.Type<typeof McpReadResourceResponse> {}

/** JSON-RPC to an MCP server: from the CLI, to one that lives in the host. */
export const McpMessageRequest = Schema.Struct({
  subtype: Schema.Literal("mcp_message"),
  server_name: Schema.String,
  message: JsonRpcMessage
}).annotations({ identifier: "McpMessageRequest" })
export interface McpMessageRequest extends Schema.Schema.Type<typeof McpMessageRequest> {}

/** The JSON-RPC answer. A notification is acknowledged with an empty result. */
export const McpMessageResponse = Schema.Struct({ mcp_response: JsonRpcMessage }).annotations({
  identifier: "McpMessageResponse"
})
export interface McpMessageResponse extends Schema.Schema.Type<typeof McpMessageResponse> {}
