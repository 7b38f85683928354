/**
 * Text as the model writes it: pieces to print as they come (`turn.text`), or the message so far, for a window that is
 * drawn anew (`MessageAccumulator`). Without `includePartialMessages: true` among the CLI's options, text comes by messages.
 */
import * as MessageAccumulator from "@claude-duplex/protocol/MessageAccumulator"
import * as Session from "@claude-duplex/session/Session"
import { Effect, Layer, Stream } from "effect"
import { recorded } from "./support/fakes.js"

const program = Effect.gen(function*() {
  const session = yield* Session.Session
  const turn = yield* session.start("What happens between a program and claude?", { retain: "all" })

  yield* Stream.runForEach(turn.text, (piece) => Effect.sync(() => process.stdout.write(piece)))
  const { cost } = yield* turn.result
  console.log(`\n($${cost.usd.toFixed(4)})`)

  // A late reader gets what the turn retains: here all of it, and by default the whole messages.
  const growing = yield* Stream.runCollect(MessageAccumulator.accumulate(turn.frames))
  for (const { isComplete, text } of growing) {
    if (isComplete) console.log(`all ${text.length} characters`)
    else if (text !== "" && text.length < 30) console.log(text)
  }
})

await Effect.runPromise(Effect.provide(program, Layer.provide(Session.layer(), recorded("tour"))))
