/**
 * What is known of a message that was sent, and of the turn that it is in. Frames are kept once; any number of streams
 * read them, each at its own pace, from the first one on.
 */
import type { EncodeError } from "@claude-duplex/protocol/EncodeError"
import type { CliFrame, Unknown } from "@claude-duplex/protocol/Frame"
import type { MessageMoved } from "@claude-duplex/protocol/SessionAction"
import type { SessionError } from "@claude-duplex/protocol/SessionError"
import { Chunk, Deferred, Effect, FiberId, Option, Stream } from "effect"
import type { TurnResult } from "../TurnResult.js"

export type Frame = CliFrame | Unknown

export type Phase = MessageMoved["to"] | "Ended"

export class TurnRecord {
  readonly id: string
  readonly result = Deferred.unsafeMake<TurnResult, SessionError | EncodeError>(FiberId.none)
  #frames: ReadonlyArray<Frame> = []
  #phase: Phase = "Held"
  readonly #waiting = new Set<() => void>()

  constructor(id: string) {
    this.id = id
  }

  get phase(): Phase {
    return this.#phase
  }

  move(phase: Phase): void {
    this.#phase = phase
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

  settle(result: Effect.Effect<TurnResult, SessionError | EncodeError>): void {
    this.#phase = "Ended"
    Deferred.unsafeDone(this.result, result)
    this.#wake()
  }

  /** Frames of its turn, from the first to the last. */
  get stream(): Stream.Stream<Frame> {
    return Stream.suspend(() => {
      let next = 0
      const pull: Effect.Effect<Chunk.Chunk<Frame>, Option.Option<never>> = Effect.suspend(() => {
        const frames = this.#frames
        if (next < frames.length) {
          const taken = frames.slice(next)
          next = frames.length
          return Effect.succeed(Chunk.unsafeFromArray(taken))
        }
        if (this.#phase === "Ended") return Effect.fail(Option.none())
        return Effect.zipRight(this.#change, pull)
      })
      return Stream.repeatEffectChunkOption(pull)
    })
  }

  /** Waits for whatever happens next. */
  readonly #change: Effect.Effect<void> = Effect.async((resume) => {
    const waiting = () => resume(Effect.void)
    this.#waiting.add(waiting)
    return Effect.sync(() => this.#waiting.delete(waiting))
  })

  #wake(): void {
    const waiting = [...this.#waiting]
    this.#waiting.clear()
    for (const resume of waiting) resume()
  }
}
