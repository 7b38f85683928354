/** What a session that lives on costs: tiny turns, doing nothing, and a million events. */
import type { Retain } from "@claude-duplex/session/Conversation"
import { Effect, Exit, Scope, Stream } from "effect"
import { quantile } from "../harness/compare.js"
import * as Hosts from "./hosts.js"
import { heapKilobytes, residentMegabytes } from "./memory.js"
import type { Work } from "./Work.js"

const turns = 500

/** One session for all passes, as a resident process is. It ends with the process that measures. */
const resident = () => Effect.runPromise(Effect.flatMap(Scope.make(), (scope) => Scope.extend(Hosts.session(), scope)))

/** Tiny turns of a session, in a host on Effect: the median of their times, in milliseconds. */
export const turnsOfSession = async (): Promise<Work> => {
  const session = await resident()
  return () =>
    Effect.runPromise(Effect.gen(function*() {
      const taken: Array<number> = []
      for (let index = 0; index < turns; index++) {
        const start = performance.now()
        yield* session.send("hello")
        taken.push(performance.now() - start)
      }
      return quantile(taken, 0.5)
    }))
}

/** Tiny turns of the official SDK's, in a host on promises. */
export const turnsOfSdk = async (): Promise<Work> => {
  const conversation = Hosts.conversation()
  return async () => {
    const taken: Array<number> = []
    for (let index = 0; index < turns; index++) {
      const start = performance.now()
      conversation.say("hello")
      await Hosts.untilResult(conversation.messages)
      taken.push(performance.now() - start)
    }
    return quantile(taken, 0.5)
  }
}

const idlers = 20

/** Kilobytes of heap of a session that has had a turn and waits. */
export const heapOfSession = (): Work => async () => {
  const scope = await Effect.runPromise(Scope.make())
  const open = Effect.tap(Scope.extend(Hosts.session(), scope), (session) => session.send("hello"))
  // The first one brings along what all of them share.
  await Effect.runPromise(open)
  const before = heapKilobytes()
  await Effect.runPromise(Effect.replicateEffect(open, idlers, { concurrency: 4 }))
  const heap = (heapKilobytes() - before) / idlers
  await Effect.runPromise(Scope.close(scope, Exit.void))
  return heap
}

/** Kilobytes of heap of a conversation of the official SDK's that has had a turn and waits. */
export const heapOfSdk = (): Work => async () => {
  const open = async () => {
    const conversation = Hosts.conversation()
    conversation.say("hello")
    await Hosts.untilResult(conversation.messages)
    return conversation
  }
  const held = [await open()]
  const before = heapKilobytes()
  for (let index = 0; index < idlers; index++) held.push(await open())
  const heap = (heapKilobytes() - before) / idlers
  for (const conversation of held) conversation.close()
  return heap
}

const perTurn = 10_000

/** Megabytes by which the process is larger after a million events than after the first hundred thousand. */
export const growthOfSession = (retain: Retain): Work => () =>
  Effect.gen(function*() {
    const session = yield* Hosts.session()
    let events = 0
    yield* Effect.forkScoped(
      Stream.runForEachChunk(session.events, (batch) =>
        Effect.sync(() => {
          events += batch.length
        }))
    )
    const until = (total: number) =>
      Effect.repeat(Effect.orDie(session.send(`deltas ${perTurn}`, { retain })), { until: () => events >= total })
    yield* until(100_000)
    const before = residentMegabytes()
    yield* until(1_000_000)
    return residentMegabytes() - before
  }).pipe(Effect.scoped, Effect.runPromise)
