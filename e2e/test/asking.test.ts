/**
 * What needs a person, on a real CLI: plans to approve, questions of the model's, questions of an MCP server's. And what is
 * asked of the model in a form: structured output. And what it thinks.
 */
import * as ApiRequest from "@claude-duplex/loopback-api/ApiRequest"
import * as Script from "@claude-duplex/loopback-api/ApiScript"
import * as Reply from "@claude-duplex/loopback-api/Reply"
import type { ElicitationResponse } from "@claude-duplex/protocol/schema/Elicitation"
import * as Permission from "@claude-duplex/session/Permission"
import type * as Session from "@claude-duplex/session/Session"
import * as StructuredOutput from "@claude-duplex/session/StructuredOutput"
import type { CliOptions } from "@claude-duplex/transport-node/CliOptions"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Either, Schema, Stream } from "effect"
import { existsSync } from "node:fs"
import { join } from "node:path"
import * as Conversation from "../src/Conversation.js"
import * as Model from "../src/Model.js"
import * as StdioServer from "../src/StdioServer.js"
import * as World from "../src/World.js"

const { supports } = World.cli

/** A session whose person decides like this; and what that person was asked. */
const asking = (decide: (request: Permission.Request) => Permission.Decision, cli?: CliOptions) =>
  Effect.gen(function*() {
    const asked: Array<Permission.Request> = []
    const world = yield* World.make(Model.obedient)
    const session = yield* Conversation.open(
      world,
      { onPermission: (request) => Effect.sync(() => (asked.push(request), decide(request))) },
      cli
    )
    const record = yield* Conversation.record(session)
    return {
      world,
      session,
      asked,
      names: () => asked.map(({ toolName }) => toolName),
      /** The mode that the CLI said it is in, last. */
      mode: () =>
        record.frames().flatMap((frame) =>
          frame.type === "system" && (frame.subtype === "init" || frame.subtype === "status") &&
            typeof frame.permissionMode === "string"
            ? [frame.permissionMode]
            : []
        ).at(-1)
    }
  })

const write = (world: World.World, name: string) =>
  Model.call("Write", { file_path: join(world.cwd, name), content: "hello" })

const plan = Model.call("ExitPlanMode", { plan: "1. Do it." })

const question = Model.call("AskUserQuestion", {
  questions: [{
    question: "Tea or coffee?",
    header: "Drink",
    options: [{ label: "Tea", description: "hot" }, { label: "Coffee", description: "hotter" }],
    multiSelect: false
  }]
})

describe("asking", () => {
  it.scopedLive("a plan that is approved ends plan mode, where the CLI does that by itself", () =>
    Effect.gen(function*() {
      const { mode, names, session, world } = yield* asking(() => Permission.allow(), { permissionMode: "plan" })
      const { text } = yield* session.send(plan)
      assert.match(text, /^done: User has approved/)
      yield* session.send(write(world, "a"))
      assert.strictEqual(mode(), supports.approvalEndsPlan ? "default" : "plan")
      assert.deepStrictEqual(names(), ["ExitPlanMode", "Write"])
      assert.isTrue(existsSync(join(world.cwd, "a")))
    }))

  it.scopedLive("a plan that is approved with another mode goes on in that, where the CLI takes changes of its rules", () =>
    Effect.gen(function*() {
      const { names, session, world } = yield* asking(
        () =>
          Permission.allow({
            updatedPermissions: [{ type: "setMode", mode: "acceptEdits", destination: "session" }]
          }),
        { permissionMode: "plan" }
      )
      yield* session.send(plan)
      yield* session.send(write(world, "a"))
      assert.deepStrictEqual(names(), supports.permissionUpdates ? ["ExitPlanMode"] : ["ExitPlanMode", "Write"])
      assert.isTrue(existsSync(join(world.cwd, "a")))
    }))

  it.scopedLive("a plan that is refused leaves it in plan mode, and the model reads why", () =>
    Effect.gen(function*() {
      const { mode, session } = yield* asking(() => Permission.deny("Think again."), { permissionMode: "plan" })
      const { text } = yield* session.send(plan)
      assert.include(text, "Think again.")
      yield* session.send("next")
      assert.strictEqual(mode(), "plan")
    }))

  it.scopedLive("the model may go into plan mode by itself, where it has the tool", () =>
    Effect.gen(function*() {
      const { mode, names, session } = yield* asking(() => Permission.allow())
      const { text } = yield* session.send(Model.call("EnterPlanMode", {}))
      assert.include(text, supports.asksUser ? "Entered plan mode" : "No such tool available: EnterPlanMode")
      yield* session.send("next")
      assert.strictEqual(mode(), supports.asksUser ? "plan" : "default")
      // Newer CLIs do not ask about it.
      assert.includeMembers(["EnterPlanMode"], names())
    }))

  it.scopedLive("a question of the model's comes as a permission, and is answered in its input", () =>
    Effect.gen(function*() {
      const { asked, session } = yield* asking(({ input }) =>
        Permission.allow({ updatedInput: { ...input, answers: { "Tea or coffee?": "Tea" } } })
      )
      const { text } = yield* session.send(question)
      if (!supports.asksUser) return assert.include(text, "No such tool available: AskUserQuestion")
      assert.match(text, /^done: (?!error).*"Tea or coffee\?"="Tea"/)
      assert.deepStrictEqual(asked.map(({ toolName }) => toolName), ["AskUserQuestion"])
    }))

  it.scopedLive("a question of the model's that nobody answers is refused, and the turn goes on", () =>
    Effect.gen(function*() {
      const { session } = yield* asking(() => Permission.deny("Nobody is there."))
      const { text } = yield* session.send(question)
      const why = supports.asksUser ? "Nobody is there." : "No such tool available: AskUserQuestion"
      assert.match(text, /^done: error: /)
      assert.include(text, why)
    }))

  const answers: ReadonlyArray<readonly [how: string, Session.Options["onElicitation"], read: string]> = [
    [
      "accepted",
      () => Effect.succeed<ElicitationResponse>({ action: "accept", content: { name: "dev" } }),
      `{"action":"accept","content":{"name":"dev"}}`
    ],
    ["declined", () => Effect.succeed<ElicitationResponse>({ action: "decline" }), `{"action":"decline"}`],
    // Refused by the session, which the CLI takes for somebody who turned away. Nobody has agreed to anything.
    ["put to nobody", undefined, `{"action":"cancel"}`],
    ["put to somebody who fails", () => Effect.fail("no idea"), `{"action":"cancel"}`]
  ]
  for (const [how, onElicitation, read] of answers) {
    it.scopedLive(`a question of an MCP server's, ${how}; or the server hears that there is nobody to ask`, () =>
      Effect.gen(function*() {
        const world = yield* World.make(Model.obedient)
        const session = yield* Conversation.open(world, { onElicitation }, {
          mcpServers: { notes: StdioServer.make(world) },
          allowedTools: ["mcp__notes__ask"]
        })
        const { text } = yield* session.send(Model.call("mcp__notes__ask", {}))
        assert.strictEqual(text, `done: ${supports.elicits ? read : `{"code":-32601,"message":"Method not found"}`}`)
        assert.strictEqual((yield* session.send("next")).text, "echo: next")
      }))
  }

  const Verdict = Schema.Struct({ ok: Schema.Boolean, why: Schema.String })

  /** Does what it is told, and when that was refused, better. */
  const learning = Script.conversation(
    Script.always((request) =>
      ApiRequest.toolResults(request).some(({ isError }) => isError)
        ? Reply.toolUse({ name: "StructuredOutput", input: { ok: false, why: "on second thought" } })
        : Model.reply(request)
    )
  )

  it.scopedLive("an answer by a schema is read by that schema; a CLI that takes none is told of", () =>
    Effect.gen(function*() {
      const world = yield* World.make(learning)
      const initialize = { jsonSchema: StructuredOutput.jsonSchema(Verdict) }
      // A CLI without the tool would be asked for it for ever.
      const opening = Conversation.open(world, {
        initialize,
        requestTimeout: supports.initialize ? "1 minute" : "5 seconds"
      }, { maxTurns: 5 })
      if (!supports.initialize) {
        const error = yield* Effect.flip(opening)
        assert.deepInclude(error, { _tag: "ControlError", reason: "Timeout", subtype: "initialize" })
        return
      }
      const session = yield* opening
      const read = (input: object) =>
        Effect.flatMap(session.send(Model.call("StructuredOutput", input)), StructuredOutput.decode(Verdict))
      const verdict = yield* Effect.either(read({ ok: true, why: "it is" }))
      const warned = (yield* session.warnings).map(({ kind }) => kind)
      if (!supports.initializePayloads) {
        // It takes no notice of the schema, and does not say so; the session does.
        assert.deepInclude(Either.flip(verdict).pipe(Either.getOrThrow), { reason: "Missing" })
        assert.include(warned, "InitializeIgnored")
        return
      }
      assert.deepStrictEqual(Either.getOrThrow(verdict), { ok: true, why: "it is" })
      assert.notInclude(warned, "InitializeIgnored")
      // What does not fit the schema the CLI refuses, and the model may do better.
      assert.deepStrictEqual(yield* read({ ok: "maybe" }), { ok: false, why: "on second thought" })
    }))

  it.scopedLive("what the model thinks comes before what it says, and is not its text", () =>
    Effect.gen(function*() {
      const world = yield* World.make(Model.obedient)
      const session = yield* Conversation.open(world)
      const turn = yield* session.start("THINK of herons")
      const result = yield* turn.result
      assert.strictEqual(result.text, "of herons")
      const messages = yield* Stream.runCollect(turn.messages)
      const blocks = [...messages].flatMap((message) =>
        message.type === "assistant" && typeof message.message.content !== "string"
          ? message.message.content.map((block) => "thinking" in block ? `${block.type} ${block.thinking}` : block.type)
          : []
      )
      assert.deepStrictEqual(blocks, ["thinking hm", "text"])
      // Without partial messages, the text comes whole.
      assert.strictEqual([...(yield* Stream.runCollect(turn.text))].join(""), "of herons")
    }))
})
