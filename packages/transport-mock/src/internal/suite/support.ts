/** What the cases of the transport suite share: lines, and ways to read. */
import type * as Codec from "@claude-duplex/protocol/Codec"
import { isKnown } from "@claude-duplex/protocol/Frame"
import * as FrameStream from "@claude-duplex/protocol/FrameStream"
import type { Transport } from "@claude-duplex/protocol/Transport"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { Make } from "../../TransportSuite.js"

/** A case before it is given a transport. */
export interface Definition {
  readonly name: string
  readonly test: (make: Make) => Effect.Effect<void, unknown, Scope.Scope>
}

export const user = (content: string) => JSON.stringify({ type: "user", message: { role: "user", content } })

export const keepAlive = { type: "keep_alive" } as const

/** Reads to the end: frames as their types, errors as their reasons. */
export const frames = (transport: Transport) =>
  transport.incoming.pipe(
    FrameStream.decode(),
    Stream.map((item: Codec.Item) => isKnown(item) ? item.type : item.reason),
    Stream.runCollect,
    Effect.map(Chunk.toReadonlyArray)
  )

/** Reads to the end. */
export const text = (transport: Transport) =>
  transport.incoming.pipe(
    Stream.decodeText(),
    Stream.runCollect,
    Effect.map(Chunk.join(""))
  )

/** Reads as far as it is asked to. Between two reads, nobody consumes the transport's output. */
export const reader = (transport: Transport) =>
  Effect.map(Stream.toPull(transport.incoming), (pull) => {
    const decoder = new TextDecoder()
    const lines: Array<string> = []
    let partial = ""
    /** Whether there was something more. */
    const more = pull.pipe(
      Effect.map((chunk) => {
        for (const bytes of chunk) {
          const [first = "", ...others] = decoder.decode(bytes, { stream: true }).split("\n")
          partial += first
          for (const next of others) {
            lines.push(partial)
            partial = next
          }
        }
        return true
      }),
      Effect.catchAll(Option.match({ onNone: () => Effect.succeed(false), onSome: Effect.fail }))
    )
    return {
      /** Reads until this line has come. */
      until: (line: string) => Effect.repeat(more, { while: (goesOn) => goesOn && !lines.includes(line) }),
      /** Reads to the end, and gives all lines since the beginning. */
      rest: Effect.map(Effect.repeat(more, { while: (goesOn) => goesOn }), (): ReadonlyArray<string> => lines)
    }
  })
