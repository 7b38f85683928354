/**
 * What the session tells: to whoever listens now, and as much as was asked to be kept to whoever comes late.
 */
import type { Received } from "@claude-duplex/protocol/SessionAction"
import type { Warning } from "@claude-duplex/protocol/Warning"
import type { SessionEvent } from "../SessionEvent.js"
import { Subscribers } from "./subscribers.js"

export class Events {
  readonly subscribers = new Subscribers()
  readonly #kept: number
  #history: Array<SessionEvent> = []
  #warnings: ReadonlyArray<Warning> = []

  /** Keeps the last so many. */
  constructor(kept: number) {
    this.#kept = kept
  }

  get warnings(): ReadonlyArray<Warning> {
    return this.#warnings
  }

  /** What somebody who comes late sees first: all warnings, and what was kept if it is asked for. */
  before(history: boolean): ReadonlyArray<SessionEvent> {
    const warned = this.#warnings.map((warning): SessionEvent => ({ _tag: "Warned", warning }))
    return history
      ? [...warned, ...this.#history.slice(-this.#kept).filter(({ _tag }) => _tag !== "Warned")]
      : warned
  }

  /** Tells everybody; they hear of it at the next {@link flush}. */
  publish(event: SessionEvent): void {
    if (this.#kept > 0) this.#keep(event)
    this.subscribers.publish(event)
  }

  #keep(event: SessionEvent): void {
    this.#history.push(event)
    // Cut in one go now and then: from the front of an array, one by one is quadratic.
    if (this.#history.length >= this.#kept * 2) this.#history = this.#history.slice(-this.#kept)
  }

  /** The same for a run of partial messages: on the hot path there are many. */
  publishPartials(frames: ReadonlyArray<Received>): void {
    if (this.#kept > 0) {
      for (const frame of frames) this.#keep(frame)
    }
    this.subscribers.publishPartials(frames)
  }

  flush(): void {
    this.subscribers.flush()
  }

  /** Publishes something by itself. */
  tell(event: SessionEvent): void {
    this.publish(event)
    this.flush()
  }

  /** Once for each kind and subject: the CLI describes itself at the start of every turn. */
  warn(warning: Warning): void {
    if (this.#warnings.some(({ kind, subject }) => kind === warning.kind && subject === warning.subject)) return
    this.#warnings = [...this.#warnings, warning]
    this.tell({ _tag: "Warned", warning })
  }
}
