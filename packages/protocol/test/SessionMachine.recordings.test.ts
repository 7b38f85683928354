import * as Frame from "@claude-duplex/protocol/Frame"
import type { HostFrame } from "@claude-duplex/protocol/Frame"
import type { SessionAction } from "@claude-duplex/protocol/SessionAction"
import * as SessionMachine from "@claude-duplex/protocol/SessionMachine"
import type { TransportExit } from "@claude-duplex/protocol/TransportExit"
import { assert, describe, it } from "@effect/vitest"
import { recordings } from "./support/recordings.js"
import { replay } from "./support/replay.js"

const first = "11111111-1111-4111-8111-111111111111"
const second = "22222222-2222-4222-8222-222222222222"
const third = "33333333-3333-4333-8333-333333333333"

/** How a message ends: with a result (its text, or its subtype where it has none) by some evidence, or without. */
type Ending = readonly [message: string, result: string, evidence: string]

/** Messages that carry no uuid are named by their order: `#1`, `#2`. `-` is nobody's turn. */
const expected: Record<string, ReadonlyArray<Ending>> = {
  "1.0.128/initialize-hooks": [["#1", `tool done: "hooked"`, "Order"]],
  "1.0.128/interrupt": [
    ["#1", "error_during_execution", "Order"],
    ["#2", "echo: SLOW please take your time", "Order"]
  ],
  "1.0.128/permission-allow": [["#1", `tool done: ""`, "Order"]],
  "1.0.128/plain": [["#1", "echo: hello", "Order"], ["#2", "echo: second turn", "Order"]],
  "1.0.128/queue-midturn": [
    [first, "echo: SLOW first one that takes a while", "Order"],
    [second, "echo: second", "Order"],
    [third, "echo: third", "Order"]
  ],
  "1.0.128/sdk-mcp": [["#1", `tool done: [{"type":"text","text":"42"}]`, "Order"]],
  "2.1.143/initialize-hooks": [["#1", `tool done: "hooked"`, "Order"]],
  "2.1.143/interrupt": [
    ["#1", "error_during_execution", "Order"],
    ["#2", "echo: [Request interrupted by user]", "Order"]
  ],
  "2.1.143/permission-allow": [["#1", `tool done: "(Bash completed with no output)"`, "Order"]],
  "2.1.143/plain": [["#1", "echo: hello", "Order"], ["#2", "echo: second turn", "Order"]],
  "2.1.143/queue-midturn": [
    [first, "echo: SLOW first one that takes a while", "Order"],
    [second, "echo: second", "Order"],
    [third, "echo: second", "Order"]
  ],
  "2.1.143/queue-midturn-replay": [
    [first, "echo: SLOW first one that takes a while", "Echo"],
    [second, "echo: second", "Echo"],
    [third, "echo: second", "Echo"]
  ],
  "2.1.143/sdk-mcp": [["#1", `tool done: [{"type":"text","text":"42"}]`, "Order"]],
  "2.1.326/api-400": [["#1", "API Error: 400 scripted failure 400", "Order"]],
  "2.1.326/api-401": [["#1", "SessionClosed", "no result"]],
  "2.1.326/background": [["#1", "tool done: \"Command running in background", "Order"], ["-", "echo: ", "Origin"]],
  "2.1.326/background-race": [
    [first, "tool done: \"Command running in background", "Uuids"],
    [second, "echo: SLOW racing with the notification", "Uuids"],
    ["-", "echo: ", "Origin"]
  ],
  "2.1.326/bad-control-response-in": [["#1", "echo: still there?", "Order"]],
  "2.1.326/bad-flag": [["#1", "SessionClosed", "no result"]],
  "2.1.326/bad-user-in": [["#1", "SessionClosed", "no result"]],
  "2.1.326/cancel-own": [["#1", "echo: hi", "Order"]],
  "2.1.326/commands": [
    ["51bf40ef-e643-482f-afbf-80b1f7c75873", "echo: hello", "Uuids"],
    ["166cc9cb-e718-445d-8124-3fedfc158892", "(text)", "Uuids"],
    ["e6c7a7ec-b8be-4e3e-88f0-cfa355f5d862", "(text)", "Uuids"],
    ["caeaf37d-81bd-4a5e-be4c-04a934a08e2b", "echo: /no-such-command", "Uuids"],
    ["1cff5105-5f07-4319-8969-01c114f9c6d8", "echo: goodbye", "Uuids"]
  ],
  "2.1.326/compaction": [
    ["d1e1b5f8-1719-4873-9558-4854f06a0355", "echo: remember the heron", "Uuids"],
    ["564f5585-70b7-4368-a953-a2b0b44902dd", "done: (Bash completed with no output)", "Uuids"],
    ["bc8746f7-7f98-4f5b-9856-10657d016c9c", "", "Uuids"],
    ["1e103f09-0a6c-4aa9-a661-9dde946d6a0a", "echo: again", "Uuids"]
  ],
  "2.1.326/controls": [["#1", "echo: done", "Order"]],
  "2.1.326/eof-midturn": [["#1", "echo: SLOW a few words only here", "Order"]],
  "2.1.326/image": [["#1", "echo: look", "Order"]],
  "2.1.326/initialize-hooks": [["#1", `tool done: "hooked"`, "Order"]],
  "2.1.326/interrupt": [
    ["#1", "error_during_execution", "Order"],
    ["#2", "echo: [Request interrupted by user]", "Order"]
  ],
  "2.1.326/interrupt-idle": [["#1", "echo: hi", "Order"]],
  "2.1.326/kill-midturn": [["#1", "SessionClosed", "no result"]],
  "2.1.326/malformed-in": [["#1", "SessionClosed", "no result"]],
  "2.1.326/max-turns": [["#1", "error_max_turns", "Order"]],
  "2.1.326/multi-turn": [
    ["bd3c8534-d779-45cc-8e62-28ab0eb95282", "tool done: 42", "Uuids"],
    ["554bfecd-0f06-4b46-ae87-70d85e67c55d", "tool done: made", "Uuids"],
    ["f944656a-6a29-43d0-b582-f0e8d5915a16", "echo: goodbye", "Uuids"]
  ],
  "2.1.326/no-handler": [["#1", "tool done: \"touch in", "Order"]],
  "2.1.326/perm-error": [["#1", "tool done: \"Tool permission request failed", "Order"]],
  "2.1.326/perm-interrupt": [["#1", "error_during_execution", "Order"]],
  "2.1.326/perm-pending-interrupt": [["#1", "error_during_execution", "Order"]],
  "2.1.326/permission-allow": [["#1", `tool done: "(Bash completed with no output)"`, "Order"]],
  "2.1.326/permission-deny": [["#1", `tool done: "bash is denied"`, "Order"]],
  "2.1.326/permission-noinit-allow-noupdated": [["#1", `tool done: "(Bash completed with no output)"`, "Order"]],
  "2.1.326/plain": [["#1", "echo: hello", "Order"], ["#2", "echo: second turn", "Order"]],
  "2.1.326/queue-midturn": [
    [first, "echo: SLOW first one that takes a while", "Uuids"],
    [second, "echo: second", "Uuids"],
    [third, "echo: second", "Uuids"]
  ],
  "2.1.326/queue-two": [[first, "echo: first", "Uuids"], [second, "echo: second", "Uuids"]],
  "2.1.326/resume": [["#1", "echo: again", "Order"]],
  "2.1.326/sdk-mcp": [["#1", `tool done: [{"type":"text","text":"42"}]`, "Order"]],
  "2.1.326/session-id": [["#1", "echo: remember me", "Order"]],
  "2.1.326/subagent": [
    ["a7a45a3c-d4a8-42eb-84eb-a5a0b75a441b", "(text)", "Uuids"],
    ["d5b75dd6-dec4-435b-828e-70d6921d0078", "echo: next", "Uuids"],
    ["-", "echo: ", "Origin"]
  ],
  "2.1.326/thinking": [["#1", "echo: THINK hard", "Order"]],
  "2.1.326/tour": [
    ["e33da2dd-4b48-459d-b46b-9508f7355479", "One process, held open.", "Uuids"],
    ["3fd05f70-5db5-4d0d-be20-77c48a628b43", "Done. hello.txt has one line in it", "Uuids"],
    ["78aa9d65-bc7a-4307-9946-fd41e0f092f4", "error_during_execution", "Uuids"]
  ],
  "2.1.326/tour-denied": [["7a068e0a-6b02-42b7-8dc5-dd85af5d39e5", "Then I leave it.", "Uuids"]],
  "2.1.326/unknown-type-in": [["#1", "echo: still there?", "Order"]]
}

/** How a recorded CLI ended, where it was not with code 0. */
const exits: Record<string, TransportExit> = Object.fromEntries([
  ...[
    "perm-interrupt",
    "perm-pending-interrupt",
    "api-400",
    "max-turns",
    "bad-flag",
    "malformed-in",
    "bad-user-in",
    "tour"
  ]
    .map((
      name
    ) => [`2.1.326/${name}`, { _tag: "Exited", code: 1, stderr: "" }]),
  ["2.1.326/api-401", { _tag: "Signaled", signal: "SIGKILL", stderr: "" }],
  ["2.1.326/kill-midturn", { _tag: "Exited", code: 143, stderr: "" }]
])

/** What a recorded host wrote to see what the CLI does, and the machine does not write. */
const isRefused = (recording: string, frame: HostFrame): boolean =>
  frame.type === "control_response" && (
    // An answer to a request that was never made.
    frame.response.request_id === "nobody" ||
    // An allow without `updatedInput`, which older CLIs cannot read.
    recording === "2.1.326/permission-noinit-allow-noupdated"
  )

const endings = (actions: ReadonlyArray<SessionAction>): ReadonlyArray<Ending> =>
  actions.flatMap((action): ReadonlyArray<Ending> => {
    switch (action._tag) {
      case "TurnEnded": {
        const { result } = action
        const text = Frame.match(result, {
          result: (frame) => frame.subtype === "success" ? frame.result : String(frame.subtype),
          Unknown: () => "unknown"
        })
        return (action.messages.length === 0 ? ["-"] : action.messages).map((
          message
        ) => [message, text, action.evidence])
      }
      case "MessageEnded":
        return [[action.message, action.reason, "no result"]]
      case "MessageFailed":
        return [[action.message, action.error._tag, "no result"]]
      default:
        return []
    }
  })

const count = <K>(keys: Iterable<K>) => {
  const counts = new Map<K, number>()
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1)
  return counts
}

describe("the machine replays", () => {
  it("every recording there is", () => {
    assert.deepStrictEqual(recordings.map(({ name }) => name).sort(), Object.keys(expected).sort())
  })

  for (const recording of recordings) {
    it(`${recording.name}: every message ends once, with its own result`, () => {
      const { actions } = replay(recording, exits[recording.name])
      const found = endings(actions)
      const table = expected[recording.name] ?? []
      assert.strictEqual(found.length, table.length)
      found.forEach(([message, text, evidence], i) => {
        const [expectedMessage, start, expectedEvidence] = table[i] ?? ["", "", ""]
        assert.deepStrictEqual([message, evidence], [expectedMessage, expectedEvidence])
        assert.isTrue(start === "" ? text === "" : text.startsWith(start), text)
      })
    })

    it(`${recording.name}: writes what the recorded host wrote, and settles everything`, () => {
      const { actions, hostFrames, state } = replay(recording, exits[recording.name])
      const written = actions.flatMap((action) => action._tag === "Write" ? [action.frame] : [])
      const expectedFrames = hostFrames.filter((frame) => !isRefused(recording.name, frame))
      assert.deepStrictEqual(
        written.map((frame) => JSON.stringify(frame)).sort(),
        expectedFrames.map((frame) => JSON.stringify(frame)).sort()
      )
      assert.deepStrictEqual(
        {
          hostRequests: SessionMachine.openHostRequests(state).size,
          cliRequests: SessionMachine.openCliRequests(state).size,
          messages: SessionMachine.pendingMessages(state),
          turn: SessionMachine.turn(state)
        },
        { hostRequests: 0, cliRequests: 0, messages: [], turn: undefined }
      )

      const asked = hostFrames.flatMap((frame) => frame.type === "control_request" ? [frame.request_id] : [])
      const settled = actions.flatMap((action) =>
        action._tag === "Answered" || action._tag === "RequestFailed" ? [action.id] : []
      )
      assert.deepStrictEqual(count(settled), count(asked))

      const handled = actions.flatMap((action) => action._tag === "Handle" ? [action.id] : [])
      const ended = [
        ...expectedFrames.flatMap((frame) => frame.type === "control_response" ? [frame.response.request_id] : []),
        ...actions.flatMap((action) => action._tag === "Withdraw" ? [action.id] : [])
      ]
      const open = actions.filter((action) => action._tag === "AnswerInvalid").map(({ id }) => id)
      assert.deepStrictEqual(count(handled), count([...ended, ...open.filter((id) => !ended.includes(id))]))

      const received = actions.filter((action) => action._tag === "Received").length
      assert.strictEqual(received, recording.entries.filter(({ dir }) => dir === "cli").length)
    })
  }

  it("and finds the turn's own cost, where the CLI tells it and where it does not", () => {
    const costs = (name: string) =>
      replay(recordings.find((recording) => recording.name === name) ?? { name, entries: [] }).actions.flatMap((
        action
      ) => action._tag === "TurnEnded" ? [Number(action.cost.usd.toFixed(6))] : [])
    assert.deepStrictEqual(costs("1.0.128/plain"), [0.000105, 0.000105])
    assert.deepStrictEqual(costs("2.1.143/plain"), [0.000175, 0.000175])
    assert.deepStrictEqual(costs("2.1.326/plain"), [0.00014, 0.00014])
    assert.deepStrictEqual(costs("2.1.326/background-race"), [0.00028, 0.00014, 0.00014])
    // The totals of a resumed session begin with what it had spent before.
    assert.deepStrictEqual(costs("2.1.326/resume"), [0.00014])
  })
})
