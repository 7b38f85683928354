/**
 * A child's stderr: always read, or the child would stand still when the pipe is full; its end kept for the exit report,
 * and passed on to whoever listens.
 */
import { mark, type Redactor } from "@claude-duplex/protocol/Redactor"
import type * as Effect from "effect/Effect"
import * as PubSub from "effect/PubSub"
import * as Stream from "effect/Stream"
import type { Readable } from "node:stream"

/** How much is kept, in bytes. */
export const keptBytes = 64 * 1024

/** How much more is kept, so that no secret is cut in two before it is taken out: longer than any key. */
const margin = 8 * 1024

export class StderrTail {
  /** How many pieces a listener may fall behind before it loses the oldest. */
  static readonly listenerCapacity = 256

  readonly #pieces: Array<Uint8Array> = []
  #bytes = 0
  /** Whether something came before what is kept. */
  #isCut = false
  readonly #listeners: PubSub.PubSub<string>

  constructor(readable: Readable, listeners: PubSub.PubSub<string>) {
    this.#listeners = listeners
    const text = new TextDecoder()
    readable.on("data", (data: Uint8Array) => {
      this.#pieces.push(data)
      this.#bytes += data.length
      let oldest = this.#pieces[0]
      while (oldest !== undefined && this.#bytes - oldest.length >= keptBytes + margin) {
        this.#isCut = true
        this.#bytes -= oldest.length
        this.#pieces.shift()
        oldest = this.#pieces[0]
      }
      listeners.unsafeOffer(text.decode(data, { stream: true }))
    })
    // What could not be read of stderr is no reason to fail a conversation.
    readable.on("error", () => undefined)
  }

  /** The last {@link keptBytes} of it, redacted. */
  text(redact: Redactor): string {
    const redacted = attempt(redact, new TextDecoder().decode(Buffer.concat(this.#pieces)))
    // Its first characters may be the end of a secret whose beginning is gone.
    const whole = this.#isCut ? redacted.slice(margin) : redacted
    return new TextDecoder().decode(Buffer.from(whole).subarray(-keptBytes))
  }

  get stream(): Stream.Stream<string> {
    return Stream.fromPubSub(this.#listeners)
  }

  /** Ends every listener's stream. */
  get close(): Effect.Effect<void> {
    return PubSub.shutdown(this.#listeners)
  }
}

/** A redactor of the host's may throw; then nothing is told, and the exit all the same. */
const attempt = (redact: Redactor, text: string): string => {
  try {
    return redact(text)
  } catch {
    return mark
  }
}
