/**
 * Frames: one JSON object a line, in either direction. A decoded frame *is* the parsed object, with its wire names and all
 * fields that nobody knows; {@link CliFrame} and {@link HostFrame} only give it a type.
 *
 * What does not fit arrives as {@link Unknown}, in its place and with the reason. {@link isKnown} and {@link match} tell it from
 * a known frame, and `frame.type` tells the known ones apart.
 *
 * @since 0.1.0
 * @stability stable
 */
import * as Schema from "effect/Schema"
import type { DecodeError } from "./DecodeError.js"
import { AssistantFrame } from "./schema/AssistantFrame.js"
import {
  CliControlRequestFrame,
  ControlCancelFrame,
  ControlResponseFrame,
  HostControlRequestFrame
} from "./schema/ControlFrame.js"
import { HookProgressFrame, HookResponseFrame, HookStartedFrame } from "./schema/HookFrame.js"
import {
  CommandLifecycleFrame,
  ConversationResetFrame,
  KeepAliveFrame,
  TranscriptMirrorFrame
} from "./schema/LifecycleFrame.js"
import {
  ApiRetryFrame,
  ModelRefusalFallbackFrame,
  ModelRefusalNoFallbackFrame,
  ThinkingTokensFrame
} from "./schema/ModelFrame.js"
import {
  ActiveGoalFrame,
  AuthStatusFrame,
  PromptSuggestionFrame,
  ToolProgressFrame,
  ToolUseSummaryFrame
} from "./schema/ProgressFrame.js"
import { RateLimitFrame } from "./schema/RateLimitFrame.js"
import { ResultErrorFrame, ResultSuccessFrame } from "./schema/ResultFrame.js"
import { StreamEventFrame } from "./schema/StreamEvent.js"
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
} from "./schema/SystemFrame.js"
import {
  BackgroundTasksChangedFrame,
  TaskNotificationFrame,
  TaskProgressFrame,
  TaskStartedFrame,
  TaskUpdatedFrame
} from "./schema/TaskFrame.js"
import { CliUserFrame, HostUserFrame } from "./schema/UserFrame.js"

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
 * import * as Frame from "@claude-duplex/protocol/Frame"
 * import { Either } from "effect"
 *
 * const frame = Either.getOrThrow(Codec.cli.decode(`{"type":"hologram","x":1}`))
 * if (!Frame.isKnown(frame)) {
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

/** Everything that a codec gives: known frames, unknown ones, and lines that are not frames. */
type Item = CliFrame | HostFrame | Unknown | DecodeError

/** What no known frame has, and `Unknown` and `DecodeError` have. */
interface Tagged {
  readonly _tag: string
}

/** The known frames among these items. */
export type Known<A> = Exclude<A, Tagged>

/**
 * Whether an item is a known frame, and neither {@link Unknown} nor a `DecodeError`.
 *
 * @example
 * ```ts
 * import * as Codec from "@claude-duplex/protocol/Codec"
 * import * as Frame from "@claude-duplex/protocol/Frame"
 *
 * const decoder = Codec.cli.makeDecoder()
 * const typesIn = (bytes: Uint8Array) => decoder.push(bytes).filter(Frame.isKnown).map(({ type }) => type)
 * ```
 */
export const isKnown = <A extends Item>(item: A): item is Known<A> => !("_tag" in item)

/**
 * What {@link match} does with each kind of item: a function for each `type` of a known frame or `known` for those without
 * one, and a function for each of `Unknown` and `DecodeError` that can occur.
 */
export type Cases<A> = (ByType<A> | (Partial<ByType<A>> & { readonly known: (frame: Known<A>) => unknown })) & ByTag<A>

type ByType<A> = {
  readonly [T in Extract<Known<A>, { readonly type: string }>["type"]]: (
    frame: Extract<Known<A>, { readonly type: T }>
  ) => unknown
}

type ByTag<A> = {
  readonly [T in Extract<A, Tagged>["_tag"]]: (item: Extract<A, { readonly _tag: T }>) => unknown
}

/** A name that is none of these is misspelled: its function would never be called. */
type NoOthers<A, C> = { readonly [K in Exclude<keyof C, keyof ByType<A> | keyof ByTag<A> | "known">]: never }

/** What one of the functions returns. */
type Returned<C> = { readonly [K in keyof C]: C[K] extends (item: never) => infer R ? R : never }[keyof C]

/**
 * Does something with an item, by what it is. The compiler checks that no kind of item is left out.
 *
 * @example
 * ```ts
 * import type * as Codec from "@claude-duplex/protocol/Codec"
 * import * as Frame from "@claude-duplex/protocol/Frame"
 *
 * const describe = (item: Codec.Item): string =>
 *   Frame.match(item, {
 *     result: (frame) => `a turn ended: ${frame.subtype}`,
 *     known: (frame) => frame.type,
 *     Unknown: ({ reason }) => `unknown: ${reason}`,
 *     DecodeError: ({ message }) => message
 *   })
 * ```
 */
export const match = <A extends Item, const C extends Cases<A>>(item: A, cases: C & NoOthers<A, C>): Returned<C> => {
  // `Cases` has a function for every item, which takes that item; TypeScript cannot follow this through the key.
  const functions = cases as unknown as { readonly [kind: string]: ((item: A) => Returned<C>) | undefined }
  const kind = "_tag" in item ? item._tag : item.type
  const run = functions[kind] ?? functions["known"]
  if (run === undefined) throw new Error(`Frame.match has no function for ${kind}. Add one.`)
  return run(item)
}
