/** The proxy as a process of its own, without the rest of the tool: what a stand-in for `claude` becomes. */
import * as Effect from "effect/Effect"
import type { Launched } from "./launch.js"
import * as Proxy from "./proxy.js"
import type { Settings } from "./tape.js"

/** Runs until what was launched has ended, and ends as that did. */
export const main = (launched: Launched, settings: Settings): void => {
  Effect.runFork(
    Proxy.run(launched, settings).pipe(
      Effect.catchAll(({ exitCode, message }) =>
        Effect.sync(() => {
          process.stderr.write(`claude-duplex record: ${message}\n`)
          process.exitCode = exitCode
        })
      )
    )
  )
}
