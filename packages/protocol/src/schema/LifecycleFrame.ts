/**
 * Frames about the conversation's plumbing: queued messages, resets, mirrors, heartbeats.
 *
 * @since 0.1.0
 * @stability stable
 */
import * as Schema from "effect/Schema"
import { optional } from "../internal/fields.js"
import { JsonValue } from "./Json.js"
import * as Open from "./Open.js"

/** How far a message of the host's has come. */
export const CommandState = Open.literal("queued", "started", "completed", "cancelled").annotations({
  identifier: "CommandState"
})
export type CommandState = typeof CommandState.Type

/** `command_lifecycle`: where a message that the host sent is in the CLI's queue. Seen on the wire from 2.1.250 on; not in
 * the SDK's types. */
export const CommandLifecycleFrame = Schema.Struct({
  type: Schema.Literal("command_lifecycle"),
  command_uuid: Schema.String,
  state: CommandState,
  uuid: optional(Schema.String),
  session_id: optional(Schema.String)
}).annotations({ identifier: "CommandLifecycleFrame" })
export interface CommandLifecycleFrame extends Schema.Schema.Type<typeof CommandLifecycleFrame> {}

/** `conversation_reset`: the conversation starts anew under another id (`/clear`). */
export const ConversationResetFrame = Schema.Struct({
  type: Schema.Literal("conversation_reset"),
  new_conversation_id: Schema.String,
  uuid: Schema.String,
  session_id: Schema.String,
  trigger: optional(Open.literal("clear", "plan_mode_exit", "fresh_session", "onboarding")),
  user_message_uuid: optional(Schema.String),
  timestamp: optional(Schema.String)
}).annotations({ identifier: "ConversationResetFrame" })
export interface ConversationResetFrame extends Schema.Schema.Type<typeof ConversationResetFrame> {}

/** `transcript_mirror`: transcript entries for a host that keeps its own copy. Not in the SDK's types. */
export const TranscriptMirrorFrame = Schema.Struct({
  type: Schema.Literal("transcript_mirror"),
  filePath: Schema.String,
  entries: Schema.Array(JsonValue)
}).annotations({ identifier: "TranscriptMirrorFrame" })
export interface TranscriptMirrorFrame extends Schema.Schema.Type<typeof TranscriptMirrorFrame> {}

/** `keep_alive`: a heartbeat. Never answered. */
export const KeepAliveFrame = Schema.Struct({
  type: Schema.Literal("keep_alive")
}).annotations({ identifier: "KeepAliveFrame" })
export interface KeepAliveFrame extends Schema.Schema.Type<typeof KeepAliveFrame> {}
