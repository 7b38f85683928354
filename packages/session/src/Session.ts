/**
 * One live conversation with a CLI, over any `Transport`. The pure `SessionMachine` decides; this only carries out.
 *
 * One fiber reads and never waits for anybody, one writes, and each request of the CLI's has a fiber of its own, which ends
 * when the CLI takes the request back. A slow subscriber loses frames and gets a `Lagged`; a handler that never returns holds up
 * nothing but its own answer. When the CLI ends, everything that waits ends with it, once.
 *
 * This module owns what a session is and how one is made; `internal/live.ts` puts it together.
 *
 * @since 0.1.0
 * @stability stable
 */
import type { McpServer } from "@claude-duplex/mcp/McpServer"
import * as Connector from "@claude-duplex/protocol/Connector"
import type { ControlError } from "@claude-duplex/protocol/ControlError"
import type { EncodeError } from "@claude-duplex/protocol/EncodeError"
import type * as LineDecoder from "@claude-duplex/protocol/LineDecoder"
import type { HostResponse } from "@claude-duplex/protocol/schema/HostRequest"
import type { InitializeRequest, InitializeResponse } from "@claude-duplex/protocol/schema/InitializeRequest"
import type { McpServerConfig } from "@claude-duplex/protocol/schema/McpServerConfig"
import type { OutboxFull, SessionBusy, SessionClosed } from "@claude-duplex/protocol/SessionError"
import type { SessionExit } from "@claude-duplex/protocol/SessionExit"
import type * as SessionMachine from "@claude-duplex/protocol/SessionMachine"
import type { TransportError } from "@claude-duplex/protocol/Transport"
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
import * as Conversation from "./Conversation.js"
import type { Handlers } from "./Handlers.js"
import { make as makeSession } from "./internal/live.js"
import type { OutboxOptions } from "./internal/outbox.js"
import type { Watchdog } from "./internal/watchdog.js"
import type { Prompt } from "./Prompt.js"
import type { SessionEvent } from "./SessionEvent.js"
import type { SubscriptionOverflow } from "./SubscriptionOverflow.js"

export type { OutboxOptions } from "./internal/outbox.js"
export type { Watchdog } from "./internal/watchdog.js"

/** The fields of `initialize`, except hooks and MCP servers, which have options of their own. */
export type Initialize = Omit<InitializeRequest, "subtype" | "hooks" | "sdkMcpServers">

/**
 * How a session initializes its CLI.
 *
 * - `await`: sends `initialize` and waits for the response. A CLI that does not answer fails `make` if hooks, MCP servers or fields of
 *   `initialize` depend on it. Otherwise the session is ready with the first `init` frame, or after 10 seconds.
 * - `require`: the same, and a CLI that does not answer always fails `make`.
 * - `background`: sends `initialize` and does not wait, so that the host can send other requests meanwhile. `Service.initialized` waits.
 * - `skip`: sends nothing. Hooks and MCP servers then have no effect, which is a warning.
 */
export type InitializeMode = "await" | "require" | "background" | "skip"

/** A subscriber that is there before anything is read from the CLI, so it also sees what comes before `make` returns. */
export interface Subscriber<R = never> extends Conversation.SubscribeOptions {
  /** Consumes the events. It runs as long as the session; its failure is logged and has no other effect. */
  readonly run: (events: Stream.Stream<SessionEvent, SubscriptionOverflow>) => Effect.Effect<unknown, unknown, R>
}

/** Options for a session. */
export interface Options<R = never>
  extends Handlers<R>, Omit<SessionMachine.Options, "replayUserMessages">, LineDecoder.Options
{
  /** The id of the conversation to resume. Default: what the connector is configured for, usually a new conversation. */
  readonly resume?: string | undefined
  /**
   * When to start another CLI that resumes the conversation, after a CLI ended although the session was not closed. Its input is how
   * that CLI ended. A CLI that ends before the session is made fails `make`. Default: never, the session ends with its CLI.
   *
   * Messages that were written have failed with `SessionClosed`, and are not sent again: they may already have been executed. Messages
   * that were still held here are sent to the next CLI. Subscribers stay subscribed and get `Restarting` and `Restarted`. Turn
   * numbers, the cost and stderr continue. MCP servers of other hosts that `setMcpServers` added must be set again.
   */
  readonly restart?: Schedule.Schedule<unknown, SessionExit, R> | undefined
  /** Fields of `initialize`. Hooks and MCP servers are added to it. */
  readonly initialize?: Initialize | undefined
  /** Whether `initialize` is sent, and whether `make` waits for the response. Default: `await`. */
  readonly initialization?: InitializeMode | undefined
  /** Subscribers that see every event from the first one on. */
  readonly subscribers?: ReadonlyArray<Subscriber<R>> | undefined
  /** The time limit of a control request. Default: 1 minute. */
  readonly requestTimeout?: Duration.DurationInput | undefined
  /** How much may wait to be written to a CLI that does not read its input. */
  readonly outbox?: OutboxOptions | undefined
  /** Detects a stalled CLI. Default: it is not detected. */
  readonly watchdog?: Watchdog | undefined
  /** How many events are kept for later subscribers that ask for them. Default: none. */
  readonly history?: number | undefined
  /** Whether spans include payloads: prompts, and the input of tools. Default: false. */
  readonly tracePayloads?: boolean | undefined
}

/** A conversation that runs in this process: a {@link Conversation.Service}, and everything else that the CLI can do. */
export interface Service extends Conversation.Service {
  /** Adds a message without starting a turn. The model reads it together with the next message. */
  readonly append: (prompt: Prompt) => Effect.Effect<void, SessionClosed | OutboxFull | EncodeError>

  /**
   * Sends a control request and returns its response, which is decoded by the request's `subtype`. Interruption cancels the
   * request.
   */
  readonly request: Ask
  /** A method for each control request. */
  readonly control: Control
  /**
   * The CLI's response to the last `initialize`. Waits for the first one, if `initialize` was sent and neither answered nor failed
   * yet. `None`: it was not sent, or the CLI did not answer it.
   */
  readonly initialized: Effect.Effect<Option.Option<InitializeResponse>>
  /** Sends `initialize` again, with the same handlers. The CLI then repeats the requests that are still open. */
  readonly reinitialize: (initialize?: Initialize) => Effect.Effect<InitializeResponse, ControlError | EncodeError>
  /**
   * Replaces the MCP servers that were set by an earlier call: servers that live in the host, and configurations of others.
   * Servers from the session's options stay, except one whose name is used again.
   */
  readonly setMcpServers: <R = never>(
    servers: { readonly [name: string]: McpServer<R> | McpServerConfig }
  ) => Effect.Effect<HostResponse<"mcp_set_servers">, ControlError | EncodeError, Exclude<R, Scope.Scope>>

  /** The configuration warnings so far. */
  readonly warnings: Effect.Effect<ReadonlyArray<Warning>>
  /** The CLI's stderr, from when the stream is run, across restarts. The exit has the end of it. */
  readonly stderr: Stream.Stream<string>
  /** The process id, if the CLI is a child process. */
  readonly pid: Effect.Effect<Option.Option<number>>

  /**
   * Ends the CLI's input: the CLI finishes its work and exits. Fails with `SessionBusy` while the CLI may still send a request
   * that would get no response (a permission, a hook, a tool of the host): a turn runs, or a background task whose end starts
   * one. `force` ends the input anyway.
   */
  readonly endInput: (options?: { readonly force?: boolean }) => Effect.Effect<void, SessionBusy>
  /** Waits until the session has ended. */
  readonly awaitExit: Effect.Effect<SessionExit>
}

/** A session, as a service. */
export class Session extends Context.Tag("@claude-duplex/session/Session")<Session, Service>() {}

/**
 * Starts a CLI with the `Connector` service, and a session with it. The session ends with the scope.
 *
 * @example
 * ```ts
 * import * as Permission from "@claude-duplex/session/Permission"
 * import * as Session from "@claude-duplex/session/Session"
 * import * as NodeConnector from "@claude-duplex/transport-node/NodeConnector"
 * import { Effect, Schedule } from "effect"
 *
 * const program = Effect.gen(function*() {
 *   const session = yield* Session.make({
 *     onPermission: ({ toolName }) => Effect.succeed(toolName === "Read" ? Permission.allow() : Permission.deny("no")),
 *     // At most five times, unless the CLI has run for ten minutes.
 *     restart: Schedule.exponential("1 second").pipe(
 *       Schedule.intersect(Schedule.recurs(5)),
 *       Schedule.resetAfter("10 minutes")
 *     )
 *   })
 *   const { text } = yield* session.send("What is in this folder?")
 *   return text
 * }).pipe(Effect.scoped, Effect.provide(NodeConnector.layer({ cli: { permissionPromptTool: "stdio" } })))
 * ```
 */
export const make = <R = never>(
  options: Options<R> = {}
): Effect.Effect<Service, TransportError | ControlError | EncodeError, Connector.Connector | R | Scope.Scope> =>
  Effect.flatMap(Connector.Connector, (connector) => fromConnector(connector, options))

/**
 * {@link make} as a layer, which provides the session as a `Conversation` too.
 *
 * @example
 * ```ts
 * import * as Session from "@claude-duplex/session/Session"
 * import * as NodeConnector from "@claude-duplex/transport-node/NodeConnector"
 * import { Layer } from "effect"
 *
 * const Conversation = Layer.provide(Session.layer(), NodeConnector.layer())
 * ```
 */
export const layer = <R = never>(
  options: Options<R> = {}
): Layer.Layer<
  Session | Conversation.Conversation,
  TransportError | ControlError | EncodeError,
  Connector.Connector | Exclude<R, Scope.Scope>
> =>
  Layer.scopedContext(
    // A session is its own `Conversation`.
    Effect.map(make(options), (session) =>
      Context.make(Session, session).pipe(Context.add(Conversation.Conversation, session)))
  )

/**
 * {@link make} with a connector as a value: for hosts whose sessions have different connectors.
 *
 * @example
 * ```ts
 * import * as Session from "@claude-duplex/session/Session"
 * import * as NodeConnector from "@claude-duplex/transport-node/NodeConnector"
 * import { Effect } from "effect"
 *
 * const ask = (prompt: string, cwd: string) =>
 *   Effect.scoped(Effect.gen(function*() {
 *     const session = yield* Session.fromConnector(yield* NodeConnector.make({ cwd }))
 *     return yield* session.send(prompt)
 *   }))
 * ```
 */
export const fromConnector = <R = never>(
  connector: Connector.Service,
  options: Options<R> = {}
): Effect.Effect<Service, TransportError | ControlError | EncodeError, R | Scope.Scope> =>
  makeSession(options, connector)

/**
 * A session over a transport that is connected already. It cannot be restarted.
 *
 * @example
 * ```ts
 * import * as Session from "@claude-duplex/session/Session"
 * import * as MockTransport from "@claude-duplex/transport-mock/MockTransport"
 * import { Effect } from "effect"
 *
 * const session = Effect.flatMap(MockTransport.make(() => Effect.never), (transport) => Session.fromTransport(transport))
 * ```
 */
export const fromTransport = <R = never>(
  transport: Connector.Launched,
  options: Omit<Options<R>, "restart"> = {}
): Effect.Effect<Service, TransportError | ControlError | EncodeError, R | Scope.Scope> =>
  makeSession(options, Connector.fromTransport(transport))
