/**
 * A method for every control request of a host, derived from the table `HostRequest.requests`: the name is the `subtype` in camel
 * case, the argument is the payload as on the wire, and the response is decoded by the schema of the subtype.
 *
 * `initialize` and `interrupt` are methods of the session (`reinitialize`, `interrupt`), and so is adding MCP servers that live in
 * the host (`Session.setMcpServers`). A request that the CLI does not have fails with a `ControlError` whose `isUnsupported` is true.
 *
 * @since 0.1.0
 * @stability stable
 */
import type { ControlError } from "@claude-duplex/protocol/ControlError"
import type { EncodeError } from "@claude-duplex/protocol/EncodeError"
import {
  type HostRequest,
  type HostResponse,
  type HostSubtype,
  requests
} from "@claude-duplex/protocol/schema/HostRequest"
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import * as Record from "effect/Record"

/** Options for a control request. */
export interface RequestOptions {
  /** The time limit of the response. Default: the session's `requestTimeout`. */
  readonly timeout?: Duration.DurationInput | undefined
}

/** Sends a control request and returns its response. */
export type Ask = <const Q extends HostRequest>(
  request: Q,
  options?: RequestOptions
) => Effect.Effect<HostResponse<Q["subtype"]>, ControlError | EncodeError>

/** The response to a control request. */
export type Answer<S extends HostSubtype> = Effect.Effect<HostResponse<S>, ControlError | EncodeError>

/** The fields of a control request, without its subtype. */
export type Payload<S extends HostSubtype> = Omit<Extract<HostRequest, { readonly subtype: S }>, "subtype">

/** `get_context_usage` is `getContextUsage`. */
export type MethodName<S extends string> = S extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<MethodName<Tail>>}`
  : S

/** The method for a control request. Its payload may be left out if every field of it may. */
export type Method<S extends HostSubtype> = {} extends Payload<S>
  ? (payload?: Payload<S>, options?: RequestOptions) => Answer<S>
  : (payload: Payload<S>, options?: RequestOptions) => Answer<S>

/** Control requests that are methods of the session itself. */
type OfSession = "initialize" | "interrupt"

/** A method for each control request. */
export type Control = {
  readonly [S in Exclude<HostSubtype, OfSession> as MethodName<S>]: Method<S>
}

const methodName = (subtype: string): string => subtype.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())

/**
 * The methods, on top of a function that sends requests.
 *
 * @example
 * ```ts
 * import * as Control from "@claude-duplex/session/Control"
 * import * as Session from "@claude-duplex/session/Session"
 * import { Effect } from "effect"
 *
 * const toHaiku = Effect.flatMap(Session.Session, ({ request }) => Control.make(request).setModel({ model: "haiku" }))
 * ```
 */
export const make = (ask: Ask): Control =>
  Record.fromEntries(
    Record.keys(requests).filter((subtype) => subtype !== "initialize" && subtype !== "interrupt").map((subtype) => [
      methodName(subtype),
      // The payload has the type of its row, which the union of all requests does not show.
      (payload?: object, options?: RequestOptions) => ask({ subtype, ...payload } as HostRequest, options)
    ])
    // One method for each row, named as the type names it.
  ) as unknown as Control
