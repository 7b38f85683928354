/**
 * Hooks of the host: registered in `initialize`, called by `hook_callback`.
 *
 * @since 0.1.0
 * @stability stable
 */
import * as Schema from "effect/Schema"
import { optional } from "../internal/fields.js"
import {
  BaseHookInput,
  ConfigChangeHookInput,
  CwdChangedHookInput,
  DirectoryAddedHookInput,
  ElicitationHookInput,
  ElicitationResultHookInput,
  FileChangedHookInput,
  InstructionsLoadedHookInput,
  MessageDisplayHookInput,
  NotificationHookInput,
  PermissionDeniedHookInput,
  PermissionRequestHookInput,
  PostCompactHookInput,
  PostModelSwitchHookInput,
  PostToolBatchHookInput,
  PostToolUseFailureHookInput,
  PostToolUseHookInput,
  PreCompactHookInput,
  PreModelSwitchHookInput,
  PreToolUseHookInput,
  SessionEndHookInput,
  SessionStartHookInput,
  SetupHookInput,
  StopFailureHookInput,
  StopHookInput,
  SubagentStartHookInput,
  SubagentStopHookInput,
  TaskCompletedHookInput,
  TaskCreatedHookInput,
  TeammateIdleHookInput,
  UserPromptExpansionHookInput,
  UserPromptSubmitHookInput,
  WorktreeCreateHookInput,
  WorktreeRemoveHookInput
} from "./HookInput.js"
import { JsonNumber } from "./Json.js"
import * as Open from "./Open.js"

/** Every hook event. */
export const HookEvent = Schema.Literal(
  "ConfigChange",
  "CwdChanged",
  "DirectoryAdded",
  "Elicitation",
  "ElicitationResult",
  "FileChanged",
  "PreToolUse",
  "PostToolUse",
  "PostToolUseFailure",
  "PostToolBatch",
  "Notification",
  "UserPromptSubmit",
  "UserPromptExpansion",
  "SessionStart",
  "SessionEnd",
  "Stop",
  "StopFailure",
  "SubagentStart",
  "SubagentStop",
  "PreCompact",
  "PostCompact",
  "PreModelSwitch",
  "PostModelSwitch",
  "PermissionRequest",
  "PermissionDenied",
  "Setup",
  "TeammateIdle",
  "TaskCreated",
  "TaskCompleted",
  "WorktreeCreate",
  "WorktreeRemove",
  "InstructionsLoaded",
  "MessageDisplay"
).annotations({ identifier: "HookEvent" })
export type HookEvent = typeof HookEvent.Type

/** What a hook is told, by `hook_event_name`. */
export const HookInput = Open.union("hook_event_name", [
  PreToolUseHookInput,
  PostToolUseHookInput,
  PostToolUseFailureHookInput,
  PostToolBatchHookInput,
  PermissionRequestHookInput,
  PermissionDeniedHookInput,
  NotificationHookInput,
  UserPromptSubmitHookInput,
  UserPromptExpansionHookInput,
  SessionStartHookInput,
  SessionEndHookInput,
  StopHookInput,
  StopFailureHookInput,
  SubagentStartHookInput,
  SubagentStopHookInput,
  PreCompactHookInput,
  PostCompactHookInput,
  PreModelSwitchHookInput,
  PostModelSwitchHookInput,
  SetupHookInput,
  TeammateIdleHookInput,
  TaskCreatedHookInput,
  TaskCompletedHookInput,
  ElicitationHookInput,
  ElicitationResultHookInput,
  ConfigChangeHookInput,
  InstructionsLoadedHookInput,
  WorktreeCreateHookInput,
  WorktreeRemoveHookInput,
  CwdChangedHookInput,
  DirectoryAddedHookInput,
  FileChangedHookInput,
  MessageDisplayHookInput
], BaseHookInput.fields).annotations({ identifier: "HookInput" })
export type HookInput = typeof HookInput.Type

/** Which calls of an event go to which callbacks of the host. */
export const HookCallbackMatcher = Schema.Struct({
  matcher: optional(Schema.String),
  hookCallbackIds: Schema.Array(Schema.String),
  timeout: optional(JsonNumber),
  onFailure: optional(Schema.Literal("continue", "block"))
}).annotations({ identifier: "HookCallbackMatcher" })
export interface HookCallbackMatcher extends Schema.Schema.Type<typeof HookCallbackMatcher> {}

/** The CLI calls a hook of the host. */
export const HookCallbackRequest = Schema.Struct({
  subtype: Schema.Literal("hook_callback"),
  callback_id: Schema.String,
  input: HookInput,
  tool_use_id: optional(Schema.String)
}).annotations({ identifier: "HookCallbackRequest" })
export interface HookCallbackRequest extends Schema.Schema.Type<typeof HookCallbackRequest> {}
