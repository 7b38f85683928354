/**
 * Everything that happens, as events: many subscribers at once, each with a buffer of its own. Here a command runs on in the
 * background, and its end starts a turn that the CLI started itself: its result is no message's, and comes as an event.
 */
import * as Permission from "@claude-duplex/session/Permission"
import * as Session from "@claude-duplex/session/Session"
import { Console, Effect, Layer, Stream } from "effect"
import { recorded } from "./support/fakes.js"

const program = Effect.gen(function*() {
  const session = yield* Session.Session
  const ends = yield* session.subscribe({ only: ["TurnEnded"] })

  const { text } = yield* session.send("start something in the background")
  yield* Console.log(`the answer: ${text.slice(0, 45)}…`)

  yield* ends.pipe(
    Stream.take(2),
    Stream.runForEach((event) =>
      Console.log(
        `a turn ended, for ${event.messages.length === 0 ? "nobody" : "a message"}: $${event.cost.usd.toFixed(5)}`
      )
    )
  )
})

const Conversation = Session.layer({ onPermission: () => Effect.succeed(Permission.allow()) }).pipe(
  Layer.provide(recorded("background"))
)

await Effect.runPromise(Effect.scoped(Effect.provide(program, Conversation)))
