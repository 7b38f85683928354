import * as McpSdkServer from "@claude-duplex/mcp/McpSdkServer"
import type { JsonRpcId } from "@claude-duplex/protocol/schema/JsonRpc"
import { assert, describe, it } from "@effect/vitest"
import { Server } from "@modelcontextprotocol/sdk/server/index.js"
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js"
import { CallToolRequestSchema } from "@modelcontextprotocol/sdk/types.js"
import { Deferred, Effect, Exit, Fiber, FiberId, Scope } from "effect"
import { z } from "zod"
import { connect, failed, said } from "./support/mcpClient.js"

const initialize = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "c", version: "1" } }

/** Something that a promise of the SDK's waits for, or sets off. */
const signal = () => {
  const deferred = Deferred.unsafeMake<void>(FiberId.none)
  return {
    wait: Deferred.await(deferred),
    waiting: () => Effect.runPromise(Deferred.await(deferred)),
    give: () => Deferred.unsafeDone(deferred, Effect.void)
  }
}

/** Servers with a tool for each case, and what became of them. */
const fixture = () => {
  const gates = { a: signal(), b: signal() }
  const started = { a: signal(), b: signal() }
  const aborted: Array<string> = []
  const closed = signal()
  const make = () => {
    const mcp = new McpServer({ name: "sdk", version: "1.0.0" })
    mcp.registerTool(
      "add",
      { description: "Adds.", inputSchema: { a: z.number(), b: z.number() }, annotations: { readOnlyHint: true } },
      ({ a, b }) => ({ content: [{ type: "text", text: String(a + b) }], isError: undefined })
    )
    mcp.registerTool("wait", { inputSchema: { at: z.enum(["a", "b"]) } }, async ({ at }, { signal }) => {
      signal.addEventListener("abort", () => aborted.push(at))
      started[at].give()
      await gates[at].waiting()
      return { content: [{ type: "text", text: at }] }
    })
    mcp.registerTool("work", {}, async ({ _meta, sendNotification }) => {
      const progressToken = _meta?.progressToken ?? "none"
      await sendNotification({ method: "notifications/progress", params: { progressToken, progress: 1 } })
      return { content: [{ type: "text", text: "worked" }] }
    })
    mcp.registerTool("fail", {}, () => Promise.reject(new Error("No")))
    mcp.registerTool("ping", {}, async () => ({
      content: [{ type: "text", text: JSON.stringify(await mcp.server.ping()) }]
    }))
    mcp.registerTool("sample", {}, async () => {
      const message = { role: "user", content: { type: "text", text: "?" } } as const
      await mcp.server.createMessage({ messages: [message], maxTokens: 1 })
      return { content: [] }
    })
    mcp.registerTool("close", {}, async () => {
      await mcp.close()
      return { content: [] }
    })
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the SDK has no other way.
    mcp.server.onclose = closed.give
    return mcp
  }
  return { aborted, closed, gates, make, started }
}

const connected = (make: () => McpSdkServer.SdkServer) =>
  Effect.tap(connect(McpSdkServer.make(make)), (client) => client.result("initialize", initialize))

describe("a server of the SDK", () => {
  it.scoped("shakes hands, again too, and lists its tools", () =>
    Effect.gen(function*() {
      const client = yield* connect(McpSdkServer.make(fixture().make))
      for (let i = 0; i < 2; i++) {
        const { protocolVersion, serverInfo } = yield* client.result("initialize", initialize)
        assert.deepStrictEqual([protocolVersion, serverInfo], ["2025-11-25", { name: "sdk", version: "1.0.0" }])
        assert.isUndefined(yield* client.notify("notifications/initialized"))
      }
      const { tools } = yield* client.result("tools/list")
      assert.deepInclude(Array.isArray(tools) ? tools[0] : undefined, {
        name: "add",
        description: "Adds.",
        annotations: { readOnlyHint: true }
      })
    }))

  it.scoped("answers calls, and what it does not know", () =>
    Effect.gen(function*() {
      const client = yield* connected(fixture().make)
      assert.deepStrictEqual(yield* client.call("add", { a: 2, b: 40 }), said("42"))
      assert.strictEqual((yield* client.call("add", { a: "2" }))["isError"], true)
      assert.deepStrictEqual(yield* client.call("fail"), { ...said("No"), isError: true })
      assert.strictEqual(yield* client.refused("nothing/like-it"), -32601)
      // An answer to what it never asked.
      assert.isUndefined(yield* client.take({ jsonrpc: "2.0", id: 77, result: {} }))
    }))

  it.scoped("may be a low-level one, whose answer is not JSON", () =>
    Effect.gen(function*() {
      const client = yield* connected(() => {
        const server = new Server({ name: "low", version: "1" }, { capabilities: { tools: {} } })
        server.setRequestHandler(CallToolRequestSchema, ({ params: { name } }) =>
          name === "bad" ? { content: [], structuredContent: { n: 1n } } : { content: [{ type: "text", text: name }] })
        return server
      })
      assert.deepStrictEqual(yield* client.call("x"), said("x"))
      assert.strictEqual(yield* client.refused("tools/call", { name: "bad" }), -32603)
    }))

  it.scoped("tells how far it is before it answers", () =>
    Effect.gen(function*() {
      const client = yield* connected(fixture().make)
      assert.deepStrictEqual(yield* client.call("work", {}, { progressToken: 7 }), said("worked"))
      assert.deepStrictEqual(client.sent, [
        { jsonrpc: "2.0", method: "notifications/progress", params: { progressToken: 7, progress: 1 } }
      ])
    }))

  for (
    const [tool, answer, result] of [
      ["ping", { result: {} }, said("{}")],
      // What the CLI says to it.
      ["sample", { error: { code: -32601, message: "Method not found" } }, failed("MCP error -32601: Method not found")]
    ] as const
  ) {
    it.scoped(`asks the client, and hears its answer: ${tool}`, () =>
      Effect.gen(function*() {
        const asked = yield* Deferred.make<JsonRpcId>()
        const take = yield* McpSdkServer.make(fixture().make).connect({
          send: (message) => "id" in message && "method" in message ? Deferred.succeed(asked, message.id) : Effect.void
        })
        yield* take({ jsonrpc: "2.0", id: 1, method: "initialize", params: initialize })
        // Its own ids begin with 0 too: the two have nothing to do with each other.
        const called = yield* Effect.fork(take({ jsonrpc: "2.0", id: 0, method: "tools/call", params: { name: tool } }))
        const id = yield* Deferred.await(asked)
        assert.strictEqual(id, 0)
        assert.isUndefined(yield* take({ jsonrpc: "2.0", id, ...answer }))
        assert.deepStrictEqual(yield* Fiber.join(called), { jsonrpc: "2.0", id: 0, result })
      }))
  }
})

describe("calls of the SDK's", () => {
  it.scoped("side by side are answered each for itself", () =>
    Effect.gen(function*() {
      const { gates, make, started } = fixture()
      const client = yield* connected(make)
      const a = yield* Effect.fork(client.call("wait", { at: "a" }, {}, 1))
      const b = yield* Effect.fork(client.call("wait", { at: "b" }, {}, "1"))
      yield* started.a.wait
      yield* started.b.wait
      gates.b.give()
      assert.deepStrictEqual(yield* Fiber.join(b), said("b"))
      gates.a.give()
      assert.deepStrictEqual(yield* Fiber.join(a), said("a"))
    }))

  it.scoped("are aborted when they are cancelled, and when they are interrupted", () =>
    Effect.gen(function*() {
      const { aborted, make, started } = fixture()
      const client = yield* connected(make)
      const a = yield* Effect.fork(client.refused("tools/call", { name: "wait", arguments: { at: "a" } }, "x:1"))
      const b = yield* Effect.fork(client.call("wait", { at: "b" }))
      yield* started.a.wait
      yield* started.b.wait
      yield* client.notify("notifications/cancelled", { requestId: "x:1" })
      assert.strictEqual(yield* Fiber.join(a), -32800)
      yield* Fiber.interrupt(b)
      // The SDK aborts in its own time; a round trip is longer.
      yield* client.result("ping")
      assert.deepStrictEqual(aborted, ["a", "b"])
    }))
})

describe("the end", () => {
  it.effect("of the scope closes the server and ends what waits", () =>
    Effect.gen(function*() {
      const { closed, make, started } = fixture()
      const scope = yield* Scope.make()
      const client = yield* Scope.extend(connected(make), scope)
      const a = yield* Effect.fork(client.refused("tools/call", { name: "wait", arguments: { at: "a" } }))
      yield* started.a.wait
      yield* Scope.close(scope, Exit.void)
      yield* closed.wait
      assert.strictEqual(yield* Fiber.join(a), -32800)
    }))

  it.scoped("of the server's own making leaves nobody waiting", () =>
    Effect.gen(function*() {
      const { make } = fixture()
      const client = yield* connected(make)
      assert.strictEqual(yield* client.refused("tools/call", { name: "close" }), -32000)
      assert.strictEqual(yield* client.refused("ping"), -32000)
    }))

  it.scoped("is a defect if it comes before the beginning", () =>
    Effect.gen(function*() {
      const { make } = fixture()
      const only = make()
      yield* connect(McpSdkServer.make(() => only))
      const again = yield* Effect.exit(connect(McpSdkServer.make(() => only)))
      assert.isTrue(Exit.isFailure(again) && again.cause._tag === "Die")
    }))
})
