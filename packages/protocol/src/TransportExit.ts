/**
 * How the other end of a transport ended: a closed set of cases, each with the end of stderr. Owns the cases and their words;
 * what was open in a session at that time is in `SessionExit`.
 *
 * @since 0.1.0
 * @stability stable
 */
import { toStringUnknown } from "effect/Inspectable"
import * as Schema from "effect/Schema"
import { optional } from "./internal/fields.js"
import { JsonNumber } from "./schema/Json.js"

/** The end of what the CLI wrote to stderr; empty if the transport cannot read stderr. */
const stderr = Schema.String

/** The process ended by itself. */
export const Exited = Schema.TaggedStruct("Exited", {
  /** The exit code. */
  code: JsonNumber,
  stderr
}).annotations({ identifier: "Exited" })
export interface Exited extends Schema.Schema.Type<typeof Exited> {}

/** A signal ended the process. */
export const Signaled = Schema.TaggedStruct("Signaled", {
  /** The name of the signal, as in `"SIGKILL"`. */
  signal: Schema.String,
  stderr
}).annotations({ identifier: "Signaled" })
export interface Signaled extends Schema.Schema.Type<typeof Signaled> {}

/** The connection to the CLI ended first. The CLI may still run, and how it ends is not known. */
export const ConnectionLost = Schema.TaggedStruct("ConnectionLost", {
  /** Why the connection ended, as text: an exit is plain JSON. */
  cause: Schema.String,
  stderr
}).annotations({ identifier: "ConnectionLost" })
export interface ConnectionLost extends Schema.Schema.Type<typeof ConnectionLost> {}

/**
 * The known reasons of a {@link Failed} exit.
 *
 * - `OutboxFull`: the CLI did not read its input. Responses that it waited for had no room, so the session ended it.
 */
export const FailureReason = Schema.Literal("OutboxFull")
export type FailureReason = typeof FailureReason.Type

/** The transport or the session failed, so that how the CLI ended is not known or does not matter. */
export const Failed = Schema.TaggedStruct("Failed", {
  /** What failed, as text: an exit is plain JSON. */
  cause: Schema.String,
  /** The same for programs, if it is one of these. */
  reason: optional(FailureReason),
  stderr
}).annotations({ identifier: "Failed" })
export interface Failed extends Schema.Schema.Type<typeof Failed> {}

/** How the other end of a transport ended. */
export const TransportExit = Schema.Union(Exited, Signaled, ConnectionLost, Failed).annotations({
  identifier: "TransportExit"
})
export type TransportExit = Exited | Signaled | ConnectionLost | Failed

/**
 * An exit with a code.
 *
 * @example
 * ```ts
 * import * as TransportExit from "@claude-duplex/protocol/TransportExit"
 *
 * TransportExit.exited(0)
 * TransportExit.exited(1, "error: unknown option")
 * ```
 */
export const exited = (code: number, stderr = ""): Exited => ({ _tag: "Exited", code, stderr })

/**
 * An end by a signal.
 *
 * @example
 * ```ts
 * import * as TransportExit from "@claude-duplex/protocol/TransportExit"
 *
 * TransportExit.signaled("SIGKILL")
 * ```
 */
export const signaled = (signal: string, stderr = ""): Signaled => ({ _tag: "Signaled", signal, stderr })

/**
 * The loss of the connection. The cause is an error or a text; its text is kept.
 *
 * @example
 * ```ts
 * import * as TransportExit from "@claude-duplex/protocol/TransportExit"
 *
 * TransportExit.connectionLost(new Error("read ECONNRESET"))
 * ```
 */
export const connectionLost = (cause: unknown, stderr = ""): ConnectionLost => ({
  _tag: "ConnectionLost",
  cause: textOf(cause),
  stderr
})

/**
 * An end that is not known because something failed. The cause is an error or a text; its text is kept.
 *
 * @example
 * ```ts
 * import * as TransportExit from "@claude-duplex/protocol/TransportExit"
 *
 * TransportExit.failed(new Error("The remote end reported an exit that is not valid JSON."))
 * ```
 */
export const failed = (cause: unknown, stderr = "", reason?: FailureReason): Failed => ({
  _tag: "Failed",
  cause: textOf(cause),
  ...(reason === undefined ? {} : { reason }),
  stderr
})

/**
 * Whether the process ended with code 0.
 *
 * @example
 * ```ts
 * import * as TransportExit from "@claude-duplex/protocol/TransportExit"
 *
 * TransportExit.isSuccess(TransportExit.exited(0)) // true
 * TransportExit.isSuccess(TransportExit.signaled("SIGTERM")) // false
 * ```
 */
export const isSuccess = (exit: TransportExit): boolean => exit._tag === "Exited" && exit.code === 0

/**
 * How it ended, as a clause without a full stop and without stderr.
 *
 * @example
 * ```ts
 * import * as TransportExit from "@claude-duplex/protocol/TransportExit"
 *
 * TransportExit.describe(TransportExit.exited(1)) // "the CLI ended with code 1"
 * TransportExit.describe(TransportExit.signaled("SIGKILL")) // "the CLI ended with signal SIGKILL"
 * ```
 */
export const describe = (exit: TransportExit): string => {
  switch (exit._tag) {
    case "Exited":
      return `the CLI ended with code ${exit.code}`
    case "Signaled":
      return `the CLI ended with signal ${exit.signal}`
    case "ConnectionLost":
      return `the connection to the CLI was lost: ${exit.cause}`
    case "Failed":
      return `communication with the CLI failed: ${exit.cause}`
  }
}

/** Without a full stop: it becomes a part of a sentence. */
const textOf = (cause: unknown): string =>
  (cause instanceof Error ? cause.message : toStringUnknown(cause)).replace(/\.$/, "")
