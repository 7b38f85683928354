/**
 * Puts a session together: the driver, its CLIs, the fibers that answer, and what a host can do with all of it.
 */
import type { Launch, Service as Connector } from "@claude-duplex/protocol/Connector"
import type { ControlError } from "@claude-duplex/protocol/ControlError"
import type { EncodeError } from "@claude-duplex/protocol/EncodeError"
import type { CliRequest } from "@claude-duplex/protocol/schema/CliRequest"
import type { JsonObject } from "@claude-duplex/protocol/schema/Json"
import { PermissionNotPending, SessionBusy, SessionClosed } from "@claude-duplex/protocol/SessionError"
import type { TransportError } from "@claude-duplex/protocol/Transport"
import type { Warning } from "@claude-duplex/protocol/Warning"
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as ExecutionStrategy from "effect/ExecutionStrategy"
import * as Exit from "effect/Exit"
import * as FiberHandle from "effect/FiberHandle"
import * as FiberId from "effect/FiberId"
import * as FiberMap from "effect/FiberMap"
import * as Metric from "effect/Metric"
import * as Option from "effect/Option"
import * as Record from "effect/Record"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as Control from "../Control.js"
import type { SubscribeOptions } from "../Conversation.js"
import type { Options, Service } from "../Session.js"
import type { Delivered, Tag } from "../SessionEvent.js"
import * as SessionMetrics from "../SessionMetrics.js"
import type { SubscriptionOverflow } from "../SubscriptionOverflow.js"
import * as TextDelta from "../TextDelta.js"
import * as Turn from "../Turn.js"
import * as Answers from "./answers.js"
import { Driver } from "./driver.js"
import * as Initialization from "./initialization.js"
import * as Interrupts from "./interrupts.js"
import * as Lives from "./lives.js"
import { McpServers, provided, type Wanted } from "./mcpServers.js"
import { monotonic } from "./monotonic.js"
import { Outbox } from "./outbox.js"
import * as Preflight from "./preflight.js"
import * as Requests from "./requests.js"
import * as Saying from "./saying.js"
import * as Telemetry from "./telemetry.js"
import type { TurnRecord } from "./turnRecord.js"
import * as Watchdog from "./watchdog.js"

const defaultCapacity = 1_024

/** A turn has about ten state events. They are small, except for requests and results, which the session holds anyway. */
const defaultStateCapacity = 4_096

/** A session that does not come about leaves nothing in the scope, which may be long-lived and see it tried again. */
export const make = <R>(
  options: Options<R>,
  connector: Connector
): Effect.Effect<Service, TransportError | ControlError | EncodeError, R | Scope.Scope> =>
  Effect.flatMap(
    Effect.flatMap(Effect.scope, (parent) => Scope.fork(parent, ExecutionStrategy.sequential)),
    (own) =>
      begin(options, connector).pipe(
        Scope.extend(own),
        Effect.onError((cause) => Scope.close(own, Exit.failCause(cause)))
      )
  )

const begin = <R>(
  options: Options<R>,
  connector: Connector
): Effect.Effect<Service, TransportError | ControlError | EncodeError, R | Scope.Scope> =>
  Effect.gen(function*() {
    const scope = yield* Effect.scope
    const context = yield* Effect.context<R>()
    const clock = yield* Effect.clock
    const now = monotonic(clock)
    const span = yield* Effect.makeSpanScoped(Telemetry.spans.session, { captureStackTrace: false })
    yield* Effect.acquireRelease(
      Metric.modify(SessionMetrics.sessions, 1),
      () => Metric.modify(SessionMetrics.sessions, -1)
    )

    /** For as long as the session lives, and not longer: it may be made where nothing can be interrupted. */
    const fork = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.forkIn(Effect.interruptible(effect), scope)

    // ---- what carries out ----

    const handlers = yield* FiberMap.make<string>()
    const runHandler = yield* FiberMap.runtime(handlers)<R>()
    const runTimer = yield* Effect.flatMap(FiberHandle.make(), (timer) => FiberHandle.runtime(timer)())
    const outbox = { current: new Outbox(options.outbox) }

    const stopHandler = (id: string) => {
      const fiber = FiberMap.unsafeGet(handlers, id)
      if (Option.isSome(fiber)) fiber.value.unsafeInterruptAsFork(FiberId.none)
    }

    const driver: Driver = new Driver(options, {
      now,
      write: ({ frame, line }) => outbox.current.write(line, frame.type === "control_response"),
      // Not at once: subscribers that wait for the frames before the request run first.
      handle: (id, request) => runHandler(id, Effect.interruptible(answer(id, request)), { immediate: false }),
      withdraw: stopHandler,
      wakeAt: (at) =>
        runTimer(
          at === undefined ? Effect.void : Effect.interruptible(Effect.zipRight(
            Effect.sleep(Duration.millis(Math.max(0, at - now()))),
            Effect.sync(() => driver.expire())
          ))
        ),
      introduced: (init) => {
        Telemetry.withTracer(driver.events, () => {
          span.attribute("claude.session_id", init.session_id)
          if (init.claude_code_version !== undefined) span.attribute("claude.version", init.claude_code_version)
        })
        for (const warning of Preflight.warnings(init, expectations())) driver.events.warn(warning)
      }
    })

    // ---- what the host hears ----

    const subscribe = <const T extends Tag = Tag>(
      options: SubscribeOptions<T> = {}
    ): Effect.Effect<Stream.Stream<Delivered<T>, SubscriptionOverflow>, never, Scope.Scope> => {
      const subscribed = driver.events.subscribers.subscribe(() => ({
        capacity: options.capacity ?? defaultCapacity,
        stateCapacity: options.stateCapacity ?? defaultStateCapacity,
        strategy: options.strategy ?? "sliding",
        only: options.only === undefined ? undefined : new Set(options.only),
        first: driver.events.before(options.history === true),
        snapshot: () => driver.snapshot()
      }))
      // The subscriber takes only what is in `only`, which is what `T` names.
      return subscribed as Effect.Effect<Stream.Stream<Delivered<T>, SubscriptionOverflow>, never, Scope.Scope>
    }

    // ---- what the CLI asks ----

    const requests = Requests.make(driver, outbox, options.requestTimeout ?? Duration.minutes(1))
    const servers = new McpServers(
      Record.map(options.mcpServers ?? {}, (server) => provided(server, context)),
      // Nobody waits for what the CLI says to it; a CLI that is gone has nothing to say.
      (name, message) =>
        Effect.asVoid(fork(
          Effect.catchAll(requests.ask({ subtype: "mcp_message", server_name: name, message }), (error) =>
            error.reason === "OutboxFull"
              ? Telemetry.warn(
                driver.connection,
                `A message of the MCP server ${name} was not sent.`,
                Cause.fail(error)
              )
              : Effect.void)
        ))
    )
    const desk: Answers.Desk<R> = {
      handlers: options,
      connection: (name) => servers.connection(name),
      background: (work) => Effect.asVoid(fork(work)),
      failed: (id, subtype, cause) =>
        Effect.zipRight(
          Effect.sync(() => driver.events.tell({ _tag: "HandlerFailed", id, subtype, cause })),
          Telemetry.warn(driver.connection, `The ${Answers.handlerNames[subtype]} failed.`, cause)
        )
    }

    const answer = (id: string, request: Parameters<typeof Answers.find>[2]): Effect.Effect<void, never, R> => {
      const began = now()
      return Answers.find(desk, id, request).pipe(
        Effect.exit,
        Effect.tap((exit) => {
          Telemetry.handled(request.subtype, now() - began)
          if (Exit.isSuccess(exit)) {
            return Option.isNone(exit.value) ? Effect.void : respond(id, request.subtype, exit.value.value)
          }
          const error = Answers.reasonOf(exit.cause, request.subtype, options.describeFailure)
          driver.refuse(id, error)
          return Answers.isUnhandled(exit.cause) ? Effect.void : desk.failed(id, request.subtype, exit.cause)
        }),
        Effect.withSpan(Telemetry.spans.handler, {
          parent: span,
          captureStackTrace: false,
          attributes: Telemetry.handlerAttributes(id, request, options.tracePayloads ?? false)
        }),
        Effect.annotateLogs({
          ...Telemetry.annotations(driver.connection),
          "claude.request": request.subtype
        })
      )
    }

    /** A response that the CLI could not read is a failure of the handler that made it. */
    const respond = (id: string, subtype: CliRequest["subtype"], response: JsonObject) => {
      const invalid = driver.connection.checkResponse(id, response)
      reply(id, response)
      return invalid === undefined ? Effect.void : desk.failed(id, subtype, Cause.fail(invalid))
    }

    const reply = (id: string, response: JsonObject) => {
      driver.respond(id, response)
      driver.permissionSettled(id, "Answered")
    }

    // ---- the CLI itself ----

    let launch: Launch | undefined
    const registered = (initialize = options.initialize) => ({
      ...launch?.initialize,
      ...initialize,
      ...Answers.registration(options.hooks ?? [], servers.names)
    })
    const expectations = (): Preflight.Expectations => ({
      hasPermissionHandler: options.onPermission !== undefined,
      bypassingAgents: Object.entries(options.initialize?.agents ?? {}).flatMap(([name, { permissionMode }]) =>
        permissionMode === "bypassPermissions" ? [name] : []
      ),
      initialize: Object.keys(registered())
    })
    const mode = options.initialization ?? "await"
    const initialization = Initialization.make({
      driver,
      requests,
      mode,
      registered,
      fork
    })

    // Before anything is read, so that these see everything.
    for (const { run, ...how } of options.subscribers ?? []) {
      // One that is done holds no events.
      const own = yield* Scope.fork(scope, ExecutionStrategy.sequential)
      const events = yield* Scope.extend(subscribe(how), own)
      yield* fork(
        run(events).pipe(
          Effect.catchAllCause((cause) =>
            Cause.isInterruptedOnly(cause)
              ? Effect.void
              : Telemetry.warn(driver.connection, "A subscriber of the session's options failed.", cause)
          ),
          Effect.ensuring(Scope.close(own, Exit.void))
        )
      )
    }

    const lives = yield* Lives.start(
      { connector, resume: options.resume, schedule: options.restart },
      {
        onLaunched: (known) => {
          launch = known
          for (
            const warning of Preflight.launchWarnings(known, {
              hasPermissionHandler: options.onPermission !== undefined,
              isInitialized: mode !== "skip",
              registers: Object.keys(registered())
            })
          ) driver.events.warn(warning)
        },
        onConnected: servers.connect,
        greet: initialization.restart
      },
      driver,
      outbox,
      options.outbox,
      mode === "await" || mode === "require"
    )
    yield* Effect.suspend(initialization.begin)
    lives.initialized()

    // ---- what the host says ----

    /** Ends the CLI and not the session, which may start another one. */
    const endCli = Effect.suspend(() => lives.transport()?.close ?? Effect.void)
    const { interrupt, stop } = Interrupts.make(driver, requests.ask, endCli, scope, now)

    const { say, send } = Saying.make({
      driver,
      outbox,
      stop,
      fork,
      clock,
      span,
      tracePayloads: options.tracePayloads ?? false
    })

    const hasHandlers = options.onPermission !== undefined || options.onElicitation !== undefined ||
      options.onUserDialog !== undefined || (options.hooks ?? []).length > 0

    // ---- who watches ----

    const { watchdog } = options
    if (watchdog !== undefined) {
      const actions = {
        tell: Effect.void,
        interrupt: interrupt({ escalate: "close" }),
        close: endCli
      }
      yield* fork(Watchdog.watch(driver, watchdog.after, now, actions[watchdog.action ?? "tell"]))
    }

    // What most sessions never use, and what is large, is made when it is asked for: a host may hold hundreds that are idle.
    let control: Control.Control | undefined
    return {
      send,
      start: (prompt, how) => Effect.map(say(prompt, how), (record) => turnOf(record, driver, stop)),
      append: (prompt) =>
        Effect.flatMap(say(prompt, {}, { shouldQuery: false }), (record) => record.result).pipe(
          Effect.asVoid,
          // It is written at once, whatever runs; it has no timeout, and ends before it can be taken back.
          Effect.catchTags({ SessionBusy: Effect.die, TurnTimeout: Effect.die, MessageCancelled: Effect.die })
        ),

      subscribe: (how) => subscribe(how),
      get events() {
        return Stream.unwrapScoped(subscribe())
      },
      warnings: Effect.sync(() => driver.events.warnings),
      get stderr() {
        return lives.stderr()
      },

      request: requests.ask,
      get control() {
        return control ??= Control.make(requests.ask)
      },
      interrupt,
      initialized: Effect.suspend(initialization.response),
      reinitialize: initialization.again,
      setMcpServers: <R2 = never>(wanted: Wanted<R2>) =>
        Effect.flatMap(Effect.context<Exclude<R2, Scope.Scope>>(), (context) =>
          servers.replace(
            wanted,
            context,
            (configs) => requests.ask({ subtype: "mcp_set_servers", servers: configs })
          )),

      get permissions() {
        return driver.values.permissions.subscribable
      },
      respondToPermission: (id, decision) =>
        Effect.suspend((): Effect.Effect<void, PermissionNotPending | SessionClosed | EncodeError> => {
          const pending = driver.permissions.get(id)
          if (driver.isClosing) return new SessionClosed()
          if (pending === undefined) return new PermissionNotPending({ id })
          if (!Answers.isAnswer(decision)) return Answers.undecided()
          const response = Answers.permissionResponse(pending, decision)
          const invalid = driver.connection.checkResponse(id, response)
          if (invalid !== undefined) return invalid
          reply(id, response)
          stopHandler(id)
          return Effect.void
        }),

      get status() {
        return driver.values.status.subscribable
      },
      get sessionId() {
        return driver.values.sessionId.subscribable
      },
      get cost() {
        return driver.values.cost.subscribable
      },
      pid: Effect.sync(() => Option.fromNullable(lives.transport()?.pid)),
      endInput: (how) =>
        Effect.suspend(() => {
          const { heldMessages: held, openCliRequests, pendingMessages, turn } = driver.connection
          const handlesAnything = hasHandlers || servers.names.length > 0
          const isAtWork = turn !== undefined || pendingMessages.length > 0 || openCliRequests.size > 0 ||
            driver.openWork.hasTasks
          const mayBeAsked = isAtWork && handlesAnything
          const isEarly = mayBeAsked || held.length > 0
          if (isEarly && how?.force !== true) return new SessionBusy()
          if (isEarly) driver.events.warn(endedEarly)
          for (const id of held) driver.abandon(id, new SessionClosed({ unsent: true }))
          driver.close()
          outbox.current.end()
          return Effect.void
        }),
      awaitExit: Deferred.await(driver.exit),
      close: lives.close
    }
  })

const endedEarly: Warning = {
  kind: "InputEndedEarly",
  message: "The input was ended while a turn runs: permissions, hooks and tools of the host's will fail from now on."
}

const turnOf = (record: TurnRecord, driver: Driver, stop: Interrupts.Interrupts["stop"]): Turn.Turn => ({
  id: record.id,
  phase: Effect.sync(() => record.phase),
  phases: record.phases,
  frames: record.frames,
  messages: Turn.messagesOf(record.frames),
  text: Turn.textOf(record.frames),
  deltas: TextDelta.fromFrames(record.frames),
  // A turn that could not be started because of another one is no `Turn`.
  result: Effect.catchTag(record.result, "SessionBusy", Effect.die),
  withdraw: Effect.sync(() => driver.withdraw(record.id)),
  interrupt: (options) => stop(record, options)
})
