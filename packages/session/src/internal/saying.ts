/**
 * What the host says: a message goes out with a span and a record of its own, and ends once: by its turn, by its timeout, or
 * because nobody waits for it any more.
 */
import { EncodeError } from "@claude-duplex/protocol/EncodeError"
import type { HostUserFrame } from "@claude-duplex/protocol/schema/UserFrame"
import { OutboxFull, type SessionBusy, SessionClosed } from "@claude-duplex/protocol/SessionError"
import type * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Tracer from "effect/Tracer"
import type { SendOptions, Service } from "../Conversation.js"
import type * as Prompt from "../Prompt.js"
import { TurnTimeout } from "../TurnTimeout.js"
import type { Driver } from "./driver.js"
import * as Interrupts from "./interrupts.js"
import { monotonic } from "./monotonic.js"
import type { Outbox } from "./outbox.js"
import * as Telemetry from "./telemetry.js"
import { TurnRecord } from "./turnRecord.js"

/** What of a session is needed to say something. */
export interface Surroundings {
  readonly driver: Driver
  readonly outbox: { readonly current: Outbox }
  readonly stop: Interrupts.Interrupts["stop"]
  /** For as long as the session lives. */
  readonly fork: (effect: Effect.Effect<unknown>) => Effect.Effect<unknown>
  readonly clock: Clock.Clock
  /** The session's own. */
  readonly span: Tracer.Span
  readonly tracePayloads: boolean
}

/** What is decided by how something is said. */
export interface Manner {
  readonly shouldQuery?: boolean
}

export interface Saying {
  /** Says something. What is refused at once fails here; what fails later, in its result. */
  readonly say: (
    prompt: Prompt.Prompt,
    how?: SendOptions,
    manner?: Manner
  ) => Effect.Effect<TurnRecord, SessionBusy | SessionClosed | OutboxFull | EncodeError>
  /** Says something, and waits for how it ends; whoever stops waiting stops it. */
  readonly send: Service["send"]
}

export const make = ({ clock, driver, fork, outbox, span, stop, tracePayloads }: Surroundings): Saying => {
  const now = monotonic(clock)

  const say: Saying["say"] = (
    prompt,
    how = {},
    { shouldQuery = true } = {}
  ) =>
    Effect.suspend(() => {
      // One that has ended says so itself, with how.
      if (driver.isClosing && driver.connection.exit === undefined) {
        return new SessionClosed({ unsent: true })
      }
      const id = how.id ?? crypto.randomUUID()
      if (driver.isOpen(id)) return idInUse(id)
      const { isFull, maxBytes, waitingBytes } = outbox.current
      if (isFull && driver.connection.exit === undefined) return new OutboxFull({ id, waitingBytes, maxBytes })
      return Effect.flatMap(
        spanOf(id, prompt),
        (turnSpan): Effect.Effect<TurnRecord, SessionBusy | SessionClosed | OutboxFull | EncodeError> => {
          // Another fiber may have sent it while the span was made.
          if (driver.isOpen(id)) return idInUse(id)
          const began = now()
          const record = new TurnRecord(
            id,
            userFrame(id, prompt, how, shouldQuery),
            how.retain ?? "messages",
            (outcome) => {
              Telemetry.messageSettled(outcome, now() - began)
              if (Option.isNone(turnSpan)) return
              Telemetry.withTracer(driver.events, () => {
                Telemetry.describeTurn(turnSpan.value, outcome)
                turnSpan.value.end(clock.unsafeCurrentTimeNanos(), Exit.asVoid(outcome))
              })
            }
          )
          driver.send(record, how.whenBusy ?? "reject")
          const { outcome } = record
          if (outcome !== undefined && Exit.isFailure(outcome)) {
            // Its timeout has not begun, and nobody can have taken it back.
            return Effect.catchTags(Effect.failCause(outcome.cause), {
              TurnTimeout: Effect.die,
              MessageCancelled: Effect.die
            })
          }
          return how.timeout === undefined
            ? Effect.succeed(record)
            : Effect.as(fork(limit(record, Duration.decode(how.timeout))), record)
        }
      )
    })

  /** The span of a turn: a child of whoever speaks, or of the session. */
  const spanOf = (id: string, prompt: Prompt.Prompt) =>
    // `Effect.currentParentSpan` fails where there is none, and an error with its stack is dear.
    Effect.flatMap(Effect.zip(Effect.tracer, Effect.serviceOption(Tracer.ParentSpan)), ([tracer, parent]) => {
      if (!Telemetry.isHeeded(tracer)) return Effect.succeedNone
      return Effect.asSome(Effect.makeSpan(Telemetry.spans.turn, {
        parent: Option.isSome(parent) ? parent.value : span,
        captureStackTrace: false,
        attributes: Telemetry.turnAttributes(id, prompt, tracePayloads)
      }))
    })

  /**
   * Interrupts a turn that takes too long. The message fails when the turn's result comes, which is in the error; or after
   * the deadline, if none comes.
   */
  const limit = (record: TurnRecord, timeout: Duration.Duration) =>
    Effect.sleep(timeout).pipe(
      Effect.zipRight(Effect.suspend(() => {
        record.expire(timeout)
        return record.phase === "Held"
          ? Effect.void
          : Effect.raceFirst(
            Effect.zipRight(Effect.ignore(stop(record, { alone: true, patient: true })), Effect.never),
            Effect.sleep(Interrupts.defaultDeadline)
          )
      })),
      Effect.zipRight(
        Effect.sync(() => driver.abandon(record.id, new TurnTimeout({ id: record.id, timeout, result: undefined })))
      ),
      Effect.raceFirst(Effect.exit(record.result))
    )

  /** Nobody waits for it any more. */
  const giveUp = (record: TurnRecord) => fork(Effect.ignore(stop(record, { alone: true, patient: true })))

  return {
    say,
    send: (prompt, how) =>
      Effect.uninterruptibleMask((restore) =>
        Effect.flatMap(
          say(prompt, how),
          (record) => Effect.onInterrupt(restore(record.result), () => giveUp(record))
        )
      )
  }
}

const userFrame = (uuid: string, prompt: Prompt.Prompt, how: SendOptions, shouldQuery: boolean): HostUserFrame => ({
  type: "user",
  message: { role: "user", content: prompt },
  parent_tool_use_id: null,
  ...how.fields,
  uuid,
  ...(how.priority === undefined ? {} : { priority: how.priority }),
  ...(how.origin === undefined ? {} : { origin: how.origin }),
  ...(shouldQuery ? {} : { shouldQuery })
})

const idInUse = (id: string): EncodeError =>
  new EncodeError({ reason: "InvalidFrame", detail: `uuid: the message ${id} has not ended; use another id` })
