/**
 * `fake-claude` as an effect: this process behaves like `claude` from here to its end. For executables that contain it, and
 * for its own. What its arguments mean is in `FakeClaude`, its stdio in `StdioPeer`.
 *
 * @since 0.1.0
 * @stability experimental
 */
import type * as FileSystem from "@effect/platform/FileSystem"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as FakeClaude from "./FakeClaude.js"
import { failureCode } from "./MockTransport.js"
import * as StdioPeer from "./StdioPeer.js"

/**
 * Plays what the arguments ask for, and ends the process. What goes wrong is on stderr, with exit code 70.
 *
 * @example
 * ```ts
 * import * as FakeClaudeProcess from "@claude-duplex/transport-mock/FakeClaudeProcess"
 *
 * const main = FakeClaudeProcess.run(["--recording", "plain.jsonl", ...process.argv.slice(2)], process.env)
 * ```
 */
export const run = (
  argv: ReadonlyArray<string>,
  env: { readonly [name: string]: string | undefined }
): Effect.Effect<void, never, FileSystem.FileSystem> =>
  Effect.gen(function*() {
    const args = yield* FakeClaude.parse(argv, env)
    if (args.printVersion) {
      process.stdout.write(`${FakeClaude.version} (Claude Code)\n`)
      return
    }
    const behaviour = yield* FakeClaude.behaviour(args)
    const peer = StdioPeer.make()
    yield* behaviour(peer)
    yield* peer.exit({ _tag: "Exited", code: 0 })
  }).pipe(
    Effect.catchAll((error) => fail(error.message)),
    Effect.catchAllDefect((defect) => fail(Cause.pretty(Cause.die(defect))))
  )

/** Waits for ever: the process ends when its last words are written. */
const fail = (report: string): Effect.Effect<never> =>
  Effect.async(() => {
    process.stderr.write(`fake-claude: ${report}\n`, () => process.exit(failureCode))
  })
