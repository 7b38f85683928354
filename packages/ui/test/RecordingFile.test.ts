import * as RecordingFile from "@claude-duplex/ui/RecordingFile"
import * as NodeContext from "@effect/platform-node/NodeContext"
import { FileSystem } from "@effect/platform/FileSystem"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option, Stream } from "effect"

const written = (text: string) =>
  Effect.gen(function*() {
    const files = yield* FileSystem
    const path = yield* files.makeTempFileScoped()
    yield* files.writeFileString(path, text)
    return yield* RecordingFile.make(path)
  })

const read = (file: RecordingFile.RecordingFile, from = 0) =>
  Stream.runFold(file.follow(from), [] as ReadonlyArray<readonly [number, string]>, (all, batch) => [
    ...all,
    ...batch.entries.map(({ line }, i) => [batch.from + i, line] as const)
  ])

const entry = (line: string) => `${JSON.stringify({ t: 1, dir: "host", line })}\n`

describe("a recording on disk", () => {
  it.scoped("is read from any line on", () =>
    Effect.gen(function*() {
      // Some of them longer than a piece of the file, so that marks, pieces and lines do not coincide.
      const lines = Array.from({ length: 3_000 }, (_, i) => `${i} ${"x".repeat(i % 500 === 0 ? 300_000 : i % 700)}`)
      const file = yield* written(lines.map(entry).join(""))
      for (const from of [0, 1, 499, 500, 501, 2_500, 2_999, 3_000]) {
        // Once before and once after the marks are there.
        for (let again = 0; again < 2; again++) {
          assert.deepStrictEqual(yield* read(file, from), lines.map((line, i) => [i, line] as const).slice(from))
        }
      }
      assert.deepStrictEqual(yield* file.at(1_234), Option.some({ t: 1, dir: "host", line: lines[1_234] ?? "" }))
      assert.deepStrictEqual(yield* file.at(3_000), Option.none())
    }).pipe(Effect.provide(NodeContext.layer)))

  it.scoped("may be plain output of a CLI's, with log text in it and a torn end", () =>
    Effect.gen(function*() {
      const file = yield* written(`{"type":"keep_alive"}\n[warn] low disk\n\n{"type":`)
      assert.deepStrictEqual(yield* read(file), [[0, `{"type":"keep_alive"}`], [1, "[warn] low disk"], [2, `{"type":`]])
    }).pipe(Effect.provide(NodeContext.layer)))

  it.effect("that is not there is told by its name", () =>
    Effect.gen(function*() {
      const file = yield* RecordingFile.make("/nowhere/plain.jsonl")
      const error = yield* Effect.flip(read(file))
      assert.strictEqual(error.reason, "Unreadable")
      assert.include(error.message, "/nowhere/plain.jsonl")
    }).pipe(Effect.provide(NodeContext.layer)))
})
