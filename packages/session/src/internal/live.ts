/**
 * Puts a session together: the driver, its CLIs, the fibers that answer, and what a host can do with all of it.
 */
import type { ControlError } from "@claude-duplex/protocol/ControlError"
import type { EncodeError } from "@claude-duplex/protocol/EncodeError"
import type { InitializeResponse } from "@claude-duplex/protocol/schema/InitializeRequest"
import { PermissionNotPending, SessionBusy, SessionClosed } from "@claude-duplex/protocol/SessionError"
import type { Warning } from "@claude-duplex/protocol/Warning"
import * as Cause from "effect/Cause"
import * as Chunk from "effect/Chunk"
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
import type { Initialize, Options, Service } from "../Session.js"
import type { Delivered, Tag } from "../SessionEvent.js"
import * as SessionMetrics from "../SessionMetrics.js"
import type { SubscriptionOverflow } from "../SubscriptionOverflow.js"
import * as TextDelta from "../TextDelta.js"
import * as Turn from "../Turn.js"
import * as Answers from "./answers.js"
import { Driver } from "./driver.js"
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
export const make = <E, R>(
  options: Options<R>,
  source: Lives.Source<E, R>
): Effect.Effect<Service, E | ControlError | EncodeError, R | Scope.Scope> =>
  Effect.flatMap(
    Effect.flatMap(Effect.scope, (parent) => Scope.fork(parent, ExecutionStrategy.sequential)),
    (own) =>
      begin(options, source).pipe(
        Scope.extend(own),
        Effect.onError((cause) => Scope.close(own, Exit.failCause(cause)))
      )
  )

const begin = <E, R>(
  options: Options<R>,
  source: Lives.Source<E, R>
): Effect.Effect<Service, E | ControlError | EncodeError, R | Scope.Scope> =>
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
        runTimer(Effect.interruptible(Effect.zipRight(
          Effect.sleep(Duration.millis(Math.max(0, at - now()))),
          Effect.sync(() => driver.put({ _tag: "Tick", now: now() }))
        ))),
      introduced: (init) => {
        Telemetry.withTracer(driver.events, () => {
          span.attribute("claude.session_id", init.session_id)
          if (init.claude_code_version !== undefined) span.attribute("claude.version", init.claude_code_version)
        })
        for (const warning of Preflight.warnings(init, expectations)) driver.events.warn(warning)
      }
    })

    // ---- what the CLI asks ----

    const requests = Requests.make(driver, outbox, options.requestTimeout ?? Duration.minutes(1))
    const servers = new McpServers(
      Record.map(options.mcpServers ?? {}, (server) => provided(server, context)),
      // Nobody waits for what the CLI says to it; a CLI that is gone has nothing to say.
      (name, message) =>
        Effect.asVoid(fork(
          Effect.catchAll(requests.ask({ subtype: "mcp_message", server_name: name, message }), (error) =>
            error.reason === "OutboxFull"
              ? Telemetry.warn(driver.state, `A message of the MCP server ${name} was not sent.`, Cause.fail(error))
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
          Telemetry.warn(driver.state, `The ${Answers.handlerNames[subtype]} failed.`, cause)
        )
    }

    const answer = (id: string, request: Parameters<typeof Answers.find>[2]): Effect.Effect<void, never, R> => {
      const began = now()
      return Answers.find(desk, id, request).pipe(
        Effect.exit,
        Effect.tap((exit) => {
          Telemetry.handled(request.subtype, now() - began)
          if (Exit.isSuccess(exit)) {
            if (Option.isSome(exit.value)) reply(id, exit.value.value)
            return Effect.void
          }
          const error = Answers.reasonOf(exit.cause, request.subtype, options.describeFailure)
          driver.put({ _tag: "Refuse", id, error })
          return Answers.isUnhandled(exit.cause) ? Effect.void : desk.failed(id, request.subtype, exit.cause)
        }),
        Effect.withSpan(Telemetry.spans.handler, {
          parent: span,
          captureStackTrace: false,
          attributes: Telemetry.handlerAttributes(id, request, options.tracePayloads ?? false)
        }),
        Effect.annotateLogs({
          ...Telemetry.annotations(driver.state),
          "claude.request": request.subtype
        })
      )
    }

    const reply = (id: string, response: Parameters<typeof Answers.permissionResponse>[0]["input"]) => {
      driver.put({ _tag: "Answer", id, response })
      driver.permissionSettled(id, "Answered")
    }

    // ---- the CLI itself ----

    let initialized: Option.Option<InitializeResponse> = Option.none()
    const registered = (initialize: Initialize | undefined) => ({
      ...initialize,
      ...Answers.registration(options.hooks ?? [], servers.names)
    })
    const expectations: Preflight.Expectations = {
      hasPermissionHandler: options.onPermission !== undefined,
      bypassingAgents: Object.entries(options.initialize?.agents ?? {}).flatMap(([name, { permissionMode }]) =>
        permissionMode === "bypassPermissions" ? [name] : []
      ),
      initialize: Object.keys(registered(options.initialize))
    }
    const initialize = (what: Initialize | undefined) =>
      Effect.tap(requests.askNow({ subtype: "initialize", ...registered(what) }), (response) =>
        Effect.sync(() => {
          initialized = Option.some(response)
        }))

    /** Says `initialize` if there is anything to say in it. */
    const greet = () =>
      Object.keys(registered(options.initialize)).length > 0
        ? Effect.asVoid(initialize(options.initialize))
        : Effect.void

    const lives = yield* Lives.start(
      source,
      {
        onConnected: servers.connect,
        greet
      },
      driver,
      outbox,
      options
    )
    yield* greet()

    // ---- what the host says ----

    /** Ends the CLI, and not the session: a resilient one goes on with the next. */
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
        return Stream.suspend(() => lives.transport()?.stderr ?? Stream.empty)
      },

      request: requests.ask,
      get control() {
        return control ??= Control.make(requests.ask)
      },
      interrupt,
      initialized: Effect.sync(() => initialized),
      reinitialize: (what) => Effect.suspend(() => initialize(what ?? options.initialize)),
      setMcpServers: <R2 = never>(wanted: Wanted<R2>) =>
        Effect.flatMap(Effect.context<R2>(), (context) =>
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
          const unreadable = Answers.unreadable(driver.state, id, response)
          if (unreadable !== undefined) return unreadable
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
          const { asking, held, messages, turn } = driver.state
          const handlesAnything = hasHandlers || servers.names.length > 0
          const isAtWork = turn !== undefined || messages.length > 0 || asking.size > 0 || driver.openWork.hasTasks
          const mayBeAsked = isAtWork && handlesAnything
          const isEarly = mayBeAsked || Chunk.isNonEmpty(held)
          if (isEarly && how?.force !== true) return new SessionBusy()
          if (isEarly) driver.events.warn(endedEarly)
          for (const { id } of held) driver.abandon(id, new SessionClosed({ unsent: true }))
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
  withdraw: Effect.sync(() => driver.put({ _tag: "Unsend", id: record.id })),
  interrupt: (options) => stop(record, options)
})
