/** The third kind of use: a session over a process. */
import * as Session from "@claude-duplex/session/Session"
import * as NodeConnector from "@claude-duplex/transport-node/NodeConnector"
import { Effect, Layer } from "effect"

const Conversation = Session.layer().pipe(Layer.provide(NodeConnector.layer({
  executable: "node_modules/.bin/fake-claude",
  cli: { permissionPromptTool: "stdio" },
  env: { FAKE_CLAUDE_RECORDING: "plain.jsonl" }
})))

const program = Effect.gen(function*() {
  const session = yield* Session.Session
  const { text } = yield* session.send("hello")
  if (text !== "echo: hello") throw new Error(`it said ${text}`)
})

await Effect.runPromise(Effect.provide(program, Conversation))
console.log("full session")
