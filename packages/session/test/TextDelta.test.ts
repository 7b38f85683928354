import * as Codec from "@claude-duplex/protocol/Codec"
import * as TextDelta from "@claude-duplex/session/TextDelta"
import { assert, it } from "@effect/vitest"
import { Chunk, Effect, Option, Stream } from "effect"
import { names } from "../../../reliability/src/recorded/recordings.js"
import { recording } from "./support/sessions.js"

const event = (event: object, more: { readonly parent?: string; readonly id?: string } = {}) =>
  Codec.cli.fromJson({
    type: "stream_event",
    event,
    parent_tool_use_id: more.parent ?? null,
    session_id: "s",
    ...(more.id === undefined ? {} : { api_message_id: more.id })
  })

const piece = (text: string, more?: { readonly parent?: string; readonly id?: string }) =>
  event({ type: "content_block_delta", index: 2, delta: { type: "text_delta", text } }, more)

const start = (id: string, parent?: string) =>
  event(
    {
      type: "message_start",
      message: {
        id,
        type: "message",
        role: "assistant",
        model: "m",
        content: [],
        stop_reason: null,
        usage: { input_tokens: 1, output_tokens: 1 }
      }
    },
    parent === undefined ? {} : { parent }
  )

it("a piece of text says whose it is", () => {
  assert.deepStrictEqual(
    TextDelta.fromFrame(piece("hel", { parent: "toolu_1", id: "msg_1" })),
    Option.some({ parentToolUseId: "toolu_1", messageId: "msg_1", index: 2, text: "hel" })
  )
  assert.deepStrictEqual(
    TextDelta.fromFrame(piece("")),
    Option.some({ parentToolUseId: null, messageId: undefined, index: 2, text: "" })
  )
})

it("nothing else is one", () => {
  const others = [
    event({ type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking: "hm" } }),
    event({ type: "content_block_delta", index: 0, delta: { type: "hologram_delta", text: "no" } }),
    event({ type: "content_block_start", index: 0, content_block: { type: "text", text: "no" } }),
    event({ type: "hologram" }),
    event({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text: 1 } }),
    Codec.cli.fromJson({ type: "keep_alive" }),
    Codec.cli.fromJson({ type: "hologram" })
  ]
  for (const frame of others) assert.isTrue(Option.isNone(TextDelta.fromFrame(frame)))
})

it.effect("in a stream, the id of the message is that of its start where the frame does not tell", () =>
  Effect.gen(function*() {
    const frames = [
      piece("late"),
      start("a"),
      start("b", "toolu_1"),
      piece("1"),
      piece("2", { parent: "toolu_1" }),
      piece("3", { id: "told" }),
      event({ type: "message_stop" }),
      piece("4"),
      piece("5", { parent: "toolu_1" })
    ]
    const deltas = TextDelta.fromFrames(Stream.fromIterable(frames))
    const expected = [["late", undefined], ["1", "a"], ["2", "b"], ["3", "told"], ["4", undefined], ["5", "b"]]
    // Twice: a stream that is run again begins anew.
    for (let run = 0; run < 2; run++) {
      const all = yield* Stream.runCollect(deltas)
      assert.deepStrictEqual(Chunk.toReadonlyArray(all).map((delta) => [delta.text, delta.messageId]), expected)
    }
  }))

const whole = (id: string, ...texts: ReadonlyArray<string>) =>
  Codec.cli.fromJson({
    type: "assistant",
    message: {
      id,
      type: "message",
      role: "assistant",
      model: "m",
      content: texts.map((text) => ({ type: "text", text })),
      stop_reason: null,
      usage: { input_tokens: 1, output_tokens: 1 }
    },
    parent_tool_use_id: null,
    session_id: "s"
  })

const deltasOf = (...frames: ReadonlyArray<ReturnType<typeof whole>>) =>
  Effect.map(Stream.runCollect(TextDelta.fromFrames(Stream.fromIterable(frames))), Chunk.toReadonlyArray)

it.effect("a message that was not streamed comes whole; one that was does not come again", () =>
  Effect.gen(function*() {
    const stop = event({ type: "message_stop" })
    const deltas = yield* deltasOf(
      whole("a", "1", "2"),
      whole("a", "3"),
      start("b"),
      piece("4"),
      whole("b", "4"),
      stop,
      whole("c", "5"),
      start("d"),
      piece("6"),
      stop,
      whole("d", "6"),
      piece("7"),
      whole("e", "7"),
      whole("f", "8")
    )
    assert.deepStrictEqual(deltas.map(({ index, messageId, text }) => [text, messageId, index]), [
      ["1", "a", 0],
      ["2", "a", 1],
      ["3", "a", 2],
      ["4", "b", 2],
      ["5", "c", 0],
      ["6", "d", 2],
      ["7", undefined, 2],
      ["8", "f", 0]
    ])
  }))

it.effect("the text is the same with partial messages and without, in every recording of whole messages", () =>
  Effect.gen(function*() {
    for (const name of names) {
      const frames = recording(name).entries.flatMap(({ dir, line }) =>
        dir === "cli" ? [Codec.cli.fromJson(JSON.parse(line))] : []
      )
      const textOf = (all: typeof frames) =>
        Effect.map(deltasOf(...all), (deltas) => deltas.map(({ text }) => text).join(""))
      const text = yield* textOf(frames)
      const plain = yield* textOf(frames.filter((frame) => !("type" in frame) || frame.type !== "stream_event"))
      // The CLI was killed, or interrupted and does not send the message then: its beginning is all there is.
      if (name === "2.1.326/kill-midturn" || name === "1.0.128/interrupt") assert.isTrue(text.startsWith("echo: SLOW"))
      else assert.strictEqual(text, plain, name)
    }
  }))
