/**
 * Starts a CLI, or resumes a conversation with one. Each way to reach a CLI has a connector: a child process, a script, a socket.
 * Sessions take their CLIs from it, so restarting, recording and wrapping are written once, for every transport.
 *
 * When to use: depend on the `Connector` service wherever a program starts sessions, and provide the layer of a transport
 * (`NodeConnector.layer`, `MockConnector.layer`) at the edge. A connector can be shared: every `connect` starts another CLI.
 *
 * @since 0.1.0
 * @stability stable
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import type { InitializeRequest } from "./schema/InitializeRequest.js"
import { type Transport, TransportError } from "./Transport.js"

/** Options for one connection. */
export interface ConnectOptions {
  /** The id of the conversation to resume. Default: what the connector is configured for, usually a new conversation. */
  readonly resume?: string | undefined
  /**
   * The session had a CLI before, and {@link resume} is its own conversation. Options that act once, such as a fork, do not apply
   * again. Default: false.
   */
  readonly isRestart?: boolean | undefined
}

/**
 * How a CLI was started, as far as its connector knows. A session takes it from here, so that no flag has to be repeated in the
 * session's options. `undefined` is unknown.
 */
export interface Launch {
  /** The version of the CLI, as soon as it is known. `None`: it stays unknown until the CLI reports it. */
  readonly version: Effect.Effect<Option.Option<string>>
  /** Whether the CLI repeats accepted messages (`--replay-user-messages`). */
  readonly replayUserMessages: boolean | undefined
  /** Whether the CLI sends partial messages (`--include-partial-messages`). */
  readonly partialMessages: boolean | undefined
  /** Whether the CLI asks the host for permissions (`--permission-prompt-tool stdio`). */
  readonly permissionPrompts: boolean | undefined
  /** Options that must be sent in `initialize`, because they were too long for the command line. */
  readonly initialize: Omit<InitializeRequest, "subtype"> | undefined
}

/** A connected CLI, and how it was started. */
export interface Connected extends Transport {
  readonly launch: Launch
}

/** Starts CLIs. */
export interface Service {
  /** Starts a CLI, which ends with the scope. */
  readonly connect: (options?: ConnectOptions) => Effect.Effect<Connected, TransportError, Scope.Scope>
}

/**
 * The way to start a CLI, as a service.
 *
 * @example
 * ```ts
 * import { Connector } from "@claude-duplex/protocol/Connector"
 * import { Effect } from "effect"
 *
 * const exit = Effect.scoped(Effect.gen(function*() {
 *   const connector = yield* Connector
 *   const transport = yield* connector.connect({ resume: "2f4e1c9a-0d3b-4c43-9a43-6d1f3f0f1b52" })
 *   yield* transport.send(`{"type":"user","message":{"role":"user","content":"hello"}}`)
 *   yield* transport.endInput
 *   return yield* transport.exit
 * }))
 * ```
 */
export class Connector extends Context.Tag("@claude-duplex/protocol/Connector")<Connector, Service>() {}

/** What a function that connects returns: a transport, and as much as it knows of the launch. */
export type Launched = Transport & { readonly launch?: Partial<Launch> | undefined }

const unknownLaunch: Launch = {
  version: Effect.succeedNone,
  replayUserMessages: undefined,
  partialMessages: undefined,
  permissionPrompts: undefined,
  initialize: undefined
}

const withLaunch = (transport: Launched): Connected => ({
  ...transport,
  launch: { ...unknownLaunch, ...transport.launch }
})

/**
 * A connector from a function that starts a CLI.
 *
 * @example
 * ```ts
 * import * as Connector from "@claude-duplex/protocol/Connector"
 * import * as MockTransport from "@claude-duplex/transport-mock/MockTransport"
 * import { Effect } from "effect"
 *
 * const silent = Connector.make(() => MockTransport.make(() => Effect.never))
 * ```
 */
export const make = <R = never>(
  connect: (options: ConnectOptions) => Effect.Effect<Launched, TransportError, R | Scope.Scope>
): Effect.Effect<Service, never, Exclude<R, Scope.Scope>> =>
  Effect.map(Effect.context<Exclude<R, Scope.Scope>>(), (context): Service => ({
    connect: (options = {}) =>
      Effect.map(connect(options), withLaunch).pipe(
        Effect.mapInputContext((own: Context.Context<Scope.Scope>) =>
          // The scope is that of this connection. All else in `R` is from where the connector was made, whatever the caller has.
          Context.add(Context.merge(own, context), Scope.Scope, Context.get(own, Scope.Scope)) as Context.Context<
            R | Scope.Scope
          >
        )
      )
  }))

/**
 * {@link make} as a layer.
 *
 * @example
 * ```ts
 * import * as Connector from "@claude-duplex/protocol/Connector"
 * import * as MockTransport from "@claude-duplex/transport-mock/MockTransport"
 * import { Effect } from "effect"
 *
 * const Silent = Connector.layer(() => MockTransport.make(() => Effect.never))
 * ```
 */
export const layer = <R = never>(
  connect: (options: ConnectOptions) => Effect.Effect<Launched, TransportError, R | Scope.Scope>
): Layer.Layer<Connector, never, Exclude<R, Scope.Scope>> => Layer.effect(Connector, make(connect))

/**
 * A connector for one transport that is connected already. It connects once: a second `connect` fails with `Closed`, because a
 * transport has one consumer, so a session over it cannot be restarted.
 *
 * @example
 * ```ts
 * import * as Connector from "@claude-duplex/protocol/Connector"
 * import * as MockTransport from "@claude-duplex/transport-mock/MockTransport"
 * import { Effect } from "effect"
 *
 * const connector = Effect.map(MockTransport.make(() => Effect.never), Connector.fromTransport)
 * ```
 */
export const fromTransport = (transport: Launched): Service => {
  let isUsed = false
  return {
    connect: () =>
      Effect.suspend(() => {
        if (isUsed) {
          return new TransportError({
            reason: "Closed",
            detail:
              "This connector has one transport, and it was connected before. Use a connector that can start another CLI."
          })
        }
        isUsed = true
        return Effect.succeed(withLaunch(transport))
      })
  }
}

/**
 * The same connector, with every transport wrapped: by a recorder, by faults, by a log.
 *
 * @example
 * ```ts
 * import * as Connector from "@claude-duplex/protocol/Connector"
 * import { Effect, Stream } from "effect"
 *
 * const counted = (connector: Connector.Service) =>
 *   Connector.mapTransport(connector, (transport) =>
 *     Effect.succeed({
 *       ...transport,
 *       incoming: Stream.tap(transport.incoming, (bytes) => Effect.logDebug(`${bytes.length} bytes`))
 *     }))
 * ```
 */
export const mapTransport = (
  connector: Service,
  wrap: (transport: Connected, options: ConnectOptions) => Effect.Effect<Transport, TransportError, Scope.Scope>
): Service => ({
  connect: (options = {}) =>
    Effect.flatMap(
      connector.connect(options),
      (connected) => Effect.map(wrap(connected, options), (transport) => ({ ...transport, launch: connected.launch }))
    )
})

/**
 * {@link mapTransport} for the layer of a connector.
 *
 * @example
 * ```ts
 * import * as Connector from "@claude-duplex/protocol/Connector"
 * import * as NodeConnector from "@claude-duplex/transport-node/NodeConnector"
 * import { Effect } from "effect"
 *
 * const Logged = Connector.mapLayer(NodeConnector.layer(), (transport) =>
 *   Effect.succeed({ ...transport, send: (line) => Effect.zipLeft(transport.send(line), Effect.logDebug(line)) }))
 * ```
 */
export const mapLayer = <E, R>(
  layer: Layer.Layer<Connector, E, R>,
  wrap: (transport: Connected, options: ConnectOptions) => Effect.Effect<Transport, TransportError, Scope.Scope>
): Layer.Layer<Connector, E, R> =>
  Layer.map(layer, (context) => Context.add(context, Connector, mapTransport(Context.get(context, Connector), wrap)))
