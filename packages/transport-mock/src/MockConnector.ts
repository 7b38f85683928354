/**
 * Connects sessions to fakes in memory: a script, a replay, or any other {@link Behaviour}. Owns which behaviour plays which
 * connection, and keeps the connections for tests that ask how each ended; one connection is a `MockTransport`.
 *
 * @since 0.1.0
 * @stability stable
 */
import * as Connector from "@claude-duplex/protocol/Connector"
import { TransportError } from "@claude-duplex/protocol/Transport"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as MockTransport from "./MockTransport.js"
import type { Behaviour } from "./Peer.js"

/** A connection that was made. */
export interface MockConnection<E = never> {
  /** The conversation that it was to resume. */
  readonly resume: string | undefined
  readonly transport: MockTransport.MockTransport<E>
}

/** A connector to fakes. */
export interface Service<E = never> extends Connector.Service {
  /** The connections so far, oldest first. */
  readonly connections: Effect.Effect<ReadonlyArray<MockConnection<E>>>
  /**
   * Waits for the end of the behaviour of the newest connection, and fails as it did: a host that deviates from a script or a
   * recording gets the reason here. Before the first connection, there is nothing to wait for.
   */
  readonly outcome: Effect.Effect<void, E>
}

/** The {@link Service} behind the `Connector` of {@link layer}, for tests that ask how its behaviours ended. */
export class MockConnector extends Context.Tag("@claude-duplex/transport-mock/MockConnector")<
  MockConnector,
  Service<unknown>
>() {}

/** How the fake claims to have been started. A session reads it as it reads the launch of a real CLI. */
export type Launch = Partial<Connector.Launch>

const fromBehaviours = <E, R>(
  behaviourAt: (index: number) => Behaviour<E, R> | undefined,
  launch: Launch | undefined
): Effect.Effect<Service<E>, never, Exclude<R, Scope.Scope>> =>
  Effect.gen(function*() {
    const connections: Array<MockConnection<E>> = []
    let count = 0
    const { connect } = yield* Connector.make(({ resume }): Effect.Effect<
      Connector.Launched,
      TransportError,
      R | Scope.Scope
    > =>
      Effect.suspend(() => {
        const behaviour = behaviourAt(count++)
        return behaviour === undefined ? noneLeft(count) : MockTransport.make(behaviour).pipe(
          Effect.tap((transport) => Effect.sync(() => connections.push({ resume, transport }))),
          Effect.map((transport) => ({ ...transport, launch }))
        )
      })
    )
    return {
      connect,
      connections: Effect.sync(() => [...connections]),
      outcome: Effect.suspend(() => connections.at(-1)?.transport.outcome ?? Effect.void)
    }
  })

const noneLeft = (count: number) =>
  new TransportError({ reason: "Spawn", detail: `The connector has no behaviour for connection ${count}.` })

/**
 * A connector whose every connection plays this behaviour from the start.
 *
 * @example
 * ```ts
 * import * as Connector from "@claude-duplex/protocol/Connector"
 * import * as Session from "@claude-duplex/session/Session"
 * import * as MockConnector from "@claude-duplex/transport-mock/MockConnector"
 * import * as Script from "@claude-duplex/transport-mock/Script"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function*() {
 *   const connector = yield* MockConnector.make(Script.behaviour(Script.make(Script.exit(1))))
 *   const failure = yield* Effect.flip(Effect.provideService(Session.make(), Connector.Connector, connector))
 *   yield* connector.outcome // fails if the session deviated from the script
 *   return failure
 * })
 * ```
 */
export const make = <E = never, R = never>(
  behaviour: Behaviour<E, R>,
  launch?: Launch
): Effect.Effect<Service<E>, never, Exclude<R, Scope.Scope>> => fromBehaviours(() => behaviour, launch)

/**
 * A connector whose first connection plays the first behaviour, its second one the second, and so on; `undefined` is a CLI that
 * cannot be started. When all are used, `connect` fails with `Spawn`. For tests of restarts.
 *
 * @example
 * ```ts
 * import * as MockConnector from "@claude-duplex/transport-mock/MockConnector"
 * import * as Script from "@claude-duplex/transport-mock/Script"
 *
 * const crashesOnce = MockConnector.sequence([
 *   Script.behaviour(Script.make(Script.exit(137))),
 *   Script.behaviour(Script.make(Script.expectEnd()))
 * ])
 * ```
 */
export const sequence = <E = never, R = never>(
  behaviours: ReadonlyArray<Behaviour<E, R> | undefined>,
  launch?: Launch
): Effect.Effect<Service<E>, never, Exclude<R, Scope.Scope>> => fromBehaviours((index) => behaviours[index], launch)

/**
 * {@link make} as a layer.
 *
 * @example
 * ```ts
 * import * as Session from "@claude-duplex/session/Session"
 * import * as MockConnector from "@claude-duplex/transport-mock/MockConnector"
 * import { Effect, Layer } from "effect"
 *
 * const Conversation = Session.layer().pipe(Layer.provideMerge(MockConnector.layer(() => Effect.never)))
 * const outcome = Effect.flatMap(MockConnector.MockConnector, (mock) => mock.outcome)
 * ```
 */
export const layer = <E = never, R = never>(
  behaviour: Behaviour<E, R>,
  launch?: Launch
): Layer.Layer<Connector.Connector | MockConnector, never, Exclude<R, Scope.Scope>> =>
  Layer.effectContext(
    Effect.map(make(behaviour, launch), (service) =>
      Context.add(Context.make(Connector.Connector, service), MockConnector, service))
  )
