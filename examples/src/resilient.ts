/**
 * A conversation that survives its CLI. When that ends unasked, another one is started that resumes it. What was under way
 * has failed, and whether to say it again is the host's to decide: nobody knows what was done of it.
 */
import * as Session from "@claude-duplex/session/Session"
import * as MockTransport from "@claude-duplex/transport-mock/MockTransport"
import * as Script from "@claude-duplex/transport-mock/Script"
import { Console, Effect, Option, Schedule, Stream } from "effect"
import { beginTurn, endTurn } from "./support/fakes.js"

const dies = Script.make(...beginTurn, Script.stderr("out of memory\n"), Script.exit("SIGKILL"))
const lives = Script.make(...beginTurn, endTurn("Here I am again."))

const program = Effect.gen(function*() {
  const session = yield* Session.resilient({
    // With a real CLI: NodeTransport.make({ cli: { resume: Option.getOrUndefined(resume) } })
    connect: (resume) =>
      Option.match(resume, {
        onNone: () => MockTransport.make(Script.behaviour(dies)),
        onSome: () => MockTransport.make(Script.behaviour(lives))
      }),
    schedule: Schedule.exponential("100 millis").pipe(Schedule.intersect(Schedule.recurs(3)))
  })
  const news = yield* session.subscribe({ only: ["Restarting", "Restarted"] })
  yield* Effect.forkScoped(Stream.runForEach(news, ({ _tag }) => Console.log(_tag)))

  const { text } = yield* session.send("hello").pipe(
    Effect.tapError((error) => Console.log(error.message)),
    // Only because it does no harm to say this twice. It is held here until there is a CLI again.
    Effect.retry({ times: 1, while: (error) => error._tag === "SessionClosed" })
  )
  yield* Console.log(text)
})

await Effect.runPromise(Effect.scoped(program))
