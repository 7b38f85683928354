/**
 * A conversation that survives its CLI. When that ends unasked, another one is started that resumes it. What was under way
 * has failed, and whether to say it again is the host's to decide: nobody knows what was done of it.
 */
import * as Session from "@claude-duplex/session/Session"
import * as MockConnector from "@claude-duplex/transport-mock/MockConnector"
import * as Script from "@claude-duplex/transport-mock/Script"
import { Console, Effect, Schedule, Stream } from "effect"
import { beginTurn, endTurn } from "./support/fakes.js"

const dies = Script.make(...beginTurn, Script.stderr("out of memory\n"), Script.exit("SIGKILL"))
const lives = Script.make(...beginTurn, endTurn("Here I am again."))

const program = Effect.gen(function*() {
  // With a real CLI: NodeConnector.make()
  const connector = yield* MockConnector.sequence([Script.behaviour(dies), Script.behaviour(lives)])
  const session = yield* Session.fromConnector(connector, {
    restart: Schedule.exponential("100 millis").pipe(Schedule.intersect(Schedule.recurs(3)))
  })
  const news = yield* session.subscribe({ only: ["Restarting", "Restarted"] })
  yield* Effect.forkScoped(Stream.runForEach(news, ({ _tag }) => Console.log(_tag)))

  const { text } = yield* session.send("hello").pipe(
    Effect.tapError((error) => Console.log(error.message)),
    // Only because it does no harm to say this twice. It is held here until there is a CLI again.
    Effect.retry({ times: 1, while: (error) => error._tag === "SessionClosed" && error.isRestarting === true })
  )
  yield* Console.log(text)
})

await Effect.runPromise(Effect.scoped(program))
