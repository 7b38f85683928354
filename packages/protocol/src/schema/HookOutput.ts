/**
 * What a hook may answer. `hookSpecificOutput` depends on the event; the rest is common.
 *
 * @since 0.1.0
 * @stability stable
 */
import * as Schema from "effect/Schema"
import { optional } from "../internal/fields.js"
import { JsonNumber, JsonObject, JsonValue } from "./Json.js"
import { PermissionUpdate } from "./PermissionRequest.js"

/** Allow, deny, ask or put off the call, or change its input. */
export const PreToolUseHookOutput = Schema.Struct({
  hookEventName: Schema.Literal("PreToolUse"),
  permissionDecision: optional(Schema.Literal("allow", "deny", "ask", "defer")),
  permissionDecisionReason: optional(Schema.String),
  updatedInput: optional(JsonObject),
  additionalContext: optional(Schema.String)
}).annotations({ identifier: "PreToolUseHookOutput" })
export interface PreToolUseHookOutput extends Schema.Schema.Type<typeof PreToolUseHookOutput> {}

/** Add context, or replace what the model sees of the output. */
export const PostToolUseHookOutput = Schema.Struct({
  hookEventName: Schema.Literal("PostToolUse"),
  additionalContext: optional(Schema.String),
  classifierContext: optional(Schema.String),
  updatedToolOutput: optional(JsonValue),
  updatedMCPToolOutput: optional(JsonValue)
}).annotations({ identifier: "PostToolUseHookOutput" })
export interface PostToolUseHookOutput extends Schema.Schema.Type<typeof PostToolUseHookOutput> {}

/** Add context. */
export const PostToolUseFailureHookOutput = Schema.Struct({
  hookEventName: Schema.Literal("PostToolUseFailure"),
  additionalContext: optional(Schema.String)
}).annotations({ identifier: "PostToolUseFailureHookOutput" })
export interface PostToolUseFailureHookOutput extends Schema.Schema.Type<typeof PostToolUseFailureHookOutput> {}

/** Add context. */
export const PostToolBatchHookOutput = Schema.Struct({
  hookEventName: Schema.Literal("PostToolBatch"),
  additionalContext: optional(Schema.String)
}).annotations({ identifier: "PostToolBatchHookOutput" })
export interface PostToolBatchHookOutput extends Schema.Schema.Type<typeof PostToolBatchHookOutput> {}

/** Answer the question before it is asked. */
export const PermissionRequestHookOutput = Schema.Struct({
  hookEventName: Schema.Literal("PermissionRequest"),
  decision: Schema.Union(
    Schema.Struct({
      behavior: Schema.Literal("allow"),
      updatedInput: optional(JsonObject),
      updatedPermissions: optional(Schema.Array(PermissionUpdate))
    }),
    Schema.Struct({
      behavior: Schema.Literal("deny"),
      message: optional(Schema.String),
      interrupt: optional(Schema.Boolean)
    })
  )
}).annotations({ identifier: "PermissionRequestHookOutput" })
export interface PermissionRequestHookOutput extends Schema.Schema.Type<typeof PermissionRequestHookOutput> {}

/** Tell the model that it may try again. */
export const PermissionDeniedHookOutput = Schema.Struct({
  hookEventName: Schema.Literal("PermissionDenied"),
  retry: optional(Schema.Boolean)
}).annotations({ identifier: "PermissionDeniedHookOutput" })
export interface PermissionDeniedHookOutput extends Schema.Schema.Type<typeof PermissionDeniedHookOutput> {}

/** Add context. */
export const NotificationHookOutput = Schema.Struct({
  hookEventName: Schema.Literal("Notification"),
  additionalContext: optional(Schema.String)
}).annotations({ identifier: "NotificationHookOutput" })
export interface NotificationHookOutput extends Schema.Schema.Type<typeof NotificationHookOutput> {}

/** Add context, or keep the prompt from the model. */
export const UserPromptSubmitHookOutput = Schema.Struct({
  hookEventName: Schema.Literal("UserPromptSubmit"),
  additionalContext: optional(Schema.String),
  sessionTitle: optional(Schema.String),
  suppressOriginalPrompt: optional(Schema.Boolean)
}).annotations({ identifier: "UserPromptSubmitHookOutput" })
export interface UserPromptSubmitHookOutput extends Schema.Schema.Type<typeof UserPromptSubmitHookOutput> {}

/** Add context, or keep the prompt from the model. */
export const UserPromptExpansionHookOutput = Schema.Struct({
  hookEventName: Schema.Literal("UserPromptExpansion"),
  additionalContext: optional(Schema.String),
  suppressOriginalPrompt: optional(Schema.Boolean)
}).annotations({ identifier: "UserPromptExpansionHookOutput" })
export interface UserPromptExpansionHookOutput extends Schema.Schema.Type<typeof UserPromptExpansionHookOutput> {}

/** Add context, a first prompt, a title, files to watch. */
export const SessionStartHookOutput = Schema.Struct({
  hookEventName: Schema.Literal("SessionStart"),
  additionalContext: optional(Schema.String),
  initialUserMessage: optional(Schema.String),
  sessionTitle: optional(Schema.String),
  watchPaths: optional(Schema.Array(Schema.String)),
  reloadSkills: optional(Schema.Boolean)
}).annotations({ identifier: "SessionStartHookOutput" })
export interface SessionStartHookOutput extends Schema.Schema.Type<typeof SessionStartHookOutput> {}

/** Add context. */
export const SetupHookOutput = Schema.Struct({
  hookEventName: Schema.Literal("Setup"),
  additionalContext: optional(Schema.String)
}).annotations({ identifier: "SetupHookOutput" })
export interface SetupHookOutput extends Schema.Schema.Type<typeof SetupHookOutput> {}

/** Add context. */
export const StopHookOutput = Schema.Struct({
  hookEventName: Schema.Literal("Stop"),
  additionalContext: optional(Schema.String)
}).annotations({ identifier: "StopHookOutput" })
export interface StopHookOutput extends Schema.Schema.Type<typeof StopHookOutput> {}

/** Add context. */
export const SubagentStartHookOutput = Schema.Struct({
  hookEventName: Schema.Literal("SubagentStart"),
  additionalContext: optional(Schema.String)
}).annotations({ identifier: "SubagentStartHookOutput" })
export interface SubagentStartHookOutput extends Schema.Schema.Type<typeof SubagentStartHookOutput> {}

/** Add context. */
export const SubagentStopHookOutput = Schema.Struct({
  hookEventName: Schema.Literal("SubagentStop"),
  additionalContext: optional(Schema.String)
}).annotations({ identifier: "SubagentStopHookOutput" })
export interface SubagentStopHookOutput extends Schema.Schema.Type<typeof SubagentStopHookOutput> {}

/** Allow or deny the switch. */
export const PreModelSwitchHookOutput = Schema.Struct({
  hookEventName: Schema.Literal("PreModelSwitch"),
  permissionDecision: optional(Schema.Literal("allow", "deny", "ask")),
  permissionDecisionReason: optional(Schema.String)
}).annotations({ identifier: "PreModelSwitchHookOutput" })
export interface PreModelSwitchHookOutput extends Schema.Schema.Type<typeof PreModelSwitchHookOutput> {}

/** Add context. */
export const PostModelSwitchHookOutput = Schema.Struct({
  hookEventName: Schema.Literal("PostModelSwitch"),
  additionalContext: optional(Schema.String)
}).annotations({ identifier: "PostModelSwitchHookOutput" })
export interface PostModelSwitchHookOutput extends Schema.Schema.Type<typeof PostModelSwitchHookOutput> {}

/** Answer the server instead of the user. */
export const ElicitationHookOutput = Schema.Struct({
  hookEventName: Schema.Literal("Elicitation"),
  action: optional(Schema.Literal("accept", "decline", "cancel")),
  content: optional(JsonObject)
}).annotations({ identifier: "ElicitationHookOutput" })
export interface ElicitationHookOutput extends Schema.Schema.Type<typeof ElicitationHookOutput> {}

/** Change the answer. */
export const ElicitationResultHookOutput = Schema.Struct({
  hookEventName: Schema.Literal("ElicitationResult"),
  action: optional(Schema.Literal("accept", "decline", "cancel")),
  content: optional(JsonObject)
}).annotations({ identifier: "ElicitationResultHookOutput" })
export interface ElicitationResultHookOutput extends Schema.Schema.Type<typeof ElicitationResultHookOutput> {}

/** Files to watch from now on. */
export const CwdChangedHookOutput = Schema.Struct({
  hookEventName: Schema.Literal("CwdChanged"),
  watchPaths: optional(Schema.Array(Schema.String))
}).annotations({ identifier: "CwdChangedHookOutput" })
export interface CwdChangedHookOutput extends Schema.Schema.Type<typeof CwdChangedHookOutput> {}

/** Files to watch from now on. */
export const FileChangedHookOutput = Schema.Struct({
  hookEventName: Schema.Literal("FileChanged"),
  watchPaths: optional(Schema.Array(Schema.String))
}).annotations({ identifier: "FileChangedHookOutput" })
export interface FileChangedHookOutput extends Schema.Schema.Type<typeof FileChangedHookOutput> {}

/** Where the worktree was created. */
export const WorktreeCreateHookOutput = Schema.Struct({
  hookEventName: Schema.Literal("WorktreeCreate"),
  worktreePath: Schema.String
}).annotations({ identifier: "WorktreeCreateHookOutput" })
export interface WorktreeCreateHookOutput extends Schema.Schema.Type<typeof WorktreeCreateHookOutput> {}

/** What to show instead. */
export const MessageDisplayHookOutput = Schema.Struct({
  hookEventName: Schema.Literal("MessageDisplay"),
  displayContent: optional(Schema.String)
}).annotations({ identifier: "MessageDisplayHookOutput" })
export interface MessageDisplayHookOutput extends Schema.Schema.Type<typeof MessageDisplayHookOutput> {}

/** The part of a hook's answer that depends on the event. */
export const HookSpecificOutput = Schema.Union(
  PreToolUseHookOutput,
  PostToolUseHookOutput,
  PostToolUseFailureHookOutput,
  PostToolBatchHookOutput,
  PermissionRequestHookOutput,
  PermissionDeniedHookOutput,
  NotificationHookOutput,
  UserPromptSubmitHookOutput,
  UserPromptExpansionHookOutput,
  SessionStartHookOutput,
  SetupHookOutput,
  StopHookOutput,
  SubagentStartHookOutput,
  SubagentStopHookOutput,
  PreModelSwitchHookOutput,
  PostModelSwitchHookOutput,
  ElicitationHookOutput,
  ElicitationResultHookOutput,
  CwdChangedHookOutput,
  FileChangedHookOutput,
  WorktreeCreateHookOutput,
  MessageDisplayHookOutput
).annotations({ identifier: "HookSpecificOutput" })
export type HookSpecificOutput = typeof HookSpecificOutput.Type

/** A hook's answer. */
export const SyncHookOutput = Schema.Struct({
  continue: optional(Schema.Boolean),
  suppressOutput: optional(Schema.Boolean),
  stopReason: optional(Schema.String),
  decision: optional(Schema.Literal("block", "approve")),
  systemMessage: optional(Schema.String),
  terminalSequence: optional(Schema.String),
  reason: optional(Schema.String),
  hookSpecificOutput: optional(HookSpecificOutput)
}).annotations({ identifier: "SyncHookOutput" })
export interface SyncHookOutput extends Schema.Schema.Type<typeof SyncHookOutput> {}

/** The answer of a hook that goes on in the background. */
export const AsyncHookOutput = Schema.Struct({
  async: Schema.Literal(true),
  asyncTimeout: optional(JsonNumber)
}).annotations({ identifier: "AsyncHookOutput" })
export interface AsyncHookOutput extends Schema.Schema.Type<typeof AsyncHookOutput> {}

/** What a `hook_callback` is answered with. */
export const HookOutput = Schema.Union(AsyncHookOutput, SyncHookOutput).annotations({ identifier: "HookOutput" })
export type HookOutput = typeof HookOutput.Type
