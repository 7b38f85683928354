import { Connector } from "@claude-duplex/protocol/Connector"
import * as MockConnector from "@claude-duplex/transport-mock/MockConnector"
import * as Script from "@claude-duplex/transport-mock/Script"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"

const says = (text: string) => Script.behaviour(Script.make(Script.replyLine(text), Script.exit(0)))

const output = (connector: Connector["Type"]) =>
  Effect.gen(function*() {
    const { incoming } = yield* connector.connect()
    return yield* Stream.mkString(Stream.decodeText(incoming))
  })

describe("make", () => {
  it.scoped("plays the behaviour from the start in every connection", () =>
    Effect.gen(function*() {
      const connector = yield* MockConnector.make(says("{}"))
      assert.deepStrictEqual(yield* Effect.all([output(connector), output(connector)]), ["{}\n", "{}\n"])
      assert.lengthOf(yield* connector.connections, 2)
    }))

  it.scoped("shows how the newest connection ended", () =>
    Effect.gen(function*() {
      const connector = yield* MockConnector.make(Script.behaviour(Script.make(Script.expect({ type: "user" }))))
      yield* connector.outcome // nothing was connected, so nothing deviated
      const { send } = yield* connector.connect()
      yield* send(`{"type":"control_cancel_request","request_id":"1"}`)
      assert.strictEqual((yield* Effect.flip(connector.outcome)).reason, "Unexpected")
    }))
})

describe("sequence", () => {
  it.scoped("plays one behaviour after the other, and fails where there is none", () =>
    Effect.gen(function*() {
      const connector = yield* MockConnector.sequence([says("1"), undefined, says("3")])
      const outputs = yield* Effect.all([output(connector), output(connector), output(connector), output(connector)], {
        mode: "either"
      })
      assert.deepStrictEqual(
        outputs.map((result) => result._tag === "Right" ? result.right : result.left.reason),
        ["1\n", "Spawn", "3\n", "Spawn"]
      )
    }))
})

describe("layer", () => {
  it.scoped("provides the connector, and itself to ask how its behaviour ended", () =>
    Effect.gen(function*() {
      const connector = yield* Connector
      assert.strictEqual(yield* output(connector), "{}\n")
      const mock = yield* MockConnector.MockConnector
      yield* mock.outcome
      assert.lengthOf(yield* mock.connections, 1)
    }).pipe(Effect.provide(MockConnector.layer(says("{}")))))
})
