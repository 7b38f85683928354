/**
 * How a session lives and ends: what it is doing, that its end is told once and to everybody, and that an end leaves
 * nothing behind. The CLI here is a real process: `fake-claude`, with a script that dies in the second turn.
 */
import * as SessionExit from "@claude-duplex/protocol/SessionExit"
import * as Session from "@claude-duplex/session/Session"
import * as Script from "@claude-duplex/transport-mock/Script"
import { Console, Effect, Option } from "effect"
import { beginTurn, endTurn, scriptedProcess } from "./support/fakes.js"

const goesWell = scriptedProcess(...beginTurn, endTurn("Good morning."))
const dies = scriptedProcess(...beginTurn, Script.stderr("out of memory\n"), Script.exit(137))

/** Prints what the session does. `session.status.changes` goes on with the latest. */
const tell = (session: Session.Service) =>
  Effect.flatMap(session.status.get, ({ _tag }) => Console.log(`status: ${_tag}`))

const good = Effect.gen(function*() {
  // With a real CLI: Session.fromConnector(yield* NodeConnector.make())
  const session = yield* Session.fromConnector(yield* goesWell)
  yield* Console.log(`a process of its own: ${Option.isSome(yield* session.pid)}`)
  yield* tell(session)
  yield* session.send("hello")
  yield* tell(session)
  // The end of its input, then SIGTERM, then SIGKILL, each with its time; and what it said to the last byte.
  const exit = yield* session.close
  yield* tell(session)
  yield* Console.log(SessionExit.describe(exit))
})

const bad = Effect.gen(function*() {
  const session = yield* Session.fromConnector(yield* dies)
  const failure = yield* Effect.flip(session.send("hello"))
  yield* Console.log(failure.message)
  // The same end, for whoever waits for it: here, with what was open.
  const { pending } = yield* session.awaitExit
  const { _tag } = yield* session.status.get
  yield* Console.log(`${pending.messages.length} message without a result; status: ${_tag}`)
})

await Effect.runPromise(Effect.scoped(good))
await Effect.runPromise(Effect.scoped(bad))
