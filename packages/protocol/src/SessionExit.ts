/**
 * The end of a session as one value: how the CLI ended, what it said last, and what was still open. Everybody who waits
 * for something gets the same one.
 *
 * @since 0.1.0
 * @stability stable
 */
import * as Schema from "effect/Schema"
import { optional } from "./internal/fields.js"
import * as TransportExit from "./TransportExit.js"

/** What is left of a `result` frame when all that matters is how it went. */
export const ResultSummary = Schema.Struct({
  subtype: Schema.String,
  isError: Schema.Boolean,
  /** What the model said last, or what went wrong. */
  text: Schema.String
}).annotations({ identifier: "ResultSummary" })
export interface ResultSummary extends Schema.Schema.Type<typeof ResultSummary> {}

/** A control request, by its id. */
export const OpenRequest = Schema.Struct({
  id: Schema.String,
  subtype: Schema.String
}).annotations({ identifier: "OpenRequest" })
export interface OpenRequest extends Schema.Schema.Type<typeof OpenRequest> {}

/** What a session adds to the exit of its transport. */
export const SessionSummary = Schema.Struct({
  /** The last result of all. A CLI whose last turn failed exits with 1, and this is why. */
  lastResult: optional(ResultSummary),
  /** What was open at the end, and failed with it. */
  pending: Schema.Struct({
    /** Messages that were sent and had no result yet. */
    messages: Schema.Array(Schema.String),
    /** Messages that were held here and never sent. */
    held: Schema.Array(Schema.String),
    /** Requests of the host's that had no answer yet. */
    asked: Schema.Array(OpenRequest),
    /** Requests of the CLI's that had no answer yet: permission questions among them. */
    asking: Schema.Array(OpenRequest)
  })
}).annotations({ identifier: "SessionSummary" })
export interface SessionSummary extends Schema.Schema.Type<typeof SessionSummary> {}

/** How a session ended: the {@link TransportExit.TransportExit} of its last transport, and what was open then. */
export const SessionExit = Schema.extend(TransportExit.TransportExit, SessionSummary).annotations({
  identifier: "SessionExit"
})
export type SessionExit = TransportExit.TransportExit & SessionSummary

/** How much of stderr and of a result a message shows; the exit has more. */
const shown = 2_000

/**
 * How the session ended, in words: the exit, the last result if it failed, and the end of stderr.
 *
 * @example
 * ```ts
 * import * as SessionExit from "@claude-duplex/protocol/SessionExit"
 *
 * SessionExit.describe({
 *   _tag: "Exited",
 *   code: 1,
 *   stderr: "error: unknown option '--no-such-flag'",
 *   pending: { messages: [], held: [], asked: [], asking: [] }
 * }) // "the CLI ended with code 1. It wrote to stderr: error: unknown option '--no-such-flag'"
 * ```
 */
export const describe = (exit: SessionExit): string => {
  const { lastResult, stderr } = exit
  const said = stderr.trim().slice(-shown)
  const didTurnFail = lastResult?.isError === true && !TransportExit.isSuccess(exit)
  return [
    `${TransportExit.describe(exit)}.`,
    ...(didTurnFail ? [`Its last turn failed: ${lastResult.text.slice(0, shown)}`] : []),
    ...(said === "" ? [] : [`It wrote to stderr: ${said}`])
  ].join(" ")
}
