/**
 * The way out: lines wait here for the one fiber that writes them. There is a new one for each CLI, so that nothing that
 * was meant for one reaches the next; it is there before its CLI is, so that nothing is lost meanwhile.
 */
import type * as Transport from "@claude-duplex/protocol/Transport"
import * as Effect from "effect/Effect"
import * as Mailbox from "effect/Mailbox"

export class Pipe {
  readonly #lines: Mailbox.Mailbox<string>

  private constructor(lines: Mailbox.Mailbox<string>) {
    this.#lines = lines
  }

  static readonly make: Effect.Effect<Pipe> = Effect.map(Mailbox.make<string>(), (lines) => new Pipe(lines))

  write(line: string): void {
    this.#lines.unsafeOffer(line)
  }

  /** Nothing more will be written: the CLI's input ends after the last line. */
  get end(): Effect.Effect<void> {
    return Effect.asVoid(this.#lines.end)
  }

  /** Writes what comes, until there is nothing more or the CLI does not read any more. */
  into({ endInput, send }: Transport.Service): Effect.Effect<void, Transport.TransportError> {
    return Effect.gen(this, function*() {
      for (;;) {
        const [lines, done] = yield* this.#lines.takeAll
        yield* Effect.forEach(lines, send, { discard: true })
        if (done) return yield* endInput
      }
    })
  }
}
