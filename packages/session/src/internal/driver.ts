/**
 * Carries out the events of the connection: plain synchronous code between the connection, the records of turns and requests,
 * and the few effects it is given as functions. Nothing here waits, so nothing here can hold up the reader.
 *
 * A driver outlives its CLIs: when one is lost and another takes its place, the connection is restarted, and the messages that
 * were never sent are sent to the next CLI.
 */
import type { Item } from "@claude-duplex/protocol/Codec"
import * as Connection from "@claude-duplex/protocol/Connection"
import type { ControlError } from "@claude-duplex/protocol/ControlError"
import * as Cost from "@claude-duplex/protocol/Cost"
import type { EncodeError } from "@claude-duplex/protocol/EncodeError"
import { isKnown } from "@claude-duplex/protocol/Frame"
import type { CliRequest } from "@claude-duplex/protocol/schema/CliRequest"
import type { HostRequest } from "@claude-duplex/protocol/schema/HostRequest"
import type { JsonObject } from "@claude-duplex/protocol/schema/Json"
import type { SystemInitFrame } from "@claude-duplex/protocol/schema/SystemFrame"
import type { Ended, MessageFailed, Received, TurnEnded, Write } from "@claude-duplex/protocol/SessionAction"
import { MessageCancelled, SessionClosed } from "@claude-duplex/protocol/SessionError"
import type { SessionExit } from "@claude-duplex/protocol/SessionExit"
import type { WhenBusy } from "@claude-duplex/protocol/SessionInput"
import * as SessionMachine from "@claude-duplex/protocol/SessionMachine"
import type { TransportExit } from "@claude-duplex/protocol/TransportExit"
import type { TurnOutcome } from "@claude-duplex/protocol/TurnResult"
import * as Deferred from "effect/Deferred"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberId from "effect/FiberId"
import * as Option from "effect/Option"
import * as Permission from "../Permission.js"
import type { SessionSnapshot } from "../SessionSnapshot.js"
import type { SessionStatus } from "../SessionStatus.js"
import type { TurnTimeout } from "../TurnTimeout.js"
import { Conflated } from "./conflated.js"
import { Events } from "./events.js"
import { OpenWork } from "./openWork.js"
import * as Telemetry from "./telemetry.js"
import type { TurnRecord } from "./turnRecord.js"
import { TurnRecords } from "./turnRecords.js"

/** What the driver cannot do itself. */
export interface Effects {
  readonly write: (write: Write) => void
  readonly handle: (id: string, request: CliRequest) => void
  readonly withdraw: (id: string) => void
  /** Calls `expire` at this time, in place of any time before; `undefined`: never. */
  readonly wakeAt: (millis: number | undefined) => void
  /** The CLI said what it is. */
  readonly introduced: (init: SystemInitFrame) => void
  readonly now: () => number
}

export interface Options extends Connection.Options {
  /** How many events are kept for subscribers who come late. */
  readonly history?: number | undefined
}

/** An interrupt asks for the outcome of its turn as soon as it is acknowledged; few turns can end meanwhile. */
const rememberedOutcomes = 8

type Answer = Deferred.Deferred<unknown, ControlError | EncodeError>

export class Driver {
  readonly connection: Connection.Connection
  readonly events: Events
  readonly exit = Deferred.unsafeMake<SessionExit>(FiberId.none)
  /** Done when somebody wants the end. */
  readonly closing = Deferred.unsafeMake<void>(FiberId.none)
  readonly permissions = new Map<string, Permission.Request>()
  /** What subscribers of a value see. */
  readonly values = {
    status: new Conflated<SessionStatus>({ _tag: "Starting" }),
    permissions: new Conflated<ReadonlyArray<Permission.Request>>([]),
    sessionId: new Conflated<Option.Option<string>>(Option.none()),
    /** Of all turns, of every CLI. */
    cost: new Conflated<Cost.Cost>(Cost.zero)
  }
  readonly openWork = new OpenWork()
  /** When something was last said, by either side. */
  lastActivity: number
  readonly #effects: Effects
  readonly #turns = new TurnRecords()
  readonly #answers = new Map<string, Answer>()
  readonly #checks = new Set<() => void>()
  /** How the last {@link rememberedOutcomes} turns ended. */
  readonly #outcomes = new Map<number, TurnOutcome>()
  /** The state of the connection after the last step that was carried out. */
  #seen: SessionMachine.State
  #isAdvancing = false
  /** The time that the timer is set to. */
  #timer = Infinity
  #isClosing = false
  /** How often a CLI was lost, while another one is on its way. */
  #restarting: number | undefined
  #unsent: Array<TurnRecord> = []

  constructor(options: Options, effects: Effects) {
    this.events = new Events(options.history ?? 0)
    this.connection = Connection.make(options)
    this.#seen = this.connection.state
    this.#effects = effects
    this.lastActivity = effects.now()
  }

  /** The state of the session, as plain data. */
  snapshot(): SessionSnapshot {
    const { sessionId, turn } = this.connection
    return {
      status: this.values.status.value,
      sessionId: sessionId ?? null,
      turn: turn === undefined ? null : { turn: turn.index, messages: turn.messages },
      messages: this.#turns.open,
      permissions: this.values.permissions.value,
      cost: this.values.cost.value,
      warnings: this.events.warnings
    }
  }

  /** Bytes from the CLI. */
  receive(bytes: Uint8Array): void {
    this.connection.receive(bytes, this.#effects.now())
    this.#advance()
    this.events.flush()
  }

  /** The output of the CLI ended. */
  endOutput(): void {
    this.connection.endOutput(this.#effects.now())
    this.#advance()
    this.events.flush()
  }

  /** The time that `wakeAt` named has come. */
  expire(): void {
    this.#timer = Infinity
    this.connection.expire(this.#effects.now())
    this.#advance()
    this.events.flush()
  }

  /** Whether a message with this id has not ended. */
  isOpen(id: string): boolean {
    return this.#turns.get(id) !== undefined || this.connection.isMessageOpen(id)
  }

  send(record: TurnRecord, whenBusy: WhenBusy): void {
    this.#turns.add(record)
    this.connection.sendFrame(record.frame, { id: record.id, whenBusy })
    this.#afterCommand()
  }

  /** How the CLI was started became known. */
  launched(launch: Parameters<Connection.Connection["launched"]>[0]): void {
    this.connection.launched(launch)
    this.#afterCommand()
  }

  /** Cancels a message that is still held. */
  withdraw(id: string): void {
    this.connection.withdraw(id)
    this.#afterCommand()
  }

  /** Sends a control request, which fails after the timeout. */
  request(request: HostRequest, timeout: Duration.DurationInput): { readonly id: string; readonly answer: Answer } {
    const answer: Answer = Deferred.unsafeMake(FiberId.none)
    const id = this.connection.request(request, this.#effects.now(), { timeout })
    this.#answers.set(id, answer)
    this.#afterCommand()
    return { id, answer }
  }

  cancelRequest(id: string): void {
    this.connection.cancelRequest(id)
    this.#afterCommand()
  }

  /** Answers a request of the CLI. */
  respond(id: string, response: JsonObject): void {
    this.connection.respond(id, response)
    this.#afterCommand()
  }

  /** Answers a request of the CLI with an error. */
  refuse(id: string, reason: string): void {
    this.connection.refuse(id, reason)
    this.#afterCommand()
  }

  #afterCommand(): void {
    this.#advance()
    this.lastActivity = this.#effects.now()
    this.events.flush()
  }

  /**
   * Carries out all events of the connection, one frame at a time, and then sets the timer. Frames that follow each other
   * are published together: nearly all events are deltas of a message.
   */
  #advance(): void {
    // A command that is given while events are carried out adds to them: they are carried out in order.
    if (this.#isAdvancing) return
    this.#isAdvancing = true
    try {
      this.#carryOutAll()
    } finally {
      this.#isAdvancing = false
    }
    const deadline = this.connection.deadline()
    // A timer that is too early does no harm, so it is not set again after every request.
    if (deadline === undefined || deadline >= this.#timer) return
    this.#timer = deadline
    this.#effects.wakeAt(deadline)
  }

  #carryOutAll(): void {
    const { connection } = this
    let count = 0
    let partials: Array<Received> | undefined
    let notFrames: Array<Item> | undefined
    /** Whether the running turn takes partial messages: the same for a whole run of them. */
    let takesPartials: boolean | undefined
    const publishPartials = () => {
      takesPartials = undefined
      if (partials === undefined) return
      this.events.publishPartials(partials)
      partials = undefined
    }
    for (;;) {
      const event = connection.nextEvent()
      for (let write = connection.nextWrite(); write !== undefined; write = connection.nextWrite()) {
        this.#effects.write(write)
      }
      if (event?._tag === "Received") {
        const { item, turn } = event
        count++
        if (isKnown(item) && item.type === "stream_event") {
          takesPartials ??= this.#turns.takesPartials(turn)
          if (takesPartials) this.#turns.received(turn, item)
          if (partials === undefined) partials = [event]
          else partials.push(event)
        } else {
          publishPartials()
          if (!isKnown(item)) (notFrames ??= []).push(item)
          else if (item.type === "system" && item.subtype === "init") this.#effects.introduced(item)
          this.openWork.see(item)
          this.#turns.received(turn, item)
          this.events.publish(event)
        }
      } else if (event !== undefined) {
        publishPartials()
        this.#carryOut(event)
      }
      // After the last event of each step; and some change the state without an event.
      if (!connection.hasEvent && connection.state !== this.#seen) {
        publishPartials()
        this.#stateChanged()
      }
      if (event === undefined) break
    }
    publishPartials()
    if (count === 0) return
    this.lastActivity = this.#effects.now()
    Telemetry.received(count, notFrames ?? [])
  }

  /** All events of a step were carried out. */
  #stateChanged(): void {
    const before = SessionMachine.sessionId(this.#seen)
    this.#seen = this.connection.state
    const { sessionId } = this.connection
    if (this.#turns.isDoubtful && !this.#mayBeReassigned) this.#turns.confirm()
    if (sessionId !== before && sessionId !== undefined) {
      this.values.sessionId.set(Option.some(sessionId))
      this.events.publish({ _tag: "SessionIdChanged", sessionId })
    }
    this.#moved()
  }

  /** Nothing more is to be said. */
  close(): void {
    if (this.#isClosing) return
    this.#isClosing = true
    Deferred.unsafeDone(this.closing, Effect.void)
    this.#moved()
    this.events.flush()
  }

  get isClosing(): boolean {
    return this.#isClosing
  }

  /** The CLI ended, and no other one takes its place. */
  end(exit: TransportExit): void {
    this.#restarting = undefined
    try {
      this.connection.end(exit)
      this.#afterCommand()
    } finally {
      // A timer would keep the process alive.
      this.#effects.wakeAt(undefined)
      // Also if somebody's code threw while it was told: nobody is to wait for ever.
      const ended = this.connection.exit
      if (ended !== undefined) Deferred.unsafeDone(this.exit, Effect.succeed(ended))
      this.#endSubscriptions()
    }
  }

  /** How the session would end if it ended with this exit of its CLI. */
  exitAfter(ended: TransportExit): SessionExit {
    const [state] = SessionMachine.step(this.connection.state, { _tag: "End", exit: ended })
    // A machine that has taken an `End` has an exit.
    return SessionMachine.exit(state) as SessionExit
  }

  /**
   * The CLI ended, and another one is about to take its place: from now on, whatever is said is said to that one. What was
   * sent has failed; what was still held here is held for the next.
   */
  lose(ended: TransportExit, attempt: number): void {
    this.#restarting = attempt
    this.connection.end(ended)
    this.#afterCommand()
    this.connection.restart({ isConnected: false })
    this.#seen = this.connection.state
    this.openWork.clear()
  }

  /** Sends what was held when the last CLI was lost. */
  resend(): void {
    const unsent = this.#unsent
    this.#unsent = []
    for (const { frame, id } of unsent) this.connection.sendFrame(frame, { id, whenBusy: "queue" })
    this.#afterCommand()
  }

  /** The next one could not be started; it is tried again. */
  retrying(exit: SessionExit, attempt: number): void {
    this.#restarting = attempt
    this.events.tell({ _tag: "Restarting", exit, attempt })
  }

  /** The next one is there. */
  restarted(): void {
    if (this.#restarting === undefined) return
    const attempt = this.#restarting
    this.#restarting = undefined
    this.lastActivity = this.#effects.now()
    this.events.publish({ _tag: "Restarted", attempt })
    this.#moved()
    this.events.flush()
  }

  /** Waits until something is true of the connection. */
  until(isTrue: () => boolean): Effect.Effect<void> {
    return Effect.async((resume) => {
      const check = () => {
        if (!isTrue()) return
        this.#checks.delete(check)
        resume(Effect.void)
      }
      this.#checks.add(check)
      check()
      return Effect.sync(() => this.#checks.delete(check))
    })
  }

  /** How a turn ended; undefined if it runs, has no result, or is one of the older ones. */
  outcomeOf(turn: number): TurnOutcome | undefined {
    return this.#outcomes.get(turn)
  }

  /** Ends a message here, and does not send it if it was not yet; whatever the CLI still does with it is told as events. */
  abandon(id: string, error: SessionClosed | TurnTimeout): void {
    this.#turns.settle(id, Exit.fail(error))
    this.withdraw(id)
    this.#moved()
  }

  /** A question is no more. */
  permissionSettled(id: string, how: "Answered" | "Withdrawn"): void {
    if (!this.permissions.delete(id)) return
    this.#permissionsChanged()
    this.events.publish({ _tag: "PermissionSettled", id, how })
  }

  #permissionsChanged(): void {
    this.values.permissions.set([...this.permissions.values()])
  }

  #carryOut(action: Exclude<Connection.Event, Received>): void {
    switch (action._tag) {
      case "TurnStarted":
        this.#turns.started(action, this.#mayBeReassigned)
        break
      case "TurnReassigned":
        this.#turns.reassigned(action, this.#mayBeReassigned)
        break
      case "TurnEnded":
        this.#turnEnded(action)
        break
      case "TurnDropped":
        this.#turns.dropped(action.turn)
        break
      case "MessageMoved":
        this.#turns.moved(action)
        break
      case "MessageEnded":
        if (action.reason === "NoTurn") {
          this.#turns.settleWithoutTurn(action.message, this.connection.sessionId)
        } else this.#turns.settle(action.message, Exit.fail(new MessageCancelled({ id: action.message })))
        break
      case "MessageFailed":
        this.#messageFailed(action)
        return
      case "Answered":
        this.#answer(action.id, Effect.succeed(action.response))
        return
      case "RequestFailed":
        this.#answer(action.id, Effect.fail(action.error))
        return
      case "Handle":
        this.#handle(action.id, action.request)
        return
      case "Withdraw":
        this.#effects.withdraw(action.id)
        this.permissionSettled(action.id, "Withdrawn")
        return
      case "ResponseInvalid":
      case "ResponseIgnored":
        return
      case "Ended":
        this.#ended(action)
        return
    }
    this.events.publish(action)
  }

  #turnEnded(action: TurnEnded): void {
    this.values.cost.set(Cost.sum(this.values.cost.value, action.cost))
    const result = this.#turns.ended(action)
    Telemetry.turnEnded(result, action.messages.length > 0)
    this.#outcomes.set(action.turn, result.outcome)
    const [oldest] = this.#outcomes.keys()
    if (this.#outcomes.size > rememberedOutcomes && oldest !== undefined) this.#outcomes.delete(oldest)
  }

  #ended(action: Ended): void {
    if (this.#restarting !== undefined) {
      this.events.publish({ _tag: "Restarting", exit: action.exit, attempt: this.#restarting })
      return
    }
    // Who hears of the end finds the session ended.
    this.#moved()
    Deferred.unsafeDone(this.exit, Effect.succeed(action.exit))
    this.events.publish(action)
    this.#endSubscriptions()
  }

  #endSubscriptions(): void {
    this.events.subscribers.end()
    for (const value of Object.values(this.values)) value.end()
  }

  /** Whether the running turn may turn out to be for other messages: then its frames are shown to none. */
  get #mayBeReassigned(): boolean {
    return SessionMachine.mayBeReassigned(this.connection.state, this.openWork.mayStartTurn)
  }

  /** Looks what changed, tells, and lets go whoever waited for it. */
  #moved(): void {
    for (const check of this.#checks) check()
    const status = this.#statusNow()
    if (status._tag === this.values.status.value._tag) return
    this.values.status.set(status)
    this.events.publish({ _tag: "StatusChanged", status })
  }

  #statusNow(): SessionStatus {
    const { exit, status } = this.connection
    if (this.#restarting !== undefined) return { _tag: this.#isClosing ? "Closing" : "Restarting" }
    if (exit !== undefined) return { _tag: "Closed", exit }
    if (this.#isClosing) return { _tag: "Closing" }
    return status === "Ended" ? this.values.status.value : { _tag: status }
  }

  #handle(id: string, request: CliRequest): void {
    if (request.subtype === "can_use_tool") {
      const asked = Permission.request(id, request)
      this.permissions.set(id, asked)
      this.#permissionsChanged()
      this.events.publish({ _tag: "PermissionRequested", request: asked })
    }
    // What came before the request is published before its handler starts.
    this.events.flush()
    this.#effects.handle(id, request)
  }

  /** Ends a message that failed, unless it was not sent yet and the next CLI will receive it. */
  #messageFailed({ error, message }: MessageFailed): void {
    const record = this.#turns.get(message)
    const isRestarting = this.#restarting !== undefined && error._tag === "SessionClosed"
    if (isRestarting && error.unsent === true && record !== undefined) {
      this.#unsent.push(record)
      return
    }
    const reported = isRestarting
      ? new SessionClosed({ ...(error.exit === undefined ? {} : { exit: error.exit }), isRestarting }, {
        disableValidation: true
      })
      : error
    this.#turns.settle(message, Exit.fail(reported))
    this.events.publish({ _tag: "MessageFailed", message, error: reported })
  }

  #answer(id: string, answer: Effect.Effect<unknown, ControlError | EncodeError>): void {
    const waiting = this.#answers.get(id)
    this.#answers.delete(id)
    if (waiting !== undefined) Deferred.unsafeDone(waiting, answer)
  }
}
