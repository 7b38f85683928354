/**
 * `fake-claude` in the place of `claude`: an executable that says what was recorded. The host is started as it always is,
 * with its own options and a real process; only the path to the CLI is another. So can a host in any language be tested.
 */
import * as Permission from "@claude-duplex/session/Permission"
import * as Session from "@claude-duplex/session/Session"
import * as NodeConnector from "@claude-duplex/transport-node/NodeConnector"
import { Console, Effect, Layer } from "effect"
import { fileURLToPath } from "node:url"

const path = (file: string) => fileURLToPath(new URL(`../../${file}`, import.meta.url))

const Claude = NodeConnector.layer({
  cli: { permissionPromptTool: "stdio", model: "opus" },
  executable: path("packages/transport-mock/bin/fake-claude.mjs"),
  env: { FAKE_CLAUDE_RECORDING: path("recordings/2.1.326/permission-allow.jsonl") }
})

const Conversation = Session.layer({ onPermission: () => Effect.succeed(Permission.allow()) }).pipe(
  Layer.provide(Claude)
)

const program = Effect.gen(function*() {
  const session = yield* Session.Session
  const { text } = yield* session.send("make a file")
  yield* Console.log(text)
})

await Effect.runPromise(Effect.provide(program, Conversation))
