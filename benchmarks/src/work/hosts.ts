/**
 * Hosts of one process that prints: a session of ours, and the official SDK's `query()`. Both start the same process, say
 * the same, and see the same frames.
 */
import { query, type SDKMessage, type SDKUserMessage } from "@anthropic-ai/claude-agent-sdk"
import * as Frame from "@claude-duplex/protocol/Frame"
import * as Session from "@claude-duplex/session/Session"
import type { EventOf, Lagged } from "@claude-duplex/session/SessionEvent"
import * as NodeConnector from "@claude-duplex/transport-node/NodeConnector"
import { Deferred, Effect, type Scope, Stream } from "effect"
import { tmpdir } from "node:os"
import { fileURLToPath } from "node:url"

const printer = fileURLToPath(new URL("./printer.js", import.meta.url))

/** A process needs no more; and what somebody has set up on this machine is not measured. */
const environment = (env: { readonly [name: string]: string } = {}) => ({
  PATH: process.env["PATH"] ?? "",
  HOME: tmpdir(),
  ...env
})

/** A session with the process that prints. */
export const session = (
  options?: Session.Options,
  env?: { readonly [name: string]: string }
): Effect.Effect<Session.Service, never, Scope.Scope> =>
  Effect.orDie(
    Effect.flatMap(
      NodeConnector.fromCommand({ command: process.execPath, args: [printer], env: environment(env) }),
      // The printer answers messages only.
      (connector) => Session.fromConnector(connector, { initialization: "skip", ...options })
    )
  )

/** What a session's subscriber sees of the wire. */
export type Seen = EventOf<"Received"> | Lagged

/** Takes what a subscriber sees, one by one. */
export type Take = (event: Seen) => void

/** All deltas that the process prints in this turn, counted, in whatever way the subscriber reads. */
export const during = (
  live: Session.Service,
  prompt: string,
  read: (events: Stream.Stream<Seen>, take: Take) => Effect.Effect<void>
): Effect.Effect<number> =>
  Effect.scoped(Effect.gen(function*() {
    const events = yield* live.subscribe({ only: ["Received"], capacity: 100_000 })
    const last = yield* Deferred.make<void>()
    let deltas = 0
    yield* Effect.forkScoped(read(Stream.orDie(events), (event) => {
      // That would be less work.
      if (event._tag === "Lagged") throw new Error(`The subscriber lost ${event.count} frames`)
      const { item } = event
      if (!Frame.isKnown(item)) return
      if (item.type === "stream_event") deltas++
      else if (item.type === "result") Deferred.unsafeDone(last, Effect.void)
    }))
    yield* Effect.orDie(live.send(prompt))
    yield* Deferred.await(last)
    return deltas
  }))

/** A conversation of the official SDK's with the same process. */
export interface Conversation {
  readonly say: (prompt: string) => void
  readonly messages: AsyncIterator<SDKMessage, void>
  readonly close: () => void
}

/** Starts one. */
export const conversation = (env?: { readonly [name: string]: string }): Conversation => {
  const prompts: Array<SDKUserMessage> = []
  let wake: (() => void) | undefined
  let isOver = false
  const input = async function*(): AsyncGenerator<SDKUserMessage> {
    for (;;) {
      const next = prompts.shift()
      if (next !== undefined) yield next
      else if (isOver) return
      else await new Promise<void>((resolve) => wake = resolve)
    }
  }
  const messages = query({
    prompt: input(),
    options: {
      pathToClaudeCodeExecutable: printer,
      executable: "node",
      env: environment(env),
      includePartialMessages: true,
      settingSources: []
    }
  })
  return {
    say: (content) => {
      prompts.push({ type: "user", message: { role: "user", content }, parent_tool_use_id: null })
      wake?.()
    },
    messages: messages[Symbol.asyncIterator](),
    close: () => {
      isOver = true
      wake?.()
      messages.close()
    }
  }
}

/** What the SDK gives until the result of the turn, counted. */
export const untilResult = async (messages: AsyncIterator<SDKMessage, void>): Promise<number> => {
  let deltas = 0
  for (;;) {
    const next = await messages.next()
    if (next.done === true) throw new Error("The conversation ended before its turn did")
    if (next.value.type === "stream_event") deltas++
    if (next.value.type === "result") return deltas
  }
}
