/** How far a long file has been read, on stderr, if that is a terminal. Owns when and how it is told. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Format from "./Format.js"
import type { Service } from "./Output.js"

/** A file that takes less long is read before anybody wonders. */
const patienceMillis = 500

const intervalMillis = 100

/** Tells that so many bytes were read. */
export type Progress = (bytes: number) => Effect.Effect<void>

/**
 * Makes one for a file; `total` is its size, if it is known.
 */
export const make = (output: Service, name: string, total: number | undefined): Effect.Effect<Progress> =>
  output.showsStatus
    ? Effect.map(Clock.currentTimeMillis, (start) => {
      let next = start + patienceMillis
      return (bytes) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) => {
          if (now < next) return Effect.void
          next = now + intervalMillis
          const speed = `${Format.bytes(bytes / Math.max(1, now - start) * 1_000)}/s`
          return output.status(
            total === undefined || total < bytes
              ? `${name}  ${Format.bytes(bytes)}  ${speed}`
              : `${name}  ${Math.floor(bytes / Math.max(1, total) * 100)}%  ${Format.bytes(bytes)} of ${
                Format.bytes(total)
              }  ${speed}`
          )
        })
    })
    : Effect.succeed(() => Effect.void)
