/**
 * Work in the background of a real CLI: what ends while nobody looks starts a turn that nobody sent, and that turn is an
 * event and never anybody's result.
 *
 * | CLI            | a command in the background                                                        |
 * | -------------- | ---------------------------------------------------------------------------------- |
 * | from 2.1.250 on| is listed by `background_tasks_changed`, and starts a turn at its end              |
 * | 2.1.50, 2.1.143| is told of by `task_started` and `task_notification`, and starts a turn at its end |
 * | 2.0.76         | **ends the CLI** at its end, or with the next message if none runs then            |
 * | 1.0.128, 2.0.0 | runs, and its end starts nothing                                                   |
 * | 1.0.60         | cannot be asked for: the tool refuses `run_in_background`                          |
 */
import * as Frame from "@claude-duplex/protocol/Frame"
import type * as Session from "@claude-duplex/session/Session"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Either, Option } from "effect"
import { existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Conversation from "../src/Conversation.js"
import * as Model from "../src/Model.js"
import * as Processes from "../src/Processes.js"
import * as World from "../src/World.js"

const { supports, version } = World.cli

/** Whether the CLI says what runs; those that do start a turn when it ends. */
const tellsTasks = !["2.0.76", "2.0.0", "1.0.128", "1.0.60"].includes(version)
/** Whether the CLI lists all that runs, whenever that changes. */
const listsTasks = supports.lifecycle
/** "only prompt commands are supported in streaming mode": it cannot take its own notification. */
const diesOfTasks = version === "2.0.76"
const hasBackground = version !== "1.0.60"

/** A session, and a command in its background that ends when it is let go. */
const working = Effect.gen(function*() {
  const gate = yield* Deferred.make<void>()
  const world = yield* World.make(Model.gated(Deferred.await(gate)))
  const session = yield* Conversation.open(
    world,
    {},
    { allowedTools: ["Bash"] },
    // From 2.1.50 on, what a command prints goes where this says.
    { CLAUDE_CODE_TMPDIR: world.home }
  )
  const record = yield* Conversation.record(session)
  const started = yield* session.send(Model.call("Bash", {
    command: "until [ -e go ]; do sleep 0.05; done; echo came; touch went",
    run_in_background: true
  }))
  return {
    world,
    session,
    record,
    started,
    answer: Deferred.succeed(gate, undefined),
    letGo: Effect.zipRight(
      Effect.sync(() => writeFileSync(join(world.cwd, "go"), "")),
      hasBackground ? Processes.until(() => existsSync(join(world.cwd, "went"))) : Effect.void
    ),
    /** The next turn that nobody sent is over. */
    nobodys: Conversation.awaitEvent(
      session,
      (event) => event._tag === "TurnEnded" && event.messages.length === 0 ? Option.some(event) : Option.none()
    )
  }
})

/** The CLI ends at the first turn after it has noticed, whoever's that is; and whoever waits is told why. */
const assertDead = (session: Session.Service) =>
  Effect.gen(function*() {
    const why = "only prompt commands are supported in streaming mode"
    yield* Effect.repeat(
      Effect.match(session.send("next"), {
        onFailure: ({ message }) => message,
        onSuccess: ({ errors }) => errors.join()
      }),
      { until: (said) => said.includes(why) }
    )
    assert.deepInclude(yield* session.awaitExit, { code: 1 })
  })

describe("background", () => {
  it.scopedLive("the end of a task starts a turn that nobody sent", () =>
    Effect.gen(function*() {
      const { letGo, nobodys, record, session, started, world } = yield* working
      if (!hasBackground) {
        assert.include(started.text, "run_in_background")
        assert.include(started.text, "error")
        return
      }
      assert.include(started.text, "background")
      const ended = yield* nobodys
      yield* letGo
      if (diesOfTasks) return yield* assertDead(session)
      if (tellsTasks) {
        const { result } = yield* ended
        assert.isTrue(Frame.isKnown(result))
        const asked = (yield* world.api.requests).at(-1)
        assert.match(JSON.stringify(asked?.body), /task-notification|background/i)
      }
      assert.strictEqual((yield* session.send("next")).text, "echo: next")
      const subtypes = new Set(record.frames().flatMap((frame) => frame.type === "system" ? [frame.subtype] : []))
      assert.strictEqual(subtypes.has("task_notification"), tellsTasks)
      assert.strictEqual(subtypes.has("task_started"), tellsTasks)
      assert.strictEqual(subtypes.has("background_tasks_changed"), listsTasks)
      const unsent = record.seen.filter((event) => event._tag === "TurnEnded" && event.messages.length === 0)
      assert.lengthOf(unsent, tellsTasks ? 1 : 0)
    }))

  it.scopedLive("against a message at the same time: each has its own result", () =>
    Effect.gen(function*() {
      const { answer, letGo, nobodys, session, world } = yield* working
      const ended = yield* nobodys
      const mine = yield* session.start("WAIT mine")
      yield* Conversation.asked(world, "WAIT mine")
      yield* letGo
      yield* answer
      assert.strictEqual((yield* mine.result).text, "waited: mine")
      if (diesOfTasks) return yield* assertDead(session)
      // Said while the turn that nobody sent is about to begin, runs, or is over.
      // The session is busy while that turn runs, so the message is steered.
      assert.strictEqual((yield* session.send("again", { whenBusy: "steer" })).text, "echo: again")
      if (tellsTasks) yield* ended
      assert.strictEqual((yield* session.send("and again", { whenBusy: "queue" })).text, "echo: and again")
    }))

  it.scopedLive("input is not ended under a task that may still ask something", () =>
    Effect.gen(function*() {
      const world = yield* World.make(Model.obedient)
      const session = yield* Conversation.open(
        world,
        { onPermission: () => Effect.die("not asked") },
        { allowedTools: ["Bash"] },
        { CLAUDE_CODE_TMPDIR: world.home }
      )
      yield* session.send(Model.call("Bash", {
        command: "until [ -e go ]; do sleep 0.05; done",
        run_in_background: true
      }))
      const ended = yield* Effect.either(session.endInput())
      // Of a CLI that does not list its tasks it is not known that it has one.
      if (listsTasks) assert.deepInclude(Either.flip(ended).pipe(Either.getOrThrow), { _tag: "SessionBusy" })
      writeFileSync(join(world.cwd, "go"), "")
      const exit = yield* session.close
      assert.isEmpty(Processes.groupOf(Option.getOrThrow(yield* session.pid)))
      assert.isEmpty(exit.pending.messages)
    }))
})
