/**
 * A live conversation becomes a recording, and the recording a test. The recorder wraps any connector, does not change the
 * traffic, and can remove secrets on the way to the file.
 */
import * as Session from "@claude-duplex/session/Session"
import * as MockConnector from "@claude-duplex/transport-mock/MockConnector"
import * as Recorder from "@claude-duplex/transport-mock/Recorder"
import * as Replay from "@claude-duplex/transport-mock/Replay"
import * as Script from "@claude-duplex/transport-mock/Script"
import { Console, Effect } from "effect"
import { beginTurn, endTurn } from "./support/fakes.js"

const prompt = "My password is hunter2."

const program = Effect.gen(function*() {
  const { entries, sink } = yield* Recorder.toMemory

  yield* Effect.scoped(Effect.gen(function*() {
    // With a real CLI: NodeConnector.make(), and Recorder.toFile("session.jsonl") for the sink.
    const live = yield* MockConnector.make(Script.behaviour(Script.make(...beginTurn, endTurn("I forget it at once."))))
    const recorded = Recorder.connector(live, { sink, redact: (line) => line.replaceAll("hunter2", "(secret)") })
    const session = yield* Session.fromConnector(recorded)
    yield* session.send(prompt)
    yield* session.close
  }))

  const recording = { entries: yield* entries }
  for (const { dir, line } of recording.entries) yield* Console.log(`${dir.padEnd(4)} ${line.slice(0, 90)}`)

  const session = yield* Session.fromConnector(yield* MockConnector.make(Replay.behaviour(recording)))
  const { text } = yield* session.send(prompt)
  yield* Console.log(`again: ${text}`)
})

await Effect.runPromise(Effect.scoped(program))
