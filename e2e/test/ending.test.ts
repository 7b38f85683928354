/**
 * How a real CLI ends: by the end of its input, by the session, by somebody else. Whatever was open fails once, with one exit
 * that says how; and nothing is left running.
 */
import * as Session from "@claude-duplex/session/Session"
import * as NodeConnector from "@claude-duplex/transport-node/NodeConnector"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Option, Stream } from "effect"
import { spawn } from "node:child_process"
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import * as Conversation from "../src/Conversation.js"
import * as Model from "../src/Model.js"
import * as Processes from "../src/Processes.js"
import * as World from "../src/World.js"

const { supports } = World.cli

/** A session in the middle of a turn, which ends when it is let go. */
const busy = (options?: Session.Options) =>
  Effect.gen(function*() {
    const gate = yield* Deferred.make<void>()
    const world = yield* World.make(Model.gated(Deferred.await(gate)))
    const session = yield* Conversation.open(world, options)
    const turn = yield* session.start("WAIT first")
    yield* Conversation.asked(world, "WAIT first")
    const pid = Option.getOrThrow(yield* session.pid)
    return { world, session, turn, pid, letGo: Deferred.succeed(gate, undefined) }
  })

/** A program that says something on stderr and then is the CLI. */
const talkative = (world: World.World) => {
  const path = join(world.home, "talkative")
  const { executable } = World.cli
  const program = executable.endsWith(".js") ? `'${process.execPath}' '${executable}'` : `'${executable}'`
  writeFileSync(path, `#!/bin/sh\necho a word on stderr >&2\nexec ${program} "$@"\n`)
  chmodSync(path, 0o755)
  return path
}

/** A session with a tool at work. */
const atWork = Effect.gen(function*() {
  const world = yield* World.make(Model.obedient)
  const session = yield* Conversation.open(world, {}, { allowedTools: ["Bash"] })
  const turn = yield* session.start(Model.call("Bash", { command: "echo $$ > pid.new; mv pid.new pid; sleep 1000" }))
  const file = join(world.cwd, "pid")
  yield* Processes.until(() => existsSync(file))
  const pid = Option.getOrThrow(yield* session.pid)
  const tool = Number(readFileSync(file, "utf8"))
  const family = Processes.family(pid)
  const tools = Processes.family(tool)
  // Where the CLI leaves its tools running, this is who ends them.
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => tools.filter(Processes.isAlive).forEach((left) => process.kill(left, "SIGKILL")))
  )
  return {
    session,
    turn,
    pid,
    family,
    tool,
    /** All that ran is gone; or all but the tools, which are then nobody's children and in nobody's group. */
    isOver: supports.endsTools
      ? Processes.until(() => !family.some(Processes.isAlive))
      : Effect.zipRight(
        Processes.until(() => !family.some((left) => !tools.includes(left) && Processes.isAlive(left))),
        Effect.sync(() => assert.isTrue(Processes.isAlive(tool)))
      )
  }
})

describe("ending", () => {
  it.scopedLive("the end of the input lets the turn end first", () =>
    Effect.gen(function*() {
      const { letGo, pid, session, turn } = yield* busy()
      yield* session.endInput()
      assert.strictEqual((yield* session.status.get)._tag, "Closing")
      assert.deepInclude(yield* Effect.flip(session.send("late")), { _tag: "SessionClosed", unsent: true })
      yield* letGo
      assert.strictEqual((yield* turn.result).text, "waited: first")
      assert.deepInclude(yield* session.awaitExit, { _tag: "Exited", code: 0 })
      assert.isEmpty(Processes.groupOf(pid))
    }))

  it.scopedLive("a host that may still be asked something must say that it means it", () =>
    Effect.gen(function*() {
      const { letGo, session, turn } = yield* busy({ onPermission: () => Effect.die("not asked") })
      assert.deepInclude(yield* Effect.flip(session.endInput()), { _tag: "SessionBusy" })
      yield* session.endInput({ force: true })
      assert.include((yield* session.warnings).map(({ kind }) => kind), "InputEndedEarly")
      yield* letGo
      assert.strictEqual((yield* turn.result).text, "waited: first")
      assert.deepInclude(yield* session.awaitExit, { _tag: "Exited", code: 0 })
    }))

  it.scopedLive("closing in the middle of a turn ends it, and all that runs, where the CLI ends its tools", () =>
    Effect.gen(function*() {
      const { family, isOver, session, tool, turn } = yield* atWork
      assert.include(family, tool)
      const exit = yield* session.close
      // Depending on how fast it is told, the CLI gives the turn a result before it goes, or not.
      const ended = yield* Effect.either(turn.result)
      if (ended._tag === "Left") {
        assert.strictEqual(ended.left._tag === "SessionClosed" ? ended.left.exit : undefined, exit)
      }
      yield* isOver
      assert.strictEqual((yield* session.status.get)._tag, "Closed")
      assert.strictEqual((yield* session.status.get)._tag, "Closed")
      assert.strictEqual(yield* session.close, exit)
    }))

  it.scopedLive("the end of the scope does the same", () =>
    Effect.gen(function*() {
      const world = yield* World.make(Model.obedient)
      const pid = yield* Effect.scoped(Effect.gen(function*() {
        const session = yield* Conversation.open(world)
        yield* session.send("hello")
        return Option.getOrThrow(yield* session.pid)
      }))
      assert.isFalse(Processes.isAlive(pid))
      assert.isEmpty(Processes.groupOf(pid))
    }))

  it.scopedLive("SIGKILL from outside: everything open fails with one exit, stderr included", () =>
    Effect.gen(function*() {
      const world = yield* World.make(Model.obedient)
      const session = yield* Session.fromConnector(
        yield* NodeConnector.make({
          executable: talkative(world),
          cwd: world.cwd,
          env: world.env,
          inheritEnv: false,
          checkVersion: false,
          cli: Conversation.cliOptions({ permissionPromptTool: "stdio" })
        })
      )
      const events = yield* session.subscribe({ only: ["Ended"] })
      const sent = yield* session.start("HANG on")
      const held = yield* session.start("later", { whenBusy: "queue" })
      yield* Conversation.asked(world, "HANG on")
      const pid = Option.getOrThrow(yield* session.pid)
      // Stopped, it can answer nothing any more; so what is asked now is open for sure.
      process.kill(pid, "SIGSTOP")
      const asked = yield* Effect.fork(Effect.flip(session.interrupt({ deadline: "1 minute" })))
      yield* Effect.yieldNow()
      process.kill(pid, "SIGKILL")

      const exit = yield* session.awaitExit
      assert.deepInclude(exit, { _tag: "Signaled", signal: "SIGKILL" })
      assert.include(exit.stderr, "a word on stderr")
      assert.deepStrictEqual(exit.pending.messages, [sent.id])
      assert.deepStrictEqual(exit.pending.held, [held.id])
      assert.deepStrictEqual(exit.pending.asked.map(({ subtype }) => subtype), ["interrupt"])
      const failures = [yield* Effect.flip(sent.result), yield* Effect.flip(held.result), yield* Fiber.join(asked)]
      for (const failure of failures) {
        assert.include(failure.message, "SIGKILL")
        assert.include(failure.message, "a word on stderr")
        assert.strictEqual("exit" in failure ? failure.exit : undefined, exit)
      }
      assert.deepInclude(failures[1], { _tag: "SessionClosed", unsent: true })
      // Subscribers hear of it, once, and that is the last they hear.
      assert.deepStrictEqual([...(yield* Stream.runCollect(events))].map(({ _tag }) => _tag), ["Ended"])
      assert.isEmpty(Processes.groupOf(pid))
    }))

  it.scopedLive("SIGKILL of the host in a turn: the CLI reads the end of its input, and ends by itself after the turn", () =>
    Effect.gen(function*() {
      const gate = yield* Deferred.make<void>()
      const world = yield* World.make(Model.gated(Deferred.await(gate)))
      const prompt = "WAIT first"
      const script = fileURLToPath(new URL("support/host.mjs", import.meta.url))
      const options = JSON.stringify(Conversation.cliOptions({ permissionPromptTool: "stdio" }))
      const host = spawn(process.execPath, [script, World.cli.executable, world.cwd, options, prompt], {
        stdio: ["ignore", "pipe", "ignore"],
        env: world.env
      })
      const pid = yield* Effect.async<number, string>((resume) => {
        host.stdout.once("data", (data) => resume(Effect.succeed(Number(String(data)))))
        host.once("exit", () => resume(Effect.fail("The host ended before its turn began")))
      })
      yield* Conversation.asked(world, prompt)
      assert.isTrue(Processes.isAlive(pid))
      host.kill("SIGKILL")
      // A CLI whose host is gone still finishes what it is doing.
      yield* Deferred.succeed(gate, undefined)
      yield* Processes.until(() => !Processes.isAlive(pid))
      assert.isEmpty(Processes.groupOf(pid))
    }))

  it.scopedLive("SIGTERM from outside: the CLI ends by itself, and its tools with it where it ends them", () =>
    Effect.gen(function*() {
      const { isOver, pid, session, turn } = yield* atWork
      process.kill(pid, "SIGTERM")
      const exit = yield* session.awaitExit
      // It handles the signal and exits as a shell would say it; one that does not is ended by it.
      assert.oneOf(exit._tag === "Exited" ? exit.code : exit._tag === "Signaled" ? exit.signal : exit._tag, [
        143,
        0,
        "SIGTERM"
      ])
      const ended = yield* Effect.either(turn.result)
      if (ended._tag === "Left") assert.deepInclude(ended.left, { _tag: "SessionClosed", exit })
      assert.isEmpty(Processes.groupOf(pid))
      yield* isOver
    }))

  it.scopedLive("a request that is open at the end fails with it", () =>
    Effect.gen(function*() {
      const world = yield* World.make(Model.obedient)
      const session = yield* Conversation.open(world)
      yield* session.send("hello")
      process.kill(Option.getOrThrow(yield* session.pid), "SIGSTOP")
      const asked = yield* Effect.fork(Effect.flip(session.control.setModel({ model: "other" })))
      yield* Effect.yieldNow()
      process.kill(Option.getOrThrow(yield* session.pid), "SIGKILL")
      const error = yield* Fiber.join(asked)
      assert.deepInclude(error, { _tag: "ControlError", reason: "Closed" })
      const late = yield* Effect.flip(session.control.setModel({ model: "other" }))
      assert.deepInclude(late, { _tag: "ControlError", reason: "Closed" })
    }))
})
