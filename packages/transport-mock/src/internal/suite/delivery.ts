/** Cases: what is sent and received arrives, whole and in order. */
import { TransportMisuse } from "@claude-duplex/protocol/Transport"
import * as Cause from "effect/Cause"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as Script from "../../Script.js"
import * as Check from "./check.js"
import { type Definition, frames, keepAlive, reader, text, user } from "./support.js"

export const delivery: ReadonlyArray<Definition> = [
  {
    name: "carries lines one way and bytes the other, in order",
    test: (make) =>
      Effect.gen(function*() {
        const transport = yield* make(Script.make(
          Script.expect({ type: "user", message: { content: "one ß水🍌" } }),
          Script.reply(keepAlive),
          Script.expect({ type: "user", message: { content: "two" } }),
          Script.replyLine("not a frame"),
          Script.reply(keepAlive)
        ))
        yield* transport.send(user("one ß水🍌"))
        yield* transport.send(user("two"))
        yield* transport.endInput
        yield* Check.equal("the frames", yield* frames(transport), ["keep_alive", "InvalidJson", "keep_alive"])
        yield* Check.equal("the exit", yield* transport.exit, { _tag: "Exited", code: 0, stderr: "" })
      })
  },
  {
    name: "passes bytes on as they are, however they are cut",
    test: (make) =>
      Effect.gen(function*() {
        const whole = new TextEncoder().encode(`{"a":"ß水🍌"}\r\n\u2028\n`)
        const transport = yield* make(Script.make(
          Script.replyChunks(...Array.from(whole, (_, i) => whole.slice(i, i + 1))),
          Script.replyChunks(Uint8Array.of(0xff, 0x00, 0x0a)),
          Script.exit(0)
        ))
        const received = yield* Stream.runCollect(transport.incoming)
        yield* Check.equal("the bytes", Chunk.toReadonlyArray(received).flatMap((piece) => [...piece]), [
          ...whole,
          0xff,
          0x00,
          0x0a
        ])
      })
  },
  {
    name: "carries lines of megabytes both ways (pain 2)",
    test: (make) =>
      Effect.gen(function*() {
        const long = "水".repeat(1_000_000)
        const transport = yield* make(Script.make(
          Script.expect({ type: "user", message: { content: long } }),
          Script.replyUnchecked({ type: "keep_alive", long }),
          Script.exit(0)
        ))
        yield* transport.send(user(long))
        yield* Check.equal("the line", yield* text(transport), `${JSON.stringify({ type: "keep_alive", long })}\n`)
      })
  },
  {
    name: "never mixes lines that are sent at once",
    test: (make) =>
      Effect.gen(function*() {
        const contents = Array.from({ length: 30 }, (_, i) => `${i}:`.padEnd(50_000, String(i % 10)))
        const transport = yield* make(Script.make(
          Script.expectAll(contents.map((content) => Script.expect({ type: "user", message: { content } }))),
          Script.exit(0)
        ))
        yield* Effect.forEach(contents, (content) => transport.send(user(content)), { concurrency: "unbounded" })
        yield* Check.equal("the frames", yield* frames(transport), [])
        yield* Check.includes("the exit", yield* transport.exit, { _tag: "Exited", code: 0 })
      })
  },
  {
    name: "goes on after a send that was interrupted at once",
    test: (make) =>
      Effect.gen(function*() {
        const transport = yield* make(Script.make(
          Script.ignore({ type: "user", message: { content: "maybe" } }),
          Script.expect({ type: "user", message: { content: "surely" } }),
          Script.exit(0)
        ))
        const fiber = yield* Effect.fork(transport.send(user("maybe")))
        yield* Fiber.interrupt(fiber)
        yield* transport.send(user("surely"))
        yield* Check.includes("the exit", yield* transport.exit, { _tag: "Exited", code: 0 })
      })
  },
  {
    name: "dies of a newline in a line, before a byte is written",
    test: (make) =>
      Effect.gen(function*() {
        const transport = yield* make(Script.make(
          Script.expect({ type: "user", message: { content: "one line" } }),
          Script.expectEnd(),
          Script.exit(0)
        ))
        for (const lines of [`${user("a")}\n${user("b")}`, `${user("c")}\n`, "\n"]) {
          yield* diesOf("NewlineInLine", transport.send(lines))
        }
        yield* transport.send(user("one line"))
        yield* transport.endInput
        // A byte of the others would be a line that the other end does not expect.
        yield* Check.includes("the exit", yield* transport.exit, { _tag: "Exited", code: 0 })
      })
  },
  {
    name: "has one consumer: a second one dies, and takes nothing from the first",
    test: (make) =>
      Effect.gen(function*() {
        const transport = yield* make(Script.make(
          Script.replyLine("ready"),
          Script.expect({ type: "user" }),
          Script.replyLine("more"),
          Script.exit(0)
        ))
        const first = yield* reader(transport)
        yield* first.until("ready")
        yield* diesOf("SecondConsumer", Stream.runDrain(transport.incoming))
        yield* transport.send(user("go on"))
        const rest = yield* Effect.fork(first.rest)
        yield* Effect.yieldNow()
        yield* diesOf("SecondConsumer", Stream.runDrain(transport.incoming))
        yield* Check.equal("what the first one read", yield* Fiber.join(rest), ["ready", "more"])
      })
  }
]

const diesOf = (reason: TransportMisuse["reason"], effect: Effect.Effect<unknown, unknown>) =>
  Effect.flatMap(Effect.exit(effect), (exit) => {
    const defect = Exit.isFailure(exit) ? Option.getOrUndefined(Cause.dieOption(exit.cause)) : undefined
    return Check.isTrue(
      defect instanceof TransportMisuse && defect.reason === reason,
      `This must die of TransportMisuse ${reason}, and ended with ${String(exit)}. See TransportContract.enforce.`
    )
  })
