/**
 * `stream_event`: the model's answer as it is written, under `--include-partial-messages`. The events are the Messages
 * API's own; whole messages follow as `assistant` frames.
 *
 * @since 0.1.0
 * @stability stable
 */
import * as Schema from "effect/Schema"
import { optional } from "../internal/fields.js"
import { ApiMessage, StopReason } from "./ApiMessage.js"
import { ContentBlock } from "./ContentBlock.js"
import { JsonNumber, JsonObject, JsonValue } from "./Json.js"
import * as Open from "./Open.js"
import { Usage } from "./Usage.js"

/** More text. */
export const TextDelta = Schema.Struct({
  type: Schema.Literal("text_delta"),
  text: Schema.String
}).annotations({ identifier: "TextDelta" })
export interface TextDelta extends Schema.Schema.Type<typeof TextDelta> {}

/** More of a tool's input, as a piece of JSON text. */
export const InputJsonDelta = Schema.Struct({
  type: Schema.Literal("input_json_delta"),
  partial_json: Schema.String
}).annotations({ identifier: "InputJsonDelta" })
export interface InputJsonDelta extends Schema.Schema.Type<typeof InputJsonDelta> {}

/** More thinking. */
export const ThinkingDelta = Schema.Struct({
  type: Schema.Literal("thinking_delta"),
  thinking: Schema.String,
  estimated_tokens: optional(Schema.NullOr(JsonNumber))
}).annotations({ identifier: "ThinkingDelta" })
export interface ThinkingDelta extends Schema.Schema.Type<typeof ThinkingDelta> {}

/** The signature of a thinking block. */
export const SignatureDelta = Schema.Struct({
  type: Schema.Literal("signature_delta"),
  signature: Schema.String
}).annotations({ identifier: "SignatureDelta" })
export interface SignatureDelta extends Schema.Schema.Type<typeof SignatureDelta> {}

/** One more citation. */
export const CitationsDelta = Schema.Struct({
  type: Schema.Literal("citations_delta"),
  citation: JsonObject
}).annotations({ identifier: "CitationsDelta" })
export interface CitationsDelta extends Schema.Schema.Type<typeof CitationsDelta> {}

/** More of a compaction's summary. */
export const CompactionDelta = Schema.Struct({
  type: Schema.Literal("compaction_delta"),
  content: Schema.NullOr(Schema.String),
  encrypted_content: optional(Schema.NullOr(Schema.String))
}).annotations({ identifier: "CompactionDelta" })
export interface CompactionDelta extends Schema.Schema.Type<typeof CompactionDelta> {}

/** What is added to a content block. */
export const ContentDelta = Open.union("type", [
  TextDelta,
  InputJsonDelta,
  ThinkingDelta,
  SignatureDelta,
  CitationsDelta,
  CompactionDelta
]).annotations({ identifier: "ContentDelta" })
export type ContentDelta = typeof ContentDelta.Type

/** A message begins. */
export const MessageStartEvent = Schema.Struct({
  type: Schema.Literal("message_start"),
  message: ApiMessage
}).annotations({ identifier: "MessageStartEvent" })
export interface MessageStartEvent extends Schema.Schema.Type<typeof MessageStartEvent> {}

/** The message as a whole changes: why it stopped, what it used. */
export const MessageDeltaEvent = Schema.Struct({
  type: Schema.Literal("message_delta"),
  delta: Schema.Struct({
    stop_reason: optional(Schema.NullOr(StopReason)),
    stop_sequence: optional(Schema.NullOr(Schema.String)),
    stop_details: optional(Schema.NullOr(JsonObject)),
    container: optional(Schema.NullOr(JsonObject))
  }),
  usage: optional(
    Usage.pick(
      "output_tokens",
      "output_tokens_details",
      "cache_creation_input_tokens",
      "cache_read_input_tokens",
      "server_tool_use",
      "iterations",
      "fallback_credit"
    ).pipe(Schema.extend(Schema.Struct({ input_tokens: optional(Schema.NullOr(JsonNumber)) })))
  ),
  context_management: optional(Schema.NullOr(JsonObject)),
  input_transformations: optional(Schema.NullOr(Schema.Array(JsonObject)))
}).annotations({ identifier: "MessageDeltaEvent" })
export interface MessageDeltaEvent extends Schema.Schema.Type<typeof MessageDeltaEvent> {}

/** A message ends. */
export const MessageStopEvent = Schema.Struct({
  type: Schema.Literal("message_stop")
}).annotations({ identifier: "MessageStopEvent" })
export interface MessageStopEvent extends Schema.Schema.Type<typeof MessageStopEvent> {}

/** A content block begins. */
export const ContentBlockStartEvent = Schema.Struct({
  type: Schema.Literal("content_block_start"),
  index: JsonNumber,
  content_block: ContentBlock
}).annotations({ identifier: "ContentBlockStartEvent" })
export interface ContentBlockStartEvent extends Schema.Schema.Type<typeof ContentBlockStartEvent> {}

/** A content block grows. */
export const ContentBlockDeltaEvent = Schema.Struct({
  type: Schema.Literal("content_block_delta"),
  index: JsonNumber,
  delta: ContentDelta
}).annotations({ identifier: "ContentBlockDeltaEvent" })
export interface ContentBlockDeltaEvent extends Schema.Schema.Type<typeof ContentBlockDeltaEvent> {}

/** A content block ends. */
export const ContentBlockStopEvent = Schema.Struct({
  type: Schema.Literal("content_block_stop"),
  index: JsonNumber
}).annotations({ identifier: "ContentBlockStopEvent" })
export interface ContentBlockStopEvent extends Schema.Schema.Type<typeof ContentBlockStopEvent> {}

/** One event of the Messages API's stream. */
export const StreamEvent = Open.union("type", [
  ContentBlockDeltaEvent,
  ContentBlockStartEvent,
  ContentBlockStopEvent,
  MessageStartEvent,
  MessageDeltaEvent,
  MessageStopEvent
]).annotations({ identifier: "StreamEvent" })
export type StreamEvent = typeof StreamEvent.Type

/** `stream_event`: one event, and whose it is. */
export const StreamEventFrame = Schema.Struct({
  type: Schema.Literal("stream_event"),
  event: StreamEvent,
  parent_tool_use_id: Schema.NullOr(Schema.String),
  session_id: Schema.String,
  uuid: optional(Schema.String),
  ttft_ms: optional(JsonNumber),
  user_message_uuid: optional(Schema.String),
  user_message_uuids: optional(Schema.Array(Schema.String)),
  resume_reason: optional(Schema.String),
  api_message_id: optional(Schema.String),
  thinking_display: optional(Schema.String),
  abandoned_blocks: optional(JsonValue),
  owed_rows: optional(JsonValue)
}).annotations({ identifier: "StreamEventFrame" })
export interface StreamEventFrame extends Schema.Schema.Type<typeof StreamEventFrame> {}
