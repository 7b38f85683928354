import * as Check from "@claude-duplex/cli/Check"
import { assert, describe, it } from "@effect/vitest"
import { answer, delta, event, init, type Line, read, recording, request, result, user } from "./support/entries.js"

const check = (lines: ReadonlyArray<Line>): ReadonlyArray<string> => {
  const checker = Check.make()
  for (const entry of read(recording(lines))) checker.observe(entry)
  return checker.end("a", "recording").findings.map(({ at, by, count, kind, lines }) =>
    `${kind} ${by}: ${at} (${count}× ${lines.join()})`
  )
}

const start = event({
  type: "message_start",
  message: {
    id: "m",
    type: "message",
    role: "assistant",
    model: "m",
    content: [],
    stop_reason: null,
    usage: { input_tokens: 1, output_tokens: 1 }
  }
})
const block = (index: number) =>
  event({ type: "content_block_start", index, content_block: { type: "text", text: "" } })
const turn: ReadonlyArray<Line> = [[0, "→", user("u1")], [1, "←", init]]
const end: Line = [9, "←", result("u1")]

describe("what is found", () => {
  it("nothing, where nothing is", () => {
    assert.deepStrictEqual(
      check([
        ...turn,
        [2, "←", start],
        [2, "←", block(0)],
        [3, "←", delta(0, "a")],
        [3, "←", event({ type: "content_block_stop", index: 0 })],
        [4, "←", event({ type: "message_stop" })],
        end
      ]),
      []
    )
  })

  it("pieces in an order that the API never sends", () => {
    assert.deepStrictEqual(
      check([
        ...turn,
        [2, "←", block(0)],
        [2, "←", start],
        [2, "←", block(0)],
        [3, "←", delta(0, "a")],
        [3, "←", delta(1, "b")],
        [3, "←", delta(1, "c")],
        [4, "←", event({ type: "message_stop" })],
        [4, "←", event({ type: "message_stop" })],
        end
      ]),
      [
        "order cli: a content block of a message that has not begun (1× 3)",
        "order cli: a piece of a content block that has not begun (2× 7,8)",
        "order cli: the end of a message that has not begun (1× 10)"
      ]
    )
  })

  it("time that runs backwards", () => {
    assert.deepStrictEqual(check([...turn, [0, "←", { type: "keep_alive" }], end]), [
      "order cli: a time before that of the line before (1× 3)"
    ])
  })

  it("the same thing once, however often it occurs, with the first lines where it does", () => {
    const odd: Line = [2, "←", { type: "keep_alive", pulse: 1 }]
    assert.deepStrictEqual(check([...turn, ...Array.from({ length: 1_000 }, () => odd), end]), [
      "new-field cli: KeepAliveFrame.pulse (1000× 3,4,5,6,7)"
    ])
  })

  it("an answer is read by its question", () => {
    assert.deepStrictEqual(
      check([
        [0, "→", request("1", { subtype: "cancel_async_message", message_uuid: "u" })],
        [1, "←", answer("1", { cancelled: true, why: "x" })]
      ]),
      ["new-field cli: CancelAsyncMessageResponse.why (1× 2)"]
    )
  })

  it("requests that nobody answered", () => {
    assert.deepStrictEqual(
      check([
        [0, "→", request("1", { subtype: "interrupt" })],
        [1, "←", request("2", { subtype: "can_use_tool", tool_name: "Bash", input: {}, tool_use_id: "t" })]
      ]),
      ["unanswered host: interrupt (1× 1)", "unanswered cli: can_use_tool Bash (1× 2)"]
    )
  })
})
