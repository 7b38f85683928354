/**
 * One conversation with a CLI, without I/O: `step(state, input)` returns the next state and what to do. Time and ids are
 * arguments, effects are data. Every transition is in this file; `internal/route.ts` reads the wire for it.
 *
 * | input                                    | transition                                                                     |
 * | ---------------------------------------- | ------------------------------------------------------------------------------ |
 * | `Send`, the session is not busy          | the message is written and joins the ledger                                    |
 * | `Send`, the session is busy              | `reject`: fails with `SessionBusy`  · `queue`: held here · `steer`: written    |
 * | `Send` with `shouldQuery: false`         | written, and ends at once: no turn will come of it                             |
 * | `CancelHeld`                             | a held message ends as `Cancelled`; a written one is not touched               |
 * | `Request`                                | written; pending until its response, `Abandon` or the end                      |
 * | `Request` that an old CLI never answers  | fails at once                                                                  |
 * | `Abandon`                                | fails; a CLI that accepts a cancel request gets one; a late response is ignored|
 * | `Answer`, `Refuse`                       | written if the CLI's request is open, else `NotPending`                        |
 * | any of these with an invalid frame       | fails at once, and nothing is written; a request of the CLI stays open         |
 * | `Tick`                                   | if the CLI is at rest, messages whose settle time is over end                  |
 * | `Tick`                                   | a turn of which only `init` has come stops blocking after `settleTime`         |
 * | `Send`, `Request`, there is no process   | held until `Launched`; `initialize` is written at once, because it comes first |
 * | `Launched`                               | requests that this version never answers fail; echoes are expected             |
 * | `End`                                    | everything open fails or is withdrawn, once; every later input fails as closed |
 * | `control_response`                       | the pending request is answered; any other response is ignored                 |
 * | `control_request`, known                 | `Handle`; open until answered, withdrawn or the end                            |
 * | `control_request`, seen before           | ignored: each is answered once                                                 |
 * | `control_request`, unknown               | refused at once: the CLI would wait forever                                    |
 * | `control_cancel_request`                 | `Withdraw`                                                                     |
 * | first frame of a turn                    | `TurnStarted`, with the messages that the turn is for                          |
 * | frame with better evidence for the owner | `TurnReassigned`                                                               |
 * | `result`                                 | `TurnEnded`, with the messages that it ends                                    |
 * | a `result` that came before              | ignored                                                                        |
 * | `init` while an unsolicited turn runs    | `TurnDropped`, and another turn                                                |
 * | the session is not busy any more         | the next held message is written                                               |
 * | `command_lifecycle` queued, started      | `MessageMoved`                                                                 |
 * | `command_lifecycle` cancelled            | `MessageEnded`                                                                 |
 * | `command_lifecycle` completed            | if no result comes, `MessageEnded` once the CLI is at rest                     |
 *
 * An *unsolicited* turn is one that the CLI started by itself, after a background task for example: no message of the host
 * owns it.
 *
 * ## When a session is busy
 *
 * While a message waits for its result, while a message is held, and while a turn runs that blocks: an unsolicited one, or
 * one whose messages were cancelled.
 *
 * - A turn of which `init` and another frame have come blocks until it ends or is dropped.
 * - A turn of which only `init` has come blocks for at most `settleTime`, because it may be no turn. It is not dropped then: its
 *   frames may still come after a slow call of the API, and with the first one it blocks again. An `init` that follows it does
 *   not block for longer. Before the first message of a process, it does not block at all.
 * - Frames without an `init` do not block: every turn begins with one, so these are late frames of the turn before.
 *
 * The evidence: all recordings (1.0.128, 2.1.143, 2.1.326) together have 76 `init` frames. 73 of them come while a message of
 * the host waits. The other 3 begin an unsolicited turn, whose first frame comes within 60 ms and whose result follows. None
 * comes at the start of a process, after `initialize` or after another control request; a CLI that sends one there must not
 * reject the first message.
 *
 * ## Which result ends which message
 *
 * The first of these rules that applies:
 *
 * 1. The result names its messages: `user_message_uuids`. If none of them is ours, the turn is unsolicited.
 * 2. The result has another `origin`: neither `human` nor one that a waiting message was sent with. The turn is unsolicited,
 *    unless it was already known to be ours by its uuids or its lifecycle.
 * 3. The CLI reported which messages it started on: `command_lifecycle`. If none of them is ours, the turn is unsolicited.
 * 4. The CLI echoed messages since the last result (`--replay-user-messages`). If it echoes, and echoed none of ours, a
 *    *successful* result is unsolicited; a turn that failed or was interrupted may have ended before the echo.
 * 5. Order. A CLI at rest starts on the oldest message alone. At the end of a turn, CLIs up to 2.1.50 continue with the
 *    oldest message; later CLIs merge all messages that were written during the turn into one turn.
 *
 * Rules 3 and 4 apply only to messages with a `uuid`, and rule 1 can name no others.
 *
 * The rules can be wrong where a CLI reports little: it may process a message in a turn that was already running, or report
 * nothing about one message and something about others. So a message keeps the last turn that may have been for it but was
 * not assigned to it, as its *candidate*. When the CLI comes to rest (no turn for `settleTime`, or a clean exit), the message
 * ends with the candidate's result, with the evidence `Silence`. At rest, no message waits that the CLI has not reported as
 * queued.
 *
 * @since 0.1.0
 * @stability experimental
 */
import * as Chunk from "effect/Chunk"
import type * as Duration from "effect/Duration"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Codec from "./Codec.js"
import { ControlError } from "./ControlError.js"
import * as Cost from "./Cost.js"
import { EncodeError } from "./EncodeError.js"
import { type HostFrame, isKnown, type Unknown } from "./Frame.js"
import { answers, mergesQueued, refusalCode, reportsLifecycle, takesCancel } from "./internal/cliVersion.js"
import { describe } from "./internal/describe.js"
import type { Answer, Init, Request as CliRequestRoute, Result, TurnFrame } from "./internal/route.js"
import { isOfSubagent, namesNobody, routeOf } from "./internal/route.js"
import type { HeldMessage, Message, RunningTurn, SessionState } from "./internal/sessionState.js"
import { fieldsOf, hide, initial, remember, remembered as limit } from "./internal/sessionState.js"
import type { CliRequest } from "./schema/CliRequest.js"
import { validateResponse } from "./schema/CliRequest.js"
import type { ControlResponseFrame } from "./schema/ControlFrame.js"
import type { HostRequest } from "./schema/HostRequest.js"
import type { JsonObject } from "./schema/Json.js"
import type { ResultFrame } from "./schema/ResultFrame.js"
import type { Evidence, Received, SessionAction, Write } from "./SessionAction.js"
import { SessionBusy, SessionClosed } from "./SessionError.js"
import type { ResultSummary, SessionExit } from "./SessionExit.js"
import type { Launched, Receive, Send, SessionInput } from "./SessionInput.js"
import * as TransportExit from "./TransportExit.js"

/** Options for a machine. */
export interface Options {
  /** The CLI was started with `--replay-user-messages`. Default: unknown, until the CLI repeats a message or `Launched` says so. */
  readonly replayUserMessages?: boolean | undefined
  /**
   * How long no turn must run before a message ends without a result of its own; and how long an `init` alone makes the session
   * busy. Default: 5 seconds.
   */
  readonly settleTime?: Duration.DurationInput | undefined
}

/** The running turn. */
export interface Turn {
  /** The number of the turn: 0 for the first one of the conversation, also counted on over restarts. */
  readonly index: number
  /** The messages that it is for. None: the CLI started it by itself. */
  readonly messages: ReadonlyArray<string>
  readonly evidence: Evidence
  /** Only its `init` has been received. */
  readonly initOnly: boolean
}

declare const StateTypeId: unique symbol

/**
 * The state of a machine: an immutable, opaque value. The functions of this module read it; its fields are internal and
 * change without notice.
 */
export interface State {
  readonly [StateTypeId]: typeof StateTypeId
}

/**
 * How many ended requests, messages and results are remembered, each, to recognize a repeated one.
 */
export const remembered: number = limit

/**
 * Makes a machine at the beginning of a conversation.
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
export const make = (options?: Options): State => hide(initial(options))

/** Options for {@link restart}. */
export interface RestartOptions {
  /**
   * Whether the next process is there already. If not, messages are held until the input `Launched`, so that one that reaches no
   * process is known to be unsent. Requests are written at once: `initialize` comes before every message. Default: true.
   */
  readonly isConnected?: boolean | undefined
}

/**
 * Makes the machine for the next CLI process of the same conversation, with the same options. Session id, version, totals, last
 * result and turn numbers continue; everything else begins anew. The previous process must have ended: what was open failed
 * with its `End`.
 *
 * @example
 * ```ts
 * import * as SessionMachine from "@claude-duplex/protocol/SessionMachine"
 * import * as TransportExit from "@claude-duplex/protocol/TransportExit"
 *
 * const [ended] = SessionMachine.step(SessionMachine.make(), { _tag: "End", exit: TransportExit.exited(1) })
 * const next = SessionMachine.restart(ended)
 * SessionMachine.status(next) // "Starting"
 * ```
 */
export const restart = (state: State, { isConnected = true }: RestartOptions = {}): State => {
  const { lastResult, options, sessionId, totals, turns, version } = fieldsOf(state)
  return hide({
    ...initial(options),
    isConnected,
    isVersionInherited: version !== undefined,
    sessionId,
    version,
    totals,
    lastResult,
    turns
  })
}

/** What a session does. */
export type Status = "Starting" | "Idle" | "Running" | "WaitingForPermission" | "Ended"

/**
 * What the session does.
 *
 * @example
 * ```ts
 * import * as SessionMachine from "@claude-duplex/protocol/SessionMachine"
 *
 * SessionMachine.status(SessionMachine.make()) // "Starting"
 * ```
 */
export const status = (state: State): Status => {
  const { cliRequests, exit, isInitialized, messages, sessionId, turn } = fieldsOf(state)
  if (exit !== undefined) return "Ended"
  for (const request of cliRequests.values()) if (request.subtype === "can_use_tool") return "WaitingForPermission"
  if (turn !== undefined || messages.length > 0) return "Running"
  return sessionId === undefined && !isInitialized ? "Starting" : "Idle"
}

/**
 * How the session ended, if it has.
 *
 * @example
 * ```ts
 * import * as SessionMachine from "@claude-duplex/protocol/SessionMachine"
 *
 * SessionMachine.exit(SessionMachine.make()) // undefined
 * ```
 */
export const exit = (state: State): SessionExit | undefined => fieldsOf(state).exit

/**
 * The CLI's id of the conversation, once it reported one.
 *
 * @example
 * ```ts
 * import * as SessionMachine from "@claude-duplex/protocol/SessionMachine"
 *
 * SessionMachine.sessionId(SessionMachine.make()) // undefined
 * ```
 */
export const sessionId = (state: State): string | undefined => fieldsOf(state).sessionId

/**
 * The version of the CLI, once it reported one. CLIs of the 1.0 line never do.
 *
 * @example
 * ```ts
 * import * as SessionMachine from "@claude-duplex/protocol/SessionMachine"
 *
 * SessionMachine.version(SessionMachine.make()) // undefined
 * ```
 */
export const version = (state: State): string | undefined => fieldsOf(state).version

/**
 * The running turn, if there is one.
 *
 * @example
 * ```ts
 * import * as SessionMachine from "@claude-duplex/protocol/SessionMachine"
 *
 * const isUnsolicited = (state: SessionMachine.State) => SessionMachine.turn(state)?.messages.length === 0
 * ```
 */
export const turn = (state: State): Turn | undefined => fieldsOf(state).turn

/**
 * Whether a message that is sent now has to wait, and is rejected by default.
 *
 * @example
 * ```ts
 * import * as SessionMachine from "@claude-duplex/protocol/SessionMachine"
 *
 * SessionMachine.isBusy(SessionMachine.make()) // false
 * ```
 */
export const isBusy = (state: State): boolean => isWorking(fieldsOf(state)) || holdsPrompt(fieldsOf(state))

/**
 * The number of turns that began so far, which is the index of the next turn.
 *
 * @example
 * ```ts
 * import * as SessionMachine from "@claude-duplex/protocol/SessionMachine"
 *
 * SessionMachine.turnCount(SessionMachine.make()) // 0
 * ```
 */
export const turnCount = (state: State): number => fieldsOf(state).turns

/**
 * The cost of the conversation so far, as the CLI reports it.
 *
 * @example
 * ```ts
 * import * as SessionMachine from "@claude-duplex/protocol/SessionMachine"
 *
 * SessionMachine.totals(SessionMachine.make()).usd // 0
 * ```
 */
export const totals = (state: State): Cost.Cost => fieldsOf(state).totals

/**
 * A summary of the last result, if there was one.
 *
 * @example
 * ```ts
 * import * as SessionMachine from "@claude-duplex/protocol/SessionMachine"
 *
 * const hasFailed = (state: SessionMachine.State) => SessionMachine.lastResult(state)?.isError === true
 * ```
 */
export const lastResult = (state: State): ResultSummary | undefined => fieldsOf(state).lastResult

/**
 * The ids of the messages that were written and wait for a result, oldest first.
 *
 * @example
 * ```ts
 * import * as SessionMachine from "@claude-duplex/protocol/SessionMachine"
 *
 * SessionMachine.pendingMessages(SessionMachine.make()) // []
 * ```
 */
export const pendingMessages = (state: State): ReadonlyArray<string> => ids(fieldsOf(state).messages)

/**
 * The ids of the messages that are held here, in the order in which they will be written.
 *
 * @example
 * ```ts
 * import * as SessionMachine from "@claude-duplex/protocol/SessionMachine"
 *
 * SessionMachine.heldMessages(SessionMachine.make()) // []
 * ```
 */
export const heldMessages = (state: State): ReadonlyArray<string> =>
  Chunk.toReadonlyArray(fieldsOf(state).held).map(({ id }) => id)

/**
 * The open requests of the CLI by id, oldest first.
 *
 * @example
 * ```ts
 * import * as SessionMachine from "@claude-duplex/protocol/SessionMachine"
 *
 * const isOpen = (state: SessionMachine.State, id: string) => SessionMachine.openCliRequests(state).has(id)
 * ```
 */
export const openCliRequests = (state: State): ReadonlyMap<string, CliRequest> => fieldsOf(state).cliRequests

/**
 * The open requests of the host by id, oldest first.
 *
 * @example
 * ```ts
 * import * as SessionMachine from "@claude-duplex/protocol/SessionMachine"
 *
 * SessionMachine.openHostRequests(SessionMachine.make()).size // 0
 * ```
 */
export const openHostRequests = (state: State): ReadonlyMap<string, HostRequest> => fieldsOf(state).hostRequests

/**
 * How many ids of ended requests, messages and results the state retains: at most three times {@link remembered}. For tests
 * of bounded memory.
 *
 * @example
 * ```ts
 * import * as SessionMachine from "@claude-duplex/protocol/SessionMachine"
 *
 * SessionMachine.retainedIds(SessionMachine.make()) // 0
 * ```
 */
export const retainedIds = (state: State): number => {
  const { endedMessages, results, settled } = fieldsOf(state)
  return endedMessages.length + results.length + settled.length
}

/**
 * Returns why the CLI could not read this response to one of its requests, and `undefined` if it can or if the request is
 * not open. The check that `Answer` makes, without a step: for a host that reports the error to its caller and leaves the
 * request open.
 *
 * @example
 * ```ts
 * import * as SessionMachine from "@claude-duplex/protocol/SessionMachine"
 *
 * const allow = (state: SessionMachine.State, id: string) =>
 *   SessionMachine.checkResponse(state, id, { behavior: "allow" }) // EncodeError: updatedInput is missing
 * ```
 */
export const checkResponse = (state: State, id: string, response: JsonObject): EncodeError | undefined => {
  const request = fieldsOf(state).cliRequests.get(id)
  if (request === undefined) return undefined
  return mismatch(request, response) ??
    Option.getOrUndefined(Either.getLeft(Codec.host.encode(successResponse(id, response))))
}

/** Why a response does not fit its request; the schema of the frame accepts any object. */
const mismatch = (request: CliRequest, response: JsonObject): EncodeError | undefined => {
  const valid = validateResponse(request.subtype, response)
  return Either.isLeft(valid)
    ? new EncodeError({ reason: "InvalidFrame", detail: describe(valid.left) })
    : undefined
}

const successResponse = (id: string, response: JsonObject): ControlResponseFrame => ({
  type: "control_response",
  response: { subtype: "success", request_id: id, response }
})

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
 * const isCertain = (state: SessionMachine.State) =>
 *   SessionMachine.turn(state) !== undefined && !SessionMachine.mayBeReassigned(state)
 * console.log(isCertain(SessionMachine.make())) // false: no turn runs
 * ```
 */
export const mayBeReassigned = (state: State, mayStartTurn = false): boolean => {
  const fields = fieldsOf(state)
  const { messages, observedFeatures, turn } = fields
  return turn !== undefined && turn.evidence === "Order" && turn.messages.length > 0 &&
    (messages.length > turn.messages.length || expectsEcho(fields) || observedFeatures.lifecycle || mayStartTurn)
}

/**
 * Whether a message is echoed before its result. Newer CLIs give better evidence, so a fake of one need not echo although it was
 * started with `--replay-user-messages`.
 */
const expectsEcho = ({ observedFeatures: { echo }, version }: SessionState): boolean =>
  echo === "Seen" || (echo === "Expected" && !reportsLifecycle(version))

/**
 * Takes one step. Pure: the same state and input always return the same.
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
  const before = fieldsOf(state)
  const transition = new Transition(before)
  if (before.exit !== undefined) transition.afterEnd(before.exit, input)
  else {
    switch (input._tag) {
      case "Receive":
        transition.receive(input)
        break
      case "Send":
        transition.send(input)
        break
      case "CancelHeld":
        transition.cancelHeld(input.id)
        break
      case "Request":
        transition.request(input.id, input.request)
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
      case "Launched":
        transition.launched(input)
        break
      case "End":
        transition.end(input.exit)
        break
    }
  }
  return [hide(transition.state), transition.actions]
}

/**
 * Returns the one action of a frame that does not change the state, and `undefined` for every other frame. Nearly all frames
 * are deltas of a message in a running turn: a host that reads many avoids a step for each.
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
  const { exit, turn } = fieldsOf(state)
  if (!isKnown(item) || item.type !== "stream_event" || exit !== undefined) return undefined
  return isOfSubagent(item) || (turn !== undefined && !turn.initOnly && namesNobody(item))
    ? received(item, turn?.index)
    : undefined
}

/**
 * Copied from a template, to defeat V8 pretenuring. When the objects of one literal survive a collection, as a whole chunk of
 * frames does, V8 allocates all later ones in the old generation, where each keeps its frame alive long after it was read.
 * Copies have no allocation site.
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

/** For errors with an exit: validation would copy the exit, and all errors share one. */
const sameExit = { disableValidation: true }

/** Whether the CLI is at work: a message waits for its result, or a turn that the CLI started runs. */
/** Whether a message is held that starts a turn. */
const holdsPrompt = ({ held }: SessionState): boolean => Chunk.some(held, ({ frame }) => frame.shouldQuery !== false)

const isWorking = ({ messages, turn }: SessionState): boolean => messages.length > 0 || turn?.blocksUntil !== undefined

/** How strong evidence is. */
const ranks: Record<Evidence, number> = { Silence: 0, Order: 0, Echo: 1, Lifecycle: 2, Uuids: 3, Origin: 3 }

/** The messages that a turn belongs to, and the evidence. */
interface Owners {
  readonly messages: ReadonlyArray<string>
  readonly evidence: Evidence
}

/** One step: replaces the state piece by piece and collects actions. It lives no longer than `step`. */
class Transition {
  state: SessionState
  #isCopy = false
  actions: Array<SessionAction> = []

  constructor(state: SessionState) {
    this.state = state
  }

  #update(change: Partial<SessionState>): void {
    // One copy for each step, however many updates: nothing outside has seen the copy yet.
    if (this.#isCopy) Object.assign(this.state, change)
    else {
      this.state = { ...this.state, ...change }
      this.#isCopy = true
    }
  }

  #emit(action: SessionAction): void {
    // Most steps have one action, and `push` on an empty array allocates room for many.
    if (this.actions.length === 0) this.actions = [action]
    else this.actions.push(action)
  }

  /** Writes a frame, or returns why it cannot be written. */
  #write(frame: HostFrame): EncodeError | undefined {
    const encoded = Codec.host.encode(frame)
    if (Either.isLeft(encoded)) return encoded.left
    this.#emit({ _tag: "Write", frame, line: encoded.right })
    return undefined
  }

  // ---- host commands ----

  send({ frame, id, whenBusy }: Send): void {
    const { held, isConnected } = this.state
    const isBusy = isWorking(this.state) || holdsPrompt(this.state)
    const isUrgent = whenBusy === "steer" || frame.shouldQuery === false
    const message: HeldMessage = { id, frame, isUrgent }
    if (isConnected && (!isBusy || isUrgent)) this.#writeMessage(message)
    else if (!isBusy || isUrgent || whenBusy === "queue") {
      this.#update({ held: Chunk.append(held, message) })
      this.#emit({ _tag: "MessageMoved", message: id, to: "Held" })
    } else this.#emit({ _tag: "MessageFailed", message: id, error: new SessionBusy() })
  }

  cancelHeld(id: string): void {
    const held = Chunk.filter(this.state.held, (message) => message.id !== id)
    if (held.length === this.state.held.length) return
    this.#update({ held })
    this.#emit({ _tag: "MessageEnded", message: id, reason: "Cancelled" })
  }

  request(id: string, request: HostRequest): void {
    if (this.#neverAnswers(request)) {
      this.#unsupported(id, request)
      return
    }
    const frame: HostFrame = { type: "control_request", request_id: id, request }
    const encoded = Codec.host.encode(frame)
    if (Either.isLeft(encoded)) {
      this.#emit({ _tag: "RequestFailed", id, error: encoded.left })
      return
    }
    const write: Write = { _tag: "Write", frame, line: encoded.right }
    this.#update({ hostRequests: new Map(this.state.hostRequests).set(id, request) })
    // `initialize` is the first line of every process, so it does not wait for the others.
    if (this.state.isConnected || request.subtype === "initialize") this.#emit(write)
    else this.#update({ unwritten: [...this.state.unwritten, write] })
  }

  /** The CLI is known, and it answers such a request neither with a response nor with an error. */
  #neverAnswers({ subtype }: HostRequest): boolean {
    const { sessionId, version } = this.state
    return (sessionId !== undefined || version !== undefined) && !answers(version, subtype)
  }

  #unsupported(id: string, { subtype }: HostRequest): void {
    const detail = `CLI ${this.state.version ?? "1.0"} does not have this request, and would not answer it`
    this.#emit({ _tag: "RequestFailed", id, error: new ControlError({ reason: "Unsupported", subtype, detail }) })
  }

  launched({ replayUserMessages, version }: Launched): void {
    const { observedFeatures } = this.state
    if (replayUserMessages === true && observedFeatures.echo === "Unknown") {
      this.#update({ observedFeatures: { ...observedFeatures, echo: "Expected" } })
    }
    if (version !== undefined && (this.state.version === undefined || this.state.isVersionInherited)) {
      this.#update({ version, isVersionInherited: false })
      for (const [id, request] of this.state.hostRequests) {
        if (!this.#neverAnswers(request)) continue
        this.#takeHostRequest(id)
        this.#unsupported(id, request)
      }
    }
    if (!this.state.isConnected) {
      for (const write of this.state.unwritten) this.#emit(write)
      this.#update({ isConnected: true, unwritten: [] })
      this.#release()
    }
  }

  abandon(id: string, reason: "Timeout" | "Cancelled"): void {
    const isWritten = !this.state.unwritten.some((write) => isRequest(write, id))
    const request = this.#takeHostRequest(id)
    if (request === undefined) return
    if (isWritten && takesCancel(this.state.version)) this.#write({ type: "control_cancel_request", request_id: id })
    this.#emit({ _tag: "RequestFailed", id, error: new ControlError({ reason, subtype: request.subtype }) })
  }

  answer(id: string, response: JsonObject): void {
    const request = this.state.cliRequests.get(id)
    const error = request === undefined ? undefined : mismatch(request, response)
    if (error === undefined) this.#reply(id, successResponse(id, response))
    else this.#emit({ _tag: "AnswerInvalid", id, error })
  }

  refuse(id: string, error: string): void {
    this.#reply(id, { type: "control_response", response: { subtype: "error", request_id: id, error } })
  }

  #reply(id: string, frame: ControlResponseFrame): void {
    if (!this.state.cliRequests.has(id)) {
      this.#emit({ _tag: "NotPending", id })
      return
    }
    const error = this.#write(frame)
    if (error === undefined) this.#settle(id)
    else this.#emit({ _tag: "AnswerInvalid", id, error })
  }

  tick(now: number): void {
    const { turn } = this.state
    if (turn?.blocksUntil !== undefined && turn.blocksUntil <= now) {
      // Not dropped: its frames may still come, after a slow call of the API.
      this.#update({ turn: { ...turn, blocksUntil: undefined } })
    }
    // An unsolicited turn of which only `init` has come is no evidence of work.
    const isUnsolicitedInit = turn?.initOnly === true && turn.messages.length === 0
    if (turn !== undefined && !isUnsolicitedInit) {
      if (!this.#isDone(turn, now)) {
        this.#release()
        // Messages are looked at again when the turn ends; until then, their times may be long over.
        if (this.state.messages.length === 0) this.#scheduleWakeUp()
        return
      }
      this.#drop()
    }
    for (const message of this.state.messages) {
      if (message.settleAt !== undefined && message.settleAt <= now) this.#settleWithoutResult(message)
    }
    this.#release()
    this.#scheduleWakeUp()
  }

  /** The CLI completed all messages of the turn some time ago without a result, so none will come. */
  #isDone({ messages }: Turn, now: number): boolean {
    const mine = this.state.messages.filter(({ id }) => messages.includes(id))
    return mine.length > 0 &&
      mine.every(({ completed, settleAt }) => completed && settleAt !== undefined && settleAt <= now)
  }

  end(ended: TransportExit.TransportExit): void {
    const { hostRequests, cliRequests, held, lastResult, messages, turn, unwritten } = this.state
    // A clean exit comes after all queued work, so a message with a settle time was processed.
    const isDone = ({ id, settleAt }: Message) =>
      TransportExit.isSuccess(ended) && settleAt !== undefined && turn?.messages.includes(id) !== true
    const exit: SessionExit = {
      ...ended,
      ...(lastResult === undefined ? {} : { lastResult }),
      pending: {
        messages: ids(messages.filter((message) => !isDone(message))),
        held: Chunk.toReadonlyArray(held).map(({ id }) => id),
        asked: openRequests(hostRequests).filter(({ id }) => !unwritten.some((write) => isRequest(write, id))),
        asking: openRequests(cliRequests)
      }
    }
    for (const [id, { subtype }] of hostRequests) {
      this.#emit({ _tag: "RequestFailed", id, error: new ControlError({ reason: "Closed", subtype, exit }, sameExit) })
    }
    for (const id of cliRequests.keys()) this.#emit({ _tag: "Withdraw", id })
    const error = new SessionClosed({ exit }, sameExit)
    for (const message of messages) {
      if (isDone(message)) this.#settleWithoutResult(message)
      else this.#emit({ _tag: "MessageFailed", message: message.id, error })
    }
    const unsent = new SessionClosed({ exit, unsent: true }, sameExit)
    for (const { id } of held) this.#emit({ _tag: "MessageFailed", message: id, error: unsent })
    this.#drop()
    this.#update({
      exit,
      hostRequests: new Map(),
      cliRequests: new Map(),
      unwritten: [],
      messages: [],
      held: Chunk.empty()
    })
    this.#emit({ _tag: "Ended", exit })
  }

  afterEnd(exit: SessionExit, input: SessionInput): void {
    switch (input._tag) {
      case "Send":
        this.#emit({
          _tag: "MessageFailed",
          message: input.id,
          error: new SessionClosed({ exit, unsent: true }, sameExit)
        })
        break
      case "Request":
        this.#emit({
          _tag: "RequestFailed",
          id: input.id,
          error: new ControlError({ reason: "Closed", subtype: input.request.subtype, exit }, sameExit)
        })
        break
      case "Answer":
      case "Refuse":
        this.#emit({ _tag: "NotPending", id: input.id })
        break
    }
  }

  // ---- the CLI's frames ----

  receive({ item, now }: Receive): void {
    const route = routeOf(item)
    switch (route._tag) {
      case "TurnFrame":
      case "Init":
        this.#turnFrame(route, now)
        break
      case "Result":
        // The codec returned it as a result, known or unknown; the route has the fields that could be read.
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
        this.#cliRequest(route)
        return
      case "Cancel":
        this.#received(item)
        if (this.#settle(route.id)) this.#emit({ _tag: "Withdraw", id: route.id })
        return
    }
    this.#received(item)
  }

  #received(item: Codec.Item): void {
    this.#emit(received(item, this.state.turn?.index))
  }

  #answered({ id, outcome, pending }: Answer): void {
    const request = this.#takeHostRequest(id)
    if (request !== undefined) {
      if (outcome._tag === "Success") {
        const version = versionIn(request, outcome.response)
        if (version !== undefined) this.#update({ version, isVersionInherited: false })
        if (request.subtype === "initialize") this.#update({ isInitialized: true })
        this.#emit({ _tag: "Answered", id, response: outcome.response })
        for (const uuid of cancelledBy(request, outcome.response)) this.#cancelled(uuid)
      } else {
        const { error: detail } = outcome
        const code = refusalCode(outcome.code, detail)
        this.#emit({
          _tag: "RequestFailed",
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
      if (route._tag === "Request") this.#cliRequest(route)
    }
  }

  #cliRequest({ id, request, subtype }: CliRequestRoute): void {
    if (this.state.cliRequests.has(id) || this.state.settled.includes(id)) return
    if (request !== undefined) {
      this.#update({ cliRequests: new Map(this.state.cliRequests).set(id, request) })
      this.#emit({ _tag: "Handle", id, request })
      return
    }
    this.#update({ settled: remember(this.state.settled, id) })
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
    if (!this.state.observedFeatures.lifecycle) {
      this.#update({ observedFeatures: { ...this.state.observedFeatures, lifecycle: true } })
    }
    const message = this.#waitingFor(uuid)
    if (message === undefined) return
    switch (phase) {
      case "queued":
        this.#updateMessage(message.id, { phase: "Queued", settleAt: undefined })
        this.#emit({ _tag: "MessageMoved", message: message.id, to: "Queued" })
        break
      case "started":
        this.#updateMessage(message.id, { phase: "Started", settleAt: undefined })
        this.#emit({ _tag: "MessageMoved", message: message.id, to: "Started" })
        this.#reassign(this.#owners(undefined))
        break
      case "completed":
        // On every recorded CLI the result comes before this. If it did not, wait a moment before giving up.
        this.#updateMessage(message.id, { completed: true, settleAt: now + this.state.settleMillis })
        this.#scheduleWakeUp()
        break
      case "cancelled":
        this.#cancelled(uuid)
        break
    }
  }

  #turnFrame(route: TurnFrame | Init, now: number): void {
    const { uuids } = route
    let evident = uuids !== undefined
    if (route._tag === "Init") {
      if (route.sessionId !== this.state.sessionId || route.version !== this.state.version) {
        this.#update({
          sessionId: route.sessionId ?? this.state.sessionId,
          version: route.version ?? this.state.version,
          isVersionInherited: route.version === undefined && this.state.isVersionInherited
        })
      }
    } else if (route.echo !== undefined) {
      const echo = this.#echo(route.echo, route.isReplay)
      // A message with `shouldQuery: false` is echoed too, and starts no turn.
      if (echo === "Foreign") return
      evident ||= echo === "Evidence"
    }
    const { turn } = this.state
    const initOnly = route._tag === "Init"
    // Every turn begins with an `init`, so an unsolicited turn is over when the next one begins, with or without a result.
    if (turn === undefined || (initOnly && turn.messages.length === 0)) {
      this.#drop()
      this.#start(this.#owners(uuids), initOnly, initOnly ? this.#blocksUntil(turn, now) : undefined)
      this.#release()
      // A message may have reached its settle time while the dropped turn ran.
      this.#scheduleWakeUp()
      return
    }
    if (turn.initOnly && !initOnly) {
      this.#update({ turn: { ...turn, initOnly, blocksUntil: Infinity } })
      // The `init` may have come before the message of its turn.
      evident ||= turn.messages.length === 0
    }
    if (evident) this.#reassign(this.#owners(uuids))
  }

  /**
   * How long a turn blocks of which only `init` has come. Bounded, because a turn may never come of it. In all recordings an `init` comes either after a message or right before the
   * frames of an unsolicited turn; at the start of a process it may come by itself, so it does not block the first message.
   */
  #blocksUntil(dropped: RunningTurn | undefined, now: number): number | undefined {
    if (!this.state.promptWritten) return undefined
    // One `init` after another does not block for longer than the first one.
    return dropped?.initOnly === true && dropped.blocksUntil !== undefined
      ? dropped.blocksUntil
      : now + this.state.settleMillis
  }

  /** What a `user` frame with this uuid is: evidence for the turn, the echo of a message without a turn, or neither. */
  #echo(uuid: string, isReplay: boolean): "Evidence" | "Foreign" | "Nothing" {
    const message = this.#waitingFor(uuid)
    const hasEnded = message === undefined && this.state.endedMessages.includes(uuid)
    if (message === undefined && !hasEnded && !isReplay) return "Nothing"
    if (this.state.observedFeatures.echo !== "Seen") {
      this.#update({ observedFeatures: { ...this.state.observedFeatures, echo: "Seen" } })
    }
    if (message !== undefined) this.#updateMessage(message.id, { echoed: true })
    else if (!hasEnded) return "Foreign"
    // The message was ended too early, by the result of another turn; this turn is its own.
    else this.#update({ echoedEnded: true })
    return "Evidence"
  }

  #result(route: Result, frame: ResultFrame | Unknown, now: number): void {
    if (route.uuid !== undefined && this.state.results.includes(route.uuid)) {
      this.#received(frame)
      return
    }
    const owners = this.#ownersOfResult(route)
    const { evidence, messages } = owners
    // A turn of which only the result comes ends at once.
    const turn = this.state.turn ?? this.#start(owners, false, undefined)
    this.#reassign(owners, true)
    this.#received(frame)

    const totals: Cost.Cost = { ...this.state.totals, ...route.totals }
    const cost = route.share === undefined ? Cost.difference(this.state.totals, totals) : Cost.ofUsage(route.share)
    const ended = new Set(messages)
    const over = this.state.messages.flatMap(({ id, uuid }) => ended.has(id) && uuid !== undefined ? [uuid] : [])
    // The result itself rules out every message that still waits.
    const isCertain = evidence === "Origin" || (evidence === "Uuids" && this.state.messages.every(hasUuid))
    const mayBeTheirs = !isCertain && (messages.length === 0 || mergesQueued(this.state.version))
    this.#update({
      totals,
      lastResult: route.summary,
      turn: undefined,
      echoedEnded: false,
      results: route.uuid === undefined ? this.state.results : remember(this.state.results, route.uuid),
      endedMessages: over.reduce(remember, this.state.endedMessages),
      messages: this.state.messages.filter(({ id }) => !ended.has(id)).map((message) => {
        const candidate = mayBeTheirs && message.phase === "Written"
          ? { turn: turn.index, result: frame }
          : message.candidate
        return {
          ...message,
          echoed: false,
          queuedBehind: true,
          candidate,
          settleAt: message.completed || (candidate !== undefined && message.phase === "Written")
            ? now + this.state.settleMillis
            : undefined
        }
      })
    })
    this.#emit({ _tag: "TurnEnded", turn: turn.index, messages, result: frame, evidence, cost })
    this.#release()
    this.#scheduleWakeUp()
  }

  // ---- the ledger ----

  #writeMessage({ frame, id }: HeldMessage): void {
    const error = this.#write(frame)
    if (error !== undefined) {
      this.#emit({ _tag: "MessageFailed", message: id, error })
      return
    }
    this.#emit({ _tag: "MessageMoved", message: id, to: "Written" })
    if (frame.shouldQuery === false) {
      this.#emit({ _tag: "MessageEnded", message: id, reason: "NoTurn" })
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
      queuedBehind: false,
      candidate: undefined,
      settleAt: undefined
    }
    this.#update({ messages: [...this.state.messages, message], promptWritten: true })
  }

  /** Writes the next held message once the CLI is not at work. */
  #release(): void {
    while (this.state.isConnected && Chunk.isNonEmpty(this.state.held)) {
      const next = Chunk.headNonEmpty(this.state.held)
      if (isWorking(this.state) && !next.isUrgent) return
      this.#update({ held: Chunk.drop(this.state.held, 1) })
      this.#writeMessage(next)
    }
  }

  #start({ evidence, messages }: Owners, initOnly: boolean, blocksUntil: number | undefined): RunningTurn {
    const index = this.state.turns
    const turn: RunningTurn = { index, messages, evidence, initOnly, blocksUntil }
    this.#update({ turn, turns: index + 1 })
    this.#emit({ _tag: "TurnStarted", turn: index, messages, evidence })
    return turn
  }

  /** Gives up the running turn: no result will come. */
  #drop(): void {
    const { turn } = this.state
    if (turn === undefined) return
    this.#update({ turn: undefined })
    this.#emit({ _tag: "TurnDropped", turn: turn.index })
  }

  #reassign({ evidence, messages }: Owners, isFinal = false): void {
    const { turn } = this.state
    if (turn === undefined) return
    if (sameIds(messages, turn.messages)) {
      // The guess by weaker evidence was right.
      if (ranks[evidence] > ranks[turn.evidence]) this.#update({ turn: { ...turn, evidence } })
      return
    }
    // The result decides. Before it, evidence by order replaces evidence by order only for an unsolicited turn.
    const isBetter = ranks[evidence] > ranks[turn.evidence] ||
      (ranks[evidence] === ranks[turn.evidence] && (evidence !== "Order" || turn.messages.length === 0))
    if (!isFinal && !isBetter) return
    this.#update({ turn: { ...turn, messages, evidence } })
    this.#emit({ _tag: "TurnReassigned", turn: turn.index, messages, evidence })
  }

  /** The owners of the running turn, by the evidence so far. */
  #owners(uuids: ReadonlyArray<string> | undefined): Owners {
    const { echoedEnded, messages, observedFeatures, version } = this.state
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
    // Lifecycles are reported for messages with a uuid only; for the others there is only the order.
    const guessed = observedFeatures.lifecycle ? messages.filter((message) => !hasUuid(message)) : messages
    if (guessed.length === 0 && messages.length > 0) return { messages: [], evidence: "Lifecycle" }
    const merged = mergesQueued(version) ? guessed.filter(({ queuedBehind }) => queuedBehind) : []
    return { messages: ids(merged.length > 0 ? merged : guessed.slice(0, 1)), evidence: "Order" }
  }

  #ownersOfResult({ origin, success, uuids }: Result): Owners {
    const { messages, turn } = this.state
    const known = turn === undefined ? undefined : this.#stillWaiting(turn)
    const isOurs = known !== undefined && ranks[known.evidence] >= ranks.Lifecycle && known.messages.length > 0
    if (uuids === undefined && !isOurs && origin !== undefined && origin !== "human") {
      if (!messages.some((message) => message.origin === origin)) return { messages: [], evidence: "Origin" }
    }
    const owners = this.#owners(uuids)
    if (known !== undefined && ranks[known.evidence] > ranks[owners.evidence]) return known
    if (owners.evidence !== "Order") return owners
    // A message that was written during a turn does not own that turn.
    const guess = known ?? owners
    const mustBeEchoed = expectsEcho(this.state) && guess.messages.length > 0 &&
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

  #updateMessage(id: string, change: Partial<Message>): void {
    this.#update({
      messages: this.state.messages.map((message) => message.id === id ? { ...message, ...change } : message)
    })
  }

  #remove({ id, uuid }: Message): void {
    this.#update({
      messages: this.state.messages.filter((message) => message.id !== id),
      endedMessages: uuid === undefined ? this.state.endedMessages : remember(this.state.endedMessages, uuid)
    })
  }

  #cancelled(uuid: string): void {
    const message = this.#waitingFor(uuid)
    if (message === undefined) return
    this.#remove(message)
    this.#emit({ _tag: "MessageEnded", message: message.id, reason: "Cancelled" })
    this.#release()
    this.#scheduleWakeUp()
  }

  #settleWithoutResult(message: Message): void {
    const { id, candidate } = message
    this.#remove(message)
    if (candidate === undefined) {
      this.#emit({ _tag: "MessageEnded", message: id, reason: "NoTurn" })
      return
    }
    // The CLI processed the message without an echo: it was started with the option, and does not echo.
    if (this.state.observedFeatures.echo === "Expected") {
      this.#update({ observedFeatures: { ...this.state.observedFeatures, echo: "Unknown" } })
    }
    this.#emit({ _tag: "TurnEnded", ...candidate, messages: [id], evidence: "Silence", cost: Cost.zero })
  }

  #scheduleWakeUp(): void {
    const { messages, turn } = this.state
    // While a message waits for its result, it does not matter whether the turn blocks.
    let at = messages.length === 0 ? turn?.blocksUntil ?? Infinity : Infinity
    for (const { settleAt } of messages) if (settleAt !== undefined && settleAt < at) at = settleAt
    if (at < Infinity) this.#emit({ _tag: "WakeAt", at })
  }

  // ---- control requests ----

  #takeHostRequest(id: string): HostRequest | undefined {
    const request = this.state.hostRequests.get(id)
    if (request !== undefined) {
      const unwritten = this.state.unwritten.filter((write) => !isRequest(write, id))
      this.#update({ hostRequests: without(this.state.hostRequests, id), unwritten })
    }
    return request
  }

  /** Ends a request of the CLI, and returns whether it was open. */
  #settle(id: string): boolean {
    if (!this.state.cliRequests.has(id)) return false
    this.#update({ cliRequests: without(this.state.cliRequests, id), settled: remember(this.state.settled, id) })
    return true
  }
}

/** Newer CLIs report their version before the first turn. */
const versionIn = (request: HostRequest, response: unknown): string | undefined =>
  request.subtype === "initialize" && typeof response === "object" && response !== null &&
    "claude_code_version" in response && typeof response.claude_code_version === "string"
    ? response.claude_code_version
    : undefined

/** The messages that a successful request removed from the CLI's queue. */
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

/** Whether this line is the request with this id. */
const isRequest = ({ frame }: Write, id: string): boolean => frame.type === "control_request" && frame.request_id === id

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
