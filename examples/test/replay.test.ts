/**
 * How a host is tested with recordings: what a real `claude` said comes again, byte for byte, and `TestClock` says when.
 * The host here asks, with little patience and no shell.
 */
import * as Permission from "@claude-duplex/session/Permission"
import * as Session from "@claude-duplex/session/Session"
import * as MockConnector from "@claude-duplex/transport-mock/MockConnector"
import type { Recording } from "@claude-duplex/transport-mock/Recording"
import * as Replay from "@claude-duplex/transport-mock/Replay"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Option, TestClock } from "effect"
import { recording } from "../src/support/fakes.js"

// #region host
const Conversation = Session.layer({
  onPermission: ({ toolName }) =>
    Effect.succeed(toolName === "Bash" ? Permission.deny("bash is denied") : Permission.allow())
})

const ask = (prompt: string) =>
  Effect.flatMap(Session.Session, (session) => session.send(prompt, { timeout: "10 seconds" })).pipe(
    Effect.map(({ text }) => text),
    Effect.catchTags({
      SessionClosed: (error) => Effect.succeed(`(${error.message})`),
      TurnTimeout: () => Effect.succeed("(That took too long.)")
    })
  )
// #endregion

// #region tests
/** The same host, with a recording in place of the CLI. The mock is there too, to be asked how the replay came out. */
const over = (recording: Recording, options?: Replay.Options) =>
  Layer.provideMerge(Conversation, MockConnector.layer(Replay.behaviour(recording, options)))

describe("the host", () => {
  it.effect("denies the shell, as it did when this was recorded", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* ask("make a file"), `tool done: "bash is denied"`)
      // A host that sends another kind of answer, too much or too little, fails here.
      yield* Effect.flatMap(Session.Session, (session) => session.endInput())
      yield* Effect.flatMap(MockConnector.MockConnector, (mock) => mock.outcome)
    }).pipe(Effect.provide(over(recording("permission-deny")))))

  it.effect("interrupts what takes too long", () => {
    // The third turn, which goes on for 14 seconds, at its recorded pace; none of them pass in truth.
    const entries = recording("tour").entries.filter(({ t }) => t > 9_000)
    return Effect.gen(function*() {
      const asked = yield* Effect.fork(ask("Tell me all about pipes."))
      yield* TestClock.adjust("9 seconds")
      assert.isTrue(Option.isNone(yield* Fiber.poll(asked)))
      yield* TestClock.adjust("6 seconds")
      assert.strictEqual(yield* Fiber.join(asked), "(That took too long.)")
    }).pipe(Effect.provide(over({ entries }, { mode: "timed" })))
  })

  it.effect("survives the end of the CLI in the middle of a turn", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* ask("hello"), "(The session is over: the CLI ended with code 143.)")
    }).pipe(
      Effect.provide(over(recording("kill-midturn"), { exitAfter: "LastEntry", exit: { _tag: "Exited", code: 143 } }))
    ))
})
// #endregion
