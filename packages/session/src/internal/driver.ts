/**
 * Carries out what the machine decides: plain synchronous code between the machine, the records of turns and requests, and
 * the few effects it is given as functions. Nothing here waits, so nothing here can hold up the reader.
 */
import type { CliRequest } from "@claude-duplex/protocol/CliRequest"
import type { ControlError } from "@claude-duplex/protocol/ControlError"
import type { EncodeError } from "@claude-duplex/protocol/EncodeError"
import type { HostRequest } from "@claude-duplex/protocol/HostRequest"
import type { SessionAction } from "@claude-duplex/protocol/SessionAction"
import { SessionError } from "@claude-duplex/protocol/SessionError"
import type { Send, SessionInput } from "@claude-duplex/protocol/SessionInput"
import * as SessionMachine from "@claude-duplex/protocol/SessionMachine"
import type { TransportExit } from "@claude-duplex/protocol/Transport"
import { Deferred, Effect, FiberId } from "effect"
import * as Permission from "../Permission.js"
import type { SessionEvent } from "../SessionEvent.js"
import * as TurnResult from "../TurnResult.js"
import { Subscribers } from "./subscribers.js"
import { type Frame, TurnRecord } from "./turnRecord.js"

/** What the driver cannot do itself. */
export interface Effects {
  readonly write: (line: string) => void
  readonly handle: (id: string, request: CliRequest) => void
  readonly withdraw: (id: string) => void
  readonly wakeAt: (millis: number) => void
}

interface RunningTurn {
  readonly frames: Array<Frame>
  messages: ReadonlyArray<string>
}

export class Driver {
  readonly subscribers = new Subscribers<SessionEvent>()
  readonly exit = Deferred.unsafeMake<TransportExit>(FiberId.none)
  /** Done when the CLI has said what it is, or has ended: before, it would drop an interrupt. */
  readonly ready = Deferred.unsafeMake<void>(FiberId.none)
  readonly permissions = new Map<string, Permission.Request>()
  readonly #effects: Effects
  readonly #records = new Map<string, TurnRecord>()
  readonly #turns = new Map<number, RunningTurn>()
  readonly #asked = new Map<string, Deferred.Deferred<unknown, ControlError | EncodeError>>()
  #state: SessionMachine.State

  constructor(options: SessionMachine.Options, effects: Effects) {
    this.#state = SessionMachine.make(options)
    this.#effects = effects
  }

  get state(): SessionMachine.State {
    return this.#state
  }

  /** One step of the machine, and what follows from it. */
  put(input: SessionInput): void {
    const [state, actions] = SessionMachine.step(this.#state, input)
    this.#state = state
    if (state.sessionId !== undefined || state.exit !== undefined) Deferred.unsafeDone(this.ready, Effect.void)
    for (const action of actions) this.#carryOut(action)
    if (input._tag !== "Receive") this.subscribers.flush()
  }

  send(frame: Send["frame"], id: string, whenBusy: Send["whenBusy"]): TurnRecord {
    const record = new TurnRecord(id)
    this.#records.set(id, record)
    this.put({ _tag: "Send", id, frame, whenBusy })
    return record
  }

  ask(id: string, request: HostRequest): Deferred.Deferred<unknown, ControlError | EncodeError> {
    const answer = Deferred.unsafeMake<unknown, ControlError | EncodeError>(FiberId.none)
    this.#asked.set(id, answer)
    this.put({ _tag: "Ask", id, request })
    return answer
  }

  /** How many things are under way: for tests, and for whoever wonders what a session still holds. */
  get held(): {
    readonly records: number
    readonly turns: number
    readonly asked: number
    readonly permissions: number
  } {
    return {
      records: this.#records.size,
      turns: this.#turns.size,
      asked: this.#asked.size,
      permissions: this.permissions.size
    }
  }

  #carryOut(action: SessionAction): void {
    switch (action._tag) {
      case "Write":
        this.#effects.write(action.line)
        return
      case "Received": {
        const turn = action.turn === undefined ? undefined : this.#turns.get(action.turn)
        if (turn !== undefined && !("_tag" in action.item && action.item._tag === "DecodeError")) {
          turn.frames.push(action.item)
          for (const id of turn.messages) this.#records.get(id)?.grow()
        }
        break
      }
      case "TurnStarted": {
        const turn: RunningTurn = { frames: [], messages: action.messages }
        this.#turns.set(action.turn, turn)
        this.#attach(turn)
        break
      }
      case "TurnReassigned": {
        const turn = this.#turns.get(action.turn)
        if (turn !== undefined) {
          for (const id of turn.messages) this.#records.get(id)?.attach([])
          turn.messages = action.messages
          this.#attach(turn)
        }
        break
      }
      case "TurnEnded": {
        const frames = this.#turns.get(action.turn)?.frames ?? (("_tag" in action.result) ? [] : [action.result])
        const result = TurnResult.make(action, frames)
        for (const id of action.messages) this.#settle(id, Effect.succeed(result))
        this.#turns.delete(action.turn)
        break
      }
      case "TurnDropped":
        this.#turns.delete(action.turn)
        break
      case "MessageMoved":
        this.#records.get(action.message)?.move(action.to)
        break
      case "MessageEnded":
        this.#settle(action.message, Effect.fail(new SessionError({ reason: action.reason })))
        break
      case "MessageFailed":
        this.#settle(action.message, Effect.fail(action.error))
        return
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
        Deferred.unsafeDone(this.exit, Effect.succeed(action.exit))
        this.subscribers.publish(action)
        this.subscribers.end()
        return
    }
    this.subscribers.publish(action)
  }

  /** A question is no more. */
  permissionSettled(id: string, how: "Answered" | "Withdrawn"): void {
    if (this.permissions.delete(id)) this.subscribers.publish({ _tag: "PermissionSettled", id, how })
  }

  #handle(id: string, request: CliRequest): void {
    if (request.subtype === "can_use_tool") {
      const asked = Permission.request(id, request)
      this.permissions.set(id, asked)
      this.subscribers.publish({ _tag: "PermissionRequested", request: asked })
    }
    this.#effects.handle(id, request)
  }

  #attach(turn: RunningTurn): void {
    for (const id of turn.messages) this.#records.get(id)?.attach(turn.frames)
  }

  #settle(id: string, result: Parameters<TurnRecord["settle"]>[0]): void {
    this.#records.get(id)?.settle(result)
    this.#records.delete(id)
  }

  #answer(id: string, answer: Effect.Effect<unknown, ControlError | EncodeError>): void {
    const waiting = this.#asked.get(id)
    this.#asked.delete(id)
    if (waiting !== undefined) Deferred.unsafeDone(waiting, answer)
  }
}
