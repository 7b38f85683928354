/**
 * The narrow interface to a conversation with Claude Code: messages, events, permissions, status and the end. A program that
 * depends on it runs unchanged on a local session, on a session of a pool, and on a conversation that another machine holds.
 *
 * Owns the interface and its options. `Session` is a local `Conversation` with control requests, MCP servers, stderr and a pid;
 * `ConversationSuite`, in this package's tests, is the contract that every implementation passes.
 *
 * @since 0.1.0
 * @stability stable
 */
import type { ControlError } from "@claude-duplex/protocol/ControlError"
import type { Cost } from "@claude-duplex/protocol/Cost"
import type { EncodeError } from "@claude-duplex/protocol/EncodeError"
import type { HostUserFrame } from "@claude-duplex/protocol/schema/UserFrame"
import type {
  MessageCancelled,
  OutboxFull,
  PermissionNotPending,
  SessionBusy,
  SessionClosed
} from "@claude-duplex/protocol/SessionError"
import type { SessionExit } from "@claude-duplex/protocol/SessionExit"
import type { WhenBusy } from "@claude-duplex/protocol/SessionInput"
import type { TurnResult } from "@claude-duplex/protocol/TurnResult"
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import type * as Stream from "effect/Stream"
import type * as Subscribable from "effect/Subscribable"
import type { Retain } from "./internal/retention.js"
import type { Strategy } from "./internal/subscribers.js"
import type * as Permission from "./Permission.js"
import type { Prompt } from "./Prompt.js"
import type { Delivered, SessionEvent, Tag } from "./SessionEvent.js"
import type { SessionStatus } from "./SessionStatus.js"
import type { SubscriptionOverflow } from "./SubscriptionOverflow.js"
import type { InterruptOptions, InterruptResult, Turn } from "./Turn.js"
import type { TurnTimeout } from "./TurnTimeout.js"

export type { Retain } from "./internal/retention.js"
export type { Strategy } from "./internal/subscribers.js"

/** Options for sending a message. */
export interface SendOptions {
  /**
   * The `uuid` of the message, by which results, events and the transcript name it. A message fails with `EncodeError`
   * while another one with the same id has not ended. Default: a random UUID.
   */
  readonly id?: string | undefined
  /** Other fields of the user frame, as on the wire: `session_id`, `client_composed`, … */
  readonly fields?: Omit<HostUserFrame, "type" | "message" | "uuid" | "priority" | "origin" | "shouldQuery"> | undefined
  /**
   * What happens while another message waits for its result, or while a turn runs that the CLI started. Default: `reject`.
   */
  readonly whenBusy?: WhenBusy | undefined
  /** The position of the message in the CLI's queue. */
  readonly priority?: HostUserFrame["priority"]
  /** The author of the message, if it is not a person. */
  readonly origin?: HostUserFrame["origin"]
  /**
   * The time limit of the message, from now. When it is over, the turn is interrupted and the message fails with `TurnTimeout`,
   * which has the turn's result if one came. A message that is still held is not sent. A turn that is shared with other
   * messages is not interrupted. Default: no limit.
   */
  readonly timeout?: Duration.DurationInput | undefined
  /**
   * Which frames of the turn are kept until it ends, and are in `TurnResult.frames`. Streams of a `Turn` replay them to a reader
   * that comes late; one that is there gets every frame, partial messages too. Default: `messages`.
   *
   * - `result`: the `result` frame, and what the CLI wrote itself in place of the model (the output of a local command).
   * - `messages`: every frame but partial messages (`stream_event`).
   * - `all`: every frame. Partial messages are most of a turn: 200,000 of them take 110 MB.
   */
  readonly retain?: Retain | undefined
}

/** Options for a subscription. */
export interface SubscribeOptions<T extends Tag = Tag> {
  /**
   * How many frames (`Received`) may wait. Those beyond are dropped now and then, at the latest when they are read; until then,
   * up to twice as many are held. Default: 1,024.
   */
  readonly capacity?: number | undefined
  /**
   * How many state events (all others) may wait. They are never dropped: when more wait, the stream fails with
   * `SubscriptionOverflow`. Events that the session publishes in one step count from the next one on, so a burst does not fail a
   * subscriber that has read everything before it. Default: 4,096.
   */
  readonly stateCapacity?: number | undefined
  /**
   * What happens when more frames wait than there is room for. Partial messages (`stream_event`) are dropped first, then other
   * frames. Each gap is reported in its place as `Lagged`. Default: `sliding`.
   *
   * - `sliding`: the oldest are dropped.
   * - `dropping`: the newest are dropped.
   * - `fail`: none is dropped; the stream fails with `SubscriptionOverflow`.
   */
  readonly strategy?: Strategy | undefined
  /** Which events. Others take no room. Default: all. */
  readonly only?: ReadonlyArray<T> | undefined
  /** Begins with what was kept: see `Options.history`. It takes no room. */
  readonly history?: boolean | undefined
}

/** The reasons why a message has no result. */
export type SendError = SessionBusy | SessionClosed | OutboxFull | MessageCancelled | TurnTimeout | EncodeError

/** A conversation. */
export interface Service {
  /**
   * Sends a message and returns the result of its turn. A turn that ends with an error is a value: see `TurnResult.outcome`.
   * Interrupting this effect also stops the message, unless its turn is shared with other messages.
   */
  readonly send: (prompt: Prompt, options?: SendOptions) => Effect.Effect<TurnResult, SendError>
  /** Sends a message and returns a handle on its turn. */
  readonly start: (
    prompt: Prompt,
    options?: SendOptions
  ) => Effect.Effect<Turn, SessionBusy | SessionClosed | OutboxFull | EncodeError>
  /**
   * Interrupts the running turn, which then ends with a result of its own. Returns whether there was a turn to interrupt.
   * Concurrent interrupts of one turn are one request.
   */
  readonly interrupt: (options?: InterruptOptions) => Effect.Effect<InterruptResult, ControlError>
  /**
   * Answers an open permission request, from any fiber. A handler that still runs for it is interrupted. After an answer that
   * cannot be sent (`EncodeError`), the request stays open.
   */
  readonly respondToPermission: (
    id: string,
    decision: Permission.Allow | Permission.Deny
  ) => Effect.Effect<void, PermissionNotPending | SessionClosed | EncodeError>

  /**
   * The open permission requests, oldest first. `changes` begins with the present list. Like the three values below, it
   * conflates: a slow reader skips values, always gets the latest one, and never fails.
   */
  readonly permissions: Subscribable.Subscribable<ReadonlyArray<Permission.Request>>
  /** What the conversation does. `changes` ends after `Closed`. */
  readonly status: Subscribable.Subscribable<SessionStatus>
  /** The CLI's id of the conversation, from the first frame that has it. `/clear` begins a new one. */
  readonly sessionId: Subscribable.Subscribable<Option.Option<string>>
  /** The cost of all turns so far, including turns that the CLI started. */
  readonly cost: Subscribable.Subscribable<Cost>

  /**
   * Emits every later event until the scope closes. A slow subscriber loses frames and gets a `Lagged` in their place; it never
   * loses other events, but its stream fails with `SubscriptionOverflow` when too many of them wait.
   */
  readonly subscribe: <const T extends Tag = Tag>(
    options?: SubscribeOptions<T>
  ) => Effect.Effect<Stream.Stream<Delivered<T>, SubscriptionOverflow>, never, Scope.Scope>
  /** {@link subscribe} without options, as a stream: it subscribes when it is run. */
  readonly events: Stream.Stream<SessionEvent, SubscriptionOverflow>

  /** Ends the conversation, gracefully and then forcibly, and returns how it ended. Closing its scope does the same. */
  readonly close: Effect.Effect<SessionExit>
}

/**
 * A conversation, as a service. `Session.layer` provides it together with `Session`.
 *
 * @example
 * ```ts
 * import * as Conversation from "@claude-duplex/session/Conversation"
 * import { Effect } from "effect"
 *
 * const ask = (question: string) =>
 *   Effect.gen(function*() {
 *     const conversation = yield* Conversation.Conversation
 *     const { text } = yield* conversation.send(question, { whenBusy: "queue" })
 *     return text
 *   })
 * ```
 */
export class Conversation extends Context.Tag("@claude-duplex/session/Conversation")<Conversation, Service>() {}
