/** One stream of bytes, seen by many: subscribers of a session, and plain callbacks behind the same codec. */
import * as Codec from "@claude-duplex/protocol/Codec"
import type * as Transport from "@claude-duplex/protocol/Transport"
import * as Session from "@claude-duplex/session/Session"
import { Effect, Stream } from "effect"
import * as Corpus from "../corpus.js"
import type { Seen } from "./hosts.js"
import type { Work } from "./Work.js"

const watchers = 16

/** So many that a session is not mostly opened and closed. */
const lines = 40_000

const chunks = () => Corpus.chunksOf(Buffer.from(Corpus.deltas({ lines }).map((line) => `${line}\n`).join("")))

/** A transport that has said all that it will ever say. */
const saying = (pieces: ReadonlyArray<Buffer>): Transport.Transport => ({
  incoming: Stream.fromIterable(pieces).pipe(Stream.rechunk(1)),
  send: () => Effect.void,
  endInput: Effect.void,
  close: Effect.void,
  exit: Effect.succeed({ _tag: "Exited", code: 0, stderr: "" })
})

/** Subscribers, each of which counts what it sees. */
export const subscribers = (): Work => {
  const pieces = chunks()
  const count = <E>(events: Stream.Stream<Seen, E>) =>
    Stream.runFold(Stream.chunks(events), 0, (sum, batch) => {
      for (const event of batch) if (event._tag === "Received" && "type" in event.item) sum++
      return sum
    })
  return () =>
    Effect.gen(function*() {
      const gate = yield* Effect.makeLatch()
      const transport = saying(pieces)
      const session = yield* Session.fromTransport({
        ...transport,
        incoming: Stream.concat(Stream.drain(Stream.fromEffect(gate.await)), transport.incoming)
      }, { initialization: "skip" })
      const streams = yield* Effect.replicateEffect(
        session.subscribe({ only: ["Received"], capacity: lines }),
        watchers
      )
      const counting = yield* Effect.fork(Effect.forEach(streams, count, { concurrency: "unbounded" }))
      yield* Effect.yieldNow()
      yield* gate.open
      const counts = yield* counting
      return counts.reduce((sum, each) => sum + each, 0)
    }).pipe(Effect.scoped, Effect.runPromise)
}

/** Callbacks, each of which counts what it sees. */
export const callbacks = (): Work => {
  const pieces = chunks()
  return () => {
    const counts = Array.from({ length: watchers }, () => 0)
    const listeners = counts.map((_, index) => (item: Codec.Item): void => {
      if ("type" in item) counts[index] = (counts[index] ?? 0) + 1
    })
    const decoder = Codec.cli.makeDecoder()
    for (const piece of pieces) {
      for (const item of decoder.push(piece)) for (const listener of listeners) listener(item)
    }
    return counts.reduce((sum, each) => sum + each, 0)
  }
}
