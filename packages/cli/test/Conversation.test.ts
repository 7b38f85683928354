import * as Conversation from "@claude-duplex/cli/Conversation"
import { assert, describe, it } from "@effect/vitest"
import {
  answer,
  assistant,
  delta,
  init,
  type Line,
  read,
  recording,
  request,
  result,
  toolResult,
  user
} from "./support/entries.js"

const tell = (lines: ReadonlyArray<Line>): ReadonlyArray<string> => {
  const conversation = Conversation.make()
  const facts = read(recording(lines)).flatMap((entry) => entry._tag === "Entry" ? conversation.observe(entry) : [])
  return [...facts, ...conversation.end()].map((fact) => {
    switch (fact._tag) {
      case "TurnStarted":
        return `turn ${fact.turn} of ${fact.messages}`
      case "FirstToken":
        return `token of ${fact.turn} after ${fact.millis}`
      case "TurnEnded":
        return `turn ${fact.turn} ended after ${fact.millis} by ${fact.evidence}, $${fact.cost.usd}`
      case "TurnDropped":
        return `turn ${fact.turn} dropped${fact.isBare ? ", bare" : ""}`
      case "MessageUnanswered":
        return `message of line ${fact.line} unanswered`
      case "RequestOpened":
      case "RequestUnanswered":
        return `${fact._tag} ${fact.request.by} ${fact.request.subtype} ${fact.request.about ?? "-"}`
      case "RequestAnswered":
        return `answered ${fact.request.subtype} after ${fact.millis}${fact.isError ? ", refused" : ""}`
      case "RequestWithdrawn":
        return `withdrawn ${fact.request.subtype} after ${fact.millis}`
      case "ToolStarted":
        return `tool ${fact.tool.name}`
      case "ToolEnded":
        return `tool ${fact.tool.name} ended after ${fact.millis}${fact.isError ? ", failed" : ""}`
      default:
        return `${fact._tag} ${fact.id}`
    }
  })
}

const tool = { type: "tool_use", id: "t1", name: "Bash", input: {} }
const ask = request("r1", { subtype: "can_use_tool", tool_name: "Bash", input: {}, tool_use_id: "t1" })

describe("what happens", () => {
  it("a turn with a tool and a permission", () => {
    assert.deepStrictEqual(
      tell([
        [0, "→", user("u1")],
        [100, "←", init],
        [150, "←", delta(0, "a")],
        [160, "←", delta(0, "b")],
        [200, "←", assistant(tool)],
        [210, "←", ask],
        [250, "→", answer("r1", { behavior: "allow", updatedInput: {} })],
        [300, "←", toolResult("t1", true)],
        [400, "←", result("u1")]
      ]),
      [
        "turn 1 of 1",
        "token of 1 after 150",
        "tool Bash",
        "RequestOpened cli can_use_tool Bash",
        "answered can_use_tool after 40",
        "tool Bash ended after 100, failed",
        "turn 1 ended after 400 by Uuids, $0.25"
      ]
    )
  })

  it("a message that waits for another's turn begins when that one ends", () => {
    assert.deepStrictEqual(
      tell([
        [0, "→", user("u1")],
        [10, "←", init],
        [20, "→", user("u2")],
        [100, "←", result("u1")],
        [110, "←", init],
        [150, "←", assistant({ type: "text", text: "x" })],
        [160, "←", result("u2", { total_cost_usd: 0.75 })]
      ]).filter((fact) => !fact.startsWith("turn 1")),
      ["turn 2 of 1", "token of 2 after 50", "turn 2 ended after 60 by Uuids, $0.5"]
    )
  })

  it("what is left open", () => {
    assert.deepStrictEqual(
      tell([[0, "→", user("u1")], [1, "←", init], [2, "←", assistant(tool)], [3, "←", ask]]).slice(-3),
      ["message of line 1 unanswered", "turn 1 dropped", "RequestUnanswered cli can_use_tool Bash"]
    )
    assert.deepStrictEqual(tell([[0, "←", init]]), ["turn 1 of 0", "turn 1 dropped, bare"])
  })

  it("a request that is withdrawn, one that no schema knows, and answers to nothing", () => {
    assert.deepStrictEqual(
      tell([
        [0, "←", ask],
        [5, "←", { type: "control_cancel_request", request_id: "r1" }],
        [6, "→", answer("r1")],
        [7, "→", request("h1", { subtype: "hologram" })],
        [9, "←", { type: "control_response", response: { subtype: "error", request_id: "h1", error: "no" } }],
        [10, "→", answer("r9")],
        [11, "←", toolResult("t9")]
      ]).filter((fact) => !fact.startsWith("turn")),
      [
        "RequestOpened cli can_use_tool Bash",
        "withdrawn can_use_tool after 5",
        "RequestOpened host hologram -",
        "answered hologram after 2, refused",
        "StrayAnswer r9",
        "StrayToolResult t9"
      ]
    )
  })

  it("the CLI's echo of an answer answers nothing, and is not stray", () => {
    assert.deepStrictEqual(
      tell([[0, "←", ask], [1, "→", answer("r1")], [2, "←", answer("r1")]]),
      ["RequestOpened cli can_use_tool Bash", "answered can_use_tool after 1"]
    )
  })
})
