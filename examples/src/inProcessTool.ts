/**
 * A tool that lives in the host: no process, no port. Its input is decoded by a schema, it may use any service of the
 * host's, and its failures are told to the model in words. The model knows it as `mcp__calc__add`.
 */
import * as McpTool from "@claude-duplex/mcp/McpTool"
import * as McpToolServer from "@claude-duplex/mcp/McpToolServer"
import * as Permission from "@claude-duplex/session/Permission"
import * as Session from "@claude-duplex/session/Session"
import { Console, Effect, Layer, Schema } from "effect"
import { recorded } from "./support/fakes.js"

const add = McpTool.make({
  name: "add",
  description: "Adds two numbers.",
  input: Schema.Struct({ a: Schema.Number, b: Schema.Number }),
  annotations: { readOnlyHint: true },
  run: ({ a, b }) => Effect.as(Console.log(`add ${a} ${b}`), String(a + b))
})

const Conversation = Session.layer({
  mcpServers: { calc: McpToolServer.make({ name: "calc", tools: [add] }) },
  // A tool of the host's is asked for like any other.
  onPermission: ({ toolName }) =>
    Effect.succeed(toolName === "mcp__calc__add" ? Permission.allow() : Permission.deny("Only sums."))
}).pipe(Layer.provide(recorded("sdk-mcp")))

const program = Effect.gen(function*() {
  const session = yield* Session.Session
  const { mcpServers } = yield* session.control.mcpStatus()
  for (const { name, status } of mcpServers) yield* Console.log(`${name}: ${status}`)
  const { text } = yield* session.send("What is 2 + 40?")
  yield* Console.log(text)
})

await Effect.runPromise(Effect.provide(program, Conversation))
