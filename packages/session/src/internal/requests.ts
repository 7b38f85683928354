/**
 * Requests of the host's: each waits for its answer, is withdrawn when it takes too long or nobody wants it any more, and
 * fails when the session ends.
 */
import { ControlError } from "@claude-duplex/protocol/ControlError"
import type { EncodeError } from "@claude-duplex/protocol/EncodeError"
import type { HostRequest, HostResponse, HostSubtype } from "@claude-duplex/protocol/schema/HostRequest"
import { decodeResponse } from "@claude-duplex/protocol/schema/HostRequest"
import * as Deferred from "effect/Deferred"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import * as Redacted from "effect/Redacted"
import type { Ask, RequestOptions } from "../Control.js"
import type { Driver } from "./driver.js"
import { explain, tooDeep } from "./explain.js"
import type { Outbox } from "./outbox.js"
import * as Telemetry from "./telemetry.js"

export interface Requests {
  readonly ask: Ask
  /** Asks at once, when this is called; the effect only waits. For what must be said before anything else. */
  readonly askNow: <const Q extends HostRequest>(
    request: Q,
    options?: RequestOptions
  ) => Effect.Effect<HostResponse<Q["subtype"]>, ControlError | EncodeError>
}

export const make = (
  driver: Driver,
  outbox: { readonly current: Outbox },
  defaultTimeout: Duration.DurationInput
): Requests => {
  const askNow: Requests["askNow"] = (request, options) => {
    const { subtype } = request
    // One that has ended says so itself, with how.
    if (driver.isClosing && driver.connection.exit === undefined) {
      return Effect.fail(new ControlError({ reason: "Closed", subtype }))
    }
    const { isFull, maxBytes, waitingBytes } = outbox.current
    if (isFull && driver.connection.exit === undefined) {
      const detail = `${waitingBytes} bytes wait to be written, of ${maxBytes} that may`
      return Effect.fail(new ControlError({ reason: "OutboxFull", subtype, detail }))
    }
    const { answer, id } = driver.request(request, options?.timeout ?? defaultTimeout)
    return Deferred.await(answer).pipe(
      Effect.onInterrupt(() => Effect.sync(() => driver.cancelRequest(id))),
      Effect.flatMap((response) => readResponse<(typeof request)["subtype"]>(subtype, response)),
      Effect.tapBoth({
        onSuccess: () => Effect.sync(() => Telemetry.controlSettled(subtype, "Success")),
        onFailure: ({ reason }) => Effect.sync(() => Telemetry.controlSettled(subtype, reason))
      }),
      Telemetry.withSpan(Telemetry.spans.control, {
        captureStackTrace: false,
        attributes: { "claude.request": subtype, "claude.request_id": id }
      })
    )
  }

  return { askNow, ask: (request, options) => Effect.suspend(() => askNow(request, options)) }
}

const readResponse = <S extends HostSubtype>(
  subtype: S,
  response: unknown
): Effect.Effect<HostResponse<S>, ControlError> =>
  Either.mapLeft(decodeResponse(subtype, response), (error) => {
    // Where it differs, and not how: values may be anything.
    const places = explain(
      () => ParseResult.ArrayFormatter.formatErrorSync(error).map(({ path }) => path.map(String).join(".")),
      [tooDeep]
    )
    const detail = `at ${[...new Set(places)].slice(0, 4).join(", ")}`
    return new ControlError({ reason: "InvalidResponse", subtype, detail, response: Redacted.make(response) })
  })
