/**
 * What the page and the server say to each other: the one description that both are made from. Frames travel as the lines
 * they are on the wire; the page decodes them itself.
 *
 * @since 0.1.0
 * @stability experimental
 */
import { PermissionUpdate } from "@claude-duplex/protocol/schema/PermissionRequest"
import { Entry } from "@claude-duplex/transport-mock/Recording"
import * as Rpc from "@effect/rpc/Rpc"
import * as RpcGroup from "@effect/rpc/RpcGroup"
import * as Schema from "effect/Schema"

/**
 * Why something that the page asked for was not done.
 *
 * - `NoSuchConversation`: there is none of this name, any more or at all.
 * - `NotLive`: it is a recording, or it has ended.
 * - `NoSuchEntry`: it has no such line, or does not keep it any more.
 * - `Refused`: the session or the CLI did not do it; the detail says why.
 * - `Unreadable`: the file of a recording cannot be read; the detail says why.
 */
export const UiReason = Schema.Literal("NoSuchConversation", "NotLive", "NoSuchEntry", "Refused", "Unreadable")
export type UiReason = typeof UiReason.Type

/**
 * Something that the page asked for was not done.
 *
 * @example
 * ```ts
 * import { UiError } from "@claude-duplex/ui/Api"
 *
 * new UiError({ reason: "NotLive", detail: "plain.jsonl is a recording" }).message
 * ```
 */
export class UiError extends Schema.TaggedError<UiError>("@claude-duplex/ui/UiError")("UiError", {
  reason: UiReason,
  detail: Schema.String
}) {
  override get message(): string {
    return this.detail
  }
}

/** A conversation that can be looked at: one that goes on, or a recording of one. */
export const Conversation = Schema.Struct({
  id: Schema.String,
  kind: Schema.Literal("live", "recording"),
  title: Schema.String,
  /** What a live one is doing (`SessionStatus`); of a recording, `Recorded`. */
  status: Schema.String
}).annotations({ identifier: "Conversation" })
export interface Conversation extends Schema.Schema.Type<typeof Conversation> {}

/** Some lines of a conversation, one after the other. */
export const Batch = Schema.Struct({
  /** The number of the first one. Greater than what was asked for, if that is not kept any more. */
  from: Schema.Number,
  entries: Schema.Array(Entry)
}).annotations({ identifier: "Batch" })
export interface Batch extends Schema.Schema.Type<typeof Batch> {}

/** A tool wants to run, and nobody has decided yet. */
export const Prompt = Schema.Struct({
  conversation: Schema.String,
  id: Schema.String,
  toolName: Schema.String,
  input: Schema.Record({ key: Schema.String, value: Schema.Unknown }),
  /** What the CLI suggests for "always". */
  suggestions: Schema.Array(PermissionUpdate)
}).annotations({ identifier: "Prompt" })
export interface Prompt extends Schema.Schema.Type<typeof Prompt> {}

/** What a person decides. */
export const Decision = Schema.Union(
  Schema.TaggedStruct("Allow", {
    /** What the tool runs with, if that was changed. */
    updatedInput: Schema.optional(Schema.Record({ key: Schema.String, value: Schema.Unknown })),
    /** Takes the rules that the CLI suggested as well: it does not ask again. */
    always: Schema.Boolean
  }),
  Schema.TaggedStruct("Deny", { message: Schema.String })
).annotations({ identifier: "Decision" })
export type Decision = typeof Decision.Type

const conversation = { conversation: Schema.String }

/** Everything that the page can ask for. */
export class Api extends RpcGroup.make(
  /** The conversations now, and again whenever that changes. */
  Rpc.make("Watch", { success: Schema.Array(Conversation), stream: true }),
  /** The lines of a conversation from a number on: those there are, and those to come. */
  Rpc.make("Entries", {
    payload: { ...conversation, from: Schema.Number },
    success: Batch,
    error: UiError,
    stream: true
  }),
  /** One line, whole. */
  Rpc.make("Entry", { payload: { ...conversation, index: Schema.Number }, success: Entry, error: UiError }),
  /** The open questions of all live conversations now, and again whenever that changes. */
  Rpc.make("Prompts", { success: Schema.Array(Prompt), stream: true }),
  /** Answers one. */
  Rpc.make("Answer", { payload: { ...conversation, id: Schema.String, decision: Decision }, error: UiError }),
  /** Begins a conversation. */
  Rpc.make("Start", { success: Conversation, error: UiError }),
  /** Says something. While a turn runs, it waits for its turn (`queue`), or is handed over at once (`steer`). */
  Rpc.make("Send", {
    payload: { ...conversation, text: Schema.String, whenBusy: Schema.Literal("queue", "steer") },
    error: UiError
  }),
  /** Stops the turn that runs. */
  Rpc.make("Interrupt", { payload: conversation, error: UiError }),
  /** Ends a live conversation. Its lines can still be looked at. */
  Rpc.make("Close", { payload: conversation, error: UiError })
) {}
