/**
 * The proxy: traffic carried, and a recording made of it beside. Nothing that goes wrong with the recording reaches the
 * traffic: it is told on stderr, once, and the conversation goes on.
 */
import * as Effect from "effect/Effect"
import { stderr } from "node:process"
import type { CliError } from "../CliError.js"
import { carry, endLike } from "./carry.js"
import type { Launched } from "./launch.js"
import * as Tape from "./tape.js"

/**
 * Carries and records until what was launched has ended, then ends this process in the same way. Does not return; it fails
 * only if there was nothing to carry.
 */
export const run = (launched: Launched, settings: Tape.Settings): Effect.Effect<never, CliError> =>
  Effect.gen(function*() {
    let path: string | undefined
    const ended = yield* Effect.scoped(Effect.flatMap(
      Tape.make(settings, (message) => {
        if (message._tag === "Opened") ({ path } = message)
        else say(message.message)
      }),
      (note) => carry(launched, note)
    ))
    // To a person; a host reads what its CLI says, and nothing else.
    if (stderr.isTTY && path !== undefined) say(`The recording is ${path}.`)
    return yield* endLike(ended)
  }).pipe(
    // Signals are for the child; this process ends when it does.
    Effect.uninterruptible
  )

const say = (text: string) => stderr.write(`claude-duplex record: ${text}\n`)
