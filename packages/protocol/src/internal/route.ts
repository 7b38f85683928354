/**
 * What the session machine needs to know of a frame: its kind, its ids and its uuids, and nothing else. Read from the
 * wire object itself, so that a frame whose details changed (an `Unknown` one) still ends its turn or gets its answer.
 */
import type { Item } from "../Codec.js"
import type { Cost } from "../Cost.js"
import { DecodeError } from "../DecodeError.js"
import { isKnown, Unknown } from "../Frame.js"
import type { CliRequest } from "../schema/CliRequest.js"
import { JsonObject } from "../schema/Json.js"
import { ModelUsageByName } from "../schema/Usage.js"
import type { ResultSummary } from "../SessionExit.js"
import * as Validator from "./validator.js"

/** Where a frame goes. */
export type Route =
  | { readonly _tag: "Elsewhere" }
  | Answer
  | Request
  | { readonly _tag: "Cancel"; readonly id: string }
  | Result
  | { readonly _tag: "Lifecycle"; readonly uuid: string; readonly state: string }
  | Init
  | TurnFrame

/** An answer to one of the host's requests. */
export interface Answer {
  readonly _tag: "Answer"
  readonly id: string
  readonly outcome:
    | { readonly _tag: "Success"; readonly response: unknown }
    | { readonly _tag: "Failure"; readonly error: string; readonly code: string | undefined }
  /** Requests of the CLI's that were open when the host initialized again. */
  readonly pending: ReadonlyArray<unknown>
}

/** A request of the CLI's; `request` only if it is one that we know. */
export interface Request {
  readonly _tag: "Request"
  readonly id: string
  readonly request: CliRequest | undefined
  readonly subtype: string
}

/** The end of a turn. */
export interface Result {
  readonly _tag: "Result"
  /** The frame's own uuid: the same result twice ends one turn. */
  readonly uuid: string | undefined
  readonly uuids: ReadonlyArray<string> | undefined
  /** The `kind` of whoever started the turn, if the CLI says. */
  readonly origin: string | undefined
  readonly success: boolean
  /** Running totals, as far as they could be read. */
  readonly totals: Partial<Cost>
  /** What the turn used, if the CLI says so itself. */
  readonly share: ModelUsageByName | undefined
  readonly summary: ResultSummary
}

/** What the CLI is; comes at the start of every turn. */
export interface Init {
  readonly _tag: "Init"
  readonly uuids: ReadonlyArray<string> | undefined
  readonly sessionId: string | undefined
  readonly version: string | undefined
}

/** A frame of the turn that runs. */
export interface TurnFrame {
  readonly _tag: "TurnFrame"
  /** Messages of the host's that the CLI says it belongs to. */
  readonly uuids: ReadonlyArray<string> | undefined
  /** The frame's own uuid, if it may be the echo of a message: any `user` frame may, tool results too. */
  readonly echo: string | undefined
  /** The CLI says that it is an echo. */
  readonly isReplay: boolean
}

const elsewhere: Route = { _tag: "Elsewhere" }
/** Most frames of a turn say nothing about whose it is. */
const plainTurnFrame: Route = { _tag: "TurnFrame", uuids: undefined, echo: undefined, isReplay: false }

type Fields = { readonly [name: string]: unknown }

/** Where an item goes. */
export const routeOf = (item: Item): Route => {
  if (item instanceof DecodeError) return elsewhere
  const raw = item instanceof Unknown ? item.raw : item
  if (!isFields(raw)) return elsewhere
  switch (raw["type"]) {
    case "stream_event":
    case "assistant":
      return ofTurn(raw, undefined)
    case "user":
      return ofTurn(raw, string(raw["uuid"]))
    case "result":
      return {
        _tag: "Result",
        uuid: string(raw["uuid"]),
        uuids: uuidsOf(raw),
        origin: isFields(raw["origin"]) ? string(raw["origin"]["kind"]) : undefined,
        success: raw["subtype"] === "success" && raw["is_error"] !== true,
        totals: totalsOf(raw),
        share: isModelUsageByName(raw["model_usage_since_last_result"])
          ? raw["model_usage_since_last_result"]
          : undefined,
        summary: summaryOf(raw)
      }
    case "system":
      return raw["subtype"] === "init"
        ? {
          _tag: "Init",
          uuids: uuidsOf(raw),
          sessionId: string(raw["session_id"]),
          version: string(raw["claude_code_version"])
        }
        : elsewhere
    case "command_lifecycle": {
      const uuid = string(raw["command_uuid"])
      const state = string(raw["state"])
      return uuid === undefined || state === undefined ? elsewhere : { _tag: "Lifecycle", uuid, state }
    }
    case "control_request": {
      const id = string(raw["request_id"])
      if (id === undefined) return elsewhere
      return {
        _tag: "Request",
        id,
        request: isKnown(item)
          ? (item.type === "control_request" ? item.request : undefined)
          : readableRequest(raw["request"]),
        subtype: (isFields(raw["request"]) ? string(raw["request"]["subtype"]) : undefined) ?? "(no subtype)"
      }
    }
    case "control_response":
      return answerOf(raw["response"])
    case "control_cancel_request": {
      const id = string(raw["request_id"])
      return id === undefined ? elsewhere : { _tag: "Cancel", id }
    }
    default:
      return elsewhere
  }
}

/**
 * A permission question is asked although something in it is not as expected: whoever decides needs the tool and its input,
 * and the rest is description. A question that nobody hears would be answered "no" in the host's name.
 */
const readableRequest = (request: unknown): CliRequest | undefined => {
  if (!isFields(request) || request["subtype"] !== "can_use_tool") return undefined
  const { input, tool_name, tool_use_id } = request
  return typeof tool_name === "string" && isJsonObject(input)
    ? { subtype: "can_use_tool", tool_name, input, ...(typeof tool_use_id === "string" ? { tool_use_id } : {}) }
    : undefined
}

/** Frames of subagents belong to the turn that runs, but one that outlives its turn does not start another. */
const ofTurn = (raw: Fields, echo: string | undefined): Route => {
  if (isOfSubagent(raw)) return elsewhere
  const uuids = uuidsOf(raw)
  return uuids === undefined && echo === undefined
    ? plainTurnFrame
    : { _tag: "TurnFrame", uuids, echo, isReplay: raw["isReplay"] === true }
}

/** A subagent said it, and not the model. */
export const isOfSubagent = (raw: { readonly parent_tool_use_id?: unknown }): boolean =>
  typeof raw.parent_tool_use_id === "string"

/** It does not say which messages it is for. */
export const namesNobody = (raw: { readonly user_message_uuids?: unknown }): boolean =>
  !Array.isArray(raw.user_message_uuids)

const answerOf = (response: unknown): Route => {
  if (!isFields(response)) return elsewhere
  const id = string(response["request_id"])
  if (id === undefined) return elsewhere
  return {
    _tag: "Answer",
    id,
    outcome: response["subtype"] === "success"
      ? { _tag: "Success", response: response["response"] }
      : { _tag: "Failure", error: string(response["error"]) ?? "", code: string(response["error_code"]) },
    pending: ["pending_permission_requests", "pending_user_dialog_requests", "pending_elicitation_requests"].flatMap(
      (list) => Array.isArray(response[list]) ? response[list] : []
    )
  }
}

/** All messages of a turn. `user_message_uuid` is only the last of those that were merged, and all that 2.1.250 tells. */
const uuidsOf = (raw: Fields): ReadonlyArray<string> | undefined => {
  const uuids = raw["user_message_uuids"]
  return Array.isArray(uuids) ? uuids.filter((uuid) => typeof uuid === "string") : undefined
}

const totalsOf = (raw: Fields): Partial<Cost> => ({
  ...(typeof raw["total_cost_usd"] === "number" ? { usd: raw["total_cost_usd"] } : {}),
  ...(isModelUsageByName(raw["modelUsage"]) ? { byModel: raw["modelUsage"] } : {})
})

const summaryOf = (raw: Fields): ResultSummary => {
  const { errors, is_error, result, subtype } = raw
  return {
    subtype: string(subtype) ?? "",
    isError: subtype !== "success" || is_error === true,
    text: string(result) ??
      (Array.isArray(errors) ? errors.filter((error) => typeof error === "string").join("\n") : "")
  }
}

// The checks are the schemas' own.
const isModelUsageByName = Validator.make(ModelUsageByName) as (value: unknown) => value is ModelUsageByName

const isJsonObject = Validator.make(JsonObject) as (value: unknown) => value is JsonObject

const isFields = (value: unknown): value is Fields => typeof value === "object" && value !== null

const string = (value: unknown): string | undefined => typeof value === "string" ? value : undefined
