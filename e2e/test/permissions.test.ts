/** Permissions on a real CLI: who is asked, what is obeyed, and that nothing runs without a yes. */
import * as Permission from "@claude-duplex/session/Permission"
import * as PermissionPolicy from "@claude-duplex/session/PermissionPolicy"
import * as Session from "@claude-duplex/session/Session"
import type { CliOptions } from "@claude-duplex/transport-node/CliOptions"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Option, Ref, Stream } from "effect"
import { existsSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import * as Conversation from "../src/Conversation.js"
import * as Model from "../src/Model.js"
import * as World from "../src/World.js"

const { supports } = World.cli

/** A session whose model writes files, and where they would be. */
const writing = (
  options?: Session.Options,
  cliOptions?: CliOptions
) =>
  Effect.gen(function*() {
    const world = yield* World.make(Model.obedient)
    const session = yield* Conversation.open(world, options, cliOptions)
    const path = (name: string) => join(world.cwd, name)
    return {
      world,
      session,
      path,
      write: (name: string, content = "hello") => Model.call("Write", { file_path: path(name), content }),
      exists: (name: string) => existsSync(path(name)),
      content: (name: string) => readFileSync(path(name), "utf8")
    }
  })

/** A handler that notes what it was asked. */
const noting = (decide: Permission.Handler<unknown>) =>
  Effect.map(Ref.make<ReadonlyArray<Permission.Request>>([]), (asked) => ({
    asked: Ref.get(asked),
    onPermission: (request: Permission.Request) =>
      Effect.zipRight(Ref.update(asked, (all) => [...all, request]), decide(request))
  }))

describe("permissions", () => {
  it.scopedLive("are asked for, and an allowed tool runs", () =>
    Effect.gen(function*() {
      const { asked, onPermission } = yield* noting(() => Effect.succeed(Permission.allow()))
      const { content, path, session, write } = yield* writing({ onPermission })
      const result = yield* session.send(write("a"))
      assert.match(result.text, /^done: (?!error)/)
      assert.strictEqual(content("a"), "hello")
      const [request, ...others] = yield* asked
      assert.deepStrictEqual(others, [])
      assert.deepInclude(request, { toolName: "Write", input: { file_path: path("a"), content: "hello" } })
      assert.deepStrictEqual(result.permissionDenials, [])
      assert.deepStrictEqual(yield* session.permissions.get, [])
    }))

  it.scopedLive("denied: the tool does not run, and the model reads why", () =>
    Effect.gen(function*() {
      const { exists, session, write } = yield* writing({
        onPermission: () => Effect.succeed(Permission.deny("Not on a Friday."))
      })
      const result = yield* session.send(write("a"))
      assert.match(result.text, /^done: error: .*Not on a Friday\./)
      assert.isFalse(exists("a"))
      assert.strictEqual(result.outcome, "success")
      const denied = result.permissionDenials.map(({ tool_name }) => tool_name)
      assert.deepStrictEqual(denied, supports.permissionUpdates ? ["Write"] : [])
    }))

  it.scopedLive("with another input: that is what the tool runs with", () =>
    Effect.gen(function*() {
      const { content, exists, session, write } = yield* writing({
        onPermission: ({ input }) =>
          Effect.succeed(Permission.allow({
            updatedInput: { ...input, file_path: join(dirname(String(input["file_path"])), "b"), content: "bye" }
          }))
      })
      yield* session.send(write("a"))
      assert.strictEqual(content("b"), "bye")
      assert.isFalse(exists("a"))
    }))

  it.scopedLive("with the rules that the CLI suggests, if it does: it does not ask again", () =>
    Effect.gen(function*() {
      const { asked, onPermission } = yield* noting(({ suggestions }) =>
        Effect.succeed(Permission.allow({ updatedPermissions: suggestions }))
      )
      const { exists, session, write } = yield* writing({ onPermission })
      yield* session.send(write("a"))
      yield* session.send(write("b"))
      assert.deepStrictEqual([exists("a"), exists("b")], [true, true])
      const suggestions = (yield* asked).map((request) => request.suggestions.length > 0)
      assert.deepStrictEqual(suggestions, supports.permissionUpdates ? [true] : [false, false])
    }))

  it.scopedLive("deferred, and answered later by somebody else", () =>
    Effect.gen(function*() {
      const { content, session, write } = yield* writing({ onPermission: () => Effect.succeed(Permission.defer) })
      const somebodyElse = yield* Effect.fork(
        session.permissions.changes.pipe(
          Stream.filterMap(([first]) => Option.fromNullable(first)),
          Stream.runHead,
          Effect.flatMap(Option.match({
            onNone: () => Effect.dieMessage("The session ended"),
            onSome: (request) =>
              Effect.zip(session.status.get, session.respondToPermission(request.id, Permission.allow()))
          }))
        )
      )
      yield* session.send(write("a"))
      assert.strictEqual(content("a"), "hello")
      const [status] = yield* Fiber.join(somebodyElse)
      assert.strictEqual(status._tag, "WaitingForPermission")
      assert.deepStrictEqual(yield* session.permissions.get, [])
    }))

  it.scopedLive("withdrawn by an interrupt: the handler is stopped, and everybody is told", () =>
    Effect.gen(function*() {
      const asked = yield* Deferred.make<string>()
      const stopped = yield* Deferred.make<void>()
      const { exists, session, write } = yield* writing({
        onPermission: ({ id }) =>
          Deferred.succeed(asked, id).pipe(
            Effect.zipRight(Effect.never),
            Effect.onInterrupt(() => Deferred.succeed(stopped, undefined))
          )
      })
      const settled = yield* session.subscribe({ only: ["PermissionSettled"] })
      const turn = yield* session.start(write("a"))
      const id = yield* Deferred.await(asked)
      yield* turn.interrupt()
      // A CLI that takes nothing back waits for an answer. A yes would still be one to 1.0.60, for some tools.
      if (!supports.withdraws) yield* session.respondToPermission(id, Permission.deny("Too late."))
      const result = yield* turn.result
      assert.strictEqual(result.outcome, "interrupted")
      yield* Deferred.await(stopped)
      const [first] = yield* Stream.runCollect(Stream.take(settled, 1))
      assert.deepStrictEqual(first, {
        _tag: "PermissionSettled",
        id,
        how: supports.withdraws ? "Withdrawn" : "Answered"
      })
      const late = yield* Effect.flip(session.respondToPermission(id, Permission.allow()))
      assert.strictEqual(late._tag, "PermissionNotPending")
      assert.isFalse(exists("a"))
      assert.strictEqual((yield* session.send("still there?")).outcome, "success")
    }))

  it.scopedLive("denied with an interrupt: the turn ends as well, where the CLI knows of that", () =>
    Effect.gen(function*() {
      const { exists, session, write } = yield* writing({
        onPermission: () => Effect.succeed(Permission.deny("Stop.", { interrupt: true }))
      })
      const result = yield* session.send(write("a"))
      assert.strictEqual(result.outcome === "interrupted", supports.withdraws)
      if (!supports.withdraws) assert.strictEqual(result.text, "done: error: Stop.")
      assert.isFalse(exists("a"))
      assert.strictEqual((yield* session.send("still there?")).outcome, "success")
    }))

  const nobodys: Record<string, Pick<Session.Options, "onPermission" | "permissionTimeout">> = {
    "there is no handler": {},
    "the handler fails": { onPermission: () => Effect.fail("no idea") },
    "the handler throws": {
      onPermission: () => {
        throw new Error("broken")
      }
    },
    "the handler dies": { onPermission: () => Effect.die(new Error("broken")) },
    "the handler is interrupted": { onPermission: () => Effect.interrupt },
    "the handler takes too long": { onPermission: () => Effect.never, permissionTimeout: "50 millis" },
    "the handler answers nonsense": {
      // What a program without types might answer.
      onPermission: () => Effect.succeed("yes" as unknown as Permission.Decision)
    },
    "the handler answers as the wire does": {
      onPermission: ({ input }) =>
        Effect.succeed({ behavior: "allow", updatedInput: input } as unknown as Permission.Decision)
    },
    "the handler decides in a way that nobody knows": {
      onPermission: () => Effect.succeed({ _tag: "AllowForever" } as unknown as Permission.Decision)
    },
    "the handler allows another input, which is none": {
      onPermission: () => Effect.succeed({ _tag: "Allow", updatedInput: "a" } as unknown as Permission.Decision)
    }
  }
  for (const [why, options] of Object.entries(nobodys)) {
    it.scopedLive(`are denied when ${why}`, () =>
      Effect.gen(function*() {
        const { exists, session, write } = yield* writing(options)
        const result = yield* session.send(write("a"))
        assert.match(result.text, /^done: error: /)
        assert.isFalse(exists("a"))
      }))
  }

  it.scopedLive("are not given by an answer to a question of another session, or to one that nobody asked", () =>
    Effect.gen(function*() {
      const deferring = { onPermission: () => Effect.succeed(Permission.defer) }
      const mine = yield* writing(deferring)
      const world = yield* World.make(Model.obedient)
      // With the transport at hand, so that an answer can be forged that the session would not send.
      const transport = yield* World.transport(world, Conversation.cliOptions())
      const other = yield* Session.fromTransport(transport, deferring)
      const firstQuestion = (session: Session.Service) =>
        session.permissions.changes.pipe(
          Stream.filterMap(([first]) => Option.fromNullable(first)),
          Stream.runHead,
          Effect.map(Option.getOrThrow)
        )
      const turn = yield* mine.session.start(mine.write("a"))
      const path = join(world.cwd, "b")
      const others = yield* other.start(Model.call("Write", { file_path: path, content: "forged" }))
      const question = yield* firstQuestion(mine.session)
      const open = yield* firstQuestion(other)

      const refused = yield* Effect.flip(other.respondToPermission(question.id, Permission.allow()))
      assert.strictEqual(refused._tag, "PermissionNotPending")
      for (const request_id of [question.id, "made-up", ""]) {
        const response = { behavior: "allow", updatedInput: open.input }
        yield* transport.send(
          JSON.stringify({ type: "control_response", response: { subtype: "success", request_id, response } })
        )
      }
      yield* Conversation.isRead(other)
      assert.deepStrictEqual((yield* other.permissions.get).map(({ id }) => id), [open.id])
      yield* other.respondToPermission(open.id, Permission.deny("no"))
      yield* mine.session.respondToPermission(question.id, Permission.deny("no"))
      yield* Effect.zip(turn.result, others.result)
      assert.deepStrictEqual([mine.exists("a"), existsSync(path)], [false, false])
    }))

  it.scopedLive("are not given by an answer that the CLI cannot read", () =>
    Effect.gen(function*() {
      for (const response of [{ behavior: "perhaps" }, { behavior: ["allow"] }, { allow: true }, {}, null]) {
        const world = yield* World.make(Model.obedient)
        const transport = yield* World.transport(world, Conversation.cliOptions())
        const session = yield* Session.fromTransport(transport, {
          onPermission: ({ id: request_id }) =>
            // What the session itself would never write.
            Effect.zipRight(
              transport.send(
                JSON.stringify({ type: "control_response", response: { subtype: "success", request_id, response } })
              ),
              Effect.never
            )
        })
        const path = join(world.cwd, "a")
        yield* Effect.exit(session.send(Model.call("Write", { file_path: path, content: "hello" })))
        assert.isFalse(existsSync(path), JSON.stringify(response))
      }
    }))

  it.scopedLive("are asked for once, though the CLI names the question again", () =>
    Effect.gen(function*() {
      const { asked, onPermission } = yield* noting(() => Effect.succeed(Permission.defer))
      const { exists, session, write } = yield* writing({ onPermission })
      const turn = yield* session.start(write("a"))
      const question = yield* session.permissions.changes.pipe(
        Stream.filterMap(([first]) => Option.fromNullable(first)),
        Stream.runHead,
        Effect.map(Option.getOrThrow)
      )
      if (supports.initialize) yield* Effect.exit(session.reinitialize())
      assert.lengthOf(yield* asked, 1)
      assert.deepStrictEqual((yield* session.permissions.get).map(({ id }) => id), [question.id])
      yield* session.respondToPermission(question.id, Permission.deny("no"))
      yield* turn.result
      assert.isFalse(exists("a"))
    }))

  it.scopedLive("are decided by a policy, and what it leaves open by a person", () =>
    Effect.gen(function*() {
      const { asked, onPermission } = yield* noting(() => Effect.succeed(Permission.allow()))
      const { exists, session, write } = yield* writing({
        onPermission: PermissionPolicy.toHandler(
          PermissionPolicy.firstMatch(
            PermissionPolicy.denyWhen({ tool: "Write", input: { file_path: /secret/ }, message: "Secrets stay." }),
            PermissionPolicy.allowWhen({ tool: "Write", input: { content: "harmless" } }),
            PermissionPolicy.fromHandler(onPermission)
          )
        )
      })
      assert.match((yield* session.send(write("secret"))).text, /Secrets stay\./)
      yield* session.send(write("a", "harmless"))
      assert.deepStrictEqual(yield* asked, [])
      yield* session.send(write("b", "who knows"))
      assert.lengthOf(yield* asked, 1)
      assert.deepStrictEqual(["secret", "a", "b"].map(exists), [false, true, true])
    }))

  it.scopedLive("are never asked for in the mode bypassPermissions, and the session warns of it", () =>
    Effect.gen(function*() {
      const { asked, onPermission } = yield* noting(() => Effect.succeed(Permission.deny("no")))
      const { exists, session, write } = yield* writing({ onPermission }, { permissionMode: "bypassPermissions" })
      yield* session.send(write("a"))
      assert.isTrue(exists("a"))
      assert.deepStrictEqual(yield* asked, [])
      assert.include((yield* session.warnings).map(({ kind }) => kind), "HandlerNeverCalled")
    }))

  const hidden = JSON.stringify({ permissions: { defaultMode: "bypassPermissions" } })
  for (
    const extraArgs of [
      ["--permission-mode", "bypassPermissions"],
      ["--dangerously-skip-permissions"],
      ["--settings", hidden]
    ]
  ) {
    it.scopedLive(`are never bypassed by raw arguments without a word: ${extraArgs.join(" ")}`, () =>
      Effect.gen(function*() {
        const onPermission = () => Effect.succeed(Permission.deny("no"))
        const { session } = yield* writing({ onPermission }, { extraArgs })
        const sent = session.send("hello")
        if (extraArgs.includes("--settings") && !supports.settingsFlag) {
          assert.include((yield* Effect.flip(sent)).message, "unknown option '--settings'")
        } else yield* sent
        assert.include((yield* session.warnings).map(({ kind }) => kind), "BypassInExtraArgs")
      }))
  }
})
