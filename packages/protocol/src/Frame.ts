/**
 * Frames: one JSON object a line, in either direction. A decoded frame *is* the parsed object, with its wire names and all
 * fields that nobody knows; {@link CliFrame} and {@link HostFrame} only give it a type.
 *
 * What does not fit arrives as {@link Unknown}, in its place and with the reason. It cannot be taken for a known frame:
 * no known frame has a `_tag`, so `"_tag" in frame` tells the two apart, and `frame.type` tells the known ones apart.
 */
import * as Schema from "effect/Schema"
import { AssistantFrame } from "./AssistantFrame.js"
import { CliControlRequestFrame, ControlCancelFrame, ControlResponseFrame, HostControlRequestFrame } from "./Control.js"
import { HookProgressFrame, HookResponseFrame, HookStartedFrame } from "./HookFrame.js"
import {
  CommandLifecycleFrame,
  ConversationResetFrame,
  KeepAliveFrame,
  TranscriptMirrorFrame
} from "./LifecycleFrame.js"
import {
  ApiRetryFrame,
  ModelRefusalFallbackFrame,
  ModelRefusalNoFallbackFrame,
  ThinkingTokensFrame
} from "./ModelFrame.js"
import {
  ActiveGoalFrame,
  AuthStatusFrame,
  PromptSuggestionFrame,
  ToolProgressFrame,
  ToolUseSummaryFrame
} from "./ProgressFrame.js"
import { RateLimitFrame } from "./RateLimitFrame.js"
import { ResultErrorFrame, ResultSuccessFrame } from "./ResultFrame.js"
import { StreamEventFrame } from "./StreamEvent.js"
import {
  CommandsChangedFrame,
  CompactBoundaryFrame,
  ControlRequestProgressFrame,
  ElicitationCompleteFrame,
  FilesPersistedFrame,
  InformationalFrame,
  LocalCommandOutputFrame,
  MemoryRecallFrame,
  MirrorErrorFrame,
  NotificationFrame,
  PermissionDeniedFrame,
  PluginInstallFrame,
  SessionStateChangedFrame,
  SessionTitleChangedFrame,
  SessionWritesLostFrame,
  StatusFrame,
  SystemInitFrame,
  WorkerShuttingDownFrame
} from "./SystemFrame.js"
import {
  BackgroundTasksChangedFrame,
  TaskNotificationFrame,
  TaskProgressFrame,
  TaskStartedFrame,
  TaskUpdatedFrame
} from "./TaskFrame.js"
import { CliUserFrame, HostUserFrame } from "./UserFrame.js"

/** Every `system` frame, by `subtype`. */
export const SystemFrame = Schema.Union(
  SystemInitFrame,
  StatusFrame,
  SessionStateChangedFrame,
  SessionTitleChangedFrame,
  CompactBoundaryFrame,
  CommandsChangedFrame,
  InformationalFrame,
  NotificationFrame,
  LocalCommandOutputFrame,
  MemoryRecallFrame,
  FilesPersistedFrame,
  MirrorErrorFrame,
  SessionWritesLostFrame,
  PluginInstallFrame,
  PermissionDeniedFrame,
  ElicitationCompleteFrame,
  ControlRequestProgressFrame,
  WorkerShuttingDownFrame,
  ApiRetryFrame,
  ThinkingTokensFrame,
  ModelRefusalFallbackFrame,
  ModelRefusalNoFallbackFrame,
  BackgroundTasksChangedFrame,
  TaskStartedFrame,
  TaskProgressFrame,
  TaskUpdatedFrame,
  TaskNotificationFrame,
  HookStartedFrame,
  HookProgressFrame,
  HookResponseFrame
).annotations({ identifier: "SystemFrame" })
export type SystemFrame = typeof SystemFrame.Type

/** Every frame that the CLI sends. */
export const CliFrame = Schema.Union(
  StreamEventFrame,
  AssistantFrame,
  CliUserFrame,
  ResultSuccessFrame,
  ResultErrorFrame,
  CliControlRequestFrame,
  ControlResponseFrame,
  ControlCancelFrame,
  ...SystemFrame.members,
  RateLimitFrame,
  ToolProgressFrame,
  ToolUseSummaryFrame,
  PromptSuggestionFrame,
  AuthStatusFrame,
  ActiveGoalFrame,
  CommandLifecycleFrame,
  ConversationResetFrame,
  TranscriptMirrorFrame,
  KeepAliveFrame
).annotations({ identifier: "CliFrame" })
export type CliFrame = typeof CliFrame.Type

/** Every frame that a host sends. */
export const HostFrame = Schema.Union(
  HostUserFrame,
  HostControlRequestFrame,
  ControlResponseFrame,
  ControlCancelFrame
).annotations({ identifier: "HostFrame" })
export type HostFrame = typeof HostFrame.Type

/**
 * Why a value is not a known frame.
 *
 * - `NotAnObject`: JSON, but no object with a `type`.
 * - `UnknownType`: a `type` that this version does not know.
 * - `UnknownSubtype`: a known `type` with an unknown `subtype` (of the frame, or of the request in it).
 * - `UnexpectedShape`: known by name, but some field is not what it should be.
 */
export type UnknownReason = "NotAnObject" | "UnknownType" | "UnknownSubtype" | "UnexpectedShape"

/**
 * A value that is not a known frame: kept whole, and written back unchanged.
 *
 * @example
 * ```ts
 * import * as Codec from "@claude-duplex/protocol/Codec"
 * import { Either } from "effect"
 *
 * const frame = Either.getOrThrow(Codec.decodeLine(`{"type":"hologram","x":1}`))
 * if ("_tag" in frame) {
 *   console.log(frame.reason, frame.raw) // UnknownType { type: "hologram", x: 1 }
 * }
 * ```
 */
export class Unknown {
  readonly _tag = "Unknown"
  readonly raw: unknown
  readonly reason: UnknownReason
  readonly #describe: (() => string) | undefined

  constructor(raw: unknown, reason: UnknownReason, describe?: () => string) {
    this.raw = raw
    this.reason = reason
    this.#describe = describe
  }

  /** What exactly does not fit, in words. Worked out when asked for: most hosts never look. */
  get detail(): string {
    return this.#describe?.() ?? this.reason
  }

  toJSON(): unknown {
    return this.raw
  }
}
