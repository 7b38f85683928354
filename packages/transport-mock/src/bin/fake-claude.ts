/**
 * `fake-claude`: a script or a recording as an executable that a host of any language starts in place of `claude`. What its
 * arguments mean is in `FakeClaude`.
 */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { Cause, Effect } from "effect"
import * as FakeClaude from "../FakeClaude.js"
import { failureCode } from "../MockTransport.js"
import * as StdioPeer from "./stdioPeer.js"

const program = Effect.gen(function*() {
  const args = yield* FakeClaude.parse(process.argv.slice(2), process.env)
  if (args.printVersion) {
    process.stdout.write(`${FakeClaude.version} (Claude Code)\n`)
    return
  }
  const behaviour = yield* FakeClaude.behaviour(args)
  const peer = StdioPeer.make()
  yield* behaviour(peer)
  yield* peer.exit({ code: 0, signal: null })
})

const fail = (report: string) =>
  Effect.sync(() => {
    process.stderr.write(`fake-claude: ${report}\n`, () => process.exit(failureCode))
  })

Effect.runFork(
  program.pipe(
    Effect.provide(NodeFileSystem.layer),
    Effect.catchAll((error) => fail(error.message)),
    Effect.catchAllDefect((defect) => fail(Cause.pretty(Cause.die(defect))))
  )
)
