/**
 * Hooks of the host's on a real CLI: which events there are is held against `Versions.ts`, in both directions; then what a
 * hook may do to what it is told of. A CLI without `initialize` cannot have any, and the session says so.
 */
import { HookEvent } from "@claude-duplex/protocol/schema/HookCallback"
import * as Hook from "@claude-duplex/session/Hook"
import * as HookAnswer from "@claude-duplex/session/HookAnswer"
import * as Permission from "@claude-duplex/session/Permission"
import type * as Session from "@claude-duplex/session/Session"
import type { CliOptions } from "@claude-duplex/transport-node/CliOptions"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Option } from "effect"
import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Conversation from "../src/Conversation.js"
import * as Model from "../src/Model.js"
import * as StdioServer from "../src/StdioServer.js"
import * as World from "../src/World.js"

const { supports } = World.cli

const touch = (name: string) => Model.call("Bash", { command: `touch ${name}`, description: "make a file" })

/** A session with these hooks; and whether a file is there. */
const hooked = (hooks: ReadonlyArray<Hook.Hook>, options?: Session.Options, cli?: CliOptions) =>
  Effect.gen(function*() {
    const world = yield* World.make(Model.obedient)
    const session = yield* Conversation.open(world, { ...options, hooks }, cli)
    return { world, session, exists: (name: string) => existsSync(join(world.cwd, name)) }
  })

/** The same, where no tool needs a question. */
const trusted = (...hooks: ReadonlyArray<Hook.Hook>) => hooked(hooks, {}, { allowedTools: ["Bash"] })

/** What the model was told by the last request that had this text in it. */
const told = (world: World.World, text: string) =>
  Effect.map(Conversation.requestsAbout(world, text), (all) => JSON.stringify(all.at(-1)?.body.messages ?? []))

/**
 * All that can be provoked offline, one after the other; what a CLI does not know of it does nothing there. The others need
 * what there is not here: a terminal, a team, a classifier, or an interactive session that watches its files.
 */
const provoke = (session: Session.Service, world: World.World) =>
  Effect.gen(function*() {
    const say = (prompt: string) => session.send(prompt, { whenBusy: "queue" })
    yield* say(touch("made"))
    yield* say(Model.call("Bash", { command: "exit 3" }))
    yield* say(Model.call("Read", { file_path: join(world.cwd, "sub", "note.txt") }))
    yield* say(Model.call("mcp__notes__ask", {}))
    yield* say(Model.call("Task", { subagent_type: "general-purpose", description: "ask", prompt: "from inside" }))
    yield* say(Model.call("TaskCreate", { subject: "one", description: "one", activeForm: "doing one" }))
    yield* say(Model.call("TaskUpdate", { taskId: "1", status: "completed" }))
    yield* say(Model.call("EnterWorktree", { name: "tree" }))
    yield* say(Model.call("ExitWorktree", { action: "remove" }))
    yield* say("/mine")
    yield* session.control.setModel({ model: "claude-haiku-4-5" })
    yield* say("FAIL 400")
    yield* say("/compact")
    yield* say("/clear")
    yield* say("goodbye")
  })

describe.runIf(supports.initialize)("hooks", () => {
  it.scopedLive("are called for the events that are written of this version, and for no other", () =>
    Effect.gen(function*() {
      const world = yield* World.make(Model.obedient)
      const seen = new Set<HookEvent>()
      mkdirSync(join(world.cwd, ".claude", "commands"), { recursive: true })
      writeFileSync(join(world.cwd, ".claude", "commands", "mine.md"), "say mine\n")
      // Those of a folder are loaded with the first file that is read there, when hooks are there for sure.
      mkdirSync(join(world.cwd, "sub"))
      writeFileSync(join(world.cwd, "sub", "CLAUDE.md"), "Be kind.\n")
      writeFileSync(join(world.cwd, "sub", "note.txt"), "hello\n")
      const tree = join(world.home, "tree")
      mkdirSync(tree)
      const note = (event: HookEvent) => Effect.sync(() => (seen.add(event), HookAnswer.proceed))
      const session = yield* Conversation.open(
        world,
        {
          settleTime: "500 millis",
          onPermission: () => Effect.succeed(Permission.allow()),
          onElicitation: () => Effect.succeed({ action: "accept" as const, content: { name: "dev" } }),
          hooks: HookEvent.literals.map((event) =>
            event === "WorktreeCreate"
              ? Hook.on(event, () =>
                Effect.as(note(event), HookAnswer.specific("WorktreeCreate", { worktreePath: tree })))
              : Hook.on(event, () =>
                note(event))
          )
        },
        { mcpServers: { notes: StdioServer.make(world) } },
        { CLAUDE_CODE_MAX_RETRIES: "0", CLAUDE_CODE_TMPDIR: world.home, CLAUDE_CODE_ENABLE_TASKS: "1" }
      )
      yield* provoke(session, world)
      yield* session.close
      assert.deepStrictEqual([...seen].toSorted(), [...supports.hookEvents].toSorted())
    }))

  it.scopedLive("before a tool: deny it, and the model reads why", () =>
    Effect.gen(function*() {
      const { exists, session } = yield* trusted(
        Hook.on("PreToolUse", ({ tool_name }) => Effect.succeed(HookAnswer.denyTool(`No ${tool_name} on a Friday.`)))
      )
      const { text } = yield* session.send(touch("a"))
      assert.match(text, /^done: error: [^]*No Bash on a Friday\./)
      assert.isFalse(exists("a"))
    }))

  it.scopedLive("before a tool: allow it, and nobody is asked", () =>
    Effect.gen(function*() {
      const { exists, session } = yield* hooked(
        [Hook.on("PreToolUse", () => Effect.succeed(HookAnswer.allowTool("harmless")))],
        { onPermission: () => Effect.succeed(Permission.deny("asked after all")) }
      )
      assert.match((yield* session.send(touch("a"))).text, /^done: (?!error)/)
      assert.isTrue(exists("a"))
    }))

  it.scopedLive("before a tool: ask, even if a rule would allow it, where the CLI puts hooks first", () =>
    Effect.gen(function*() {
      const asked: Array<string> = []
      const { exists, session } = yield* hooked(
        [Hook.on("PreToolUse", () => Effect.succeed(HookAnswer.askAboutTool("Sure?")))],
        { onPermission: ({ toolName }) => Effect.sync(() => (asked.push(toolName), Permission.deny("no"))) },
        { allowedTools: ["Bash"] }
      )
      yield* session.send(touch("a"))
      assert.deepStrictEqual([asked, exists("a")], supports.hooksOutrankRules ? [["Bash"], false] : [[], true])
    }))

  it.scopedLive("before a tool: change what it runs with, where the CLI takes that", () =>
    Effect.gen(function*() {
      const { exists, session } = yield* trusted(
        Hook.on("PreToolUse", () =>
          Effect.succeed(HookAnswer.allowTool("elsewhere", { updatedInput: { command: "touch b" } })))
      )
      yield* session.send(touch("a"))
      assert.strictEqual(exists("b"), supports.hooksChangeInput)
      assert.strictEqual(exists("a"), !supports.hooksChangeInput)
    }))

  it.scopedLive("for one tool only, as the matcher says; and each is told of its own call", () =>
    Effect.gen(function*() {
      const told: Array<string> = []
      const { session, world } = yield* trusted(
        Hook.on("PreToolUse", (input, { toolUseId }) =>
          Effect.sync(() => {
            // Up to 2.0.0 the call has its id beside the input only.
            const isItsOwn = toolUseId !== undefined && [undefined, toolUseId].includes(input.tool_use_id)
            told.push(`${input.tool_name} ${input.cwd === world.cwd} ${isItsOwn}`)
            return HookAnswer.proceed
          }), { matcher: "Bash" })
      )
      yield* session.send(Model.call("Read", { file_path: join(world.cwd, "none") }))
      assert.deepStrictEqual(told, [])
      yield* session.send(touch("a"))
      assert.deepStrictEqual(told, ["Bash true true"])
    }))

  it.scopedLive("after a tool: tell the model something, or that it was not well", () =>
    Effect.gen(function*() {
      const { session, world } = yield* trusted(
        Hook.on("PostToolUse", ({ tool_input }) =>
          Effect.succeed(
            JSON.stringify(tool_input).includes("touch a")
              ? HookAnswer.addContext("PostToolUse", "The heron is grey.")
              : HookAnswer.block("The bittern is not.")
          ))
      )
      yield* session.send(touch("a"))
      assert.include(yield* told(world, "touch a"), "The heron is grey.")
      yield* session.send(touch("b"))
      assert.include(yield* told(world, "touch b"), "The bittern is not.")
    }))

  it.scopedLive("after a tool: give the model another output, where the CLI takes that", () =>
    Effect.gen(function*() {
      const { session } = yield* trusted(
        Hook.on("PostToolUse", ({ tool_response }) =>
          Effect.succeed(HookAnswer.replaceToolOutput({ ...Object(tool_response), stdout: "(removed)" })))
      )
      const { text } = yield* session.send(Model.call("Bash", { command: "echo secret" }))
      assert.strictEqual(text, supports.hooksChangeOutput ? "done: (removed)" : "done: secret")
    }))

  it.scopedLive("with a prompt: keep it from the model, or add to it", () =>
    Effect.gen(function*() {
      const { session, world } = yield* trusted(
        Hook.on("UserPromptSubmit", ({ prompt }) =>
          Effect.succeed(
            prompt.includes("secret")
              ? HookAnswer.block("Secrets stay.")
              : HookAnswer.addContext("UserPromptSubmit", "It is Friday.")
          ))
      )
      const { outcome, text } = yield* session.send("a secret")
      assert.strictEqual(outcome, "success")
      // Older CLIs end the turn in silence.
      if (supports.lifecycle) assert.include(text, "Secrets stay.")
      assert.isEmpty(yield* Conversation.requestsAbout(world, "a secret"))
      yield* session.send("hello")
      assert.include(yield* told(world, "hello"), "It is Friday.")
    }))

  it.scopedLive("when the model stops: have it go on, once", () =>
    Effect.gen(function*() {
      const { session, world } = yield* trusted(
        Hook.on("Stop", ({ stop_hook_active }) =>
          Effect.succeed(stop_hook_active ? HookAnswer.proceed : HookAnswer.block("Count the herons first.")))
      )
      const { outcome, text } = yield* session.send("hello")
      assert.strictEqual(outcome, "success")
      assert.match(text, /^echo: [^]*Count the herons first\.$/)
      assert.lengthOf(yield* Conversation.requestsAbout(world, "hello"), 2)
    }))

  it.scopedLive("wherever: end the turn, and say why", () =>
    Effect.gen(function*() {
      const { session, world } = yield* trusted(
        Hook.on("PostToolUse", () => Effect.succeed(HookAnswer.stop("The budget is spent.")))
      )
      const { outcome, text } = yield* session.send(touch("a"))
      // The model is not asked about what the tool gave.
      assert.lengthOf(yield* Conversation.requestsAbout(world, "touch a"), 1)
      assert.deepStrictEqual({ outcome, text }, { outcome: "success", text: "" })
      assert.strictEqual((yield* session.send("next")).text, "echo: next")
    }))

  it.scopedLive.runIf(supports.hookEvents.has("PermissionRequest"))(
    "before a question: answer it",
    () =>
      Effect.gen(function*() {
        const { exists, session } = yield* hooked(
          [Hook.on("PermissionRequest", ({ tool_input }) =>
            Effect.succeed(HookAnswer.decidePermission(
              JSON.stringify(tool_input).includes("touch a") ? Permission.allow() : Permission.deny("Not b.")
            )))],
          { onPermission: () => Effect.never }
        )
        yield* session.send(touch("a"))
        const { text } = yield* session.send(touch("b"))
        assert.include(text, "Not b.")
        assert.deepStrictEqual([exists("a"), exists("b")], [true, false])
      })
  )

  it.scopedLive("in the background: the CLI does not wait, and the hook lives as long as the session", () =>
    Effect.gen(function*() {
      const called = yield* Deferred.make<string>()
      const ended = yield* Deferred.make<void>()
      const hook = Hook.background("PreToolUse", ({ tool_name }) =>
        Deferred.succeed(called, tool_name).pipe(
          Effect.zipRight(Effect.never),
          Effect.onInterrupt(() => Deferred.succeed(ended, undefined))
        ))
      yield* Effect.scoped(Effect.gen(function*() {
        const { exists, session } = yield* trusted(hook)
        yield* session.send(touch("a"))
        assert.isTrue(exists("a"))
        assert.strictEqual(yield* Deferred.await(called), "Bash")
        assert.isFalse(yield* Deferred.isDone(ended))
      }))
      assert.isTrue(yield* Deferred.isDone(ended))
    }))

  for (const onFailure of ["continue", "block"] as const) {
    it.scopedLive(`that fails, and should ${onFailure}: a CLI that does not know of that goes on`, () =>
      Effect.gen(function*() {
        const { exists, session } = yield* trusted(
          Hook.on("PreToolUse", () => Effect.fail("broken"), { onFailure })
        )
        const { text } = yield* session.send(touch("a"))
        const { hook_on_failure_supported: isKnown = false } = Option.getOrThrow(yield* session.initialized)
        assert.strictEqual(isKnown, supports.hooksBlockOnFailure)
        const isBlocked = onFailure === "block" && isKnown
        assert.strictEqual(exists("a"), !isBlocked)
        assert.strictEqual(text.startsWith("done: error: "), isBlocked)
      }))
  }

  it.scopedLive("that takes too long is stopped by the CLI, where it does that", () =>
    Effect.gen(function*() {
      const called = yield* Deferred.make<void>()
      const ended = yield* Deferred.make<void>()
      const { exists, session } = yield* trusted(
        Hook.on(
          "PreToolUse",
          () =>
            Deferred.succeed(called, undefined).pipe(
              Effect.zipRight(Effect.never),
              Effect.onInterrupt(() => Deferred.succeed(ended, undefined))
            ),
          { timeout: "1 second" }
        )
      )
      const turn = yield* session.start(touch("a"))
      yield* Deferred.await(called)
      // A CLI that waits for ever is told to stop.
      if (supports.lateHooks === "waits") yield* session.interrupt()
      const { outcome } = yield* turn.result
      assert.strictEqual(outcome === "interrupted", supports.lateHooks === "waits")
      assert.strictEqual(exists("a"), supports.lateHooks === "goes on")
      yield* Deferred.await(ended)
      assert.strictEqual((yield* session.send("next")).text, "echo: next")
    }))

  it.scopedLive("that runs when its turn is interrupted is stopped", () =>
    Effect.gen(function*() {
      const called = yield* Deferred.make<void>()
      const ended = yield* Deferred.make<void>()
      const { exists, session } = yield* trusted(
        Hook.on("PreToolUse", () =>
          Deferred.succeed(called, undefined).pipe(
            Effect.zipRight(Effect.never),
            Effect.onInterrupt(() => Deferred.succeed(ended, undefined))
          ))
      )
      const turn = yield* session.start(touch("a"))
      yield* Deferred.await(called)
      yield* session.interrupt()
      assert.strictEqual((yield* turn.result).outcome, "interrupted")
      yield* Deferred.await(ended)
      assert.isFalse(exists("a"))
      assert.strictEqual((yield* session.send("next")).text, "echo: next")
    }))
})

describe.runIf(!supports.initialize)("hooks", () => {
  it.scopedLive("on a CLI that has none: the session does not begin, and says why", () =>
    Effect.gen(function*() {
      const world = yield* World.make(Model.obedient)
      const hooks = [Hook.on("PreToolUse", () => Effect.succeed(HookAnswer.proceed))]
      const error = yield* Effect.flip(Conversation.open(world, { hooks, requestTimeout: "5 seconds" }))
      assert.deepInclude(error, { _tag: "ControlError", reason: "Timeout", subtype: "initialize" })
      assert.include(error.message, "CLIs before 2.1.50 do not answer requests")
    }))
})
