/** Intervals do not follow the wall clock: it may be set, or jump when a laptop wakes up. */
import * as Session from "@claude-duplex/session/Session"
import * as MockTransport from "@claude-duplex/transport-mock/MockTransport"
import type { Behaviour } from "@claude-duplex/transport-mock/Peer"
import * as Recorder from "@claude-duplex/transport-mock/Recorder"
import * as Script from "@claude-duplex/transport-mock/Script"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Duration, Effect, Fiber, Stream, TestClock } from "effect"
import { aborted, heard, lifecycle, settle, soon } from "./support/handmadeCli.js"
import { asked, init, success } from "./support/sessions.js"

const day = 24 * 60 * 60 * 1_000

/** The test clock, with a wall clock that can be set while everything else goes on. */
const settable = Effect.map(Effect.clock, (test) => {
  let offset = 0
  const millis = () => test.unsafeCurrentTimeMillis() + offset
  const clock: Clock.Clock = {
    [Clock.ClockTypeId]: Clock.ClockTypeId,
    unsafeCurrentTimeMillis: millis,
    currentTimeMillis: Effect.sync(millis),
    unsafeCurrentTimeNanos: () => test.unsafeCurrentTimeNanos(),
    currentTimeNanos: test.currentTimeNanos,
    sleep: (duration) => test.sleep(duration)
  }
  return { clock, jump: (by: number) => Effect.sync(() => offset += by) }
})

const open = (clock: Clock.Clock, behaviour: Behaviour<unknown>, options?: Session.Options) =>
  Effect.withClock(
    Effect.flatMap(MockTransport.make(behaviour), (transport) =>
      Session.fromTransport(transport, { initialization: "skip", ...options })),
    clock
  )

describe("a wall clock that jumps", () => {
  it.scoped("forward, as when a laptop wakes up, does not make the watchdog end a healthy session", () =>
    Effect.gen(function*() {
      const { clock, jump } = yield* settable
      const s = yield* open(
        clock,
        Script.behaviour(Script.make(
          Script.expect({ type: "user" }),
          Script.reply(init),
          Script.delay("4 minutes"),
          Script.reply({ type: "keep_alive" }),
          Script.delay("1000 days")
        )),
        { watchdog: { after: "5 minutes", action: "close" } }
      )
      const stalled = yield* s.subscribe({ only: ["Stalled"] })
      yield* s.start("a")
      yield* TestClock.adjust("4 minutes")
      yield* jump(day)
      yield* TestClock.adjust("4 minutes")
      assert.strictEqual((yield* s.status.get)._tag, "Running")
      // It still looks out, by the time that has passed.
      yield* TestClock.adjust("1 minute")
      const [told] = yield* soon(Stream.runCollect(stalled))
      assert.deepInclude(told, { silentMillis: 5 * 60 * 1_000 })
      assert.strictEqual((yield* soon(s.awaitExit))._tag, "Signaled")
    }))

  it.scoped("back does not keep a message waiting that has come to nothing", () =>
    Effect.gen(function*() {
      const { clock, jump } = yield* settable
      const s = yield* open(
        clock,
        heard(({ message, say }) =>
          Effect.gen(function*() {
            const { uuid } = yield* message
            yield* say(lifecycle(uuid, "completed"))
          })
        ).behaviour
      )
      const sent = yield* Effect.fork(s.send("/command"))
      yield* settle
      yield* jump(-day)
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual((yield* soon(Fiber.join(sent))).outcome, "success")
    }))

  it.scoped("back does not keep an interrupt under way after its deadline", () =>
    Effect.gen(function*() {
      const { clock, jump } = yield* settable
      const { behaviour, words } = heard(({ answer, hear, message, say }) =>
        Effect.gen(function*() {
          const { uuid } = yield* message
          yield* say(init)
          // The first one is withdrawn.
          yield* Effect.zipRight(hear, hear)
          yield* answer(yield* hear, {})
          yield* say(aborted(uuid))
        })
      )
      const s = yield* open(clock, behaviour)
      const sent = yield* s.start("a")
      yield* settle
      const first = yield* Effect.fork(Effect.flip(s.interrupt({ deadline: "10 seconds" })))
      yield* settle
      yield* jump(-day)
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual((yield* soon(Fiber.join(first))).reason, "Timeout")
      yield* soon(s.interrupt({ deadline: "10 seconds" }))
      yield* soon(sent.result)
      assert.deepStrictEqual(words, ["user", "interrupt", "control_cancel_request", "interrupt"])
    }))

  it.scoped("does not come into a recording", () =>
    Effect.gen(function*() {
      const { clock, jump } = yield* settable
      const { entries, sink } = yield* Recorder.toMemory
      const mock = yield* MockTransport.make(() => Effect.never)
      const transport = yield* Effect.withClock(Recorder.wrap(mock, { sink }), clock)
      yield* transport.send("a")
      yield* jump(-day)
      yield* TestClock.adjust("1 second")
      yield* transport.send("b")
      yield* settle
      assert.deepStrictEqual((yield* entries).map(({ t }) => t), [0, 1_000])
    }))
})

describe("timers", () => {
  it.scoped("of a session that has ended are gone: they would keep the process alive", () =>
    Effect.gen(function*() {
      const { clock } = yield* settable
      const sleeping: Array<number> = []
      const counting: Clock.Clock = {
        ...clock,
        sleep: (duration) =>
          Effect.acquireUseRelease(
            Effect.sync(() => sleeping.push(Duration.toMillis(duration))),
            () => clock.sleep(duration),
            () => Effect.sync(() => sleeping.splice(sleeping.indexOf(Duration.toMillis(duration)), 1))
          )
      }
      const s = yield* open(
        counting,
        Script.behaviour(Script.make(
          asked("mcp_status"),
          Script.reply(success({ mcpServers: [] })),
          Script.expectEnd(),
          Script.exit(0)
        ))
      )
      yield* s.control.mcpStatus()
      yield* settle
      assert.deepStrictEqual(sleeping, [60_000], "the timeout of the request")
      yield* Effect.withClock(s.close, counting)
      yield* settle
      assert.deepStrictEqual(sleeping, [])
    }))
})
