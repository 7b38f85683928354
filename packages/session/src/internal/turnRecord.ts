/**
 * What is known of a message that was sent: how far it has come, the turn that it is in, and how it ended. Any number of streams
 * read the frames of its turn, each at its own pace.
 */
import type { HostUserFrame } from "@claude-duplex/protocol/schema/UserFrame"
import type { OutboxFull } from "@claude-duplex/protocol/SessionError"
import * as TurnResult from "@claude-duplex/protocol/TurnResult"
import * as Chunk from "effect/Chunk"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Stream from "effect/Stream"
import type { SendError } from "../Conversation.js"
import type { Phase } from "../Turn.js"
import type { TurnReset } from "../TurnReset.js"
import { TurnTimeout } from "../TurnTimeout.js"
import { FrameReader, type Source, type TurnFrames } from "./frameReader.js"
import { stream } from "./readable.js"
import type { Frame, Retain } from "./retention.js"
import { Signal } from "./signal.js"

/** The reasons why a message that was taken has no result. */
export type MessageError = Exclude<SendError, OutboxFull>

export type Outcome = Exit.Exit<TurnResult.TurnResult, MessageError>

export class TurnRecord implements Source {
  readonly id: string
  readonly frame: HostUserFrame
  readonly retain: Retain
  readonly signal = new Signal()
  readonly #onSettled: (outcome: Outcome) => void
  /** Apart from the other signal, which is woken for every frame. */
  readonly #settled = new Signal()
  #outcome: Outcome | undefined
  /** What a local command printed while no turn ran. */
  readonly #output: Array<Frame> = []
  /** How long the message had, once that time is over. */
  #expired: Duration.Duration | undefined
  #turn: TurnFrames | undefined
  #readers: Set<FrameReader> | undefined
  readonly #phases: Array<Phase> = []

  /** `onSettled` is called once, with how it ended. */
  constructor(id: string, frame: HostUserFrame, retain: Retain, onSettled: (outcome: Outcome) => void) {
    this.id = id
    this.frame = frame
    this.retain = retain
    this.#onSettled = onSettled
  }

  get phase(): Phase {
    return this.#phases.at(-1) ?? "Held"
  }

  get turn(): TurnFrames | undefined {
    return this.#turn
  }

  get hasEnded(): boolean {
    return this.#outcome !== undefined
  }

  move(phase: Phase): void {
    if (this.#phases.at(-1) !== phase) this.#phases.push(phase)
    this.signal.wake()
  }

  /** It is in this turn; undefined: it is not in the turn that it seemed to be in. */
  attach(turn: TurnFrames | undefined): void {
    this.#turn = turn
    for (const reader of this.#readers ?? []) reader.restart()
    this.signal.wake()
  }

  get hasReaders(): boolean {
    return this.#readers !== undefined && this.#readers.size > 0 && !this.hasEnded
  }

  /** A frame of its turn came. */
  receive(frame: Frame, isRetained: boolean): void {
    if (!this.hasReaders) return
    for (const reader of this.#readers ?? []) reader.push(frame, isRetained)
    this.signal.wake()
  }

  /** Output of a local command, which comes while no turn runs. */
  print(frame: Frame): void {
    this.#output.push(frame)
  }

  /** Its time is over: whatever it ends with from now on, it fails with `TurnTimeout`. */
  expire(timeout: Duration.Duration): void {
    this.#expired = timeout
  }

  /** The CLI is done with it, and there was no turn. */
  settleWithoutTurn(sessionId: string | undefined): void {
    const frames = [...this.#output, ...this.#turn?.frames ?? []]
    this.settle(Exit.succeed(TurnResult.ofLocalCommand(frames, sessionId)))
  }

  settle(ended: Outcome): void {
    if (this.#outcome !== undefined) return
    const outcome = this.#expired === undefined ? ended : Exit.fail(
      new TurnTimeout({
        id: this.id,
        timeout: this.#expired,
        result: Exit.isSuccess(ended) ? ended.value : undefined
      })
    )
    this.#endFrames(ended)
    this.#outcome = outcome
    this.#settled.wake()
    this.move("Ended")
    this.#onSettled(outcome)
  }

  /** From now on, its streams emit what is left and end, and later ones replay what was retained. */
  #endFrames(ended: Outcome): void {
    const turn = this.#turn
    if (Exit.isSuccess(ended)) {
      const last = { frames: ended.value.frames, hasSkipped: turn?.hasSkipped === true, isDoubtful: false }
      // It ended with what was said in no turn, or in a turn that it was not known to be in.
      if (turn === undefined) this.attach(last)
      else this.#turn = last
    } else if (turn?.isDoubtful === true) this.attach(undefined)
    // The turn may go on without it.
    else if (turn !== undefined) {
      this.#turn = { frames: turn.frames.slice(), hasSkipped: turn.hasSkipped, isDoubtful: false }
    }
  }

  /** How it ended, if it has. */
  get outcome(): Outcome | undefined {
    return this.#outcome
  }

  /** How it ends. No `Deferred`: one takes more than all of a small turn's frames, and there is one for every message. */
  get result(): Effect.Effect<TurnResult.TurnResult, MessageError> {
    // It is settled when the signal lets go.
    return Effect.flatMap(this.#settled.wait(() => this.#outcome !== undefined), () => this.#outcome as Outcome)
  }

  /** Frames of its turn, from the first to the last. */
  get frames(): Stream.Stream<Frame, TurnReset> {
    return Stream.unwrapScoped(
      Effect.map(
        Effect.acquireRelease(
          Effect.sync(() => {
            const reader = new FrameReader(this)
            this.#readers ??= new Set()
            this.#readers.add(reader)
            return reader
          }),
          (reader) => Effect.sync(() => this.#readers?.delete(reader))
        ),
        stream
      )
    )
  }

  /** How far it has come, from the beginning to the end. */
  get phases(): Stream.Stream<Phase> {
    return Stream.suspend(() => {
      let next = 0
      return stream<Phase, never>({
        signal: this.signal,
        isReady: () => next < this.#phases.length,
        take: () => {
          const phases = this.#phases.slice(next)
          next = this.#phases.length
          return Chunk.unsafeFromArray(phases)
        },
        end: () => this.phase === "Ended" ? Exit.void : undefined
      })
    })
  }
}
