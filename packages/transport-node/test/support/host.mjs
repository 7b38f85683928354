// A host that holds a stubborn child, and ends in the way that it is told. Prints the child's pid first.
import * as NodeTransport from "@claude-duplex/transport-node/NodeTransport"
import { Effect, Stream } from "effect"
import { fileURLToPath } from "node:url"

const ways = {
  wait: () => undefined,
  exit: () => process.exit(3),
  throw: () => {
    throw new Error("uncaught")
  },
  reject: () => {
    Promise.reject(new Error("unhandled"))
  }
}

const program = Effect.scoped(Effect.gen(function*() {
  const transport = yield* NodeTransport.fromCommand({
    command: process.execPath,
    args: [fileURLToPath(new URL("stubborn.mjs", import.meta.url))],
    env: {}
  })
  yield* Stream.runForEach(transport.incoming, (bytes) =>
    Effect.sync(() => {
      process.stdout.write(bytes)
      setTimeout(ways[process.argv[2]], 10)
    }))
}))

Effect.runFork(program)
