import * as Connector from "@claude-duplex/protocol/Connector"
import { type Transport, TransportError } from "@claude-duplex/protocol/Transport"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Exit, Option, Scope, Stream } from "effect"

const transport: Transport = {
  incoming: Stream.empty,
  send: () => Effect.void,
  endInput: Effect.void,
  close: Effect.void,
  exit: Effect.succeed({ _tag: "Exited", code: 0, stderr: "" })
}

class Executable extends Context.Tag("test/Executable")<Executable, string>() {}

describe("make", () => {
  it.effect("gives each connection a scope of its own, and the services from when the connector was made", () =>
    Effect.gen(function*() {
      const open: Array<string> = []
      const connector = yield* Connector.make(({ resume = "new" }) =>
        Effect.flatMap(Executable, (executable) => {
          const name = `${executable} ${resume}`
          return Effect.as(
            Effect.acquireRelease(
              Effect.sync(() => open.push(name)),
              () => Effect.sync(() => open.splice(open.indexOf(name), 1))
            ),
            transport
          )
        })
      ).pipe(Effect.provideService(Executable, "claude"))
      const [a, b] = [yield* Scope.make(), yield* Scope.make()]
      yield* Scope.extend(connector.connect(), a)
      yield* Scope.extend(connector.connect({ resume: "s" }), b)
      assert.deepStrictEqual(open, ["claude new", "claude s"])
      yield* Scope.close(a, Exit.void)
      assert.deepStrictEqual(open, ["claude s"])
      yield* Scope.close(b, Exit.void)
      assert.deepStrictEqual(open, [])
    }))

  it.scoped("has the services from where it was made, whatever the caller has", () =>
    Effect.gen(function*() {
      let seen = ""
      const connector = yield* Connector.make(() =>
        Effect.map(Executable, (executable) => {
          seen = executable
          return transport
        })
      ).pipe(Effect.provideService(Executable, "its own"))
      yield* Effect.provideService(connector.connect(), Executable, "the caller's")
      assert.strictEqual(seen, "its own")
    }))

  it.scoped("leaves what is not known of the launch undefined", () =>
    Effect.gen(function*() {
      const connector = yield* Connector.make(() => Effect.succeed({ ...transport, launch: { partialMessages: true } }))
      const { launch } = yield* connector.connect()
      assert.deepInclude(launch, { partialMessages: true, permissionPrompts: undefined, replayUserMessages: undefined })
      assert.isTrue(Option.isNone(yield* launch.version))
    }))
})

describe("fromTransport", () => {
  it.scoped("connects once: a transport has one consumer", () =>
    Effect.gen(function*() {
      const connector = Connector.fromTransport(transport)
      yield* connector.connect()
      assert.strictEqual((yield* Effect.flip(connector.connect())).reason, "Closed")
    }))
})

describe("mapTransport", () => {
  it.scoped("wraps every transport, and keeps what is known of its launch", () =>
    Effect.gen(function*() {
      const connector = yield* Connector.make(() =>
        Effect.succeed({ ...transport, launch: { permissionPrompts: true } })
      )
      const resumed: Array<string | undefined> = []
      const wrapped = Connector.mapTransport(connector, (_, { resume }) =>
        Effect.sync(() => {
          resumed.push(resume)
          return { ...transport, pid: 4_711 }
        }))
      const connected = yield* wrapped.connect({ resume: "s" })
      assert.strictEqual(connected.pid, 4_711)
      assert.isTrue(connected.launch.permissionPrompts)
      assert.deepStrictEqual(resumed, ["s"])
    }))

  it.scoped("wraps the transports of a layer", () =>
    Effect.gen(function*() {
      const { connect } = yield* Connector.Connector
      assert.strictEqual((yield* connect()).pid, 4_711)
    }).pipe(Effect.provide(
      Connector.mapLayer(
        Connector.layer(() => Effect.succeed(transport)),
        (inner) => Effect.succeed({ ...inner, pid: 4_711 })
      )
    )))

  it.scoped("fails as the connector fails, and as the wrapper fails", () =>
    Effect.gen(function*() {
      const error = (detail: string) => new TransportError({ reason: "Spawn", detail })
      const broken = yield* Connector.make(() => error("connector"))
      const connector = Connector.fromTransport(transport)
      const failures = yield* Effect.all([
        Effect.flip(Connector.mapTransport(broken, Effect.succeed).connect()),
        Effect.flip(Connector.mapTransport(connector, () => error("wrapper")).connect())
      ])
      assert.deepStrictEqual(failures.map(({ detail }) => detail), ["connector", "wrapper"])
    }))
})
