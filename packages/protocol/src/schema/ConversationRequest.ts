/**
 * Control requests that steer the conversation: interrupt, model, permissions, thinking, title, rewinding.
 *
 * @since 0.1.0
 * @stability stable
 */
import * as Schema from "effect/Schema"
import { optional } from "../internal/fields.js"
import { JsonNumber } from "./Json.js"
import { ModelInfo } from "./Model.js"
import { PermissionMode } from "./PermissionRequest.js"

/** Stops the running turn. Harmless between turns. */
export const InterruptRequest = Schema.Struct({
  subtype: Schema.Literal("interrupt"),
  cancel_queued: optional(Schema.Boolean)
}).annotations({ identifier: "InterruptRequest" })
export interface InterruptRequest extends Schema.Schema.Type<typeof InterruptRequest> {}

/** The receipt: which queued messages remain, and which were dropped. Empty before 2.1.250. */
export const InterruptResponse = Schema.Struct({
  still_queued: optional(Schema.Array(Schema.String)),
  cancelled: optional(Schema.Array(Schema.String))
}).annotations({ identifier: "InterruptResponse" })
export interface InterruptResponse extends Schema.Schema.Type<typeof InterruptResponse> {}

/** Switches the model; without one, back to the default. */
export const SetModelRequest = Schema.Struct({
  subtype: Schema.Literal("set_model"),
  model: optional(Schema.NullOr(Schema.String))
}).annotations({ identifier: "SetModelRequest" })
export interface SetModelRequest extends Schema.Schema.Type<typeof SetModelRequest> {}

/** The model that is used from now on. */
export const SetModelResponse = Schema.Struct({ model: optional(Schema.NullOr(Schema.String)) }).annotations({
  identifier: "SetModelResponse"
})
export interface SetModelResponse extends Schema.Schema.Type<typeof SetModelResponse> {}

/** Switches the permission mode. */
export const SetPermissionModeRequest = Schema.Struct({
  subtype: Schema.Literal("set_permission_mode"),
  mode: PermissionMode
}).annotations({ identifier: "SetPermissionModeRequest" })
export interface SetPermissionModeRequest extends Schema.Schema.Type<typeof SetPermissionModeRequest> {}

/** The mode that holds from now on. */
export const SetPermissionModeResponse = Schema.Struct({ mode: optional(Schema.String) }).annotations({
  identifier: "SetPermissionModeResponse"
})
export interface SetPermissionModeResponse extends Schema.Schema.Type<typeof SetPermissionModeResponse> {}

/** Sets how much may be thought, and how that is shown. */
export const SetMaxThinkingTokensRequest = Schema.Struct({
  subtype: Schema.Literal("set_max_thinking_tokens"),
  max_thinking_tokens: optional(Schema.NullOr(JsonNumber)),
  thinking_display: optional(Schema.NullOr(Schema.Literal("summarized", "omitted", "highlights")))
}).annotations({ identifier: "SetMaxThinkingTokensRequest" })
export interface SetMaxThinkingTokensRequest extends Schema.Schema.Type<typeof SetMaxThinkingTokensRequest> {}

/** Takes a queued message back. */
export const CancelAsyncMessageRequest = Schema.Struct({
  subtype: Schema.Literal("cancel_async_message"),
  message_uuid: Schema.String
}).annotations({ identifier: "CancelAsyncMessageRequest" })
export interface CancelAsyncMessageRequest extends Schema.Schema.Type<typeof CancelAsyncMessageRequest> {}

/** Whether it was still there to take back. */
export const CancelAsyncMessageResponse = Schema.Struct({
  cancelled: Schema.Boolean,
  message_uuid: optional(Schema.String)
}).annotations({
  identifier: "CancelAsyncMessageResponse"
})
export interface CancelAsyncMessageResponse extends Schema.Schema.Type<typeof CancelAsyncMessageResponse> {}

/** Gives the session a title. */
export const RenameSessionRequest = Schema.Struct({
  subtype: Schema.Literal("rename_session"),
  title: Schema.String,
  source: optional(Schema.Literal("remote", "host")),
  session_id: optional(Schema.String)
}).annotations({ identifier: "RenameSessionRequest" })
export interface RenameSessionRequest extends Schema.Schema.Type<typeof RenameSessionRequest> {}

/** Gives the session a colour. Refused in print mode. */
export const SetColorRequest = Schema.Struct({
  subtype: Schema.Literal("set_color"),
  color: Schema.String
}).annotations({ identifier: "SetColorRequest" })
export interface SetColorRequest extends Schema.Schema.Type<typeof SetColorRequest> {}

/** Tells whether anybody watches. */
export const SetHasSubscribersRequest = Schema.Struct({
  subtype: Schema.Literal("set_has_subscribers"),
  has_subscribers: Schema.NullOr(Schema.Boolean)
}).annotations({ identifier: "SetHasSubscribersRequest" })
export interface SetHasSubscribersRequest extends Schema.Schema.Type<typeof SetHasSubscribersRequest> {}

/** Puts files back to where they were at a message. */
export const RewindFilesRequest = Schema.Struct({
  subtype: Schema.Literal("rewind_files"),
  user_message_id: Schema.String,
  dry_run: optional(Schema.Boolean)
}).annotations({ identifier: "RewindFilesRequest" })
export interface RewindFilesRequest extends Schema.Schema.Type<typeof RewindFilesRequest> {}

/** What was, or would be, put back. */
export const RewindFilesResponse = Schema.Struct({
  canRewind: Schema.Boolean,
  error: optional(Schema.String),
  filesChanged: optional(Schema.Array(Schema.String)),
  insertions: optional(JsonNumber),
  deletions: optional(JsonNumber),
  skippedLinks: optional(JsonNumber)
}).annotations({ identifier: "RewindFilesResponse" })
export interface RewindFilesResponse extends Schema.Schema.Type<typeof RewindFilesResponse> {}

/** Makes the CLI believe that a file was read at a time. */
export const SeedReadStateRequest = Schema.Struct({
  subtype: Schema.Literal("seed_read_state"),
  path: Schema.String,
  mtime: JsonNumber
}).annotations({ identifier: "SeedReadStateRequest" })
export interface SeedReadStateRequest extends Schema.Schema.Type<typeof SeedReadStateRequest> {}

/** Asks which models there are. */
export const ListModelsRequest = Schema.Struct({
  subtype: Schema.Literal("list_models")
}).annotations({ identifier: "ListModelsRequest" })
export interface ListModelsRequest extends Schema.Schema.Type<typeof ListModelsRequest> {}

/** The models there are. */
export const ListModelsResponse = Schema.Struct({ models: Schema.Array(ModelInfo) }).annotations({
  identifier: "ListModelsResponse"
})
export interface ListModelsResponse extends Schema.Schema.Type<typeof ListModelsResponse> {}
