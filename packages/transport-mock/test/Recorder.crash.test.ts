/** A recording on disk when its host is killed: whole lines, none lost that the file had taken, and at most one torn. */
import * as Recorder from "@claude-duplex/transport-mock/Recorder"
import * as Recording from "@claude-duplex/transport-mock/Recording"
import { layer as nodeFileSystem } from "@effect/platform-node/NodeFileSystem"
import { FileSystem } from "@effect/platform/FileSystem"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { fromBytes } from "../src/internal/lineText.js"

const host = fileURLToPath(new URL("hosts/bundle/recordingHost.js", import.meta.url))

/** Has a host record to this file, and kills it so long after the file took the first entries; says how many it took. */
const killed = (path: string, afterMillis: number) =>
  Effect.async<number>((resume) => {
    const child = spawn(process.execPath, [host, path], { stdio: ["ignore", "pipe", "inherit"] })
    let said = ""
    child.stdout.once("data", () => setTimeout(() => child.kill("SIGKILL"), afterMillis))
    child.stdout.on("data", (data) => said += String(data))
    child.once("close", () => resume(Effect.succeed(Number(said.trimEnd().split("\n").at(-1)))))
  })

const numberOf = ({ line }: Recording.Entry): unknown => JSON.parse(line).number

describe("a host that is killed while it records", () => {
  for (const millis of [0, 5, 20, 60]) {
    it.scopedLive(`${millis} ms after the first write: leaves all that was taken, in order and whole`, () =>
      Effect.gen(function*() {
        const files = yield* FileSystem
        const path = `${yield* files.makeTempDirectoryScoped()}/a.jsonl`
        const taken = yield* killed(path, millis)
        const { entries, torn } = yield* Recording.read(path)
        assert.isAtLeast(taken, 1)
        assert.isAtLeast(entries.length, taken)
        assert.deepStrictEqual(entries.map(numberOf), entries.map((_, index) => index))
        // What is read is what is there; of a last line that is whole, only the newline may be missing.
        const text = Recording.stringify(entries)
        assert.include([text + (torn ?? ""), text.slice(0, -1)], fromBytes(yield* files.readFile(path)))
      }).pipe(Effect.provide(nodeFileSystem)))
  }

  it.scoped("a file that is cut at any byte: every whole line is read, and what is left of the next is told", () =>
    Effect.gen(function*() {
      const files = yield* FileSystem
      const path = `${yield* files.makeTempDirectoryScoped()}/a.jsonl`
      const lines = ["plain", `{"quoted":"\\"}`, "é€😀", "bytes \udcff\udced", ""]
      const whole: ReadonlyArray<Recording.Entry> = lines.map((line, t) => ({ t, dir: "cli", line }))
      yield* Effect.scoped(Effect.flatMap(Recorder.toFile(path), (sink) => sink(whole)))
      const bytes = yield* files.readFile(path)
      const ends = Array.from(bytes).flatMap((byte, index) => byte === 0x0a ? [index] : [])
      assert.strictEqual(ends.length, whole.length)
      for (let cut = 0; cut <= bytes.length; cut++) {
        yield* files.writeFile(path, bytes.subarray(0, cut))
        const { entries, torn } = yield* Recording.read(path)
        // A line is whole with its last brace: only its newline may be missing.
        const expected = ends.filter((end) => end <= cut).length
        assert.deepStrictEqual(entries, whole.slice(0, expected), `cut at ${cut}`)
        const isClean = cut === 0 || ends.includes(cut) || ends.includes(cut - 1)
        assert.strictEqual(torn === undefined, isClean, `cut at ${cut}`)
      }
    }).pipe(Effect.provide(nodeFileSystem)))
})
