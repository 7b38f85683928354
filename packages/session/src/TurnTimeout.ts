/**
 * The error of a message that took longer than `SendOptions.timeout`.
 *
 * @since 0.1.0
 * @stability stable
 */
import type { TurnResult } from "@claude-duplex/protocol/TurnResult"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"

/**
 * A message took longer than its `timeout`. Its turn was interrupted, and the conversation goes on.
 *
 * `result` is how the turn ended, if the CLI reported that within 10 seconds: mostly with the outcome `interrupted`, or
 * `success` if the turn ended just then. It is undefined if the message was never sent, was removed from the CLI's queue, or
 * if its turn did not end; in the last case the CLI may be hung.
 *
 * A `TurnResult` has no schema, so this error has none either.
 *
 * @example
 * ```ts
 * import * as Session from "@claude-duplex/session/Session"
 * import { Effect } from "effect"
 *
 * const answerOrExcuse = Effect.gen(function*() {
 *   const session = yield* Session.Session
 *   return yield* session.send("Take your time.", { timeout: "1 minute" }).pipe(
 *     Effect.map(({ text }) => text),
 *     Effect.catchTag("TurnTimeout", ({ result }) => Effect.succeed(`That took too long: ${result?.outcome ?? "no result"}`))
 *   )
 * })
 * ```
 */
export class TurnTimeout extends Data.TaggedError("TurnTimeout")<{
  /** The uuid of the message. */
  readonly id: string
  /** The time that it had. */
  readonly timeout: Duration.Duration
  /** How its turn ended, if that is known. */
  readonly result: TurnResult | undefined
}> {
  override get message(): string {
    const after = `The message took longer than ${Duration.format(this.timeout)}`
    return this.result === undefined
      ? `${after}, and has no result.`
      : `${after}. Its turn ended with the outcome "${this.result.outcome}".`
  }
}
