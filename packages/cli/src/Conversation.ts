/**
 * What happens in a conversation, told while its lines go by: turns, requests, tools, and how long each took. Owns the
 * bookkeeping that timelines, checks and statistics share. Whose turn is whose, the session machine knows: it is driven with
 * what the host wrote, as if we had written it.
 *
 * Most lines are pieces of text, which change nothing: for those this does next to nothing, and makes nothing.
 */
import type { Cost } from "@claude-duplex/protocol/Cost"
import { type CliFrame, type HostFrame, isKnown, type Unknown } from "@claude-duplex/protocol/Frame"
import type { ResultFrame } from "@claude-duplex/protocol/schema/ResultFrame"
import type { Evidence, SessionAction } from "@claude-duplex/protocol/SessionAction"
import type { SessionInput } from "@claude-duplex/protocol/SessionInput"
import * as SessionMachine from "@claude-duplex/protocol/SessionMachine"
import * as TransportExit from "@claude-duplex/protocol/TransportExit"
import type { Direction } from "@claude-duplex/transport-mock/Recording"
import type { Entry } from "./Entries.js"
import { Remembered } from "./internal/remembered.js"

/** A control request, of either side. */
export interface Request {
  readonly id: string
  readonly by: Direction
  readonly subtype: string
  /** The tool, hook or server that it is about. */
  readonly about: string | undefined
  readonly line: number
  readonly t: number
}

/** A tool at work. */
export interface Tool {
  readonly id: string
  readonly name: string
  readonly line: number
  readonly t: number
}

/** Something that happened. Turns are counted from 1. */
export type Fact =
  | { readonly _tag: "TurnStarted"; readonly turn: number; readonly messages: number }
  /** The first piece of the model's answer; `millis` since the turn began. */
  | { readonly _tag: "FirstToken"; readonly turn: number; readonly millis: number }
  | {
    readonly _tag: "TurnEnded"
    readonly turn: number
    readonly messages: number
    readonly evidence: Evidence
    readonly result: ResultFrame | Unknown
    readonly cost: Cost
    /** Since the message was written; or, if another turn ran then, since that one ended. */
    readonly millis: number
  }
  /** A turn without a result: another began, or the file ended. `isBare`: and nothing of it had come but its `init`. */
  | { readonly _tag: "TurnDropped"; readonly turn: number; readonly line: number; readonly isBare: boolean }
  /** A message of the host's that no result came for. */
  | { readonly _tag: "MessageUnanswered"; readonly line: number }
  | { readonly _tag: "RequestOpened"; readonly request: Request }
  | {
    readonly _tag: "RequestAnswered"
    readonly request: Request
    readonly isError: boolean
    readonly millis: number
  }
  | { readonly _tag: "RequestWithdrawn"; readonly request: Request; readonly millis: number }
  /** Nobody had asked. */
  | { readonly _tag: "StrayAnswer"; readonly by: Direction; readonly id: string }
  /** The file ended first. */
  | { readonly _tag: "RequestUnanswered"; readonly request: Request }
  | { readonly _tag: "ToolStarted"; readonly tool: Tool }
  | { readonly _tag: "ToolEnded"; readonly tool: Tool; readonly isError: boolean; readonly millis: number }
  /** No model had asked for it. */
  | { readonly _tag: "StrayToolResult"; readonly id: string }

const nothing: ReadonlyArray<Fact> = []

/** How many ended requests and tools are remembered, to tell a late or a repeated answer from a stray one. */
const remembered = 4_096

/** Tells what happens. Stateful: one for each file. */
export interface Conversation {
  /** What this entry says, in order. */
  readonly observe: (entry: Entry) => ReadonlyArray<Fact>
  /** What is left open when the file ends. */
  readonly end: () => ReadonlyArray<Fact>
  /** The turn that runs, or that waiting messages will get; after {@link Conversation.observe}, the entry's. */
  readonly turn: () => number | undefined
  readonly sessionId: () => string | undefined
  readonly version: () => string | undefined
}

/**
 * Begins a conversation.
 */
export const make = (): Conversation => new Live()

type Frame = CliFrame | HostFrame

class Live implements Conversation {
  #state = SessionMachine.make()
  #wakeAt = Infinity
  #sent = 0
  #facts: Array<Fact> = []
  #last: Pick<Entry, "line" | "t"> = { line: 0, t: 0 }
  /** Messages that were written: when, and where. */
  readonly #messages = new Map<string, Pick<Entry, "line" | "t">>()
  #turnStart: Pick<Entry, "line" | "t"> = { line: 0, t: 0 }
  #turnEnd = 0
  #isWaitingForToken = false
  readonly #requests = new Map<string, Request>()
  readonly #tools = new Map<string, Tool>()
  readonly #over = new Remembered(remembered)

  observe(entry: Entry): ReadonlyArray<Fact> {
    this.#last = entry
    const { item } = entry
    if (!isKnown(item)) {
      if (item._tag === "Unknown") {
        this.#control(item.raw, entry)
        // What the CLI says still does its duty, known or not.
        if (entry.dir === "cli") this.#step({ _tag: "Receive", item, now: entry.t })
      }
      return this.#take()
    }
    const turn = SessionMachine.turn(this.#state)
    if (
      item.type === "stream_event" && turn !== undefined && !turn.initOnly && !this.#isWaitingForToken &&
      item.user_message_uuids === undefined
    ) return this.#take()
    if (this.#wakeAt <= entry.t) {
      this.#wakeAt = Infinity
      this.#step({ _tag: "Tick", now: entry.t })
    }
    if (entry.dir === "cli") this.#ofCli(item, entry)
    else this.#ofHost(item, entry)
    return this.#take()
  }

  end(): ReadonlyArray<Fact> {
    const { t } = this.#last
    const isBare = SessionMachine.turn(this.#state)?.initOnly === true
    // Messages that wait for nothing are over by then, as in a live session.
    this.#step({ _tag: "Tick", now: t + 60_000 })
    this.#step({ _tag: "End", exit: TransportExit.exited(0) }, isBare)
    for (const request of this.#requests.values()) this.#tell({ _tag: "RequestUnanswered", request })
    this.#requests.clear()
    return this.#take()
  }

  turn(): number | undefined {
    const turn = SessionMachine.turn(this.#state)
    if (turn !== undefined) return turn.index + 1
    return SessionMachine.pendingMessages(this.#state).length > 0
      ? SessionMachine.turnCount(this.#state) + 1
      : undefined
  }

  sessionId(): string | undefined {
    return SessionMachine.sessionId(this.#state)
  }

  version(): string | undefined {
    return SessionMachine.version(this.#state)
  }

  #take(): ReadonlyArray<Fact> {
    if (this.#facts.length === 0) return nothing
    const facts = this.#facts
    this.#facts = []
    return facts
  }

  #tell(fact: Fact): void {
    this.#facts.push(fact)
  }

  #ofCli(item: Frame, entry: Entry): void {
    switch (item.type) {
      case "control_request":
        this.#asked(item.request_id, item.request, entry)
        return
      case "control_cancel_request":
        this.#withdrawn(item.request_id, entry)
        return
      case "control_response":
        this.#answered(item.response, entry)
        break
      case "assistant":
        for (const block of item.message.content) {
          if (block.type === "tool_use") this.#toolStarted(block.id, block.name, entry)
        }
        break
      case "user":
        if (typeof item.message.content !== "string") {
          for (const block of item.message.content) {
            if (block.type === "tool_result") this.#toolEnded(block.tool_use_id, block.is_error === true, entry)
          }
        }
        break
    }
    // The frame came from the CLI's side of the codec.
    this.#step({ _tag: "Receive", item: item as CliFrame, now: entry.t })
    if (!this.#isWaitingForToken) return
    if (item.type === "assistant" || (item.type === "stream_event" && item.event.type === "content_block_delta")) {
      this.#token(item, entry)
    }
  }

  #ofHost(item: Frame, entry: Entry): void {
    switch (item.type) {
      case "user": {
        // The frame came from the host's side of the codec.
        const frame = item as Extract<HostFrame, { type: "user" }>
        const id = frame.uuid ?? `#${++this.#sent}`
        if (frame.shouldQuery !== false) this.#messages.set(id, { line: entry.line, t: entry.t })
        this.#step({ _tag: "Send", id, frame, whenBusy: "steer" })
        break
      }
      case "control_request":
        this.#asked(item.request_id, item.request, entry)
        // As above.
        this.#step({
          _tag: "Request",
          id: item.request_id,
          request: (item as Extract<HostFrame, { type: "control_request" }>).request
        })
        break
      case "control_cancel_request":
        this.#withdrawn(item.request_id, entry)
        break
      case "control_response":
        this.#answered(item.response, entry)
        break
    }
  }

  /** A request is one, and an answer too, whatever else is in it. */
  #control(raw: unknown, entry: Entry): void {
    const { request, request_id, response, type } = fieldsOf(raw)
    if (type === "control_request" && typeof request_id === "string") {
      this.#asked(request_id, { ...fieldsOf(request), subtype: String(fieldsOf(request)["subtype"]) }, entry)
    } else if (type === "control_response") {
      const { request_id: id, subtype } = fieldsOf(response)
      if (typeof id === "string") this.#answered({ request_id: id, subtype: String(subtype) }, entry)
    }
  }

  #asked(id: string, request: { readonly subtype: string }, { dir, line, t }: Entry): void {
    const key = `${dir} ${id}`
    // After it initialized again, a host is told once more what is open.
    if (this.#requests.has(key) || this.#over.has(key)) return
    const open: Request = { id, by: dir, subtype: request.subtype, about: subjectOf(request), line, t }
    this.#requests.set(key, open)
    this.#tell({ _tag: "RequestOpened", request: open })
  }

  #answered(response: { readonly request_id: string; readonly subtype: string }, { dir, t }: Entry): void {
    const id = response.request_id
    const key = `${dir === "cli" ? "host" : "cli"} ${id}`
    const request = this.#requests.get(key)
    if (request !== undefined) {
      this.#requests.delete(key)
      this.#over.add(key)
      this.#tell({ _tag: "RequestAnswered", request, isError: response.subtype !== "success", millis: t - request.t })
      return
    }
    // Under --replay-user-messages, the CLI repeats the host's answers to its own requests.
    const isEcho = dir === "cli" && (this.#requests.has(`cli ${id}`) || this.#over.has(`cli ${id}`))
    if (!isEcho && !this.#over.has(key)) this.#tell({ _tag: "StrayAnswer", by: dir, id })
  }

  #withdrawn(id: string, { dir, t }: Entry): void {
    const key = `${dir} ${id}`
    const request = this.#requests.get(key)
    if (request === undefined) return
    this.#requests.delete(key)
    this.#over.add(key)
    this.#tell({ _tag: "RequestWithdrawn", request, millis: t - request.t })
  }

  #toolStarted(id: string, name: string, { line, t }: Entry): void {
    if (this.#tools.has(id)) return
    const tool: Tool = { id, name, line, t }
    this.#tools.set(id, tool)
    this.#tell({ _tag: "ToolStarted", tool })
  }

  #toolEnded(id: string, isError: boolean, { t }: Entry): void {
    const tool = this.#tools.get(id)
    if (tool === undefined) {
      if (!this.#over.has(id)) this.#tell({ _tag: "StrayToolResult", id })
      return
    }
    this.#tools.delete(id)
    this.#over.add(id)
    this.#tell({ _tag: "ToolEnded", tool, isError, millis: t - tool.t })
  }

  /** The model began to answer; a subagent is not it. */
  #token(frame: { readonly parent_tool_use_id: string | null }, { t }: Entry): void {
    const turn = this.turn()
    if (frame.parent_tool_use_id !== null || turn === undefined) return
    this.#isWaitingForToken = false
    this.#tell({ _tag: "FirstToken", turn, millis: t - this.#turnStart.t })
  }

  #step(input: SessionInput, isBare = false): void {
    const bare = isBare || SessionMachine.turn(this.#state)?.initOnly === true
    const [state, actions] = SessionMachine.step(this.#state, input)
    this.#state = state
    for (const action of actions) this.#act(action, bare)
  }

  #act(action: SessionAction, wasBare: boolean): void {
    switch (action._tag) {
      case "TurnStarted":
        this.#startTurn(action.messages)
        this.#tell({ _tag: "TurnStarted", turn: action.turn + 1, messages: action.messages.length })
        return
      case "TurnReassigned":
        if (this.#isWaitingForToken) this.#startTurn(action.messages)
        return
      case "TurnEnded": {
        for (const id of action.messages) this.#messages.delete(id)
        // A second end of the same turn, for a message that was merged into it.
        if (action.evidence === "Silence") return
        this.#turnEnd = this.#last.t
        this.#isWaitingForToken = false
        this.#forgetTools()
        this.#tell({
          _tag: "TurnEnded",
          turn: action.turn + 1,
          messages: action.messages.length,
          evidence: action.evidence,
          result: action.result,
          cost: action.cost,
          millis: this.#last.t - this.#turnStart.t
        })
        return
      }
      case "TurnDropped":
        this.#tell({ _tag: "TurnDropped", turn: action.turn + 1, line: this.#turnStart.line, isBare: wasBare })
        return
      case "MessageEnded":
        this.#messages.delete(action.message)
        return
      case "MessageFailed": {
        const message = this.#messages.get(action.message)
        this.#messages.delete(action.message)
        if (message !== undefined) this.#tell({ _tag: "MessageUnanswered", line: message.line })
        return
      }
      case "WakeAt":
        this.#wakeAt = action.at
        return
    }
  }

  #startTurn(messages: ReadonlyArray<string>): void {
    const first = messages.length === 0 ? undefined : this.#messages.get(messages[0] ?? "")
    this.#turnStart = first === undefined || first.t < this.#turnEnd
      ? { line: this.#last.line, t: first === undefined ? this.#last.t : this.#turnEnd }
      : first
    this.#isWaitingForToken = true
  }

  /** Tools of a turn that was interrupted have no result; late ones of subagents are told from stray ones. */
  #forgetTools(): void {
    for (const id of this.#tools.keys()) this.#over.add(id)
    this.#tools.clear()
  }
}

const fieldsOf = (value: unknown): { readonly [name: string]: unknown } =>
  typeof value === "object" && value !== null ? { ...value } : {}

const subjects: ReadonlySet<string> = new Set(["tool_name", "server_name", "callback_id", "mode", "model"])

/** The one field of a request that a person would want to see beside its name. */
const subjectOf = (request: object): string | undefined => {
  for (const [name, value] of Object.entries(request)) {
    if (typeof value === "string" && subjects.has(name)) return value
  }
  return undefined
}
