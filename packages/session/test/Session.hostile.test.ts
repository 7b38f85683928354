/**
 * Values that no walk survives: nested deeper than any stack, or without a text where Effect asks for one. `pnpm fuzz` found
 * each of these; what it throws at random stands here by its name.
 */
import * as McpTool from "@claude-duplex/mcp/McpTool"
import type { TurnResult } from "@claude-duplex/protocol/TurnResult"
import * as Permission from "@claude-duplex/session/Permission"
import type * as Session from "@claude-duplex/session/Session"
import * as StructuredOutput from "@claude-duplex/session/StructuredOutput"
import type { Behaviour } from "@claude-duplex/transport-mock/Peer"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option, Schema } from "effect"
import { soon } from "./support/handmadeCli.js"
import { result, session } from "./support/sessions.js"

const levels = 100_000
const deep = `${"[".repeat(levels)}${"]".repeat(levels)}`
const textless = `{"toString":1,"valueOf":null}`

/** A value that is nested as deeply, for what needs no wire. */
const deepValue: unknown = JSON.parse(deep)

/** A CLI that answers each line of the host's with one of these, in order. `$id` is the id of that line. */
const saying = (...lines: ReadonlyArray<string>): Behaviour => (peer) =>
  Effect.gen(function*() {
    for (const line of lines) {
      const heard = JSON.parse(Option.getOrThrow(yield* peer.receive))
      const id: unknown = heard.request_id ?? heard.uuid ?? heard.response?.request_id
      yield* peer.write(new TextEncoder().encode(`${line.replaceAll("$id", String(id))}\n`))
    }
    return yield* Effect.forever(peer.receive)
  })

const host = (options: Session.Options, ...lines: ReadonlyArray<string>) => session(saying(...lines), options)

/** A result with some more fields; of those that are named twice, the last one counts. */
const ending = (fields: string) => {
  const { user_message_uuids: _, ...frame } = result("done")
  return `${JSON.stringify(frame).slice(0, -1)},${fields}}`
}

describe("a value that cannot be written out", () => {
  it.scoped("in a result: the turn ends, and the session goes on", () =>
    Effect.gen(function*() {
      // Without a text of its own, the error is said to be what does not fit.
      const failing = (errors: string) => ending(`"subtype":"error_during_execution","result":null,"errors":${errors}`)
      const s = yield* host({}, failing(deep), failing(`[${textless}]`), ending(`"x":1`))
      for (const expected of ["error", "error", "success"]) {
        const { outcome } = yield* soon(s.send("?"))
        assert.strictEqual(outcome, expected)
      }
    }))

  it.scoped("in an answer: the request fails, and says that it is the answer", () =>
    Effect.gen(function*() {
      const answer = (servers: string) =>
        `{"type":"control_response","response":{"subtype":"success","request_id":"$id","response":{"mcpServers":${servers}}}}`
      const s = yield* host({}, answer(`{"x":${deep}}`), answer(`[{"name":"x","status":${textless}}]`), answer("[]"))
      for (const _ of [1, 2]) {
        const error = yield* soon(Effect.flip(s.control.mcpStatus()))
        assert.deepInclude(error, { _tag: "ControlError", reason: "InvalidResponse" })
        assert.include(error.message, "carried out mcp_status")
      }
      assert.deepStrictEqual((yield* soon(s.control.mcpStatus())).mcpServers, [])
    }))

  it.scoped("in a permission: it is asked for, and what cannot be sent back is refused; traces show that", () =>
    Effect.gen(function*() {
      const asked: Array<string> = []
      const asking =
        `{"type":"control_request","request_id":"p","request":{"subtype":"can_use_tool","tool_name":"Bash","input":{"x":${deep}}}}`
      const s = yield* host(
        {
          tracePayloads: true,
          onPermission: ({ toolName }) => {
            asked.push(toolName)
            return Effect.succeed(Permission.allow())
          }
        },
        asking,
        // The answer to `p` is an error: that is what this one answers.
        ending(`"x":1`)
      )
      yield* soon(s.send("?"))
      assert.deepStrictEqual(asked, ["Bash"])
      assert.notStrictEqual((yield* s.status.get)._tag, "Closed")
    }))

  it.effect("in structured output: it does not fit, whether the schema is flat or follows it", () =>
    Effect.gen(function*() {
      interface Tree extends ReadonlyArray<Tree> {}
      const Tree: Schema.Schema<Tree> = Schema.Array(Schema.suspend(() => Tree))
      // Nothing else of a turn is looked at.
      const turn = { errors: [], structuredOutput: deepValue } as unknown as TurnResult
      const flat = yield* Effect.flip(StructuredOutput.decode(Schema.String)(turn))
      const followed = yield* Effect.flip(StructuredOutput.decode(Tree)(turn))
      for (const error of [flat, followed]) {
        assert.deepInclude(error, { _tag: "StructuredOutputError", reason: "Invalid" })
      }
    }))

  it.effect("in a tool's input: the model is told", () =>
    Effect.gen(function*() {
      const tool = McpTool.make({
        name: "t",
        description: "d",
        input: Schema.Struct({ x: Schema.String }),
        run: () => Effect.succeed("ran")
      })
      const { content, isError } = yield* tool.call({ x: deepValue }, {
        toolUseId: undefined,
        meta: {},
        progress: () => Effect.void
      })
      assert.isTrue(isError)
      assert.include(JSON.stringify(content), "Invalid input")
    }))
})
