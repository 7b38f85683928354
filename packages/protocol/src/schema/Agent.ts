/**
 * Subagents: those that exist, and those that a host defines.
 *
 * @since 0.1.0
 * @stability stable
 */
import * as Schema from "effect/Schema"
import { optional } from "../internal/fields.js"
import { JsonNumber } from "./Json.js"
import { McpServerConfig } from "./McpServerConfig.js"
import { PermissionMode } from "./PermissionRequest.js"

/** A subagent that the CLI knows, as listed by `initialize`. */
export const AgentInfo = Schema.Struct({
  name: Schema.String,
  description: Schema.String,
  model: optional(Schema.String)
}).annotations({ identifier: "AgentInfo" })
export interface AgentInfo extends Schema.Schema.Type<typeof AgentInfo> {}

/** A subagent that the host defines, sent in `initialize`. */
export const AgentDefinition = Schema.Struct({
  description: Schema.String,
  tools: optional(Schema.Array(Schema.String)),
  disallowedTools: optional(Schema.Array(Schema.String)),
  prompt: Schema.String,
  model: optional(Schema.String),
  mcpServers: optional(
    Schema.Array(Schema.Union(Schema.String, Schema.Record({ key: Schema.String, value: McpServerConfig })))
  ),
  criticalSystemReminder_EXPERIMENTAL: optional(Schema.String),
  skills: optional(Schema.Array(Schema.String)),
  initialPrompt: optional(Schema.String),
  maxTurns: optional(JsonNumber),
  autoCompactWindow: optional(JsonNumber),
  background: optional(Schema.Boolean),
  omitClaudeMd: optional(Schema.Boolean),
  memory: optional(Schema.Literal("user", "project", "local")),
  effort: optional(Schema.Union(JsonNumber, Schema.Literal("low", "medium", "high", "xhigh", "max"))),
  permissionMode: optional(PermissionMode),
  observer: optional(Schema.String),
  observerMessage: optional(Schema.String)
}).annotations({ identifier: "AgentDefinition" })
export interface AgentDefinition extends Schema.Schema.Type<typeof AgentDefinition> {}
