/**
 * MCP servers that live in the host, on a real CLI: their tools are called like any other, come and go at run time, and are
 * stopped when their turn is. A CLI without `initialize` cannot have any, and the session says so.
 */
import * as McpTool from "@claude-duplex/mcp/McpTool"
import * as McpToolServer from "@claude-duplex/mcp/McpToolServer"
import * as Permission from "@claude-duplex/session/Permission"
import type * as Session from "@claude-duplex/session/Session"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Schema } from "effect"
import * as Conversation from "../src/Conversation.js"
import * as Model from "../src/Model.js"
import * as StdioServer from "../src/StdioServer.js"
import * as World from "../src/World.js"

const { supports } = World.cli

const calculator = McpToolServer.make({
  name: "calc",
  tools: [
    McpTool.make({
      name: "add",
      description: "Adds.",
      input: Schema.Struct({ a: Schema.Number, b: Schema.Number }),
      run: ({ a, b }) => Effect.succeed(String(a + b))
    }),
    McpTool.make({
      name: "divide",
      description: "Divides.",
      input: Schema.Struct({ a: Schema.Number, b: Schema.Number }),
      output: Schema.Struct({ quotient: Schema.Number }),
      run: ({ a, b }) => b === 0 ? Effect.fail("There is no such number.") : Effect.succeed({ quotient: a / b })
    }),
    McpTool.make({
      name: "who",
      description: "Says which call it is.",
      input: Schema.Struct({}),
      run: (_, { toolUseId }) => Effect.succeed(String(toolUseId))
    })
  ]
})

const allowing: Session.Options = { onPermission: () => Effect.succeed(Permission.allow()) }

const serving = (mcpServers: Session.Options["mcpServers"], options: Session.Options = allowing) =>
  Effect.gen(function*() {
    const world = yield* World.make(Model.obedient)
    return { world, session: yield* Conversation.open(world, { ...options, mcpServers }) }
  })

/** A tool that never ends by itself, and says when it began and when it was stopped. */
const endless = Effect.gen(function*() {
  const began = yield* Deferred.make<void>()
  const stopped = yield* Deferred.make<void>()
  const server = McpToolServer.make({
    name: "slow",
    tools: [
      McpTool.make({
        name: "wait",
        description: "Waits.",
        input: Schema.Struct({}),
        run: () =>
          Deferred.succeed(began, undefined).pipe(
            Effect.zipRight(Effect.never),
            Effect.onInterrupt(() => Deferred.succeed(stopped, undefined))
          )
      })
    ]
  })
  return { began, stopped, server }
})

describe.runIf(supports.initialize)("mcp", () => {
  it.scopedLive("a tool of the host's is called, and the model reads what it returns", () =>
    Effect.gen(function*() {
      const asked: Array<string> = []
      const { session } = yield* serving({ calc: calculator }, {
        onPermission: ({ toolName }) => Effect.sync(() => (asked.push(toolName), Permission.allow()))
      })
      assert.strictEqual((yield* session.send(Model.call("mcp__calc__add", { a: 2, b: 40 }))).text, "done: 42")
      assert.deepStrictEqual(asked, ["mcp__calc__add"])
      const divided = yield* session.send(Model.call("mcp__calc__divide", { a: 84, b: 2 }))
      assert.match(divided.text, /^done: \{\s*"quotient":\s*42\s*\}$/)
      const who = yield* session.send(Model.call("mcp__calc__who", {}))
      assert.match(who.text, /^done: toolu_/)
    }))

  it.scopedLive("what goes wrong in it is told to the model, in words that help", () =>
    Effect.gen(function*() {
      const { session } = yield* serving({ calc: calculator })
      const wrong = yield* session.send(Model.call("mcp__calc__add", { a: 2, b: "forty" }))
      assert.match(wrong.text, /^done: error: /)
      assert.match(wrong.text, /forty/)
      const failed = yield* session.send(Model.call("mcp__calc__divide", { a: 1, b: 0 }))
      assert.match(failed.text, /^done: error: .*There is no such number\./)
      assert.strictEqual(failed.outcome, "success")
    }))

  it.scopedLive("denied: it is not called", () =>
    Effect.gen(function*() {
      const { began, server } = yield* endless
      const { session } = yield* serving({ slow: server }, {
        onPermission: () => Effect.succeed(Permission.deny("Not now."))
      })
      assert.include((yield* session.send(Model.call("mcp__slow__wait", {}))).text, "Not now.")
      assert.isFalse(yield* Deferred.isDone(began))
    }))

  it.scopedLive("an interrupt stops the call, and the session goes on", () =>
    Effect.gen(function*() {
      const { began, server, stopped } = yield* endless
      const { session } = yield* serving({ slow: server, calc: calculator })
      const turn = yield* session.start(Model.call("mcp__slow__wait", {}))
      yield* Deferred.await(began)
      yield* session.interrupt()
      const result = yield* turn.result
      assert.notStrictEqual(result.outcome, "success")
      yield* Deferred.await(stopped)
      assert.include((yield* session.send(Model.call("mcp__calc__add", { a: 1, b: 1 }))).text, "done: 2")
    }))

  it.scopedLive("the end of the session stops the call", () =>
    Effect.gen(function*() {
      const { began, server, stopped } = yield* endless
      yield* Effect.scoped(Effect.gen(function*() {
        const { session } = yield* serving({ slow: server })
        yield* session.start(Model.call("mcp__slow__wait", {}))
        yield* Deferred.await(began)
      }))
      assert.isTrue(yield* Deferred.isDone(stopped))
    }))

  it.scopedLive("servers are set and removed at run time, of the host's and of the CLI's own", () =>
    Effect.gen(function*() {
      const { session, world } = yield* serving({})
      yield* session.send("hello")
      const setting = session.setMcpServers({ calc: calculator, notes: StdioServer.make(world) })
      if (!supports.requests.has("mcp_set_servers")) {
        const error = yield* Effect.flip(setting)
        assert.isTrue(error._tag === "ControlError" && error.isUnsupported)
        assert.strictEqual((yield* session.send("next")).text, "echo: next")
        return
      }
      assert.sameMembers([...(yield* setting).added], ["calc", "notes"])
      assert.strictEqual((yield* session.send(Model.call("mcp__calc__add", { a: 2, b: 40 }))).text, "done: 42")
      assert.strictEqual((yield* session.send(Model.call("mcp__notes__note", {}))).text, "done: noted")
      const none = yield* session.setMcpServers({})
      assert.sameMembers([...none.removed], ["calc", "notes"])
      assert.match((yield* session.send(Model.call("mcp__calc__add", { a: 2, b: 40 }))).text, /^done: error: /)
    }))
})

describe.runIf(!supports.initialize)("mcp", () => {
  it.scopedLive("on a CLI that takes no servers of the host's: the session does not begin, and says why", () =>
    Effect.gen(function*() {
      const world = yield* World.make(Model.obedient)
      const mcpServers = { calc: calculator }
      const error = yield* Effect.flip(Conversation.open(world, { mcpServers, requestTimeout: "5 seconds" }))
      assert.deepInclude(error, { _tag: "ControlError", reason: "Timeout", subtype: "initialize" })
      assert.include(error.message, "CLIs before 2.1.50 do not answer requests")
    }))
})
