// A host that records an endless conversation to a file, as fast as it can, until it is killed. Prints how many entries the
// file has taken, each time that it has taken some.
import * as Recorder from "@claude-duplex/transport-mock/Recorder"
import { layer as nodeFileSystem } from "@effect/platform-node/NodeFileSystem"
import { Effect, Stream } from "effect"
import { writeSync } from "node:fs"

const [, , path] = process.argv

const line = (number) => `{"number":${number},"text":"${"é€😀".repeat(number % 500)}"}`

const transport = {
  incoming: Stream.range(0, Number.MAX_SAFE_INTEGER).pipe(
    Stream.tap(() => Effect.yieldNow()),
    Stream.map((number) => new TextEncoder().encode(`${line(number)}\n`))
  ),
  send: () => Effect.void,
  endInput: Effect.void,
  exit: Effect.never,
  close: Effect.void
}

const program = Effect.scoped(Effect.gen(function*() {
  const file = yield* Recorder.toFile(path)
  let taken = 0
  const recorded = yield* Recorder.wrap(transport, {
    sink: (entries) =>
      Effect.tap(file(entries), () => {
        taken += entries.length
        // At once, and not when there is time for it.
        writeSync(1, `${taken}\n`)
      })
  })
  yield* Stream.runDrain(recorded.incoming)
}))

Effect.runFork(Effect.provide(program, nodeFileSystem))
