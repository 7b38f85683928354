/**
 * A child's stdout as pulls. Data flows in as Node delivers it, up to a mark; beyond that the stream is paused, so that
 * back-pressure reaches the child. When the child is gone there is nobody to hold back, and what the pipe still holds is
 * taken in at once: only then can its end be told.
 */
import { TransportError } from "@claude-duplex/protocol/Transport"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { Readable } from "node:stream"

/** How much is taken in ahead of the consumer, in bytes. */
const highWaterMark = 256 * 1024

/** How much is taken in at the end, when nobody is held back any more. What is beyond that is cut off. */
const drainLimit = 64 * 1024 * 1024

export class ByteSource {
  readonly #readable: Readable
  #buffered: Array<Uint8Array> = []
  #bytes = 0
  #draining = false
  #ended = false
  #error: Error | undefined
  /** The pull that waits for data. `TransportContract` sees to it that there is one at most. */
  #waiting: (() => void) | undefined

  constructor(readable: Readable) {
    this.#readable = readable
    readable.on("data", (data: Uint8Array) => {
      this.#buffered.push(data)
      this.#bytes += data.length
      if (!this.#draining && this.#bytes >= highWaterMark) readable.pause()
      else if (this.#draining && this.#bytes > drainLimit) readable.destroy()
      this.#wake()
    })
    readable.on("error", (error) => {
      this.#error = error
      this.#finish()
    })
    readable.on("end", () => this.#finish())
    readable.on("close", () => this.#finish())
  }

  /** Takes in all that is left, whether or not anybody reads it. */
  drain(): void {
    this.#draining = true
    this.#readable.resume()
  }

  get stream(): Stream.Stream<Uint8Array, TransportError> {
    return Stream.repeatEffectChunkOption(this.#pull)
  }

  readonly #pull: Effect.Effect<Chunk.Chunk<Uint8Array>, Option.Option<TransportError>> = Effect.suspend(() =>
    this.#take() ?? Effect.zipRight(this.#data, Effect.suspend(() => this.#take() ?? this.#pull))
  )

  /** Waits until there is something to take. */
  readonly #data: Effect.Effect<void> = Effect.async((resume) => {
    // It may have come since it was looked: any fiber may stand still between two steps.
    if (this.#buffered.length > 0 || this.#ended) return resume(Effect.void)
    const waiting = () => resume(Effect.void)
    this.#waiting = waiting
    return Effect.sync(() => {
      if (this.#waiting === waiting) this.#waiting = undefined
    })
  })

  #take(): Effect.Effect<Chunk.Chunk<Uint8Array>, Option.Option<TransportError>> | undefined {
    if (this.#buffered.length > 0) {
      const taken = Chunk.unsafeFromArray(this.#buffered)
      this.#buffered = []
      this.#bytes = 0
      if (this.#readable.isPaused()) this.#readable.resume()
      return Effect.succeed(taken)
    }
    if (!this.#ended) return undefined
    return Effect.fail(
      this.#error === undefined ? Option.none() : Option.some(
        new TransportError({
          reason: "Read",
          detail: `Reading the CLI's output failed: ${this.#error.message}`,
          cause: this.#error
        })
      )
    )
  }

  #finish(): void {
    this.#ended = true
    this.#wake()
  }

  #wake(): void {
    const waiting = this.#waiting
    this.#waiting = undefined
    waiting?.()
  }
}
