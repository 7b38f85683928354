/** What is said to a real CLI while it is busy: which result is whose, in which order, and what can still be taken back. */
import * as Prompt from "@claude-duplex/session/Prompt"
import type { Phase, Turn } from "@claude-duplex/session/Turn"
import { assert, describe, it } from "@effect/vitest"
import { Chunk, Deferred, Effect, Either, Fiber, Stream } from "effect"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Conversation from "../src/Conversation.js"
import * as Model from "../src/Model.js"
import * as World from "../src/World.js"

const { supports } = World.cli

/** A session in the middle of a turn, which ends when it is let go. */
const busy = Effect.gen(function*() {
  const gate = yield* Deferred.make<void>()
  const world = yield* World.make(Model.gated(Deferred.await(gate)))
  const session = yield* Conversation.open(world)
  const first = yield* session.start("WAIT first")
  yield* Conversation.asked(world, "WAIT first")
  return { world, session, first, letGo: Deferred.succeed(gate, undefined) }
})

const phases = (turn: Turn) => Effect.map(Stream.runCollect(turn.phases), (all) => [...all])

/** A message has come so far. */
const reaches = (turn: Turn, phase: Phase) =>
  Effect.map(Stream.runCollect(Stream.takeUntil(turn.phases, (at) => at === phase)), Chunk.size)

describe("queueing", () => {
  it.scopedLive("refuses what is said while busy, and nothing of it reaches the CLI", () =>
    Effect.gen(function*() {
      const { first, letGo, session, world } = yield* busy
      const error = yield* Effect.flip(session.send("second"))
      assert.deepInclude(error, { _tag: "SessionBusy" })
      yield* letGo
      assert.strictEqual((yield* first.result).text, "waited: first")
      assert.strictEqual((yield* session.send("third")).text, "echo: third")
      assert.isEmpty(yield* Conversation.requestsAbout(world, "second"))
    }))

  it.scopedLive("holds what is queued, one after the other, each with a turn of its own", () =>
    Effect.gen(function*() {
      const { first, letGo, session, world } = yield* busy
      const second = yield* session.start("second", { whenBusy: "queue" })
      const third = yield* session.start("third", { whenBusy: "queue" })
      assert.deepStrictEqual([yield* second.phase, yield* third.phase], ["Held", "Held"])
      yield* letGo
      const results = yield* Effect.all([first.result, second.result, third.result])
      assert.deepStrictEqual(results.map(({ text }) => text), ["waited: first", "echo: second", "echo: third"])
      // What the CLI says of its own queue comes between.
      const own: ReadonlyArray<Phase> = supports.lifecycle ? ["Queued", "Started"] : ["Started"]
      assert.deepStrictEqual(yield* phases(first), ["Written", ...own, "Ended"])
      assert.deepStrictEqual(yield* phases(third), ["Held", "Written", ...own, "Ended"])
      // Nobody was asked about the third before the second had its answer.
      const [before] = yield* Conversation.requestsAbout(world, "third")
      assert.include(JSON.stringify(before?.body.messages), "echo: second")
    }))

  it.scopedLive("hands over at once what steers: merged into one turn where the CLI merges", () =>
    Effect.gen(function*() {
      const { first, letGo, session, world } = yield* busy
      const second = yield* session.start("second", { whenBusy: "steer" })
      const third = yield* session.start([Prompt.text("third")], { whenBusy: "steer" })
      if (supports.lifecycle) yield* Effect.all([reaches(second, "Queued"), reaches(third, "Queued")])
      else yield* Conversation.isRead(session)
      yield* letGo
      const [one, two, three] = yield* Effect.all([first.result, second.result, third.result])
      assert.strictEqual(one.text, "waited: first")
      if (supports.mergesQueued) {
        assert.strictEqual(two.frame, three.frame)
        const [merged] = yield* Conversation.requestsAbout(world, "second")
        assert.include(JSON.stringify(merged?.body.messages), "third")
      } else {
        assert.deepStrictEqual([two.text, three.text], ["echo: second", "echo: third"])
      }
      assert.notStrictEqual(one.frame, two.frame)
      assert.strictEqual((yield* session.send("fourth")).text, "echo: fourth")
    }))

  it.scopedLive("settles what steers a turn that uses a tool, whichever turn it is done in", () =>
    Effect.gen(function*() {
      const world = yield* World.make(Model.obedient)
      const session = yield* Conversation.open(world, {}, { allowedTools: ["Bash"] })
      const command = "until [ -e go ]; do sleep 0.05; done; echo went"
      const first = yield* session.start(Model.call("Bash", { command }))
      yield* Stream.runHead(Stream.filter(first.messages, ({ type }) => type === "assistant"))
      const second = yield* session.start("second", { whenBusy: "steer" })
      if (supports.lifecycle) yield* reaches(second, "Queued")
      else yield* Conversation.isRead(session)
      writeFileSync(join(world.cwd, "go"), "")
      const [one, two] = yield* Effect.all([first.result, second.result])
      // Done within the first one's turn, as the last thing in it or beside what the tool gave; or in one of its own.
      if (two.frame !== one.frame) {
        assert.strictEqual(one.text, "done: went")
        assert.strictEqual(two.text, "echo: second")
      }
      const [read] = yield* Conversation.requestsAbout(world, "second")
      assert.include(JSON.stringify(read?.body.messages), "went")
      assert.strictEqual((yield* session.send("third")).text, "echo: third")
    }))

  it.scopedLive("takes back what is held, by itself and with the fiber that waits for it", () =>
    Effect.gen(function*() {
      const { first, letGo, session, world } = yield* busy
      const second = yield* session.start("second", { whenBusy: "queue" })
      const third = yield* Effect.fork(session.send("third", { whenBusy: "queue" }))
      const fourth = yield* session.start("fourth", { whenBusy: "queue" })
      yield* Effect.yieldNow()
      yield* second.interrupt()
      assert.deepInclude(yield* Effect.flip(second.result), { _tag: "MessageCancelled" })
      yield* Fiber.interrupt(third)
      yield* fourth.withdraw
      assert.deepInclude(yield* Effect.flip(fourth.result), { _tag: "MessageCancelled" })
      yield* letGo
      assert.strictEqual((yield* first.result).text, "waited: first")
      assert.strictEqual((yield* session.send("fifth")).text, "echo: fifth")
      for (const text of ["second", "third", "fourth"]) {
        assert.isEmpty(yield* Conversation.requestsAbout(world, text))
      }
    }))

  it.scopedLive("takes back what the CLI has queued, or interrupts its turn where the CLI does not tell of its queue", () =>
    Effect.gen(function*() {
      const { first, letGo, session, world } = yield* busy
      const second = yield* session.start("HANG second", { whenBusy: "steer" })
      if (supports.lifecycle) {
        yield* reaches(second, "Queued")
        yield* second.interrupt()
        assert.deepInclude(yield* Effect.flip(second.result), { _tag: "MessageCancelled" })
        yield* letGo
        assert.strictEqual((yield* first.result).text, "waited: first")
      } else {
        const stopped = yield* Effect.fork(second.interrupt())
        yield* letGo
        assert.strictEqual((yield* first.result).text, "waited: first")
        yield* Fiber.join(stopped)
        assert.strictEqual((yield* second.result).outcome, "interrupted")
      }
      assert.strictEqual((yield* session.send("third")).text, "echo: third")
      if (supports.lifecycle) assert.isEmpty(yield* Conversation.requestsAbout(world, "HANG second"))
    }))

  it.scopedLive("does the same when the fiber that waits is interrupted", () =>
    Effect.gen(function*() {
      const { first, letGo, session } = yield* busy
      const moved = yield* session.subscribe({ only: ["MessageMoved"] })
      const second = yield* Effect.fork(session.send("HANG second", { whenBusy: "steer" }))
      // Its first words of itself: it was written.
      yield* Stream.runHead(moved)
      yield* Conversation.isRead(session)
      yield* Fiber.interrupt(second)
      yield* letGo
      assert.strictEqual((yield* first.result).text, "waited: first")
      assert.strictEqual((yield* session.send("third", { whenBusy: "queue" })).text, "echo: third")
    }))

  it.scopedLive("puts what is urgent first, where the CLI knows priorities", () =>
    Effect.gen(function*() {
      const { first, letGo, session, world } = yield* busy
      const later = yield* session.start("in a while", { whenBusy: "steer", priority: "later" })
      const next = yield* session.start("then do", { whenBusy: "steer", priority: "next" })
      const now = yield* session.start("at once", { whenBusy: "steer", priority: "now" })
      yield* Conversation.isRead(session)
      yield* letGo
      const [one, two, three, four] = yield* Effect.all([first.result, later.result, next.result, now.result])
      const asked = yield* Effect.forEach(
        ["at once", "then do", "in a while"],
        (text) => Effect.map(Conversation.asked(world, text), ({ number }) => number)
      )
      const inOrder = (numbers: ReadonlyArray<number>) => numbers.toSorted((a, b) => a - b)
      if (supports.mergesQueued) {
        // What is urgent interrupts what runs. 2.1.143 then does all of them in one turn, the most urgent first.
        assert.strictEqual(one.outcome, "interrupted")
        assert.deepStrictEqual(asked, inOrder(asked))
        const [merged] = yield* Conversation.requestsAbout(world, "in a while")
        const said = JSON.stringify(merged?.body.messages)
        assert.isBelow(said.indexOf("at once"), said.indexOf("then do"))
        assert.isBelow(said.indexOf("then do"), said.indexOf("in a while"))
      } else {
        assert.strictEqual(one.text, "waited: first")
        assert.deepStrictEqual(asked.toReversed(), inOrder(asked))
      }
      if (two.frame !== three.frame) {
        assert.deepStrictEqual([two.text, three.text, four.text], [
          "echo: in a while",
          "echo: then do",
          "echo: at once"
        ])
      }
    }))

  it.scopedLive("keeps two that are said at once apart", () =>
    Effect.gen(function*() {
      const world = yield* World.make(Model.obedient)
      const session = yield* Conversation.open(world)
      const both = yield* Effect.all([Effect.either(session.send("one")), Effect.either(session.send("two"))], {
        concurrency: 2
      })
      assert.deepStrictEqual(
        both.map(Either.match({ onLeft: (error) => error.message.slice(0, 17), onRight: ({ text }) => text })),
        ["echo: one", "A turn is running"]
      )
      const queued = yield* Effect.all([session.send("three"), session.send("four", { whenBusy: "queue" })], {
        concurrency: 2
      })
      assert.deepStrictEqual(queued.map(({ text }) => text), ["echo: three", "echo: four"])
      const steered = yield* Effect.all([session.send("five"), session.send("six", { whenBusy: "steer" })], {
        concurrency: 2
      })
      // Both were written before the CLI began; one that merges may do them in one turn.
      const [five, six] = steered
      if (five?.frame !== six?.frame) {
        assert.deepStrictEqual(steered.map(({ text }) => text), ["echo: five", "echo: six"])
      }
    }))
})
