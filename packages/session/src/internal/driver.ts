/**
 * Carries out what the machine decides: plain synchronous code between the machine, the records of turns and requests, and
 * the few effects it is given as functions. Nothing here waits, so nothing here can hold up the reader.
 *
 * A driver outlives its CLIs: when one is lost and another takes its place, it begins with a new machine, and the messages
 * that were never sent are sent to that one.
 */
import type { Item } from "@claude-duplex/protocol/Codec"
import type { ControlError } from "@claude-duplex/protocol/ControlError"
import * as Cost from "@claude-duplex/protocol/Cost"
import type { EncodeError } from "@claude-duplex/protocol/EncodeError"
import { isKnown } from "@claude-duplex/protocol/Frame"
import type { CliRequest } from "@claude-duplex/protocol/schema/CliRequest"
import type { HostRequest } from "@claude-duplex/protocol/schema/HostRequest"
import type { SystemInitFrame } from "@claude-duplex/protocol/schema/SystemFrame"
import type { MessageFailed, Received, SessionAction, TurnEnded, Write } from "@claude-duplex/protocol/SessionAction"
import { MessageCancelled, type SessionClosed } from "@claude-duplex/protocol/SessionError"
import type { SessionExit } from "@claude-duplex/protocol/SessionExit"
import type { Send, SessionInput } from "@claude-duplex/protocol/SessionInput"
import * as SessionMachine from "@claude-duplex/protocol/SessionMachine"
import type { TransportExit } from "@claude-duplex/protocol/TransportExit"
import type { TurnOutcome } from "@claude-duplex/protocol/TurnResult"
import * as Deferred from "effect/Deferred"
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
  readonly wakeAt: (millis: number) => void
  /** The CLI said what it is. */
  readonly introduced: (init: SystemInitFrame) => void
  readonly now: () => number
}

export interface Options extends SessionMachine.Options {
  /** How many events are kept for subscribers who come late. */
  readonly history?: number | undefined
}

/** An interrupt asks for the outcome of its turn as soon as it is acknowledged; few turns can end meanwhile. */
const rememberedOutcomes = 8

type Answer = Deferred.Deferred<unknown, ControlError | EncodeError>

export class Driver {
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
  readonly #options: Options
  readonly #effects: Effects
  readonly #turns = new TurnRecords()
  readonly #asked = new Map<string, Answer>()
  readonly #checks = new Set<() => void>()
  /** How the last {@link rememberedOutcomes} turns ended. */
  readonly #outcomes = new Map<number, TurnOutcome>()
  #state: SessionMachine.State
  #isClosing = false
  /** How often a CLI was lost, while another one is on its way. */
  #restarting: number | undefined
  #unsent: Array<TurnRecord> = []

  constructor(options: Options, effects: Effects) {
    this.events = new Events(options.history ?? 0)
    this.#options = options
    this.#state = SessionMachine.make(options)
    this.#effects = effects
    this.lastActivity = effects.now()
  }

  get state(): SessionMachine.State {
    return this.#state
  }

  /** The state of the session, as plain data. */
  snapshot(): SessionSnapshot {
    const { sessionId, turn } = this.#state
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

  /** One step of the machine, and what follows from it. */
  put(input: SessionInput): void {
    const before = this.#state
    const [state, actions] = SessionMachine.step(before, input)
    this.#state = state
    for (const action of actions) this.#carryOut(action)
    if (state !== before && this.#turns.isDoubtful && !this.#mayBeReassigned) this.#turns.confirm()
    if (state.sessionId !== before.sessionId && state.sessionId !== undefined) {
      this.values.sessionId.set(Option.some(state.sessionId))
      this.events.publish({ _tag: "SessionIdChanged", sessionId: state.sessionId })
    }
    if (state !== before) this.#moved()
    if (input._tag !== "Receive") {
      this.lastActivity = this.#effects.now()
      this.events.flush()
    }
  }

  /** Everything that came out of the codec for one chunk of bytes. */
  receive(items: ReadonlyArray<Item>): void {
    if (items.length === 0) return
    const now = this.#effects.now()
    this.lastActivity = now
    let passed: Array<Received> = []
    const others: Array<Item> = []
    /** Whether the running turn takes partial messages: the same for a whole run of them. */
    let takesPartials: boolean | undefined
    for (const item of items) {
      const passing = SessionMachine.passing(this.#state, item)
      if (passing !== undefined) {
        takesPartials ??= this.#turns.takesPartials(passing.turn)
        if (takesPartials) this.#turns.received(passing.turn, item)
        passed.push(passing)
        continue
      }
      if (passed.length > 0) {
        this.events.publishPartials(passed)
        passed = []
      }
      takesPartials = undefined
      others.push(item)
      this.openWork.see(item)
      if (isKnown(item) && item.type === "system" && item.subtype === "init") this.#effects.introduced(item)
      this.put({ _tag: "Receive", item, now })
    }
    if (passed.length > 0) this.events.publishPartials(passed)
    Telemetry.received(items.length, others)
    this.events.flush()
  }

  /** Whether a message with this id has not ended. */
  isOpen(id: string): boolean {
    return this.#turns.get(id) !== undefined
  }

  send(record: TurnRecord, whenBusy: Send["whenBusy"]): void {
    this.#turns.add(record)
    this.put({ _tag: "Send", id: record.id, frame: record.frame, whenBusy })
  }

  ask(id: string, request: HostRequest): Answer {
    const answer: Answer = Deferred.unsafeMake(FiberId.none)
    this.#asked.set(id, answer)
    this.put({ _tag: "Ask", id, request })
    return answer
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
      this.put({ _tag: "End", exit })
    } finally {
      // Also if somebody's code threw while it was told: nobody is to wait for ever.
      if (this.#state.exit !== undefined) Deferred.unsafeDone(this.exit, Effect.succeed(this.#state.exit))
      this.#endSubscriptions()
    }
  }

  /**
   * The CLI ended, and another one is about to take its place: from now on, whatever is said is said to that one. What was
   * sent has failed; what was still held here is held for the next.
   */
  lose(ended: TransportExit, attempt: number): SessionExit {
    this.#restarting = attempt
    this.put({ _tag: "End", exit: ended })
    const { exit, lastResult, sessionId, totals, version } = this.#state
    // The conversation goes on, and so do its totals. The next CLI is taken for the same until it says what it is: one
    // whose version is not known would be asked for next to nothing.
    this.#state = { ...SessionMachine.make(this.#options), sessionId, version, totals, lastResult }
    this.openWork.clear()
    // The next CLI's turns are counted from 0 again.
    this.#outcomes.clear()
    // The machine has just ended, with exactly this.
    return exit as SessionExit
  }

  /** Sends what was held when the last CLI was lost. */
  resend(): void {
    const unsent = this.#unsent
    this.#unsent = []
    for (const { frame, id } of unsent) this.put({ _tag: "Send", id, frame, whenBusy: "queue" })
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
    this.events.publish({ _tag: "Restarted", attempt })
    this.#moved()
    this.events.flush()
  }

  /** Waits until something is true of the machine. */
  until(isTrue: (state: SessionMachine.State) => boolean): Effect.Effect<void> {
    return Effect.async((resume) => {
      const check = () => {
        if (!isTrue(this.#state)) return
        this.#checks.delete(check)
        resume(Effect.void)
      }
      this.#checks.add(check)
      check()
      return Effect.sync(() => this.#checks.delete(check))
    })
  }

  /** How a turn of this CLI ended; undefined if it runs, has no result, or is one of the older ones. */
  outcomeOf(turn: number): TurnOutcome | undefined {
    return this.#outcomes.get(turn)
  }

  /** Ends a message here, and does not send it if it was not yet; whatever the CLI still does with it is told as events. */
  abandon(id: string, error: SessionClosed | TurnTimeout): void {
    this.#turns.settle(id, Exit.fail(error))
    this.put({ _tag: "Unsend", id })
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

  #carryOut(action: SessionAction): void {
    switch (action._tag) {
      case "Write":
        this.#effects.write(action)
        return
      case "Received":
        this.#turns.received(action.turn, action.item)
        break
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
        if (action.reason === "NoTurn") this.#turns.settleWithoutTurn(action.message, this.#state.sessionId)
        else this.#turns.settle(action.message, Exit.fail(new MessageCancelled({ id: action.message })))
        break
      case "MessageFailed":
        if (this.#holdsForNext(action)) return
        break
      case "Answered":
        this.#answer(action.id, Effect.succeed(action.response))
        return
      case "AskFailed":
        this.#answer(action.id, Effect.fail(action.error))
        return
      case "Handle":
        this.#handle(action.id, action.request)
        return
      case "Withdraw":
        this.#effects.withdraw(action.id)
        this.permissionSettled(action.id, "Withdrawn")
        return
      case "AnswerInvalid":
        // Whoever answered has nothing to say that the CLI could read; it must not wait for ever.
        this.put({
          _tag: "Refuse",
          id: action.id,
          error: `The host's answer could not be sent: ${action.error.detail}`
        })
        return
      case "NotPending":
        return
      case "WakeAt":
        this.#effects.wakeAt(action.at)
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

  #ended(action: Extract<SessionAction, { readonly _tag: "Ended" }>): void {
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
    return SessionMachine.mayBeReassigned(this.#state, this.openWork.mayStartTurn)
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
    const { exit } = this.#state
    if (this.#restarting !== undefined) return { _tag: this.#isClosing ? "Closing" : "Restarting" }
    if (exit !== undefined) return { _tag: "Closed", exit }
    if (this.#isClosing) return { _tag: "Closing" }
    const status = SessionMachine.status(this.#state)
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
  #holdsForNext({ error, message }: MessageFailed): boolean {
    const record = this.#turns.get(message)
    const isUnsent = error._tag === "SessionClosed" && error.unsent === true
    const isHeld = record !== undefined && isUnsent && this.#restarting !== undefined
    if (isHeld) this.#unsent.push(record)
    else this.#turns.settle(message, Exit.fail(error))
    return isHeld
  }

  #answer(id: string, answer: Effect.Effect<unknown, ControlError | EncodeError>): void {
    const waiting = this.#asked.get(id)
    this.#asked.delete(id)
    if (waiting !== undefined) Deferred.unsafeDone(waiting, answer)
  }
}
