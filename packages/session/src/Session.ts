/**
 * One live conversation with a CLI, over any `Transport`. The pure `SessionMachine` decides; this only carries out.
 *
 * One fiber reads and never waits for anybody, one writes, and each request of the CLI's has a fiber of its own, which ends
 * when the CLI takes the request back. A slow subscriber loses events and is told; a handler that never returns holds up
 * nothing but its own answer. When the CLI ends, everything that waits ends with it, once.
 *
 * This module owns what a session is and how one is made; `internal/live.ts` puts it together.
 */
import type { McpServer } from "@claude-duplex/mcp/McpServer"
import type { ControlError } from "@claude-duplex/protocol/ControlError"
import type { Cost } from "@claude-duplex/protocol/Cost"
import type { EncodeError } from "@claude-duplex/protocol/EncodeError"
import type { HostResponse } from "@claude-duplex/protocol/HostRequest"
import type { InitializeRequest, InitializeResponse } from "@claude-duplex/protocol/InitializeRequest"
import type * as LineDecoder from "@claude-duplex/protocol/LineDecoder"
import type { McpServerConfig } from "@claude-duplex/protocol/McpServer"
import type {
  MessageCancelled,
  PermissionNotPending,
  SessionBusy,
  SessionClosed
} from "@claude-duplex/protocol/SessionError"
import type { SessionExit } from "@claude-duplex/protocol/SessionExit"
import type { WhenBusy } from "@claude-duplex/protocol/SessionInput"
import type * as SessionMachine from "@claude-duplex/protocol/SessionMachine"
import type { Service as TransportService } from "@claude-duplex/protocol/Transport"
import { Transport } from "@claude-duplex/protocol/Transport"
import type { TurnResult } from "@claude-duplex/protocol/TurnResult"
import type { HostUserFrame } from "@claude-duplex/protocol/UserFrame"
import type { Warning } from "@claude-duplex/protocol/Warning"
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Option from "effect/Option"
import type * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import type * as Stream from "effect/Stream"
import type { Ask, Control } from "./Control.js"
import type { Handlers } from "./Handlers.js"
import * as Live from "./internal/live.js"
import type { OnLag } from "./internal/subscribers.js"
import type { Watchdog } from "./internal/watchdog.js"
import type * as Permission from "./Permission.js"
import type { Prompt, ToolResultInput } from "./Prompt.js"
import type { EventOf, Lagged, SessionEvent, Tag } from "./SessionEvent.js"
import type { SessionStatus } from "./SessionStatus.js"
import type { TextDelta } from "./TextDelta.js"
import type { InterruptOptions, InterruptResult, Turn } from "./Turn.js"
import type { TurnTimeout } from "./TurnTimeout.js"

export type { OnLag } from "./internal/subscribers.js"
export type { Watchdog } from "./internal/watchdog.js"

/** What `initialize` says beside hooks and MCP servers of the host's. */
export type Initialize = Omit<InitializeRequest, "subtype" | "hooks" | "sdkMcpServers">

/** How a session is made. */
export interface Options<R = never> extends Handlers<R>, SessionMachine.Options, LineDecoder.Options {
  /** What `initialize` says beside hooks and MCP servers. One is sent if there is anything to say. */
  readonly initialize?: Initialize | undefined
  /** How long an answer to a control request may take. Default: 1 minute. */
  readonly requestTimeout?: Duration.DurationInput | undefined
  /** Looks out for a CLI that has fallen silent. Default: nobody does. */
  readonly watchdog?: Watchdog | undefined
  /** How many events are kept for subscribers who come late and ask for them. Default: none. */
  readonly history?: number | undefined
  /** Whether spans show what is said: prompts, and the input of tools. Default: false. */
  readonly tracePayloads?: boolean | undefined
}

/** How something is said. */
export interface SendOptions {
  /**
   * The `uuid` of the message, by which results, events and the transcript name it. A message fails with `EncodeError`
   * while another one with the same id has not ended. Default: a random UUID.
   */
  readonly id?: string | undefined
  /** Other fields of the user frame, as on the wire: `session_id`, `client_composed`, … */
  readonly fields?: Omit<HostUserFrame, "type" | "message" | "uuid" | "priority" | "origin" | "shouldQuery"> | undefined
  /** What to do while another message waits for its result. Default: `reject`. */
  readonly whenBusy?: WhenBusy | undefined
  /** Where it stands in the CLI's queue. */
  readonly priority?: HostUserFrame["priority"]
  /** Who says it, if it is not a person. */
  readonly origin?: HostUserFrame["origin"]
  /**
   * How long the message may take, from now. After that its turn is interrupted, and the message fails with `TurnTimeout`,
   * which has the turn's result if one came. A message that is still held is not sent; a turn that is shared with other
   * messages is not interrupted. Default: no limit.
   */
  readonly timeout?: Duration.DurationInput | undefined
  /**
   * Whether the pieces that messages come in (`stream_event`) are kept until the turn ends, and in its result. They are most
   * of it: 200,000 of them take 110 MB. A turn that was started keeps them anyway: somebody may follow it. Default: true.
   */
  readonly keepPieces?: boolean | undefined
}

/** How somebody subscribes. */
export interface SubscribeOptions<T extends Tag = Tag> {
  /** How many events may wait; of `dropOldest`, up to twice as many until they are read. Default: 1,024. */
  readonly capacity?: number | undefined
  /**
   * What happens when more wait: the oldest are lost, the newest are lost, or the stream ends. Wherever something is
   * missing, there is a `Lagged`. Default: `dropOldest`.
   */
  readonly onLag?: OnLag | undefined
  /** Which events. Others take no room. Default: all. */
  readonly only?: ReadonlyArray<T> | undefined
  /** Begins with what was kept: see `Options.history`. */
  readonly history?: boolean | undefined
}

/** Why a message that was sent has no result. */
export type SendError = SessionBusy | SessionClosed | MessageCancelled | TurnTimeout | EncodeError

/** A live conversation. */
export interface Service {
  // ---- saying something ----
  /**
   * Says something, and waits for how the turn ends. An error of the turn is a value: see `TurnResult.outcome`. Whoever
   * stops waiting stops the message too, unless it was merged with others.
   */
  readonly send: (
    prompt: Prompt,
    options?: SendOptions
  ) => Effect.Effect<TurnResult, SendError>
  /** Says something, and gives a handle on it. */
  readonly start: (
    prompt: Prompt,
    options?: SendOptions
  ) => Effect.Effect<Turn, SessionBusy | SessionClosed | EncodeError>
  /** Says something that needs no answer: the model reads it with the next message. */
  readonly append: (prompt: Prompt) => Effect.Effect<void, SessionClosed | EncodeError>
  /** Says what a tool returned that the host ran itself. */
  readonly sendToolResult: (
    result: ToolResultInput,
    options?: SendOptions
  ) => Effect.Effect<TurnResult, SendError>

  // ---- hearing what happens ----
  /** Everything from now on, until the scope closes. One who is slow loses events and is told: `Lagged`. */
  readonly subscribe: <const T extends Tag = Tag>(
    options?: SubscribeOptions<T>
  ) => Effect.Effect<Stream.Stream<EventOf<T> | Lagged>, never, Scope.Scope>
  /** The same, from when the stream is run. */
  readonly events: Stream.Stream<SessionEvent>
  /**
   * What the model and its subagents say, piece by piece, from when the stream is run. One who is slow loses pieces, as with
   * {@link subscribe}, and is not told; `Turn.text` and `Turn.deltas` lose none.
   */
  readonly text: Stream.Stream<TextDelta>
  /** What may not do what was meant, so far. */
  readonly warnings: Effect.Effect<ReadonlyArray<Warning>>
  /** What the CLI writes to stderr, from when the stream is run. Its exit has the end of it. */
  readonly stderr: Stream.Stream<string>

  // ---- asking the CLI ----
  /** Asks the CLI something; its answer is read by the schema of the request's `subtype`. Interruption withdraws it. */
  readonly request: Ask
  /** A method for each request. */
  readonly control: Control
  /**
   * Interrupts the running turn, which then ends with a result of its own, and tells whether there was a turn to interrupt.
   * Two interrupts at once are one.
   */
  readonly interrupt: (options?: InterruptOptions) => Effect.Effect<InterruptResult, ControlError>
  /** What the CLI answered to the last `initialize`, if it was asked. */
  readonly initialized: Effect.Effect<Option.Option<InitializeResponse>>
  /** Says `initialize` again, with the same handlers. What the CLI still waits for is asked again. */
  readonly reinitialize: (initialize?: Initialize) => Effect.Effect<InitializeResponse, ControlError | EncodeError>
  /**
   * Sets the MCP servers that come and go while the session runs, in place of those that were set like this before:
   * servers that live in the host, and configurations of others. Those that the session was made with stay, but for one
   * whose name is used again.
   */
  readonly setMcpServers: <R = never>(
    servers: { readonly [name: string]: McpServer<R> | McpServerConfig }
  ) => Effect.Effect<HostResponse<"mcp_set_servers">, ControlError | EncodeError, R>

  // ---- permissions ----
  /** Questions that nobody has answered yet. */
  readonly pendingPermissions: Effect.Effect<ReadonlyArray<Permission.Request>>
  /** The same now, and whenever it changes. */
  readonly pendingPermissionsChanges: Stream.Stream<ReadonlyArray<Permission.Request>>
  /**
   * Answers a question, from anywhere; a handler that still thinks about it is stopped. After an answer that may not be sent
   * (`EncodeError`) the question is still open.
   */
  readonly respondToPermission: (
    id: string,
    decision: Permission.Allow | Permission.Deny
  ) => Effect.Effect<void, PermissionNotPending | SessionClosed | EncodeError>

  // ---- life ----
  /** What it is doing now. */
  readonly status: Effect.Effect<SessionStatus>
  /** The status now, and each other one from then on. */
  readonly statusChanges: Stream.Stream<SessionStatus>
  /** Whether it has not ended: one that is starting again or closing is alive. */
  readonly isAlive: Effect.Effect<boolean>
  /** The CLI's id of the conversation, once it has told. */
  readonly sessionId: Effect.Effect<Option.Option<string>>
  /** The process, where there is one. */
  readonly pid: Effect.Effect<Option.Option<number>>
  /** What the turns of this session have cost so far, those that nobody sent included. */
  readonly cost: Effect.Effect<Cost>
  /**
   * Says that nothing more will be said: the CLI ends after what it is doing. Fails with `SessionBusy` while it may still
   * ask something (a permission, a hook, a tool of the host's) and would get no answer: a turn runs, or a task in the
   * background whose end starts one. `force` ends it all the same.
   */
  readonly endInput: (options?: { readonly force?: boolean }) => Effect.Effect<void, SessionBusy>
  /** Waits for the end. */
  readonly awaitExit: Effect.Effect<SessionExit>
  /** Ends the CLI, patiently and then by force, and waits for it. The end of the session's scope does the same. */
  readonly close: Effect.Effect<SessionExit>
}

/** A live conversation, as a service. */
export class Session extends Context.Tag("@claude-duplex/session/Session")<Session, Service>() {}

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
  Effect.flatMap(Transport, (transport) => Live.make(options, { connect: () => Effect.succeed(transport) }))

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

/**
 * Begins a conversation over a transport of its own: {@link make} for those who have many, and no layer for each.
 *
 * @example
 * ```ts
 * import * as Session from "@claude-duplex/session/Session"
 * import * as NodeTransport from "@claude-duplex/transport-node/NodeTransport"
 * import { Effect } from "effect"
 *
 * const ask = (prompt: string, cwd: string) =>
 *   Effect.scoped(Effect.flatMap(Session.open(NodeTransport.make({ cwd })), (session) => session.send(prompt)))
 * ```
 */
export const open = <E, R2, R = never>(
  transport: Effect.Effect<TransportService, E, R2>,
  options: Options<R> = {}
): Effect.Effect<Service, E | ControlError | EncodeError, R | R2 | Scope.Scope> =>
  Live.make<E, R | R2>(options, { connect: () => transport })

/** How a session that survives its CLI is made. */
export interface ResilientOptions<E = never, R = never> extends Options<R> {
  /** Starts a CLI: a new conversation, or the one with this id. */
  readonly connect: (resume: Option.Option<string>) => Effect.Effect<TransportService, E, R | Scope.Scope>
  /** When to start again after a CLI ended unasked, by how it ended; and when to give up. */
  readonly schedule: Schedule.Schedule<unknown, SessionExit, R>
}

/**
 * Begins a conversation that survives its CLI: when that ends unasked, another one is started that resumes it. Messages that
 * were sent have failed with `Closed` and the exit, and are not sent again: who knows what was done of them. Messages that
 * were still held here are sent to the next CLI. Subscribers stay, and hear `Restarting` and `Restarted`; turns are counted
 * anew from there. Servers of others that `setMcpServers` brought must be set again; those of the host's stay.
 *
 * @example
 * ```ts
 * import * as Session from "@claude-duplex/session/Session"
 * import * as NodeTransport from "@claude-duplex/transport-node/NodeTransport"
 * import { Option, Schedule } from "effect"
 *
 * const program = Session.resilient({
 *   connect: (resume) => NodeTransport.make({ cli: { resume: Option.getOrUndefined(resume) } }),
 *   // Five times at most, unless it has been well for ten minutes.
 *   schedule: Schedule.exponential("1 second").pipe(
 *     Schedule.intersect(Schedule.recurs(5)),
 *     Schedule.resetAfter("10 minutes")
 *   )
 * })
 * ```
 */
export const resilient = <E = never, R = never>(
  options: ResilientOptions<E, R>
): Effect.Effect<Service, E | ControlError | EncodeError, R | Scope.Scope> => Live.make(options, options)

/**
 * {@link resilient} as a layer.
 *
 * @example
 * ```ts
 * import * as Session from "@claude-duplex/session/Session"
 * import * as NodeTransport from "@claude-duplex/transport-node/NodeTransport"
 * import { Option, Schedule } from "effect"
 *
 * const Conversation = Session.layerResilient({
 *   connect: (resume) => NodeTransport.make({ cli: { resume: Option.getOrUndefined(resume) } }),
 *   schedule: Schedule.recurs(3)
 * })
 * ```
 */
export const layerResilient = <E = never, R = never>(
  options: ResilientOptions<E, R>
): Layer.Layer<Session, E | ControlError | EncodeError, Exclude<R, Scope.Scope>> =>
  Layer.scoped(Session, resilient(options))
