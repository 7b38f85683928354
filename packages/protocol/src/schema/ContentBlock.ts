/**
 * Content blocks of messages. {@link ContentBlock} is what the CLI sends: open, and lenient about fields that the API
 * leaves out in one direction. {@link PromptBlock} is what a host sends: the few kinds that a prompt is made of, closed.
 *
 * Results of tools that run at the API (`web_search`, `code_execution`, …) keep their content opaque: it is the API's, not
 * the CLI's, and is passed on as it came.
 *
 * @since 0.1.0
 * @stability stable
 */
import * as Schema from "effect/Schema"
import { optional } from "../internal/fields.js"
import { JsonObject, JsonValue } from "./Json.js"
import * as Open from "./Open.js"

/** Marks where the API may cache up to. */
export const CacheControl = Schema.Struct({
  type: Schema.Literal("ephemeral"),
  ttl: optional(Open.literal("5m", "1h"))
}).annotations({ identifier: "CacheControl" })
export interface CacheControl extends Schema.Schema.Type<typeof CacheControl> {}

const cacheable = { cache_control: optional(Schema.NullOr(CacheControl)) }

/** Text. */
export const TextBlock = Schema.Struct({
  type: Schema.Literal("text"),
  text: Schema.String,
  citations: optional(Schema.NullOr(Schema.Array(JsonObject))),
  ...cacheable
}).annotations({ identifier: "TextBlock" })
export interface TextBlock extends Schema.Schema.Type<typeof TextBlock> {}

/** Bytes in the frame itself. */
export const Base64Source = Schema.Struct({
  type: Schema.Literal("base64"),
  media_type: Schema.String,
  data: Schema.String
}).annotations({ identifier: "Base64Source" })
export interface Base64Source extends Schema.Schema.Type<typeof Base64Source> {}

/** Bytes at an address. */
export const UrlSource = Schema.Struct({
  type: Schema.Literal("url"),
  url: Schema.String
}).annotations({ identifier: "UrlSource" })
export interface UrlSource extends Schema.Schema.Type<typeof UrlSource> {}

/** Bytes uploaded before. */
export const FileSource = Schema.Struct({
  type: Schema.Literal("file"),
  file_id: Schema.String
}).annotations({ identifier: "FileSource" })
export interface FileSource extends Schema.Schema.Type<typeof FileSource> {}

/** Plain text as a document. */
export const TextSource = Schema.Struct({
  type: Schema.Literal("text"),
  media_type: Schema.String,
  data: Schema.String
}).annotations({ identifier: "TextSource" })
export interface TextSource extends Schema.Schema.Type<typeof TextSource> {}

/** Blocks as a document. */
export const ContentSource = Schema.Struct({
  type: Schema.Literal("content"),
  content: Schema.Union(Schema.String, Schema.Array(JsonObject))
}).annotations({ identifier: "ContentSource" })
export interface ContentSource extends Schema.Schema.Type<typeof ContentSource> {}

/** An image. */
export const ImageBlock = Schema.Struct({
  type: Schema.Literal("image"),
  source: Open.union("type", [Base64Source, UrlSource, FileSource]),
  transformations: optional(Schema.NullOr(JsonObject)),
  ...cacheable
}).annotations({ identifier: "ImageBlock" })
export interface ImageBlock extends Schema.Schema.Type<typeof ImageBlock> {}

/** A document: a PDF or text. */
export const DocumentBlock = Schema.Struct({
  type: Schema.Literal("document"),
  source: Open.union("type", [Base64Source, UrlSource, FileSource, TextSource, ContentSource]),
  title: optional(Schema.NullOr(Schema.String)),
  context: optional(Schema.NullOr(Schema.String)),
  citations: optional(Schema.NullOr(JsonObject)),
  ...cacheable
}).annotations({ identifier: "DocumentBlock" })
export interface DocumentBlock extends Schema.Schema.Type<typeof DocumentBlock> {}

/** Something found, with its source. */
export const SearchResultBlock = Schema.Struct({
  type: Schema.Literal("search_result"),
  title: Schema.String,
  source: Schema.String,
  content: Schema.Array(TextBlock),
  citations: optional(JsonObject),
  ...cacheable
}).annotations({ identifier: "SearchResultBlock" })
export interface SearchResultBlock extends Schema.Schema.Type<typeof SearchResultBlock> {}

/** A tool that was found and can be called from now on. */
export const ToolReferenceBlock = Schema.Struct({
  type: Schema.Literal("tool_reference"),
  tool_name: Schema.String,
  ...cacheable
}).annotations({ identifier: "ToolReferenceBlock" })
export interface ToolReferenceBlock extends Schema.Schema.Type<typeof ToolReferenceBlock> {}

/** The tabs of a browser that the model drives. */
export const BrowserStateBlock = Schema.Struct({
  type: Schema.Literal("browser_state"),
  tabs: Schema.Array(JsonObject),
  state_changes: optional(Schema.NullOr(Schema.Array(JsonObject))),
  ...cacheable
}).annotations({ identifier: "BrowserStateBlock" })
export interface BrowserStateBlock extends Schema.Schema.Type<typeof BrowserStateBlock> {}

/** What the model thought. */
export const ThinkingBlock = Schema.Struct({
  type: Schema.Literal("thinking"),
  thinking: Schema.String,
  signature: optional(Schema.String)
}).annotations({ identifier: "ThinkingBlock" })
export interface ThinkingBlock extends Schema.Schema.Type<typeof ThinkingBlock> {}

/** What the model thought, encrypted. */
export const RedactedThinkingBlock = Schema.Struct({
  type: Schema.Literal("redacted_thinking"),
  data: Schema.String
}).annotations({ identifier: "RedactedThinkingBlock" })
export interface RedactedThinkingBlock extends Schema.Schema.Type<typeof RedactedThinkingBlock> {}

/** The model calls a tool. */
export const ToolUseBlock = Schema.Struct({
  type: Schema.Literal("tool_use"),
  id: Schema.String,
  name: Schema.String,
  input: JsonValue,
  caller: optional(JsonObject),
  toolset_name: optional(Schema.NullOr(Schema.String)),
  ...cacheable
}).annotations({ identifier: "ToolUseBlock" })
export interface ToolUseBlock extends Schema.Schema.Type<typeof ToolUseBlock> {}

/** What a tool answered. */
export const ToolResultBlock = Schema.Struct({
  type: Schema.Literal("tool_result"),
  tool_use_id: Schema.String,
  content: optional(Schema.Union(
    Schema.String,
    Schema.Array(
      Open.union("type", [
        TextBlock,
        ImageBlock,
        DocumentBlock,
        SearchResultBlock,
        ToolReferenceBlock,
        BrowserStateBlock
      ])
    )
  )),
  is_error: optional(Schema.Boolean),
  toolset_name: optional(Schema.NullOr(Schema.String)),
  ...cacheable
}).annotations({ identifier: "ToolResultBlock" })
export interface ToolResultBlock extends Schema.Schema.Type<typeof ToolResultBlock> {}

/** The model calls a tool that runs at the API. */
export const ServerToolUseBlock = Schema.Struct({
  type: Schema.Literal("server_tool_use"),
  id: Schema.String,
  name: Schema.String,
  input: JsonValue,
  caller: optional(JsonObject),
  ...cacheable
}).annotations({ identifier: "ServerToolUseBlock" })
export interface ServerToolUseBlock extends Schema.Schema.Type<typeof ServerToolUseBlock> {}

const serverToolResult = <const T extends string>(type: T) =>
  Schema.Struct({
    type: Schema.Literal(type),
    tool_use_id: Schema.String,
    content: JsonValue
  })

/** What the API's web search found. */
export const WebSearchToolResultBlock = Schema.Struct({
  ...serverToolResult("web_search_tool_result").fields,
  caller: optional(JsonObject),
  ...cacheable
}).annotations({ identifier: "WebSearchToolResultBlock" })
export interface WebSearchToolResultBlock extends Schema.Schema.Type<typeof WebSearchToolResultBlock> {}

/** What the API fetched from the web. */
export const WebFetchToolResultBlock = Schema.Struct({
  ...serverToolResult("web_fetch_tool_result").fields,
  caller: optional(JsonObject),
  ...cacheable
}).annotations({ identifier: "WebFetchToolResultBlock" })
export interface WebFetchToolResultBlock extends Schema.Schema.Type<typeof WebFetchToolResultBlock> {}

/** What code that the API ran gave. */
export const CodeExecutionToolResultBlock = Schema.Struct({
  ...serverToolResult("code_execution_tool_result").fields,
  ...cacheable
}).annotations({ identifier: "CodeExecutionToolResultBlock" })
export interface CodeExecutionToolResultBlock extends Schema.Schema.Type<typeof CodeExecutionToolResultBlock> {}

/** What a shell command that the API ran gave. */
export const BashCodeExecutionToolResultBlock = Schema.Struct({
  ...serverToolResult("bash_code_execution_tool_result").fields,
  ...cacheable
}).annotations({ identifier: "BashCodeExecutionToolResultBlock" })
export interface BashCodeExecutionToolResultBlock extends Schema.Schema.Type<typeof BashCodeExecutionToolResultBlock> {}

/** What an edit that the API made gave. */
export const TextEditorCodeExecutionToolResultBlock = Schema.Struct({
  ...serverToolResult("text_editor_code_execution_tool_result").fields,
  ...cacheable
}).annotations({ identifier: "TextEditorCodeExecutionToolResultBlock" })
export interface TextEditorCodeExecutionToolResultBlock
  extends Schema.Schema.Type<typeof TextEditorCodeExecutionToolResultBlock>
{}

/** Which tools a search for tools found. */
export const ToolSearchToolResultBlock = Schema.Struct({
  ...serverToolResult("tool_search_tool_result").fields,
  ...cacheable
}).annotations({ identifier: "ToolSearchToolResultBlock" })
export interface ToolSearchToolResultBlock extends Schema.Schema.Type<typeof ToolSearchToolResultBlock> {}

/** What an advising model said. */
export const AdvisorToolResultBlock = serverToolResult("advisor_tool_result").annotations({
  identifier: "AdvisorToolResultBlock"
})
export interface AdvisorToolResultBlock extends Schema.Schema.Type<typeof AdvisorToolResultBlock> {}

/** The model calls a tool of an MCP server that the API reaches. */
export const McpToolUseBlock = Schema.Struct({
  type: Schema.Literal("mcp_tool_use"),
  id: Schema.String,
  name: Schema.String,
  server_name: Schema.String,
  input: JsonValue
}).annotations({ identifier: "McpToolUseBlock" })
export interface McpToolUseBlock extends Schema.Schema.Type<typeof McpToolUseBlock> {}

/** What such a tool answered. */
export const McpToolResultBlock = Schema.Struct({
  type: Schema.Literal("mcp_tool_result"),
  tool_use_id: Schema.String,
  is_error: Schema.Boolean,
  content: Schema.Union(Schema.String, Schema.Array(TextBlock))
}).annotations({ identifier: "McpToolResultBlock" })
export interface McpToolResultBlock extends Schema.Schema.Type<typeof McpToolResultBlock> {}

/** The tools that such a server has. */
export const McpToolListingBlock = Schema.Struct({
  type: Schema.Literal("mcp_tool_listing"),
  mcp_server_name: Schema.String,
  tools: Schema.Array(JsonObject)
}).annotations({ identifier: "McpToolListingBlock" })
export interface McpToolListingBlock extends Schema.Schema.Type<typeof McpToolListingBlock> {}

/** A file for the container in which the API runs code. */
export const ContainerUploadBlock = Schema.Struct({
  type: Schema.Literal("container_upload"),
  file_id: Schema.String,
  ...cacheable
}).annotations({ identifier: "ContainerUploadBlock" })
export interface ContainerUploadBlock extends Schema.Schema.Type<typeof ContainerUploadBlock> {}

/** A summary that stands for what came before. */
export const CompactionBlock = Schema.Struct({
  type: Schema.Literal("compaction"),
  content: Schema.NullOr(Schema.String),
  encrypted_content: optional(Schema.NullOr(Schema.String)),
  signature: optional(Schema.NullOr(Schema.String)),
  tool_changes: optional(Schema.NullOr(Schema.Array(JsonObject)))
}).annotations({ identifier: "CompactionBlock" })
export interface CompactionBlock extends Schema.Schema.Type<typeof CompactionBlock> {}

/** Another model took over in the middle of a message. */
export const FallbackBlock = Schema.Struct({
  type: Schema.Literal("fallback"),
  from: JsonObject,
  to: JsonObject,
  trigger: JsonObject
}).annotations({ identifier: "FallbackBlock" })
export interface FallbackBlock extends Schema.Schema.Type<typeof FallbackBlock> {}

/** A block of a message that the CLI sends. */
export const ContentBlock = Open.union("type", [
  TextBlock,
  ThinkingBlock,
  RedactedThinkingBlock,
  ToolUseBlock,
  ToolResultBlock,
  ImageBlock,
  DocumentBlock,
  SearchResultBlock,
  ServerToolUseBlock,
  WebSearchToolResultBlock,
  WebFetchToolResultBlock,
  CodeExecutionToolResultBlock,
  BashCodeExecutionToolResultBlock,
  TextEditorCodeExecutionToolResultBlock,
  ToolSearchToolResultBlock,
  AdvisorToolResultBlock,
  McpToolUseBlock,
  McpToolResultBlock,
  McpToolListingBlock,
  ContainerUploadBlock,
  CompactionBlock,
  FallbackBlock
]).annotations({ identifier: "ContentBlock" })
export type ContentBlock = typeof ContentBlock.Type

/** A block of a prompt that a host sends. */
export const PromptBlock = Schema.Union(TextBlock, ImageBlock, DocumentBlock, SearchResultBlock, ToolResultBlock)
  .annotations({ identifier: "PromptBlock" })
export type PromptBlock = typeof PromptBlock.Type
