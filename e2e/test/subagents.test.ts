/**
 * Subagents of a real CLI: what they say and do is nested under the call that started them, what they need is asked of the
 * same handlers, and their result is the call's.
 */
import * as ApiRequest from "@claude-duplex/loopback-api/ApiRequest"
import * as Permission from "@claude-duplex/session/Permission"
import type * as Session from "@claude-duplex/session/Session"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { existsSync } from "node:fs"
import { join } from "node:path"
import * as Conversation from "../src/Conversation.js"
import * as Model from "../src/Model.js"
import * as World from "../src/World.js"

const { supports } = World.cli

/** Has a subagent do this, and waits for it. */
const delegate = (prompt: string, type = "general-purpose", more: object = {}) =>
  Model.call("Task", {
    subagent_type: type,
    description: "look around",
    prompt,
    ...(supports.backgroundAgents ? { run_in_background: false } : {}),
    ...more
  })

const open = (options?: Session.Options) =>
  Effect.gen(function*() {
    const world = yield* World.make(Model.obedient)
    return { world, session: yield* Conversation.open(world, options) }
  })

const allowing: Session.Options = { onPermission: () => Effect.succeed(Permission.allow()) }

describe("subagents", () => {
  it.scopedLive("what they say and do is nested under the call that started them", () =>
    Effect.gen(function*() {
      const { session } = yield* open(allowing)
      const turn = yield* session.start(delegate(Model.call("Bash", { command: "echo inside" })))
      const { text } = yield* turn.result
      assert.match(text, /^done: /)
      assert.include(text, "done: inside")
      const messages = [...(yield* Stream.runCollect(turn.messages))]
      const calls = messages.flatMap((message) =>
        message.type === "assistant" && typeof message.message.content !== "string"
          ? message.message.content.flatMap((block) =>
            block.type === "tool_use" && "id" in block
              ? [{ id: block.id, name: block.name, parent: message.parent_tool_use_id }]
              : []
          )
          : []
      )
      const [outer, inner, ...others] = calls
      assert.deepStrictEqual([outer?.name, outer?.parent], ["Task", null])
      assert.deepStrictEqual([inner?.name, inner?.parent], ["Bash", outer?.id])
      assert.isEmpty(others)
      const results = messages.filter(({ type }) => type === "user").map((message) => message.parent_tool_use_id)
      // What the subagent's tool gave is nested like its call; the last one is what the subagent itself gave.
      assert.deepStrictEqual(results.slice(-2), [outer?.id, null])
    }))

  it.scopedLive("their text is not the conversation's, and is told where the CLI forwards it", () =>
    Effect.gen(function*() {
      const world = yield* World.make(Model.obedient)
      const forwards = supports.backgroundAgents
      const session = yield* Conversation.open(world, allowing, forwards ? { forwardSubagentText: true } : {})
      const turn = yield* session.start(delegate("from inside"))
      yield* turn.result
      const nested = [...(yield* Stream.runCollect(turn.messages))].flatMap((message) =>
        message.type === "assistant" && message.parent_tool_use_id !== null
          ? message.message.content.map((block) => "text" in block ? block.text : block.type)
          : []
      )
      assert.deepStrictEqual(nested, forwards ? ["echo: from inside"] : [])
      // The text of a subagent is in `deltas`, and not in `text`.
      const deltas = [...(yield* Stream.runCollect(turn.deltas))]
      const isOwn = ({ parentToolUseId }: { readonly parentToolUseId: string | null }) => parentToolUseId === null
      assert.deepStrictEqual(deltas.filter((delta) => !isOwn(delta)).map(({ text }) => text), nested)
      const own = deltas.filter(isOwn).map(({ text }) => text).join("")
      assert.strictEqual([...(yield* Stream.runCollect(turn.text))].join(""), own)
      if (supports.partialMessages) assert.match(own, /^done: [^]*echo: from inside/)
    }))

  it.scopedLive("what they need is asked of the same handler, which may say no", () =>
    Effect.gen(function*() {
      const asked: Array<Permission.Request> = []
      const { session, world } = yield* open({
        onPermission: (request) => Effect.sync(() => (asked.push(request), Permission.deny("Not you.")))
      })
      const { text } = yield* session.send(delegate(Model.call("Bash", { command: "touch a" })))
      assert.deepStrictEqual(asked.map(({ toolName }) => toolName), ["Bash"])
      assert.include(text, "Not you.")
      assert.isFalse(existsSync(join(world.cwd, "a")))
      assert.strictEqual(asked[0]?.raw.agent_id !== undefined, supports.agentIds)
    }))

  it.scopedLive("one that the host defines is there, where the CLI takes such", () =>
    Effect.gen(function*() {
      const world = yield* World.make(Model.obedient)
      const agents = { heron: { description: "Counts herons.", prompt: "You count herons." } }
      const session = yield* Conversation.open(world, allowing, { agents })
      const sent = session.send(delegate("how many?", "heron"))
      if (!supports.agentsFlag) {
        assert.include((yield* Effect.flip(sent)).message, "unknown option '--agents=")
        return
      }
      assert.match((yield* sent).text, /^done: [^]*echo: how many\?/)
      const prompts = (yield* world.api.requests).filter(ApiRequest.isMessages).map(ApiRequest.systemText)
      assert.isTrue(prompts.some((prompt) => prompt.includes("You count herons.")))
    }))

  it.scopedLive("an interrupt stops the subagent with the turn", () =>
    Effect.gen(function*() {
      const { session, world } = yield* open(allowing)
      const turn = yield* session.start(delegate("HANG inside"))
      // The subagent's own: it knows nothing of the call that started it.
      const request = yield* world.api.awaitRequest((request): request is ApiRequest.Messages => {
        const said = ApiRequest.isMessages(request) ? JSON.stringify(request.body.messages) : ""
        return said.includes("HANG inside") && !said.includes("CALL Task")
      })
      yield* session.interrupt()
      const result = yield* turn.result
      assert.strictEqual(result.outcome, "interrupted")
      assert.strictEqual(yield* world.api.awaitEnd(request), "Incomplete")
      assert.include((yield* session.send("next", { whenBusy: "queue" })).text, "next")
    }))

  it.scopedLive("in the background, where the CLI has that: the turn ends, and the subagent's end starts another", () =>
    Effect.gen(function*() {
      const { session } = yield* open(allowing)
      const record = yield* Conversation.record(session)
      const more = supports.backgroundAgents ? { run_in_background: true } : {}
      const sent = yield* session.send(delegate("from inside", "general-purpose", more))
      assert.strictEqual(sent.text.includes("launched"), supports.backgroundAgents)
      assert.strictEqual((yield* session.send("next", { whenBusy: "queue" })).text, "echo: next")
      const nested = record.frames().filter((frame) => frame.type === "assistant" && frame.parent_tool_use_id !== null)
      assert.lengthOf(nested, supports.backgroundAgents ? 1 : 0)
    }))
})
