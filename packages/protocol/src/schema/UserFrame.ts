/**
 * `user`: what the host says, and on the way back what the CLI adds to the conversation: tool results, synthetic
 * messages, and the echo of the host's own messages under `--replay-user-messages`.
 *
 * @since 0.1.0
 * @stability stable
 */
import * as Schema from "effect/Schema"
import { optional } from "../internal/fields.js"
import { ContentBlock, PromptBlock } from "./ContentBlock.js"
import { JsonValue } from "./Json.js"
import * as Open from "./Open.js"
import { Origin } from "./Origin.js"

/** Where a message goes when a turn is running. */
export const UserPriority = Open.literal("now", "next", "later").annotations({ identifier: "UserPriority" })
export type UserPriority = typeof UserPriority.Type

/** A `user` frame from the CLI. `isReplay` marks the echo of a message that the host sent. */
export const CliUserFrame = Schema.Struct({
  type: Schema.Literal("user"),
  message: Schema.Struct({
    role: Schema.Literal("user"),
    content: Schema.Union(Schema.String, Schema.Array(ContentBlock))
  }),
  parent_tool_use_id: Schema.NullOr(Schema.String),
  isSynthetic: optional(Schema.Boolean),
  tool_use_result: optional(JsonValue),
  priority: optional(UserPriority),
  origin: optional(Origin),
  shouldQuery: optional(Schema.Boolean),
  timestamp: optional(Schema.String),
  client_composed: optional(Schema.Boolean),
  uuid: optional(Schema.String),
  pasted_content: optional(Schema.Array(Schema.Union(Schema.String, Schema.Array(ContentBlock)))),
  inline_pastes: optional(Schema.Array(Schema.String)),
  session_id: optional(Schema.String),
  agent_id: optional(Schema.String),
  subagent_type: optional(Schema.String),
  task_description: optional(Schema.String),
  isReplay: optional(Schema.Boolean),
  file_attachments: optional(Schema.Array(JsonValue)),
  tool_result_meta: optional(JsonValue)
}).annotations({ identifier: "CliUserFrame" })
export interface CliUserFrame extends Schema.Schema.Type<typeof CliUserFrame> {}

/** A `user` frame from the host. Give it a `uuid`: that is what ties a result to it later. */
export const HostUserFrame = Schema.Struct({
  type: Schema.Literal("user"),
  message: Schema.Struct({
    role: Schema.Literal("user"),
    content: Schema.Union(Schema.String, Schema.Array(PromptBlock))
  }),
  parent_tool_use_id: optional(Schema.NullOr(Schema.String)),
  uuid: optional(Schema.String),
  session_id: optional(Schema.String),
  priority: optional(Schema.Literal("now", "next", "later")),
  shouldQuery: optional(Schema.Boolean),
  isSynthetic: optional(Schema.Boolean),
  origin: optional(Origin),
  timestamp: optional(Schema.String),
  tool_use_result: optional(JsonValue),
  client_composed: optional(Schema.Literal(true)),
  pasted_content: optional(Schema.Array(Schema.Union(Schema.String, Schema.Array(PromptBlock)))),
  inline_pastes: optional(Schema.Array(Schema.String))
}).annotations({ identifier: "HostUserFrame" })
export interface HostUserFrame extends Schema.Schema.Type<typeof HostUserFrame> {}
