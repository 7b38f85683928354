import * as McpServer from "@claude-duplex/mcp/McpServer"
import { assert, describe, it } from "@effect/vitest"
import { Context, Deferred, Effect, Exit, Fiber, Layer, Scope } from "effect"
import { connect } from "./support/mcpClient.js"

class Greeting extends Context.Tag("Greeting")<Greeting, string>() {}

describe("raw", () => {
  it.scoped("answers with what the function gives, and sends unasked", () =>
    Effect.gen(function*() {
      const client = yield* connect(McpServer.raw((message, { send }) =>
        Effect.gen(function*() {
          yield* send({ jsonrpc: "2.0", method: "notifications/tools/list_changed" })
          return "id" in message && "method" in message
            ? { jsonrpc: "2.0", id: message.id, result: { method: message.method } } as const
            : undefined
        })
      ))
      assert.deepStrictEqual(yield* client.result("anything"), { method: "anything" })
      assert.isUndefined(yield* client.notify("notifications/initialized"))
      assert.strictEqual(client.sent.length, 2)
    }))

  it.scoped("fails as the function does", () =>
    Effect.gen(function*() {
      const client = yield* connect(McpServer.raw(() => Effect.fail("boom")))
      assert.strictEqual(yield* Effect.flip(client.ask("x")), "boom")
      const broken = yield* connect(McpServer.raw((): Effect.Effect<undefined> => {
        throw new Error("boom")
      }))
      assert.isTrue(Exit.isFailure(yield* Effect.exit(broken.ask("x"))))
    }))

  it.scoped("stops what is cancelled, what is interrupted, and nothing else", () =>
    Effect.gen(function*() {
      const running: Array<string> = []
      const stopped: Array<string> = []
      const started = yield* Deferred.make<void>()
      const client = yield* connect(McpServer.raw((message) =>
        "id" in message && "method" in message
          ? Effect.suspend(() => {
            if (running.push(message.method) === 3) Deferred.unsafeDone(started, Effect.void)
            return Effect.onInterrupt(Effect.never, () => Effect.sync(() => void stopped.push(message.method)))
          })
          : Effect.succeed(undefined)
      ))
      const [a, b, c] = yield* Effect.all([
        Effect.fork(client.refused("a", {}, 0)),
        Effect.fork(client.ask("b", {}, "0")),
        Effect.fork(client.ask("c", {}, 1))
      ])
      yield* Deferred.await(started)
      assert.isUndefined(yield* client.notify("notifications/cancelled", { requestId: 0, reason: "enough" }))
      assert.strictEqual(yield* Fiber.join(a), -32800)
      assert.deepStrictEqual(stopped, ["a"])
      yield* Fiber.interrupt(b)
      assert.deepStrictEqual(stopped, ["a", "b"])
      // One that is over, and none at all.
      yield* client.notify("notifications/cancelled", { requestId: 0 })
      yield* client.notify("notifications/cancelled")
      assert.strictEqual(yield* client.refused("c", {}, 1), -32600)
      assert.isNull(yield* Fiber.poll(c).pipe(Effect.map((exit) => exit._tag === "None" ? null : exit)))
    }))

  it.effect("stops everything when its scope closes, and answers", () =>
    Effect.gen(function*() {
      const scope = yield* Scope.make()
      const started = yield* Deferred.make<void>()
      let stopped = false
      const client = yield* Scope.extend(
        connect(McpServer.raw(() =>
          Effect.zipRight(Deferred.succeed(started, undefined), Effect.never).pipe(
            Effect.onInterrupt(() => Effect.sync(() => stopped = true))
          )
        )),
        scope
      )
      const asked = yield* Effect.fork(client.refused("a"))
      yield* Deferred.await(started)
      yield* Scope.close(scope, Exit.void)
      assert.isTrue(stopped)
      assert.strictEqual(yield* Fiber.join(asked), -32800)
    }))
})

describe("provide", () => {
  it.effect("builds what a server needs once a connection, and for as long", () =>
    Effect.gen(function*() {
      const log: Array<string> = []
      const greeting = Layer.scoped(
        Greeting,
        Effect.acquireRelease(
          Effect.sync(() => {
            log.push("built")
            return "hello"
          }),
          () => Effect.sync(() => void log.push("released"))
        )
      )
      const server = McpServer.raw((message) =>
        Effect.map(
          Greeting,
          (text) => ({ jsonrpc: "2.0", id: "id" in message ? message.id ?? 0 : 0, result: { text } })
        )
      )
      const scope = yield* Scope.make()
      const client = yield* Scope.extend(connect(McpServer.provide(server, greeting)), scope)
      assert.deepStrictEqual(yield* client.result("a"), { text: "hello" })
      assert.deepStrictEqual(yield* client.result("b"), { text: "hello" })
      assert.deepStrictEqual(log, ["built"])
      yield* Scope.close(scope, Exit.void)
      assert.deepStrictEqual(log, ["built", "released"])
    }))
})
