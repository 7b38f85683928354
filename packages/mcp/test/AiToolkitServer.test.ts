import * as AiToolkitServer from "@claude-duplex/mcp/AiToolkitServer"
import * as McpServer from "@claude-duplex/mcp/McpServer"
import * as Tool from "@effect/ai/Tool"
import * as Toolkit from "@effect/ai/Toolkit"
import { assert, describe, it } from "@effect/vitest"
import { Context, Deferred, Effect, Fiber, Layer, Logger, LogLevel, Schema } from "effect"
import { connect, failed, said } from "./support/mcpClient.js"

class Weather extends Context.Tag("Weather")<Weather, { readonly degrees: number }>() {}
class Unit extends Context.Tag("Unit")<Unit, string>() {}

class NoSuchCity extends Schema.TaggedError<NoSuchCity>()("NoSuchCity", { city: Schema.String }) {
  override get message() {
    return `There is no ${this.city}`
  }
}

const toolkit = Toolkit.make(
  Tool.make("weather", {
    description: "Tells the weather.",
    parameters: { city: Schema.String, day: Schema.optional(Schema.NumberFromString) },
    success: Schema.Struct({ degrees: Schema.Number, at: Schema.Date }),
    failure: NoSuchCity
  }).annotate(Tool.Title, "Weather").annotate(Tool.Readonly, true).annotate(Tool.OpenWorld, false),
  Tool.make("returned", { failure: NoSuchCity, failureMode: "return" }),
  Tool.make("text", { success: Schema.String, dependencies: [Unit] }),
  Tool.make("list", { success: Schema.Array(Schema.Int) }),
  Tool.make("nothing"),
  Tool.make("die"),
  Tool.make("wrong", { success: Schema.Int }),
  Tool.make("wait")
)

const fixture = Effect.gen(function*() {
  const started = yield* Deferred.make<void>()
  const stopped = yield* Deferred.make<void>()
  const handlers = toolkit.toLayer(Effect.map(Weather, ({ degrees }) =>
    toolkit.of({
      weather: ({ city, day = 0 }) =>
        city === "Atlantis" ? Effect.fail(new NoSuchCity({ city })) : Effect.succeed({ degrees, at: new Date(day) }),
      returned: () => Effect.fail(new NoSuchCity({ city: "Ys" })),
      text: () => Unit,
      list: () => Effect.succeed([1, 2]),
      nothing: () => Effect.void,
      die: () => Effect.die(new Error("secret")),
      wrong: () => Effect.succeed(1.5),
      wait: () =>
        Deferred.succeed(started, undefined).pipe(
          Effect.zipRight(Effect.never),
          Effect.onInterrupt(() => Deferred.succeed(stopped, undefined))
        )
    })))
  const server = AiToolkitServer.make({ name: "weather", version: "2.0.0", toolkit })
  const client = yield* connect(McpServer.provide(
    server,
    handlers.pipe(Layer.provide(Layer.succeed(Weather, { degrees: 20 })), Layer.merge(Layer.succeed(Unit, "°C")))
  ))
  return { client, started, stopped }
})

describe("a toolkit", () => {
  it.scoped("is listed as @effect/ai lists it", () =>
    Effect.gen(function*() {
      const { client } = yield* fixture
      const { serverInfo } = yield* client.result("initialize", { protocolVersion: "2025-11-25" })
      assert.deepStrictEqual(serverInfo, { name: "weather", version: "2.0.0" })
      const { tools } = yield* client.result("tools/list")
      const [weather, returned] = Array.isArray(tools) ? tools : []
      assert.deepStrictEqual(weather, {
        name: "weather",
        description: "Tells the weather.",
        inputSchema: {
          type: "object",
          required: ["city"],
          properties: {
            city: { type: "string" },
            day: { type: "string", description: "a string to be decoded into a number" }
          },
          additionalProperties: false
        },
        annotations: {
          title: "Weather",
          readOnlyHint: true,
          destructiveHint: true,
          idempotentHint: false,
          openWorldHint: false
        }
      })
      assert.deepStrictEqual(returned.inputSchema, { type: "object", properties: {}, additionalProperties: false })
    }))

  it.scoped("is called", () =>
    Effect.gen(function*() {
      const { client } = yield* fixture
      const weather = { degrees: 20, at: "1970-01-01T00:00:00.005Z" }
      assert.deepStrictEqual(yield* client.call("weather", { city: "Oslo", day: "5" }), {
        ...said(JSON.stringify(weather)),
        structuredContent: weather
      })
      assert.deepStrictEqual(yield* client.call("text"), said("°C"))
      assert.deepStrictEqual(yield* client.call("list"), said("[1,2]"))
      assert.deepStrictEqual(yield* client.call("nothing"), { content: [] })
      assert.strictEqual(yield* client.refused("tools/call", { name: "other" }), -32602)
    }))

  it.scoped("tells what goes wrong, and no more than is meant to be told", () =>
    Effect.gen(function*() {
      const { client } = yield* fixture
      assert.deepStrictEqual(
        yield* client.call("weather", { day: 5 }),
        failed("Invalid input:\n- city: is missing")
      )
      assert.deepStrictEqual(yield* client.call("weather", { city: "Atlantis" }), failed("There is no Atlantis"))
      const returned = yield* client.call("returned")
      assert.strictEqual(returned["isError"], true)
      assert.deepStrictEqual(returned["structuredContent"], { _tag: "NoSuchCity", city: "Ys" })
      const quiet = Effect.provide(Logger.minimumLogLevel(LogLevel.None))
      assert.deepStrictEqual(yield* quiet(client.call("die")), failed("The tool failed."))
      assert.deepStrictEqual(yield* quiet(client.call("wrong")), failed("The tool failed."))
    }))

  it.scoped("stops what is cancelled", () =>
    Effect.gen(function*() {
      const { client, started, stopped } = yield* fixture
      const call = yield* Effect.fork(client.refused("tools/call", { name: "wait" }, "x:1"))
      yield* Deferred.await(started)
      yield* client.notify("notifications/cancelled", { requestId: "x:1" })
      yield* Deferred.await(stopped)
      assert.strictEqual(yield* Fiber.join(call), -32800)
    }))

  it("needs its handlers, and what its tools depend on", () => {
    const server = AiToolkitServer.make({ name: "weather", toolkit })
    const typed: McpServer.McpServer<Unit | Tool.HandlersFor<Toolkit.Tools<typeof toolkit>>> = server
    // @ts-expect-error: the handlers are missing.
    const handlers: McpServer.McpServer<Unit> = server
    // @ts-expect-error: a dependency is missing.
    const dependency: McpServer.McpServer<Tool.HandlersFor<Toolkit.Tools<typeof toolkit>>> = server
    assert.deepStrictEqual<unknown>([typed, handlers], [server, dependency])
  })
})
