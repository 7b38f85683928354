/**
 * A child's stdin as lines. A line is one write, so lines never interleave; a write that the pipe does not take at once
 * waits until it does. A pipe that breaks fails whoever waits and whoever comes later: it is an error, never a crash.
 */
import { TransportError } from "@claude-duplex/protocol/Transport"
import * as Effect from "effect/Effect"
import type { Writable } from "node:stream"

export class LineSink {
  readonly #writable: Writable
  #inputEnded = false
  #broken: Error | undefined
  /** One listener for any number of writers. */
  readonly #waiting = new Set<() => void>()

  constructor(writable: Writable) {
    this.#writable = writable
    writable.on("drain", () => this.#wake())
    writable.on("error", (error) => this.#break(error))
    // After the end of the input there is no more `drain`, but everything that was sent is taken in the end.
    writable.on("finish", () => this.#wake())
    writable.on("close", () => {
      if (!writable.writableFinished) this.#break(new Error("the CLI does not read any more"))
    })
  }

  readonly send = (line: string): Effect.Effect<void, TransportError> =>
    Effect.suspend(() => {
      const refusal = this.#refusal()
      if (refusal !== undefined) return refusal
      return this.#writable.write(`${line}\n`) ? Effect.void : this.#taken
    })

  readonly end: Effect.Effect<void> = Effect.sync(() => {
    this.#inputEnded = true
    this.#writable.end()
  })

  /** Waits until the pipe takes more, or will not. */
  readonly #taken: Effect.Effect<void, TransportError> = Effect.async((resume) => {
    const waiting = () => resume(this.#broken === undefined ? Effect.void : this.#failure(this.#broken))
    // It may have been taken since it was written: any fiber may stand still between two steps.
    if (this.#broken !== undefined || !this.#writable.writableNeedDrain) return waiting()
    this.#waiting.add(waiting)
    return Effect.sync(() => this.#waiting.delete(waiting))
  })

  #refusal(): Effect.Effect<never, TransportError> | undefined {
    if (this.#inputEnded) {
      return Effect.fail(
        new TransportError({ reason: "Closed", detail: "The input was ended before; nothing can be sent." })
      )
    }
    return this.#broken === undefined ? undefined : this.#failure(this.#broken)
  }

  #failure(cause: Error): Effect.Effect<never, TransportError> {
    return Effect.fail(
      new TransportError({
        reason: "Write",
        detail:
          `The CLI could not be written to: ${cause.message}. It has ended, or closed its input; its exit tells why.`,
        cause
      })
    )
  }

  #break(error: Error): void {
    this.#broken ??= error
    this.#wake()
  }

  #wake(): void {
    const waiting = [...this.#waiting]
    this.#waiting.clear()
    for (const resume of waiting) resume()
  }
}
