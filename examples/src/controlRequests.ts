/**
 * Questions to the CLI while it runs: a method for each, whose answer has a type of its own. What it refuses, or does not
 * know because it is too old, is a `ControlError` with the CLI's own words.
 */
import * as Session from "@claude-duplex/session/Session"
import { Console, Effect, Layer } from "effect"
import { recordedRequests } from "./support/fakes.js"

const program = Effect.gen(function*() {
  const { control, request } = yield* Session.Session

  const { model } = yield* control.setModel({ model: "claude-haiku-4-5" })
  yield* Console.log(`model: ${model}`)

  // The same without its method, and with less patience.
  const { mcpServers } = yield* request({ subtype: "mcp_status" }, { timeout: "5 seconds" })
  yield* Console.log(`MCP servers: ${mcpServers.length}`)

  const usage = yield* control.getContextUsage({ detail: "summary" })
  yield* Console.log(`context: ${usage.totalTokens} of ${usage.maxTokens} tokens`)

  yield* control.mcpReconnect({ serverName: "none" }).pipe(
    Effect.catchTag("ControlError", ({ message, reason }) => Console.log(`${reason}: ${message}`))
  )
})

const claude = recordedRequests("set_model", "mcp_status", "get_context_usage", "mcp_reconnect")

await Effect.runPromise(Effect.provide(program, Layer.provide(Session.layer(), claude)))
