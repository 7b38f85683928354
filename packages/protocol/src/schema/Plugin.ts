/**
 * Plugins that a host hands to the CLI, and those it found.
 *
 * @since 0.1.0
 * @stability stable
 */
import * as Schema from "effect/Schema"
import { optional } from "../internal/fields.js"

/** A plugin folder to load. */
export const PluginConfig = Schema.Struct({
  type: Schema.Literal("local"),
  path: Schema.String,
  skipMcpDiscovery: optional(Schema.Boolean)
}).annotations({ identifier: "PluginConfig" })
export interface PluginConfig extends Schema.Schema.Type<typeof PluginConfig> {}

/** A plugin that is loaded. */
export const PluginInfo = Schema.Struct({
  name: Schema.String,
  path: Schema.String,
  source: optional(Schema.String),
  version: optional(Schema.String)
}).annotations({ identifier: "PluginInfo" })
export interface PluginInfo extends Schema.Schema.Type<typeof PluginInfo> {}
