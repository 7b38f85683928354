/**
 * Permissions fail closed: whatever goes wrong between the CLI's question and the host's answer, the CLI never reads an
 * allow that nobody gave, for exactly this question, while it was open. What the real CLI does then is in `e2e`.
 */
import type { HostFrame } from "@claude-duplex/protocol/Frame"
import * as Permission from "@claude-duplex/session/Permission"
import * as Session from "@claude-duplex/session/Session"
import * as MockConnector from "@claude-duplex/transport-mock/MockConnector"
import type { Behaviour } from "@claude-duplex/transport-mock/Peer"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Option, Schedule, TestClock } from "effect"
import { wire } from "./support/handmadeCli.js"
import { canUseTool, init, session } from "./support/sessions.js"

/** Answers of the host's to the CLI's questions: the question, and what it was answered. */
type Answers = Array<readonly [id: string, answer: string]>

const answerOf = (frame: HostFrame): ReadonlyArray<readonly [string, string]> => {
  if (frame.type !== "control_response") return []
  const { response } = frame
  return [[response.request_id, response.subtype === "error" ? "error" : String(response.response?.["behavior"])]]
}

/** A CLI that says these frames when it hears the first message, and notes how its questions are answered. */
const asking = (answers: Answers, ...frames: ReadonlyArray<object>): Behaviour => (peer) =>
  Effect.gen(function*() {
    const { hear, say } = wire(peer)
    for (;;) {
      const frame = yield* hear
      if (Option.isNone(frame)) return
      answers.push(...answerOf(frame.value))
      if (frame.value.type === "user") yield* Effect.forEach([init, ...frames], say, { discard: true })
    }
  })

const withdrawal = (id: string) => ({ type: "control_cancel_request", request_id: id })

/** What a program without types might do. */
const untyped = (value: unknown) => value as Permission.Decision
const untypedAnswer = (value: unknown) => value as Permission.Deny
const untypedEffect = (value: unknown) => value as Effect.Effect<Permission.Decision>

const cyclic: Record<string, unknown> = {}
cyclic["itself"] = cyclic

describe("a handler that does not decide has denied", () => {
  const handlers: Record<string, Permission.Handler<unknown> | undefined> = {
    "is not there": undefined,
    "fails": () => Effect.fail("boom"),
    "dies": () => Effect.die(new Error("boom")),
    "throws": () => {
      throw new Error("boom")
    },
    "interrupts itself": () => Effect.interrupt,
    "is interrupted by somebody else": () =>
      Effect.flatMap(Effect.fork(Effect.never), (fiber) => Effect.zipRight(Fiber.interrupt(fiber), Fiber.join(fiber))),
    "fails while it cleans up": () =>
      Effect.ensuring(Effect.succeed(Permission.allow()), Effect.die(new Error("boom"))),
    "takes too long": () => Effect.never,
    "takes too long, and cannot be stopped": () =>
      Effect.uninterruptible(Effect.as(Effect.sleep("1 day"), Permission.allow())),
    "takes too long, and allows when it is stopped": () =>
      Effect.onInterrupt(Effect.never, () => Effect.succeed(Permission.allow())),
    "returns no effect": () => untypedEffect(Permission.allow()),
    "returns a promise": () => untypedEffect(Promise.resolve(Permission.allow())),
    "returns nothing": () => untypedEffect(undefined)
  }
  for (const [name, onPermission] of Object.entries(handlers)) {
    it.scoped(`one that ${name}`, () =>
      Effect.gen(function*() {
        const answers: Answers = []
        const s = yield* session(asking(answers, canUseTool("p")), { onPermission, permissionTimeout: "1 minute" })
        yield* s.start("go")
        yield* TestClock.adjust("1 minute")
        assert.deepStrictEqual(answers, [["p", "deny"]])
        assert.deepStrictEqual(yield* s.permissions.get, [])
      }))
  }
})

describe("what is no decision never allows", () => {
  const nonsense: Record<string, unknown> = {
    "nothing": undefined,
    "null": null,
    "true": true,
    "a word": "allow",
    "a list": [Permission.allow()],
    "a function": () => Permission.allow(),
    "an object": {},
    "a decision as the wire has it": { behavior: "allow", updatedInput: { command: "ls" } },
    "another case": { _tag: "allow" },
    "an unknown decision": { _tag: "AllowForever" },
    "a list of words for a tag": { _tag: ["Allow"] },
    "an allow with a word for an input": { _tag: "Allow", updatedInput: "ls" },
    "an allow with a list for an input": { _tag: "Allow", updatedInput: ["ls"] },
    "an allow with null for an input": { _tag: "Allow", updatedInput: null },
    "an allow with an input that contains itself": { _tag: "Allow", updatedInput: cyclic },
    "an allow with an input that is no JSON": { _tag: "Allow", updatedInput: { size: 1n } },
    "an allow with rules that are none": { _tag: "Allow", updatedPermissions: "all of them" },
    "a deny without a message": { _tag: "Deny" },
    "a deny with an object for a message": { _tag: "Deny", message: {} }
  }
  for (const [name, value] of Object.entries(nonsense)) {
    it.scoped(`${name}: from a handler, or from elsewhere`, () =>
      Effect.gen(function*() {
        const answers: Answers = []
        const s = yield* session(asking(answers, canUseTool("handled"), canUseTool("deferred")), {
          onPermission: ({ id }) => Effect.succeed(id === "handled" ? untyped(value) : Permission.defer)
        })
        yield* s.start("go")
        yield* TestClock.adjust(0)
        const refused = yield* Effect.flip(s.respondToPermission("deferred", untypedAnswer(value)))
        assert.strictEqual(refused._tag, "EncodeError")
        yield* TestClock.adjust(0)
        assert.deepStrictEqual(answers.map(([id]) => id), ["handled"])
        for (const [, answer] of answers) assert.oneOf(answer, ["deny", "error"])
        // Whoever gave it can do better.
        assert.deepStrictEqual((yield* s.permissions.get).map(({ id }) => id), ["deferred"])
        yield* s.respondToPermission("deferred", Permission.deny("no"))
        yield* TestClock.adjust(0)
        assert.deepStrictEqual(answers.at(-1), ["deferred", "deny"])
      }))
  }
})

describe("an answer is for one question, while it is open", () => {
  it.scoped("a question that comes twice is asked and answered once, with what was asked first", () =>
    Effect.gen(function*() {
      const answers: Answers = []
      const asked: Array<unknown> = []
      const again = { ...canUseTool("p").request, input: { command: "rm -rf /" } }
      const s = yield* session(
        asking(
          answers,
          canUseTool("p"),
          { ...canUseTool("p"), request: again },
          canUseTool("end")
        ),
        {
          onPermission: ({ id, input }) => {
            asked.push(input)
            return Effect.succeed(id === "end" ? Permission.deny("no") : Permission.allow())
          }
        }
      )
      yield* s.start("go")
      yield* TestClock.adjust(0)
      assert.deepStrictEqual(answers, [["p", "allow"], ["end", "deny"]])
      assert.deepStrictEqual(asked, [{ command: "ls" }, { command: "ls" }])
    }))

  it.scoped("one that comes again after it was answered is not answered again", () =>
    Effect.gen(function*() {
      const answers: Answers = []
      const s = yield* session(asking(answers, canUseTool("p")), {
        onPermission: () => Effect.succeed(Permission.allow())
      })
      yield* s.start("go")
      yield* TestClock.adjust(0)
      yield* s.start("go on", { whenBusy: "steer" })
      yield* TestClock.adjust(0)
      assert.deepStrictEqual(answers, [["p", "allow"]])
    }))

  it.scoped("after it was withdrawn, neither a handler nor anybody else can answer it", () =>
    Effect.gen(function*() {
      const answers: Answers = []
      const gate = yield* Deferred.make<void>()
      const s = yield* session(asking(answers, canUseTool("p"), withdrawal("p")), {
        // It does not even stop when it is told to.
        onPermission: () => Effect.uninterruptible(Effect.as(Deferred.await(gate), Permission.allow()))
      })
      yield* s.start("go")
      yield* TestClock.adjust(0)
      assert.strictEqual(
        (yield* Effect.flip(s.respondToPermission("p", Permission.allow())))._tag,
        "PermissionNotPending"
      )
      yield* Deferred.succeed(gate, undefined)
      yield* TestClock.adjust(0)
      assert.deepStrictEqual(answers, [])
    }))

  it.scoped("an id of another session's question answers nothing in this one, nor there", () =>
    Effect.gen(function*() {
      const [here, there]: readonly [Answers, Answers] = [[], []]
      const deferring = { onPermission: () => Effect.succeed(Permission.defer) }
      const a = yield* session(asking(here, canUseTool("a")), deferring)
      const b = yield* session(asking(there, canUseTool("b")), deferring)
      yield* Effect.zip(a.start("go"), b.start("go"))
      yield* TestClock.adjust(0)
      for (const id of ["b", "", "A", "a ", "__proto__", "constructor"]) {
        assert.strictEqual(
          (yield* Effect.flip(a.respondToPermission(id, Permission.allow())))._tag,
          "PermissionNotPending"
        )
      }
      yield* TestClock.adjust(0)
      assert.deepStrictEqual([here, there], [[], []])
      assert.deepStrictEqual((yield* b.permissions.get).map(({ id }) => id), ["b"])
    }))

  it.scoped("an answer to a CLI that is gone is not taken by the one that follows, though its question has the same id", () =>
    Effect.gen(function*() {
      const answers: Answers = []
      const gate = yield* Deferred.make<void>()
      const first: Behaviour = (peer) =>
        Effect.gen(function*() {
          const { hear, say } = wire(peer)
          yield* hear
          yield* Effect.forEach([init, canUseTool("p")], say)
          yield* Effect.sleep("1 second")
          yield* peer.exit({ _tag: "Exited", code: 1 })
        })
      const connector = yield* MockConnector.sequence([first, asking(answers, canUseTool("p"))])
      let handled = 0
      const s = yield* Session.fromConnector(connector, {
        initialization: "skip",
        restart: Schedule.recurs(1),
        onPermission: () =>
          ++handled === 1
            ? Effect.uninterruptible(Effect.as(Deferred.await(gate), Permission.allow()))
            : Effect.succeed(Permission.defer)
      })
      yield* s.start("go")
      yield* TestClock.adjust("1 second")
      yield* s.start("go")
      yield* TestClock.adjust(0)
      assert.deepStrictEqual((yield* s.permissions.get).map(({ id }) => id), ["p"])
      yield* Deferred.succeed(gate, undefined)
      yield* TestClock.adjust(0)
      assert.deepStrictEqual(answers, [])
      yield* s.respondToPermission("p", Permission.deny("no"))
      yield* TestClock.adjust(0)
      assert.deepStrictEqual(answers, [["p", "deny"]])
    }))
})

describe("a bypass is never had without a word", () => {
  const kinds = (mode: string, options: Session.Options) =>
    Effect.gen(function*() {
      const s = yield* session(
        (peer) => Effect.zipRight(wire(peer).say({ ...init, permissionMode: mode }), Effect.never),
        options
      )
      yield* TestClock.adjust(0)
      return (yield* s.warnings).map(({ kind }) => kind)
    })

  it.scoped("a session that finds itself in `bypassPermissions` warns, wherever that came from", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* kinds("bypassPermissions", {}), ["PermissionsBypassed"])
      const onPermission = () => Effect.succeed(Permission.deny("no"))
      assert.deepStrictEqual(yield* kinds("bypassPermissions", { onPermission }), ["HandlerNeverCalled"])
      assert.deepStrictEqual(yield* kinds("default", { onPermission }), [])
    }))
})
