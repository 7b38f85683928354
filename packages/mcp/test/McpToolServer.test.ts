import * as McpTool from "@claude-duplex/mcp/McpTool"
import * as McpToolServer from "@claude-duplex/mcp/McpToolServer"
import { assert, describe, it } from "@effect/vitest"
import { Context, Deferred, Effect, Exit, Fiber, Schema, Scope } from "effect"
import { expectTypeOf } from "vitest"
import { connect, failed, said } from "./support/mcpClient.js"

class Factor extends Context.Tag("Factor")<Factor, number>() {}
class Unit extends Context.Tag("Unit")<Unit, string>() {}

const add = McpTool.make({
  name: "add",
  description: "Adds.",
  input: Schema.Struct({ a: Schema.Number, b: Schema.Number }),
  annotations: { readOnlyHint: true },
  run: ({ a, b }) => a === b ? Effect.fail("Too easy") : Effect.succeed(String(a + b))
})

const scale = McpTool.make({
  name: "scale",
  description: "Scales.",
  input: Schema.Struct({ n: Schema.Number }),
  run: ({ n }) => Effect.map(Factor, (factor) => String(n * factor))
})

const calc = McpToolServer.make({ name: "calc", version: "1.2.3", instructions: "Count.", tools: [add] })

const initialize = (protocolVersion: string) => ({ protocolVersion, capabilities: {}, clientInfo: { name: "c" } })

describe("the handshake", () => {
  it.scoped("agrees on a version, again and again", () =>
    Effect.gen(function*() {
      const client = yield* connect(calc)
      const introduced = (protocolVersion: string) => ({
        protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: "calc", version: "1.2.3" },
        instructions: "Count."
      })
      assert.deepStrictEqual(yield* client.result("initialize", initialize("2025-06-18")), introduced("2025-06-18"))
      assert.isUndefined(yield* client.notify("notifications/initialized"))
      assert.deepStrictEqual(yield* client.result("initialize", initialize("2099-01-01")), introduced("2025-11-25"))
      assert.deepStrictEqual(yield* client.result("initialize"), introduced("2025-11-25"))
      assert.deepStrictEqual(yield* client.result("ping"), {})
      assert.deepStrictEqual(client.sent, [])
    }))

  it.scoped("shows the tools as they are defined", () =>
    Effect.gen(function*() {
      const client = yield* connect(calc)
      assert.deepStrictEqual(yield* client.result("tools/list"), {
        tools: [{
          name: "add",
          description: "Adds.",
          inputSchema: {
            type: "object",
            required: ["a", "b"],
            properties: { a: { type: "number" }, b: { type: "number" } },
            additionalProperties: false
          },
          annotations: { readOnlyHint: true }
        }]
      })
    }))

  it("has one tool of a name", () => {
    assert.throws(() => McpToolServer.make({ name: "calc", tools: [add, scale, add] }), "Two tools are called add")
  })
})

describe("calls", () => {
  it.scoped("are answered with the tool's result, errors too", () =>
    Effect.gen(function*() {
      const client = yield* connect(calc)
      assert.deepStrictEqual(yield* client.call("add", { a: 2, b: 40 }), said("42"))
      assert.deepStrictEqual(yield* client.call("add", { a: 1, b: 1 }), failed("Too easy"))
      assert.deepStrictEqual(
        yield* client.call("add", { a: 1, b: "2" }),
        failed(`Invalid input:\n- b: Expected number, actual "2"`)
      )
    }))

  it.scoped("of what is not there are refused", () =>
    Effect.gen(function*() {
      const client = yield* connect(calc)
      assert.strictEqual(yield* client.refused("tools/call", { name: "sub", arguments: {} }), -32602)
      assert.strictEqual(yield* client.refused("tools/call", { arguments: {} }), -32602)
      assert.strictEqual(yield* client.refused("tools/call", { name: "add", arguments: [1, 2] }), -32602)
      assert.strictEqual(yield* client.refused("resources/list"), -32601)
      // Notifications and answers need none, whatever they are about.
      assert.isUndefined(yield* client.notify("notifications/unheard_of"))
      assert.isUndefined(yield* client.take({ jsonrpc: "2.0", id: 1, result: {} }))
    }))

  it.scoped("know where they come from, and tell how far they are, if anybody asked", () =>
    Effect.gen(function*() {
      const ids: Array<string | undefined> = []
      const client = yield* connect(McpToolServer.make({
        name: "s",
        tools: [McpTool.make({
          name: "t",
          description: "d",
          input: Schema.Struct({}),
          run: (_, { meta, progress, toolUseId }) =>
            Effect.gen(function*() {
              ids.push(toolUseId)
              yield* progress({ progress: 1 })
              yield* progress({ progress: 2, total: 2, message: undefined })
              return Object.keys(meta).join()
            })
        })]
      }))
      assert.deepStrictEqual(yield* client.call("t"), said(""))
      assert.deepStrictEqual(client.sent, [])
      const meta = { "claudecode/toolUseId": "toolu_1", progressToken: 0 }
      assert.deepStrictEqual(yield* client.call("t", {}, meta), said("claudecode/toolUseId,progressToken"))
      assert.deepStrictEqual(client.sent, [
        { jsonrpc: "2.0", method: "notifications/progress", params: { progressToken: 0, progress: 1 } },
        { jsonrpc: "2.0", method: "notifications/progress", params: { progressToken: 0, progress: 2, total: 2 } }
      ])
      assert.deepStrictEqual(ids, [undefined, "toolu_1"])
    }))
})

describe("calls side by side", () => {
  /** A tool that waits at a gate of its own, and a note of those that were stopped. */
  const gated = Effect.gen(function*() {
    const stopped: Array<string> = []
    const names = ["a", "b"]
    const gates = yield* Effect.all({ a: Deferred.make<void>(), b: Deferred.make<void>() })
    const started = yield* Effect.all({ a: Deferred.make<void>(), b: Deferred.make<void>() })
    const server = McpToolServer.make({
      name: "s",
      tools: [McpTool.make({
        name: "wait",
        description: "d",
        input: Schema.Struct({ at: Schema.Literal("a", "b") }),
        run: ({ at }) =>
          Deferred.succeed(started[at], undefined).pipe(
            Effect.zipRight(Deferred.await(gates[at])),
            Effect.as(at),
            Effect.onInterrupt(() => Effect.sync(() => stopped.push(at)))
          )
      })]
    })
    return { gates, names, server, started, stopped }
  })

  it.scoped("are answered each for itself, in any order", () =>
    Effect.gen(function*() {
      const { gates, server, started } = yield* gated
      const client = yield* connect(server)
      const a = yield* Effect.fork(client.call("wait", { at: "a" }, {}, 1))
      const b = yield* Effect.fork(client.call("wait", { at: "b" }, {}, "1"))
      yield* Deferred.await(started.a)
      yield* Deferred.await(started.b)
      yield* Deferred.succeed(gates.b, undefined)
      assert.deepStrictEqual(yield* Fiber.join(b), said("b"))
      // A handshake in between leaves them alone, as the CLI does.
      yield* client.result("initialize", initialize("2025-11-25"))
      yield* Deferred.succeed(gates.a, undefined)
      assert.deepStrictEqual(yield* Fiber.join(a), said("a"))
    }))

  it.scoped("are cancelled each for itself, and really stop", () =>
    Effect.gen(function*() {
      const { gates, server, started, stopped } = yield* gated
      const client = yield* connect(server)
      const params = (at: string) => ({ name: "wait", arguments: { at } })
      const a = yield* Effect.fork(client.refused("tools/call", params("a"), "c:2"))
      const b = yield* Effect.fork(client.result("tools/call", params("b"), "c:3"))
      yield* Deferred.await(started.a)
      yield* Deferred.await(started.b)
      const reason = "AbortError: remote-cancel"
      assert.isUndefined(yield* client.notify("notifications/cancelled", { requestId: "c:2", reason }))
      assert.strictEqual(yield* Fiber.join(a), -32800)
      assert.deepStrictEqual(stopped, ["a"])
      yield* Deferred.succeed(gates.b, undefined)
      assert.deepStrictEqual(yield* Fiber.join(b), said("b"))
    }))

  it.effect("stop with the scope", () =>
    Effect.gen(function*() {
      const { server, started, stopped } = yield* gated
      const scope = yield* Scope.make()
      const client = yield* Scope.extend(connect(server), scope)
      const a = yield* Effect.fork(client.refused("tools/call", { name: "wait", arguments: { at: "a" } }))
      yield* Deferred.await(started.a)
      yield* Scope.close(scope, Exit.void)
      assert.deepStrictEqual(stopped, ["a"])
      assert.strictEqual(yield* Fiber.join(a), -32800)
    }))
})

it.scoped("what any tool needs, the server needs", () =>
  Effect.gen(function*() {
    const name = McpTool.make({
      name: "name",
      description: "d",
      input: Schema.Struct({}),
      run: () => Unit
    })
    const server = McpToolServer.make({ name: "s", tools: [add, scale, name] })
    const connected = connect(server)
    expectTypeOf<Effect.Effect.Context<typeof connected>>().toEqualTypeOf<Factor | Unit | Scope.Scope>()
    const both = Effect.gen(function*() {
      const client = yield* connected
      return yield* Effect.all([client.call("scale", { n: 2 }), client.call("name")])
    })
    const results = yield* both.pipe(Effect.provideService(Factor, 3), Effect.provideService(Unit, "m"))
    assert.deepStrictEqual(results, [said("6"), said("m")])
  }))
