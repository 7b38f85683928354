/** Interrupts of a real CLI, at every stage of a turn. After each, the session takes the next message. */
import * as Permission from "@claude-duplex/session/Permission"
import type * as Session from "@claude-duplex/session/Session"
import * as Recorder from "@claude-duplex/transport-mock/Recorder"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Option, Stream } from "effect"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import * as Conversation from "../src/Conversation.js"
import * as Model from "../src/Model.js"
import * as Processes from "../src/Processes.js"
import * as World from "../src/World.js"

const { supports } = World.cli

/** The session is none the worse for it. */
const goesOn = (session: Session.Service) =>
  Effect.gen(function*() {
    const { outcome, text } = yield* session.send("next")
    assert.strictEqual(outcome, "success")
    assert.include(text, "next")
    assert.strictEqual((yield* session.status.get)._tag, "Idle")
  })

const begin = Effect.gen(function*() {
  const world = yield* World.make(Model.obedient)
  return { world, session: yield* Conversation.open(world) }
})

describe("interrupts", () => {
  it.scopedLive("before the turn began: in the first and in a later turn of the process", () =>
    Effect.gen(function*() {
      const { session } = yield* begin
      for (const prompt of ["HANG one", "HANG two"]) {
        const turn = yield* session.start(prompt)
        yield* session.interrupt()
        assert.strictEqual((yield* turn.result).outcome, "interrupted")
        yield* goesOn(session)
      }
    }))

  it.scopedLive("while the model speaks", () =>
    Effect.gen(function*() {
      const { session, world } = yield* begin
      const words = "word ".repeat(400)
      const turn = yield* session.start(`SLOW ${words}`)
      if (supports.partialMessages) yield* Stream.runHead(turn.text)
      const request = yield* Conversation.asked(world, "SLOW")
      yield* session.interrupt()
      assert.strictEqual((yield* turn.result).outcome, "interrupted")
      // The CLI does not wait for the rest.
      assert.strictEqual(yield* world.api.awaitEnd(request), "Incomplete")
      yield* goesOn(session)
    }))

  it.scopedLive("while the API is silent, by the turn's own handle", () =>
    Effect.gen(function*() {
      const { session, world } = yield* begin
      const turn = yield* session.start("HANG on")
      const request = yield* Conversation.asked(world, "HANG on")
      yield* turn.interrupt()
      assert.strictEqual((yield* turn.result).outcome, "interrupted")
      assert.strictEqual(yield* world.api.awaitEnd(request), "Incomplete")
      yield* goesOn(session)
    }))

  it.scopedLive("while a tool runs, which then does not run any more", () =>
    Effect.gen(function*() {
      const world = yield* World.make(Model.obedient)
      const session = yield* Conversation.open(world, {}, { allowedTools: ["Bash"] })
      const turn = yield* session.start(
        Model.call("Bash", { command: "echo $$ > pid.new; mv pid.new pid; sleep 1000" })
      )
      const file = join(world.cwd, "pid")
      yield* Processes.until(() => existsSync(file))
      const tool = Number(readFileSync(file, "utf8"))
      assert.isTrue(Processes.isAlive(tool))
      yield* session.interrupt()
      const result = yield* turn.result
      assert.notStrictEqual(result.outcome, "success")
      yield* Processes.until(() => Processes.family(tool).length === 0)
      yield* goesOn(session)
    }))

  it.scopedLive("while a permission is asked for, which is then withdrawn, or must be denied", () =>
    Effect.gen(function*() {
      const world = yield* World.make(Model.obedient)
      const session = yield* Conversation.open(world, { onPermission: () => Effect.succeed(Permission.defer) })
      const settled = yield* Conversation.awaitEvent(
        session,
        (event) => event._tag === "PermissionSettled" ? Option.some(event.how) : Option.none()
      )
      const turn = yield* session.start(Model.call("Bash", { command: "touch never" }))
      yield* Stream.runHead(Stream.filter(session.permissions.changes, (pending) => pending.length === 1))
      yield* session.interrupt()
      // A CLI that takes nothing back waits for an answer. A yes would still be one to 1.0.60, for some tools.
      if (!supports.withdraws) {
        const [open] = yield* session.permissions.get
        yield* session.respondToPermission(open?.id ?? "", Permission.deny("Too late."))
      }
      assert.strictEqual(yield* settled, supports.withdraws ? "Withdrawn" : "Answered")
      const result = yield* turn.result
      assert.strictEqual(result.outcome, "interrupted")
      assert.isEmpty(yield* session.permissions.get)
      assert.isFalse(existsSync(join(world.cwd, "never")))
      yield* goesOn(session)
    }))

  it.scopedLive("between turns: acknowledged, and nothing follows", () =>
    Effect.gen(function*() {
      const { session } = yield* begin
      assert.strictEqual((yield* session.interrupt()).outcome, "alreadyEnded")
      yield* goesOn(session)
      assert.strictEqual((yield* session.interrupt()).outcome, "alreadyEnded")
      yield* goesOn(session)
    }))

  it.scopedLive("two at once are one", () =>
    Effect.gen(function*() {
      const world = yield* World.make(Model.obedient)
      const memory = yield* Recorder.toMemory
      const connector = yield* World.connector(world, Conversation.cliOptions())
      const session = yield* World.session(Recorder.connector(connector, { sink: memory.sink }))
      const turn = yield* session.start("HANG on")
      yield* Conversation.asked(world, "HANG on")
      const receipts = yield* Effect.all([session.interrupt(), session.interrupt()], { concurrency: 2 })
      assert.strictEqual(receipts[0], receipts[1])
      assert.strictEqual((yield* turn.result).outcome, "interrupted")
      yield* goesOn(session)
      const said = (yield* memory.entries).filter(({ dir, line }) => dir === "host" && line.includes(`"interrupt"`))
      assert.lengthOf(said, 1)
    }))

  it.scopedLive("by a time limit, and by the end of the fiber that waits", () =>
    Effect.gen(function*() {
      const { session, world } = yield* begin
      const late = yield* Effect.flip(session.send("HANG one", { timeout: "300 millis" }))
      assert.strictEqual(late._tag === "TurnTimeout" && late.result?.outcome, "interrupted")
      yield* goesOn(session)

      const waiting = yield* Effect.fork(session.send("HANG two"))
      const request = yield* Conversation.asked(world, "HANG two")
      yield* Fiber.interrupt(waiting)
      assert.strictEqual(yield* world.api.awaitEnd(request), "Incomplete")
      assert.include((yield* session.send("next", { whenBusy: "queue" })).text, "next")
    }))
})
