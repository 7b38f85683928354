/**
 * One live conversation with a CLI, over any `Transport`. The pure `SessionMachine` decides; this only carries out.
 *
 * One fiber reads and never waits for anybody, one writes, and each request of the CLI's has a fiber of its own, which ends
 * when the CLI takes the request back. A slow subscriber loses frames and is told; a handler that never returns holds up
 * nothing but its own answer. When the CLI ends, everything that waits ends with it, once.
 *
 * This module owns what a session is and how one is made; `internal/live.ts` puts it together.
 *
 * @since 0.1.0
 * @stability stable
 */
import type { McpServer } from "@claude-duplex/mcp/McpServer"
import type { ControlError } from "@claude-duplex/protocol/ControlError"
import type { EncodeError } from "@claude-duplex/protocol/EncodeError"
import type * as LineDecoder from "@claude-duplex/protocol/LineDecoder"
import type { HostResponse } from "@claude-duplex/protocol/schema/HostRequest"
import type { InitializeRequest, InitializeResponse } from "@claude-duplex/protocol/schema/InitializeRequest"
import type { McpServerConfig } from "@claude-duplex/protocol/schema/McpServerConfig"
import type { OutboxFull, SessionBusy, SessionClosed } from "@claude-duplex/protocol/SessionError"
import type { SessionExit } from "@claude-duplex/protocol/SessionExit"
import type * as SessionMachine from "@claude-duplex/protocol/SessionMachine"
import type { Service as TransportService } from "@claude-duplex/protocol/Transport"
import { Transport } from "@claude-duplex/protocol/Transport"
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
import * as Live from "./internal/live.js"
import type { OutboxOptions } from "./internal/outbox.js"
import type { Watchdog } from "./internal/watchdog.js"
import type { Prompt } from "./Prompt.js"

export type { OutboxOptions } from "./internal/outbox.js"
export type { Watchdog } from "./internal/watchdog.js"

/** What `initialize` says beside hooks and MCP servers of the host's. */
export type Initialize = Omit<InitializeRequest, "subtype" | "hooks" | "sdkMcpServers">

/** How a session is made. */
export interface Options<R = never> extends Handlers<R>, SessionMachine.Options, LineDecoder.Options {
  /** What `initialize` says beside hooks and MCP servers. One is sent if there is anything to say. */
  readonly initialize?: Initialize | undefined
  /** How long an answer to a control request may take. Default: 1 minute. */
  readonly requestTimeout?: Duration.DurationInput | undefined
  /** How much may wait to be written to a CLI that does not read its input. */
  readonly outbox?: OutboxOptions | undefined
  /** Looks out for a CLI that has fallen silent. Default: nobody does. */
  readonly watchdog?: Watchdog | undefined
  /** How many events are kept for subscribers who come late and ask for them. Default: none. */
  readonly history?: number | undefined
  /** Whether spans show what is said: prompts, and the input of tools. Default: false. */
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
  /** The CLI's response to the last `initialize`, if one was sent. */
  readonly initialized: Effect.Effect<Option.Option<InitializeResponse>>
  /** Sends `initialize` again, with the same handlers. The CLI then repeats the requests that are still open. */
  readonly reinitialize: (initialize?: Initialize) => Effect.Effect<InitializeResponse, ControlError | EncodeError>
  /**
   * Replaces the MCP servers that were set by an earlier call: servers that live in the host, and configurations of others.
   * Servers from the session's options stay, except one whose name is used again.
   */
  readonly setMcpServers: <R = never>(
    servers: { readonly [name: string]: McpServer<R> | McpServerConfig }
  ) => Effect.Effect<HostResponse<"mcp_set_servers">, ControlError | EncodeError, R>

  /** The configuration warnings so far. */
  readonly warnings: Effect.Effect<ReadonlyArray<Warning>>
  /** The CLI's stderr, from when the stream is run. The exit has the end of it. */
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
 * {@link make} as a layer, which provides the session as a `Conversation` too.
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
): Layer.Layer<Session | Conversation.Conversation, ControlError | EncodeError, Transport | Exclude<R, Scope.Scope>> =>
  Layer.scopedContext(Effect.map(make(options), services))

/** A session is its own {@link Conversation.Conversation}. */
const services = (session: Service): Context.Context<Session | Conversation.Conversation> =>
  Context.make(Session, session).pipe(Context.add(Conversation.Conversation, session))

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
): Layer.Layer<Session | Conversation.Conversation, E | ControlError | EncodeError, Exclude<R, Scope.Scope>> =>
  Layer.scopedContext(Effect.map(resilient(options), services))
