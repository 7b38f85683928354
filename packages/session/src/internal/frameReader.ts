/**
 * One run of a stream of a `Turn`: replays what the turn retains, and goes on with every frame that comes, partial messages too.
 * It emits nothing while it is not known whose turn runs, and nothing of another message's turn without failing.
 *
 * What waits here and is retained by the turn costs a pointer. The rest is bounded: see {@link capacity}.
 */
import { isKnown } from "@claude-duplex/protocol/Frame"
import * as Chunk from "effect/Chunk"
import * as Exit from "effect/Exit"
import { TurnReset, type TurnResetReason } from "../TurnReset.js"
import { type Readable, shortLived } from "./readable.js"
import { type Frame, isPartial, type Retain, retains } from "./retention.js"
import type { Signal } from "./signal.js"

/** How many frames that the turn does not retain may wait: minutes of output. */
export const capacity = 16_384

/** The frames of a turn, as far as it retains them. */
export interface TurnFrames {
  readonly frames: ReadonlyArray<Frame>
  /** Whether there were partial messages that are not among them. */
  readonly hasSkipped: boolean
  /** Whether it may turn out to be the turn of another message. */
  readonly isDoubtful: boolean
}

/** The message that the stream belongs to. */
export interface Source {
  readonly id: string
  readonly retain: Retain
  /** Woken when anything below, or in a reader, changes. */
  readonly signal: Signal
  readonly turn: TurnFrames | undefined
  /** Whether the message has ended. */
  readonly hasEnded: boolean
}

export class FrameReader implements Readable<Frame, TurnReset> {
  readonly #source: Source
  #waiting: Array<Frame> = []
  /** How many of them the turn does not retain. */
  #unretained = 0
  #hasEmitted = false
  #failure: TurnResetReason | undefined
  /**
   * Whose partial messages are emitted: those of parents that began a message since. The first part of one that was under way
   * is missing. Undefined: all, because nothing is missing.
   */
  #begun: Set<string | null> | undefined

  constructor(source: Source) {
    this.#source = source
    this.restart()
  }

  get signal(): Signal {
    return this.#source.signal
  }

  /** The message is in another turn, or in none: begins again with what that retains. */
  restart(): void {
    if (this.#hasEmitted) return this.#fail("Reassigned")
    const { turn } = this.#source
    this.#waiting = turn?.frames.slice() ?? []
    this.#unretained = 0
    this.#begun = turn?.hasSkipped === true ? new Set() : undefined
  }

  push(frame: Frame, isRetained: boolean): void {
    if (this.#failure !== undefined || !this.#isWhole(frame)) return
    this.#waiting.push(frame)
    if (!isRetained && ++this.#unretained > capacity) this.#overflow()
  }

  /** A reader that may not read yet is not slow: it gets whole messages in place of partial ones. */
  #overflow(): void {
    const { retain, turn } = this.#source
    if (turn?.isDoubtful !== true) return this.#fail("Overflow")
    this.#waiting = this.#waiting.filter((frame) => !isPartial(frame))
    this.#unretained = this.#waiting.filter((frame) => !retains(retain, frame)).length
    this.#begun = new Set()
    if (this.#unretained > capacity) this.#fail("Overflow")
  }

  /** Half a partial message looks like a whole one, so one whose beginning is missing is left out. */
  #isWhole(frame: Frame): boolean {
    if (this.#begun === undefined || !isKnown(frame) || frame.type !== "stream_event") return true
    if (frame.event.type === "message_start") this.#begun.add(frame.parent_tool_use_id)
    return this.#begun.has(frame.parent_tool_use_id)
  }

  #fail(reason: TurnResetReason): void {
    this.#failure = reason
    this.#waiting = []
  }

  isReady(): boolean {
    const { hasEnded, turn } = this.#source
    return hasEnded || this.#failure !== undefined || (this.#waiting.length > 0 && turn?.isDoubtful !== true)
  }

  take(): Chunk.Chunk<Frame> {
    if (this.#waiting.length === 0 || this.#source.turn?.isDoubtful === true) return Chunk.empty()
    const frames = this.#waiting
    this.#waiting = []
    this.#unretained = 0
    this.#hasEmitted = true
    return shortLived(frames)
  }

  end(): Exit.Exit<void, TurnReset> | undefined {
    if (this.#failure !== undefined) {
      return Exit.fail(new TurnReset({ id: this.#source.id, reason: this.#failure }, { disableValidation: true }))
    }
    return this.#source.hasEnded ? Exit.void : undefined
  }
}
