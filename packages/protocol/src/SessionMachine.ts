/**
 * One conversation with a CLI, without I/O: `step(state, input)` gives the next state and what is to be done. Time and ids
 * come in, effects go out as data. Every transition is in this file; `internal/route.ts` reads the wire for it.
 *
 * | input                                   | transition                                                                     |
 * | --------------------------------------- | ------------------------------------------------------------------------------ |
 * | `Send`, nothing waits for a result      | the message is written and joins the ledger                                    |
 * | `Send`, something does                  | `reject`: fails with `TurnInFlight` · `queue`: held here · `steer`: written    |
 * | `Send` with `shouldQuery: false`        | written, and over: no turn will come of it                                     |
 * | `Unsend`                                | a held message is dropped; a written one is not touched                        |
 * | `Ask`                                   | written; pending until its answer, `Abandon` or the end                        |
 * | `Abandon`                               | fails, and the CLI is told; a late answer finds nothing pending                |
 * | `Answer`, `Refuse`                      | written if the CLI's request is open, else `NotPending`                        |
 * | `Tick`                                  | messages whose time is up end (see below)                                      |
 * | `End`                                   | everything open fails or is withdrawn, once; every later input finds it closed |
 * | `control_response`                      | the pending request is answered; one that is not pending is ignored            |
 * | `control_request`, known                | `Handle`; open until answered, withdrawn or the end                            |
 * | `control_request`, seen before          | ignored: it is answered once                                                   |
 * | `control_request`, not understood       | refused at once: the CLI would wait for ever                                   |
 * | `control_cancel_request`                | `Withdraw`                                                                     |
 * | first frame of a turn                   | `TurnStarted`, with the messages that it is for                                |
 * | frame that knows better whose turn it is| `TurnReassigned`                                                               |
 * | `result`                                | `TurnEnded`, with the messages that it ends; the next held message is written  |
 * | the same `result` again                 | ignored                                                                        |
 * | `command_lifecycle` queued, started     | `MessageMoved`                                                                 |
 * | `command_lifecycle` cancelled           | `MessageEnded`                                                                 |
 * | `command_lifecycle` completed           | if no result comes within `settleMillis`, `MessageEnded`                       |
 *
 * ## Which result ends which message
 *
 * The first of these that says anything:
 *
 * 1. The result names them: `user_message_uuids`. If none is ours, it is nobody's.
 * 2. The result names somebody else: an `origin` other than a human. It is nobody's.
 * 3. The CLI said what it started on: `command_lifecycle`. If it started on nothing of ours, it is nobody's.
 * 4. The CLI echoed them since the last result. If it echoes, and echoed nothing, a *successful* result is nobody's; a turn
 *    that failed or was interrupted may have ended before the echo.
 * 5. Order: the oldest message. CLIs after 2.1.50 merge queued messages into one turn, so those that were already waiting
 *    when it began may be done too. They end with the same result (`Silence`) once the CLI has come to rest: no other turn
 *    within `settleMillis`, or a clean exit.
 *
 * Rules 1 to 4 need messages with a `uuid`; 5 is for hosts that send none, and for what no CLI said.
 */
import type { CliRequest } from "./CliRequest.js"
import * as Codec from "./Codec.js"
import { ControlError } from "./ControlError.js"
import * as Cost from "./Cost.js"
import type { Unknown } from "./Frame.js"
import type { HostRequest } from "./HostRequest.js"
import type { Answer, Init, Request, Result, TurnFrame } from "./internal/route.js"
import { routeOf } from "./internal/route.js"
import type { ResultFrame } from "./ResultFrame.js"
import type { Evidence, SessionAction } from "./SessionAction.js"
import { SessionError } from "./SessionError.js"
import type { Receive, Send, SessionInput } from "./SessionInput.js"
import type { TransportExit } from "./Transport.js"
import type { HostUserFrame } from "./UserFrame.js"

/** How a machine is made. */
export interface Options {
  /** How long the CLI must be at rest before a message without evidence is taken to be done. Default: 5,000. */
  readonly settleMillis?: number | undefined
}

/** A message that was written and waits for its result. */
export interface Message {
  readonly id: string
  readonly uuid: string | undefined
  readonly phase: "Written" | "Queued" | "Started"
  /** The CLI repeated it since the last result. */
  readonly echoed: boolean
  /** When it ends without a result of its own: with another turn's, or with none. */
  readonly lapse: { readonly at: number; readonly into: EndedTurn | undefined } | undefined
}

/** A turn that is over. */
export interface EndedTurn {
  readonly turn: number
  readonly result: ResultFrame | Unknown
}

/** A message that is kept back until nothing waits for a result. */
export interface HeldMessage {
  readonly id: string
  readonly frame: HostUserFrame
}

/** The turn that runs. */
export interface Turn {
  readonly index: number
  readonly messages: ReadonlyArray<string>
  readonly evidence: Evidence
  /** The messages that were waiting when it began. */
  readonly waiting: ReadonlyArray<string>
  /** Nothing but its `init` has come yet. */
  readonly bare: boolean
}

/** Everything that the machine remembers. A value: nothing in it is ever changed. */
export interface State {
  readonly settleMillis: number
  readonly exit: TransportExit | undefined
  readonly sessionId: string | undefined
  readonly version: string | undefined
  /** Requests of the host's that wait for an answer. */
  readonly asked: ReadonlyMap<string, HostRequest>
  /** Requests of the CLI's that wait for an answer. */
  readonly asking: ReadonlyMap<string, CliRequest>
  /** Requests of the CLI's that are over: the last {@link settledKept} of them. */
  readonly settled: ReadonlyArray<string>
  readonly messages: ReadonlyArray<Message>
  readonly held: ReadonlyArray<HeldMessage>
  readonly turn: Turn | undefined
  readonly turns: number
  readonly lastResult: string | undefined
  /** What the CLI has shown that it says. */
  readonly says: { readonly echo: boolean; readonly lifecycle: boolean }
  readonly totals: Cost.Cost
}

/** How many ended requests of the CLI's are remembered, to tell a repeated one. */
export const settledKept = 512

/** The newest CLI that gives every queued message a turn of its own; later ones merge them. */
const lastUnmerged = [2, 1, 50] as const

/**
 * A machine at the beginning of a conversation.
 *
 * @example
 * ```ts
 * import * as SessionMachine from "@claude-duplex/protocol/SessionMachine"
 *
 * const [state, actions] = SessionMachine.step(SessionMachine.make(), {
 *   _tag: "Send",
 *   id: "m1",
 *   frame: { type: "user", uuid: "m1", message: { role: "user", content: "hello" } },
 *   whenBusy: "reject"
 * })
 * // actions: Write the frame; MessageMoved "m1" to "Written"
 * ```
 */
export const make = (options?: Options): State => ({
  settleMillis: options?.settleMillis ?? 5_000,
  exit: undefined,
  sessionId: undefined,
  version: undefined,
  asked: new Map(),
  asking: new Map(),
  settled: [],
  messages: [],
  held: [],
  turn: undefined,
  turns: 0,
  lastResult: undefined,
  says: { echo: false, lifecycle: false },
  totals: Cost.zero
})

/** What a session is doing. */
export type Status = "Starting" | "Idle" | "Running" | "WaitingForPermission" | "Ended"

/**
 * What a session is doing, at a glance.
 *
 * @example
 * ```ts
 * import * as SessionMachine from "@claude-duplex/protocol/SessionMachine"
 *
 * SessionMachine.status(SessionMachine.make()) // "Starting"
 * ```
 */
export const status = (state: State): Status => {
  if (state.exit !== undefined) return "Ended"
  for (const request of state.asking.values()) if (request.subtype === "can_use_tool") return "WaitingForPermission"
  if (state.turn !== undefined || state.messages.length > 0) return "Running"
  return state.sessionId === undefined ? "Starting" : "Idle"
}

/**
 * Takes one step. Pure: the same state and input always give the same.
 *
 * @example
 * ```ts
 * import * as Codec from "@claude-duplex/protocol/Codec"
 * import * as SessionMachine from "@claude-duplex/protocol/SessionMachine"
 *
 * let state = SessionMachine.make()
 * const decoder = Codec.make()
 *
 * const onBytes = (bytes: Uint8Array) => {
 *   for (const item of decoder.push(bytes)) {
 *     const [next, actions] = SessionMachine.step(state, { _tag: "Receive", item, now: Date.now() })
 *     state = next
 *     for (const action of actions) console.log(action._tag)
 *   }
 * }
 * ```
 */
export const step = (
  state: State,
  input: SessionInput
): readonly [state: State, actions: ReadonlyArray<SessionAction>] => {
  const transition = new Transition(state)
  if (state.exit !== undefined) transition.afterEnd(state.exit, input)
  else {
    switch (input._tag) {
      case "Receive":
        transition.receive(input)
        break
      case "Send":
        transition.send(input)
        break
      case "Unsend":
        transition.unsend(input.id)
        break
      case "Ask":
        transition.ask(input.id, input.request)
        break
      case "Abandon":
        transition.abandon(input.id, input.reason)
        break
      case "Answer":
        transition.answer(input.id, { subtype: "success", request_id: input.id, response: input.response })
        break
      case "Refuse":
        transition.answer(input.id, { subtype: "error", request_id: input.id, error: input.error })
        break
      case "Tick":
        transition.tick(input.now)
        break
      case "End":
        transition.end(input.exit)
        break
    }
  }
  return [transition.state, transition.actions]
}

/** Evidence about the owner of a turn, and how far it is trusted. */
const ranks: Record<Evidence, number> = { Silence: 0, Order: 0, Echo: 1, Lifecycle: 2, Uuids: 3, Origin: 3 }

/** One step under way: replaces the state, piece by piece, and gathers actions. Lives no longer than `step`. */
class Transition {
  state: State
  readonly actions: Array<SessionAction> = []

  constructor(state: State) {
    this.state = state
  }

  #set(change: Partial<State>): void {
    this.state = { ...this.state, ...change }
  }

  #do(action: SessionAction): void {
    this.actions.push(action)
  }

  // ---- the host's wishes ----

  send({ frame, id, whenBusy }: Send): void {
    if (frame.shouldQuery === false) {
      this.#do({ _tag: "Write", frame })
      this.#do({ _tag: "MessageMoved", message: id, to: "Written" })
      this.#do({ _tag: "MessageEnded", message: id, reason: "NoTurn" })
      return
    }
    const busy = this.state.messages.length > 0 || this.state.held.length > 0
    if (!busy || whenBusy === "steer") this.#write({ id, frame })
    else if (whenBusy === "queue") {
      this.#set({ held: [...this.state.held, { id, frame }] })
      this.#do({ _tag: "MessageMoved", message: id, to: "Held" })
    } else this.#do({ _tag: "MessageFailed", message: id, error: new SessionError({ reason: "TurnInFlight" }) })
  }

  unsend(id: string): void {
    if (!this.state.held.some((held) => held.id === id)) return
    this.#set({ held: this.state.held.filter((held) => held.id !== id) })
    this.#do({ _tag: "MessageEnded", message: id, reason: "Cancelled" })
  }

  ask(id: string, request: HostRequest): void {
    this.#set({ asked: new Map(this.state.asked).set(id, request) })
    this.#do({ _tag: "Write", frame: { type: "control_request", request_id: id, request } })
  }

  abandon(id: string, reason: "Timeout" | "Cancelled"): void {
    const request = this.#takeAsked(id)
    if (request === undefined) return
    this.#do({ _tag: "Write", frame: { type: "control_cancel_request", request_id: id } })
    this.#do({ _tag: "AskFailed", id, error: new ControlError({ reason, subtype: request.subtype }) })
  }

  answer(id: string, response: ControlAnswer): void {
    if (!this.state.asking.has(id)) {
      this.#do({ _tag: "NotPending", id })
      return
    }
    this.#settle(id)
    this.#do({ _tag: "Write", frame: { type: "control_response", response } })
  }

  tick(now: number): void {
    for (const { id, lapse } of this.state.messages) {
      if (lapse !== undefined && lapse.at <= now) this.#lapse(id, lapse.into)
    }
    this.#release()
    this.#wake()
  }

  end(exit: TransportExit): void {
    const error = new SessionError({ reason: "Closed", exit })
    for (const [id, { subtype }] of this.state.asked) {
      this.#do({ _tag: "AskFailed", id, error: new ControlError({ reason: "Closed", subtype }) })
    }
    for (const id of this.state.asking.keys()) this.#do({ _tag: "Withdraw", id })
    for (const { id, lapse } of this.state.messages) {
      // A clean exit comes after all queued work, so what was waiting beside the last turn was done in it.
      if (exit.code === 0 && lapse !== undefined) this.#lapse(id, lapse.into)
      else this.#do({ _tag: "MessageFailed", message: id, error })
    }
    for (const { id } of this.state.held) this.#do({ _tag: "MessageFailed", message: id, error })
    this.#set({ exit, asked: new Map(), asking: new Map(), messages: [], held: [], turn: undefined })
    this.#do({ _tag: "Ended", exit })
  }

  afterEnd(exit: TransportExit, input: SessionInput): void {
    switch (input._tag) {
      case "Send":
        this.#do({ _tag: "MessageFailed", message: input.id, error: new SessionError({ reason: "Closed", exit }) })
        break
      case "Ask":
        this.#do({
          _tag: "AskFailed",
          id: input.id,
          error: new ControlError({ reason: "Closed", subtype: input.request.subtype })
        })
        break
      case "Answer":
      case "Refuse":
        this.#do({ _tag: "NotPending", id: input.id })
        break
    }
  }

  // ---- the CLI's frames ----

  receive({ item, now }: Receive): void {
    const route = routeOf(item)
    switch (route._tag) {
      case "TurnFrame":
      case "Init":
        this.#turnFrame(route)
        break
      case "Result":
        // The codec gave it as a result, known or unknown; the route says which of its fields could be read.
        this.#result(route, item as ResultFrame | Unknown, now)
        return
      case "Lifecycle":
        this.#lifecycle(route.uuid, route.state, now)
        break
      case "Answer":
        this.#received(item)
        this.#answered(route)
        return
      case "Request":
        this.#received(item)
        this.#request(route)
        return
      case "Cancel":
        this.#received(item)
        if (this.#settle(route.id)) this.#do({ _tag: "Withdraw", id: route.id })
        return
    }
    this.#received(item)
  }

  #received(item: Codec.Item): void {
    this.#do({ _tag: "Received", item, turn: this.state.turn?.index })
  }

  #answered({ id, outcome, pending }: Answer): void {
    const request = this.#takeAsked(id)
    if (request !== undefined) {
      if (outcome._tag === "Success") {
        this.#do({ _tag: "Answered", id, response: outcome.response })
        for (const uuid of cancelledBy(request, outcome.response)) this.#cancelled(uuid)
      } else {
        const { code, error: detail } = outcome
        this.#do({
          _tag: "AskFailed",
          id,
          error: new ControlError({
            reason: "Remote",
            subtype: request.subtype,
            detail,
            ...(code === undefined ? {} : { code })
          })
        })
      }
    }
    for (const frame of pending) {
      const route = routeOf(Codec.fromJson(frame))
      if (route._tag === "Request") this.#request(route)
    }
  }

  #request({ id, request, subtype }: Request): void {
    if (this.state.asking.has(id) || this.state.settled.includes(id)) return
    if (request !== undefined) {
      this.#set({ asking: new Map(this.state.asking).set(id, request) })
      this.#do({ _tag: "Handle", id, request })
      return
    }
    this.#set({ settled: remember(this.state.settled, id) })
    this.#do({
      _tag: "Write",
      frame: {
        type: "control_response",
        response: {
          subtype: "error",
          request_id: id,
          error: `This host does not understand the request ${subtype}`,
          error_code: "unsupported_request"
        }
      }
    })
  }

  #lifecycle(uuid: string, phase: string, now: number): void {
    if (!this.state.says.lifecycle) this.#set({ says: { ...this.state.says, lifecycle: true } })
    const message = this.state.messages.find((candidate) => candidate.uuid === uuid)
    if (message === undefined) return
    switch (phase) {
      case "queued":
        this.#update([message.id], { phase: "Queued" })
        this.#do({ _tag: "MessageMoved", message: message.id, to: "Queued" })
        break
      case "started":
        this.#update([message.id], { phase: "Started" })
        this.#do({ _tag: "MessageMoved", message: message.id, to: "Started" })
        this.#reassign(this.#owners(undefined))
        break
      case "completed":
        // Its result comes before this on every CLI seen. If there is none, none is coming; but wait a moment.
        this.#update([message.id], { lapse: { at: now + this.state.settleMillis, into: undefined } })
        this.#wake()
        break
      case "cancelled":
        this.#cancelled(uuid)
        break
    }
  }

  #turnFrame(route: TurnFrame | Init): void {
    if (route._tag === "Init") {
      if (route.sessionId !== this.state.sessionId || route.version !== this.state.version) {
        this.#set({ sessionId: route.sessionId, version: route.version })
      }
    } else if (route.echo !== undefined) {
      const message = this.state.messages.find((candidate) => candidate.uuid === route.echo)
      if (message !== undefined) {
        this.#update([message.id], { echoed: true })
        this.#set({ says: { ...this.state.says, echo: true } })
      }
    }
    const { turn } = this.state
    const bare = route._tag === "Init"
    // Every turn begins with an `init`: one that nobody owns is over when the next begins, with or without a result.
    if (turn === undefined || (bare && turn.messages.length === 0)) {
      this.#start(this.#owners(route.uuids), bare)
      return
    }
    if (turn.bare && !bare) this.#set({ turn: { ...turn, bare } })
    if (route.uuids !== undefined || (route._tag === "TurnFrame" && route.echo !== undefined)) {
      this.#reassign(this.#owners(route.uuids))
    }
  }

  #result(route: Result, frame: ResultFrame | Unknown, now: number): void {
    if (route.uuid !== undefined && route.uuid === this.state.lastResult) {
      this.#received(frame)
      return
    }
    const owners = this.#ownersOfResult(route)
    const turn = this.state.turn ?? this.#start(owners, false)
    this.#reassign(owners)
    this.#received(frame)

    const totals: Cost.Cost = { ...this.state.totals, ...route.totals }
    const cost = route.share === undefined ? Cost.difference(this.state.totals, totals) : Cost.ofUsage(route.share)
    const { evidence, messages } = owners
    const ended = new Set(messages)
    const merged = new Set(evidence === "Order" && mergesQueued(this.state.version) ? turn.waiting : [])
    this.#set({
      totals,
      turn: undefined,
      lastResult: route.uuid,
      messages: this.state.messages.filter(({ id }) => !ended.has(id)).map((message) => ({
        ...message,
        echoed: false,
        lapse: merged.has(message.id)
          ? { at: now + this.state.settleMillis, into: { turn: turn.index, result: frame } }
          : message.lapse
      }))
    })
    this.#do({ _tag: "TurnEnded", turn: turn.index, messages, result: frame, evidence, cost })
    this.#release()
    this.#wake()
  }

  // ---- the ledger ----

  #write({ frame, id }: HeldMessage): void {
    const { turn } = this.state
    this.#set({
      // An `init` that nothing followed may be this message's own, if the CLI sends it early.
      turn: turn?.bare === true && turn.messages.length === 0 ? undefined : turn,
      messages: [...this.state.messages, { id, uuid: frame.uuid, phase: "Written", echoed: false, lapse: undefined }]
    })
    this.#do({ _tag: "Write", frame })
    this.#do({ _tag: "MessageMoved", message: id, to: "Written" })
  }

  /** Writes the next held message when nothing waits for a result any more. */
  #release(): void {
    const [next, ...held] = this.state.held
    if (next === undefined || this.state.messages.length > 0) return
    this.#set({ held })
    this.#write(next)
  }

  #start({ evidence, messages }: Owners, bare: boolean): Turn {
    const index = this.state.turns
    const turn: Turn = { index, messages, evidence, waiting: this.state.messages.map(({ id }) => id), bare }
    this.#set({
      turn,
      turns: index + 1,
      // The CLI was not at rest: what looked merged has a turn of its own.
      messages: this.state.messages.map((message) =>
        message.lapse?.into === undefined ? message : { ...message, lapse: undefined }
      )
    })
    this.#do({ _tag: "TurnStarted", turn: index, messages, evidence })
    return turn
  }

  #reassign({ evidence, messages }: Owners): void {
    const { turn } = this.state
    if (turn === undefined || ranks[evidence] < ranks[turn.evidence] || sameIds(messages, turn.messages)) return
    this.#set({ turn: { ...turn, messages, evidence } })
    this.#do({ _tag: "TurnReassigned", turn: turn.index, messages, evidence })
  }

  /** Whose turn runs, by what is known so far. */
  #owners(uuids: ReadonlyArray<string> | undefined): Owners {
    const { messages, says } = this.state
    const ids = (some: ReadonlyArray<Message>) => some.map(({ id }) => id)
    if (uuids !== undefined) {
      return {
        messages: ids(messages.filter(({ uuid }) => uuid !== undefined && uuids.includes(uuid))),
        evidence: "Uuids"
      }
    }
    const started = messages.filter(({ phase }) => phase === "Started")
    if (started.length > 0) return { messages: ids(started), evidence: "Lifecycle" }
    const echoed = messages.filter((message) => message.echoed)
    if (echoed.length > 0) return { messages: ids(echoed), evidence: "Echo" }
    // Lifecycles are told of messages with a uuid; the others can only be guessed at.
    const guessed = says.lifecycle ? messages.filter(({ uuid }) => uuid === undefined) : messages
    return guessed.length === 0 && messages.length > 0
      ? { messages: [], evidence: "Lifecycle" }
      : { messages: ids(guessed.slice(0, 1)), evidence: "Order" }
  }

  #ownersOfResult({ origin, success, uuids }: Result): Owners {
    if (uuids === undefined && origin !== undefined && origin !== "human") return { messages: [], evidence: "Origin" }
    const { messages, says, turn } = this.state
    const owners = this.#owners(uuids)
    if (turn !== undefined && ranks[turn.evidence] > ranks[owners.evidence]) return this.#stillWaiting(turn)
    if (owners.evidence !== "Order") return owners
    // A message that was written while a turn ran is not the one that the turn is for.
    const guess = turn === undefined ? owners : this.#stillWaiting(turn)
    const echoes = messages.every(({ id, uuid }) => uuid !== undefined || !guess.messages.includes(id))
    return success && says.echo && echoes ? { messages: [], evidence: "Echo" } : guess
  }

  #stillWaiting(turn: Turn): Owners {
    const waiting = new Set(this.state.messages.map(({ id }) => id))
    return { messages: turn.messages.filter((id) => waiting.has(id)), evidence: turn.evidence }
  }

  #update(ids: ReadonlyArray<string>, change: Partial<Message>): void {
    this.#set({
      messages: this.state.messages.map((message) => ids.includes(message.id) ? { ...message, ...change } : message)
    })
  }

  #drop(id: string): void {
    this.#set({ messages: this.state.messages.filter((message) => message.id !== id) })
  }

  #cancelled(uuid: string): void {
    const message = this.state.messages.find((candidate) => candidate.uuid === uuid)
    if (message === undefined) return
    this.#drop(message.id)
    this.#do({ _tag: "MessageEnded", message: message.id, reason: "Cancelled" })
    this.#release()
  }

  #lapse(id: string, into: EndedTurn | undefined): void {
    this.#drop(id)
    this.#do(
      into === undefined
        ? { _tag: "MessageEnded", message: id, reason: "NoTurn" }
        : { _tag: "TurnEnded", ...into, messages: [id], evidence: "Silence", cost: Cost.zero }
    )
  }

  #wake(): void {
    const times = this.state.messages.flatMap(({ lapse }) => lapse === undefined ? [] : [lapse.at])
    if (times.length > 0) this.#do({ _tag: "WakeAt", at: Math.min(...times) })
  }

  // ---- control requests ----

  #takeAsked(id: string): HostRequest | undefined {
    const request = this.state.asked.get(id)
    if (request !== undefined) this.#set({ asked: without(this.state.asked, id) })
    return request
  }

  /** Ends a request of the CLI's, and says whether it was open. */
  #settle(id: string): boolean {
    if (!this.state.asking.has(id)) return false
    this.#set({ asking: without(this.state.asking, id), settled: remember(this.state.settled, id) })
    return true
  }
}

/** The messages that a turn belongs to, and how that is known. */
interface Owners {
  readonly messages: ReadonlyArray<string>
  readonly evidence: Evidence
}

type ControlAnswer = Extract<
  Extract<SessionAction, { readonly _tag: "Write" }>["frame"],
  { readonly type: "control_response" }
>["response"]

/** The queued messages that a successful request took out of the CLI's queue. */
const cancelledBy = (request: HostRequest, response: unknown): ReadonlyArray<string> => {
  const cancelled = typeof response === "object" && response !== null && "cancelled" in response
    ? response.cancelled
    : undefined
  if (request.subtype === "cancel_async_message" && cancelled === true) return [request.message_uuid]
  if (request.subtype === "interrupt" && Array.isArray(cancelled)) {
    return cancelled.filter((uuid) => typeof uuid === "string")
  }
  return []
}

const mergesQueued = (version: string | undefined): boolean => {
  // CLIs of the 1.0 line do not tell their version, and do not merge.
  const numbers = version?.split(/[.-]/).slice(0, 3).map(Number)
  if (numbers === undefined || numbers.length < 3 || numbers.some(Number.isNaN)) return false
  for (let i = 0; i < lastUnmerged.length; i++) {
    const difference = (numbers[i] ?? 0) - (lastUnmerged[i] ?? 0)
    if (difference !== 0) return difference > 0
  }
  return false
}

const sameIds = (a: ReadonlyArray<string>, b: ReadonlyArray<string>): boolean =>
  a.length === b.length && a.every((id, i) => id === b[i])

const without = <A>(map: ReadonlyMap<string, A>, key: string): ReadonlyMap<string, A> => {
  const rest = new Map(map)
  rest.delete(key)
  return rest
}

const remember = (ids: ReadonlyArray<string>, id: string): ReadonlyArray<string> => [...ids.slice(1 - settledKept), id]
