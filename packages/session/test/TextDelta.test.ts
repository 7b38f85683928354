import * as Codec from "@claude-duplex/protocol/Codec"
import * as TextDelta from "@claude-duplex/session/TextDelta"
import { assert, it } from "@effect/vitest"
import { Chunk, Effect, Option, Stream } from "effect"

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
