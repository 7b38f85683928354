/** What happens between two CLIs of a session: while no process is connected, and just as the next one is. */
import type { McpServer } from "@claude-duplex/mcp/McpServer"
import * as Connector from "@claude-duplex/protocol/Connector"
import { TransportError } from "@claude-duplex/protocol/Transport"
import * as Hook from "@claude-duplex/session/Hook"
import * as HookAnswer from "@claude-duplex/session/HookAnswer"
import * as Session from "@claude-duplex/session/Session"
import * as MockTransport from "@claude-duplex/transport-mock/MockTransport"
import * as Script from "@claude-duplex/transport-mock/Script"
import type { AnyStep } from "@claude-duplex/transport-mock/ScriptStep"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Option, Schedule, type Scope, Stream, TestClock } from "effect"
import { settle, soon } from "./support/handmadeCli.js"
import { asked, init, result, success, turn } from "./support/sessions.js"

const waits = Script.delay("1000 days")
const greeting = [asked("initialize"), Script.reply(success({ commands: [] }))]

/** One script for each connection, in which the CLI was launched as `launchOf` says. */
const clis = (
  scripts: ReadonlyArray<ReadonlyArray<AnyStep>>,
  launchOf: (index: number) => Partial<Connector.Launch> = () => ({})
) => {
  let count = 0
  const connector: Connector.Service = Effect.runSync(
    Connector.make(() =>
      Effect.suspend((): Effect.Effect<Connector.Launched, TransportError, Scope.Scope> => {
        const index = count++
        const script = scripts[index]
        return script === undefined
          ? new TransportError({ reason: "Spawn", detail: "no more of them" })
          : Effect.map(
            MockTransport.make(Script.behaviour(Script.make(...script))),
            (transport) => ({ ...transport, launch: launchOf(index) })
          )
      })
    )
  )
  return { connector, count: () => count }
}

const adjust = (duration: string) =>
  // Not typed as a duration, so that the steps below read as a schedule.
  Effect.zipRight(TestClock.adjust(duration as "1 second"), settle)

describe("while no CLI is connected", () => {
  it.scoped("the request timeout of `initialize` does not run: it counts from the connection", () =>
    Effect.gen(function*() {
      const { connector, count } = clis([
        [...greeting, Script.delay("1 second"), Script.exit(1)],
        [...greeting, ...turn("hello"), waits]
      ])
      const s = yield* Session.fromConnector(connector, {
        restart: Schedule.spaced("2 minutes"),
        hooks: [Hook.on("Stop", () => Effect.succeed(HookAnswer.proceed))]
      })
      yield* adjust("1 second")
      yield* adjust("2 minutes")
      yield* adjust("2 minutes")
      assert.strictEqual(count(), 2)
      assert.strictEqual((yield* soon(s.send("hello"))).text, "echo: hello")
    }))

  it.scoped("`initialize` is made for the CLI that is connected then, and `initialized` is its response", () =>
    Effect.gen(function*() {
      const systemPrompt = ["two"]
      const { connector } = clis([
        [...greeting, ...turn("a"), Script.exit(1)],
        [
          Script.expect({ type: "control_request", request: { subtype: "initialize", systemPrompt } }),
          Script.reply(success({ output_style: "second" })),
          ...turn("b"),
          waits
        ]
      ], (index) => ({ initialize: { systemPrompt: [index === 0 ? "one" : "two"] } }))
      const s = yield* Session.fromConnector(connector, { restart: Schedule.recurs(1) })
      yield* s.send("a")
      yield* settle
      assert.strictEqual((yield* soon(s.send("b"))).text, "echo: b")
      assert.strictEqual(Option.getOrThrow(yield* s.initialized).output_style, "second")
    }))

  it.scoped("a message whose time is over is not sent to the next one", () =>
    Effect.gen(function*() {
      const { connector } = clis([[Script.expect({ type: "user" }), Script.exit(1)], [...turn("b"), waits]])
      const s = yield* Session.fromConnector(connector, {
        restart: Schedule.spaced("1 minute"),
        initialization: "skip"
      })
      const ended: Array<number> = []
      yield* Effect.fork(
        Stream.runForEach(
          yield* s.subscribe({ only: ["TurnEnded"] }),
          ({ turn }) => Effect.sync(() => ended.push(turn))
        )
      )
      yield* Effect.flip(s.send("a"))
      yield* settle
      const b = yield* Effect.fork(Effect.flip(s.send("b", { timeout: "5 seconds" })))
      yield* settle
      yield* adjust("5 seconds")
      assert.strictEqual((yield* soon(Fiber.join(b)))._tag, "TurnTimeout")
      yield* adjust("1 minute")
      assert.deepStrictEqual(ended, [])
    }))

  it.scoped("a request whose time is over is not sent to the next one; one that waits is, after `initialize`", () =>
    Effect.gen(function*() {
      const { connector } = clis([
        [...greeting, ...turn("a"), Script.exit(1)],
        [...greeting, asked("mcp_status"), Script.reply(success({ mcpServers: [] })), ...turn("b"), waits]
      ])
      const s = yield* Session.fromConnector(connector, { restart: Schedule.spaced("1 minute") })
      yield* s.send("a")
      yield* settle
      const late = yield* Effect.fork(Effect.flip(s.control.setModel({ model: "opus" }, { timeout: "5 seconds" })))
      const inTime = yield* Effect.fork(s.control.mcpStatus({}, { timeout: "2 minutes" }))
      const message = yield* Effect.fork(s.send("b"))
      yield* settle
      yield* adjust("5 seconds")
      assert.deepInclude(yield* soon(Fiber.join(late)), { reason: "Timeout" })
      yield* adjust("1 minute")
      assert.deepStrictEqual(yield* soon(Fiber.join(inTime)), { mcpServers: [] })
      assert.strictEqual((yield* soon(Fiber.join(message))).text, "echo: b")
    }))

  it.scoped("the watchdog does not take the silence for a stalled CLI", () =>
    Effect.gen(function*() {
      const { connector } = clis([
        [Script.expect({ type: "user" }), Script.exit(1)],
        [
          Script.expect({ type: "user" }),
          Script.reply(init),
          Script.delay("1 second"),
          Script.reply(result("b")),
          waits
        ]
      ])
      const s = yield* Session.fromConnector(connector, {
        restart: Schedule.spaced("35 seconds"),
        initialization: "skip",
        watchdog: { after: "30 seconds", action: "interrupt" }
      })
      const events: Array<string> = []
      yield* Effect.fork(
        Stream.runForEach(
          yield* s.subscribe({ only: ["Stalled", "Restarting", "Restarted"] }),
          ({ _tag }) => Effect.sync(() => events.push(_tag))
        )
      )
      yield* Effect.flip(s.send("a"))
      yield* settle
      const b = yield* s.start("b")
      for (let i = 0; i < 40; i++) yield* adjust("1 second")
      assert.strictEqual((yield* soon(b.result)).outcome, "success")
      assert.deepStrictEqual(events, ["Restarting", "Restarted"])
    }))

  it.scoped("messages that do not wait for a turn are released together, in their order", () =>
    Effect.gen(function*() {
      const { connector } = clis([
        [...turn("a"), Script.exit(1)],
        [
          Script.expect({ type: "user", shouldQuery: false }),
          Script.expect({ type: "user", message: { content: "b" } }),
          Script.expect({ type: "user", message: { content: "steer" } }),
          waits
        ]
      ])
      const s = yield* Session.fromConnector(connector, {
        restart: Schedule.spaced("1 second"),
        initialization: "skip"
      })
      yield* s.send("a")
      yield* settle
      const context = yield* Effect.fork(s.append("context"))
      yield* settle
      // A message that starts no turn does not make the session busy.
      const b = yield* s.start("b")
      const steer = yield* s.start("steer", { whenBusy: "steer" })
      yield* adjust("1 second")
      yield* soon(Fiber.join(context))
      assert.deepStrictEqual(yield* Effect.all([b.phase, steer.phase]), ["Written", "Written"])
    }))
})

describe("the next CLI", () => {
  it.scoped("has the version of its own launch, and not that of the CLI before", () =>
    Effect.gen(function*() {
      const { connector } = clis([
        [
          Script.expect({ type: "user" }),
          Script.reply({ ...init, claude_code_version: "2.0.10" }),
          Script.reply(result("a")),
          Script.exit(1)
        ],
        [asked("get_binary_version"), Script.reply(success({ version: "2.1.326" })), waits]
      ], (index) => ({ version: Effect.succeedSome(index === 0 ? "2.0.10" : "2.1.326") }))
      const s = yield* Session.fromConnector(connector, { restart: Schedule.recurs(1), initialization: "skip" })
      const restarted = yield* s.subscribe({ only: ["Restarted"] })
      yield* s.send("a")
      yield* Stream.runHead(restarted)
      yield* settle
      assert.deepInclude(yield* soon(s.control.getBinaryVersion()), { version: "2.1.326" })
    }))

  it.scoped("does not get an MCP connection that was made for the CLI before", () =>
    Effect.gen(function*() {
      let connections = 0
      const server: McpServer = {
        connect: () =>
          Effect.gen(function*() {
            const index = connections++
            let isOpen = true
            if (index === 0) yield* Effect.sleep("1 second")
            yield* Effect.addFinalizer(() => Effect.sync(() => isOpen = false))
            return () => Effect.sync(() => ({ jsonrpc: "2.0" as const, id: 1, result: { isOpen, index } }))
          })
      }
      const { connector } = clis([
        [...turn("x"), Script.delay("500 millis"), Script.exit(1)],
        [
          asked("mcp_set_servers"),
          Script.reply(success({ added: ["a"], removed: [], errors: {} })),
          Script.expect({ type: "user" }, { label: "message" }),
          Script.reply(init),
          Script.reply({
            type: "control_request",
            request_id: "m1",
            request: { subtype: "mcp_message", server_name: "a", message: { jsonrpc: "2.0", id: 1, method: "x" } }
          }),
          Script.expect({
            type: "control_response",
            response: { response: { mcp_response: { result: { isOpen: true, index: 1 } } } }
          }),
          Script.reply({ ...result("ok"), user_message_uuids: [Script.received("uuid", "message")] }),
          waits
        ]
      ])
      const s = yield* Session.fromConnector(connector, { restart: Schedule.recurs(1), initialization: "skip" })
      yield* s.send("x")
      const set = yield* Effect.fork(s.setMcpServers({ a: server }))
      yield* settle
      yield* adjust("500 millis")
      yield* adjust("500 millis")
      assert.deepInclude(yield* soon(Fiber.join(set)), { added: ["a"] })
      assert.strictEqual((yield* soon(s.send("y"))).text, "ok")
    }))
})
