/**
 * A person decides, somewhere else and later: the handler defers, the question is listed as pending, and whoever has an
 * answer gives it. Here that is another fiber; it could be a button, a chat message, or a request to a server.
 */
import * as Permission from "@claude-duplex/session/Permission"
import * as Session from "@claude-duplex/session/Session"
import { Console, Effect, Layer, Stream } from "effect"
import { recorded } from "./support/fakes.js"

/** What a window would do: show what is pending, and answer. */
const person = Effect.gen(function*() {
  const session = yield* Session.Session
  yield* Stream.runForEach(session.permissions.changes, (pending) =>
    Effect.gen(function*() {
      yield* Console.log(`${pending.length} pending`)
      for (const { id, input, toolName } of pending) {
        yield* Console.log(`? ${toolName} ${JSON.stringify(input)}`)
        yield* Effect.sleep("200 millis")
        yield* session.respondToPermission(id, Permission.allow())
      }
    }))
})

const program = Effect.gen(function*() {
  const session = yield* Session.Session
  yield* Effect.forkScoped(person)
  const { text } = yield* session.send("make a file")
  yield* Console.log(text)
})

const Conversation = Session.layer({ onPermission: () => Effect.succeed(Permission.defer) }).pipe(
  Layer.provide(recorded("permission-allow"))
)

await Effect.runPromise(Effect.scoped(Effect.provide(program, Conversation)))
