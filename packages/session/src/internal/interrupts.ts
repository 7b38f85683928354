/**
 * Interrupts: of whatever runs, or of one message, however far that has come. An interrupt is a control request and never a
 * signal, which would end the process.
 */
import { ControlError } from "@claude-duplex/protocol/ControlError"
import type { CancelAsyncMessageRequest, InterruptRequest } from "@claude-duplex/protocol/schema/ConversationRequest"
import type { HostSubtype } from "@claude-duplex/protocol/schema/HostRequest"
import type * as SessionMachine from "@claude-duplex/protocol/SessionMachine"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberId from "effect/FiberId"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import type { Ask, RequestOptions } from "../Control.js"
import type { InterruptOptions, InterruptResult } from "../Turn.js"
import type { Driver } from "./driver.js"
import type { TurnRecord } from "./turnRecord.js"

export interface Interrupts {
  readonly interrupt: (options?: InterruptOptions) => Effect.Effect<InterruptResult, ControlError>
  /** Stops one message: taken back, taken out of the CLI's queue, or interrupted when its turn runs. */
  readonly stop: (record: TurnRecord, options?: StopOptions) => Effect.Effect<void, ControlError>
}

export interface StopOptions extends InterruptOptions {
  /** Not if it shares its turn with others: they are not to suffer. */
  readonly alone?: boolean | undefined
  /** Its turn is waited for however long it takes to come. */
  readonly patient?: boolean | undefined
}

/** How long a CLI may take to say that it heard. */
export const defaultDeadline = Duration.seconds(10)

/** An interrupt that the CLI has not acknowledged yet. */
interface UnderWay {
  readonly receipt: Deferred.Deferred<InterruptResult, ControlError>
  readonly cancelQueued: boolean
  /** The turn that it is for; none while it waits for one to begin, and between turns. */
  turn: number | undefined
  /** The CLI was asked: a message that is written from now on is behind it. */
  isAsked: boolean
  /** When the last of those who wait for it gives up. */
  expires: number
}

/** The turn ended before the CLI could be asked. */
const notAsked: InterruptResult = { outcome: "alreadyEnded", response: undefined }

export const make = (
  driver: Driver,
  askCli: Ask,
  close: Effect.Effect<unknown>,
  scope: Scope.Scope,
  now: () => number
): Interrupts => {
  let underWay: UnderWay | undefined

  /** The requests here have nothing in them that could not be sent. */
  const ask = <const Q extends InterruptRequest | CancelAsyncMessageRequest>(request: Q, options?: RequestOptions) =>
    Effect.catchTag(askCli(request, options), "EncodeError", Effect.die)

  /** A CLI that has not begun on a message takes an interrupt for one between turns, and begins all the same. */
  const begun = (shared: UnderWay) =>
    driver.until(() => {
      const { exit, pendingMessages, turn } = driver.connection
      // As it is now: when this fiber goes on, the turn may be over and another message written.
      shared.turn = turn?.index
      return turn !== undefined || pendingMessages.length === 0 || exit !== undefined
    })

  /** What came of an interrupt that the CLI acknowledged. The turn's result may have come before the acknowledgement. */
  const outcomeFor = (turn: number | undefined): InterruptResult["outcome"] => {
    if (turn === undefined) return "alreadyEnded"
    const ended = driver.outcomeOf(turn)
    return ended === undefined || ended === "interrupted" ? "interrupted" : "alreadyEnded"
  }

  const request = (shared: UnderWay) =>
    (shared.turn === undefined ? begun(shared) : Effect.void).pipe(
      Effect.zipRight(Effect.suspend(() => {
        const { pendingMessages, turn } = driver.connection
        // What runs or is about to run now is another one, and not to be stopped in its place.
        const isOver = turn === undefined ? pendingMessages.length > 0 : turn.index !== shared.turn
        if (isOver) return Effect.succeed(notAsked)
        shared.isAsked = true
        return Effect.map(
          ask(
            { subtype: "interrupt", ...(shared.cancelQueued ? { cancel_queued: true } : {}) },
            // Whoever waits has a deadline.
            { timeout: Duration.infinity }
          ),
          (response): InterruptResult => ({ outcome: outcomeFor(shared.turn), response })
        )
      }))
    )

  const expiry = (shared: UnderWay): Effect.Effect<never, ControlError> =>
    Effect.suspend(() => {
      const left = shared.expires - now()
      return left > 0 ? Effect.zipRight(Effect.sleep(Duration.millis(left)), expiry(shared)) : Effect.fail(timeout())
    })

  /** Whether it stops what is to be stopped. One that was asked for between turns stops nothing that was said since. */
  const isSame = (other: UnderWay, turn: number | undefined): boolean =>
    other.turn === undefined
      ? !other.isAsked || (turn === undefined && driver.connection.pendingMessages.length === 0)
      : other.turn === turn

  /** Two of the same turn are one, and that goes on although one of them is not waited for any more. */
  const join = (
    turn: number | undefined,
    cancelQueued: boolean,
    deadline: Duration.DurationInput
  ): Effect.Effect<UnderWay["receipt"]> =>
    Effect.suspend(() => {
      const expires = now() + Duration.toMillis(deadline)
      if (underWay !== undefined && underWay.cancelQueued === cancelQueued && isSame(underWay, turn)) {
        underWay.expires = Math.max(underWay.expires, expires)
        return Effect.succeed(underWay.receipt)
      }
      const receipt: UnderWay["receipt"] = Deferred.unsafeMake(FiberId.none)
      const shared: UnderWay = { receipt, cancelQueued, turn, isAsked: false, expires }
      underWay = shared
      // Whoever asks may be uninterruptible: a finalizer. The request, which has a deadline, may not.
      return Effect.interruptible(Effect.raceFirst(request(shared), expiry(shared))).pipe(
        Effect.forkIn(scope),
        Effect.map((fiber) => {
          // Also if it is stopped before it has begun, by the end of the session.
          fiber.addObserver((exit) => {
            if (underWay === shared) underWay = undefined
            Deferred.unsafeDone(shared.receipt, Exit.isInterrupted(exit) ? closed() : exit)
          })
          return receipt
        })
      )
    }).pipe(Effect.uninterruptible)

  /** The CLI has so long, and then the end comes if it was asked for. */
  const within = <A, E>(
    effect: Effect.Effect<A, E>,
    { deadline = defaultDeadline, escalate }: InterruptOptions,
    subtype: HostSubtype = "interrupt"
  ) =>
    Effect.interruptible(effect).pipe(
      Effect.timeoutFail({ duration: deadline, onTimeout: () => timeout(subtype) }),
      Effect.tapError((error) =>
        escalate === "close" && error instanceof ControlError && isUnheard(error) ? close : Effect.void
      )
    )

  /** Joins at once: a turn that begins meanwhile would make two of what is meant as one. */
  const interruptTurn = (turn: number | undefined, options: InterruptOptions) =>
    Effect.flatMap(
      join(turn, options.cancelQueued ?? false, options.deadline ?? defaultDeadline),
      (receipt) => within(Deferred.await(receipt), options)
    )

  const interrupt: Interrupts["interrupt"] = (options = {}) =>
    // The turn of now, and not of when its fiber comes to it.
    Effect.suspend(() => interruptTurn(driver.connection.turn?.index, options))

  /** Waits for the turn of a message; none comes if that is over before. */
  const turnOf = (
    record: TurnRecord,
    options: StopOptions
  ): Effect.Effect<Option.Option<SessionMachine.Turn>, ControlError> =>
    Effect.suspend(() => {
      const { turn } = driver.connection
      if (record.phase === "Ended") return Effect.succeedNone
      if (turn?.messages.includes(record.id) === true) return Effect.succeedSome(turn)
      const news = driver.until(() => record.phase === "Ended" || driver.connection.turn !== turn)
      // A CLI that is at something else has not been asked for anything yet.
      const waiting = turn !== undefined || options.patient === true ? news : within(news, options)
      return Effect.zipRight(waiting, turnOf(record, options))
    })

  const stop: Interrupts["stop"] = (record, options = {}) =>
    Effect.gen(function*() {
      driver.withdraw(record.id)
      if (record.phase === "Queued") {
        const { cancelled } = yield* within(
          ask({ subtype: "cancel_async_message", message_uuid: record.id }),
          options,
          "cancel_async_message"
        ).pipe(
          // It stays in the queue, then, and is stopped when it is its turn.
          Effect.catchIf(
            (error) => error._tag === "ControlError" && error.reason !== "Closed",
            () => Effect.succeed({ cancelled: false })
          )
        )
        if (cancelled) return
      }
      // Whoever's turn it is now, it is not to be stopped for this one.
      const turn = yield* turnOf(record, options)
      if (Option.isNone(turn) || (turn.value.messages.length > 1 && options.alone === true)) return
      yield* interruptTurn(turn.value.index, options)
    })

  return { interrupt, stop }
}

/** The CLI does not answer, or does not even read. */
const isUnheard = ({ reason }: ControlError): boolean => reason === "Timeout" || reason === "OutboxFull"

const timeout = (subtype: HostSubtype = "interrupt") => new ControlError({ reason: "Timeout", subtype })

const closed = () => Exit.fail(new ControlError({ reason: "Closed", subtype: "interrupt" }))
