/**
 * One live conversation with a CLI, over any `Transport`. The pure `SessionMachine` decides; this only carries out.
 *
 * One fiber reads and never waits for anybody, one writes, and each request of the CLI's has a fiber of its own, which ends
 * when the CLI takes the request back. A slow subscriber loses events and is told; a handler that never returns holds up
 * nothing but its own answer. When the CLI ends, everything that waits ends with it, once.
 */
import * as Codec from "@claude-duplex/protocol/Codec"
import type { PromptBlock } from "@claude-duplex/protocol/ContentBlock"
import { ControlError } from "@claude-duplex/protocol/ControlError"
import type { EncodeError } from "@claude-duplex/protocol/EncodeError"
import type { HostRequest, HostResponse, HostSubtype } from "@claude-duplex/protocol/HostRequest"
import { decodeResponse } from "@claude-duplex/protocol/HostRequest"
import type { InitializeRequest, InitializeResponse } from "@claude-duplex/protocol/InitializeRequest"
import { SessionError } from "@claude-duplex/protocol/SessionError"
import type { WhenBusy } from "@claude-duplex/protocol/SessionInput"
import * as SessionMachine from "@claude-duplex/protocol/SessionMachine"
import type { TransportExit } from "@claude-duplex/protocol/Transport"
import { Transport } from "@claude-duplex/protocol/Transport"
import type { HostUserFrame } from "@claude-duplex/protocol/UserFrame"
import {
  Cause,
  Context,
  Deferred,
  Duration,
  Effect,
  Either,
  Exit,
  Fiber,
  FiberHandle,
  FiberId,
  FiberMap,
  Layer,
  Mailbox,
  Option,
  type Scope,
  Stream
} from "effect"
import * as Answers from "./internal/answers.js"
import { Driver } from "./internal/driver.js"
import type { TurnRecord } from "./internal/turnRecord.js"
import type * as Permission from "./Permission.js"
import type { SessionEvent } from "./SessionEvent.js"
import * as Turn from "./Turn.js"
import type { TurnResult } from "./TurnResult.js"

/** How a session is made. */
export interface Options<R = never> extends Answers.Handlers<R>, SessionMachine.Options {
  /** What `initialize` says beside hooks and MCP servers. One is sent if there is anything to say. */
  readonly initialize?: Omit<InitializeRequest, "subtype" | "hooks" | "sdkMcpServers"> | undefined
  /** How long an answer to a control request may take. Default: 1 minute. */
  readonly requestTimeout?: Duration.DurationInput | undefined
}

/** What is said: text, or blocks. */
export type Prompt = string | ReadonlyArray<PromptBlock>

/** How something is said. */
export interface SendOptions {
  /** What to do while another message waits for its result. Default: `reject`. */
  readonly whenBusy?: WhenBusy | undefined
  readonly priority?: HostUserFrame["priority"]
}

/** How an interrupt is pressed home. */
export interface InterruptOptions {
  /** How long the CLI may take to say that it heard. Default: 10 seconds. */
  readonly deadline?: Duration.DurationInput | undefined
  /** What happens then: nothing but the error, or the CLI is ended. Default: `fail`. */
  readonly escalate?: "fail" | "close" | undefined
}

/** A live conversation. */
export interface Service {
  /** Says something, and waits for how the turn ends. An error of the turn is a value: see `TurnResult.isError`. */
  readonly send: (prompt: Prompt, options?: SendOptions) => Effect.Effect<TurnResult, SessionError | EncodeError>
  /** Says something, and gives a handle on it. */
  readonly start: (prompt: Prompt, options?: SendOptions) => Effect.Effect<Turn.Turn, SessionError | EncodeError>
  /**
   * Everything from now on, until the scope closes. One who is slow loses the oldest events and is told: `Lagged`. Default
   * capacity: 1,024.
   */
  readonly subscribe: (
    options?: { readonly capacity?: number }
  ) => Effect.Effect<Stream.Stream<SessionEvent>, never, Scope.Scope>
  /** The same, from when the stream is run. */
  readonly events: Stream.Stream<SessionEvent>
  /** Asks the CLI something; its answer is read by the schema of the request's `subtype`. Interruption withdraws it. */
  readonly request: <const Q extends HostRequest>(
    request: Q,
    options?: { readonly timeout?: Duration.DurationInput }
  ) => Effect.Effect<HostResponse<Q["subtype"]>, ControlError | EncodeError>
  /** Stops the running turn, which then ends with a result of its own. Harmless between turns; two at once are one. */
  readonly interrupt: (
    options?: InterruptOptions
  ) => Effect.Effect<HostResponse<"interrupt">, ControlError | EncodeError>
  /** Questions that nobody has answered yet. */
  readonly pendingPermissions: Effect.Effect<ReadonlyArray<Permission.Request>>
  /** Answers a question that was deferred. */
  readonly respondToPermission: (id: string, decision: Permission.Decision) => Effect.Effect<void, SessionError>
  readonly status: Effect.Effect<SessionMachine.Status>
  /** The status now, and each other one from then on. */
  readonly statusChanges: Stream.Stream<SessionMachine.Status>
  /** The CLI's id of the conversation, once it has told. */
  readonly sessionId: Effect.Effect<Option.Option<string>>
  /** What the CLI answered to `initialize`, if it was asked. */
  readonly initialized: Option.Option<InitializeResponse>
  /** Says that nothing more will be said: the CLI ends after what it is doing. */
  readonly endInput: Effect.Effect<void>
  /** Waits for the end. */
  readonly awaitExit: Effect.Effect<TransportExit>
  /** Ends the CLI, patiently and then by force, and waits for it. The end of the session's scope does the same. */
  readonly close: Effect.Effect<TransportExit>
}

/** A live conversation, as a service. */
export class Session extends Context.Tag("@claude-duplex/session/Session")<Session, Service>() {}

const defaultCapacity = 1_024

/**
 * Begins a conversation over the `Transport` at hand.
 *
 * @example
 * ```ts
 * import * as Permission from "@claude-duplex/session/Permission"
 * import * as Session from "@claude-duplex/session/Session"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function*() {
 *   const session = yield* Session.make({
 *     onPermission: ({ toolName }) => Effect.succeed(toolName === "Read" ? Permission.allow() : Permission.deny("no"))
 *   })
 *   const { text } = yield* session.send("What is in this folder?")
 *   return text
 * })
 * ```
 */
export const make = <R = never>(
  options: Options<R> = {}
): Effect.Effect<Service, ControlError | EncodeError, Transport | Scope.Scope | R> =>
  Effect.gen(function*() {
    const transport = yield* Transport
    const clock = yield* Effect.clock
    const now = () => clock.unsafeCurrentTimeMillis()
    const outgoing = yield* Mailbox.make<string>()
    const handlers = yield* FiberMap.make<string>()
    const runHandler = yield* FiberMap.runtime(handlers)<R>()
    const timer = yield* FiberHandle.make()
    const runTimer = yield* FiberHandle.runtime(timer)()

    const driver: Driver = new Driver(options, {
      write: (line) => outgoing.unsafeOffer(line),
      handle: (id, request) => runHandler(id, answer(id, request)),
      withdraw: (id) =>
        Option.map(FiberMap.unsafeGet(handlers, id), (fiber) => fiber.unsafeInterruptAsFork(FiberId.none)),
      wakeAt: (at) =>
        runTimer(
          Effect.zipRight(
            Effect.sleep(Duration.millis(Math.max(0, at - now()))),
            Effect.sync(() => driver.put({ _tag: "Tick", now: now() }))
          )
        )
    })

    const answer = (id: string, request: Parameters<typeof Answers.find>[2]) =>
      Answers.find(options, id, request).pipe(
        Effect.exit,
        Effect.map((exit) => {
          if (Exit.isFailure(exit)) driver.put({ _tag: "Refuse", id, error: Answers.reasonOf(exit.cause) })
          else if (Option.isSome(exit.value)) reply(id, exit.value.value)
        })
      )

    const reply = (id: string, response: Parameters<typeof Answers.permissionResponse>[0]["input"]) => {
      driver.put({ _tag: "Answer", id, response })
      driver.permissionSettled(id, "Answered")
    }

    yield* Effect.forkScoped(write(outgoing, transport.send))
    const reader = yield* Effect.forkScoped(read(driver, now))
    // Runs before the fibers are interrupted, so that the end is read and told to everybody.
    yield* Effect.addFinalizer(() => Effect.zipRight(transport.close, Fiber.await(reader)))

    const requests = ids("req")
    const request = <const Q extends HostRequest>(
      asked: Q,
      how?: { readonly timeout?: Duration.DurationInput }
    ): Effect.Effect<HostResponse<Q["subtype"]>, ControlError | EncodeError> =>
      Effect.suspend(() => {
        const id = requests()
        const answered = driver.ask(id, asked)
        const timeout = how?.timeout ?? options.requestTimeout ?? "1 minute"
        return Deferred.await(answered).pipe(
          Effect.raceFirst(Effect.zipRight(
            Effect.sleep(timeout),
            Effect.suspend(() => {
              driver.put({ _tag: "Abandon", id, reason: "Timeout" })
              return Deferred.await(answered)
            })
          )),
          Effect.onInterrupt(() => Effect.sync(() => driver.put({ _tag: "Abandon", id, reason: "Cancelled" }))),
          Effect.flatMap((response) => readResponse<Q["subtype"]>(asked.subtype, response))
        )
      })

    const registered = { ...options.initialize, ...Answers.registration(options) }
    const initialized = Object.keys(registered).length === 0
      ? Option.none()
      : Option.some(yield* request({ subtype: "initialize", ...registered }))

    const start: Service["start"] = (prompt, how) =>
      Effect.suspend(() => {
        const id = crypto.randomUUID()
        const record = driver.send(userFrame(id, prompt, how), id, how?.whenBusy ?? "reject")
        const turn = turnOf(record, driver)
        return Effect.flatMap(
          Deferred.poll(record.result),
          // One that is refused at once fails here; one that fails later, in its result.
          Option.match({ onNone: () => Effect.succeed(turn), onSome: (result) => Effect.as(result, turn) })
        )
      })

    let interrupting: Deferred.Deferred<HostResponse<"interrupt">, ControlError | EncodeError> | undefined
    const interrupt: Service["interrupt"] = (how) =>
      Effect.suspend(() => {
        if (interrupting !== undefined) return Deferred.await(interrupting)
        const shared = Deferred.unsafeMake<HostResponse<"interrupt">, ControlError | EncodeError>(FiberId.none)
        interrupting = shared
        return Deferred.await(driver.ready).pipe(
          Effect.zipRight(request({ subtype: "interrupt" }, { timeout: how?.deadline ?? "10 seconds" })),
          Effect.tapError((error) =>
            how?.escalate === "close" && error._tag === "ControlError" && error.reason === "Timeout"
              ? transport.close
              : Effect.void
          ),
          Effect.onExit((exit) =>
            Effect.sync(() => {
              interrupting = undefined
              // Who joined in is not interrupted because the first one was.
              const abandoned = new ControlError({ reason: "Cancelled", subtype: "interrupt" })
              Deferred.unsafeDone(shared, Exit.isInterrupted(exit) ? Effect.fail(abandoned) : exit)
            })
          )
        )
      })

    const subscribe: Service["subscribe"] = (how) => driver.subscribers.subscribe(how?.capacity ?? defaultCapacity)
    const events = Stream.unwrapScoped(subscribe())
    const status = Effect.sync(() => SessionMachine.status(driver.state))

    return {
      start,
      send: (prompt, how) =>
        Effect.flatMap(start(prompt, how), (turn) => Effect.onInterrupt(turn.result, () => turn.withdraw)),
      subscribe,
      events,
      request,
      interrupt,
      pendingPermissions: Effect.sync(() => [...driver.permissions.values()]),
      respondToPermission: (id, decision) =>
        Effect.suspend(() => {
          const pending = driver.permissions.get(id)
          if (pending === undefined) return Effect.fail(new SessionError({ reason: "NotPending" }))
          if (decision._tag === "Defer") return Effect.fail(new SessionError({ reason: "CannotDeferAgain" }))
          return Effect.sync(() => reply(id, Answers.permissionResponse(pending, decision)))
        }),
      status,
      statusChanges: Stream.unwrapScoped(Effect.map(
        subscribe(),
        // Read when there is something new, and once more at the end.
        (news) =>
          Stream.changes(
            Stream.mapEffect(
              Stream.concat(Stream.make(undefined), Stream.concat(news, Stream.make(undefined))),
              () => status
            )
          )
      )),
      sessionId: Effect.sync(() => Option.fromNullable(driver.state.sessionId)),
      initialized,
      endInput: transport.endInput,
      awaitExit: Deferred.await(driver.exit),
      close: Effect.zipRight(transport.close, Deferred.await(driver.exit))
    }
  })

/**
 * {@link make} as a layer.
 *
 * @example
 * ```ts
 * import * as Session from "@claude-duplex/session/Session"
 *
 * const Conversation = Session.layer()
 * ```
 */
export const layer = <R = never>(
  options: Options<R> = {}
): Layer.Layer<Session, ControlError | EncodeError, Transport | Exclude<R, Scope.Scope>> =>
  Layer.scoped(Session, make(options))

/** Bytes to steps of the machine, and at the end the exit. One effect per chunk; nothing in it waits. */
const read = (driver: Driver, now: () => number): Effect.Effect<void, never, Transport> =>
  Effect.gen(function*() {
    const transport = yield* Transport
    const decoder = Codec.make()
    const take = (items: ReadonlyArray<Codec.Item>) => {
      for (const item of items) driver.put({ _tag: "Receive", item, now: now() })
      driver.subscribers.flush()
    }
    yield* Stream.runForEachChunk(transport.incoming, (chunk) =>
      Effect.sync(() => {
        for (const bytes of chunk) take(decoder.push(bytes))
      })).pipe(
        Effect.catchAllCause((cause) => Effect.logWarning("Reading from the CLI failed; its exit tells why.", cause))
      )
    take(decoder.end())
    const exit = yield* transport.exit
    driver.put({ _tag: "End", exit })
  })

/** Lines to the transport, one after the other. A pipe that breaks ends it: the exit is on its way, and tells everybody. */
const write = (
  outgoing: Mailbox.Mailbox<string>,
  send: (line: string) => Effect.Effect<void, unknown>
): Effect.Effect<void> =>
  Effect.gen(function*() {
    for (;;) {
      const [lines] = yield* outgoing.takeAll
      yield* Effect.forEach(lines, send, { discard: true })
    }
  }).pipe(Effect.catchAllCause((cause) =>
    Cause.isInterruptedOnly(cause) ? Effect.void : Effect.logDebug("Writing to the CLI ended.", cause)
  ))

const readResponse = <S extends HostSubtype>(
  subtype: S,
  response: unknown
): Effect.Effect<HostResponse<S>, ControlError> =>
  Either.mapLeft(
    decodeResponse(subtype, response),
    () => new ControlError({ reason: "Remote", subtype, detail: "its answer is not what it should be" })
  )

const userFrame = (uuid: string, prompt: Prompt, how: SendOptions | undefined): HostUserFrame => ({
  type: "user",
  message: { role: "user", content: prompt },
  parent_tool_use_id: null,
  uuid,
  ...(how?.priority === undefined ? {} : { priority: how.priority })
})

const turnOf = (record: TurnRecord, driver: Driver): Turn.Turn => ({
  id: record.id,
  phase: Effect.sync(() => record.phase),
  frames: record.stream,
  text: Turn.textOf(record.stream),
  result: Deferred.await(record.result),
  withdraw: Effect.sync(() => driver.put({ _tag: "Unsend", id: record.id }))
})

const ids = (prefix: string) => {
  let last = 0
  return () => `${prefix}_${++last}`
}
