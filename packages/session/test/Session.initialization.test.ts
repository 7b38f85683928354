/** How a session initializes its CLI: `initialization`, `initialized`, and subscribers that are there from the start. */
import * as Connector from "@claude-duplex/protocol/Connector"
import * as Hook from "@claude-duplex/session/Hook"
import * as HookAnswer from "@claude-duplex/session/HookAnswer"
import * as Session from "@claude-duplex/session/Session"
import * as SessionMetrics from "@claude-duplex/session/SessionMetrics"
import * as MockConnector from "@claude-duplex/transport-mock/MockConnector"
import * as Script from "@claude-duplex/transport-mock/Script"
import type { AnyStep } from "@claude-duplex/transport-mock/ScriptStep"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Metric, Option, Scope, Stream, TestClock } from "effect"
import { settle, soon } from "./support/handmadeCli.js"
import { asked, init, result, success, turn } from "./support/sessions.js"

const waits = Script.delay("1000 days")

const refusal = {
  type: "control_response",
  response: { subtype: "error", request_id: { $received: "request_id" }, error: "no" }
} as const

const make = (steps: ReadonlyArray<AnyStep>, options: Session.Options = {}, launch?: MockConnector.Launch) =>
  Effect.flatMap(
    MockConnector.make(Script.behaviour(Script.make(...steps, waits)), launch),
    (connector) => Session.fromConnector(connector, options)
  )

const hooks = [Hook.on("Stop", () => Effect.succeed(HookAnswer.proceed))]

describe("every session", () => {
  it.scoped("sends `initialize` first, although no option needs it, and has the response", () =>
    Effect.gen(function*() {
      const s = yield* make([asked("initialize"), Script.reply(success({ output_style: "plain" })), ...turn("a")])
      const response = Option.getOrThrow(yield* s.initialized)
      assert.strictEqual(response.output_style, "plain")
      // It can be used, although no turn has run.
      assert.strictEqual((yield* s.status.get)._tag, "Idle")
      assert.strictEqual((yield* s.send("a")).text, "echo: a")
    }))

  it.scoped("fails `make` if the CLI ends at its start, as it does at a bad flag", () =>
    Effect.gen(function*() {
      const badFlag = [Script.stderr("error: unknown option '--no-such-flag'\n"), Script.exit(1)]
      const error = yield* Effect.flip(make(badFlag))
      assert.include(error.message, "unknown option '--no-such-flag'")
    }))

  it.scoped("fails `make` if the connector fails", () =>
    Effect.gen(function*() {
      const connector = yield* MockConnector.sequence([])
      assert.deepInclude(yield* Effect.flip(Session.fromConnector(connector)), {
        _tag: "TransportError",
        reason: "Spawn"
      })
    }))
})

describe("a CLI that does not answer `initialize`", () => {
  const silent = [asked("initialize")]

  it.scoped("can be used after 10 seconds, if nothing had to be registered", () =>
    Effect.gen(function*() {
      const making = yield* Effect.fork(make([...silent, ...turn("a")]))
      yield* TestClock.adjust("9 seconds")
      assert.isNull(yield* Fiber.poll(making).pipe(Effect.map(Option.getOrNull)))
      yield* TestClock.adjust("1 second")
      const s = yield* Fiber.join(making)
      assert.strictEqual((yield* s.send("a")).text, "echo: a")
    }))

  it.scoped("can be used as soon as it sends its `init` frame", () =>
    Effect.gen(function*() {
      const s = yield* make([...silent, Script.reply(init), Script.reply({ ...result("x"), user_message_uuids: [] })])
      assert.deepStrictEqual(yield* s.sessionId.get, Option.some("s"))
    }))

  it.scoped("can be used as soon as its version is known to have no `initialize`", () =>
    Effect.gen(function*() {
      const s = yield* make([...silent, ...turn("a")], {}, { version: Effect.succeedSome("1.0.60") })
      assert.isTrue(Option.isNone(yield* s.initialized))
      assert.strictEqual((yield* s.send("a")).text, "echo: a")
    }))

  for (
    const [name, options] of Object.entries<Session.Options>({
      "hooks are to be registered": { hooks },
      "fields of `initialize` are given": { initialize: { title: "x" } },
      "it is required": { initialization: "require" }
    })
  ) {
    it.scoped(`fails \`make\` after the request timeout, if ${name}`, () =>
      Effect.gen(function*() {
        const making = yield* Effect.fork(Effect.flip(make(silent, { ...options, requestTimeout: "5 seconds" })))
        yield* TestClock.adjust("5 seconds")
        assert.deepInclude(yield* Fiber.join(making), { reason: "Timeout", subtype: "initialize" })
      }))
  }
})

describe("a CLI that refuses `initialize`", () => {
  const refuses = [asked("initialize"), Script.reply(refusal), ...turn("a")]

  it.scoped("can be used, if nothing had to be registered", () =>
    Effect.gen(function*() {
      const s = yield* make(refuses)
      assert.isTrue(Option.isNone(yield* s.initialized))
      assert.strictEqual((yield* s.send("a")).text, "echo: a")
    }))

  it.scoped("fails `make`, if hooks would never be called", () =>
    Effect.gen(function*() {
      assert.deepInclude(yield* Effect.flip(make(refuses, { hooks })), { reason: "Refused" })
    }))
})

describe("`background`", () => {
  it.scoped("lets the host send other requests before the response; `initialized` waits for it", () =>
    Effect.gen(function*() {
      const s = yield* make(
        [
          Script.expect({ type: "control_request", request: { subtype: "initialize" } }, { label: "initialize" }),
          asked("mcp_status"),
          Script.reply(success({ mcpServers: [] })),
          Script.delay("1 second"),
          Script.reply({
            type: "control_response",
            response: { subtype: "success", request_id: Script.received("request_id", "initialize"), response: {} }
          })
        ],
        { initialization: "background", hooks }
      )
      const initialized = yield* Effect.fork(s.initialized)
      assert.deepStrictEqual(yield* s.control.mcpStatus(), { mcpServers: [] })
      assert.isTrue(Option.isNone(yield* Fiber.poll(initialized)))
      yield* TestClock.adjust("1 second")
      assert.isTrue(Option.isSome(yield* Fiber.join(initialized)))
    }))
})

describe("`skip`", () => {
  it.scoped("sends nothing, and warns of what is not registered", () =>
    Effect.gen(function*() {
      const s = yield* make(turn("a"), { initialization: "skip", hooks })
      assert.isTrue(Option.isNone(yield* s.initialized))
      assert.strictEqual((yield* s.send("a")).text, "echo: a")
      assert.deepStrictEqual((yield* s.warnings).map(({ kind }) => kind), ["InitializeSkipped"])
    }))
})

describe("what the connector knows of the launch", () => {
  it.scoped("is sent in `initialize`, where options were too long for the command line", () =>
    Effect.gen(function*() {
      const systemPrompt = ["be brief"]
      yield* make(
        [
          Script.expect({ type: "control_request", request: { subtype: "initialize", systemPrompt } }),
          Script.reply(success({}))
        ],
        {},
        { initialize: { systemPrompt } }
      )
    }))

  it.scoped("warns at once that a permission handler is never called without a prompt tool", () =>
    Effect.gen(function*() {
      const options: Session.Options = { initialization: "skip", onPermission: () => Effect.never }
      const kinds = (s: Session.Service) => Effect.map(s.warnings, (warnings) => warnings.map(({ kind }) => kind))
      assert.deepStrictEqual(yield* kinds(yield* make([], options, { permissionPrompts: false })), [
        "HandlerNeverCalled"
      ])
      assert.deepStrictEqual(yield* kinds(yield* make([], options, { permissionPrompts: true })), [])
      assert.deepStrictEqual(yield* kinds(yield* make([], options)), [])
    }))
})

describe("subscribers in the options", () => {
  it.scoped("see frames that come before the response to `initialize`, and fail without an effect on the session", () =>
    Effect.gen(function*() {
      const seen: Array<string> = []
      const s = yield* make([
        asked("initialize"),
        Script.reply({ type: "keep_alive" }),
        Script.reply(success({})),
        ...turn("a")
      ], {
        subscribers: [
          {
            only: ["Received"],
            run: Stream.runForEach((event) =>
              Effect.sync(() => {
                if (event._tag === "Received" && "type" in event.item) seen.push(String(event.item.type))
              })
            )
          },
          { run: () => Effect.fail("a bug in a subscriber") }
        ]
      })
      assert.deepStrictEqual(seen, ["keep_alive", "control_response"])
      assert.strictEqual((yield* s.send("a")).text, "echo: a")
    }))
})

describe("a subscriber in the options that is done", () => {
  it.scoped("holds no events", () =>
    Effect.gen(function*() {
      const lost = Effect.map(Metric.value(SessionMetrics.eventsLost), ({ count }) => Number(count))
      const before = yield* lost
      const frames = Array.from({ length: 3_000 }, () => Script.reply({ type: "keep_alive" }))
      const s = yield* make(
        [Script.expect({ type: "user" }), Script.reply(init), ...frames, Script.reply(result("x"))],
        { subscribers: [{ run: (events) => Stream.runDrain(Stream.take(events, 1)) }] }
      )
      yield* s.send("a")
      assert.strictEqual(yield* lost, before)
    }))
})

describe("where nothing can be interrupted", () => {
  it.scoped("a session can be made", () =>
    Effect.gen(function*() {
      const making = make([asked("initialize"), Script.reply(success({})), ...turn("a")])
      const s = yield* soon(Effect.uninterruptible(making))
      assert.strictEqual((yield* s.send("a")).text, "echo: a")
    }))

  it.effect("`initialized` ends with the session, although the request was never sent", () =>
    Effect.gen(function*() {
      const scope = yield* Scope.make()
      const s = yield* Scope.extend(make([], { initialization: "background" }), scope)
      yield* Scope.close(scope, Exit.void)
      assert.isTrue(Option.isNone(yield* soon(s.initialized)))
    }))
})

describe("a session that cannot be made", () => {
  it.effect("leaves no CLI behind", () =>
    Effect.gen(function*() {
      let open = 0
      const mock = yield* MockConnector.make(
        Script.behaviour(Script.make(asked("initialize"), Script.reply(refusal), waits))
      )
      const connector = Connector.mapTransport(mock, (transport) =>
        Effect.as(
          Effect.acquireRelease(Effect.sync(() => open++), () => Effect.sync(() => open--)),
          transport
        ))
      const exit = yield* Effect.exit(Effect.scoped(Effect.gen(function*() {
        yield* Session.fromConnector(connector, { hooks }).pipe(Effect.ignore)
        yield* settle
        // The scope is still open, and the session that failed is not in it.
        assert.strictEqual(open, 0)
      })))
      assert.isTrue(Exit.isSuccess(exit))
    }))
})
