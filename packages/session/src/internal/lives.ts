/**
 * The CLIs of a session, one after the other: each is connected, written to and read from until it ends. One that ends
 * unasked is followed by another as long as the schedule says so. Without a schedule, there is one.
 */
import type * as Connector from "@claude-duplex/protocol/Connector"
import type { SessionExit } from "@claude-duplex/protocol/SessionExit"
import type * as Transport from "@claude-duplex/protocol/Transport"
import * as TransportExit from "@claude-duplex/protocol/TransportExit"
import type { Warning } from "@claude-duplex/protocol/Warning"
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as ExecutionStrategy from "effect/ExecutionStrategy"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as LogLevel from "effect/LogLevel"
import * as Option from "effect/Option"
import * as Runtime from "effect/Runtime"
import type * as Schedule from "effect/Schedule"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as SessionMetrics from "../SessionMetrics.js"
import { Conflated } from "./conflated.js"
import type { Driver } from "./driver.js"
import { endIfItStays } from "./halfGone.js"
import { Outbox, type OutboxOptions } from "./outbox.js"
import { read } from "./reader.js"
import * as RestartSchedule from "./restartSchedule.js"
import * as Telemetry from "./telemetry.js"

/** Where CLIs come from, and when another one is started. */
export interface Source<R> {
  readonly connector: Connector.Service
  /** The conversation that the first CLI resumes. */
  readonly resume: string | undefined
  /** When a CLI that ended unasked is followed by another, by how it ended. Without a schedule, it is not. */
  readonly schedule: Schedule.Schedule<unknown, SessionExit, R> | undefined
}

/** What the session does for each of its CLIs. */
export interface Care<R> {
  /** How a CLI was started is known. Nothing has been read from it yet. */
  readonly onLaunched: (launch: Connector.Launch) => void
  /** Before anything is said, in the scope of its life. */
  readonly onConnected: Effect.Effect<void, never, R | Scope.Scope>
  /** Says what is to be said first to each but the first, at once; waits for the answer. One that fails is no use. */
  readonly greet: () => Effect.Effect<void, unknown>
}

export interface Lives {
  /** The CLI that is talked to now, or was last. */
  readonly transport: () => Transport.Transport | undefined
  /** The first one is initialized: from now on, one that ends is followed by another. */
  readonly initialized: () => void
  /** The stderr of all of them, from when the stream is run. */
  readonly stderr: () => Stream.Stream<string>
  /** Ends the session, patiently and then by force, and waits for it. */
  readonly close: Effect.Effect<SessionExit>
}

interface Life {
  readonly transport: Transport.Transport
  readonly scope: Scope.CloseableScope
  /** The response to the greeting of a CLI that is not the first. */
  readonly greeted: Effect.Effect<void, unknown>
}

/** A session may be made where nothing can be interrupted: its fibers must end all the same. */
const fork = <A, E, R>(effect: Effect.Effect<A, E, R>, scope: Scope.Scope) =>
  Effect.forkIn(Effect.interruptible(effect), scope)

/** The exit to report: a CLI that was ended because it did not read its input has that as its cause. */
const exitOf = (outbox: Outbox) => (exit: TransportExit.TransportExit): TransportExit.TransportExit =>
  outbox.hasOverflowed
    ? TransportExit.failed(
      `it did not read its input; ${outbox.waitingBytes} bytes wait to be written`,
      exit.stderr,
      "OutboxFull"
    )
    : exit

/** Starts the first one; the rest happens in a fiber of the scope, whose end ends the CLI. */
export const start = <R>(
  { connector, resume: resumed, schedule }: Source<R>,
  { greet, onConnected, onLaunched }: Care<R>,
  driver: Driver,
  outbox: { current: Outbox },
  outboxOptions: OutboxOptions | undefined,
  waitsForInitialize: boolean
): Effect.Effect<Lives, Transport.TransportError, R | Scope.Scope> =>
  Effect.gen(function*() {
    const scope = yield* Effect.scope
    /** Of all of them: made before anything that must happen while one still lives, and so closed after it. */
    const all = yield* Scope.fork(scope, ExecutionStrategy.sequential)
    const current = new Conflated<Transport.Transport | undefined>(undefined)
    const runFork = Runtime.runFork(yield* Effect.runtime<never>())
    /** The end is wanted, and not only no more input: a CLI that comes after that is ended too. */
    let isOver = false
    /** Whether the session was made. Before, a CLI that ends fails `make`. */
    let isUsable = !waitsForInitialize

    const open = (
      options: Connector.ConnectOptions,
      isNext: boolean
    ): Effect.Effect<Life, Transport.TransportError, R> =>
      Effect.flatMap(Scope.fork(all, ExecutionStrategy.sequential), (own) =>
        Effect.gen(function*() {
          const transport = yield* connector.connect(options)
          // Before anything waits, so that no stderr is missed.
          current.set(transport)
          const { launch } = transport
          onLaunched(launch)
          yield* onConnected
          // In one step: the greeting is the first line, and then comes what was held.
          const greeted = yield* Effect.sync(() => {
            const greeted = isNext ? greet() : Effect.void
            driver.launched({ replayUserMessages: launch.replayUserMessages })
            return greeted
          })
          yield* fork(write(transport), own)
          outbox.current.onOverflow(() => runFork(transport.close))
          yield* fork(warn(transport), own)
          yield* fork(
            Effect.map(
              launch.version,
              (version) => driver.launched({ version: Option.getOrUndefined(version) })
            ),
            own
          )
          if (isOver) yield* fork(transport.close, own)
          return { transport, scope: own, greeted }
        }).pipe(
          Scope.extend(own),
          Effect.onExit((exit) => Exit.isFailure(exit) ? Scope.close(own, exit) : Effect.void)
        ))

    const write = (transport: Transport.Transport) =>
      Effect.catchAllCause(outbox.current.into(transport), (cause) =>
        Cause.isInterruptedOnly(cause) ? Effect.void : Effect.zipRight(
          Telemetry.log(LogLevel.Debug, driver.connection, "Writing to the CLI ended.", cause),
          endIfItStays(transport)
        ))

    const tell = (warning: Warning) =>
      Effect.sync(() =>
        driver.events.warn(warning)
      )
    const warn = ({ warnings }: Transport.Transport) => Stream.runForEach(warnings ?? Stream.empty, tell)

    const closing = Deferred.await(driver.closing)

    /** Waits; false if the session is closed meanwhile. */
    const wait = (duration: Duration.Duration) =>
      Effect.raceFirst(Effect.as(Effect.sleep(duration), true), Effect.as(closing, false))

    /** Starts the next CLI when the schedule says so; none if the schedule is over, or if the session is closed meanwhile. */
    const again = (
      exit: TransportExit.TransportExit,
      schedule: RestartSchedule.RestartSchedule<R>,
      attempt: { value: number }
    ): Effect.Effect<Option.Option<Life>, never, R> =>
      Effect.gen(function*() {
        const lost = driver.exitAfter(exit)
        let delay = yield* schedule.next(lost)
        // Nothing is announced that will not happen.
        if (Option.isNone(delay)) return Option.none()
        const next = new Outbox(outboxOptions)
        const { sessionId } = driver.connection
        const options = sessionId === undefined ? { resume: resumed } : { resume: sessionId, isRestart: true }
        // In one step, so that every later message is for the next CLI. It is held until there is one.
        yield* Effect.sync(() => {
          outbox.current = next
          driver.lose(exit, ++attempt.value)
          driver.resend()
        })
        while (Option.isSome(delay)) {
          if (!(yield* wait(delay.value))) return Option.none()
          const opened = yield* Effect.raceFirst(
            Effect.map(Effect.exit(open(options, true)), Option.some),
            Effect.as(closing, Option.none())
          )
          if (Option.isNone(opened)) return Option.none()
          if (Exit.isSuccess(opened.value)) {
            const { greeted, scope: own, transport } = opened.value.value
            const refuse = (cause: Cause.Cause<unknown>) =>
              Effect.zipRight(
                Telemetry.warn(
                  driver.connection,
                  "The CLI that was started again could not be initialized; it is ended.",
                  cause
                ),
                transport.close
              )
            yield* fork(Effect.catchAllCause(greeted, refuse), own)
            SessionMetrics.restarts.unsafeUpdate(1, [])
            driver.restarted()
            return Option.some(opened.value.value)
          }
          yield* Telemetry.warn(driver.connection, "The CLI could not be started again.", opened.value.cause)
          delay = yield* schedule.next(lost)
          if (Option.isSome(delay)) driver.retrying(lost, ++attempt.value)
        }
        return Option.none()
      })

    const supervise = (first: Life) =>
      Effect.gen(function*() {
        const steps = schedule === undefined ? undefined : RestartSchedule.make(schedule)
        const attempt = { value: 0 }
        let life = first
        for (;;) {
          const exit = yield* read(driver, life.transport).pipe(
            Effect.map(exitOf(outbox.current)),
            Effect.ensuring(Scope.close(life.scope, Exit.void))
          )
          const next = steps === undefined || driver.isClosing || !isUsable
            ? Option.none()
            : yield* again(exit, steps, attempt)
          if (Option.isNone(next)) return driver.end(exit)
          life = next.value
        }
      }).pipe(
        // Nothing of it should, but whatever it is: nobody is to wait for ever.
        Effect.catchAllDefect((defect) =>
          Effect.zipRight(
            Telemetry.warn(driver.connection, "The session broke; it is ended.", Cause.die(defect)),
            Effect.sync(() => driver.end(TransportExit.failed(defect)))
          )
        )
      )

    const supervisor = yield* Effect.flatMap(open({ resume: resumed }, false), (first) => fork(supervise(first), scope))
    const close = Effect.suspend(() => {
      isOver = true
      driver.close()
      return current.value?.close ?? Effect.void
    })
    // Runs before the fibers are interrupted, so that the end is read and told to everybody.
    yield* Effect.addFinalizer(() => Effect.zipRight(close, Fiber.await(supervisor)))

    return {
      transport: () => current.value,
      initialized: () => {
        isUsable = true
      },
      // Made on demand: most sessions are never asked for it, and a stream takes much memory.
      stderr: () =>
        current.subscribable.changes.pipe(
          Stream.interruptWhen(Deferred.await(driver.exit)),
          Stream.flatMap((transport) => transport?.stderr ?? Stream.empty, { concurrency: "unbounded" })
        ),
      close: Effect.zipRight(close, Deferred.await(driver.exit))
    }
  })
