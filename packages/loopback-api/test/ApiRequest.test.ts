import * as ApiRequest from "@claude-duplex/loopback-api/ApiRequest"
import { assert, describe, it } from "@effect/vitest"
import { Option, Schema } from "effect"
import { ask, request } from "./support/client.js"

const toolUse = { role: "assistant", content: [{ type: "tool_use", id: "t1", name: "Bash", input: {} }] }
const result = (id: string, content: unknown, extra = {}) => ({
  role: "user",
  content: [{ type: "tool_result", tool_use_id: id, content, ...extra }]
})
const conversation = (...messages: ReadonlyArray<ApiRequest.Message>) => request({ model: "m", messages })

describe("MessagesBody", () => {
  const decode = Schema.decodeUnknownSync(ApiRequest.MessagesBody)

  it("keeps what is not known, at every depth", () => {
    const body = {
      model: "m",
      messages: [{ role: "system", content: [{ type: "hologram", x: 1 }], output_config: { effort: "low" } }],
      tools: [{ name: "Bash", type: "custom", cache_control: { type: "ephemeral" } }],
      context_management: { edits: [] }
    }
    assert.deepStrictEqual<unknown>(decode(body), body)
  })

  it("refuses what cannot be answered", () => {
    for (const body of [null, [], {}, { model: "m" }, { messages: [] }, { model: 1, messages: [] }]) {
      assert.throws(() => decode(body))
    }
  })
})

describe("lastUserText", () => {
  it("is what the user wrote, not what the CLI adds to it", () => {
    const text = ApiRequest.lastUserText(conversation(
      { role: "user", content: "first" },
      { role: "assistant", content: "answer" },
      {
        role: "user",
        content: [
          { type: "text", text: "second" },
          { type: "image" },
          { type: "text", text: "<system-reminder>\nBe kind.\n</system-reminder>" }
        ]
      },
      { role: "system", content: "# Environment" }
    ))
    assert.deepStrictEqual(text, Option.some("second"))
  })

  it("is still there when a tool's result came after it", () => {
    const text = ApiRequest.lastUserText(conversation({ role: "user", content: "go" }, toolUse, result("t1", "done")))
    assert.deepStrictEqual(text, Option.some("go"))
  })

  it("is none where nobody wrote", () => {
    assert.isTrue(Option.isNone(ApiRequest.lastUserText(conversation(toolUse))))
  })
})

describe("toolResults", () => {
  it("are those since the model last spoke, in their order", () => {
    const results = ApiRequest.toolResults(conversation(
      toolUse,
      result("old", "x"),
      toolUse,
      result("t1", [{ type: "text", text: "a" }, { type: "image" }, { type: "text", text: "b" }]),
      { role: "system", content: "note" },
      result("t2", "failed", { is_error: true }),
      result("t3", undefined)
    ))
    assert.deepStrictEqual(results, [
      { toolUseId: "t1", text: "a\nb", isError: false },
      { toolUseId: "t2", text: "failed", isError: true },
      { toolUseId: "t3", text: "", isError: false }
    ])
  })

  it("are none when the user speaks", () => {
    assert.deepStrictEqual(
      ApiRequest.toolResults(conversation(result("t1", "x"), toolUse, { role: "user", content: "hi" })),
      []
    )
  })
})

describe("describe", () => {
  it("names what a person looks for", () => {
    assert.strictEqual(
      ApiRequest.describe(request(ask("hello", { tools: [{ name: "Bash" }] }), 2)),
      `request 2: POST /v1/messages, claude-test, 1 tools, "hello"`
    )
    assert.strictEqual(
      ApiRequest.describe(conversation(toolUse, result("t1", "x"))),
      "request 1: POST /v1/messages, m, 0 tools, with the result of t1"
    )
  })

  it("quotes no more than the beginning of a long text", () => {
    assert.isBelow(ApiRequest.describe(request(ask("x".repeat(10_000)))).length, 200)
  })
})

it("systemText joins blocks, and takes a text", () => {
  const system = [{ type: "text", text: "a" }, { type: "text", text: "b" }]
  assert.strictEqual(ApiRequest.systemText(request(ask("", { system }))), "a\nb")
  assert.strictEqual(ApiRequest.systemText(request(ask("", { system: "a" }))), "a")
})

it("estimateTokens grows with what the model reads", () => {
  const count = (fields: object) => ApiRequest.estimateTokens(ask("hello", { ...fields }))
  assert.isAbove(count({ system: "You are kind." }), count({}))
  assert.strictEqual(count({ metadata: "x".repeat(100) }), count({}))
})
