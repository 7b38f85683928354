/** Interrupts, messages that are given up, and the end of the input: where one must not be taken for another. */
import * as McpServer from "@claude-duplex/mcp/McpServer"
import * as HostRequest from "@claude-duplex/protocol/schema/HostRequest"
import * as Permission from "@claude-duplex/session/Permission"
import * as Script from "@claude-duplex/transport-mock/Script"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Either, Exit, Fiber, Option, Scope, TestClock } from "effect"
import { aborted, heard, lifecycle, resultOf, settle, soon } from "./support/handmadeCli.js"
import { canUseTool, init, result, session } from "./support/sessions.js"

describe("stopping", () => {
  it.effect("an interrupt under way ends with the session, as a typed error", () =>
    Effect.gen(function*() {
      const scope = yield* Scope.make()
      const s = yield* Scope.extend(session(() => Effect.never), scope)
      yield* s.start("a")
      const stopped = yield* Effect.fork(Effect.flip(s.interrupt()))
      yield* settle
      yield* Scope.close(scope, Exit.void)
      assert.strictEqual((yield* soon(Fiber.join(stopped))).reason, "Closed")
    }))
  it.effect("an interrupt after the end fails at once", () =>
    Effect.gen(function*() {
      const scope = yield* Scope.make()
      const s = yield* Scope.extend(session(() => Effect.never), scope)
      yield* Scope.close(scope, Exit.void)
      assert.strictEqual((yield* soon(Effect.flip(s.interrupt()))).reason, "Closed")
    }))
  it.scoped("a message that is given up in the queue, and merged all the same, takes nobody along", () =>
    Effect.gen(function*() {
      const { behaviour, words } = heard(({ answer, hear, message, say }) =>
        Effect.gen(function*() {
          const a = yield* message
          yield* say(lifecycle(a.uuid, "started"))
          yield* say(init)
          const b = yield* message
          yield* say(lifecycle(b.uuid, "queued"))
          const c = yield* message
          yield* say(lifecycle(c.uuid, "queued"))
          yield* Effect.sleep("1 second")
          yield* say(resultOf("a", a))
          // Both have begun when the CLI reads that b is given up.
          yield* say(lifecycle(b.uuid, "started"))
          yield* say(lifecycle(c.uuid, "started"))
          yield* say({ ...init, user_message_uuids: [b.uuid, c.uuid] })
          yield* answer(yield* hear, { cancelled: false })
          yield* Effect.sleep("1 second")
          yield* say(resultOf("both", b, c))
        })
      )
      const s = yield* session(behaviour)
      yield* s.start("a")
      yield* settle
      const b = yield* Effect.fork(s.send("b", { whenBusy: "steer" }))
      yield* settle
      const c = yield* s.start("c", { whenBusy: "steer" })
      yield* settle
      yield* Fiber.interrupt(b)
      yield* TestClock.adjust("2 seconds")
      assert.strictEqual((yield* soon(c.result)).text, "both")
      yield* settle
      assert.deepStrictEqual(words, ["user", "user", "user", "cancel_async_message"])
    }))
  it.scoped("nor does one on a CLI that says nothing of its queue (2.1.143)", () =>
    Effect.gen(function*() {
      const old = { ...init, claude_code_version: "2.1.143" }
      const bare = (text: string) => {
        const { user_message_uuids: _, ...rest } = result(text)
        return rest
      }
      const { behaviour, words } = heard(({ message, say }) =>
        Effect.gen(function*() {
          yield* message
          yield* say(old)
          yield* message
          yield* message
          yield* Effect.sleep("1 second")
          yield* say(bare("a"))
          yield* say(old)
          yield* Effect.sleep("1 second")
          yield* say(bare("both"))
        })
      )
      const s = yield* session(behaviour)
      yield* s.start("a")
      const b = yield* Effect.fork(s.send("b", { whenBusy: "steer" }))
      yield* settle
      const c = yield* s.start("c", { whenBusy: "steer" })
      yield* settle
      yield* Fiber.interrupt(b)
      yield* TestClock.adjust("2 seconds")
      assert.strictEqual((yield* soon(c.result)).text, "both")
      yield* settle
      assert.deepStrictEqual(words, ["user", "user", "user"])
    }))
  it.scoped("the timeout of one does not interrupt the turn that it shares", () =>
    Effect.gen(function*() {
      const { behaviour, words } = heard(({ message, say }) =>
        Effect.gen(function*() {
          const a = yield* message
          const b = yield* message
          yield* say({ ...init, user_message_uuids: [a.uuid, b.uuid] })
          yield* Effect.sleep("10 seconds")
          yield* say(resultOf("both", a, b))
        })
      )
      const s = yield* session(behaviour)
      yield* s.start("a", { timeout: "1 second" })
      const b = yield* s.start("b", { whenBusy: "steer" })
      yield* settle
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual((yield* soon(b.result)).text, "both")
      assert.deepStrictEqual(words, ["user", "user"])
    }))
  it.scoped("an interrupt of the next turn is not taken for the one of the last, whose receipt is late", () =>
    Effect.gen(function*() {
      const { behaviour, words } = heard(({ answer, hear, message, say }) =>
        Effect.gen(function*() {
          const a = yield* message
          yield* say(init)
          const asked = yield* hear
          // The result first, then the receipt: either may come first.
          yield* say(aborted(a.uuid))
          const b = yield* message
          yield* say({ ...init, user_message_uuids: [b.uuid] })
          yield* Effect.sleep("1 second")
          yield* answer(asked, { still_queued: [] })
          yield* answer(yield* hear, { still_queued: [] })
          yield* say(aborted(b.uuid))
        })
      )
      const s = yield* session(behaviour)
      const a = yield* s.start("a")
      yield* settle
      yield* Effect.fork(s.interrupt())
      assert.strictEqual((yield* soon(a.result)).outcome, "interrupted")
      const b = yield* s.start("b")
      yield* settle
      const stopping = yield* Effect.fork(b.interrupt())
      yield* settle
      yield* TestClock.adjust("1 second")
      yield* soon(Fiber.join(stopping))
      assert.deepStrictEqual(words, ["user", "interrupt", "user", "interrupt"])
      assert.strictEqual((yield* soon(b.result)).outcome, "interrupted")
    }))
  it.scoped("a message that is held when the input is ended by force is told that it was not sent", () =>
    Effect.gen(function*() {
      const s = yield* session(Script.behaviour(Script.make(
        Script.expect({ type: "user" }),
        Script.reply(init),
        Script.delay("1 second"),
        Script.reply(result("a")),
        Script.expectEnd()
      )))
      yield* s.start("a")
      const b = yield* s.start("b", { whenBusy: "queue" })
      yield* settle
      yield* s.endInput({ force: true })
      yield* TestClock.adjust("1 second")
      const error = yield* soon(Effect.flip(b.result))
      yield* soon(s.transport.outcome)
      assert.deepStrictEqual(error._tag === "SessionClosed" && error.unsent, true)
    }))
  it("an answer of the CLI is the same object, with what is not known of it", () => {
    const response = { mcpServers: [], of_next_year: 1 }
    assert.strictEqual<unknown>(Either.getOrThrow(HostRequest.decodeResponse("mcp_status", response)), response)
  })
  it.scoped("an interrupt that also drops the queue is another one", () =>
    Effect.gen(function*() {
      const asked: Array<unknown> = []
      const { behaviour } = heard(({ hear, message, say }) =>
        Effect.gen(function*() {
          yield* message
          yield* say(init)
          return yield* Effect.forever(
            Effect.map(hear, (frame) => asked.push(frame.type === "control_request" && frame.request))
          )
        })
      )
      const s = yield* session(behaviour)
      yield* s.start("a")
      yield* settle
      yield* Effect.fork(s.interrupt())
      yield* settle
      yield* Effect.fork(s.interrupt({ cancelQueued: true }))
      yield* settle
      assert.deepInclude(asked, { subtype: "interrupt", cancel_queued: true })
    }))
  it.scoped("an answer that cannot be sent any more is refused", () =>
    Effect.gen(function*() {
      const { behaviour, words } = heard(({ message, say }) =>
        Effect.gen(function*() {
          yield* message
          yield* say(init)
          yield* say(canUseTool("p"))
        })
      )
      const s = yield* session(behaviour, { onPermission: () => Effect.succeed(Permission.defer) })
      yield* s.start("a")
      yield* settle
      yield* s.endInput({ force: true })
      const answered = yield* Effect.exit(s.respondToPermission("p", Permission.allow()))
      yield* settle
      assert.isTrue(Exit.isFailure(answered) || words.includes("control_response"))
    }))
  it.scoped("a call and a question that are open at the end are told in the exit", () =>
    Effect.gen(function*() {
      const die = yield* Deferred.make<void>()
      const s = yield* session((peer) =>
        Effect.gen(function*() {
          const say = (frame: object) => peer.write(new TextEncoder().encode(`${JSON.stringify(frame)}\n`))
          // The codec wrote it: `initialize`.
          const first = JSON.parse(Option.getOrThrow(yield* peer.receive)) as { request_id: string }
          yield* say({
            type: "control_response",
            response: { subtype: "success", request_id: first.request_id, response: {} }
          })
          yield* say(canUseTool("p"))
          yield* say({
            type: "control_request",
            request_id: "m",
            request: {
              subtype: "mcp_message",
              server_name: "x",
              message: { jsonrpc: "2.0", id: 1, method: "tools/call" }
            }
          })
          yield* Deferred.await(die)
          yield* peer.exit({ _tag: "Signaled", signal: "SIGKILL" })
        }), { onPermission: () => Effect.never, mcpServers: { x: McpServer.raw(() => Effect.never) } })
      yield* settle
      yield* Deferred.succeed(die, undefined)
      const { pending } = yield* soon(s.awaitExit)
      assert.deepStrictEqual(pending.asking.map(({ id }) => id), ["p", "m"])
    }))
  it.scoped("the interrupt of a turn that ends at this moment does not stop the next", () =>
    Effect.gen(function*() {
      for (const how of ["of the turn", "of whatever runs"]) {
        const end = yield* Deferred.make<void>()
        const { behaviour, words } = heard(({ message, say }) =>
          Effect.gen(function*() {
            const a = yield* message
            yield* say(init)
            yield* Deferred.await(end)
            yield* say(resultOf("a", a))
            const b = yield* message
            yield* say({ ...init, user_message_uuids: [b.uuid] })
          })
        )
        const s = yield* session(behaviour)
        const a = yield* s.start("a")
        yield* s.start("b", { whenBusy: "queue" })
        yield* settle
        yield* Deferred.succeed(end, undefined)
        yield* soon(how === "of the turn" ? a.interrupt() : s.interrupt())
        yield* settle
        assert.deepStrictEqual(words, ["user", "user"], how)
      }
    }))
  it.scoped("an interrupt of a message that no turn comes for has a deadline too, and can end the CLI (pain 14)", () =>
    Effect.gen(function*() {
      const s = yield* session(() => Effect.never)
      const a = yield* s.start("a")
      const stopping = yield* Effect.fork(Effect.flip(a.interrupt({ deadline: "5 seconds", escalate: "close" })))
      yield* TestClock.adjust("5 seconds")
      assert.deepInclude(yield* soon(Fiber.join(stopping)), { _tag: "ControlError", reason: "Timeout" })
      assert.deepInclude(yield* soon(Effect.flip(a.result)), { _tag: "SessionClosed" })
    }))
  it.scoped("each who interrupts has a deadline of his own, however long", () =>
    Effect.gen(function*() {
      const { behaviour, words } = heard(({ answer, hear, message, say }) =>
        Effect.gen(function*() {
          yield* message
          yield* say(init)
          const asked = yield* hear
          yield* Effect.sleep("2 minutes")
          yield* answer(asked, { still_queued: [] })
        })
      )
      const s = yield* session(behaviour)
      yield* s.start("a")
      yield* settle
      const hasty = yield* Effect.fork(Effect.flip(s.interrupt({ deadline: "1 second" })))
      yield* settle
      const patient = yield* Effect.fork(s.interrupt({ deadline: "5 minutes", escalate: "close" }))
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* soon(Fiber.join(hasty))).reason, "Timeout")
      yield* TestClock.adjust("2 minutes")
      assert.deepStrictEqual(yield* soon(Fiber.join(patient)), {
        outcome: "interrupted",
        response: { still_queued: [] }
      })
      assert.deepStrictEqual(words, ["user", "interrupt"])
    }))

  it.scoped("an interrupt after a message is not taken for one that was asked for before it, between turns", () =>
    Effect.gen(function*() {
      const { behaviour, words } = heard(({ answer, hear, message, say }) =>
        Effect.gen(function*() {
          // It is still starting, and reads its input later, in order.
          yield* Effect.sleep("1 second")
          yield* answer(yield* hear, { still_queued: [] })
          const a = yield* message
          yield* say(init)
          yield* answer(yield* hear, { still_queued: [] })
          yield* say(aborted(a.uuid))
        })
      )
      const s = yield* session(behaviour)
      const before = yield* Effect.fork(s.interrupt())
      yield* settle
      const turn = yield* s.start("a")
      const after = yield* Effect.fork(s.interrupt())
      yield* TestClock.adjust("1 second")
      const [idle, running] = yield* soon(Fiber.join(Fiber.zip(before, after)))
      assert.deepStrictEqual([idle.outcome, running.outcome], ["alreadyEnded", "interrupted"])
      assert.strictEqual((yield* soon(turn.result)).outcome, "interrupted")
      assert.deepStrictEqual(words, ["interrupt", "user", "interrupt"])
    }))

  it.scoped("a message that cannot be taken out of the queue is stopped when it is its turn", () =>
    Effect.gen(function*() {
      const { behaviour, words } = heard(({ answer, hear, message, say }) =>
        Effect.gen(function*() {
          const a = yield* message
          yield* say(init)
          yield* say(lifecycle(a.uuid, "started"))
          const b = yield* message
          yield* say(lifecycle(b.uuid, "queued"))
          const asked = yield* hear
          const refusal = { subtype: "error", request_id: "request_id" in asked ? asked.request_id : "", error: "no" }
          yield* say({ type: "control_response", response: refusal })
          yield* Effect.sleep("1 second")
          yield* say(resultOf("a", a))
          yield* say(lifecycle(b.uuid, "started"))
          yield* say(init)
          yield* answer(yield* hear, {})
          yield* say(aborted(b.uuid))
        })
      )
      const s = yield* session(behaviour)
      const a = yield* s.start("a")
      const b = yield* Effect.fork(s.send("b", { whenBusy: "steer" }))
      yield* settle
      yield* Fiber.interrupt(b)
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* soon(a.result)).outcome, "success")
      yield* settle
      assert.deepStrictEqual(words, ["user", "user", "cancel_async_message", "interrupt"])
    }))

  it.scoped("the id of a message that timed out is not free while the CLI may still process the message", () =>
    Effect.gen(function*() {
      const { behaviour, words } = heard(({ hear, message, say }) =>
        Effect.gen(function*() {
          const line = yield* message
          yield* say(init)
          // The interrupt, which is not answered.
          yield* hear
          yield* Effect.sleep("1 minute")
          yield* say(resultOf("late", line))
        })
      )
      const s = yield* session(behaviour)
      const sent = yield* Effect.fork(Effect.flip(s.send("a", { id: "a", timeout: "1 second" })))
      yield* TestClock.adjust("20 seconds")
      assert.strictEqual((yield* soon(Fiber.join(sent)))._tag, "TurnTimeout")
      const error = yield* Effect.flip(s.send("b", { id: "a", whenBusy: "steer" }))
      assert.strictEqual(error._tag, "EncodeError")
      yield* TestClock.adjust("1 minute")
      yield* s.start("c", { id: "a" })
      yield* settle
      assert.strictEqual(words.at(-1), "user")
    }))
})
