import * as Codec from "@claude-duplex/protocol/Codec"
import * as Frame from "@claude-duplex/protocol/Frame"
import { CliFrame, HostFrame } from "@claude-duplex/protocol/Frame"
import * as Novelty from "@claude-duplex/protocol/Novelty"
import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Either, FastCheck as fc, type Schema } from "effect"
import * as Exact from "../src/internal/exact.js"
import * as Generated from "../src/internal/generated.js"
import { find } from "../src/internal/novelties.js"
import * as Plan from "../src/internal/plan.js"
import { recordings } from "./support/recordings.js"
import { check } from "./support/sweep.js"

const ofLine = (line: string, question?: string) => Novelty.ofCli(Either.merge(Codec.cli.decode(line)), question)

const decodeHost = (line: string) => Either.merge(Codec.host.decode(line))

/** Kind, place and sample: what a person looks at. */
const brief = (novelties: ReadonlyArray<Novelty.Novelty>) => novelties.map(({ at, kind, sample }) => [kind, at, sample])

describe("what is new in a frame of the CLI's", () => {
  const cases: Record<string, readonly [json: string, expected: Array<Array<string | undefined>>]> = {
    "nothing": [`{"type":"keep_alive"}`, []],
    "a type": [`{"type":"hologram","x":1}`, [["new-frame", "hologram", `{"type":"hologram","x":1}`]]],
    "a subtype": [
      `{"type":"system","subtype":"hologram"}`,
      [["new-frame", "system/hologram", `{"type":"system","subtype":"hologram"}`]]
    ],
    "a field": [`{"type":"keep_alive","pulse":60}`, [["new-field", "KeepAliveFrame.pulse", "60"]]],
    "a field that is missing": [
      `{"type":"control_cancel_request"}`,
      [["missing-field", "ControlCancelFrame.request_id", undefined]]
    ],
    "a value of another kind": [
      `{"type":"control_cancel_request","request_id":7}`,
      [["other-kind", "ControlCancelFrame.request_id", "7"]]
    ],
    "a line that is not JSON": [`[warn] low disk`, [["not-a-frame", "InvalidJson", `"[warn] low disk"`]]],
    "JSON that is no object": [`[1]`, [["not-a-frame", "NotAnObject", "[1]"]]]
  }
  for (const [name, [json, expected]] of Object.entries(cases)) {
    it(name, () => assert.deepStrictEqual(brief(ofLine(json)), expected))
  }

  it("a value of an open enum, and a member of an open union", () => {
    const frame = (type: string, stop: string) =>
      JSON.stringify({
        type: "assistant",
        session_id: "s",
        parent_tool_use_id: null,
        message: {
          id: "m",
          type: "message",
          role: "assistant",
          model: "x",
          content: [{ type, text: "hi" }],
          stop_reason: stop,
          stop_sequence: null,
          usage: { input_tokens: 1, output_tokens: 1 }
        }
      })
    assert.deepStrictEqual(brief(ofLine(frame("text", "end_turn"))), [])
    const kinds = brief(ofLine(frame("hologram", "bored"))).map(([kind, at]) => `${kind} ${at}`)
    assert.deepStrictEqual(kinds.filter((kind) => kind.startsWith("new-value")).length, 2)
    assert.deepStrictEqual(kinds.filter((kind) => !kind.startsWith("new-value")), [])
  })

  it("an answer is read by the schema of its question", () => {
    const answer = `{"type":"control_response","response":{"subtype":"success","request_id":"1","response":${
      JSON.stringify({ cancelled: true, why: "x" })
    }}}`
    assert.deepStrictEqual(brief(ofLine(answer)), [])
    assert.deepStrictEqual(brief(ofLine(answer, "cancel_async_message")), [
      ["new-field", "CancelAsyncMessageResponse.why", `"x"`]
    ])
  })
})

it("a sample is cut", () => {
  const [novelty] = ofLine(`{"type":"keep_alive","x":"${"y".repeat(1_000)}"}`)
  assert.deepStrictEqual([novelty?.sample?.length, novelty?.sample?.at(-1)], [120, "…"])
})

describe("recordings", () => {
  it("say nothing new, but for hosts that do so on purpose", () => {
    const fresh = recordings.flatMap(({ entries, name }) => {
      const asked = new Map<string, string>()
      return entries.flatMap(({ dir, line }) => {
        const item = dir === "cli" ? Either.merge(Codec.cli.decode(line)) : decodeHost(line)
        const frame = Frame.isKnown(item) ? item : undefined
        if (frame?.type === "control_request") asked.set(frame.request_id, frame.request.subtype)
        const question = frame?.type === "control_response" ? asked.get(frame.response.request_id) : undefined
        const novelties = dir === "cli" ? ofLine(line, question) : Novelty.ofHost(decodeHost(line), question)
        return novelties.map(({ at, kind }) => `${name} ${dir} ${kind} ${at}`)
      })
    })
    assert.deepStrictEqual(fresh, [
      "2.1.326/bad-user-in host new-value HostUserFrame.message.role",
      "2.1.326/bad-user-in host other-kind HostUserFrame.message.content",
      "2.1.326/controls host missing-field RegisterRepoRootRequest.directory",
      "2.1.326/controls host new-field RegisterRepoRootRequest.path",
      "2.1.326/controls host new-field McpCallRequest.server",
      "2.1.326/controls host new-frame control_request/future_subtype_xyz",
      "2.1.326/controls host new-frame control_request/can_use_tool",
      "2.1.326/malformed-in host not-a-frame InvalidJson",
      "2.1.326/permission-noinit-allow-noupdated host missing-field PermissionAllow.updatedInput",
      "2.1.326/unknown-type-in host new-frame weird_type"
    ])
  })
})

describe("the fast answer and the long one agree", () => {
  const mutate = (value: unknown, next: () => number): unknown => {
    if (typeof value !== "object" || value === null) return [null, 0, "", "hologram", {}, []][next() % 6]
    const keys = Object.keys(value)
    const key = keys[next() % (keys.length + 1)]
    if (key === undefined) return Array.isArray(value) ? [...value, "hologram"] : { ...value, hologram: next() }
    const copy: Record<string, unknown> = { ...value }
    if (next() % 5 === 0) delete copy[key]
    else copy[key] = mutate(copy[key], next)
    return Array.isArray(value) ? Object.values(copy) : copy
  }
  const directions: Record<string, Schema.Schema<unknown>> = {
    CliFrame: CliFrame as unknown as Schema.Schema<unknown>,
    HostFrame: HostFrame as unknown as Schema.Schema<unknown>
  }
  for (const [name, schema] of Object.entries(directions)) {
    it(`${name}: on generated and on mutated frames`, async () => {
      const plan = Plan.make(schema.ast)
      const closures = Exact.make(plan)
      const generated = Generated.make(plan, true)
      assert.isDefined(generated)
      const agree = (value: unknown) => {
        const found = find(plan, value, "frame")
        const fast = [closures(value), generated(value)]
        if (fast.some((isExact) => isExact !== (found.length === 0))) {
          assert.fail(`fast says ${fast}, long ${JSON.stringify(found)}: ${JSON.stringify(value)}`)
        }
      }
      await check(
        fc.property(Arbitrary.make(schema), fc.infiniteStream(fc.nat()), (value, choices) => {
          let json: unknown = JSON.parse(JSON.stringify(value))
          agree(json)
          const next = () => choices.next().value ?? 0
          for (let i = 0; i < 10; i++) agree(json = mutate(json, next))
        }),
        { sample: 60, full: 3_000 }
      )
    })
  }
})
