/** The tool on the real CLI, offline: what its own tests show with fakes. */
import * as Script from "@claude-duplex/loopback-api/ApiScript"
import * as Reply from "@claude-duplex/loopback-api/Reply"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { spawn } from "node:child_process"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import * as World from "../src/World.js"

const tool = fileURLToPath(new URL("../../packages/cli/bin/claude-duplex.mjs", import.meta.url))

/** Runs the tool in a world of its own. */
const run = (world: World.World, args: ReadonlyArray<string>, input = "") =>
  Effect.async<{ readonly code: number | null; readonly output: string }>((resume) => {
    const child = spawn(process.execPath, [tool, ...args], { cwd: world.cwd, env: world.env })
    let output = ""
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (bytes: Buffer) => output += bytes.toString())
    child.on("close", (code) => resume(Effect.succeed({ code, output })))
    child.stdin.end(input)
    return Effect.sync(() => child.kill())
  })

it.scopedLive("doctor finds it well, or what is wrong with it", () =>
  Effect.gen(function*() {
    const world = yield* World.make(Script.always(Reply.text("unused")))
    const { code, output } = yield* run(world, ["doctor", "--claude", World.cli.executable])
    assert.include(output, `it is ${World.cli.version}`)
    if (!World.cli.supports.echoes) {
      // Too old for what a session tells it, and it says so.
      assert.strictEqual(code, 1, output)
      assert.include(output, "unknown option '--replay-user-messages'")
      return
    }
    assert.strictEqual(code, 0, output)
    assert.include(output, "one on loopback, offline")
  }))

it.scopedLive.skipIf(!World.cli.supports.partialMessages)(
  "chat talks to it through record, and the recording passes check",
  () =>
    Effect.gen(function*() {
      const world = yield* World.make(Script.always(Reply.text("There you are.")))
      const shim = join(world.home, "claude-recorded")
      const out = join(world.home, "session.jsonl")
      yield* run(world, ["record", "--out", out, "--shim", shim, "--", World.cli.executable])
      // The version is asked for as well, and that is a process too: it comes first, or second.
      const { code, output } = yield* run(world, ["chat", "--claude", shim], "hello\nagain\n")
      assert.strictEqual(code, 0, output)
      assert.strictEqual(output.split("There you are.").length, 3, output)
      if (World.cli.supports.requests.has("get_context_usage")) assert.match(output, /context \d+%/)
      const checked = yield* run(world, ["check", out, join(world.home, "session-2.jsonl")])
      assert.include(checked.output, "2 turns")
    })
)
