/**
 * The CLI's end of the wire over this process's own stdio: what makes a fake an executable, `fake-claude` or one of your own.
 * Ends as the CLI does: 143 at SIGTERM, by itself at the end of its input (which is the behaviour's to notice).
 *
 * @since 0.1.0
 * @stability experimental
 */
import type { DecodeError } from "@claude-duplex/protocol/DecodeError"
import * as LineDecoder from "@claude-duplex/protocol/LineDecoder"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import type { Peer } from "./Peer.js"

/** How many lines are read ahead of the behaviour; beyond that the host is held back. */
const readAhead = 64

/** A process has no connection to lose. It exits as `ssh` does when its connection is lost. */
const connectionLostCode = 255

/**
 * Makes the peer of this process. There is one stdin, so make one.
 *
 * @example
 * ```ts
 * import * as Script from "@claude-duplex/transport-mock/Script"
 * import * as StdioPeer from "@claude-duplex/transport-mock/StdioPeer"
 *
 * const silent = Script.behaviour(Script.make(Script.exit(0)))(StdioPeer.make())
 * ```
 */
export const make = (): Peer => {
  const decoder = LineDecoder.make()
  const lines: Array<string> = []
  let ended = false
  let waiting: (() => void) | undefined
  const wake = () => {
    const resume = waiting
    waiting = undefined
    resume?.()
  }
  const take = (received: ReadonlyArray<string | DecodeError>) => {
    // A line that is not even text is passed on as far as it can be shown; the behaviour will not like it either.
    for (const line of received) lines.push(typeof line === "string" ? line : Redacted.value(line.text))
    if (lines.length >= readAhead) process.stdin.pause()
    wake()
  }
  process.stdin.on("data", (bytes: Uint8Array) => take(decoder.push(bytes)))
  process.stdin.on("end", () => {
    ended = true
    take(decoder.end())
  })
  process.stdin.on("error", () => process.exit(1))
  // The host is gone, and nobody reads what we say.
  process.stdout.on("error", () => process.exit(1))
  process.on("SIGTERM", () => process.exit(143))

  const receive: Peer["receive"] = Effect.suspend(() => {
    const line = lines.shift()
    if (line !== undefined) {
      if (lines.length === 0 && process.stdin.isPaused()) process.stdin.resume()
      return Effect.succeed(Option.some(line))
    }
    if (ended) return Effect.succeed(Option.none())
    return Effect.zipRight(
      Effect.async<void>((resume) => {
        const mine = () => resume(Effect.void)
        waiting = mine
        return Effect.sync(() => {
          if (waiting === mine) waiting = undefined
        })
      }),
      receive
    )
  })

  const written = (stream: NodeJS.WriteStream, data: Uint8Array | string): Effect.Effect<void> =>
    Effect.async((resume) => {
      stream.write(data, () => resume(Effect.void))
    })

  return {
    receive,
    write: (bytes) => written(process.stdout, bytes),
    writeStderr: (text) => written(process.stderr, text),
    exit: (how) =>
      Effect.zipRight(
        // Behind everything that was written before.
        Effect.zipRight(written(process.stdout, ""), written(process.stderr, "")),
        Effect.async<never>(() => {
          switch (how._tag) {
            case "Exited":
              return process.exit(how.code)
            case "Signaled":
              process.removeAllListeners(how.signal)
              process.kill(process.pid, how.signal)
              return
            case "ConnectionLost":
              return process.exit(connectionLostCode)
          }
        })
      )
  }
}
