/** Conversations that outlive their process: named, resumed, continued, forked; and a session that survives its CLI. */
import type { CliOptions } from "@claude-duplex/transport-node/CliOptions"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option, Schedule, Stream } from "effect"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import * as Conversation from "../src/Conversation.js"
import * as Model from "../src/Model.js"
import * as Processes from "../src/Processes.js"
import * as World from "../src/World.js"

/** 1.0.60 gives a resumed conversation another id, and knows no forks. */
const keepsId = World.cli.version !== "1.0.60"

/** One message to a CLI of its own, which then ends. */
const once = (world: World.World, prompt: string, options?: CliOptions) =>
  Effect.scoped(Effect.gen(function*() {
    const session = yield* Conversation.open(world, {}, options)
    const result = yield* session.send(prompt)
    yield* session.endInput()
    return { result, exit: yield* session.awaitExit }
  }))

/** What the model was told when it was last told this. */
const told = (world: World.World, text: string) =>
  Effect.map(
    Conversation.requestsAbout(world, text),
    (requests) => JSON.stringify(requests.at(-1)?.body.messages ?? [])
  )

/** All that the CLI has written of its conversations. */
const transcripts = (world: World.World): string => {
  const folder = join(world.home, ".claude", "projects")
  try {
    return readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".jsonl"))
      .map((name) => readFileSync(join(folder, name), "utf8"))
      .join("")
  } catch {
    // There is none yet.
    return ""
  }
}

describe("resuming", () => {
  it.scopedLive("a conversation has the id that it was given, and goes on by it", () =>
    Effect.gen(function*() {
      const world = yield* World.make(Model.obedient)
      const sessionId = "7a1f3c52-9d0e-4b6a-8f21-5c3d2e1f0a9b"
      const first = yield* once(world, "alpha", { sessionId })
      assert.strictEqual(first.result.sessionId, sessionId)

      const resumed = yield* once(world, "beta", { resume: sessionId })
      assert.strictEqual(resumed.result.text, "echo: beta")
      assert.strictEqual(resumed.result.sessionId === sessionId, keepsId)
      assert.include(yield* told(world, "beta"), "echo: alpha")

      const continued = yield* once(world, "gamma", { continue: true })
      assert.strictEqual(continued.result.text, "echo: gamma")
      assert.strictEqual(continued.result.sessionId === sessionId, keepsId)
      assert.include(yield* told(world, "gamma"), "echo: beta")
      assert.deepInclude(continued.exit, { _tag: "Exited", code: 0 })
    }))

  it.scopedLive("a fork knows what was said, and has an id of its own", () =>
    Effect.gen(function*() {
      const world = yield* World.make(Model.obedient)
      const { result: { sessionId } } = yield* once(world, "alpha")
      const fork = once(world, "heron", { resume: sessionId, forkSession: true })
      if (!keepsId) {
        const error = yield* Effect.flip(fork)
        assert.include(error.message, "unknown option '--fork-session'")
        return
      }
      const { result } = yield* fork
      assert.strictEqual(result.text, "echo: heron")
      assert.notStrictEqual(result.sessionId, sessionId)
      assert.include(yield* told(world, "heron"), "echo: alpha")
      // The one that it came from knows nothing of it.
      yield* once(world, "bittern", { resume: sessionId })
      assert.notInclude(yield* told(world, "bittern"), "heron")
    }))

  for (
    const [what, resume, why] of [
      ["an id that nobody has", "00000000-0000-4000-8000-000000000000", "No conversation found with session ID"],
      ["what is no id", "not-an-id", "not-an-id"]
    ] as const
  ) {
    it.scopedLive(`${what} is refused in the CLI's own words`, () =>
      Effect.gen(function*() {
        const world = yield* World.make(Model.obedient)
        // Newer CLIs end before they answer `initialize`, older ones at the first message, from 2.1.50 on with a result.
        const [said, exit] = yield* Effect.matchEffect(Conversation.open(world, {}, { resume }), {
          onFailure: (error) => Effect.succeed([error.message, "exit" in error ? error.exit : undefined] as const),
          onSuccess: (session) =>
            Effect.zip(
              Effect.match(session.send("hello"), {
                onFailure: ({ message }) => message,
                onSuccess: ({ errors, outcome }) => outcome === "error" ? errors.join() : "no error"
              }),
              session.awaitExit
            )
        })
        assert.include(said, why)
        assert.deepInclude(exit, { _tag: "Exited", code: 1 })
        assert.include([exit?.stderr, exit?.lastResult?.text].join(), why)
      }))
  }

  it.scopedLive("a session survives its CLI: what was said is known, what was held is sent", () =>
    Effect.gen(function*() {
      const world = yield* World.make(Model.obedient)
      const session = yield* Conversation.open(world, { restart: Schedule.recurs(2) })
      const first = yield* session.send("alpha")
      // It writes when it likes; what it has not written when it is killed is lost.
      yield* Processes.until(() => transcripts(world).includes("echo: alpha"))

      const events = yield* session.subscribe({ only: ["Restarting", "Restarted"] })
      const lost = yield* session.start("HANG in vain")
      const held = yield* session.start("beta", { whenBusy: "queue" })
      yield* Conversation.asked(world, "HANG in vain")
      const killed = Option.getOrThrow(yield* session.pid)
      process.kill(killed, "SIGKILL")

      const error = yield* Effect.flip(lost.result)
      assert.deepInclude(error, { _tag: "SessionClosed" })
      assert.deepInclude(error._tag === "SessionClosed" && error.exit, { _tag: "Signaled", signal: "SIGKILL" })
      const restarts = yield* Stream.runCollect(Stream.take(events, 2))
      assert.deepStrictEqual([...restarts].map(({ _tag }) => _tag), ["Restarting", "Restarted"])

      const second = yield* held.result
      assert.include(second.text, "beta")
      assert.strictEqual(second.sessionId === first.sessionId, keepsId)
      assert.include(yield* told(world, "beta"), "echo: alpha")
      assert.notStrictEqual(Option.getOrThrow(yield* session.pid), killed)
      assert.strictEqual((yield* session.send("gamma")).text, "echo: gamma")
      yield* session.close
    }))
})
