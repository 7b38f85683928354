import type { Item } from "@claude-duplex/protocol/Codec"
import * as Frame from "@claude-duplex/protocol/Frame"
import { Unknown } from "@claude-duplex/protocol/Frame"
import * as FrameStream from "@claude-duplex/protocol/FrameStream"
import { assert, describe, it } from "@effect/vitest"
import { Chunk, Effect, Exit, Stream } from "effect"

const bytes = (text: string) => new TextEncoder().encode(text)

const show = (item: Item) => Frame.isKnown(item) ? item.type : item.reason

describe("FrameStream.decode", () => {
  it.effect("gives frames in order, one chunk of frames for one chunk of bytes", () =>
    Effect.gen(function*() {
      const chunks = yield* Stream.make(
        bytes(`{"type":"keep_alive"}\nlog\n{"type":"x"}\n{"ty`),
        bytes(`pe":"keep_alive"}\n`)
      ).pipe(
        Stream.rechunk(1),
        FrameStream.decode(),
        Stream.chunks,
        Stream.map(Chunk.toReadonlyArray),
        Stream.runCollect
      )
      assert.deepStrictEqual(Chunk.toReadonlyArray(chunks).map((chunk) => chunk.map(show)), [
        ["keep_alive", "InvalidJson", "UnknownType"],
        ["keep_alive"]
      ])
    }))

  it.effect("delivers the tail at the end", () =>
    Effect.gen(function*() {
      const items = yield* Stream.make(bytes(`{"type":"keep_alive"}`)).pipe(FrameStream.decode(), Stream.runCollect)
      assert.deepStrictEqual(Chunk.toReadonlyArray(items).map(show), ["keep_alive"])
    }))

  it.effect("reports a cut tail before it fails with the source", () =>
    Effect.gen(function*() {
      const seen: Array<string> = []
      const exit = yield* Stream.concat(Stream.make(bytes(`{"type":`)), Stream.fail("broken")).pipe(
        FrameStream.decode(),
        Stream.runForEach((item) => Effect.sync(() => seen.push(show(item)))),
        Effect.exit
      )
      assert.deepStrictEqual(seen, ["TruncatedTail"])
      assert.deepStrictEqual(exit, Exit.fail("broken"))
    }))

  it.effect("can be run again: each run has a state of its own", () =>
    Effect.gen(function*() {
      const frames = Stream.make(bytes(`{"type":"keep_alive"`)).pipe(FrameStream.decode())
      for (let run = 0; run < 2; run++) {
        assert.deepStrictEqual(Chunk.toReadonlyArray(yield* Stream.runCollect(frames)).map(show), ["TruncatedTail"])
      }
    }))

  it.effect("passes its options on", () =>
    Effect.gen(function*() {
      const items = yield* Stream.make(bytes(`{"type":"keep_alive"}\n`)).pipe(
        FrameStream.decode({ maxLineBytes: 5 }),
        Stream.runCollect
      )
      assert.deepStrictEqual(Chunk.toReadonlyArray(items).map(show), ["LineTooLong"])
    }))
})

describe("FrameStream.encode", () => {
  it.effect("gives lines, and fails on a frame that may not be written", () =>
    Effect.gen(function*() {
      const lines: Array<string> = []
      const error = yield* Stream.make(
        { type: "control_cancel_request", request_id: "1" } as const,
        new Unknown({ bad: Number.NaN }, "UnknownType")
      ).pipe(FrameStream.encode, Stream.runForEach((line) => Effect.sync(() => lines.push(line))), Effect.flip)
      assert.deepStrictEqual(lines, [`{"type":"control_cancel_request","request_id":"1"}`])
      assert.strictEqual(error._tag, "EncodeError")
    }))
})
