/** What can be seen from outside: spans, metrics, annotations of logs; and that nothing that is said is in them. */
import { TransportError } from "@claude-duplex/protocol/Transport"
import * as Hook from "@claude-duplex/session/Hook"
import * as HookAnswer from "@claude-duplex/session/HookAnswer"
import * as Permission from "@claude-duplex/session/Permission"
import * as Session from "@claude-duplex/session/Session"
import * as SessionMetrics from "@claude-duplex/session/SessionMetrics"
import * as MockConnector from "@claude-duplex/transport-mock/MockConnector"
import * as MockTransport from "@claude-duplex/transport-mock/MockTransport"
import * as Script from "@claude-duplex/transport-mock/Script"
import { assert, describe, it } from "@effect/vitest"
import type { Scope } from "effect"
import { Array, Effect, Logger, LogLevel, Metric, Option, Schedule, Stream, TestClock, Tracer } from "effect"
import { settle, soon } from "./support/handmadeCli.js"
import { answered, asked, canUseTool, init, result, scripted, session, success, turn } from "./support/sessions.js"

const waits = Script.delay("1 day")

const refusal = {
  type: "control_response",
  response: { subtype: "error", request_id: { $received: "request_id" }, error: "no" }
} as const

const conversation = Script.behaviour(Script.make(
  Script.expect({ type: "user" }, { label: "prompt" }),
  Script.reply(init),
  Script.replyLine("noise"),
  Script.replyUnchecked({ type: "hologram" }),
  Script.reply(canUseTool("p")),
  answered("p", { behavior: "deny" }),
  Script.reply({ ...result("the answer"), user_message_uuids: [{ $received: "uuid", of: "prompt" }] }),
  asked("mcp_status"),
  Script.reply(success({ mcpServers: [] })),
  waits
))

/** Spans that have ended, as a tracer keeps them. */
const spans = () => {
  const ended: Array<{ readonly name: string; readonly attributes: Map<string, unknown>; readonly parent: string }> = []
  const tracer = Tracer.make({
    context: (f) => f(),
    span: (name, parent, context, links, startTime, kind) => {
      const attributes = new Map<string, unknown>()
      const parentName = Option.match(parent, {
        onNone: () => "",
        onSome: (span) => span._tag === "Span" ? span.name : "external"
      })
      return {
        _tag: "Span",
        name,
        spanId: name,
        traceId: "trace",
        parent,
        context,
        status: { _tag: "Started", startTime },
        attributes,
        links: [...links],
        sampled: true,
        kind,
        end: () => ended.push({ name, attributes, parent: parentName }),
        attribute: (key, value) => attributes.set(key, value),
        event: () => undefined,
        addLinks: () => undefined
      }
    }
  })
  return { ended, tracer }
}

const run = (options: { readonly tracePayloads?: boolean }, logs: Array<string> = []) => {
  const { ended, tracer } = spans()
  const logger = Logger.make(({ annotations, message }) => {
    logs.push(JSON.stringify([message, Object.fromEntries(annotations)]))
  })
  return Effect.scoped(Effect.gen(function*() {
    const s = yield* session(conversation, {
      ...options,
      onPermission: () => Effect.as(Effect.log("deciding"), Permission.deny("no"))
    })
    yield* s.send("the secret question")
    yield* s.control.mcpStatus()
  })).pipe(
    Effect.withTracer(tracer),
    Effect.provide(Logger.replace(Logger.defaultLogger, logger)),
    Effect.as(ended)
  )
}

describe("spans", () => {
  it.effect("of the session, the turn, the request and the handler, with ids and no payload", () =>
    Effect.gen(function*() {
      const logs: Array<string> = []
      const ended = yield* run({}, logs)
      const names = ended.filter(({ name }) => name.startsWith("claude-duplex")).map((
        { name, parent }
      ) => [name, parent])
      assert.deepStrictEqual(names, [
        ["claude-duplex.handler", "claude-duplex.session"],
        ["claude-duplex.turn", "claude-duplex.session"],
        ["claude-duplex.control", ""],
        ["claude-duplex.session", ""]
      ])
      const turn = ended.find(({ name }) => name === "claude-duplex.turn")
      assert.strictEqual(turn?.attributes.get("claude.outcome"), "success")
      assert.strictEqual(turn?.attributes.get("claude.session_id"), "s")
      const shown = JSON.stringify(ended.map(({ attributes }) => [...attributes])) + logs.join("")
      for (const said of ["secret", "the answer", "\"ls\""]) assert.notInclude(shown, said)
      const deciding = logs.find((log) => log.includes("deciding")) ?? ""
      for (const id of ["claude.session_id", "claude.turn"]) assert.include(deciding, id)
    }))

  it.effect("with payloads when they are asked for", () =>
    Effect.gen(function*() {
      const shown = JSON.stringify((yield* run({ tracePayloads: true })).map(({ attributes }) => [...attributes]))
      for (const said of ["the secret question", "ls"]) assert.include(shown, said)
    }))

  it.effect("of a turn is a child of the caller's", () =>
    Effect.gen(function*() {
      const { ended, tracer } = spans()
      yield* Effect.scoped(Effect.gen(function*() {
        const s = yield* session(conversation)
        yield* Effect.withSpan(s.send("a"), "mine")
      })).pipe(Effect.withTracer(tracer))
      assert.strictEqual(ended.find(({ name }) => name === "claude-duplex.turn")?.parent, "mine")
    }))
})

describe("a tracer that throws", () => {
  it.scoped("costs its spans, and nobody a result", () =>
    Effect.gen(function*() {
      const { tracer } = spans()
      const broken = Tracer.make({
        ...tracer,
        span: (...given) => ({
          ...tracer.span(...given),
          end: () => {
            throw new Error("it cannot be exported")
          }
        })
      })
      const s = yield* scripted(...turn("a"), Script.expect({ type: "user" }), Script.reply(init), Script.exit(1))
      const traced = (prompt: string) => Effect.withTracer(s.send(prompt), broken)
      assert.strictEqual((yield* soon(traced("a"))).text, "echo: a")
      assert.deepStrictEqual((yield* s.warnings).map(({ kind }) => kind), ["TracerFailed"])
      assert.deepInclude(yield* soon(Effect.flip(traced("b"))), { _tag: "SessionClosed" })
      assert.deepInclude(yield* soon(s.awaitExit), { code: 1 })
    }))
})

describe("what the session logs itself", () => {
  /** What is logged, in this effect, with the ids that it is annotated with. */
  const logged = <A, E>(effect: Effect.Effect<A, E, Scope.Scope>) =>
    Effect.gen(function*() {
      const logs: Array<readonly [message: unknown, session: unknown, turn: unknown]> = []
      const logger = Logger.make<unknown, void>(({ annotations, message }) => {
        const [text] = Array.ensure(message)
        const ids = Object.fromEntries(annotations)
        // Effect's own word of every fiber that fails, also of one that lost a race.
        if (text === "Fiber terminated with an unhandled error") return
        logs.push([text, ids["claude.session_id"], ids["claude.turn"]])
      })
      yield* Effect.scoped(effect).pipe(
        Logger.withMinimumLogLevel(LogLevel.Debug),
        Effect.provide(Logger.replace(Logger.defaultLogger, logger))
      )
      return logs
    })

  it.effect("says whose it is when the CLI can be read or written no more", () =>
    Effect.gen(function*() {
      const broken = new TransportError({ reason: "Read", detail: "gone" })
      const logs = yield* logged(Effect.gen(function*() {
        const transport = yield* MockTransport.make(Script.behaviour(Script.make(
          ...turn("a"),
          Script.expect({ type: "user" }),
          Script.reply(init),
          Script.delay("1 second"),
          Script.reply(init),
          waits
        )))
        let isBroken = false
        const unless = <A>(effect: Effect.Effect<A, TransportError>) =>
          Effect.suspend(() => isBroken ? Effect.fail(broken) : effect)
        const s = yield* Session.fromTransport({
          ...transport,
          incoming: Stream.mapEffect(transport.incoming, (bytes) => unless(Effect.succeed(bytes))),
          send: (line) => unless(transport.send(line))
        })
        yield* s.send("a")
        yield* s.start("b")
        yield* settle
        isBroken = true
        yield* Effect.fork(Effect.ignore(s.control.mcpStatus()))
        yield* TestClock.adjust("1 second")
        yield* s.awaitExit
      }))
      assert.deepStrictEqual(logs, [
        ["Writing to the CLI ended.", "s", 1],
        ["Reading from the CLI failed; it is ended.", "s", 1]
      ])
    }))

  it.effect("says whose it is when a CLI cannot be started again", () =>
    Effect.gen(function*() {
      const greeted = [asked("initialize"), Script.reply(success({ commands: [] }))]
      const connector = yield* MockConnector.sequence([
        Script.behaviour(Script.make(...greeted, ...turn("a"), Script.exit(1))),
        undefined,
        Script.behaviour(Script.make(asked("initialize"), Script.reply(refusal), waits))
      ])
      const logs = yield* logged(Effect.gen(function*() {
        const s = yield* Session.fromConnector(connector, {
          restart: Schedule.recurs(2),
          hooks: [Hook.on("Stop", () => Effect.succeed(HookAnswer.proceed))]
        })
        yield* s.send("a")
        yield* s.awaitExit
      }))
      assert.deepStrictEqual(logs, [
        ["The CLI could not be started again.", "s", undefined],
        ["The CLI that was started again could not be initialized; it is ended.", "s", undefined]
      ])
    }))

  it.effect("says whose it is when a hook in the background fails", () =>
    Effect.gen(function*() {
      const called = {
        type: "control_request",
        request_id: "h",
        request: {
          subtype: "hook_callback",
          callback_id: "hook_0",
          input: {
            hook_event_name: "Stop",
            session_id: "s",
            transcript_path: "",
            cwd: "/",
            stop_hook_active: false
          }
        }
      } as const
      const logs = yield* logged(Effect.gen(function*() {
        const s = yield* session(
          Script.behaviour(Script.make(
            asked("initialize"),
            Script.reply(success({ commands: [] })),
            Script.expect({ type: "user" }, { label: "prompt" }),
            Script.reply(init),
            Script.reply(called),
            answered("h", { async: true }),
            Script.reply({ ...result("done"), user_message_uuids: [{ $received: "uuid", of: "prompt" }] }),
            waits
          )),
          { hooks: [Hook.background("Stop", () => Effect.dieMessage("oh"))] }
        )
        yield* s.send("a")
        yield* settle
      }))
      assert.deepStrictEqual(logs, [["The hook failed.", "s", 0]])
    }))
})

describe("metrics", () => {
  it.effect("count frames, turns, requests and handlers of all sessions", () =>
    Effect.gen(function*() {
      const read = Effect.all({
        sessions: Effect.map(Metric.value(SessionMetrics.sessions), ({ value }) => value),
        frames: Effect.map(Metric.value(SessionMetrics.framesReceived), ({ count }) => count),
        unknown: Effect.map(Metric.value(SessionMetrics.framesUnknown), ({ count }) => count),
        undecodable: Effect.map(Metric.value(SessionMetrics.linesUndecodable), ({ count }) => count),
        turns: Effect.map(
          Metric.value(Metric.tagged(SessionMetrics.turns, "outcome", "success")),
          ({ count }) => count
        ),
        requests: Effect.map(
          Metric.value(SessionMetrics.controlRequests.pipe(
            Metric.tagged("subtype", "mcp_status"),
            Metric.tagged("outcome", "Success")
          )),
          ({ count }) => count
        ),
        handlers: Effect.map(
          Metric.value(Metric.tagged(SessionMetrics.handlerMillis, "subtype", "can_use_tool")),
          ({ count }) => count
        )
      })
      const before = yield* read
      yield* run({})
      const after = yield* read
      const difference = Object.fromEntries(
        Object.entries(after).map((
          [name, value]
        ) => [name, Number(value) - Number(before[name as keyof typeof before])])
      )
      assert.deepStrictEqual(difference, {
        sessions: 0,
        // init, the unknown one, the question, the result, the answer.
        frames: 5,
        unknown: 1,
        undecodable: 1,
        turns: 1,
        requests: 1,
        handlers: 1
      })
    }))

  it.scoped("do not count what needs no answer as a failure", () =>
    Effect.gen(function*() {
      const failed = Effect.map(
        Metric.value(Metric.tagged(SessionMetrics.messagesFailed, "reason", "NoTurn")),
        ({ count }) => count
      )
      const before = yield* failed
      const s = yield* scripted()
      yield* s.append("Mind the gap.")
      assert.strictEqual(yield* failed, before)
    }))
})
