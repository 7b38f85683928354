import * as Connector from "@claude-duplex/protocol/Connector"
import { TransportError } from "@claude-duplex/protocol/Transport"
import * as Hook from "@claude-duplex/session/Hook"
import * as HookAnswer from "@claude-duplex/session/HookAnswer"
import * as Session from "@claude-duplex/session/Session"
import * as MockTransport from "@claude-duplex/transport-mock/MockTransport"
import * as Script from "@claude-duplex/transport-mock/Script"
import type { AnyStep } from "@claude-duplex/transport-mock/ScriptStep"
import { assert, describe, it } from "@effect/vitest"
import { Chunk, Deferred, Effect, Exit, Fiber, Option, Schedule, Scope, Stream, TestClock } from "effect"
import { settle, soon } from "./support/handmadeCli.js"
import { asked, init, result, success, turn } from "./support/sessions.js"

/** One script for each connection; `undefined` is a CLI that cannot be started. Keeps what each was to resume. */
const clis = (...scripts: ReadonlyArray<ReadonlyArray<AnyStep> | undefined>) => {
  const resumed: Array<string | undefined> = []
  const connector: Connector.Service = Effect.runSync(
    Connector.make(({ resume }) =>
      Effect.suspend((): Effect.Effect<MockTransport.MockTransport<unknown>, TransportError, Scope.Scope> => {
        const script = scripts[resumed.push(resume) - 1]
        return script === undefined
          ? new TransportError({ reason: "Spawn", detail: "no more of them" })
          : MockTransport.make(Script.behaviour(Script.make(...script)))
      })
    )
  )
  return { connector, resumed }
}

const waits = Script.delay("1000 days")

/** Most CLIs here end before they could answer `initialize`, so a session waits for the response only if it registers hooks. */
const restarting = (connector: Connector.Service, options: Session.Options) =>
  Session.fromConnector(connector, { initialization: options.hooks === undefined ? "background" : "await", ...options })

describe("restart", () => {
  it.scoped("a CLI that dies is followed by another that resumes; the running turn has failed with what is known", () =>
    Effect.gen(function*() {
      const { connector, resumed } = clis(
        [...turn("a"), Script.expect({ type: "user" }), Script.reply(init), Script.stderr("boom"), Script.exit(137)],
        [...turn("c"), waits]
      )
      const s = yield* restarting(connector, { restart: Schedule.recurs(1) })
      const told = yield* Effect.fork(Stream.runCollect(Stream.map(
        yield* s.subscribe({ only: ["Restarting", "Restarted", "StatusChanged", "Ended"] }),
        (event) => event._tag === "StatusChanged" ? event.status._tag : event._tag
      )))
      assert.strictEqual((yield* s.send("a")).text, "echo: a")
      const error = yield* Effect.flip(s.send("b"))
      assert.deepInclude(error, { _tag: "SessionClosed" })
      const exit = error._tag === "SessionClosed" ? error.exit : undefined
      assert.deepInclude(exit, { code: 137, stderr: "boom" })
      assert.strictEqual(exit?.lastResult?.text, "echo: a")
      // Whatever is said from now on is said to the next one.
      assert.strictEqual((yield* s.send("c")).text, "echo: c")
      assert.deepStrictEqual(resumed, [undefined, "s"])
      yield* s.close
      assert.deepStrictEqual(Chunk.toReadonlyArray(yield* Fiber.join(told)), [
        "Running",
        "Idle",
        "Running",
        "Restarting",
        "Restarting",
        "Restarted",
        "Running",
        "Idle",
        "Closing",
        "Closed",
        "Ended"
      ])
    }))

  it.scoped("messages that were still held here are sent to the next one, and in their order", () =>
    Effect.gen(function*() {
      const { connector } = clis(
        [Script.expect({ type: "user" }), Script.exit(1)],
        [...turn("held 1"), ...turn("held 2"), ...turn("new"), waits]
      )
      const s = yield* restarting(connector, { restart: Schedule.recurs(1) })
      const [lost, one, two] = yield* Effect.all([
        s.start("lost"),
        s.start("held 1", { whenBusy: "queue" }),
        s.start("held 2", { whenBusy: "queue" })
      ])
      assert.deepInclude(yield* Effect.flip(lost.result), { _tag: "SessionClosed" })
      const fresh = yield* s.start("new", { whenBusy: "queue" })
      const texts = yield* Effect.forEach([one, two, fresh], ({ result }) => Effect.map(result, ({ text }) => text))
      assert.deepStrictEqual(texts, ["echo: held 1", "echo: held 2", "echo: new"])
    }))

  it.scoped("each is initialized first, and what is said meanwhile comes after that", () =>
    Effect.gen(function*() {
      const greeting = [asked("initialize"), Script.reply(success({ commands: [] }))]
      const { connector } = clis(
        [...greeting, Script.delay("1 second"), Script.exit(1)],
        [...greeting, ...turn("hello"), waits]
      )
      const s = yield* restarting(connector, {
        restart: Schedule.spaced("10 seconds"),
        hooks: [Hook.on("Stop", () => Effect.succeed(HookAnswer.proceed))]
      })
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* s.status.get)._tag, "Restarting")
      const sent = yield* Effect.fork(s.send("hello"))
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual((yield* Fiber.join(sent)).text, "echo: hello")
      assert.isTrue(Option.isSome(yield* s.initialized))
    }))

  it.scoped("one that cannot be started is tried again, and at last given up", () =>
    Effect.gen(function*() {
      const { connector, resumed } = clis([Script.exit(1)], undefined, undefined)
      const s = yield* restarting(connector, {
        restart: Schedule.intersect(Schedule.spaced("1 second"), Schedule.recurs(2))
      })
      const told = yield* Effect.fork(Stream.runCollect(yield* s.subscribe({ only: ["Restarting", "Ended"] })))
      const waiting = yield* Effect.fork(Effect.flip(Effect.zipRight(Effect.sleep("1 second"), s.send("a"))))
      yield* TestClock.adjust("10 seconds")
      assert.deepInclude(yield* s.awaitExit, { code: 1 })
      assert.deepInclude(yield* Fiber.join(waiting), { _tag: "SessionClosed" })
      assert.strictEqual(resumed.length, 3)
      const attempts = Chunk.toReadonlyArray(yield* Fiber.join(told)).map((event) =>
        event._tag === "Restarting" ? event.attempt : event._tag
      )
      assert.deepStrictEqual(attempts.at(-1), "Ended")
      assert.strictEqual((yield* s.status.get)._tag, "Closed")
    }))

  it.scoped("an end that was asked for is the end; so is one while another CLI is on its way", () =>
    Effect.gen(function*() {
      const ended = clis([...turn("a"), Script.expectEnd(), Script.exit(0)])
      const s = yield* restarting(ended.connector, { restart: Schedule.forever })
      yield* s.send("a")
      yield* s.endInput()
      assert.deepInclude(yield* s.awaitExit, { code: 0 })
      assert.strictEqual(ended.resumed.length, 1)

      const lost = clis([Script.exit(1)])
      const r = yield* restarting(lost.connector, { restart: Schedule.spaced("1 hour") })
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* r.status.get)._tag, "Restarting")
      assert.deepInclude(yield* r.close, { code: 1 })
    }))

  it.scoped("an interrupt that nobody hears ends the CLI, and not the session", () =>
    Effect.gen(function*() {
      const { connector } = clis(
        [Script.expect({ type: "user" }), Script.reply(init), asked("interrupt"), waits],
        [...turn("b"), waits]
      )
      const s = yield* restarting(connector, { restart: Schedule.recurs(1) })
      const stuck = yield* s.start("a")
      yield* TestClock.adjust("1 second")
      const stopped = yield* Effect.fork(Effect.flip(s.interrupt({ deadline: "5 seconds", escalate: "close" })))
      yield* TestClock.adjust("5 seconds")
      assert.deepInclude(yield* Fiber.join(stopped), { reason: "Timeout" })
      assert.deepInclude(yield* Effect.flip(stuck.result), { _tag: "SessionClosed" })
      assert.strictEqual((yield* s.send("b")).text, "echo: b")
    }))

  it.scoped("totals go on from where they were, so that no turn is charged for the ones before", () =>
    Effect.gen(function*() {
      const paid = (text: string, total: number) => [
        Script.expect({ type: "user" }),
        Script.reply(init),
        Script.reply({ ...result(text), total_cost_usd: total })
      ]
      const { connector } = clis(
        [...paid("a", 0.5), Script.exit(1)],
        // One that was ended well knows what was spent before; one that was killed has forgotten.
        [...paid("b", 0.75), Script.exit(1)],
        [...paid("c", 0.125), waits]
      )
      const s = yield* restarting(connector, { restart: Schedule.recurs(2) })
      const costOf = (prompt: string) =>
        Effect.gen(function*() {
          const restarted = yield* s.subscribe({ only: ["Restarted"] })
          const { cost } = yield* s.send(prompt)
          if (prompt !== "c") yield* Stream.runHead(restarted)
          return cost.usd
        })
      assert.deepStrictEqual(yield* Effect.forEach(["a", "b", "c"], costOf), [0.5, 0.25, 0.125])
      assert.strictEqual((yield* s.cost.get).usd, 0.875)
    }))

  it.scoped("turn numbers never repeat: the turns of the next CLI are counted on", () =>
    Effect.gen(function*() {
      const { connector } = clis([...turn("a"), ...turn("b"), Script.exit(1)], [...turn("c"), waits])
      const s = yield* restarting(connector, { restart: Schedule.recurs(1) })
      const turns = yield* Effect.fork(Stream.runCollect(Stream.map(
        yield* s.subscribe({ only: ["TurnStarted", "TurnEnded"] }),
        (event) => `${event._tag} ${event.turn}`
      )))
      const restarted = yield* s.subscribe({ only: ["Restarted"] })
      yield* s.send("a")
      yield* s.send("b")
      yield* Stream.runHead(restarted)
      yield* s.send("c")
      yield* s.close
      assert.deepStrictEqual(Chunk.toReadonlyArray(yield* Fiber.join(turns)), [
        "TurnStarted 0",
        "TurnEnded 0",
        "TurnStarted 1",
        "TurnEnded 1",
        "TurnStarted 2",
        "TurnEnded 2"
      ])
    }))

  it.scoped("the next one is taken for what the last one was until it says what it is", () =>
    Effect.gen(function*() {
      const { connector } = clis(
        [...turn("a"), Script.exit(1)],
        [asked("get_binary_version"), Script.reply(success({ version: "2.1.326" })), waits]
      )
      const s = yield* restarting(connector, { restart: Schedule.recurs(1) })
      const restarted = yield* s.subscribe({ only: ["Restarted"] })
      yield* s.send("a")
      yield* Stream.runHead(restarted)
      assert.deepInclude(yield* soon(s.control.getBinaryVersion()), { version: "2.1.326" })
    }))

  it.scoped("one that is given up ends with what was said last, although it was not said by the last one", () =>
    Effect.gen(function*() {
      const { connector } = clis([...turn("a"), Script.exit(1)], undefined)
      const s = yield* restarting(connector, { restart: Schedule.recurs(1) })
      yield* s.send("a")
      assert.strictEqual((yield* soon(s.awaitExit)).lastResult?.text, "echo: a")
    }))

  it.effect("a CLI that is there just as the session is closed is closed too", () =>
    Effect.gen(function*() {
      const arrives = yield* Deferred.make<void>()
      const first = yield* Deferred.make<void>()
      let closed = 0
      const cli = (...steps: ReadonlyArray<AnyStep>) =>
        Effect.tap(
          MockTransport.make(Script.behaviour(Script.make(...steps))),
          () => Effect.addFinalizer(() => Effect.sync(() => closed++))
        )
      const connector = yield* Connector.make(Effect.fn(function*() {
        if (yield* Deferred.succeed(first, undefined)) return yield* cli(Script.exit(1))
        const next = yield* cli(waits)
        yield* Deferred.await(arrives)
        return next
      }))
      const scope = yield* Scope.make()
      const s = yield* Scope.extend(restarting(connector, { restart: Schedule.forever }), scope)
      yield* settle
      assert.strictEqual((yield* s.status.get)._tag, "Restarting")
      const ended = yield* Effect.fork(Effect.zipRight(Deferred.succeed(arrives, undefined), s.close))
      yield* soon(Fiber.join(ended))
      yield* soon(Scope.close(scope, Exit.void))
      assert.strictEqual(closed, 2)
    }))

  it.scoped("stderr goes on across restarts: one stream has the stderr of every CLI", () =>
    Effect.gen(function*() {
      const { connector } = clis(
        [Script.expect({ type: "user" }), Script.stderr("first\n"), Script.exit(1)],
        [Script.expect({ type: "user" }), Script.stderr("second\n"), waits]
      )
      const s = yield* restarting(connector, { restart: Schedule.recurs(1) })
      const stderr = yield* Effect.fork(Stream.runCollect(Stream.take(s.stderr, 2)))
      yield* settle
      yield* Effect.flip(s.send("a"))
      yield* settle
      yield* s.start("b")
      assert.deepStrictEqual(Chunk.toReadonlyArray(yield* soon(Fiber.join(stderr))), ["first\n", "second\n"])
    }))

  it.scoped("a message that no CLI could be started for was held, and is known to be unsent", () =>
    Effect.gen(function*() {
      const { connector } = clis([...turn("a"), Script.exit(1)], undefined)
      const s = yield* restarting(connector, { restart: Schedule.addDelay(Schedule.recurs(1), () => "1 second") })
      yield* s.send("a")
      yield* settle
      assert.strictEqual((yield* s.status.get)._tag, "Restarting")
      const started = yield* s.start("b")
      assert.strictEqual(yield* started.phase, "Held")
      const steered = yield* s.start("c", { whenBusy: "steer" })
      assert.deepInclude(yield* Effect.flip(s.start("d")), { _tag: "SessionBusy" })
      yield* TestClock.adjust("1 second")
      for (const { result } of [started, steered]) {
        assert.deepInclude(yield* Effect.flip(result), { _tag: "SessionClosed", unsent: true })
      }
      const { pending } = yield* soon(s.awaitExit)
      assert.deepStrictEqual(pending.held, [started.id, steered.id])
      assert.deepStrictEqual(pending.messages, [])
    }))

  it.scoped("an end that the schedule does not restart is not announced as a restart", () =>
    Effect.gen(function*() {
      const { connector } = clis([...turn("a"), Script.exit(1)])
      const s = yield* restarting(connector, { restart: Schedule.recurs(0) })
      const events = yield* Effect.fork(Stream.runCollect(yield* s.subscribe({ only: ["Restarting", "Ended"] })))
      yield* s.send("a")
      yield* soon(s.awaitExit)
      assert.deepStrictEqual(Chunk.toReadonlyArray(yield* Fiber.join(events)).map(({ _tag }) => _tag), ["Ended"])
    }))

  it.scoped("a CLI that ends before it is initialized fails `make`, and is not restarted", () =>
    Effect.gen(function*() {
      const { connector, resumed } = clis([Script.stderr("no licence\n"), Script.exit(1)], [waits])
      const error = yield* Effect.flip(Session.fromConnector(connector, { restart: Schedule.forever }))
      assert.include(error.message, "no licence")
      assert.lengthOf(resumed, 1)
    }))

  it.scoped("a message that was written fails with an error that tells a restart from the end", () =>
    Effect.gen(function*() {
      const dies = [Script.expect({ type: "user" }), Script.exit(137)]
      const { connector } = clis(dies, dies)
      const s = yield* restarting(connector, { restart: Schedule.recurs(1) })
      const first = yield* Effect.flip(s.send("a"))
      assert.deepInclude(first, { _tag: "SessionClosed", isRestarting: true })
      assert.include(first.message, "The CLI ended and is being restarted")
      const last = yield* Effect.flip(s.send("b"))
      assert.deepInclude(last, { _tag: "SessionClosed" })
      assert.include(last.message, "The session is over")
    }))

  it.scoped("a schedule that throws says no more than one that is over", () =>
    Effect.gen(function*() {
      const { connector } = clis([Script.exit(1)])
      const s = yield* restarting(connector, {
        restart: Schedule.recurWhile((): boolean => {
          throw new Error("a bug of the host's")
        })
      })
      assert.deepInclude(yield* soon(s.awaitExit), { code: 1 })
      assert.strictEqual((yield* s.status.get)._tag, "Closed")
    }))

  it.effect("the end of the scope is the end, although a CLI that was started again takes its time to go", () =>
    Effect.gen(function*() {
      const { connector, resumed } = clis([Script.exit(1)], [waits], [waits])
      const scope = yield* Scope.make()
      const slow = Connector.mapTransport(
        connector,
        (transport) => Effect.as(Effect.addFinalizer(() => Effect.sleep("3 seconds")), transport)
      )
      const s = yield* Scope.extend(restarting(slow, { restart: Schedule.spaced("1 second") }), scope)
      const told = yield* Scope.extend(s.subscribe({ only: ["Restarting"] }), scope)
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual(resumed.length, 2)
      const events = yield* Effect.fork(Stream.runCollect(told))
      yield* Effect.fork(Scope.close(scope, Exit.void))
      yield* TestClock.adjust("30 seconds")
      assert.deepInclude(yield* soon(s.awaitExit), { signal: "SIGTERM" })
      assert.strictEqual(resumed.length, 2)
      assert.isAtMost((yield* soon(Fiber.join(events))).length, 1)
    }))
})
