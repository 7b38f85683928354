/** The second kind of use: tests, on a recording in memory, and on the executable as a host of any language starts it. */
import * as MockTransport from "@claude-duplex/transport-mock/MockTransport"
import * as Recording from "@claude-duplex/transport-mock/Recording"
import * as Replay from "@claude-duplex/transport-mock/Replay"
import { Effect, Either, Stream } from "effect"
import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"

const text = readFileSync("plain.jsonl", "utf8")
const recording = Either.getOrThrow(Recording.parse(text))
const prompts = recording.entries.filter(({ dir }) => dir === "host").map(({ line }) => line)

const replayed = Effect.gen(function*() {
  const transport = yield* MockTransport.make(Replay.behaviour(recording))
  yield* Effect.forEach(prompts, transport.send)
  yield* transport.endInput
  return yield* Stream.runFold(Stream.decodeText(transport.incoming), "", (all, piece) => all + piece)
})
const inMemory = await Effect.runPromise(Effect.scoped(replayed))

// What npm linked; no shell, so by its path.
const asProgram = execFileSync("node_modules/.bin/fake-claude", ["--recording", "plain.jsonl"], {
  input: prompts.map((line) => `${line}\n`).join(""),
  encoding: "utf8"
})
if (inMemory === "" || inMemory !== asProgram) throw new Error("the two differ")
console.log("replay")
