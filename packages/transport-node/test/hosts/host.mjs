// A host that holds a child, and ends in the way that it is told. Prints what the child says: its pid.
import * as NodeTransport from "@claude-duplex/transport-node/NodeTransport"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Effect, Fiber, Stream } from "effect"

const [, , way, child, ...args] = process.argv

const ways = {
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
    args: [child, ...args],
    env: {},
    inputGrace: process.env["INPUT_GRACE"],
    termGrace: "200 millis"
  })
  yield* Stream.runForEach(transport.incoming, (bytes) =>
    Effect.sync(() => {
      process.stdout.write(bytes)
      if (way in ways) setTimeout(ways[way], 10)
    }))
}))

if (way === "runMain") NodeRuntime.runMain(program)
else {
  const fiber = Effect.runFork(program)
  // A host with a handler of its own, which is gone once it has been called.
  if (way === "handled") process.once("SIGTERM", () => setImmediate(() => process.stdout.write("handled\n")))
  if (way === "signal-exit") {
    // As that package does: it counts its listeners, and if there are no others, it dies of the signal at once.
    const watching = process.__signal_exit_emitter__ = { count: 1 }
    const watch = () => {
      if (process.listenerCount("SIGTERM") > watching.count) return
      process.off("SIGTERM", watch)
      process.kill(process.pid, "SIGTERM")
    }
    process.on("SIGTERM", watch)
  }
  if (way === "once") process.once("SIGTERM", () => Effect.runFork(Fiber.interrupt(fiber)))
}
