/**
 * The `initialize` request: what it registers, when it is sent, and whether a session can be used without its response. Owns the last
 * response.
 */
import type { ControlError } from "@claude-duplex/protocol/ControlError"
import type { EncodeError } from "@claude-duplex/protocol/EncodeError"
import type { InitializeResponse } from "@claude-duplex/protocol/schema/InitializeRequest"
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FiberId from "effect/FiberId"
import * as LogLevel from "effect/LogLevel"
import * as Option from "effect/Option"
import type { Initialize, InitializeMode as Mode } from "../Session.js"
import type { Driver } from "./driver.js"
import type { Requests } from "./requests.js"
import * as Telemetry from "./telemetry.js"

/** How long `make` waits for the response of a CLI that can be used without it. */
const patience = Duration.seconds(10)

export interface Initialization {
  /** Initializes the CLI of a new session, as the mode says. */
  readonly begin: () => Effect.Effect<unknown, ControlError | EncodeError>
  /**
   * Writes the request for the CLI of a restart, when this is called, so that it is the first line. The effect waits for the
   * response, and fails if the CLI cannot be used without it.
   */
  readonly restart: () => Effect.Effect<void, ControlError | EncodeError>
  /** Sends the request again. */
  readonly again: (initialize: Initialize | undefined) => Effect.Effect<InitializeResponse, ControlError | EncodeError>
  /** The last response. Waits until the first request has been answered or has failed. */
  readonly response: () => Effect.Effect<Option.Option<InitializeResponse>>
}

export interface Dependencies {
  readonly driver: Driver
  readonly requests: Requests
  readonly mode: Mode
  /** What the host registers: the fields of `initialize`, with hooks and MCP servers. */
  readonly registered: (initialize?: Initialize) => Initialize
  /** Runs an effect for as long as the session lives. */
  readonly fork: (effect: Effect.Effect<unknown>) => Effect.Effect<unknown>
}

export const make = ({ driver, fork, mode, registered, requests }: Dependencies): Initialization => {
  let response = Option.none<InitializeResponse>()
  const settled = Deferred.unsafeMake<void, ControlError | EncodeError>(FiberId.none)

  /** The request is written when this is called, and not when the effect runs. */
  const send = (initialize?: Initialize) =>
    Effect.tap(requests.askNow({ subtype: "initialize", ...registered(initialize) }), (answer) =>
      Effect.sync(() => {
        response = Option.some(answer)
      }))

  /** Without them, hooks would never be called, and MCP servers and prompts would be missing, all without an error. */
  const isNeeded = () => mode === "require" || Object.keys(registered()).length > 0

  /** Sends the request. A CLI that refuses it, or does not know it, can be used if nothing was to be registered. */
  const initialize = () =>
    Effect.catchIf(
      Effect.asVoid(send()),
      (error) => !isNeeded() && error._tag === "ControlError" && error.reason !== "Closed",
      (error) =>
        Telemetry.log(LogLevel.Debug, driver.connection, "The CLI did not answer `initialize`.", Cause.fail(error))
    )

  /** The CLI has begun a turn, so it is in use although it has not answered. */
  const initFrame = () => driver.until(() => driver.connection.sessionId !== undefined)

  return {
    begin: () => {
      if (mode === "skip") return Deferred.succeed(settled, undefined)
      const sending = fork(Effect.intoDeferred(initialize(), settled))
      if (mode === "background") return sending
      const answered = Deferred.await(settled)
      const wait = isNeeded()
        ? answered
        : Effect.raceFirst(answered, Effect.raceFirst(initFrame(), Effect.sleep(patience)))
      // It only waits, and a session may be made where nothing can be interrupted.
      return Effect.zipRight(sending, Effect.interruptible(wait))
    },
    restart: () => {
      if (mode === "skip") return Effect.void
      response = Option.none()
      return initialize()
    },
    again: (fields) => Effect.suspend(() => send(fields)),
    // A session that ends before the request was sent has no response.
    response: () =>
      Effect.interruptible(Effect.raceFirst(Effect.exit(Deferred.await(settled)), Deferred.await(driver.exit))).pipe(
        Effect.map(() => response)
      )
  }
}
