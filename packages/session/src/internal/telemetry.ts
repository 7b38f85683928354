/**
 * What a session counts, and the names of its spans. Nothing of what is said is in either, unless payloads are asked for.
 */
import type { Item } from "@claude-duplex/protocol/Codec"
import type { Connection } from "@claude-duplex/protocol/Connection"
import { isKnown } from "@claude-duplex/protocol/Frame"
import type { CliRequest } from "@claude-duplex/protocol/schema/CliRequest"
import type { TurnResult } from "@claude-duplex/protocol/TurnResult"
import type * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as DefaultServices from "effect/DefaultServices"
import * as Effect from "effect/Effect"
import * as LogLevel from "effect/LogLevel"
import * as MetricLabel from "effect/MetricLabel"
import * as Tracer from "effect/Tracer"
import * as SessionMetrics from "../SessionMetrics.js"
import type { Events } from "./events.js"
import type { Outcome } from "./turnRecord.js"

export const spans = {
  session: "claude-duplex.session",
  turn: "claude-duplex.turn",
  control: "claude-duplex.control",
  handler: "claude-duplex.handler"
} as const

/**
 * Whether anybody may see the spans of this tracer. Effect's own forgets each as it ends; for a tiny turn, a span that no code
 * of the host's runs in is several hundredths of all work.
 */
export const isHeeded = (tracer: Tracer.Tracer): boolean => tracer !== ownTracer

const ownTracer = Context.get(DefaultServices.liveServices, Tracer.Tracer)

/** Calls a tracer in the middle of carrying something out. One that throws is somebody else's, and must not stop that. */
export const withTracer = (events: Events, tell: () => void): void => {
  try {
    tell()
  } catch {
    // What it threw may hold anything; that it threw is what somebody has to know.
    events.warn({
      kind: "TracerFailed",
      message: "The tracer threw an error when it was told of a span: spans are missing. Look at what exports them."
    })
  }
}

/** A span that does not hand to the tracer what came of the effect: that is something that was said. */
export const withSpan =
  (name: string, options: Tracer.SpanOptions) => <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.suspend(() => {
      const outcome: Array<A> = []
      return effect.pipe(
        Effect.map((value) => {
          outcome.push(value)
        }),
        Effect.withSpan(name, options),
        // It has succeeded, so there is one.
        Effect.map(() => outcome[0] as A)
      )
    })

/** Logs say whose they are: of all the sessions of a host, and of all turns of one. */
export const annotations = ({ sessionId, turn }: Connection): Record<string, unknown> => ({
  ...(sessionId === undefined ? {} : { "claude.session_id": sessionId }),
  ...(turn === undefined ? {} : { "claude.turn": turn.index })
})

/** Something that the session itself has to say, and no handler. */
export const log = (
  level: LogLevel.LogLevel,
  connection: Connection,
  message: string,
  cause: Cause.Cause<unknown>
): Effect.Effect<void> => Effect.annotateLogs(Effect.logWithLevel(level, message, cause), annotations(connection))

export const warn = (connection: Connection, message: string, cause: Cause.Cause<unknown>): Effect.Effect<void> =>
  log(LogLevel.Warning, connection, message, cause)

/** One update for a whole chunk: this is on the hot path. `others` are all that may be unknown or undecodable. */
export const received = (count: number, others: ReadonlyArray<Item>): void => {
  let unknown = 0
  let undecodable = 0
  for (const item of others) {
    if (isKnown(item)) continue
    if (item._tag === "Unknown") unknown++
    else undecodable++
  }
  SessionMetrics.framesReceived.unsafeUpdate(count - undecodable, [])
  if (unknown > 0) SessionMetrics.framesUnknown.unsafeUpdate(unknown, [])
  if (undecodable > 0) SessionMetrics.linesUndecodable.unsafeUpdate(undecodable, [])
}

export const turnEnded = (result: TurnResult, isOurs: boolean): void =>
  SessionMetrics.turns.unsafeUpdate(1, outcomes[isOurs ? result.outcome : "unsolicited"])

/** The same lists every time: a metric that has seen its labels before need not look for them. */
const outcomes = {
  success: [MetricLabel.make("outcome", "success")],
  error: [MetricLabel.make("outcome", "error")],
  interrupted: [MetricLabel.make("outcome", "interrupted")],
  unsolicited: [MetricLabel.make("outcome", "unsolicited")]
}

export const messageSettled = (outcome: Outcome, millis: number): void => {
  if (outcome._tag === "Success") {
    // A message without a turn says nothing of how long turns take.
    if (outcome.value.frame !== undefined) SessionMetrics.turnMillis.unsafeUpdate(millis, [])
  } else SessionMetrics.messagesFailed.unsafeUpdate(1, [MetricLabel.make("reason", reasonOf(outcome) ?? "Unexpected")])
}

/** Why a message failed, if it did. */
export const reasonOf = (outcome: Outcome): string | undefined =>
  outcome._tag === "Failure" && outcome.cause._tag === "Fail" ? outcome.cause.error._tag : undefined

/** The result that a message ended with: one whose time was over may have one too. */
const resultOf = (outcome: Outcome): TurnResult | undefined => {
  if (outcome._tag === "Success") return outcome.value
  const { cause } = outcome
  return cause._tag === "Fail" && cause.error._tag === "TurnTimeout" ? cause.error.result : undefined
}

export const controlSettled = (subtype: string, outcome: string): void =>
  SessionMetrics.controlRequests.unsafeUpdate(1, [
    MetricLabel.make("subtype", subtype),
    MetricLabel.make("outcome", outcome)
  ])

export const handled = (subtype: string, millis: number): void =>
  SessionMetrics.handlerMillis.unsafeUpdate(millis, [MetricLabel.make("subtype", subtype)])

/** What a turn's span says when it ends. */
export const describeTurn = (span: Tracer.Span, outcome: Outcome): void => {
  const result = resultOf(outcome)
  if (result?.frame === undefined) return
  const { cost, durationMillis, frames, sessionId, stopReason, terminalReason } = result
  const told = {
    "claude.outcome": result.outcome,
    "claude.session_id": sessionId,
    "claude.stop_reason": stopReason,
    "claude.terminal_reason": terminalReason,
    "claude.duration_millis": durationMillis,
    "claude.cost_usd": cost.usd,
    "claude.frames": frames.length
  }
  for (const [name, value] of Object.entries(told)) if (value !== undefined) span.attribute(name, value)
}

/** What a turn's span says when it begins. */
export const turnAttributes = (id: string, prompt: unknown, showsPayload: boolean): Record<string, unknown> => ({
  "claude.message_id": id,
  ...(showsPayload ? { "claude.prompt": shown(prompt) } : {})
})

/** What a handler's span says. */
export const handlerAttributes = (
  id: string,
  request: CliRequest,
  showsPayload: boolean
): Record<string, unknown> => ({
  "claude.request": request.subtype,
  "claude.request_id": id,
  ...(request.subtype === "can_use_tool" ? { "claude.tool": request.tool_name } : {}),
  ...(request.subtype === "mcp_message" ? { "claude.mcp_server": request.server_name } : {}),
  ...(showsPayload ? { "claude.payload": shown(request) } : {})
})

/** As much of a payload as a span shows. One that came over the wire may be nested deeper than any stack. */
const shown = (payload: unknown): string => {
  try {
    return JSON.stringify(payload).slice(0, 4_096)
  } catch {
    return "(not to be written as JSON)"
  }
}
