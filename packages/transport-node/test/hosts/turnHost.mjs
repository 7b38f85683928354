// A host in the middle of a turn, with the CLI that it is given. Prints the CLI's process id once the model speaks, and then
// ends in the way that it is told.
import * as Session from "@claude-duplex/session/Session"
import * as NodeConnector from "@claude-duplex/transport-node/NodeConnector"
import { Effect, Option, Stream } from "effect"

const [, , way, executable] = process.argv

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
  const session = yield* Session.fromConnector(
    yield* NodeConnector.make({
      executable,
      checkVersion: false,
      cli: { permissionPromptTool: "stdio" },
      inputGrace: process.env["INPUT_GRACE"],
      termGrace: "200 millis"
    })
  )
  const turn = yield* session.start("speak")
  yield* Stream.runHead(turn.text)
  process.stdout.write(`${Option.getOrThrow(yield* session.pid)}\n`)
  setTimeout(ways[way], 10)
  yield* turn.result
}))

Effect.runFork(program)
