/**
 * How a turn ended, read once from its `result` frame. An error is a value here: the conversation goes on.
 *
 * @since 0.1.0
 * @stability stable
 */
import * as Cost from "./Cost.js"
import { type CliFrame, isKnown, type Unknown } from "./Frame.js"
import type { PermissionDenial, ResultFrame } from "./schema/ResultFrame.js"
import type { TurnEnded } from "./SessionAction.js"

/**
 * How a turn ended, in a word.
 *
 * - `success`: the model finished.
 * - `error`: the turn failed; `errors` says why. The conversation goes on.
 * - `interrupted`: the turn was stopped by the host, or by a denial that asked for it. This is not a failure, although the
 *   CLI's own `result` frame has `is_error: true` for it.
 */
export type TurnOutcome = "success" | "error" | "interrupted"

/** How a turn ended. */
export interface TurnResult {
  /** What the model said last, or what a local command printed; empty if there is none. */
  readonly text: string
  readonly outcome: TurnOutcome
  /** What went wrong, in the CLI's words. */
  readonly errors: ReadonlyArray<string>
  readonly stopReason: string | undefined
  readonly terminalReason: string | undefined
  readonly sessionId: string | undefined
  /** What this turn cost. Messages that were merged into one turn have one cost between them. */
  readonly cost: Cost.Cost
  /** What the session has cost so far, in dollars. */
  readonly totalCostUsd: number | undefined
  readonly durationMillis: number | undefined
  readonly permissionDenials: ReadonlyArray<PermissionDenial>
  /** What a JSON schema asked for, undecoded. */
  readonly structuredOutput: unknown
  /** Every frame of the turn, in order, its result included; without pieces (`stream_event`) if they were not to be kept. */
  readonly frames: ReadonlyArray<CliFrame | Unknown>
  /** The turn's `result` frame; undefined for a local command that the CLI carried out without a turn. */
  readonly frame: ResultFrame | Unknown | undefined
}

/**
 * Reads a result.
 *
 * @example
 * ```ts
 * import type { TurnEnded } from "@claude-duplex/protocol/SessionAction"
 * import * as TurnResult from "@claude-duplex/protocol/TurnResult"
 *
 * const print = (ended: TurnEnded) => console.log(TurnResult.make(ended, []).text)
 * ```
 */
export const make = (ended: TurnEnded, frames: ReadonlyArray<CliFrame | Unknown>): TurnResult => {
  const { cost, result: frame } = ended
  if (!isKnown(frame)) return salvage({ ...ended, result: frame }, frames)
  return {
    text: frame.subtype === "success" ? frame.result : "",
    outcome: outcomeOf(frame),
    errors: frame.subtype === "success" ? (frame.is_error ? [frame.result] : []) : frame.errors ?? [],
    stopReason: frame.stop_reason ?? undefined,
    terminalReason: frame.terminal_reason,
    sessionId: frame.session_id,
    cost,
    totalCostUsd: frame.total_cost_usd,
    durationMillis: frame.duration_ms,
    permissionDenials: frame.permission_denials ?? [],
    structuredOutput: frame.subtype === "success" ? frame.structured_output : undefined,
    frames,
    frame
  }
}

/**
 * The result of a message that the CLI carried out without a turn: a local command. Its text is what the command printed.
 *
 * @example
 * ```ts
 * import * as TurnResult from "@claude-duplex/protocol/TurnResult"
 *
 * const { text } = TurnResult.ofLocalCommand([
 *   { type: "system", subtype: "local_command_output", content: "Total cost: $0.05", uuid: "u1", session_id: "s1" }
 * ])
 * console.log(text) // "Total cost: $0.05"
 * ```
 */
export const ofLocalCommand = (frames: ReadonlyArray<CliFrame | Unknown>, sessionId?: string): TurnResult => ({
  text: printedBy(frames),
  outcome: "success",
  errors: [],
  stopReason: undefined,
  terminalReason: undefined,
  sessionId,
  cost: Cost.zero,
  totalCostUsd: undefined,
  durationMillis: undefined,
  permissionDenials: [],
  structuredOutput: undefined,
  frames,
  frame: undefined
})

/** What a local command printed: in frames of its own or, as newer CLIs do it, as a message that no model wrote. */
const printedBy = (frames: ReadonlyArray<CliFrame | Unknown>): string =>
  frames.flatMap((frame) => {
    if (!isKnown(frame)) return []
    if (frame.type === "system") return frame.subtype === "local_command_output" ? [frame.content] : []
    if (frame.type !== "assistant") return []
    return frame.message.content.flatMap((block) => block.type === "text" ? [block.text] : [])
  }).join("\n")

/**
 * The outcome of a turn, read from its `result` frame. Use it where there is a frame and no {@link TurnResult}: in a
 * recording, or in a host that uses the codec alone. `is_error` alone does not tell a failed turn from an interrupted one.
 *
 * @example
 * ```ts
 * import type { ResultFrame } from "@claude-duplex/protocol/schema/ResultFrame"
 * import * as TurnResult from "@claude-duplex/protocol/TurnResult"
 *
 * const hasFailed = (frame: ResultFrame) => TurnResult.outcomeOf(frame) === "error"
 * ```
 */
export const outcomeOf = (frame: ResultFrame): TurnOutcome =>
  isInterrupted(frame) ? "interrupted" : frame.is_error || frame.subtype !== "success" ? "error" : "success"

const isInterrupted = (frame: ResultFrame): boolean =>
  frame.terminal_reason === undefined
    // Older CLIs do not tell; there, only an interrupt ends a turn like this without an error text.
    ? frame.subtype === "error_during_execution" && (frame.errors ?? []).length === 0
    : frame.terminal_reason.startsWith("aborted_")

/** A result of which something is not as it should be: what can be read of it counts. */
const salvage = (
  { cost, result: frame }: TurnEnded & { readonly result: Unknown },
  frames: ReadonlyArray<CliFrame | Unknown>
): TurnResult => {
  const read = (name: string): unknown =>
    typeof frame.raw === "object" && frame.raw !== null && name in frame.raw
      // Just looked; what is read is `unknown` again.
      ? (frame.raw as { readonly [key: string]: unknown })[name]
      : undefined
  const text = (name: string): string | undefined => {
    const value = read(name)
    return typeof value === "string" ? value : undefined
  }
  const number = (name: string): number | undefined => {
    const value = read(name)
    return typeof value === "number" ? value : undefined
  }
  const isSuccess = text("subtype") === "success" && read("is_error") !== true
  return {
    text: text("result") ?? "",
    outcome: text("terminal_reason")?.startsWith("aborted_") === true ? "interrupted" : isSuccess ? "success" : "error",
    errors: isSuccess ? [] : [text("result") ?? `The result could not be read: ${frame.detail}`],
    stopReason: text("stop_reason"),
    terminalReason: text("terminal_reason"),
    sessionId: text("session_id"),
    cost,
    totalCostUsd: number("total_cost_usd"),
    durationMillis: number("duration_ms"),
    permissionDenials: [],
    structuredOutput: read("structured_output"),
    frames,
    frame
  }
}
