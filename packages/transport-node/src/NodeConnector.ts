/**
 * Starts `claude` processes for sessions: `NodeTransport` as a `Connector`. Owns what a resumed or restarted conversation changes in
 * the CLI's options; what the options mean is in `CliOptions`, and the process itself in `NodeTransport`.
 *
 * Options that are too long for a command line move to the `initialize` request, which the session sends (`CliInitialize.split`).
 *
 * @since 0.1.0
 * @stability stable
 */
import * as Connector from "@claude-duplex/protocol/Connector"
import { TransportError } from "@claude-duplex/protocol/Transport"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as CliInitialize from "./CliInitialize.js"
import * as CliOptions from "./CliOptions.js"
import * as NodeTransport from "./NodeTransport.js"

/** The CLI's options for one connection. */
const optionsFor = (
  cli: CliOptions.CliOptions,
  { isRestart, resume }: Connector.ConnectOptions
): CliOptions.CliOptions => {
  if (resume === undefined) return cli
  const resumed = { ...cli, resume, continue: undefined }
  // These act once: a restart continues the conversation that they began.
  return isRestart === true
    ? { ...resumed, forkSession: undefined, resumeSessionAt: undefined, sessionId: undefined }
    : resumed
}

/**
 * A connector that starts `claude` processes. Fails with `CliOptionsError` if the options contradict each other, before any
 * process starts.
 *
 * @example
 * ```ts
 * import * as NodeConnector from "@claude-duplex/transport-node/NodeConnector"
 * import { Effect } from "effect"
 *
 * const pid = Effect.scoped(Effect.gen(function*() {
 *   const connector = yield* NodeConnector.make({ cli: { model: "haiku" } })
 *   return (yield* connector.connect()).pid
 * }))
 * ```
 */
export const make = (
  options: NodeTransport.Options = {}
): Effect.Effect<Connector.Service, CliOptions.CliOptionsError> =>
  Effect.gen(function*() {
    const { initialize, options: cli } = CliInitialize.split(options.cli ?? {})
    yield* CliOptions.toArgv(cli)
    const isMoved = Object.keys(initialize).length > 0
    return yield* Connector.make((connection) =>
      NodeTransport.make({ ...options, cli: optionsFor(cli, connection) }).pipe(
        Effect.map((transport): Connector.Connected => ({
          ...transport,
          launch: { ...transport.launch, ...(isMoved ? { initialize } : {}) }
        })),
        // The options were checked above, so it is about the conversation to resume.
        Effect.catchTag("CliOptionsError", (error) =>
          new TransportError({ reason: "Spawn", detail: error.message, cause: error }))
      )
    )
  })

/**
 * A connector that starts any program that speaks the protocol over stdio, such as a wrapper, a proxy or a fake. The command is a
 * function if it depends on the conversation to resume.
 *
 * @example
 * ```ts
 * import * as NodeConnector from "@claude-duplex/transport-node/NodeConnector"
 *
 * const remote = NodeConnector.fromCommand(({ resume }) => ({
 *   command: "ssh",
 *   args: ["build-host", "claude-stdio", ...(resume === undefined ? [] : [`--resume=${resume}`])],
 *   env: { PATH: "/usr/bin" }
 * }))
 * ```
 */
export const fromCommand = (
  command: NodeTransport.Command | ((options: Connector.ConnectOptions) => NodeTransport.Command),
  launch?: Partial<Connector.Launch>
): Effect.Effect<Connector.Service> =>
  Connector.make((options) =>
    Effect.map(
      NodeTransport.fromCommand(typeof command === "function" ? command(options) : command),
      (transport) => ({ ...transport, launch })
    )
  )

/**
 * {@link make} as a layer.
 *
 * @example
 * ```ts
 * import * as Session from "@claude-duplex/session/Session"
 * import * as NodeConnector from "@claude-duplex/transport-node/NodeConnector"
 * import { Layer } from "effect"
 *
 * const Claude = NodeConnector.layer({ cli: { permissionPromptTool: "stdio" } })
 * const Conversation = Layer.provide(Session.layer(), Claude)
 * ```
 */
export const layer = (
  options: NodeTransport.Options = {}
): Layer.Layer<Connector.Connector, CliOptions.CliOptionsError> => Layer.effect(Connector.Connector, make(options))
