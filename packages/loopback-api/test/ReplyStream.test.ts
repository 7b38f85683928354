import * as Reply from "@claude-duplex/loopback-api/Reply"
import * as ReplyStream from "@claude-duplex/loopback-api/ReplyStream"
import { assert, describe, it } from "@effect/vitest"
import { Duration, FastCheck } from "effect"
import { ask, parseSse, request } from "./support/client.js"

const hello = request(ask("hello"), 7)
const events = (reply: Reply.Message) => ReplyStream.toPlan(reply, hello).steps.map(({ event }) => event)
const types = (reply: Reply.Message) => events(reply).map(({ type }) => type)

/** What a client puts together from events: blocks, as it would from one JSON. */
const assemble = (all: ReadonlyArray<ReplyStream.Event>): ReadonlyArray<Record<string, unknown>> => {
  const blocks: Array<Record<string, unknown>> = []
  for (const event of all) {
    if (event.type === "content_block_start") {
      const block = { ...Object(event["content_block"]) }
      blocks.push(block.type === "tool_use" ? { ...block, json: "" } : block)
    }
    const delta = Object(event["delta"])
    const block = blocks.at(-1) ?? {}
    if (delta.type === "text_delta") block["text"] += delta.text
    if (delta.type === "thinking_delta") block["thinking"] += delta.thinking
    if (delta.type === "signature_delta") block["signature"] += delta.signature
    if (delta.type === "input_json_delta") block["json"] += delta.partial_json
    if (event.type === "content_block_stop" && "json" in block) {
      block["input"] = JSON.parse(String(block["json"]))
      delete block["json"]
    }
  }
  return blocks
}

const mixed = [
  Reply.thinkingBlock("They want 🦀.", "sig"),
  Reply.textBlock("Let me look. 👩‍👩‍👧"),
  Reply.toolUseBlock({ name: "Bash", input: { command: "ls", nested: [1, null, "ü"] } }),
  { type: "redacted_thinking", data: "abc" }
]

describe("events", () => {
  it("come in the API's order", () => {
    assert.deepStrictEqual(types(Reply.blocks([Reply.textBlock("abcd"), Reply.textBlock("e")], { chunk: 2 })), [
      "message_start",
      "content_block_start",
      "ping",
      "content_block_delta",
      "content_block_delta",
      "content_block_stop",
      "content_block_start",
      "content_block_delta",
      "content_block_stop",
      "message_delta",
      "message_stop"
    ])
  })

  it("carry the same message as the JSON, however they are chunked", () => {
    FastCheck.assert(FastCheck.property(
      FastCheck.string({ unit: "grapheme" }),
      FastCheck.jsonValue(),
      FastCheck.option(FastCheck.integer({ min: 1, max: 9 }), { nil: undefined }),
      (text, input, chunk) => {
        const reply = Reply.blocks([...mixed, Reply.textBlock(text), Reply.toolUseBlock({ name: "X", input })], {
          chunk
        })
        // JSON has no -0: what a client can know is what was written.
        assert.deepStrictEqual<unknown>(
          assemble(events(reply)),
          JSON.parse(JSON.stringify(ReplyStream.toJson(reply, hello).content))
        )
      }
    ))
  })

  it("parse back from their bytes, with newlines and separators in texts", () => {
    const reply = Reply.text("a\n\nevent: b\r\n\u2028data: c")
    const bytes = events(reply).map(ReplyStream.encode).join("")
    const parsed = parseSse(bytes)
    assert.deepStrictEqual<unknown>(parsed.map(({ data }) => data), events(reply))
    assert.deepStrictEqual(parsed.map(({ event }) => event), types(reply))
  })

  it("cut no character in two", () => {
    const deltas = events(Reply.text("🦀🦀", { chunk: 1 })).filter(({ type }) => type === "content_block_delta")
    assert.deepStrictEqual(deltas.map(({ delta }) => Object(delta).text), ["🦀", "🦀"])
  })

  it("of an empty text are none but its beginning and end", () => {
    assert.notInclude(types(Reply.text("")), "content_block_delta")
  })
})

describe("a message", () => {
  const endOf = (reply: Reply.Message) => {
    const { stop_reason, usage } = ReplyStream.toJson(reply, hello)
    const delta = events(reply).find(({ type }) => type === "message_delta")
    assert.strictEqual(Object(delta?.["delta"]).stop_reason, stop_reason)
    assert.strictEqual(Object(delta?.["usage"]).output_tokens, usage.output_tokens)
    return stop_reason
  }

  it("ends for the reason that its blocks give, or for the one that is said", () => {
    assert.strictEqual(endOf(Reply.text("x")), "end_turn")
    assert.strictEqual(endOf(Reply.blocks(mixed)), "tool_use")
    assert.strictEqual(endOf(Reply.text("x", { stopReason: "max_tokens" })), "max_tokens")
  })

  it("has ids and a model of the request's, unless they are said", () => {
    const json = ReplyStream.toJson(Reply.blocks(mixed), hello)
    assert.deepInclude(json, { id: "msg_loopback_7", model: "claude-test", role: "assistant", type: "message" })
    assert.deepInclude(json.content[2], { id: "toolu_loopback_7_2" })
    const said = ReplyStream.toJson(
      Reply.toolUse({ name: "X", input: {}, id: "toolu_1" }, { id: "msg_1", model: "other" }),
      hello
    )
    assert.deepInclude(said, { id: "msg_1", model: "other" })
    assert.deepInclude(said.content[0], { id: "toolu_1" })
  })

  it("tells the usage that is said, and estimates the rest", () => {
    const reply = Reply.text("hello", { usage: { input_tokens: 150_000, service_tier: "standard" } })
    const { usage } = ReplyStream.toJson(reply, hello)
    assert.deepInclude<Record<string, unknown>>(usage, {
      input_tokens: 150_000,
      service_tier: "standard",
      cache_read_input_tokens: 0
    })
    assert.isAbove(usage.output_tokens, 0)
    const start = Object(events(reply)[0]?.["message"])
    assert.strictEqual(start.usage.input_tokens, 150_000)
  })
})

describe("time", () => {
  it("passes before the first event and before deltas", () => {
    const { steps } = ReplyStream.toPlan(Reply.text("abc", { chunk: 1, delay: "2 seconds", pace: "100 millis" }), hello)
    assert.deepStrictEqual(steps.map(({ wait }) => Duration.toMillis(wait)), [2000, 0, 0, 100, 100, 100, 0, 0, 0])
  })
})

describe("a cut", () => {
  const cut = (after: number, by: Reply.CutBy) => {
    const plan = ReplyStream.toPlan(Reply.text("abc", { chunk: 1, cut: { after, by } }), hello)
    return [plan.steps.map(({ event }) => event.type), plan.end] as const
  }
  const begun = ["message_start", "content_block_start", "ping"]

  it("comes before the delta that is one too many", () => {
    assert.deepStrictEqual(cut(0, "Hang"), [begun, "Hang"])
    assert.deepStrictEqual(cut(2, "Disconnect"), [
      [...begun, "content_block_delta", "content_block_delta"],
      "Disconnect"
    ])
  })

  it("comes before the end of the message at the latest", () => {
    const [sent, end] = cut(Infinity, "Hang")
    assert.deepStrictEqual([sent.at(-1), end], ["content_block_stop", "Hang"])
  })

  it("may be an error, which ends the answer", () => {
    const [sent, end] = cut(1, { type: "overloaded_error", message: "Overloaded" })
    assert.deepStrictEqual([sent, end], [[...begun, "content_block_delta", "error"], "Complete"])
  })
})
