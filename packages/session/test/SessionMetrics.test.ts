/** What can be seen from outside: spans, metrics, annotations of logs; and that nothing that is said is in them. */
import * as Permission from "@claude-duplex/session/Permission"
import * as SessionMetrics from "@claude-duplex/session/SessionMetrics"
import * as Script from "@claude-duplex/transport-mock/Script"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Logger, Metric, Option, Tracer } from "effect"
import { answered, asked, canUseTool, init, result, scripted, session, success } from "./support/sessions.js"

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
  Script.delay("1 day")
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
    yield* s.control.mcpStatus
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
