/**
 * One connection to a CLI, without I/O and without a runtime: bytes in, events and lines out. Joins the codec and the session
 * machine for a host of its own in any JavaScript runtime, and does what every such host would otherwise have to know: each
 * request of the CLI gets a response, requests of the host time out, and time is one deadline.
 *
 * Owns the decoder, the state of the machine, the timeouts of requests, and what waits to be read by the host. The rules of
 * the conversation are `SessionMachine`'s, and I/O, the clock and the handlers are the host's.
 *
 * | the host                           | calls                                                                       |
 * | ---------------------------------- | --------------------------------------------------------------------------- |
 * | reads bytes from the CLI           | `receive`; at the end of the output `endOutput`; when the CLI ended `end`   |
 * | wants something                    | `send`, `request`, `respond`, `refuse`, `withdraw`, `cancelRequest`         |
 * | reaches the time of `deadline()`   | `expire`                                                                    |
 * | has called any of these            | `nextEvent` until it is `undefined`, then `transmit` until it is `undefined`, then `deadline` |
 *
 * Bytes, the end and time take effect in `nextEvent`, one received frame at a time: while the host handles an event, the getters
 * show the state after the frame of that event, however many more frames the bytes contained. Commands of the host take
 * effect at once.
 *
 * Every method whose effect depends on time takes `now`: milliseconds of a monotonic clock, such as `performance.now()`. Only
 * differences matter.
 *
 * Memory is bounded by what is open: messages, requests, and what the host has not read yet. Nothing grows with the
 * conversation.
 *
 * @since 0.1.0
 * @stability experimental
 */
import * as Duration from "effect/Duration"
import * as Codec from "./Codec.js"
import type { Cost } from "./Cost.js"
import { EncodeError } from "./EncodeError.js"
import type { CliFrame, Unknown } from "./Frame.js"
import { Fifo } from "./internal/fifo.js"
import type * as LineDecoder from "./LineDecoder.js"
import type { CliRequest } from "./schema/CliRequest.js"
import type { HostRequest } from "./schema/HostRequest.js"
import type { JsonObject } from "./schema/Json.js"
import type { HostUserFrame } from "./schema/UserFrame.js"
import type { AnswerInvalid, NotPending, SessionAction, WakeAt, Write } from "./SessionAction.js"
import type { ResultSummary, SessionExit } from "./SessionExit.js"
import type { Launched, SessionInput, WhenBusy } from "./SessionInput.js"
import * as SessionMachine from "./SessionMachine.js"
import type { TransportExit } from "./TransportExit.js"

/** Options for a connection. */
export interface Options extends SessionMachine.Options, LineDecoder.Options {
  /** How long a request may take if it has no timeout of its own. Default: 1 minute. */
  readonly requestTimeout?: Duration.DurationInput | undefined
  /** Makes the id of a message, which becomes its `uuid`. Default: `crypto.randomUUID()`. */
  readonly makeMessageId?: (() => string) | undefined
  /** Makes the id of a request. Default: `req_1`, `req_2`, …, continued over restarts. */
  readonly makeRequestId?: (() => string) | undefined
}

/** Options for sending a message: the other fields of a user frame, and these. */
export interface SendOptions extends Omit<HostUserFrame, "type" | "message" | "uuid"> {
  /** The `uuid` of the message, by which events and results name it. Default: a new one. */
  readonly id?: string | undefined
  /** What happens while the session is busy. Default: `reject`. */
  readonly whenBusy?: WhenBusy | undefined
}

/** Options for sending a frame that the caller made. */
export interface SendFrameOptions {
  /** The name of the message in events. Default: the `uuid` of the frame, else a new one. */
  readonly id?: string | undefined
  /** What happens while the session is busy. Default: `reject`. */
  readonly whenBusy?: WhenBusy | undefined
}

/** Options for a request. */
export interface RequestOptions {
  /** The `request_id`. Default: a new one. */
  readonly id?: string | undefined
  /** How long the response may take. Default: `requestTimeout` of the connection. */
  readonly timeout?: Duration.DurationInput | undefined
}

/**
 * The host's response does not fit the request. The CLI got an error response in its place, so that it does not wait forever.
 * {@link Connection.checkResponse} tells beforehand.
 */
export interface ResponseInvalid {
  readonly _tag: "ResponseInvalid"
  readonly id: string
  readonly error: EncodeError
}

/** The host answered a request that is not open: answered before, withdrawn, or never made. Nothing was written. */
export interface ResponseIgnored {
  readonly _tag: "ResponseIgnored"
  readonly id: string
}

/** What happened, in order. */
export type Event =
  | Exclude<SessionAction, Write | WakeAt | AnswerInvalid | NotPending>
  | ResponseInvalid
  | ResponseIgnored

/** What takes effect in `nextEvent`. */
type Input =
  | { readonly _tag: "Items"; readonly items: ReadonlyArray<Codec.Item>; readonly now: number }
  | { readonly _tag: "Expire"; readonly now: number }
  | { readonly _tag: "End"; readonly exit: TransportExit }

/**
 * A connection to a CLI. Mutable, synchronous, and never waits.
 *
 * @example
 * ```ts
 * import * as Connection from "@claude-duplex/protocol/Connection"
 *
 * const run = (write: (line: string) => void) => {
 *   const connection = Connection.make()
 *   const advance = () => {
 *     for (let event = connection.nextEvent(); event !== undefined; event = connection.nextEvent()) {
 *       if (event._tag === "Handle") connection.refuse(event.id, "This host answers no requests.")
 *       if (event._tag === "TurnEnded") console.log(event.result)
 *     }
 *     for (let line = connection.transmit(); line !== undefined; line = connection.transmit()) write(line)
 *   }
 *   connection.send("What is in this folder?")
 *   advance()
 *   return (bytes: Uint8Array) => {
 *     connection.receive(bytes, performance.now())
 *     advance()
 *   }
 * }
 * ```
 */
export class Connection {
  readonly #options: Options
  readonly #requestTimeout: number
  #decoder: Codec.Decoder<CliFrame | Unknown>
  #state: SessionMachine.State
  readonly #inputs = new Fifo<Input>()
  /** The first of the items of the first input that has not been taken. */
  #nextItem = 0
  readonly #events = new Fifo<Event>()
  readonly #writes = new Fifo<Write>()
  /** Messages that have not ended: an event about an id must be about one of them. */
  readonly #openMessages = new Set<string>()
  /** When open requests time out. */
  readonly #timeouts = new Map<string, number>()
  /** When the machine wants a `Tick`. */
  #wakeAt = Infinity
  #lastNow = 0
  #requestCount = 0

  constructor(options: Options = {}) {
    this.#options = options
    this.#requestTimeout = Duration.toMillis(options.requestTimeout ?? "1 minute")
    this.#decoder = Codec.cli.makeDecoder(options)
    this.#state = SessionMachine.make(options)
  }

  // ---- getters ----

  /** The state of the machine, for the selectors of `SessionMachine`. Another value after every change. */
  get state(): SessionMachine.State {
    return this.#state
  }

  /** What the session does. */
  get status(): SessionMachine.Status {
    return SessionMachine.status(this.#state)
  }

  /** How the session ended, if it has. */
  get exit(): SessionExit | undefined {
    return SessionMachine.exit(this.#state)
  }

  /** The CLI's id of the conversation, once it reported one. */
  get sessionId(): string | undefined {
    return SessionMachine.sessionId(this.#state)
  }

  /** The version of the CLI, once it reported one. */
  get version(): string | undefined {
    return SessionMachine.version(this.#state)
  }

  /** The running turn, if there is one. */
  get turn(): SessionMachine.Turn | undefined {
    return SessionMachine.turn(this.#state)
  }

  /** Whether a message that is sent now has to wait, and is rejected by default. */
  get isBusy(): boolean {
    return SessionMachine.isBusy(this.#state)
  }

  /** The ids of the messages that were written and wait for a result, oldest first. */
  get pendingMessages(): ReadonlyArray<string> {
    return SessionMachine.pendingMessages(this.#state)
  }

  /** The ids of the messages that are held here, in the order in which they will be written. */
  get heldMessages(): ReadonlyArray<string> {
    return SessionMachine.heldMessages(this.#state)
  }

  /** The open requests of the CLI by id, oldest first. */
  get openCliRequests(): ReadonlyMap<string, CliRequest> {
    return SessionMachine.openCliRequests(this.#state)
  }

  /** The open requests of the host by id, oldest first. */
  get openHostRequests(): ReadonlyMap<string, HostRequest> {
    return SessionMachine.openHostRequests(this.#state)
  }

  /** The cost of the conversation so far, as the CLI reports it. */
  get totals(): Cost {
    return SessionMachine.totals(this.#state)
  }

  /** A summary of the last result, if there was one. */
  get lastResult(): ResultSummary | undefined {
    return SessionMachine.lastResult(this.#state)
  }

  // ---- inputs that take effect in `nextEvent` ----

  /** The CLI wrote bytes to its output, cut anywhere. They are decoded now, and the chunk is not kept. */
  receive(bytes: Uint8Array, now: number): void {
    this.#receive(this.#decoder.push(bytes), now)
  }

  /** The output of the CLI ended, and how the CLI ended is not known yet. What is left of the last line is decoded. */
  endOutput(now: number): void {
    this.#receive(this.#decoder.end(), now)
  }

  /** The CLI ended and all of its output was received. Everything that is open fails, and the last event is `Ended`. */
  end(exit: TransportExit): void {
    this.endOutput(this.#lastNow)
    this.#inputs.push({ _tag: "End", exit })
  }

  /** Time passed: call it when the time of {@link deadline} has come. Earlier calls do nothing. */
  expire(now: number): void {
    this.#lastNow = now
    this.#inputs.push({ _tag: "Expire", now })
  }

  // ---- commands of the host ----

  /**
   * Sends a message and returns its id. What becomes of it are events: `MessageMoved`, then one of `TurnEnded`, `MessageEnded`
   * and `MessageFailed`. Throws an `EncodeError` if a message with the given id has not ended.
   */
  send(prompt: HostUserFrame["message"]["content"], options: SendOptions = {}): string {
    const { id = this.#newMessageId(), whenBusy, ...fields } = options
    const frame: HostUserFrame = {
      type: "user",
      message: { role: "user", content: prompt },
      parent_tool_use_id: null,
      ...fields,
      uuid: id
    }
    return this.sendFrame(frame, { id, whenBusy })
  }

  /** How the CLI was started became known: see `SessionMachine`. What the CLI reported itself is not overridden. */
  launched(launch: Omit<Launched, "_tag">): void {
    this.#step({ _tag: "Launched", ...launch })
  }

  /** {@link send} for a frame that the caller made, and that is written as it is. Give it a `uuid`. */
  sendFrame(frame: HostUserFrame, options: SendFrameOptions = {}): string {
    const id = options.id ?? frame.uuid ?? this.#newMessageId()
    if (this.isMessageOpen(id)) throw inUse(`the message ${id}`)
    this.#openMessages.add(id)
    this.#step({ _tag: "Send", id, frame, whenBusy: options.whenBusy ?? "reject" })
    return id
  }

  /** Cancels a message that is still held: it ends as `Cancelled`. A message that was written is not touched. */
  withdraw(id: string): void {
    this.#step({ _tag: "CancelHeld", id })
  }

  /**
   * Sends a control request and returns its id. Its outcome is one event: `Answered` or `RequestFailed`. After `timeout` it fails
   * with the `ControlError` `Timeout`, and a CLI that accepts it gets a cancel request. Throws an `EncodeError` if a request
   * with the given id is open.
   *
   * An interrupt is a request too. Send it while a turn runs: CLIs ignore one that comes before their turn has begun.
   */
  request(request: HostRequest, now: number, options: RequestOptions = {}): string {
    this.#lastNow = now
    const id = options.id ?? this.#options.makeRequestId?.() ?? `req_${++this.#requestCount}`
    if (this.openHostRequests.has(id)) throw inUse(`the request ${id}`)
    const timeout = options.timeout === undefined ? this.#requestTimeout : Duration.toMillis(options.timeout)
    // Before the step: a request that fails at once has no timeout.
    if (timeout < Infinity) this.#timeouts.set(id, now + timeout)
    this.#step({ _tag: "Request", id, request })
    return id
  }

  /** Cancels a request: it fails with the `ControlError` `Cancelled`, and a CLI that accepts it gets a cancel request. */
  cancelRequest(id: string): void {
    this.#step({ _tag: "Abandon", id, reason: "Cancelled" })
  }

  /**
   * Answers a request of the CLI. A response that does not fit the request is replaced by an error response, and reported as
   * `ResponseInvalid`. A request that is not open gets no response: `ResponseIgnored`.
   */
  respond(id: string, response: JsonObject): void {
    this.#step({ _tag: "Answer", id, response })
  }

  /** Answers a request of the CLI with an error. */
  refuse(id: string, reason: string): void {
    this.#step({ _tag: "Refuse", id, error: reason })
  }

  /** Whether a message has not ended. Its id cannot be used for another one before. */
  isMessageOpen(id: string): boolean {
    return this.#openMessages.has(id)
  }

  /**
   * Returns why the CLI could not read a response, and `undefined` if it can or if the request is not open. For a host that
   * reports the error to its caller, and leaves the request open.
   */
  checkResponse(id: string, response: JsonObject): EncodeError | undefined {
    return SessionMachine.checkResponse(this.#state, id, response)
  }

  /**
   * Begins with the next CLI process of the same conversation. Session id, version, totals, last result, turn numbers and request
   * ids continue. Lines that were not transmitted are dropped: they were for the process that ended. Throws an error before
   * `nextEvent` has reached the end of that process.
   */
  restart(options?: SessionMachine.RestartOptions): void {
    if (this.exit === undefined) {
      throw new Error(
        "The connection was restarted before it ended: call `end(exit)`, then `nextEvent()` until it is undefined."
      )
    }
    this.#state = SessionMachine.restart(this.#state, options)
    this.#decoder = Codec.cli.makeDecoder(this.#options)
    this.#wakeAt = Infinity
    this.#nextItem = 0
    this.#inputs.clear()
    this.#writes.clear()
  }

  // ---- outputs ----

  /** The next event, or `undefined` if there is none before the next input. */
  nextEvent(): Event | undefined {
    for (;;) {
      const event = this.#events.shift()
      if (event !== undefined) return event
      const input = this.#inputs.head
      if (input === undefined) return undefined
      if (input._tag === "Items") {
        const item = input.items[this.#nextItem++]
        if (item !== undefined) {
          // Nearly all frames change nothing: they cost no step.
          const passing = SessionMachine.passing(this.#state, item)
          if (passing !== undefined) return passing
          this.#step({ _tag: "Receive", item, now: input.now })
          continue
        }
        this.#nextItem = 0
      }
      this.#inputs.shift()
      if (input._tag === "End") this.#step({ _tag: "End", exit: input.exit })
      if (input._tag === "Expire") this.#expire(input.now)
    }
  }

  /**
   * Whether an event is ready. If not, all events of the last frame, command or deadline were returned, and `nextEvent` takes the
   * next one.
   */
  get hasEvent(): boolean {
    return !this.#events.isEmpty
  }

  /** The next line to write to the CLI, without a newline, or `undefined` if there is none. */
  transmit(): string | undefined {
    return this.nextWrite()?.line
  }

  /** The same as {@link transmit}, with the frame: for a host that treats some of them differently. */
  nextWrite(): Write | undefined {
    return this.#writes.shift()
  }

  /** When to call {@link expire}, or `undefined` if nothing waits for time. */
  deadline(): number | undefined {
    let at = this.#wakeAt
    for (const timeout of this.#timeouts.values()) if (timeout < at) at = timeout
    return at < Infinity ? at : undefined
  }

  // ---- internals ----

  #receive(items: ReadonlyArray<Codec.Item>, now: number): void {
    this.#lastNow = now
    if (items.length > 0) this.#inputs.push({ _tag: "Items", items, now })
  }

  #expire(now: number): void {
    if (this.#wakeAt <= now) {
      this.#wakeAt = Infinity
      this.#step({ _tag: "Tick", now })
    }
    for (const [id, at] of this.#timeouts) {
      if (at <= now) this.#step({ _tag: "Abandon", id, reason: "Timeout" })
    }
  }

  #step(input: SessionInput): void {
    const [state, actions] = SessionMachine.step(this.#state, input)
    this.#state = state
    for (const action of actions) this.#take(action)
  }

  #take(action: SessionAction): void {
    switch (action._tag) {
      case "Write":
        this.#writes.push(action)
        return
      case "WakeAt":
        this.#wakeAt = action.at
        return
      case "AnswerInvalid": {
        const { error, id } = action
        this.#events.push({ _tag: "ResponseInvalid", id, error })
        // The CLI waits forever for a response that never comes.
        this.refuse(id, `The host's answer could not be sent: ${error.detail}`)
        return
      }
      case "NotPending":
        this.#events.push({ _tag: "ResponseIgnored", id: action.id })
        return
      case "Answered":
      case "RequestFailed":
        this.#timeouts.delete(action.id)
        break
      case "TurnEnded":
        for (const id of action.messages) this.#openMessages.delete(id)
        break
      case "MessageEnded":
      case "MessageFailed":
        this.#openMessages.delete(action.message)
        break
    }
    this.#events.push(action)
  }

  #newMessageId(): string {
    return this.#options.makeMessageId?.() ?? crypto.randomUUID()
  }
}

/** An id names one thing at a time, or an event could be about either. */
const inUse = (what: string) =>
  new EncodeError({ reason: "InvalidFrame", detail: `${what} has not ended; use another id` })

/**
 * Makes a connection.
 *
 * @example
 * ```ts
 * import * as Connection from "@claude-duplex/protocol/Connection"
 *
 * const connection = Connection.make({ requestTimeout: "10 seconds" })
 * connection.send("hello", { priority: "next" })
 * connection.transmit() // the line to write
 * ```
 */
export const make = (options?: Options): Connection => new Connection(options)
