/**
 * Control requests about files, folders, plugins, skills and the program itself.
 *
 * @since 0.1.0
 * @stability stable
 */
import * as Schema from "effect/Schema"
import { optional } from "../internal/fields.js"
import { AgentInfo } from "./Agent.js"
import { JsonNumber, JsonValue } from "./Json.js"
import { McpServerStatus } from "./McpServerConfig.js"
import * as Open from "./Open.js"
import { PluginConfig } from "./Plugin.js"
import { SlashCommand } from "./SlashCommand.js"

/** Reads a file as the CLI sees it. */
export const ReadFileRequest = Schema.Struct({
  subtype: Schema.Literal("read_file"),
  path: Schema.String,
  max_bytes: optional(JsonNumber),
  encoding: optional(Schema.Literal("base64", "utf-8"))
}).annotations({ identifier: "ReadFileRequest" })
export interface ReadFileRequest extends Schema.Schema.Type<typeof ReadFileRequest> {}

/** The file's contents. */
export const ReadFileResponse = Schema.Struct({
  contents: Schema.String,
  absPath: Schema.String,
  truncated: optional(Schema.Boolean),
  encoding: optional(Open.literal("base64")),
  lossy: optional(Schema.Boolean),
  requested_path: optional(Schema.String)
}).annotations({ identifier: "ReadFileResponse" })
export interface ReadFileResponse extends Schema.Schema.Type<typeof ReadFileResponse> {}

/** Asks for paths that begin like this. */
export const FileSuggestionsRequest = Schema.Struct({
  subtype: Schema.Literal("file_suggestions"),
  query: Schema.String
}).annotations({ identifier: "FileSuggestionsRequest" })
export interface FileSuggestionsRequest extends Schema.Schema.Type<typeof FileSuggestionsRequest> {}

/** Paths that fit. */
export const FileSuggestionsResponse = Schema.Struct({
  suggestions: Schema.Array(JsonValue),
  cwd: optional(Schema.String)
}).annotations({ identifier: "FileSuggestionsResponse" })
export interface FileSuggestionsResponse extends Schema.Schema.Type<typeof FileSuggestionsResponse> {}

/** Adds a repository to the session. */
export const RegisterRepoRootRequest = Schema.Struct({
  subtype: Schema.Literal("register_repo_root"),
  directory: Schema.String,
  reload_claude_md: optional(Schema.Boolean),
  reload_plugins: optional(Schema.Boolean),
  reload_skills: optional(Schema.Boolean)
}).annotations({ identifier: "RegisterRepoRootRequest" })
export interface RegisterRepoRootRequest extends Schema.Schema.Type<typeof RegisterRepoRootRequest> {}

/** Loads plugins again. */
export const ReloadPluginsRequest = Schema.Struct({
  subtype: Schema.Literal("reload_plugins"),
  hold_on_cache_impact: optional(Schema.Boolean),
  add_plugins: optional(Schema.Array(PluginConfig)),
  refuse_if_busy: optional(Schema.Boolean)
}).annotations({ identifier: "ReloadPluginsRequest" })
export interface ReloadPluginsRequest extends Schema.Schema.Type<typeof ReloadPluginsRequest> {}

/** What there is after the reload. */
export const ReloadPluginsResponse = Schema.Struct({
  commands: Schema.Array(SlashCommand),
  agents: Schema.Array(AgentInfo),
  plugins: Schema.Array(Schema.Struct({
    name: Schema.String,
    path: Schema.String,
    source: optional(Schema.String),
    version: optional(Schema.String)
  })),
  mcpServers: Schema.Array(McpServerStatus),
  error_count: JsonNumber,
  held: optional(Schema.Boolean),
  cache_impact: optional(Schema.Struct({
    mcp_servers_added: Schema.Array(Schema.String),
    mcp_servers_removed: Schema.Array(Schema.String),
    lsp_tool_change: Schema.NullOr(Open.literal("adds", "may-add", "removes", "may-remove"))
  }))
}).annotations({ identifier: "ReloadPluginsResponse" })
export interface ReloadPluginsResponse extends Schema.Schema.Type<typeof ReloadPluginsResponse> {}

/** Loads skills again. */
export const ReloadSkillsRequest = Schema.Struct({
  subtype: Schema.Literal("reload_skills")
}).annotations({ identifier: "ReloadSkillsRequest" })
export interface ReloadSkillsRequest extends Schema.Schema.Type<typeof ReloadSkillsRequest> {}

/** The skills there are. */
export const ReloadSkillsResponse = Schema.Struct({
  skills: Schema.Array(SlashCommand)
}).annotations({ identifier: "ReloadSkillsResponse" })
export interface ReloadSkillsResponse extends Schema.Schema.Type<typeof ReloadSkillsResponse> {}

/** Loads output styles again. */
export const ReloadOutputStylesRequest = Schema.Struct({
  subtype: Schema.Literal("reload_output_styles")
}).annotations({ identifier: "ReloadOutputStylesRequest" })
export interface ReloadOutputStylesRequest extends Schema.Schema.Type<typeof ReloadOutputStylesRequest> {}

/** The output styles there are. */
export const ReloadOutputStylesResponse = Schema.Struct({
  available_output_styles: Schema.Array(Schema.String)
}).annotations({ identifier: "ReloadOutputStylesResponse" })
export interface ReloadOutputStylesResponse extends Schema.Schema.Type<typeof ReloadOutputStylesResponse> {}

/** Asks which CLI this is. */
export const GetBinaryVersionRequest = Schema.Struct({
  subtype: Schema.Literal("get_binary_version")
}).annotations({ identifier: "GetBinaryVersionRequest" })
export interface GetBinaryVersionRequest extends Schema.Schema.Type<typeof GetBinaryVersionRequest> {}

/** Which CLI this is. */
export const GetBinaryVersionResponse = Schema.Struct({
  version: Schema.String,
  buildTime: optional(Schema.String),
  oldestDesktopSdk: optional(Schema.String)
}).annotations({ identifier: "GetBinaryVersionResponse" })
export interface GetBinaryVersionResponse extends Schema.Schema.Type<typeof GetBinaryVersionResponse> {}
