/**
 * A child's stderr: always read, or the child would stand still when the pipe is full; its end kept for the exit report,
 * and passed on to whoever listens.
 */
import { type Effect, PubSub, Stream } from "effect"
import type { Readable } from "node:stream"

/** How much is kept, in bytes. */
export const keptBytes = 64 * 1024

export class StderrTail {
  /** How many pieces a listener may fall behind before it loses the oldest. */
  static readonly listenerCapacity = 256

  readonly #pieces: Array<Uint8Array> = []
  #bytes = 0
  readonly #listeners: PubSub.PubSub<string>

  constructor(readable: Readable, listeners: PubSub.PubSub<string>) {
    this.#listeners = listeners
    const text = new TextDecoder()
    readable.on("data", (data: Uint8Array) => {
      this.#pieces.push(data)
      this.#bytes += data.length
      let oldest = this.#pieces[0]
      while (oldest !== undefined && this.#bytes - oldest.length >= keptBytes) {
        this.#bytes -= oldest.length
        this.#pieces.shift()
        oldest = this.#pieces[0]
      }
      listeners.unsafeOffer(text.decode(data, { stream: true }))
    })
    // What could not be read of stderr is no reason to fail a conversation.
    readable.on("error", () => undefined)
  }

  /** The last {@link keptBytes} of it. */
  get text(): string {
    return new TextDecoder().decode(Buffer.concat(this.#pieces).subarray(-keptBytes))
  }

  get stream(): Stream.Stream<string> {
    return Stream.fromPubSub(this.#listeners)
  }

  /** Ends every listener's stream. */
  get close(): Effect.Effect<void> {
    return PubSub.shutdown(this.#listeners)
  }
}
