/** A conversation between a person and a session, from the first prompt to the end. Owns who does what at the same time. */
import type { ControlError } from "@claude-duplex/protocol/ControlError"
import { isKnown } from "@claude-duplex/protocol/Frame"
import type { SessionClosed } from "@claude-duplex/protocol/SessionError"
import * as SessionExit from "@claude-duplex/protocol/SessionExit"
import * as TurnResult from "@claude-duplex/protocol/TurnResult"
import type { Service as Session } from "@claude-duplex/session/Session"
import type { Delivered } from "@claude-duplex/session/SessionEvent"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { CliError } from "../CliError.js"
import * as Format from "../Format.js"
import type { Person } from "./Person.js"
import * as Transcript from "./Transcript.js"

/** How long the end of a turn is held up by the question how full the context is. */
const contextPatience = Duration.seconds(3)

/** What is different with a recording. */
export interface Settings {
  /** What is said along with a prompt: a recorded host said more before the first was answered. */
  readonly meanwhile: (prompt: string) => ReadonlyArray<string>
  /** Whether the CLI is one of a recording: it ends by itself, and is not asked how full its context is. */
  readonly isRecording: boolean
  /** Whether there is nothing more to be said: then the CLI's end is waited for. */
  readonly isOver: () => boolean
}

/** Talks until the person has had enough, or the CLI ends. Gives how many turns failed. */
export const run = (session: Session, person: Person, settings: Settings) =>
  Effect.gen(function*() {
    const { screen } = person
    const { dim } = screen.palette
    const transcript = Transcript.make(screen)
    /** Said and not yet written, in order: they are written in the same. */
    const waiting: Array<string> = []
    let failed = 0
    /** Said and not yet answered. */
    let open = 0
    let knowsContext = !settings.isRecording

    const tell = Effect.flatMap(session.status.get, ({ _tag }) =>
      person.tell({
        // A CLI that has just been told something may not have said yet that it is there.
        isBusy: open > 0 || _tag === "Running" || _tag === "WaitingForPermission",
        queued: waiting
      }))

    const context = Effect.suspend(() =>
      knowsContext
        ? session.control.getContextUsage().pipe(
          Effect.timeout(contextPatience),
          Effect.tapErrorTag("ControlError", (error) =>
            Effect.sync(() => {
              // An older CLI does not have the request; and what cannot be read now cannot be read next time.
              if (error.isUnsupported || error.reason === "InvalidResponse") knowsContext = false
            })),
          Effect.option
        )
        : Effect.succeedNone
    )

    const subscribe = session.subscribe({
      only: ["Received", "TurnEnded", "MessageMoved", "StatusChanged", "Warned"],
      // What is streamed while the end of a turn waits for the context; a person reads slower than that.
      capacity: 100_000
    })
    const show = (event: Delivered<"Received" | "TurnEnded" | "MessageMoved" | "StatusChanged" | "Warned">) => {
      switch (event._tag) {
        case "Received":
          return !isKnown(event.item) && event.item._tag === "DecodeError" ? Effect.void : transcript.frame(event.item)
        case "MessageMoved":
          return event.to !== "Written" ? Effect.void : Effect.suspend(() => {
            const text = waiting.shift()
            return text === undefined
              ? Effect.void
              : Effect.zipRight(screen.line(`${screen.palette.bold("›")} ${text}`), tell)
          })
        case "TurnEnded": {
          const result = TurnResult.make(event, [])
          if (result.outcome === "error") failed++
          return Effect.flatMap(context, (full) => transcript.ended(result, full))
        }
        case "Warned":
          return screen.line(dim(`! ${event.warning.message}`))
        case "Lagged":
          return screen.line(dim(`… ${Format.counted(event.count, "frame")} not shown`))
        default:
          return tell
      }
    }
    const showAll = (events: Effect.Effect.Success<typeof subscribe>): Effect.Effect<void, never, Scope.Scope> =>
      Stream.runForEach(events, show).pipe(
        Effect.catchTag("SubscriptionOverflow", () =>
          Effect.zipRight(screen.line(dim("… events not shown")), Effect.flatMap(subscribe, showAll)))
      )
    const showing = yield* Effect.forkScoped(showAll(yield* subscribe))

    const say = (text: string, whenBusy: "queue" | "steer") =>
      Effect.suspend(() => {
        waiting.push(text)
        open++
        return session.start(text, { whenBusy })
      }).pipe(
        Effect.tap(({ result }) =>
          Effect.ignore(result).pipe(
            Effect.zipRight(Effect.sync(() =>
              open--
            )),
            Effect.zipRight(tell),
            Effect.forkScoped
          )
        )
      )

    const speak = Effect.gen(function*() {
      yield* tell
      for (;;) {
        if (settings.isOver()) return yield* Effect.never
        const prompt = yield* person.prompt
        if (Option.isNone(prompt)) return
        if (prompt.value.trim() === "") continue
        const turn = yield* say(prompt.value, "queue")
        yield* tell
        const others = yield* Effect.forEach(settings.meanwhile(prompt.value), (text) => say(text, "steer"))
        const ended = Effect.forEach([turn, ...others], ({ result }) => Effect.ignore(result), { discard: true })
        // What is not waited for is shown by its events.
        if (!person.speaksWhenBusy) yield* ended
      }
    })

    const listen = Effect.forever(
      Effect.zipRight(
        person.interrupt,
        Effect.catchAll(session.interrupt(), (error) => screen.line(dim(`It cannot be stopped: ${error.message}`)))
      )
    )

    const exit = yield* Effect.raceFirst(
      Effect.zipRight(speak, Effect.succeedNone),
      Effect.raceFirst(Effect.asSome(session.awaitExit), listen)
    ).pipe(Effect.catchIf(isClosed, () => Effect.asSome(session.awaitExit)))

    if (Option.isNone(exit)) {
      yield* session.close
    } else if (!settings.isRecording) {
      yield* Effect.ignore(Fiber.join(showing))
      return yield* new CliError({
        reason: "Claude",
        summary: oneLine(SessionExit.describe(exit.value)),
        detail: exit.value.stderr
      })
    }
    // All that was said is shown; the stream ends with the session.
    yield* Effect.ignore(Fiber.join(showing))
    return failed
  })

/** The CLI ended: `awaitExit` tells how. */
const isClosed = (error: unknown): error is SessionClosed | ControlError =>
  typeof error === "object" && error !== null && "_tag" in error &&
  (error._tag === "SessionClosed" || (error._tag === "ControlError" && "reason" in error && error.reason === "Closed"))

const oneLine = (text: string): string => `${text.charAt(0).toUpperCase()}${Format.oneLine(text.slice(1), 300)}`
