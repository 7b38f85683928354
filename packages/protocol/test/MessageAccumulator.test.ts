import * as Codec from "@claude-duplex/protocol/Codec"
import { CliFrame, isKnown, type Unknown } from "@claude-duplex/protocol/Frame"
import * as MessageAccumulator from "@claude-duplex/protocol/MessageAccumulator"
import type { AssistantFrame } from "@claude-duplex/protocol/schema/AssistantFrame"
import { StreamEventFrame } from "@claude-duplex/protocol/schema/StreamEvent"
import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Chunk, Effect, Either, FastCheck as fc, HashMap, Option, Stream } from "effect"
import { linesOf, recordings } from "./support/recordings.js"

type Frame = CliFrame | Unknown

const event = (event: object, parent: string | null = null, more: object = {}): Frame => {
  const frame = Codec.cli.fromJson({
    type: "stream_event",
    event,
    parent_tool_use_id: parent,
    session_id: "s",
    ...more
  })
  if (!isKnown(frame)) assert.fail(frame.detail)
  return frame
}

const start = (id = "m1", parent?: string) =>
  event({
    type: "message_start",
    message: {
      id,
      type: "message",
      role: "assistant",
      model: "m",
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { input_tokens: 10, output_tokens: 1, cache_read_input_tokens: 3 }
    }
  }, parent)
const open = (index: number, content_block: object, parent?: string) =>
  event({ type: "content_block_start", index, content_block }, parent)
const delta = (index: number, delta: object, parent?: string) =>
  event({ type: "content_block_delta", index, delta }, parent)
const text = (index: number, text: string, parent?: string) => delta(index, { type: "text_delta", text }, parent)
const json = (index: number, partial_json: string) => delta(index, { type: "input_json_delta", partial_json })
const stop = (index: number, parent?: string) => event({ type: "content_block_stop", index }, parent)
const end = (parent?: string) => event({ type: "message_stop" }, parent)

const emptyText = { type: "text", text: "" }
const tool = { type: "tool_use", id: "toolu_1", name: "Bash", input: {} }

const run = (frames: Iterable<Frame>) => {
  let state = MessageAccumulator.empty
  const changes: Array<MessageAccumulator.MessageSoFar> = []
  for (const frame of frames) {
    const [next, changed] = MessageAccumulator.step(state, frame)
    state = next
    if (Option.isSome(changed)) changes.push(changed.value)
  }
  return { state, changes }
}

/** The message after these frames. */
const after = (...frames: ReadonlyArray<Frame>): MessageAccumulator.MessageSoFar => {
  const last = run(frames).changes.at(-1)
  return last ?? assert.fail("nothing changed")
}

describe("a message", () => {
  it("grows, and ends", () => {
    const { changes, state } = run([start(), open(0, emptyText), text(0, "hel"), text(0, "lo"), stop(0), end()])
    assert.deepStrictEqual(changes.map((message) => [message.text, message.isComplete]), [
      ["", false],
      ["", false],
      ["hel", false],
      ["hello", false],
      ["hello", false],
      ["hello", true]
    ])
    assert.deepStrictEqual(changes.map(({ content }) => content.length), [0, 1, 1, 1, 1, 1])
    assert.isTrue(Option.isNone(MessageAccumulator.get(state)))
  })

  it("is kept while it is under way, and earlier ones stay as they were", () => {
    const { changes, state } = run([start(), open(0, emptyText), text(0, "a"), text(0, "b")])
    assert.strictEqual(Option.getOrThrow(MessageAccumulator.get(state)), changes[3])
    assert.strictEqual(changes[2]?.text, "a")
  })

  it("has thinking, its signature, and citations", () => {
    const message = after(
      start(),
      open(0, { type: "thinking", thinking: "", signature: "" }),
      delta(0, { type: "thinking_delta", thinking: "let " }),
      delta(0, { type: "thinking_delta", thinking: "me" }),
      delta(0, { type: "signature_delta", signature: "c2ln" }),
      stop(0),
      open(1, { type: "text", text: "", citations: null }),
      text(1, "so"),
      delta(1, { type: "citations_delta", citation: { n: 1 } }),
      delta(1, { type: "citations_delta", citation: { n: 2 } })
    )
    assert.deepStrictEqual<unknown>(message.content, [
      { type: "thinking", thinking: "let me", signature: "c2ln" },
      { type: "text", text: "so", citations: [{ n: 1 }, { n: 2 }] }
    ])
    assert.strictEqual(message.text, "so")
  })

  it("has a compaction, which comes whole", () => {
    const message = after(
      start(),
      open(0, { type: "compaction", content: null }),
      delta(0, { type: "compaction_delta", content: "so far", encrypted_content: "x" })
    )
    assert.deepStrictEqual<unknown>(message.content, [{
      type: "compaction",
      content: "so far",
      encrypted_content: "x"
    }])
  })

  it("knows model, usage and why it stopped; what a delta leaves out or does not know stays", () => {
    const frames = [start(), event({ type: "message_delta", delta: {} })]
    assert.strictEqual(after(...frames).head?.stop_reason, null)
    const { head, id } = after(
      ...frames,
      event({
        type: "message_delta",
        delta: { stop_reason: "end_turn", stop_sequence: null },
        usage: { input_tokens: null, output_tokens: 7 },
        context_management: { applied_edits: [] }
      })
    )
    assert.strictEqual(id, "m1")
    assert.deepStrictEqual<unknown>(head, {
      id: "m1",
      type: "message",
      role: "assistant",
      model: "m",
      stop_reason: "end_turn",
      stop_sequence: null,
      usage: { input_tokens: 10, output_tokens: 7, cache_read_input_tokens: 3 },
      context_management: { applied_edits: [] }
    })
  })

  it("begins empty, whatever 1.0.128 says, and a new one takes its place", () => {
    const first = event({
      type: "message_start",
      message: {
        id: "old",
        type: "message",
        role: "assistant",
        model: "m",
        content: [{ type: "text", text: "hel" }],
        stop_reason: null,
        usage: { input_tokens: 1, output_tokens: 1 }
      }
    })
    assert.deepStrictEqual(after(first).content, [])
    const second = after(first, open(0, emptyText), text(0, "hel"), start("new"))
    assert.deepStrictEqual([second.id, second.content], ["new", []])
  })
})

describe("the input of a tool", () => {
  const inputOf = (...pieces: ReadonlyArray<string>) => {
    const pending = [start(), open(0, tool), ...pieces.map((piece) => json(0, piece))]
    return { pending: after(...pending).blocks[0], done: after(...pending, stop(0)).blocks[0] }
  }

  it("is text until it is whole", () => {
    const { done, pending } = inputOf("", `{"command":`, `"ls"}`)
    assert.deepStrictEqual<unknown>(pending, {
      index: 0,
      block: tool,
      partialJson: `{"command":"ls"}`,
      isComplete: false
    })
    assert.deepStrictEqual<unknown>(done, {
      index: 0,
      block: { ...tool, input: { command: "ls" } },
      partialJson: undefined,
      isComplete: true
    })
  })

  it("is what it began with, if nothing came", () => {
    for (const pieces of [[], [""]]) {
      assert.deepStrictEqual<unknown>(inputOf(...pieces).done, {
        index: 0,
        block: tool,
        partialJson: undefined,
        isComplete: true
      })
    }
  })

  it("that is not JSON stays text", () => {
    assert.deepStrictEqual<unknown>(inputOf(`{"command":`).done, {
      index: 0,
      block: tool,
      partialJson: `{"command":`,
      isComplete: true
    })
  })

  it("is taken at the end of the message, if the end of its block is missing", () => {
    const message = after(start(), open(0, tool), json(0, `{"a":1}`), end())
    assert.deepStrictEqual<unknown>(message.content, [{ ...tool, input: { a: 1 } }])
  })

  it("is the same for tools that the API runs", () => {
    for (const type of ["server_tool_use", "mcp_tool_use"]) {
      const block = { type, id: "t", name: "n", server_name: "s", input: {} }
      const message = after(start(), open(0, block), json(0, "[1]"), stop(0))
      assert.deepStrictEqual<unknown>(message.content, [{ ...block, input: [1] }])
    }
  })
})

describe("what does not fit", () => {
  const begun = [start(), open(0, emptyText), text(0, "a")]
  const ignored: ReadonlyArray<readonly [what: string, frame: Frame]> = [
    ["a delta to a block that never began", text(7, "x")],
    ["the end of a block that never began", stop(7)],
    ["a delta of another kind", json(0, "{}")],
    ["another delta of another kind", delta(0, { type: "thinking_delta", thinking: "x" })],
    ["an unknown delta", delta(0, { type: "hologram_delta", text: "x" })],
    ["an unknown event", event({ type: "ping" })],
    ["an unknown frame", Codec.cli.fromJson({ type: "hologram" })],
    ["another frame", Codec.cli.fromJson({ type: "keep_alive" })],
    ["a delta of somebody else", text(0, "x", "toolu_9")]
  ]
  for (const [what, frame] of ignored) {
    it(`${what} changes nothing`, () => {
      const before = run(begun)
      const [state, changed] = MessageAccumulator.step(before.state, frame)
      assert.strictEqual(state, before.state)
      assert.isTrue(Option.isNone(changed))
    })
  }

  it("an ended block does not grow", () => {
    assert.strictEqual(after(...begun, stop(0), text(0, "b"), stop(0)).text, "a")
  })

  it("without its beginning, a message has the blocks that began", () => {
    const late = [text(0, "x"), stop(0), event({ type: "message_delta", delta: {} })]
    assert.strictEqual(run([...late, end()]).changes.length, 0)
    const message = after(
      ...late,
      event({ type: "content_block_start", index: 1, content_block: emptyText }, null, { api_message_id: "m1" }),
      text(1, "whole"),
      event({ type: "message_delta", delta: { stop_reason: "end_turn" } })
    )
    assert.deepStrictEqual([message.id, message.head, message.text], ["m1", undefined, "whole"])
  })

  it("blocks are in the order of their indexes, and a block that begins again begins anew", () => {
    const message = after(
      start(),
      open(2, { type: "text", text: "c" }),
      open(0, { type: "text", text: "a" }),
      open(1, { type: "text", text: "x" }),
      open(1, { type: "text", text: "b" })
    )
    assert.strictEqual(message.text, "abc")
  })

  it("no frame, in whatever order, throws", () => {
    const frames = fc.oneof(
      { weight: 4, arbitrary: Arbitrary.make(StreamEventFrame) },
      { weight: 1, arbitrary: Arbitrary.make(CliFrame) }
    )
    fc.assert(
      fc.property(fc.array(frames, { maxLength: 20 }), (frames) => {
        // As they come over the wire.
        const { changes } = run(frames.map((frame) => Codec.cli.fromJson(JSON.parse(JSON.stringify(frame)))))
        for (const message of changes) assert.strictEqual(message.content.length, HashMap.size(message.byIndex))
      }),
      { numRuns: 60 }
    )
  })
})

describe("what is held", () => {
  const held = (...frames: ReadonlyArray<Frame>) => Array.from(HashMap.keys(run(frames).state.messages))
  const toolResult = Codec.cli.fromJson({
    type: "user",
    message: { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "x" }] },
    parent_tool_use_id: null
  })
  const result = Codec.cli.fromJson({
    type: "result",
    subtype: "error_during_execution",
    is_error: true,
    num_turns: 1,
    duration_ms: 1,
    duration_api_ms: 1,
    total_cost_usd: 0,
    session_id: "s",
    usage: { input_tokens: 1, output_tokens: 1 }
  })

  it("is what is under way", () => {
    assert.isTrue(isKnown(result) || !isKnown(toolResult))
    assert.sameMembers(held(start(), start("b", "toolu_1")), [null, "toolu_1"])
    assert.deepStrictEqual(held(start(), start("b", "toolu_1"), end("toolu_1")), [null])
    assert.deepStrictEqual(held(start(), end()), [])
  })

  it("is let go of when nothing more can come, though the end was missed", () => {
    assert.deepStrictEqual(held(start(), start("b", "toolu_1"), toolResult), [null])
    assert.deepStrictEqual(held(start(), start("b", "toolu_1"), result), ["toolu_1"])
  })
})

/** Cuts a text in pieces, which may be empty. */
const cut = (text: string, places: ReadonlyArray<number>): ReadonlyArray<string> => {
  const at = [0, ...places.map((place) => place % (text.length + 1)).sort((a, b) => a - b), text.length]
  return at.slice(1).map((to, i) => text.slice(at[i], to))
}

const places = fc.array(fc.nat(), { maxLength: 10 })

it("however text and input are cut, the message is the same", () => {
  fc.assert(fc.property(fc.string(), fc.jsonValue(), places, places, (said, input, a, b) => {
    const message = after(
      start(),
      open(0, emptyText),
      ...cut(said, a).map((piece) => text(0, piece)),
      stop(0),
      open(1, tool),
      ...cut(JSON.stringify(input), b).map((piece) => json(1, piece)),
      stop(1),
      end()
    )
    assert.deepStrictEqual<unknown>(message.content, [
      { type: "text", text: said },
      { ...tool, input: JSON.parse(JSON.stringify(input)) }
    ])
  }))
})

it("however conversations interleave, each has its own message", () => {
  const parents = [undefined, "toolu_1", "toolu_2"]
  fc.assert(fc.property(
    fc.tuple(fc.string(), fc.string(), fc.string()),
    places,
    fc.infiniteStream(fc.nat()),
    (texts, cuts, choices) => {
      const queues = parents.map((parent, i) => [
        start(`m${i}`, parent),
        open(0, emptyText, parent),
        ...cut(texts[i] ?? "", cuts).map((piece) => text(0, piece, parent)),
        stop(0, parent),
        end(parent)
      ])
      const frames: Array<Frame> = []
      for (let left = queues; left.length > 0; left = left.filter((queue) => queue.length > 0)) {
        const next = left[(choices.next().value ?? 0) % left.length]?.shift()
        if (next !== undefined) frames.push(next)
      }
      const complete = run(frames).changes.filter(({ isComplete }) => isComplete)
      assert.sameDeepMembers(
        complete.map((message) => [message.parentToolUseId, message.id, message.text]),
        parents.map((parent, i) => [parent ?? null, `m${i}`, texts[i]])
      )
    }
  ))
})

it.effect("a stream of frames becomes a stream of messages, as steps do", () =>
  Effect.gen(function*() {
    const frames = [
      start(),
      open(0, emptyText),
      text(0, "a"),
      Codec.cli.fromJson({ type: "keep_alive" }),
      stop(0),
      end()
    ]
    const all = yield* Stream.runCollect(MessageAccumulator.accumulate(Stream.fromIterable(frames)))
    assert.deepStrictEqual(
      Chunk.toReadonlyArray(all).map((message) => [message.content, message.isComplete]),
      run(frames).changes.map((message) => [message.content, message.isComplete])
    )
  }))

describe("recordings", () => {
  const streamed = recordings
    .map((recording) => ({
      name: recording.name,
      frames: linesOf(recording, "cli").flatMap((line) => Option.toArray(Either.getRight(Codec.cli.decode(line))))
    }))
    .filter(({ frames }) => frames.some((frame) => isKnown(frame) && frame.type === "stream_event"))

  /** Whether a frame has what was streamed: its text may have been replaced in the recording. */
  const isWhole = ({ local_command_run, message, parent_tool_use_id }: AssistantFrame) =>
    !JSON.stringify(message.content).includes(`"(text)"`) &&
    // What subagents say is not streamed, nor what commands of the CLI's own print.
    parent_tool_use_id === null && local_command_run === undefined

  it("are found", () => {
    assert.isAtLeast(streamed.length, 10)
  })

  for (const { frames, name } of streamed) {
    it(`${name}: what was accumulated is what the assistant frames say`, () => {
      const last = new Map(run(frames).changes.map((message) => [message.id, message]))
      // One frame for each block; they have the message's id in common.
      const whole = new Map<string, Array<unknown>>()
      for (const frame of frames) {
        if (!isKnown(frame) || frame.type !== "assistant" || !isWhole(frame)) continue
        whole.set(frame.message.id, [...(whole.get(frame.message.id) ?? []), ...frame.message.content])
      }
      for (const [id, content] of whole) assert.deepStrictEqual<unknown>(last.get(id)?.content, content)
      // But for those that were interrupted or whose CLI was killed, all have come to their end.
      const ended = [...last.values()].filter(({ isComplete }) => isComplete).length
      const stops = frames.filter((frame) =>
        isKnown(frame) && frame.type === "stream_event" && frame.event.type === "message_stop"
      )
      assert.strictEqual(ended, stops.length)
    })
  }
})

it("a hundred thousand pieces are no trouble", () => {
  let state = run([start(), open(0, emptyText)]).state
  const piece = text(0, "abc")
  for (let i = 0; i < 100_000; i++) state = MessageAccumulator.step(state, piece)[0]
  assert.strictEqual(Option.getOrThrow(MessageAccumulator.get(state)).text.length, 300_000)
})
