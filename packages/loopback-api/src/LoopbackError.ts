/**
 * What went wrong between the server, its script and whoever asks. Owns the words for it.
 *
 * @since 0.1.0
 * @stability experimental
 */
import * as Schema from "effect/Schema"

/**
 * What went wrong.
 *
 * - `Listen`: the server could not be started.
 * - `Unscripted`: a message was asked for that the script has no reply to. The client was told so, with a 501.
 * - `InvalidRequest`: a message was asked for with a body that is none. The client was told so, with a 400.
 * - `ScriptFailed`: the script died. The client was told so, with a 500.
 * - `Unused`: replies of the script were not asked for.
 * - `Closed`: the server was closed before what was waited for came.
 */
export const LoopbackReason = Schema.Literal(
  "Listen",
  "Unscripted",
  "InvalidRequest",
  "ScriptFailed",
  "Unused",
  "Closed"
)
export type LoopbackReason = typeof LoopbackReason.Type

/**
 * Something went wrong. The message is meant for the one who reads a failed test.
 *
 * @example
 * ```ts
 * import { LoopbackError } from "@claude-duplex/loopback-api/LoopbackError"
 *
 * const error = new LoopbackError({ reason: "Unused", detail: "2 of 3 replies of a sequence were not asked for." })
 * ```
 */
export class LoopbackError extends Schema.TaggedError<LoopbackError>("@claude-duplex/loopback-api/LoopbackError")(
  "LoopbackError",
  {
    reason: LoopbackReason,
    detail: Schema.String,
    /** The number of the request that it is about. */
    request: Schema.optionalWith(Schema.Number, { exact: true })
  }
) {
  override get message(): string {
    return `loopback-api: ${this.detail}`
  }
}
