/** What an entry is in a timeline: which items, of which kind, with which name. */
import { DecodeError } from "@claude-duplex/protocol/DecodeError"
import { type CliFrame, type HostFrame, isKnown } from "@claude-duplex/protocol/Frame"
import { nameOf } from "@claude-duplex/protocol/Novelty"
import * as TurnResult from "@claude-duplex/protocol/TurnResult"
import * as Redacted from "effect/Redacted"
import type * as Conversation from "../Conversation.js"
import type { Entry } from "../Entries.js"
import type { Body, Draft, Kind } from "../Timeline.js"

/** The items of an entry; `current` is the turn that it belongs to. */
export const itemsOf = (
  entry: Entry,
  facts: ReadonlyArray<Conversation.Fact>,
  current: number | null
): ReadonlyArray<Draft> => {
  const { dir, item, line, t } = entry
  const at = (turn: number | null, kind: Kind, name: string, body: Body, more?: Partial<Draft>): Draft => ({
    line,
    t,
    dir,
    turn,
    kind,
    name,
    body,
    ...more
  })
  if (item instanceof DecodeError) return [at(current, "noise", item.reason, Redacted.value(item.text))]
  if (!isKnown(item)) {
    // Unknown values are JSON; what is no object is shown as it is written.
    const body = typeof item.raw === "object" && item.raw !== null ? { ...item.raw } : JSON.stringify(item.raw)
    return [at(current, "unknown", nameOf(item.raw) || item.reason, body)]
  }
  switch (item.type) {
    case "user":
      return dir === "host"
        ? [at(current, "message", "user", contentOf(item))]
        : ofCliUser(item, facts, at, entry.t, current)
    case "assistant":
      return item.message.content.map((block) => ofBlock(block, at, current))
    case "result": {
      const ended = facts.find((fact) => fact._tag === "TurnEnded")
      const isError = TurnResult.outcomeOf(item) === "error"
      const said = "result" in item ? item.result : (item.errors ?? []).join("; ")
      return [
        at(ended?.turn ?? current, "result", String(item.subtype), said, {
          ...(ended === undefined ? {} : { millis: t === 0 ? item.duration_ms : ended.millis, usd: ended.cost.usd }),
          ...(isError ? { isError } : {}),
          // In a copy of stdout, nobody is seen to send anything.
          ...(ended?.messages === 0 && t > 0 ? { isUnsolicited: true } : {})
        })
      ]
    }
    case "control_request": {
      const { subtype, ...rest } = item.request
      const opened = facts.find((fact) => fact._tag === "RequestOpened")
      const { kind, name } = requestName(subtype, opened?.request.about)
      if ("message" in rest && typeof rest.message === "object") {
        const { method, ...message }: { readonly [name: string]: unknown } = { ...rest.message }
        return [at(current, kind, `${name} ${String(method ?? "message")}`, message, { id: item.request_id })]
      }
      const body = subtype === "can_use_tool" && "input" in rest ? rest.input : rest
      return [at(current, kind, name, body, { id: item.request_id })]
    }
    case "control_response": {
      const answered = facts.find((fact) => fact._tag === "RequestAnswered")
      const { kind, name } = answered === undefined
        // Under --replay-user-messages, the CLI repeats what it was answered.
        ? { kind: dir === "cli" ? "echo" as const : "control" as const, name: "control_response" }
        : requestName(answered.request.subtype, answered.request.about)
      const isError = item.response.subtype === "error"
      const body = item.response.subtype === "error" ? item.response.error : item.response.response
      return [
        at(current, kind, name, answerBody(body), {
          id: item.response.request_id,
          ...(answered === undefined ? {} : { millis: answered.millis }),
          ...(isError ? { isError } : {})
        })
      ]
    }
    case "control_cancel_request": {
      const withdrawn = facts.find((fact) => fact._tag === "RequestWithdrawn")
      const { kind, name } = withdrawn === undefined
        ? { kind: "control" as const, name: "control_cancel_request" }
        : requestName(withdrawn.request.subtype, withdrawn.request.about)
      return [at(current, kind, name, "withdrawn", { id: item.request_id })]
    }
    case "system":
      return [at(current, systemKind(item.subtype), item.subtype === "init" ? "init" : item.subtype, systemBody(item))]
    case "command_lifecycle":
      return [at(current, "system", item.type, `${item.state} ${item.command_uuid}`, { id: item.command_uuid })]
    default:
      return [at(current, "system", nameOf(item), bodyOf(item))]
  }
}

type At = (turn: number | null, kind: Kind, name: string, body: Body, more?: Partial<Draft>) => Draft

type CliUser = Extract<CliFrame, { type: "user" }>
type HostUser = Extract<HostFrame, { type: "user" }>

const contentOf = ({ message: { content } }: CliUser | HostUser): Body => {
  if (typeof content === "string") return content
  const [only] = content
  return content.length === 1 && only !== undefined && only.type === "text" ? only.text : content
}

const ofCliUser = (
  item: CliUser | HostUser,
  facts: ReadonlyArray<Conversation.Fact>,
  at: At,
  t: number,
  current: number | null
): ReadonlyArray<Draft> => {
  const { content } = item.message
  if (typeof content === "string" || !content.some(({ type }) => type === "tool_result")) {
    return [at(current, "echo", "user", contentOf(item))]
  }
  return content.flatMap((block) => {
    if (block.type !== "tool_result") return []
    const ended = facts.find((fact) => fact._tag === "ToolEnded" && fact.tool.id === block.tool_use_id)
    const known = ended?._tag === "ToolEnded" ? ended : undefined
    return [
      at(current, "tool-result", known?.tool.name ?? "tool_result", block.content, {
        id: block.tool_use_id,
        ...(known === undefined || t === 0 ? {} : { millis: known.millis }),
        ...(block.is_error === true ? { isError: true } : {})
      })
    ]
  })
}

type Block = Extract<CliFrame, { type: "assistant" }>["message"]["content"][number]

const ofBlock = (block: Block, at: At, current: number | null): Draft => {
  switch (block.type) {
    case "text":
      return at(current, "text", "assistant", block.text)
    case "thinking":
      return at(current, "thinking", "assistant", block.thinking)
    case "tool_use":
    case "server_tool_use":
    case "mcp_tool_use":
      return at(current, "tool", block.name, block.input, { id: block.id })
    default:
      return at(current, "text", String(block.type), bodyOf(block))
  }
}

const requestName = (subtype: string, about: string | undefined): { readonly kind: Kind; readonly name: string } => {
  switch (subtype) {
    case "can_use_tool":
      return { kind: "permission", name: about ?? subtype }
    case "hook_callback":
      return { kind: "hook", name: about ?? subtype }
    case "mcp_message":
      return { kind: "mcp", name: about ?? subtype }
    default:
      return { kind: "control", name: subtype }
  }
}

const systemKind = (subtype: string): Kind =>
  subtype === "init"
    ? "init"
    : subtype.startsWith("hook_")
    ? "hook"
    : subtype.startsWith("task_") || subtype === "background_tasks_changed"
    ? "task"
    : "system"

/** An answer as a person would put it, where that is shorter. */
const answerBody = (body: Body | null): Body => {
  if (typeof body !== "object" || body === null || Array.isArray(body)) return body ?? undefined
  const fields: { readonly [name: string]: unknown } = { ...body }
  if (fields["behavior"] === "allow") return "allow"
  if (fields["behavior"] === "deny") return `deny: ${String(fields["message"] ?? "")}`
  return fields
}

/** What every frame has says nothing about this one. */
const boilerplate = new Set([
  "type",
  "subtype",
  "uuid",
  "session_id",
  "parent_tool_use_id",
  "user_message_uuid",
  "user_message_uuids"
])

const bodyOf = (frame: object): Body => {
  const rest = Object.entries(frame).filter(([name]) => !boilerplate.has(name))
  return rest.length === 0 ? undefined : Object.fromEntries(rest)
}

const systemBody = (frame: Extract<CliFrame, { type: "system" }>): Body =>
  frame.subtype === "init"
    ? `${frame.model}, ${frame.permissionMode}, ${frame.tools.length} tools, session ${frame.session_id}`
    : bodyOf(frame)
