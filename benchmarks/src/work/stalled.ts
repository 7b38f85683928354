/** A consumer that looks away until 200,000 frames wait for it, and then takes them all. */
import { Effect, Schedule, Stream } from "effect"
import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Hosts from "./hosts.js"
import { residentMegabytes } from "./memory.js"
import type { Work } from "./Work.js"

const most = 200_000

/** How much of what waits is let go: none of it, or all but what a subscriber holds who does not say how much it holds. */
interface Options {
  readonly frames: number
  readonly capacity?: number
}

/** Milliseconds to take in all that waits. */
export const drainOfSubscriber = (frames = most): Work => () =>
  stalled({ frames, capacity: frames + 10 }).then(({ milliseconds }) => milliseconds)

/** Megabytes that are there after the stall, and were not there after as many frames that nobody waited for. */
export const memoryOfSubscriber = (): Work => () => stalled({ frames: most }).then(({ megabytes }) => megabytes)

const stalled = ({ frames, ...options }: Options) =>
  Effect.gen(function*() {
    const prompt = `deltas ${frames}`
    const session = yield* Hosts.session()
    yield* Effect.orDie(session.send(prompt))
    const events = yield* session.subscribe({ only: ["Received"], ...options })
    const before = residentMegabytes()
    yield* Effect.orDie(session.send(prompt))
    const megabytes = residentMegabytes() - before
    const start = performance.now()
    let seen = 0
    yield* Stream.runForEachChunk(
      Stream.takeUntil(events, (event) => {
        seen += event._tag === "Lagged" ? event.count : 1
        return seen >= frames
      }),
      () => Effect.void
    )
    return { milliseconds: performance.now() - start, megabytes }
  }).pipe(Effect.scoped, Effect.runPromise)

/** Milliseconds of the official SDK's. Nobody but the process that prints can tell when all of it is on its way. */
export const drainOfSdk = (): Work => async () => {
  const folder = mkdtempSync(join(tmpdir(), "claude-duplex-bench-"))
  const done = join(folder, "done")
  const conversation = Hosts.conversation({ PRINTER_DONE: done })
  try {
    conversation.say("hello")
    await Hosts.untilResult(conversation.messages)
    rmSync(done, { force: true })
    conversation.say(`deltas ${most}`)
    const written = Effect.repeat(Effect.sync(() => existsSync(done)), {
      until: (exists) => exists,
      schedule: Schedule.spaced("20 millis")
    })
    await Effect.runPromise(Effect.zipRight(written, Effect.sleep("500 millis")))
    const start = performance.now()
    await Hosts.untilResult(conversation.messages)
    return performance.now() - start
  } finally {
    conversation.close()
    rmSync(folder, { recursive: true, force: true })
  }
}
