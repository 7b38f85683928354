/** What a host saw of a recording that was played to it, in words: for tables that people read, and to compare. */
import type { ControlError } from "@claude-duplex/protocol/ControlError"
import type { EncodeError } from "@claude-duplex/protocol/EncodeError"
import * as Frame from "@claude-duplex/protocol/Frame"
import type { TurnResult } from "@claude-duplex/protocol/TurnResult"
import type { SendError } from "@claude-duplex/session/Conversation"
import { Cause, Exit, Option } from "effect"
import type { Played } from "./play.js"
import { field } from "./recordedHost.js"

/** What a host sees of a conversation. What did not happen is left out. */
export interface Seen {
  /** How each message ended, in the order in which they were sent. */
  readonly turns: ReadonlyArray<string>
  /** Turns that nobody sent: events, and nobody's result. */
  readonly nobodys?: ReadonlyArray<string>
  /** Tools that wanted to run, and what became of it. */
  readonly permissions?: ReadonlyArray<string>
  /** Hooks and MCP methods, in the order in which they were called. */
  readonly called?: string
  /** Requests that the CLI answered, each read by its schema. */
  readonly answered?: string
  /** Requests that failed, with the CLI's own text. */
  readonly failed?: ReadonlyArray<string>
  /** Lines of the recorded host's that a session does not write, and how it says so. */
  readonly unsaid?: ReadonlyArray<string>
  readonly exit: string
}

const short = (text: string) => text.length > 60 ? `${text.slice(0, 60)}…` : text

const showResult = ({ errors, frame, outcome, text }: TurnResult): string => {
  if (outcome === "success") return short(text)
  const subtype = frame !== undefined && Frame.isKnown(frame) ? frame.subtype : "unknown"
  return [subtype, ...(outcome === "interrupted" ? ["interrupted"] : []), ...errors.map(short)].join(" | ")
}

export const showTurn = (ended: Exit.Exit<TurnResult, SendError>): string =>
  Exit.match(ended, { onSuccess: showResult, onFailure: (cause) => `fails: ${showCause(cause)}` })

/** Why something failed: in the CLI's words, if it said so itself. */
export const showCause = (cause: Cause.Cause<ControlError | EncodeError | SendError>): string => {
  const failure = Cause.failureOption(cause)
  if (Option.isNone(failure)) return Cause.isInterruptedOnly(cause) ? "interrupted" : "defect"
  const error = failure.value
  if (error._tag !== "ControlError") return "reason" in error ? error.reason : error._tag
  return error.reason === "Refused" ? error.detail ?? error.reason : error.reason
}

/** What a host saw. */
export const seen = ({ answers, called, ended, events, requests, results, unsaid, written }: Played): Seen => {
  const permissions = events.flatMap((event) => {
    if (event._tag !== "PermissionRequested") return []
    const { id, toolName } = event.request
    const settled = events.flatMap((other) => other._tag === "PermissionSettled" && other.id === id ? [other.how] : [])
    const answer = written.flatMap(({ response }) => field(response, "request_id") === id ? [response] : [])[0]
    const decision = [
      field(answer, "subtype") === "error" ? "error" : field(answer, "response", "behavior"),
      ...(field(answer, "response", "interrupt") === true ? ["interrupt"] : [])
    ]
    return [`${toolName}: ${[...settled, ...decision].filter((word) => word !== undefined).join(" ")}`]
  })
  const nobodys = events.flatMap((event) =>
    event._tag === "TurnEnded" && event.messages.length === 0
      ? [
        `${event.evidence}: ${Frame.isKnown(event.result) ? short(String(field(event.result, "result"))) : "unknown"}`
      ]
      : []
  )
  const answered = requests.flatMap(({ request }, i) =>
    Exit.isSuccess(answers[i] ?? Exit.void) ? [request.subtype] : []
  )
  const failed = answers.flatMap((answer, i) =>
    Exit.isFailure(answer) ? [`${requests[i]?.request.subtype}: ${showCause(answer.cause)}`] : []
  )
  return {
    turns: results.map(showTurn),
    ...(nobodys.length === 0 ? {} : { nobodys }),
    ...(permissions.length === 0 ? {} : { permissions }),
    ...(called.length === 0 ? {} : { called: called.join(" ") }),
    ...(answered.length === 0 ? {} : { answered: answered.join(" ") }),
    ...(failed.length === 0 ? {} : { failed }),
    ...(unsaid.length === 0 ? {} : { unsaid }),
    exit: ended._tag === "Exited" ? String(ended.code) : ended._tag === "Signaled" ? ended.signal : ended._tag
  }
}
