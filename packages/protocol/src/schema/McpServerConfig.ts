/**
 * MCP servers: how one is reached, and how it is doing.
 *
 * @since 0.1.0
 * @stability stable
 */
import * as Schema from "effect/Schema"
import { optional } from "../internal/fields.js"
import { JsonNumber, JsonObject } from "./Json.js"
import * as Open from "./Open.js"

/** What a server's tool may do without being asked about. */
export const McpServerToolPolicy = Schema.Struct({
  name: Schema.String,
  permission_policy: optional(Open.literal("always_allow", "always_ask", "always_deny")),
  org_max_permission: optional(Open.literal("allow", "ask", "blocked"))
}).annotations({ identifier: "McpServerToolPolicy" })
export interface McpServerToolPolicy extends Schema.Schema.Type<typeof McpServerToolPolicy> {}

/** Which server a tool belongs to, and where that server was configured. */
export const McpServerProvenance = Schema.Struct({
  name: Schema.String,
  source: Schema.String
}).annotations({ identifier: "McpServerProvenance" })
export interface McpServerProvenance extends Schema.Schema.Type<typeof McpServerProvenance> {}

const common = {
  timeout: optional(JsonNumber),
  alwaysLoad: optional(Schema.Boolean)
}

const StringMap = Schema.Record({ key: Schema.String, value: Schema.String })

/** A server that the CLI starts as a process. */
export const McpStdioServer = Schema.Struct({
  type: optional(Schema.Literal("stdio")),
  command: Schema.String,
  args: optional(Schema.Array(Schema.String)),
  env: optional(StringMap),
  ...common
}).annotations({ identifier: "McpStdioServer" })
export interface McpStdioServer extends Schema.Schema.Type<typeof McpStdioServer> {}

/** A server reached over server-sent events. */
export const McpSseServer = Schema.Struct({
  type: Schema.Literal("sse"),
  url: Schema.String,
  headers: optional(StringMap),
  tools: optional(Schema.Array(McpServerToolPolicy)),
  ...common
}).annotations({ identifier: "McpSseServer" })
export interface McpSseServer extends Schema.Schema.Type<typeof McpSseServer> {}

/** A server reached over HTTP. */
export const McpHttpServer = Schema.Struct({
  type: Schema.Literal("http"),
  url: Schema.String,
  headers: optional(StringMap),
  tools: optional(Schema.Array(McpServerToolPolicy)),
  ...common
}).annotations({ identifier: "McpHttpServer" })
export interface McpHttpServer extends Schema.Schema.Type<typeof McpHttpServer> {}

/** A server that lives in the host and is reached by `mcp_message`. */
export const McpSdkServer = Schema.Struct({
  type: Schema.Literal("sdk"),
  name: Schema.String,
  timeout: optional(JsonNumber),
  tools: optional(Schema.Array(McpServerToolPolicy))
}).annotations({ identifier: "McpSdkServer" })
export interface McpSdkServer extends Schema.Schema.Type<typeof McpSdkServer> {}

/** A server that claude.ai stands in front of. Reported, never configured. */
export const McpProxyServer = Schema.Struct({
  type: Schema.Literal("claudeai-proxy"),
  url: Schema.String,
  id: Schema.String,
  timeout: optional(JsonNumber)
}).annotations({ identifier: "McpProxyServer" })
export interface McpProxyServer extends Schema.Schema.Type<typeof McpProxyServer> {}

/** A server that a host can configure. */
export const McpServerConfig = Schema.Union(McpStdioServer, McpSseServer, McpHttpServer, McpSdkServer).annotations({
  identifier: "McpServerConfig"
})
export type McpServerConfig = typeof McpServerConfig.Type

/** A configuration that the CLI reports; kinds that it may learn later are kept. */
export const McpReportedConfig = Schema.Union(
  McpStdioServer,
  McpSseServer,
  McpHttpServer,
  McpSdkServer,
  McpProxyServer,
  Schema.Struct({ type: Open.unrecognized(["stdio", "sse", "http", "sdk", "claudeai-proxy"]) })
).annotations({ identifier: "McpReportedConfig" })
export type McpReportedConfig = typeof McpReportedConfig.Type

/** How a server is doing. */
export const McpServerStatus = Schema.Struct({
  name: Schema.String,
  status: Open.literal("connected", "failed", "needs-auth", "pending", "disabled"),
  serverInfo: optional(Schema.Struct({ name: Schema.String, version: Schema.String })),
  error: optional(Schema.String),
  config: optional(McpReportedConfig),
  scope: optional(Schema.String),
  source: optional(Schema.String),
  transport: optional(Schema.String),
  tools: optional(Schema.Array(Schema.Struct({
    name: Schema.String,
    description: optional(Schema.String),
    annotations: optional(Schema.Struct({
      readOnly: optional(Schema.Boolean),
      destructive: optional(Schema.Boolean),
      openWorld: optional(Schema.Boolean)
    })),
    _meta: optional(JsonObject)
  })))
}).annotations({ identifier: "McpServerStatus" })
export interface McpServerStatus extends Schema.Schema.Type<typeof McpServerStatus> {}
