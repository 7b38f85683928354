/**
 * What is known of a message that was sent, and of the turn that it is in. Frames are kept once; any number of streams
 * read them, each at its own pace, from the first one on.
 */
import { type CliFrame, isKnown, type Unknown } from "@claude-duplex/protocol/Frame"
import type { HostUserFrame } from "@claude-duplex/protocol/schema/UserFrame"
import * as TurnResult from "@claude-duplex/protocol/TurnResult"
import * as Chunk from "effect/Chunk"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { SendError } from "../Conversation.js"
import type { Phase } from "../Turn.js"
import { TurnTimeout } from "../TurnTimeout.js"

export type Frame = CliFrame | Unknown

/** A piece of a message that follows whole. */
export const isPiece = (frame: Frame): boolean => isKnown(frame) && frame.type === "stream_event"

export type Outcome = Exit.Exit<TurnResult.TurnResult, SendError>

export class TurnRecord {
  readonly id: string
  readonly frame: HostUserFrame
  /** Somebody may read its frames as they come. */
  readonly keepsPieces: boolean
  readonly #onSettled: (outcome: Outcome) => void
  #outcome: Outcome | undefined
  /** What a local command printed while no turn ran. */
  readonly #output: Array<Frame> = []
  /** How long the message had, once that time is over. */
  #expired: Duration.Duration | undefined
  /** Those who wait for the outcome, and for nothing before it. */
  #awaiting: Set<() => void> | undefined
  #frames: ReadonlyArray<Frame> = []
  readonly #phases: Array<Phase> = []
  readonly #waiting = new Set<() => void>()

  /** `onSettled` is told once, how it ended. */
  constructor(id: string, frame: HostUserFrame, keepsPieces: boolean, onSettled: (outcome: Outcome) => void) {
    this.id = id
    this.frame = frame
    this.keepsPieces = keepsPieces
    this.#onSettled = onSettled
  }

  get phase(): Phase {
    return this.#phases.at(-1) ?? "Held"
  }

  move(phase: Phase): void {
    if (this.#phases.at(-1) !== phase) this.#phases.push(phase)
    this.#wake()
  }

  /** The frames of the turn that it is in; a list that grows, or another one if it turns out to be in another turn. */
  attach(frames: ReadonlyArray<Frame>): void {
    this.#frames = frames
    this.#wake()
  }

  /** More frames were added to the list. */
  grow(): void {
    this.#wake()
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
    this.settle(Exit.succeed(TurnResult.ofLocalCommand([...this.#output, ...this.#frames], sessionId)))
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
    this.#outcome = outcome
    for (const resume of this.#awaiting ?? []) resume()
    this.#awaiting = undefined
    this.move("Ended")
    this.#onSettled(outcome)
  }

  /** How it ended, if it has. */
  get outcome(): Outcome | undefined {
    return this.#outcome
  }

  /** How it ends. No `Deferred`: one takes more than all of a small turn's frames, and there is one for every message. */
  get result(): Effect.Effect<TurnResult.TurnResult, SendError> {
    return Effect.async((resume) => {
      if (this.#outcome !== undefined) return resume(this.#outcome)
      // It was settled when this is called.
      const settled = () => resume(this.#outcome as Outcome)
      const awaiting = this.#awaiting ??= new Set()
      awaiting.add(settled)
      return Effect.sync(() => awaiting.delete(settled))
    })
  }

  /** Frames of its turn, from the first to the last. */
  get frames(): Stream.Stream<Frame> {
    return this.#follow(() => this.#frames)
  }

  /** How far it has come, from the beginning to the end. */
  get phases(): Stream.Stream<Phase> {
    return this.#follow(() => this.#phases)
  }

  #follow<A>(list: () => ReadonlyArray<A>): Stream.Stream<A> {
    return Stream.suspend(() => {
      let followed = list()
      let next = 0
      const isNew = () => list() !== followed || next < followed.length
      const pull: Effect.Effect<Chunk.Chunk<A>, Option.Option<never>> = Effect.suspend(() => {
        const now = list()
        // It is in another turn than it seemed: what was shown was not its own, and its own is shown from the start.
        if (now !== followed) {
          followed = now
          next = 0
        }
        if (next < now.length) {
          const taken = now.slice(next)
          next = now.length
          return Effect.succeed(Chunk.unsafeFromArray(taken))
        }
        if (this.phase === "Ended") return Effect.fail(Option.none())
        return Effect.zipRight(this.#change(isNew), pull)
      })
      return Stream.repeatEffectChunkOption(pull)
    })
  }

  /** Waits for whatever happens next. */
  #change(hasHappened: () => boolean): Effect.Effect<void> {
    return Effect.async((resume) => {
      // It may have happened since it was looked: any fiber may stand still between two steps.
      if (hasHappened() || this.phase === "Ended") return resume(Effect.void)
      const waiting = () => resume(Effect.void)
      this.#waiting.add(waiting)
      return Effect.sync(() => this.#waiting.delete(waiting))
    })
  }

  #wake(): void {
    // Mostly nobody waits, and this is called for every frame.
    if (this.#waiting.size === 0) return
    const waiting = [...this.#waiting]
    this.#waiting.clear()
    for (const resume of waiting) resume()
  }
}
