/** Sessions with something at their other end, and what that says. */
import type * as Connector from "@claude-duplex/protocol/Connector"
import * as Session from "@claude-duplex/session/Session"
import * as MockTransport from "@claude-duplex/transport-mock/MockTransport"
import type { Behaviour } from "@claude-duplex/transport-mock/Peer"
import * as Recording from "@claude-duplex/transport-mock/Recording"
import * as Script from "@claude-duplex/transport-mock/Script"
import type { AnyStep } from "@claude-duplex/transport-mock/ScriptStep"
import { Effect, Either } from "effect"
import { readFileSync } from "node:fs"

/** A recording by its name: `2.1.326/plain`. */
export const recording = (name: string) =>
  Either.getOrThrow(
    Recording.parse(readFileSync(new URL(`../../../../recordings/${name}.jsonl`, import.meta.url), "utf8"))
  )

/**
 * A session over a fake, and the transport, to ask how its behaviour ended. It initializes the CLI only if it registers something:
 * most tests are about what comes after. `Session.initialization.test.ts` tests `initialize` itself.
 */
export const session = <E, R = never>(
  behaviour: Behaviour<E>,
  options: Omit<Session.Options<R>, "restart"> = {},
  launch: Partial<Connector.Launch> = {}
) =>
  Effect.flatMap(MockTransport.make(behaviour), (transport) =>
    Effect.map(
      Session.fromTransport({ ...transport, launch }, {
        initialization: registers(options) ? "await" : "skip",
        ...options
      }),
      (made) => ({ ...made, transport })
    ))

const registers = <R>({ hooks, initialize, mcpServers }: Session.Options<R>) =>
  [hooks ?? [], initialize ?? {}, mcpServers ?? {}].some((given) => Object.keys(given).length > 0)

/** A session with a script at its other end. One that has nothing more to say waits to be ended. */
export const scripted = (...steps: ReadonlyArray<AnyStep>) =>
  session(Script.behaviour(Script.make(...steps, Script.delay("1000 days"))))

export const init = {
  type: "system",
  subtype: "init",
  session_id: "s",
  cwd: "/",
  tools: [],
  mcp_servers: [],
  model: "m",
  permissionMode: "default",
  apiKeySource: "none",
  claude_code_version: "2.1.326"
} as const

/** A result of the turn whose message was received last. */
export const result = (text: string) => ({
  type: "result",
  subtype: "success",
  result: text,
  is_error: false,
  num_turns: 1,
  duration_ms: 1,
  duration_api_ms: 1,
  total_cost_usd: 0,
  session_id: "s",
  user_message_uuids: [{ $received: "uuid" }]
} as const)

/** A whole turn: the message with this text, and its echo. */
export const turn = (text: string) => [
  Script.expect({ type: "user", message: { content: text } }),
  Script.reply(init),
  Script.reply(result(`echo: ${text}`))
]

export const canUseTool = (id: string) => ({
  type: "control_request",
  request_id: id,
  request: { subtype: "can_use_tool", tool_name: "Bash", input: { command: "ls" } }
} as const)

/** The host's answer to a request of the CLI's. */
export const answered = (id: string, response: object) =>
  Script.expect({ type: "control_response", response: { subtype: "success", request_id: id, response } })

/** The host's refusal of a request of the CLI's. */
export const refused = (id: string) =>
  Script.expect({ type: "control_response", response: { subtype: "error", request_id: id } })

/** The CLI's answer to the request that was received last. */
export const success = (response: { readonly [name: string]: unknown }) => ({
  type: "control_response",
  response: { subtype: "success", request_id: { $received: "request_id" }, response }
} as const)

/** A request of the host's. */
export const asked = (subtype: string) => Script.expect({ type: "control_request", request: { subtype } })
