/**
 * A session over a recording: no `claude`, no network. For a real one, provide `NodeConnector.layer(…)` instead.
 */
import * as Permission from "@claude-duplex/session/Permission"
import * as Session from "@claude-duplex/session/Session"
import * as MockConnector from "@claude-duplex/transport-mock/MockConnector"
import * as Recording from "@claude-duplex/transport-mock/Recording"
import * as Replay from "@claude-duplex/transport-mock/Replay"
import { Effect, Either, Layer } from "effect"
import { readFileSync } from "node:fs"

const file = new URL("../../recordings/2.1.326/permission-allow.jsonl", import.meta.url)
const recording = Either.getOrThrowWith(Recording.parse(readFileSync(file, "utf8")), (error) => error)

const Conversation = Session.layer({
  onPermission: ({ input, toolName }) =>
    Effect.sync(() => {
      console.log(`? ${toolName} ${JSON.stringify(input)}`)
      return Permission.allow()
    })
}).pipe(Layer.provide(MockConnector.layer(Replay.behaviour(recording))))

const program = Effect.gen(function*() {
  const session = yield* Session.Session
  const { cost, text } = yield* session.send("make a file")
  console.log(`${text} ($${cost.usd.toFixed(6)})`)
})

await Effect.runPromise(Effect.provide(program, Conversation))
