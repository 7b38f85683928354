/**
 * Cases: neither side can make the transport keep more than a bounded amount.
 *
 * No case depends on how fast the machine is. The other end is held back by causes: it writes more than any transport may keep
 * and reads only after that, so it reads nothing until the case consumes its output. What waits is found out by progress: a
 * transport without back-pressure sends on at every turn of this process, so it passes the limit before it counts as waiting.
 */
import type { Transport } from "@claude-duplex/protocol/Transport"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Script from "../../Script.js"
import type { Step } from "../../ScriptStep.js"
import type { Make } from "../../TransportSuite.js"
import * as Check from "./check.js"
import { type Definition, keepAlive, reader, user } from "./support.js"

const megabyte = 1024 * 1024

/** More than a transport, the system and a peer may keep in one direction together. */
const limit = 32 * megabyte

/** A line to fill a pipe with, and how many of them are more than the limit. */
const filler = user("x".repeat(100_000))
const tooMany = Math.ceil(limit / filler.length)

/** A line of the other end, 64 KiB with its newline. */
const block = "y".repeat(64 * 1024 - 1)
const blocksOf = (bytes: number) => Script.replyLine(block, { times: bytes / (block.length + 1) })

const answer = JSON.stringify(keepAlive)

/** The other end reads nothing before 16 MB of its output are consumed. Then it answers each filler. */
const gated = (make: Make, ...then: ReadonlyArray<Step>) =>
  Effect.gen(function*() {
    const transport = yield* make(Script.make(
      Script.respond({ type: "user", message: { content: "x".repeat(100_000) } }, Script.reply(keepAlive)),
      Script.replyLine("ready"),
      blocksOf(limit / 2),
      ...then
    ))
    const output = yield* reader(transport)
    yield* output.until("ready")
    return { transport, output }
  })

const answersIn = (lines: ReadonlyArray<string>) => lines.filter((line) => line === answer).length

/** Sends until `send` waits. */
const fill = (transport: Transport) =>
  Effect.gen(function*() {
    let sent = 0
    const send = Effect.tap(transport.send(filler), () => Effect.sync(() => sent++))
    const sender = yield* Effect.fork(Effect.replicateEffect(send, tooMany, { discard: true }))
    let before = -1
    for (let quiet = 0; quiet < 200; quiet = sent === before ? quiet + 1 : 0) {
      before = sent
      yield* Effect.sleep("1 millis")
      if (Option.isSome(yield* Fiber.poll(sender))) break
    }
    yield* Check.isTrue(
      sent < tooMany,
      `\`send\` must wait while the other end does not read; it took ${sent} lines of 100 kB.`
    )
    return { sender, sent: () => sent }
  })

export const backPressure: ReadonlyArray<Definition> = [
  {
    name: "holds a sender back after a bounded amount, until the other end reads",
    test: (make) =>
      Effect.gen(function*() {
        const { output, transport } = yield* gated(make, Script.expectEnd(), Script.exit(0))
        const { sender } = yield* fill(transport)
        const all = yield* Effect.fork(output.rest)
        yield* Fiber.join(sender)
        yield* transport.endInput
        yield* Check.equal("how many lines arrived", answersIn(yield* Fiber.join(all)), tooMany)
        yield* Check.includes("the exit", yield* transport.exit, { _tag: "Exited", code: 0 })
      })
  },
  {
    name: "writes a line whole or not at all when its send is interrupted while it waits",
    test: (make) =>
      Effect.gen(function*() {
        const { output, transport } = yield* gated(
          make,
          Script.expect({ type: "user", message: { content: "last" } }),
          Script.exit(0)
        )
        const { sender, sent } = yield* fill(transport)
        yield* Fiber.interrupt(sender)
        const last = yield* Effect.fork(transport.send(user("last")))
        const answers = answersIn(yield* output.rest)
        yield* Fiber.join(last)
        yield* Check.isTrue(
          answers === sent() || answers === sent() + 1,
          `${sent()} lines were sent and one was interrupted; ${answers} arrived.`
        )
        // A part of a line would be one that the other end cannot read.
        yield* Check.includes("the exit", yield* transport.exit, { _tag: "Exited", code: 0 })
      })
  },
  {
    name: "writes what waits before the end of the input, and refuses what comes later",
    test: (make) =>
      Effect.gen(function*() {
        const { output, transport } = yield* gated(make, Script.expectEnd(), Script.exit(0))
        const { sender, sent } = yield* fill(transport)
        const before = sent()
        yield* transport.endInput
        yield* Check.includes("the late send", yield* Effect.flip(transport.send(user("late"))), { reason: "Closed" })
        const all = yield* output.rest
        // The send that waited succeeded; the one after it did not.
        yield* Check.includes("the sender", yield* Effect.flip(Fiber.join(sender)), { reason: "Closed" })
        yield* Check.equal("how many sends succeeded", sent(), before + 1)
        yield* Check.equal("how many lines arrived", answersIn(all), sent())
        yield* Check.includes("the exit", yield* transport.exit, { _tag: "Exited", code: 0 })
      })
  },
  {
    name: "closes although its output is not consumed and a send waits, which fails",
    test: (make) =>
      Effect.gen(function*() {
        const { transport } = yield* gated(make, Script.expectEnd(), Script.exit(0))
        const { sender } = yield* fill(transport)
        yield* transport.close
        yield* transport.exit
        const sending = yield* Fiber.await(sender)
        yield* Check.isTrue(Exit.isFailure(sending), "A send that waits when the transport is closed must fail.")
      })
  },
  {
    name: "holds the other end back while nobody reads its output, and loses nothing",
    test: (make) =>
      Effect.gen(function*() {
        const transport = yield* make(Script.make(
          Script.replyLine("ready"),
          blocksOf(limit / 2),
          Script.replyLine("measured"),
          blocksOf(limit),
          Script.exit(0)
        ))
        const output = yield* reader(transport)
        yield* output.until("ready")
        const began = yield* Clock.currentTimeMillis
        yield* output.until("measured")
        const millis = (yield* Clock.currentTimeMillis) - began
        // Several times as long as this machine needs for it now, so that a transport that reads on is done.
        const early = yield* Effect.timeoutOption(
          transport.exit,
          Duration.millis(Math.min(30_000, Math.max(250, 8 * millis)))
        )
        yield* Check.isTrue(Option.isNone(early), "A transport must stop reading while its output is not consumed.")
        const all = yield* output.rest
        const blocks = all.filter((line) => line === block).length
        yield* Check.equal("how many blocks arrived", blocks, (limit / 2 + limit) / (block.length + 1))
        yield* Check.equal("the exit", yield* transport.exit, { _tag: "Exited", code: 0, stderr: "" })
      })
  }
]
