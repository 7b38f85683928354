/**
 * A frame that may not be written. The CLI exits on a line that it cannot read, so nothing is written that is not valid.
 *
 * @since 0.1.0
 * @stability stable
 */
import * as Schema from "effect/Schema"

/**
 * A frame that could not be encoded; not a byte of it was written.
 *
 * @example
 * ```ts
 * import * as Codec from "@claude-duplex/protocol/Codec"
 * import { Either } from "effect"
 *
 * const encoded = Codec.host.encode({ type: "control_cancel_request", request_id: "1" })
 * console.log(Either.isRight(encoded)) // true
 * ```
 */
export class EncodeError extends Schema.TaggedError<EncodeError>("@claude-duplex/protocol/EncodeError")("EncodeError", {
  reason: Schema.Literal("InvalidFrame"),
  /** Which field does not fit, and what was expected. Values are not quoted: they may be secret. */
  detail: Schema.String
}) {
  override get message(): string {
    return `This frame was not sent, because the CLI could not read it: ${this.detail}`
  }
}
