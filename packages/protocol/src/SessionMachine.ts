/**
 * One conversation with a CLI, without I/O: `step(state, input)` gives the next state and what is to be done. Time and ids
 * come in, effects go out as data. Every transition is in this file; `internal/route.ts` reads the wire for it.
 *
 * | input                                   | transition                                                                     |
 * | --------------------------------------- | ------------------------------------------------------------------------------ |
 * | `Send`, nothing waits for a result      | the message is written and joins the ledger                                    |
 * | `Send`, something does                  | `reject`: fails with `SessionBusy`  · `queue`: held here · `steer`: written    |
 * | `Send` with `shouldQuery: false`        | written, and over: no turn will come of it                                     |
 * | `Unsend`                                | a held message is dropped; a written one is not touched                        |
 * | `Ask`                                   | written; pending until its answer, `Abandon` or the end                        |
 * | `Ask` of what an old CLI never answers  | fails at once                                                                  |
 * | `Abandon`                               | fails, and a CLI that would not die of it is told; late answers are ignored    |
 * | `Answer`, `Refuse`                      | written if the CLI's request is open, else `NotPending`                        |
 * | any of these with what may not be sent  | fails at once, and nothing is written; a request of the CLI's stays open       |
 * | `Tick`                                  | the CLI is at rest and time is up: messages that wait for nothing end          |
 * | `End`                                   | everything open fails or is withdrawn, once; every later input finds it closed |
 * | `control_response`                      | the pending request is answered; one that is not pending is ignored            |
 * | `control_request`, known                | `Handle`; open until answered, withdrawn or the end                            |
 * | `control_request`, seen before          | ignored: it is answered once                                                   |
 * | `control_request`, not understood       | refused at once: the CLI would wait for ever                                   |
 * | `control_cancel_request`                | `Withdraw`                                                                     |
 * | first frame of a turn                   | `TurnStarted`, with the messages that it is for                                |
 * | frame that knows better whose turn it is| `TurnReassigned`                                                               |
 * | `result`                                | `TurnEnded`, with the messages that it ends; the next held message is written  |
 * | a `result` that came before             | ignored                                                                        |
 * | `init` while nobody's turn runs         | `TurnDropped`, and another turn                                                |
 * | `command_lifecycle` queued, started     | `MessageMoved`                                                                 |
 * | `command_lifecycle` cancelled           | `MessageEnded`                                                                 |
 * | `command_lifecycle` completed           | if no result comes, `MessageEnded` once the CLI is at rest                     |
 *
 * ## Which result ends which message
 *
 * The first of these that says anything:
 *
 * 1. The result names them: `user_message_uuids`. If none is ours, it is nobody's.
 * 2. The result names somebody else: an `origin` that is neither a human nor one that a waiting message was sent with. It is
 *    nobody's, unless the turn was already known to be ours by its uuids or its lifecycle.
 * 3. The CLI said what it started on: `command_lifecycle`. If it started on nothing of ours, it is nobody's.
 * 4. The CLI echoed them since the last result (`--replay-user-messages`). If it echoes, and echoed nothing of ours, a
 *    *successful* result is nobody's; a turn that failed or was interrupted may have ended before the echo.
 * 5. Order. A CLI at rest starts on the oldest message alone. At the end of a turn, CLIs up to 2.1.50 go on with the oldest
 *    one; later ones merge all that were written meanwhile into one turn.
 *
 * Rules 3 and 4 need messages with a `uuid`, and rule 1 can name no other.
 *
 * Rules can be wrong where a CLI says little: it may do a message in a turn that was already running, or say nothing of one
 * that it says something of otherwise. So a message that a turn may have been for, but was not given to, remembers that
 * turn; and when the CLI comes to rest (no turn for `settleTime`, or a clean exit) it ends with that turn's result, as
 * `Silence`. Whatever happens, at rest nothing is left waiting that the CLI has not said is queued.
 *
 * @since 0.1.0
 * @stability experimental
 */
import * as Chunk from "effect/Chunk"
import * as Duration from "effect/Duration"
import * as Either from "effect/Either"
import * as Codec from "./Codec.js"
import { ControlError } from "./ControlError.js"
import * as Cost from "./Cost.js"
import { EncodeError } from "./EncodeError.js"
import { type HostFrame, isKnown, type Unknown } from "./Frame.js"
import { answers, mergesQueued, refusalCode, takesCancel } from "./internal/cliVersion.js"
import { describe } from "./internal/describe.js"
import type { Answer, Init, Request, Result, TurnFrame } from "./internal/route.js"
import { isOfSubagent, namesNobody, routeOf } from "./internal/route.js"
import type { CliRequest } from "./schema/CliRequest.js"
import { validateResponse } from "./schema/CliRequest.js"
import type { ControlResponseFrame } from "./schema/ControlFrame.js"
import type { HostRequest } from "./schema/HostRequest.js"
import type { JsonObject } from "./schema/Json.js"
import type { ResultFrame } from "./schema/ResultFrame.js"
import type { HostUserFrame } from "./schema/UserFrame.js"
import type { Evidence, Received, SessionAction } from "./SessionAction.js"
import { SessionBusy, SessionClosed } from "./SessionError.js"
import type { ResultSummary, SessionExit } from "./SessionExit.js"
import type { Receive, Send, SessionInput } from "./SessionInput.js"
import * as TransportExit from "./TransportExit.js"

/** How a machine is made. */
export interface Options {
  /** The CLI was started with `--replay-user-messages`. Default: unknown, until it echoes. */
  readonly echoes?: boolean | undefined
  /** How long no turn must run before a message that waits for nothing ends. Default: 5 seconds. */
  readonly settleTime?: Duration.DurationInput | undefined
}

/** A message that was written and waits for its result. */
export interface Message {
  readonly id: string
  readonly uuid: string | undefined
  /** The `kind` of the origin that it was sent with. */
  readonly origin: string | undefined
  readonly phase: "Written" | "Queued" | "Started"
  /** The CLI is done with it. */
  readonly completed: boolean
  /** The CLI repeated it since the last result. */
  readonly echoed: boolean
  /** A turn ended since it was written: it was queued behind that one. */
  readonly behind: boolean
  /** A turn that may have been for it. */
  readonly maybe: EndedTurn | undefined
  /** When it ends without a result of its own, if the CLI is at rest then: with that turn's, or with none. */
  readonly lapseAt: number | undefined
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
  /** Nothing but its `init` has come yet. */
  readonly bare: boolean
}

/** Everything that the machine remembers. A value: nothing in it is ever changed. */
export interface State {
  readonly settleMillis: number
  readonly exit: SessionExit | undefined
  readonly sessionId: string | undefined
  readonly version: string | undefined
  /** Requests of the host's that wait for an answer. */
  readonly asked: ReadonlyMap<string, HostRequest>
  /** Requests of the CLI's that wait for an answer. */
  readonly asking: ReadonlyMap<string, CliRequest>
  /** Requests of the CLI's that are over: the last {@link remembered} of them. */
  readonly settled: ReadonlyArray<string>
  readonly messages: ReadonlyArray<Message>
  /** Uuids of messages that are over: the last {@link remembered} of them. */
  readonly endedMessages: ReadonlyArray<string>
  readonly held: Chunk.Chunk<HeldMessage>
  readonly turn: Turn | undefined
  readonly turns: number
  /** Uuids of results: the last {@link remembered} of them. */
  readonly results: ReadonlyArray<string>
  /** What the CLI says, and how that is known. */
  readonly says: { readonly echo: "Unknown" | "Expected" | "Seen"; readonly lifecycle: boolean }
  /** The CLI echoed a message that is over: the turn that runs is not for any that waits. */
  readonly echoedEnded: boolean
  readonly totals: Cost.Cost
  readonly lastResult: ResultSummary | undefined
}

/**
 * How many ended requests, messages and results are remembered, to tell a repeated one. What is repeated comes soon after;
 * and the list is copied for every new one.
 */
export const remembered = 64

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
  settleMillis: Duration.toMillis(options?.settleTime ?? "5 seconds"),
  exit: undefined,
  sessionId: undefined,
  version: undefined,
  asked: new Map(),
  asking: new Map(),
  settled: [],
  messages: [],
  endedMessages: [],
  held: Chunk.empty(),
  turn: undefined,
  turns: 0,
  results: [],
  says: { echo: options?.echoes === true ? "Expected" : "Unknown", lifecycle: false },
  echoedEnded: false,
  totals: Cost.zero,
  lastResult: undefined
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
 * Whether later evidence may give the running turn to other messages: it was given to its messages by order alone, and another
 * message waits too, better evidence is expected (the CLI echoes messages or reports lifecycles), or `mayStartTurn`. The last is
 * for what only the host can see: a background task runs, whose end starts a turn of the CLI's own.
 *
 * A host that shows frames of a turn as those of its message waits with them as long as this is true.
 *
 * @example
 * ```ts
 * import * as SessionMachine from "@claude-duplex/protocol/SessionMachine"
 *
 * const isCertain = (state: SessionMachine.State) => state.turn !== undefined && !SessionMachine.mayBeReassigned(state)
 * console.log(isCertain(SessionMachine.make())) // false: no turn runs
 * ```
 */
export const mayBeReassigned = ({ messages, says, turn }: State, mayStartTurn = false): boolean =>
  turn !== undefined && turn.evidence === "Order" && turn.messages.length > 0 &&
  (messages.length > turn.messages.length || says.echo !== "Unknown" || says.lifecycle || mayStartTurn)

/**
 * Takes one step. Pure: the same state and input always give the same.
 *
 * @example
 * ```ts
 * import * as Codec from "@claude-duplex/protocol/Codec"
 * import * as SessionMachine from "@claude-duplex/protocol/SessionMachine"
 *
 * let state = SessionMachine.make()
 * const decoder = Codec.cli.makeDecoder()
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
        transition.answer(input.id, input.response)
        break
      case "Refuse":
        transition.refuse(input.id, input.error)
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

/**
 * What `step` does with a frame that changes nothing, if this is one: nearly all that come are pieces of a message in a turn
 * that is under way. For whoever reads many: it spares them a step for each.
 *
 * @example
 * ```ts
 * import * as Codec from "@claude-duplex/protocol/Codec"
 * import * as SessionMachine from "@claude-duplex/protocol/SessionMachine"
 *
 * const actionsOf = (state: SessionMachine.State, item: Codec.Item) => {
 *   const passing = SessionMachine.passing(state, item)
 *   return passing === undefined
 *     ? SessionMachine.step(state, { _tag: "Receive", item, now: Date.now() })
 *     : [state, [passing]] as const
 * }
 * ```
 */
export const passing = (state: State, item: Codec.Item): Received | undefined => {
  const { exit, turn } = state
  if (!isKnown(item) || item.type !== "stream_event" || exit !== undefined) return undefined
  return isOfSubagent(item) || (turn !== undefined && !turn.bare && namesNobody(item))
    ? received(item, turn?.index)
    : undefined
}

/**
 * Copied and not written out. V8 watches each place in the code that writes out an object; of one whose objects outlive a
 * collection at first, as a whole chunk of frames does, it makes all later ones where the old ones are, and there each
 * keeps its frame alive long after it was read. It does not watch copies.
 */
const received = (item: Codec.Item, turn: number | undefined): Received => {
  const action = { ...blankReceived }
  action.item = item
  action.turn = turn
  return action
}

const blankReceived: { _tag: "Received"; item: Codec.Item; turn: number | undefined } = {
  _tag: "Received",
  item: { type: "keep_alive" },
  turn: undefined
}

/** For errors that have the exit in them: checking would copy it, and everybody gets the same one. */
const sameExit = { disableValidation: true }

/** How far evidence is trusted. */
const ranks: Record<Evidence, number> = { Silence: 0, Order: 0, Echo: 1, Lifecycle: 2, Uuids: 3, Origin: 3 }

/** The messages that a turn belongs to, and how that is known. */
interface Owners {
  readonly messages: ReadonlyArray<string>
  readonly evidence: Evidence
}

/** One step under way: replaces the state, piece by piece, and gathers actions. Lives no longer than `step`. */
class Transition {
  state: State
  actions: Array<SessionAction> = []

  constructor(state: State) {
    this.state = state
  }

  #set(change: Partial<State>): void {
    this.state = { ...this.state, ...change }
  }

  #do(action: SessionAction): void {
    // Mostly there is one, and a list that grows makes room for many at once: too much for every frame.
    if (this.actions.length === 0) this.actions = [action]
    else this.actions.push(action)
  }

  /** Writes a frame, or says why it may not be written. */
  #write(frame: HostFrame): EncodeError | undefined {
    const encoded = Codec.host.encode(frame)
    if (Either.isLeft(encoded)) return encoded.left
    this.#do({ _tag: "Write", frame, line: encoded.right })
    return undefined
  }

  // ---- the host's wishes ----

  send({ frame, id, whenBusy }: Send): void {
    const busy = this.state.messages.length > 0 || Chunk.isNonEmpty(this.state.held)
    if (!busy || whenBusy === "steer" || frame.shouldQuery === false) this.#writeMessage({ id, frame })
    else if (whenBusy === "queue") {
      this.#set({ held: Chunk.append(this.state.held, { id, frame }) })
      this.#do({ _tag: "MessageMoved", message: id, to: "Held" })
    } else this.#do({ _tag: "MessageFailed", message: id, error: new SessionBusy() })
  }

  unsend(id: string): void {
    const held = Chunk.filter(this.state.held, (message) => message.id !== id)
    if (held.length === this.state.held.length) return
    this.#set({ held })
    this.#do({ _tag: "MessageEnded", message: id, reason: "Cancelled" })
  }

  ask(id: string, request: HostRequest): void {
    const { sessionId, version } = this.state
    const { subtype } = request
    // It has said what it is, and would not even say that it does not know this.
    if (sessionId !== undefined && !answers(version, subtype)) {
      const detail = `CLI ${version ?? "1.0"} does not have this request, and would not answer it`
      this.#do({ _tag: "AskFailed", id, error: new ControlError({ reason: "Unsupported", subtype, detail }) })
      return
    }
    const error = this.#write({ type: "control_request", request_id: id, request })
    if (error === undefined) this.#set({ asked: new Map(this.state.asked).set(id, request) })
    else this.#do({ _tag: "AskFailed", id, error })
  }

  abandon(id: string, reason: "Timeout" | "Cancelled"): void {
    const request = this.#takeAsked(id)
    if (request === undefined) return
    if (takesCancel(this.state.version)) this.#write({ type: "control_cancel_request", request_id: id })
    this.#do({ _tag: "AskFailed", id, error: new ControlError({ reason, subtype: request.subtype }) })
  }

  answer(id: string, response: JsonObject): void {
    const request = this.state.asking.get(id)
    if (request !== undefined) {
      const valid = validateResponse(request.subtype, response)
      if (Either.isLeft(valid)) {
        const error = new EncodeError({ reason: "InvalidFrame", detail: describe(valid.left) })
        this.#do({ _tag: "AnswerInvalid", id, error })
        return
      }
    }
    this.#reply(id, { subtype: "success", request_id: id, response })
  }

  refuse(id: string, error: string): void {
    this.#reply(id, { subtype: "error", request_id: id, error })
  }

  #reply(id: string, response: ControlResponseFrame["response"]): void {
    if (!this.state.asking.has(id)) {
      this.#do({ _tag: "NotPending", id })
      return
    }
    const error = this.#write({ type: "control_response", response })
    if (error === undefined) this.#settle(id)
    else this.#do({ _tag: "AnswerInvalid", id, error })
  }

  tick(now: number): void {
    const { turn } = this.state
    // A turn that nobody sent and of which nothing has come is no sign of work.
    const isNobodys = turn?.bare === true && turn.messages.length === 0
    if (turn !== undefined && !isNobodys) {
      if (!this.#isDone(turn, now)) return
      this.#drop()
    }
    for (const message of this.state.messages) {
      if (message.lapseAt !== undefined && message.lapseAt <= now) this.#lapse(message)
    }
    this.#release()
    this.#wake()
  }

  /** The CLI is done with all that the turn was for, and no result has come: none is coming. */
  #isDone({ messages }: Turn, now: number): boolean {
    const mine = this.state.messages.filter(({ id }) => messages.includes(id))
    return mine.length > 0 &&
      mine.every(({ completed, lapseAt }) => completed && lapseAt !== undefined && lapseAt <= now)
  }

  end(ended: TransportExit.TransportExit): void {
    const { asked, asking, held, lastResult, messages, turn } = this.state
    // A clean exit comes after all queued work, so what waits for nothing was done before.
    const isDone = ({ id, lapseAt }: Message) =>
      TransportExit.isSuccess(ended) && lapseAt !== undefined && turn?.messages.includes(id) !== true
    const exit: SessionExit = {
      ...ended,
      ...(lastResult === undefined ? {} : { lastResult }),
      pending: {
        messages: ids(messages.filter((message) => !isDone(message))),
        held: Chunk.toReadonlyArray(held).map(({ id }) => id),
        asked: openRequests(asked),
        asking: openRequests(asking)
      }
    }
    for (const [id, { subtype }] of asked) {
      this.#do({ _tag: "AskFailed", id, error: new ControlError({ reason: "Closed", subtype, exit }, sameExit) })
    }
    for (const id of asking.keys()) this.#do({ _tag: "Withdraw", id })
    const error = new SessionClosed({ exit }, sameExit)
    for (const message of messages) {
      if (isDone(message)) this.#lapse(message)
      else this.#do({ _tag: "MessageFailed", message: message.id, error })
    }
    const unsent = new SessionClosed({ exit, unsent: true }, sameExit)
    for (const { id } of held) this.#do({ _tag: "MessageFailed", message: id, error: unsent })
    this.#drop()
    this.#set({ exit, asked: new Map(), asking: new Map(), messages: [], held: Chunk.empty() })
    this.#do({ _tag: "Ended", exit })
  }

  afterEnd(exit: SessionExit, input: SessionInput): void {
    switch (input._tag) {
      case "Send":
        this.#do({
          _tag: "MessageFailed",
          message: input.id,
          error: new SessionClosed({ exit, unsent: true }, sameExit)
        })
        break
      case "Ask":
        this.#do({
          _tag: "AskFailed",
          id: input.id,
          error: new ControlError({ reason: "Closed", subtype: input.request.subtype, exit }, sameExit)
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
    this.#do(received(item, this.state.turn?.index))
  }

  #answered({ id, outcome, pending }: Answer): void {
    const request = this.#takeAsked(id)
    if (request !== undefined) {
      if (outcome._tag === "Success") {
        const version = versionIn(request, outcome.response)
        if (version !== undefined) this.#set({ version })
        this.#do({ _tag: "Answered", id, response: outcome.response })
        for (const uuid of cancelledBy(request, outcome.response)) this.#cancelled(uuid)
      } else {
        const { error: detail } = outcome
        const code = refusalCode(outcome.code, detail)
        this.#do({
          _tag: "AskFailed",
          id,
          error: new ControlError({
            reason: "Refused",
            subtype: request.subtype,
            detail,
            ...(code === undefined ? {} : { code })
          })
        })
      }
    }
    for (const frame of pending) {
      const route = routeOf(Codec.cli.fromJson(frame))
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
    this.#write({
      type: "control_response",
      response: {
        subtype: "error",
        request_id: id,
        error: `This host does not understand the request ${subtype}`,
        error_code: "unsupported_request"
      }
    })
  }

  #lifecycle(uuid: string, phase: string, now: number): void {
    if (!this.state.says.lifecycle) this.#set({ says: { ...this.state.says, lifecycle: true } })
    const message = this.#waitingFor(uuid)
    if (message === undefined) return
    switch (phase) {
      case "queued":
        this.#update(message.id, { phase: "Queued", lapseAt: undefined })
        this.#do({ _tag: "MessageMoved", message: message.id, to: "Queued" })
        break
      case "started":
        this.#update(message.id, { phase: "Started", lapseAt: undefined })
        this.#do({ _tag: "MessageMoved", message: message.id, to: "Started" })
        this.#reassign(this.#owners(undefined))
        break
      case "completed":
        // Its result comes before this on every CLI seen. If there is none, none is coming; but wait a moment.
        this.#update(message.id, { completed: true, lapseAt: now + this.state.settleMillis })
        this.#wake()
        break
      case "cancelled":
        this.#cancelled(uuid)
        break
    }
  }

  #turnFrame(route: TurnFrame | Init): void {
    const { uuids } = route
    let evident = uuids !== undefined
    if (route._tag === "Init") {
      if (route.sessionId !== this.state.sessionId || route.version !== this.state.version) {
        this.#set({ sessionId: route.sessionId, version: route.version })
      }
    } else if (route.echo !== undefined) {
      const echo = this.#echo(route.echo, route.isReplay)
      // A message that no turn will come of is echoed too, and starts none.
      if (echo === "Foreign") return
      evident ||= echo === "Evidence"
    }
    const { turn } = this.state
    const bare = route._tag === "Init"
    // Every turn begins with an `init`: one that nobody owns is over when the next begins, with or without a result.
    if (turn === undefined || (bare && turn.messages.length === 0)) {
      this.#drop()
      this.#start(this.#owners(uuids), bare)
      // While the one that was dropped ran, time may have been up for somebody.
      this.#wake()
      return
    }
    if (turn.bare && !bare) {
      this.#set({ turn: { ...turn, bare } })
      // Its `init` may have come early, before the message that it is for.
      evident ||= turn.messages.length === 0
    }
    if (evident) this.#reassign(this.#owners(uuids))
  }

  /** What a `user` frame with this uuid says: about the turn, about a message without one, or nothing at all. */
  #echo(uuid: string, isReplay: boolean): "Evidence" | "Foreign" | "Nothing" {
    const message = this.#waitingFor(uuid)
    const hasEnded = message === undefined && this.state.endedMessages.includes(uuid)
    if (message === undefined && !hasEnded && !isReplay) return "Nothing"
    if (this.state.says.echo !== "Seen") this.#set({ says: { ...this.state.says, echo: "Seen" } })
    if (message !== undefined) this.#update(message.id, { echoed: true })
    else if (!hasEnded) return "Foreign"
    // It was taken for over too early, by another turn's result; this turn is its own.
    else this.#set({ echoedEnded: true })
    return "Evidence"
  }

  #result(route: Result, frame: ResultFrame | Unknown, now: number): void {
    if (route.uuid !== undefined && this.state.results.includes(route.uuid)) {
      this.#received(frame)
      return
    }
    const owners = this.#ownersOfResult(route)
    const { evidence, messages } = owners
    const turn = this.state.turn ?? this.#start(owners, false)
    this.#reassign(owners, true)
    this.#received(frame)

    const totals: Cost.Cost = { ...this.state.totals, ...route.totals }
    const cost = route.share === undefined ? Cost.difference(this.state.totals, totals) : Cost.ofUsage(route.share)
    const ended = new Set(messages)
    const over = this.state.messages.flatMap(({ id, uuid }) => ended.has(id) && uuid !== undefined ? [uuid] : [])
    // The result says itself whose it is, or whose it is not: so it is not of those who still wait.
    const isCertain = evidence === "Origin" || (evidence === "Uuids" && this.state.messages.every(hasUuid))
    const mayBeTheirs = !isCertain && (messages.length === 0 || mergesQueued(this.state.version))
    this.#set({
      totals,
      lastResult: route.summary,
      turn: undefined,
      echoedEnded: false,
      results: route.uuid === undefined ? this.state.results : remember(this.state.results, route.uuid),
      endedMessages: over.reduce(remember, this.state.endedMessages),
      messages: this.state.messages.filter(({ id }) => !ended.has(id)).map((message) => {
        const maybe = mayBeTheirs && message.phase === "Written" ? { turn: turn.index, result: frame } : message.maybe
        return {
          ...message,
          echoed: false,
          behind: true,
          maybe,
          lapseAt: message.completed || (maybe !== undefined && message.phase === "Written")
            ? now + this.state.settleMillis
            : undefined
        }
      })
    })
    this.#do({ _tag: "TurnEnded", turn: turn.index, messages, result: frame, evidence, cost })
    this.#release()
    this.#wake()
  }

  // ---- the ledger ----

  #writeMessage({ frame, id }: HeldMessage): void {
    const error = this.#write(frame)
    if (error !== undefined) {
      this.#do({ _tag: "MessageFailed", message: id, error })
      return
    }
    this.#do({ _tag: "MessageMoved", message: id, to: "Written" })
    if (frame.shouldQuery === false) {
      this.#do({ _tag: "MessageEnded", message: id, reason: "NoTurn" })
      return
    }
    const message: Message = {
      id,
      uuid: frame.uuid,
      // An opaque kind is a string at run time.
      origin: frame.origin === undefined ? undefined : String(frame.origin.kind),
      phase: "Written",
      completed: false,
      echoed: false,
      behind: false,
      maybe: undefined,
      lapseAt: undefined
    }
    this.#set({ messages: [...this.state.messages, message] })
  }

  /** Writes the next held message when nothing waits for a result any more. */
  #release(): void {
    while (this.state.messages.length === 0 && Chunk.isNonEmpty(this.state.held)) {
      const next = Chunk.headNonEmpty(this.state.held)
      this.#set({ held: Chunk.drop(this.state.held, 1) })
      this.#writeMessage(next)
    }
  }

  #start({ evidence, messages }: Owners, bare: boolean): Turn {
    const index = this.state.turns
    const turn: Turn = { index, messages, evidence, bare }
    this.#set({ turn, turns: index + 1 })
    this.#do({ _tag: "TurnStarted", turn: index, messages, evidence })
    return turn
  }

  /** Gives up the running turn: it has no result, and none is coming. */
  #drop(): void {
    const { turn } = this.state
    if (turn === undefined) return
    this.#set({ turn: undefined })
    this.#do({ _tag: "TurnDropped", turn: turn.index })
  }

  #reassign({ evidence, messages }: Owners, isFinal = false): void {
    const { turn } = this.state
    if (turn === undefined) return
    if (sameIds(messages, turn.messages)) {
      // The guess by weaker evidence was right.
      if (ranks[evidence] > ranks[turn.evidence]) this.#set({ turn: { ...turn, evidence } })
      return
    }
    // The last word is the result's; before it, a guess does not replace another but for a turn that nobody owns.
    const isBetter = ranks[evidence] > ranks[turn.evidence] ||
      (ranks[evidence] === ranks[turn.evidence] && (evidence !== "Order" || turn.messages.length === 0))
    if (!isFinal && !isBetter) return
    this.#set({ turn: { ...turn, messages, evidence } })
    this.#do({ _tag: "TurnReassigned", turn: turn.index, messages, evidence })
  }

  /** Whose turn it is, by what is known so far. */
  #owners(uuids: ReadonlyArray<string> | undefined): Owners {
    const { echoedEnded, messages, says, version } = this.state
    if (uuids !== undefined) {
      return {
        messages: ids(messages.filter(({ uuid }) => uuid !== undefined && uuids.includes(uuid))),
        evidence: "Uuids"
      }
    }
    const started = messages.filter(({ phase }) => phase === "Started")
    if (started.length > 0) return { messages: ids(started), evidence: "Lifecycle" }
    const echoed = messages.filter((message) => message.echoed)
    if (echoed.length > 0 || echoedEnded) return { messages: ids(echoed), evidence: "Echo" }
    // Lifecycles are told of messages with a uuid; the others can only be guessed at.
    const guessed = says.lifecycle ? messages.filter((message) => !hasUuid(message)) : messages
    if (guessed.length === 0 && messages.length > 0) return { messages: [], evidence: "Lifecycle" }
    const behind = mergesQueued(version) ? guessed.filter((message) => message.behind) : []
    return { messages: ids(behind.length > 0 ? behind : guessed.slice(0, 1)), evidence: "Order" }
  }

  #ownersOfResult({ origin, success, uuids }: Result): Owners {
    const { messages, says, turn } = this.state
    const known = turn === undefined ? undefined : this.#stillWaiting(turn)
    const isOurs = known !== undefined && ranks[known.evidence] >= ranks.Lifecycle && known.messages.length > 0
    if (uuids === undefined && !isOurs && origin !== undefined && origin !== "human") {
      if (!messages.some((message) => message.origin === origin)) return { messages: [], evidence: "Origin" }
    }
    const owners = this.#owners(uuids)
    if (known !== undefined && ranks[known.evidence] > ranks[owners.evidence]) return known
    if (owners.evidence !== "Order") return owners
    // A message that was written while a turn ran is not the one that the turn is for.
    const guess = known ?? owners
    const mustBeEchoed = says.echo !== "Unknown" && guess.messages.length > 0 &&
      messages.every((message) => hasUuid(message) || !guess.messages.includes(message.id))
    return success && mustBeEchoed ? { messages: [], evidence: "Echo" } : guess
  }

  #stillWaiting(turn: Turn): Owners {
    const waiting = new Set(ids(this.state.messages))
    return { messages: turn.messages.filter((id) => waiting.has(id)), evidence: turn.evidence }
  }

  #waitingFor(uuid: string): Message | undefined {
    return this.state.messages.find((message) => message.uuid === uuid)
  }

  #update(id: string, change: Partial<Message>): void {
    this.#set({
      messages: this.state.messages.map((message) => message.id === id ? { ...message, ...change } : message)
    })
  }

  #remove({ id, uuid }: Message): void {
    this.#set({
      messages: this.state.messages.filter((message) => message.id !== id),
      endedMessages: uuid === undefined ? this.state.endedMessages : remember(this.state.endedMessages, uuid)
    })
  }

  #cancelled(uuid: string): void {
    const message = this.#waitingFor(uuid)
    if (message === undefined) return
    this.#remove(message)
    this.#do({ _tag: "MessageEnded", message: message.id, reason: "Cancelled" })
    this.#release()
  }

  #lapse(message: Message): void {
    const { id, maybe } = message
    this.#remove(message)
    if (maybe === undefined) {
      this.#do({ _tag: "MessageEnded", message: id, reason: "NoTurn" })
      return
    }
    // It was done without an echo: this CLI was told to echo, and does not.
    if (this.state.says.echo === "Expected") this.#set({ says: { ...this.state.says, echo: "Unknown" } })
    this.#do({ _tag: "TurnEnded", ...maybe, messages: [id], evidence: "Silence", cost: Cost.zero })
  }

  #wake(): void {
    let at = Infinity
    for (const { lapseAt } of this.state.messages) if (lapseAt !== undefined && lapseAt < at) at = lapseAt
    if (at < Infinity) this.#do({ _tag: "WakeAt", at })
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

/** Newer CLIs tell their version before the first turn. */
const versionIn = (request: HostRequest, response: unknown): string | undefined =>
  request.subtype === "initialize" && typeof response === "object" && response !== null &&
    "claude_code_version" in response && typeof response.claude_code_version === "string"
    ? response.claude_code_version
    : undefined

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

const openRequests = (requests: ReadonlyMap<string, { readonly subtype: string }>) =>
  Array.from(requests, ([id, { subtype }]) => ({ id, subtype }))

const ids = (messages: ReadonlyArray<Message>): ReadonlyArray<string> => messages.map(({ id }) => id)

const hasUuid = ({ uuid }: Message): boolean => uuid !== undefined

const sameIds = (a: ReadonlyArray<string>, b: ReadonlyArray<string>): boolean =>
  a.length === b.length && a.every((id, i) => id === b[i])

const without = <A>(map: ReadonlyMap<string, A>, key: string): ReadonlyMap<string, A> => {
  const rest = new Map(map)
  rest.delete(key)
  return rest
}

const remember = (known: ReadonlyArray<string>, id: string): ReadonlyArray<string> =>
  (known.length < remembered ? known : known.slice(1)).concat(id)
