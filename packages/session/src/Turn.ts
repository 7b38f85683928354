/**
 * A message under way: how far it has come, what is said in its turn, and how that ends.
 *
 * @since 0.1.0
 * @stability stable
 */
import type { ControlError } from "@claude-duplex/protocol/ControlError"
import type { EncodeError } from "@claude-duplex/protocol/EncodeError"
import { type CliFrame, isKnown, type Unknown } from "@claude-duplex/protocol/Frame"
import type { AssistantFrame } from "@claude-duplex/protocol/schema/AssistantFrame"
import type { InterruptResponse } from "@claude-duplex/protocol/schema/ConversationRequest"
import type { CliUserFrame } from "@claude-duplex/protocol/schema/UserFrame"
import type { MessageCancelled, SessionClosed } from "@claude-duplex/protocol/SessionError"
import type { TurnResult } from "@claude-duplex/protocol/TurnResult"
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as TextDelta from "./TextDelta.js"
import type { TurnReset } from "./TurnReset.js"
import type { TurnTimeout } from "./TurnTimeout.js"

/**
 * How far a message has come: held here, written, in the CLI's queue, worked on, over. CLIs before 2.1.250 do not tell of
 * their queue. One that seemed to be worked on and was not is `Written` again.
 */
export type Phase = "Held" | "Written" | "Queued" | "Started" | "Ended"

/** What came of an interrupt. */
export interface InterruptResult {
  /**
   * - `interrupted`: the CLI acknowledged the interrupt before the turn ended, or the turn's outcome is `interrupted`.
   * - `alreadyEnded`: there was no turn to interrupt, or it ended by itself before the CLI acknowledged the interrupt.
   */
  readonly outcome: "interrupted" | "alreadyEnded"
  /** What the CLI answered; undefined if the turn had ended before the CLI could be asked. */
  readonly response: InterruptResponse | undefined
}

/** Options for `interrupt`. */
export interface InterruptOptions {
  /** How long the CLI may take to say that it heard, from now. Default: 10 seconds. */
  readonly deadline?: Duration.DurationInput | undefined
  /**
   * What happens then: nothing but the error, or the CLI is ended, by the end of its input, then SIGTERM, then SIGKILL.
   * Default: `fail`.
   */
  readonly escalate?: "fail" | "close" | undefined
  /** Also drops the messages that wait in the CLI's queue; those then fail with `MessageCancelled`. Newer CLIs only. */
  readonly cancelQueued?: boolean | undefined
}

/** A message under way. */
export interface Turn {
  /** The message's uuid. */
  readonly id: string
  readonly phase: Effect.Effect<Phase>
  /** Every phase from the first on, whenever this is run; ends with `Ended`. */
  readonly phases: Stream.Stream<Phase>
  /**
   * The frames of its turn: first those that the turn retains (`SendOptions.retain`), then every frame as it comes, partial
   * messages too; ends with the turn. Of a message of the model that was under way when the stream began, and of a turn that
   * this message joined while it ran, it has only what is retained.
   *
   * The stream has frames of this message's turn only. While only order tells whose turn runs, and better evidence may still
   * come, it emits nothing; a turn that then turns out to be another one is not shown at all. If the CLI gave no reason for doubt
   * and the turn was another one all the same, the stream fails with `TurnReset`. It also fails with `TurnReset` when more than
   * 16,384 frames wait for a slow reader that the turn does not retain. Run again, it begins with the first frame.
   */
  readonly frames: Stream.Stream<CliFrame | Unknown, TurnReset>
  /** Whole messages of the model, and of tools to it. Subagents included: see `parent_tool_use_id`. */
  readonly messages: Stream.Stream<AssistantFrame | CliUserFrame, TurnReset>
  /**
   * The text of the conversation as it is written, without subagents. A message whose partial messages this stream did not get
   * comes whole: without `--include-partial-messages`, or in a stream that began late. No text is missing or comes twice.
   */
  readonly text: Stream.Stream<string, TurnReset>
  /** {@link text} with subagents, each piece with the message that it belongs to. */
  readonly deltas: Stream.Stream<TextDelta.TextDelta, TurnReset>
  /** How it ends. May be waited for by many. */
  readonly result: Effect.Effect<TurnResult, SessionClosed | MessageCancelled | TurnTimeout | EncodeError>
  /** Takes it back if it is still held here: it then fails with `MessageCancelled`. */
  readonly withdraw: Effect.Effect<void>
  /**
   * Stops it, however far it has come: takes it back if it is held here, takes it out of the CLI's queue, or interrupts its
   * turn, and with it those of messages that were merged with it. How it ends is in its `result`. While another turn runs
   * on a CLI that does not tell of its queue, this waits for the end of that one; its deadline counts from there.
   */
  readonly interrupt: (options?: InterruptOptions) => Effect.Effect<void, ControlError>
}

/**
 * What was said, whole.
 *
 * @example
 * ```ts
 * import * as Turn from "@claude-duplex/session/Turn"
 * import { Stream } from "effect"
 *
 * const said = (turn: Turn.Turn) => Turn.messagesOf(turn.frames).pipe(Stream.filter(({ type }) => type === "assistant"))
 * ```
 */
export const messagesOf = <E, R>(
  frames: Stream.Stream<CliFrame | Unknown, E, R>
): Stream.Stream<AssistantFrame | CliUserFrame, E, R> =>
  Stream.filterMap(
    frames,
    (frame) =>
      isKnown(frame) && (frame.type === "assistant" || frame.type === "user") ? Option.some(frame) : Option.none()
  )

/**
 * Pieces of text of the conversation itself, subagents left out.
 *
 * @example
 * ```ts
 * import * as Turn from "@claude-duplex/session/Turn"
 * import { Stream } from "effect"
 *
 * const whole = (turn: Turn.Turn) => Stream.runFold(Turn.textOf(turn.frames), "", (all, piece) => all + piece)
 * ```
 */
export const textOf = <E, R>(frames: Stream.Stream<CliFrame | Unknown, E, R>): Stream.Stream<string, E, R> =>
  Stream.filterMap(
    TextDelta.fromFrames(frames),
    ({ parentToolUseId, text }) => parentToolUseId === null ? Option.some(text) : Option.none()
  )
