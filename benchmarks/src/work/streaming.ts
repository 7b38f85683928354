/** A process prints deltas, and somebody sees every one of them. */
import { Effect, Stream } from "effect"
import * as Hosts from "./hosts.js"
import type { Work } from "./Work.js"

const prompt = "deltas 200000"

const ours = (read: Parameters<typeof Hosts.during>[2]): Work => () =>
  Hosts.session().pipe(
    Effect.flatMap((session) => Hosts.during(session, prompt, read)),
    Effect.scoped,
    Effect.runPromise
  )

/** As many at a time as came together. */
export const inBatches = (): Work =>
  ours((events, take) =>
    Stream.runForEachChunk(events, (batch) =>
      Effect.sync(() => {
        for (const event of batch) take(event)
      }))
  )

/** One by one. */
export const oneByOne = (): Work =>
  ours((events, take) => Stream.runForEach(events, (event) => Effect.sync(() => take(event))))

/** By the official SDK, as its documentation does it. */
export const officialSdk = (): Work => async () => {
  const conversation = Hosts.conversation()
  conversation.say(prompt)
  const deltas = await Hosts.untilResult(conversation.messages)
  conversation.close()
  return deltas
}
