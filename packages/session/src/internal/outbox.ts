/**
 * Lines on their way to the CLI: they wait here for the one fiber that writes them. There is a new outbox for each CLI, so that
 * nothing that was meant for one reaches the next; it is there before its CLI is, so that nothing is lost meanwhile.
 *
 * It is bounded. While more waits than its limit, because the CLI does not read, {@link Outbox.isFull} tells the session to send
 * no more messages and requests. Responses are different: the CLI waits for each of them, and they cannot be refused; so there is
 * a reserve for them. A CLI that has not read when the reserve is used up is ended: see {@link Outbox.onOverflow}.
 *
 * Not a `Queue` or a `Mailbox`: a line is put in from code that is no effect, and what those do for each costs a tiny turn a
 * tenth of its time.
 */
import type * as Transport from "@claude-duplex/protocol/Transport"
import * as Effect from "effect/Effect"
import { Signal } from "./signal.js"

/** How much may wait to be written, in bytes of memory: a string takes at most two for each character. */
export interface OutboxOptions {
  /** Until the CLI has read some of it, messages and requests then fail with `OutboxFull`. Default: 64 MiB. */
  readonly maxBytes?: number | undefined
  /** Beyond `maxBytes`, for responses to the CLI's requests. When it is used up, the CLI is ended. Default: 16 MiB. */
  readonly reserveBytes?: number | undefined
}

/** The largest request that the API takes has 32 MB, and so at most twice as much memory. */
const defaultMaxBytes = 64 * 1024 * 1024

/** A response is an allowed input or what a tool of the host gave: a few megabytes, if it is an image. */
const defaultReserveBytes = 16 * 1024 * 1024

interface Line {
  readonly text: string
  readonly isResponse: boolean
}

const bytesOf = ({ text }: Line): number => 2 * text.length

export class Outbox {
  readonly maxBytes: number
  readonly reserveBytes: number
  readonly #signal = new Signal()
  #lines: Array<Line> = []
  #waitingBytes = 0
  #responseBytes = 0
  #hasEnded = false
  #hasOverflowed = false
  #onOverflow: () => void = () => {}

  constructor({ maxBytes, reserveBytes }: OutboxOptions = {}) {
    this.maxBytes = maxBytes ?? defaultMaxBytes
    this.reserveBytes = reserveBytes ?? defaultReserveBytes
  }

  /** How much waits, the line that is being written included. */
  get waitingBytes(): number {
    return this.#waitingBytes
  }

  /** Whether more waits than the limit. An outbox that is not full takes a line of any size. */
  get isFull(): boolean {
    return this.#waitingBytes > this.maxBytes
  }

  get hasOverflowed(): boolean {
    return this.#hasOverflowed
  }

  /** Calls this when a response has no room in the reserve. No fiber waits for it: in most sessions it never happens. */
  onOverflow(run: () => void): void {
    this.#onOverflow = run
  }

  write(text: string, isResponse: boolean): void {
    if (this.#hasEnded) return
    if (isResponse && this.isFull && this.#responseBytes > this.reserveBytes) {
      this.#hasOverflowed = true
      this.#lines = []
      this.end()
      this.#onOverflow()
      return
    }
    const line = { text, isResponse }
    this.#lines.push(line)
    this.#waitingBytes += bytesOf(line)
    if (isResponse) this.#responseBytes += bytesOf(line)
    this.#signal.wake()
  }

  /** Nothing more will be written: the CLI's input ends after the last line. */
  end(): void {
    this.#hasEnded = true
    this.#signal.wake()
  }

  /** Writes what comes, until there is nothing more or the CLI does not read any more. */
  into({ endInput, send }: Transport.Transport): Effect.Effect<void, Transport.TransportError> {
    const write = (line: Line) => Effect.map(send(line.text), () => this.#written(line))
    const news = this.#signal.wait(() => this.#lines.length > 0 || this.#hasEnded)
    const loop: Effect.Effect<void, Transport.TransportError> = Effect.suspend(() => {
      const lines = this.#lines
      const [first] = lines
      if (first === undefined) return this.#hasEnded ? endInput : Effect.zipRight(news, loop)
      this.#lines = []
      return Effect.zipRight(lines.length === 1 ? write(first) : Effect.forEach(lines, write, { discard: true }), loop)
    })
    return loop
  }

  #written(line: Line): void {
    this.#waitingBytes -= bytesOf(line)
    if (line.isResponse) this.#responseBytes -= bytesOf(line)
  }
}
