/**
 * The way out: lines wait here for the one fiber that writes them. There is a new one for each CLI, so that nothing that
 * was meant for one reaches the next; it is there before its CLI is, so that nothing is lost meanwhile.
 *
 * Not a `Queue` or a `Mailbox`: a line is put in from code that is no effect, and what those do for each costs a tiny turn a
 * tenth of its time.
 */
import type * as Transport from "@claude-duplex/protocol/Transport"
import * as Effect from "effect/Effect"

export class Pipe {
  #lines: Array<string> = []
  #hasEnded = false
  /** The fiber that writes, while it waits for something to write. */
  #wake: (() => void) | undefined

  write(line: string): void {
    if (this.#hasEnded) return
    this.#lines.push(line)
    this.#wake?.()
  }

  /** Nothing more will be written: the CLI's input ends after the last line. */
  end(): void {
    this.#hasEnded = true
    this.#wake?.()
  }

  /** Writes what comes, until there is nothing more or the CLI does not read any more. */
  into({ endInput, send }: Transport.Service): Effect.Effect<void, Transport.TransportError> {
    const loop: Effect.Effect<void, Transport.TransportError> = Effect.suspend(() => {
      const lines = this.#lines
      const [first] = lines
      if (first === undefined) return this.#hasEnded ? endInput : Effect.zipRight(this.#news, loop)
      this.#lines = []
      return Effect.zipRight(lines.length === 1 ? send(first) : Effect.forEach(lines, send, { discard: true }), loop)
    })
    return loop
  }

  /** Waits until there is something to write. */
  readonly #news: Effect.Effect<void> = Effect.async((resume) => {
    // It may have come since it was looked: any fiber may stand still between two steps.
    if (this.#lines.length > 0 || this.#hasEnded) return resume(Effect.void)
    this.#wake = () => {
      this.#wake = undefined
      resume(Effect.void)
    }
    return Effect.sync(() => {
      this.#wake = undefined
    })
  })
}
