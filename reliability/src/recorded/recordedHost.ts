/**
 * The host of a recording: what it said and when, and handlers that answer what it answered. Owns how a recorded line is said
 * through a session; when it is said is `play`'s business.
 */
import * as McpServer from "@claude-duplex/mcp/McpServer"
import * as Codec from "@claude-duplex/protocol/Codec"
import type { ControlError } from "@claude-duplex/protocol/ControlError"
import type { EncodeError } from "@claude-duplex/protocol/EncodeError"
import * as Frame from "@claude-duplex/protocol/Frame"
import type { HostFrame } from "@claude-duplex/protocol/Frame"
import type { HostRequest } from "@claude-duplex/protocol/schema/HostRequest"
import type { Hook } from "@claude-duplex/session/Hook"
import * as Permission from "@claude-duplex/session/Permission"
import type * as Session from "@claude-duplex/session/Session"
import type { Entry } from "@claude-duplex/transport-mock/Recording"
import { Effect, Either, Option } from "effect"
import * as Recordings from "./recordings.js"

/** An entry that a host can say through a session, with what came before it. */
export interface Step {
  readonly frame: HostFrame
  /** How many lines of the CLI's had come. */
  readonly after: number
}

export interface Recorded {
  /** What is played: without what a session does not write, and the CLI's answers to that. */
  readonly entries: ReadonlyArray<Entry>
  readonly steps: ReadonlyArray<Step>
  /** Lines of the host's that a session does not write. */
  readonly unsaid: ReadonlyArray<string>
  /** Everything that the CLI wrote, as JSON. */
  readonly cli: ReadonlyArray<Json>
}

export type Json = { readonly [name: string]: unknown }

// The lines were written by a CLI, which writes objects; what is in them is `unknown`.
export const parse = (line: string) => JSON.parse(line) as Json

export const isJson = (value: unknown): value is Json => typeof value === "object" && value !== null

export const field = (value: unknown, ...path: ReadonlyArray<string>): unknown =>
  path.reduce((inside: unknown, name) => isJson(inside) ? inside[name] : undefined, value)

const read = (all: ReadonlyArray<Entry>): Recorded => {
  const asked = new Set(all.flatMap(({ dir, line }) => dir === "cli" ? [field(parse(line), "request_id")] : []))
  const sayable = (line: string): HostFrame | undefined => {
    const frame = Either.merge(Codec.host.decode(line))
    if (!Frame.isKnown(frame)) return undefined
    return frame.type !== "control_response" || asked.has(frame.response.request_id) ? frame : undefined
  }
  const unsaid = all.flatMap(({ dir, line }) => dir === "host" && sayable(line) === undefined ? [line] : [])
  const unasked = new Set(unsaid.map((line) => /"request_id":"([^"]+)"/.exec(line)?.[1]))
  const entries = all.filter(({ dir, line }) =>
    dir === "host"
      ? sayable(line) !== undefined
      : !unasked.has(String(field(parse(line), "response", "request_id")))
  )
  const steps: Array<Step> = []
  const cli: Array<Json> = []
  for (const { dir, line } of entries) {
    const frame = dir === "host" ? sayable(line) : undefined
    if (dir === "cli") cli.push(parse(line))
    else if (frame !== undefined) steps.push({ frame, after: cli.length })
  }
  return { entries, steps, unsaid, cli }
}

/** The host of a recording. Read once: the same one may be played thousands of times. */
export const recordedBy = (name: string): Recorded => {
  const known = hosts.get(name)
  if (known !== undefined) return known
  const recorded = read(Recordings.read(name).entries)
  hosts.set(name, recorded)
  return recorded
}

const hosts = new Map<string, Recorded>()

/** The recorded answers to requests of the CLI's of one kind, with what they answer. */
const answersTo = ({ cli, steps }: Recorded, subtype: string) =>
  cli.flatMap((asking) => {
    if (field(asking, "request", "subtype") !== subtype) return []
    const answer = steps.flatMap(({ frame }) =>
      frame.type === "control_response" && frame.response.request_id === asking["request_id"] ? [frame.response] : []
    )[0]
    return [{ id: String(asking["request_id"]), request: asking["request"], answer }]
  })

/** Takes from a list, call by call: neither hooks nor MCP servers are told the id of the request. */
const oneByOne = <A>(list: ReadonlyArray<A>) => {
  const left = [...list]
  return Effect.suspend(() => {
    const next = left.shift()
    return next === undefined ? Effect.dieMessage("called more often than recorded") : Effect.succeed(next)
  })
}

/** The recorded host's `initialize`, which a session sends by itself; undefined if it began with something else. */
export const initializeOf = ({ steps }: Recorded) => {
  const first = steps[0]?.frame
  return first?.type === "control_request" && first.request.subtype === "initialize" ? first.request : undefined
}

/** Handlers that answer what the recorded host answered, and note that they were called. */
export const handlersOf = (recorded: Recorded, called: Array<string>): Session.Options => {
  const decisions = new Map(answersTo(recorded, "can_use_tool").map(({ answer, id }) => [id, answer]))
  const recordedInitialize = initializeOf(recorded)
  const { hooks = {}, sdkMcpServers = [], subtype: _, ...initialize } = recordedInitialize ??
    { subtype: "initialize" as const }
  const hookAnswers = answersTo(recorded, "hook_callback")
  const mcpAnswers = answersTo(recorded, "mcp_message")
  return {
    initialize,
    initialization: recordedInitialize === undefined ? "skip" : "await",
    ...(decisions.size === 0 ? {} : { onPermission: ({ id }) => decide(decisions.get(id)) }),
    hooks: Object.entries(hooks).flatMap(([event, matchers]) =>
      matchers.map(({ hookCallbackIds: [id], ...how }): Hook => {
        const next = oneByOne(hookAnswers.filter(({ request }) => field(request, "callback_id") === id))
        return {
          // The recorded host named it in the place where events are named.
          event: event as Hook["event"],
          ...how,
          run: () => {
            called.push(event)
            return Effect.map(next, ({ answer }) => answer?.subtype === "success" ? answer.response ?? {} : {})
          }
        }
      })
    ),
    mcpServers: Object.fromEntries(sdkMcpServers.map((name) => {
      const next = oneByOne(mcpAnswers.filter(({ request }) => field(request, "server_name") === name))
      return [
        name,
        McpServer.raw((message) => {
          if ("method" in message) called.push(message.method)
          return Effect.map(next, ({ answer }) => {
            if (!("id" in message)) return undefined
            const result = field(answer, "response", "mcp_response", "result")
            return { jsonrpc: "2.0" as const, id: message.id ?? 0, result: isJson(result) ? result : {} }
          })
        })
      ]
    }))
  }
}

const decide = (
  answer: Extract<HostFrame, { type: "control_response" }>["response"] | undefined
): Effect.Effect<Permission.Decision> => {
  // The recorded host never answered.
  if (answer === undefined) return Effect.never
  // A session denies when its handler fails; what it cannot write, it refuses.
  if (answer.subtype === "error") return Effect.succeed(Permission.allow({ updatedInput: { unsendable: undefined } }))
  const { behavior, interrupt, message, updatedInput } = answer.response ?? {}
  return Effect.succeed(
    behavior === "allow"
      ? Permission.allow(isJson(updatedInput) ? { updatedInput } : {})
      : Permission.deny(String(message), interrupt === true ? { interrupt } : {})
  )
}

type Answer = Effect.Effect<unknown, ControlError | EncodeError>

/** Sends a recorded request the way a session sends it. */
export const ask = ({ interrupt, reinitialize, request }: Session.Service, asked: HostRequest): Answer => {
  switch (asked.subtype) {
    case "initialize":
      return reinitialize()
    case "interrupt":
      return Effect.map(interrupt(), ({ response }) => response)
    default:
      return request(asked)
  }
}

/** Tries to say what a session does not write, as far as there is a way to try. */
export const trySaying = (s: Session.Service, line: string): Effect.Effect<string, unknown> => {
  const frame = Option.getOrUndefined(Option.liftThrowable(parse)(line))
  switch (frame?.["type"]) {
    case "user":
      // TypeScript would not let it pass: that the session does not either is the point.
      return Effect.map(
        Effect.flip(s.send(field(frame, "message", "content") as string)),
        ({ _tag }) => `a message that is none: ${_tag}`
      )
    case "control_request": {
      // The same.
      const request = frame["request"] as HostRequest
      return Effect.map(Effect.flip(s.request(request)), ({ _tag }) => `${request.subtype}: ${_tag}`)
    }
    case "control_response":
      return Effect.map(
        Effect.flip(s.respondToPermission(String(field(frame, "response", "request_id")), Permission.allow())),
        ({ _tag }) => `an answer to nothing: ${_tag}`
      )
    default:
      return Effect.succeed(`${frame === undefined ? "text" : frame["type"]}: no way to say it`)
  }
}
