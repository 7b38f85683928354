/** CLIs made by hand, frame by frame, for what a script cannot say; and how a test waits for them. */
import type { HostFrame } from "@claude-duplex/protocol/Frame"
import type { Behaviour, Peer } from "@claude-duplex/transport-mock/Peer"
import { Effect, Option, TestClock, TestServices } from "effect"
import { result } from "./sessions.js"

export type UserLine = Extract<HostFrame, { type: "user" }>

const encoder = new TextEncoder()

/** What a CLI says and hears, frame by frame. */
export const wire = (peer: Peer) => ({
  say: (frame: object) => peer.write(encoder.encode(`${JSON.stringify(frame)}\n`)),
  // The codec wrote it.
  hear: Effect.map(peer.receive, Option.map((line) => JSON.parse(line) as HostFrame))
})

/** What a line of the host's is, in a word. */
const wordOf = (frame: HostFrame): string => frame.type === "control_request" ? frame.request.subtype : frame.type

/** A CLI made by hand, and what it heard, in words. */
export const heard = (
  play: (cli: {
    readonly say: (frame: object) => Effect.Effect<void>
    readonly hear: Effect.Effect<HostFrame>
    /** Waits for the host's next message. */
    readonly message: Effect.Effect<UserLine>
    /** Answers a request. */
    readonly answer: (asked: HostFrame, response: object) => Effect.Effect<void>
  }) => Effect.Effect<void>
) => {
  const words: Array<string> = []
  const behaviour: Behaviour = (peer) => {
    const { hear, say } = wire(peer)
    const next = Effect.flatMap(
      hear,
      Option.match({
        onNone: () => Effect.never,
        onSome: (frame) =>
          Effect.sync(() => {
            words.push(wordOf(frame))
            return frame
          })
      })
    )
    const message: Effect.Effect<UserLine> = Effect.filterOrElse(
      next,
      (frame) => frame.type === "user",
      () => message
    )
    return Effect.zipRight(
      play({
        say,
        hear: next,
        message,
        answer: (asked, response) =>
          "request_id" in asked
            ? say({
              type: "control_response",
              response: { subtype: "success", request_id: asked.request_id, response }
            })
            : Effect.void
      }),
      Effect.forever(next)
    )
  }
  return { words, behaviour }
}

export const lifecycle = (uuid: string | undefined, state: string) => ({
  type: "command_lifecycle",
  command_uuid: uuid,
  state
})

/** A result for these messages. */
export const resultOf = (text: string, ...messages: ReadonlyArray<UserLine>) => ({
  ...result(text),
  user_message_uuids: messages.map(({ uuid }) => uuid)
})

/** How an interrupted turn ends. */
export const aborted = (...uuids: ReadonlyArray<unknown>) => ({
  type: "result",
  subtype: "error_during_execution",
  is_error: true,
  terminal_reason: "aborted_streaming",
  errors: [],
  num_turns: 1,
  duration_ms: 1,
  duration_api_ms: 1,
  total_cost_usd: 0,
  session_id: "s",
  user_message_uuids: uuids
})

/** A turn that nobody sent. */
export const background = (text: string) => {
  const { user_message_uuids: _, ...nobodys } = result(text)
  return { ...nobodys, origin: { kind: "task-notification" } }
}

/** Lets everything happen that needs no time. */
export const settle = TestClock.adjust(0)

/** What does not end by itself fails, in real time. */
export const soon = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  TestServices.provideWithLive(effect, Effect.timeout("1 minute"))
