// A host in the middle of a turn, which ends when it is killed. Prints the CLI's process id once its message is sent.
import * as Session from "@claude-duplex/session/Session"
import * as NodeConnector from "@claude-duplex/transport-node/NodeConnector"
import { Effect, Logger, Option } from "effect"

const [, , executable, cwd, cli, prompt] = process.argv

const program = Effect.scoped(Effect.gen(function*() {
  const session = yield* Session.fromConnector(
    yield* NodeConnector.make({
      executable,
      cwd,
      checkVersion: false,
      cli: JSON.parse(cli)
    })
  )
  const turn = yield* session.start(prompt)
  process.stdout.write(`${Option.getOrThrow(yield* session.pid)}\n`)
  yield* turn.result
}))

// Warnings would be read for the process id.
Effect.runFork(Effect.provide(program, Logger.remove(Logger.defaultLogger)))
