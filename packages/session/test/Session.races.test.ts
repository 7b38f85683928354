/**
 * Races: a session against CLIs that interrupt, cancel, merge, fall silent and die at any moment. First each race by its
 * name, then all of them at random, against a model of a CLI that knows whose turn it runs and is asked afterwards.
 *
 * Time is the test's: nothing here sleeps. A schedule that fails is printed with its seed; `RACES_SEED` and `RACES_RUNS`
 * look further, and `pnpm sweep` tries more schedules.
 */
import * as McpServer from "@claude-duplex/mcp/McpServer"
import type { ControlError } from "@claude-duplex/protocol/ControlError"
import type { EncodeError } from "@claude-duplex/protocol/EncodeError"
import * as Frame from "@claude-duplex/protocol/Frame"
import type { HostFrame } from "@claude-duplex/protocol/Frame"
import type { WhenBusy } from "@claude-duplex/protocol/SessionInput"
import type { TurnResult } from "@claude-duplex/protocol/TurnResult"
import type { SendError } from "@claude-duplex/session/Conversation"
import * as Permission from "@claude-duplex/session/Permission"
import type { SessionEvent } from "@claude-duplex/session/SessionEvent"
import type { SubscriptionOverflow } from "@claude-duplex/session/SubscriptionOverflow"
import type { Turn } from "@claude-duplex/session/Turn"
import type { Behaviour, PeerExit } from "@claude-duplex/transport-mock/Peer"
import * as Script from "@claude-duplex/transport-mock/Script"
import { assert, describe, it } from "@effect/vitest"
import {
  Cause,
  Chunk,
  Deferred,
  Effect,
  Exit,
  FastCheck as fc,
  Fiber,
  FiberId,
  Logger,
  LogLevel,
  Option,
  Scope,
  Stream,
  Supervisor,
  TestClock,
  TestContext
} from "effect"
import { aborted, background, heard, lifecycle, resultOf, settle, soon, wire } from "./support/handmadeCli.js"
import { canUseTool, init, result, session } from "./support/sessions.js"

// ---- this end ----

const reasonOf = ({ _tag, reason }: { readonly _tag: string; readonly reason?: string }) =>
  reason === undefined ? _tag : `${_tag} ${reason}`

/** The uuid of a result; of one that could not be read, true. */
const uuidOf = (frame: TurnResult["frame"]) => frame !== undefined && (!Frame.isKnown(frame) || frame.uuid)

/** A handler that never answers, and tells when it is stopped. */
const stuck = Effect.map(Deferred.make<void>(), (stopped) => ({
  stopped: Deferred.await(stopped),
  run: Effect.onInterrupt(Effect.never, () => Deferred.succeed(stopped, undefined))
}))

describe("an interrupt against the result", () => {
  const interrupted = (...ending: ReadonlyArray<Script.Step>) =>
    Effect.gen(function*() {
      const s = yield* session(Script.behaviour(Script.make(
        Script.expect({ type: "user" }, { label: "a" }),
        Script.reply(init),
        Script.expect({ type: "control_request", request: { subtype: "interrupt" } }, { label: "interrupt" }),
        ...ending,
        Script.expect({ type: "user" }),
        Script.reply(result("after"))
      )))
      const turn = yield* s.start("a")
      const { outcome, response } = yield* soon(s.interrupt())
      const ended = yield* soon(turn.result)
      assert.deepStrictEqual(response, { still_queued: [] })
      assert.strictEqual(outcome, ended.outcome === "interrupted" ? "interrupted" : "alreadyEnded")
      // Nothing is left of it.
      assert.strictEqual((yield* soon(s.send("b"))).text, "after")
      yield* s.endInput()
      yield* soon(s.transport.outcome)
      return ended
    })
  const receipt = Script.replyUnchecked({
    type: "control_response",
    response: {
      subtype: "success",
      request_id: { $received: "request_id", of: "interrupt" },
      response: { still_queued: [] }
    }
  })
  const stopped = Script.replyUnchecked(aborted({ $received: "uuid", of: "a" }))
  const done = Script.replyUnchecked({ ...result("done"), user_message_uuids: [{ $received: "uuid", of: "a" }] })

  it.scoped("the receipt first", () =>
    Effect.map(interrupted(receipt, stopped), ({ outcome }) => assert.strictEqual(outcome, "interrupted")))

  it.scoped("the result first", () =>
    Effect.map(interrupted(stopped, receipt), ({ outcome }) => assert.strictEqual(outcome, "interrupted")))

  it.scoped("the turn was over when it came", () =>
    Effect.map(
      interrupted(done, receipt),
      ({ outcome, text }) => assert.deepStrictEqual([outcome, text], ["success", "done"])
    ))

  it.scoped("one of a message that is over says nothing", () =>
    Effect.gen(function*() {
      const { behaviour, words } = heard(({ message, say }) =>
        Effect.flatMap(message, (a) => Effect.zipRight(say(init), say(resultOf("a", a))))
      )
      const s = yield* session(behaviour)
      const turn = yield* s.start("a")
      yield* soon(turn.result)
      yield* soon(turn.interrupt())
      yield* settle
      assert.deepStrictEqual(words, ["user"])
    }))

  it.scoped("many at once are one, and one who goes away takes it from nobody", () =>
    Effect.gen(function*() {
      const { behaviour, words } = heard(({ answer, hear, message, say }) =>
        Effect.gen(function*() {
          const a = yield* message
          yield* say(init)
          const asked = yield* hear
          yield* Effect.sleep("1 second")
          yield* answer(asked, { still_queued: [] })
          yield* say(aborted(a.uuid))
        })
      )
      const s = yield* session(behaviour)
      const turn = yield* s.start("a")
      const first = yield* Effect.fork(s.interrupt())
      const others = yield* Effect.fork(
        Effect.all([s.interrupt(), turn.interrupt(), s.interrupt()], { concurrency: "unbounded" })
      )
      yield* settle
      yield* Fiber.interrupt(first)
      yield* TestClock.adjust("1 second")
      yield* soon(Fiber.join(others))
      assert.strictEqual((yield* soon(turn.result)).outcome, "interrupted")
      assert.deepStrictEqual(words, ["user", "interrupt"])
    }))

  it.scoped("of a message that waits, not before its turn: whoever runs now is not disturbed", () =>
    Effect.gen(function*() {
      const { behaviour, words } = heard(({ answer, hear, message, say }) =>
        Effect.gen(function*() {
          const a = yield* message
          yield* say(init)
          const b = yield* message
          yield* Effect.sleep("1 second")
          yield* say(resultOf("a", a))
          yield* say({ ...init, user_message_uuids: [b.uuid] })
          yield* answer(yield* hear, {})
          yield* say(aborted(b.uuid))
        })
      )
      const s = yield* session(behaviour)
      const a = yield* s.start("a")
      const b = yield* s.start("b", { whenBusy: "steer" })
      const stopping = yield* Effect.fork(b.interrupt())
      yield* settle
      assert.deepStrictEqual(words, ["user", "user"])
      yield* TestClock.adjust("1 second")
      yield* soon(Fiber.join(stopping))
      assert.strictEqual((yield* soon(a.result)).text, "a")
      assert.strictEqual((yield* soon(b.result)).outcome, "interrupted")
    }))
})

describe("a withdrawal against the answer", () => {
  const withdrawal = { type: "control_cancel_request", request_id: "p" }

  it.scoped("the withdrawal first: nothing is answered", () =>
    Effect.gen(function*() {
      const { behaviour, words } = heard(({ message, say }) =>
        Effect.gen(function*() {
          const a = yield* message
          yield* say(init)
          yield* say(canUseTool("p"))
          yield* Effect.sleep("1 second")
          yield* say(withdrawal)
          yield* say(resultOf("done", a))
        })
      )
      const gate = yield* Deferred.make<Permission.Decision>()
      const s = yield* session(behaviour, { onPermission: () => Deferred.await(gate) })
      const turn = yield* s.start("a")
      yield* TestClock.adjust("1 second")
      yield* Deferred.succeed(gate, Permission.allow())
      assert.strictEqual(
        reasonOf(yield* Effect.flip(s.respondToPermission("p", Permission.allow()))),
        "PermissionNotPending"
      )
      yield* soon(turn.result)
      yield* settle
      assert.deepStrictEqual(words, ["user"])
    }))

  it.scoped("both at once: nothing is answered, or what was answered counts", () =>
    Effect.gen(function*() {
      const { behaviour, words } = heard(({ message, say }) =>
        Effect.gen(function*() {
          const a = yield* message
          yield* say(init)
          yield* say(canUseTool("p"))
          yield* Effect.sleep("1 second")
          yield* say(withdrawal)
          yield* say(resultOf("done", a))
        })
      )
      const s = yield* session(behaviour, {
        onPermission: () => Effect.as(Effect.sleep("1 second"), Permission.allow())
      })
      const events = yield* Effect.fork(Stream.runCollect(yield* s.subscribe({ only: ["PermissionSettled"] })))
      const turn = yield* s.start("a")
      yield* settle
      yield* TestClock.adjust("1 second")
      yield* soon(turn.result)
      yield* s.close
      const settled = Chunk.toReadonlyArray(yield* soon(Fiber.join(events)))
      const answers = words.filter((word) => word === "control_response").length
      assert.deepStrictEqual(
        settled.map((event) => event._tag === "PermissionSettled" ? event.how : event._tag),
        [answers === 1 ? "Answered" : "Withdrawn"]
      )
    }))

  it.scoped("the answer first: it counts, and the withdrawal does nothing", () =>
    Effect.gen(function*() {
      const { behaviour, words } = heard(({ hear, message, say }) =>
        Effect.gen(function*() {
          const a = yield* message
          yield* say(init)
          yield* say(canUseTool("p"))
          yield* hear
          yield* say(withdrawal)
          yield* say(canUseTool("p"))
          yield* say(resultOf("done", a))
        })
      )
      const s = yield* session(behaviour, { onPermission: () => Effect.succeed(Permission.defer) })
      const events = yield* Effect.fork(Stream.runCollect(yield* s.subscribe({ only: ["PermissionSettled"] })))
      const turn = yield* s.start("a")
      yield* settle
      yield* s.respondToPermission("p", Permission.allow())
      const again = yield* Effect.flip(s.respondToPermission("p", Permission.allow()))
      assert.strictEqual(again._tag, "PermissionNotPending")
      yield* soon(turn.result)
      yield* s.close
      assert.deepStrictEqual(Chunk.toReadonlyArray(yield* soon(Fiber.join(events))), [
        { _tag: "PermissionSettled", id: "p", how: "Answered" }
      ])
      // The same request again was not asked again.
      assert.deepStrictEqual(words, ["user", "control_response"])
    }))

  it.scoped("of a request of the host's: a late answer finds nobody", () =>
    Effect.gen(function*() {
      const { behaviour, words } = heard(({ answer, hear, message, say }) =>
        Effect.gen(function*() {
          // It is told only to a CLI that said that it is new enough to bear it.
          yield* say(init)
          yield* say(resultOf("a", yield* message))
          const asked = yield* hear
          yield* hear
          yield* answer(asked, { mcpServers: [] })
          yield* say(resultOf("b", yield* message))
        })
      )
      const s = yield* session(behaviour)
      yield* soon(s.send("a"))
      const asking = yield* Effect.fork(s.request({ subtype: "mcp_status" }))
      yield* settle
      yield* Fiber.interrupt(asking)
      assert.strictEqual((yield* soon(s.send("b"))).text, "b")
      assert.deepStrictEqual(words, ["user", "mcp_status", "control_cancel_request", "user"])
    }))
})

describe("the exit against everything", () => {
  for (
    const [name, end] of [
      ["a signal", { _tag: "Signaled", signal: "SIGKILL" }],
      ["a code", { _tag: "Exited", code: 1 }],
      ["a clean end", { _tag: "Exited", code: 0 }]
    ] satisfies ReadonlyArray<readonly [string, PeerExit]>
  ) {
    it.scoped(name, () =>
      Effect.gen(function*() {
        const die = yield* Deferred.make<void>()
        const behaviour: Behaviour = (peer) => {
          const { hear, say } = wire(peer)
          return Effect.gen(function*() {
            const first = Option.getOrThrow(yield* hear)
            if (first.type === "control_request") {
              yield* say({
                type: "control_response",
                response: { subtype: "success", request_id: first.request_id, response: {} }
              })
            }
            yield* hear
            yield* say(init)
            yield* say(canUseTool("permission"))
            yield* say({
              type: "control_request",
              request_id: "hook",
              request: {
                subtype: "hook_callback",
                callback_id: "hook_0",
                input: {
                  hook_event_name: "Stop",
                  session_id: "s",
                  transcript_path: "/t",
                  cwd: "/",
                  stop_hook_active: false
                }
              }
            })
            yield* say({
              type: "control_request",
              request_id: "mcp",
              request: {
                subtype: "mcp_message",
                server_name: "calc",
                message: { jsonrpc: "2.0", id: 1, method: "tools/call" }
              }
            })
            yield* Deferred.await(die)
            yield* peer.exit(end)
          })
        }
        const handlers = yield* Effect.all([stuck, stuck, stuck])
        const [permission, hook, mcp] = handlers
        const s = yield* session(behaviour, {
          onPermission: () => permission.run,
          hooks: [{ event: "Stop", run: () => hook.run }],
          mcpServers: { calc: McpServer.raw(() => mcp.run) }
        })
        const collect = <A, E>(stream: Stream.Stream<A, E>) => Effect.fork(Stream.runCollect(stream))
        const events = yield* collect(yield* s.subscribe())
        const statuses = yield* collect(s.status.changes)
        const pending = yield* collect(s.permissions.changes)
        yield* settle
        const turn = yield* s.start("a")
        const frames = yield* collect(turn.frames)
        const phases = yield* collect(turn.phases)
        const sent = yield* Effect.fork(Effect.flip(s.send("b", { whenBusy: "steer" })))
        const held = yield* Effect.fork(Effect.flip(s.send("c", { whenBusy: "queue", timeout: "1 hour" })))
        const asking = yield* Effect.fork(Effect.flip(s.request({ subtype: "mcp_status" })))
        const interrupting = yield* Effect.fork(Effect.flip(s.interrupt()))
        const stopping = yield* Effect.fork(Effect.exit(turn.interrupt()))
        const exiting = yield* Effect.fork(s.awaitExit)
        yield* settle
        yield* Deferred.succeed(die, undefined)

        const exit = yield* soon(Fiber.join(exiting))
        assert.deepInclude(exit, end)
        assert.strictEqual(reasonOf(yield* soon(Effect.flip(turn.result))), "SessionClosed")
        assert.strictEqual(reasonOf(yield* soon(Fiber.join(sent))), "SessionClosed")
        const unsent = yield* soon(Fiber.join(held))
        assert.deepStrictEqual([reasonOf(unsent), "unsent" in unsent && unsent.unsent], ["SessionClosed", true])
        assert.strictEqual(reasonOf(yield* soon(Fiber.join(asking))), "ControlError Closed")
        assert.strictEqual(reasonOf(yield* soon(Fiber.join(interrupting))), "ControlError Closed")
        yield* soon(Fiber.join(stopping))
        yield* soon(Effect.all(handlers.map(({ stopped }) => stopped)))
        assert.strictEqual(Chunk.toReadonlyArray(yield* soon(Fiber.join(events))).at(-1)?._tag, "Ended")
        assert.strictEqual(Chunk.toReadonlyArray(yield* soon(Fiber.join(statuses))).at(-1)?._tag, "Closed")
        assert.deepStrictEqual(Chunk.toReadonlyArray(yield* soon(Fiber.join(pending))).at(-1), [])
        // It was never known whether the turn was this message's or that of the one behind it.
        assert.strictEqual(Chunk.size(yield* soon(Fiber.join(frames))), 0)
        assert.strictEqual(Chunk.toReadonlyArray(yield* soon(Fiber.join(phases))).at(-1), "Ended")
        // Whatever comes now finds it closed.
        assert.strictEqual(reasonOf(yield* soon(Effect.flip(s.send("d")))), "SessionClosed")
        assert.strictEqual(reasonOf(yield* soon(Effect.flip(s.interrupt()))), "ControlError Closed")
        assert.deepStrictEqual(yield* soon(s.close), exit)
      }))
  }
})

describe("a turn that nobody sent", () => {
  it.scoped("against a message: neither takes the other's result", () =>
    Effect.gen(function*() {
      const { behaviour } = heard(({ message, say }) =>
        Effect.gen(function*() {
          yield* say(init)
          const a = yield* message
          yield* say(background("nobody's"))
          yield* say({ ...init, user_message_uuids: [a.uuid] })
          yield* say(resultOf("a's", a))
          yield* say(init)
          yield* say(background("nobody's either"))
        })
      )
      const s = yield* session(behaviour)
      const events = yield* Effect.fork(Stream.runCollect(yield* s.subscribe({ only: ["TurnEnded"] })))
      yield* settle
      // A turn runs, but no message waits: nothing is rejected.
      assert.strictEqual((yield* soon(s.send("a"))).text, "a's")
      yield* settle
      yield* s.close
      const ended = Chunk.toReadonlyArray(yield* soon(Fiber.join(events)))
      assert.deepStrictEqual(
        ended.map((event) => event._tag === "TurnEnded" ? event.messages.length : event._tag),
        [0, 1, 0]
      )
    }))
})

describe("whoever stops waiting", () => {
  it.scoped("takes a message back that is held here: it is never written", () =>
    Effect.gen(function*() {
      const { behaviour, words } = heard(({ message, say }) =>
        Effect.gen(function*() {
          const a = yield* message
          yield* say(init)
          yield* Effect.sleep("1 second")
          yield* say(resultOf("a", a))
        })
      )
      const s = yield* session(behaviour)
      const a = yield* s.start("a")
      const b = yield* Effect.fork(s.send("b", { whenBusy: "queue" }))
      yield* settle
      yield* Fiber.interrupt(b)
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* soon(a.result)).text, "a")
      yield* settle
      assert.deepStrictEqual(words, ["user"])
      assert.strictEqual((yield* s.status.get)._tag, "Idle")
    }))

  it.scoped("takes one out of the CLI's queue", () =>
    Effect.gen(function*() {
      const { behaviour, words } = heard(({ answer, hear, message, say }) =>
        Effect.gen(function*() {
          const a = yield* message
          yield* say(init)
          const b = yield* message
          yield* say(lifecycle(b.uuid, "queued"))
          yield* answer(yield* hear, { cancelled: true })
          yield* say(lifecycle(b.uuid, "cancelled"))
          yield* say(resultOf("a", a))
        })
      )
      const s = yield* session(behaviour)
      const a = yield* s.start("a")
      const b = yield* Effect.fork(s.send("b", { whenBusy: "steer" }))
      yield* settle
      yield* Fiber.interrupt(b)
      assert.strictEqual((yield* soon(a.result)).text, "a")
      assert.deepStrictEqual(words, ["user", "user", "cancel_async_message"])
    }))

  it.scoped("interrupts its turn", () =>
    Effect.gen(function*() {
      const { behaviour, words } = heard(({ answer, hear, message, say }) =>
        Effect.gen(function*() {
          const a = yield* message
          yield* say(init)
          yield* answer(yield* hear, {})
          yield* say(aborted(a.uuid))
        })
      )
      const s = yield* session(behaviour)
      const a = yield* Effect.fork(s.send("a"))
      yield* settle
      yield* Fiber.interrupt(a)
      yield* settle
      assert.deepStrictEqual(words, ["user", "interrupt"])
      assert.strictEqual((yield* s.status.get)._tag, "Idle")
    }))

  it.scoped("leaves a turn alone that is for others, too", () =>
    Effect.gen(function*() {
      const { behaviour, words } = heard(({ message, say }) =>
        Effect.gen(function*() {
          const a = yield* message
          const b = yield* message
          yield* say({ ...init, user_message_uuids: [a.uuid, b.uuid] })
          yield* Effect.sleep("1 second")
          yield* say(resultOf("both", a, b))
        })
      )
      const s = yield* session(behaviour)
      const a = yield* Effect.fork(s.send("a"))
      yield* settle
      const b = yield* s.start("b", { whenBusy: "steer" })
      yield* settle
      yield* Fiber.interrupt(a)
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* soon(b.result)).text, "both")
      assert.deepStrictEqual(words, ["user", "user"])
    }))
})

describe("a turn that takes too long", () => {
  const slow = (hears: boolean) =>
    heard(({ answer, hear, message, say }) =>
      Effect.gen(function*() {
        const a = yield* message
        yield* say(init)
        const asked = yield* hear
        if (hears) {
          yield* answer(asked, {})
          yield* say(aborted(a.uuid))
        } else {
          yield* Effect.sleep("1 hour")
          yield* say(resultOf("late", a))
        }
        const b = yield* message
        yield* say(init)
        yield* say(resultOf("b", b))
      })
    )

  it.scoped("is interrupted, and fails with the result that says so", () =>
    Effect.gen(function*() {
      const { behaviour, words } = slow(true)
      const s = yield* session(behaviour)
      const sent = yield* Effect.fork(Effect.flip(s.send("a", { timeout: "1 minute" })))
      yield* settle
      yield* TestClock.adjust("59 seconds")
      assert.deepStrictEqual(words, ["user"])
      yield* TestClock.adjust("1 second")
      const error = yield* soon(Fiber.join(sent))
      assert.strictEqual(error._tag === "TurnTimeout" && error.result?.outcome, "interrupted")
      assert.deepStrictEqual(words, ["user", "interrupt"])
      assert.strictEqual((yield* soon(s.send("b"))).text, "b")
    }))

  it.scoped("and does not end fails; its late result is nobody else's", () =>
    Effect.gen(function*() {
      const { behaviour } = slow(false)
      const s = yield* session(behaviour)
      const sent = yield* Effect.fork(Effect.flip(s.send("a", { timeout: "1 minute" })))
      yield* settle
      yield* TestClock.adjust("1 minute")
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual(reasonOf(yield* soon(Fiber.join(sent))), "TurnTimeout")
      const next = yield* Effect.fork(s.send("b", { whenBusy: "queue" }))
      yield* settle
      yield* TestClock.adjust("1 hour")
      assert.strictEqual((yield* soon(Fiber.join(next))).text, "b")
    }))

  it.scoped("and one that does not is left alone", () =>
    Effect.gen(function*() {
      const { behaviour, words } = heard(({ message, say }) =>
        Effect.gen(function*() {
          const a = yield* message
          yield* say(init)
          yield* say(resultOf("a", a))
        })
      )
      const s = yield* session(behaviour)
      yield* soon(s.send("a", { timeout: "1 minute" }))
      yield* TestClock.adjust("1 hour")
      assert.deepStrictEqual(words, ["user"])
    }))
})

// ---- all of it, at random ----

/** What a version of the CLI tells of whose turn it runs. */
interface Kind {
  readonly version: string | undefined
  readonly merges: boolean
  readonly echoes: boolean
  readonly tellsLifecycle: boolean
  readonly namesMessages: boolean
  /** Whether turns that nobody sent can be told from the host's. */
  readonly background: boolean
  /** Whether it says enough to know whose a result is, when something is written just as a turn ends. */
  readonly isCertain: boolean
}

const silent: Kind = {
  version: undefined,
  merges: false,
  echoes: false,
  tellsLifecycle: false,
  namesMessages: false,
  background: false,
  isCertain: true
}

const kinds: Record<string, Kind> = {
  "2.1.50": { ...silent, version: "2.1.50" },
  "1.0.128 with echoes": { ...silent, echoes: true, background: true },
  "2.1.143": { ...silent, version: "2.1.143", merges: true, isCertain: false },
  "2.1.143 with echoes": { ...silent, version: "2.1.143", merges: true, echoes: true, background: true },
  "2.1.250": { ...silent, version: "2.1.250", merges: true, tellsLifecycle: true, background: true },
  "2.1.326": {
    ...silent,
    version: "2.1.326",
    merges: true,
    tellsLifecycle: true,
    namesMessages: true,
    background: true
  }
}

/** Chance, as fast-check gives it: so that it can be given again, and made smaller. */
class Dice {
  readonly #throws: ReadonlyArray<number>
  #next = 0

  constructor(throws: ReadonlyArray<number>) {
    this.#throws = throws
  }

  pick<A>(first: A, ...others: ReadonlyArray<A>): A {
    const sides = [first, ...others]
    const thrown = this.#throws[this.#next++ % this.#throws.length] ?? 0
    return sides[thrown % sides.length] ?? first
  }
}

interface Said {
  readonly text: string
  readonly uuid: string
}

/** A CLI that knows whose turn it runs, and what it heard. */
class ModelCli {
  /** The result that each message was given, by its text. */
  readonly results = new Map<string, string>()
  /** How often each question of the CLI's was answered. */
  readonly answers = new Map<string, number>()
  readonly #kind: Kind
  readonly #dice: Dice
  readonly #end = Deferred.unsafeMake<PeerExit>(FiberId.none)
  readonly #open = new Map<string, Deferred.Deferred<unknown>>()
  #queue: Array<Said> = []
  #running: Deferred.Deferred<void> | undefined
  #background = 0
  #inputEnded = false
  #frames = 0
  #turns = 0
  #begin: (own: ReadonlyArray<Said>) => Effect.Effect<void> = () => Effect.void
  #next: Effect.Effect<void> = Effect.void

  constructor(kind: Kind, dice: Dice) {
    this.#kind = kind
    this.#dice = dice
  }

  /** Ends it, as a signal or a crash does: at once. */
  die(how: PeerExit): void {
    Deferred.unsafeDone(this.#end, Effect.succeed(how))
  }

  /** Nothing runs, and nothing waits: nobody has anything to wait for. */
  get isAtRest(): boolean {
    return this.#running === undefined && this.#queue.length === 0
  }

  /** Lets it begin a turn that nobody sent, when it has nothing else to do. */
  get startBackground(): Effect.Effect<void> {
    return Effect.suspend(() => {
      if (this.#kind.background) this.#background++
      return this.#running === undefined ? this.#next : Effect.void
    })
  }

  readonly behaviour: Behaviour = (peer) =>
    Effect.scopedWith((scope) => {
      const { hear, say: write } = wire(peer)
      // Each frame has a number: nothing is lost, nothing comes twice.
      const say = (frame: object) => Effect.suspend(() => write({ ...frame, n: this.#frames++ }))
      const fork = (effect: Effect.Effect<void>) => Effect.asVoid(Effect.forkIn(effect, scope))

      this.#begin = (own) =>
        Effect.suspend(() => {
          const interrupted = Deferred.unsafeMake<void>(FiberId.none)
          this.#running = interrupted
          return fork(this.#turn(own, say, interrupted))
        })
      this.#next = Effect.suspend(() => {
        // What was queued meanwhile is one turn for those that merge; a CLI at rest begins with what comes, alone.
        const own = this.#queue.splice(0, this.#kind.merges ? this.#queue.length : 1)
        if (own.length > 0) return this.#begin(own)
        if (this.#background > 0) {
          this.#background--
          return this.#begin([])
        }
        return this.#inputEnded ? Effect.sync(() => this.die({ _tag: "Exited", code: 0 })) : Effect.void
      })

      const listen: Effect.Effect<void> = Effect.flatMap(hear, (frame) => {
        if (Option.isNone(frame)) {
          this.#inputEnded = true
          return this.#running === undefined ? this.#next : Effect.void
        }
        return Effect.zipRight(this.#hear(frame.value, say, fork), listen)
      })

      return Effect.raceFirst(
        Effect.zipRight(listen, Effect.never),
        Effect.flatMap(Deferred.await(this.#end), peer.exit)
      )
    })

  #lifecycle(say: Say, messages: ReadonlyArray<Said>, state: string): Effect.Effect<void> {
    return this.#kind.tellsLifecycle
      ? Effect.forEach(messages, ({ uuid }) => say(lifecycle(uuid, state)), { discard: true })
      : Effect.void
  }

  #hear(frame: HostFrame, say: Say, fork: (effect: Effect.Effect<void>) => Effect.Effect<void>): Effect.Effect<void> {
    switch (frame.type) {
      case "user": {
        const message = { text: String(frame.message.content), uuid: frame.uuid ?? "" }
        const queued = this.#lifecycle(say, [message], "queued")
        if (this.#running === undefined) return Effect.zipRight(queued, this.#begin([message]))
        this.#queue.push(message)
        return queued
      }
      case "control_response": {
        const { request_id: id } = frame.response
        this.answers.set(id, (this.answers.get(id) ?? 0) + 1)
        const open = this.#open.get(id)
        return open === undefined ? Effect.void : Effect.asVoid(Deferred.succeed(open, frame.response))
      }
      case "control_cancel_request":
        return Effect.void
      case "control_request": {
        const { request, request_id } = frame
        const answer = (response: object) =>
          say({ type: "control_response", response: { subtype: "success", request_id, response } })
        const refuse = say({ type: "control_response", response: { subtype: "error", request_id, error: "no" } })
        const later = (millis: number, effect: Effect.Effect<void>) => fork(Effect.delay(effect, millis))
        switch (request.subtype) {
          case "interrupt": {
            const cancelled = request.cancel_queued === true && this.#kind.tellsLifecycle ? this.#queue.splice(0) : []
            const receipt = answer({
              still_queued: this.#queue.map(({ uuid }) => uuid),
              cancelled: cancelled.map(({ uuid }) => uuid)
            })
            const running = this.#running
            const stop = running === undefined ? Effect.void : Effect.asVoid(Deferred.succeed(running, undefined))
            return Effect.zipRight(
              this.#lifecycle(say, cancelled, "cancelled"),
              this.#dice.pick(
                Effect.zipRight(receipt, stop),
                Effect.zipRight(stop, later(5, receipt)),
                Effect.zipRight(stop, later(20_000, receipt)),
                // It is lost.
                Effect.void
              )
            )
          }
          case "cancel_async_message": {
            if (!this.#kind.tellsLifecycle) return refuse
            const taken = this.#queue.filter(({ uuid }) => uuid === request.message_uuid)
            this.#queue = this.#queue.filter(({ uuid }) => uuid !== request.message_uuid)
            return Effect.zipRight(
              this.#lifecycle(say, taken, "cancelled"),
              answer({ cancelled: taken.length > 0 })
            )
          }
          default: {
            const status = answer({ mcpServers: [] })
            return this.#dice.pick(status, refuse, later(300, status), later(70_000, status), Effect.void)
          }
        }
      }
    }
  }

  #turn(own: ReadonlyArray<Said>, write: Say, interrupted: Deferred.Deferred<void>): Effect.Effect<void> {
    const kind = this.#kind
    const dice = this.#dice
    const index = this.#turns++
    const uuids = own.map(({ uuid }) => uuid)
    // The truth, for the test alone: a CLI does not tell.
    const say: Say = (frame) => write({ ...frame, of: uuids })
    const named = kind.namesMessages && own.length > 0 ? { user_message_uuids: uuids } : {}
    const take = () => Effect.sleep(dice.pick(0, 1, 20, 20, 300, 3_000, 20_000))
    const prompt = `prompt-${index}`

    const ask = Effect.gen(this, function*() {
      const answered = Deferred.unsafeMake<unknown>(FiberId.none)
      this.#open.set(prompt, answered)
      yield* say(canUseTool(prompt))
      const answer = yield* Deferred.await(answered)
      this.#open.delete(prompt)
      return JSON.stringify(answer).includes(`"interrupt":true`)
    })
    const work = Effect.gen(function*() {
      yield* take()
      const isOver = own.length > 0 && dice.pick(false, false, true) ? yield* ask : false
      if (isOver) return "stopped"
      yield* take()
      // Some never come to an end.
      return dice.pick(true, true, true, true, true, true, own.length === 0) ? "done" : yield* Effect.never
    })

    return Effect.gen(this, function*() {
      yield* this.#lifecycle(say, own, "started")
      yield* say({ ...init, claude_code_version: kind.version, ...named })
      if (kind.echoes) {
        yield* Effect.forEach(own, ({ text, uuid }) =>
          say({
            type: "user",
            uuid,
            isReplay: true,
            parent_tool_use_id: null,
            session_id: "s",
            message: { role: "user", content: text }
          }))
      }
      const how = yield* own.length === 0
        ? work
        : Effect.raceFirst(work, Effect.as(Deferred.await(interrupted), "stopped"))
      if (this.#open.delete(prompt) && dice.pick(true, true, false)) {
        yield* say({ type: "control_cancel_request", request_id: prompt })
      }
      const uuid = `result-${index}`
      for (const { text } of own) this.results.set(text, uuid)
      const { user_message_uuids: _, ...ending } = how === "done" ? result(uuid) : aborted()
      const origin = own.length === 0 && (kind.tellsLifecycle || kind.namesMessages)
        ? { origin: { kind: "task-notification" } }
        : {}
      yield* say({ ...ending, ...named, ...origin, uuid })
      yield* this.#lifecycle(say, own, "completed")
      this.#running = undefined
      yield* this.#next
    })
  }
}

type Say = (frame: object) => Effect.Effect<void>

/** What a host does next. `which` counts what there is, round and round. */
type Action =
  | { readonly do: "send" | "start"; readonly whenBusy: WhenBusy; readonly timeout: number | undefined }
  | { readonly do: "leave" | "stop" | "withdraw" | "leaveRequest"; readonly which: number }
  | { readonly do: "interrupt"; readonly times: number; readonly cancelQueued: boolean }
  | { readonly do: "ask"; readonly timeout: number | undefined }
  | { readonly do: "decide"; readonly which: number; readonly interrupt: boolean }
  | { readonly do: "background" | "close" | "subscribe" }
  | { readonly do: "endInput"; readonly force: boolean }
  | { readonly do: "die"; readonly how: PeerExit }
  | { readonly do: "wait"; readonly millis: number }
  | { readonly do: "yield"; readonly times: number }

const some = fc.nat(20)
const limit = fc.constantFrom(undefined, undefined, undefined, 50, 5_000)

/** One of these, so much more often than others. */
const often = <A>(weight: number, arbitrary: fc.Arbitrary<A>) => ({ weight, arbitrary })

const action: fc.Arbitrary<Action> = fc.oneof(
  often(
    8,
    fc.record({
      do: fc.constantFrom("send" as const, "start" as const),
      whenBusy: fc.constantFrom<WhenBusy>("reject", "queue", "steer", "steer", "steer"),
      timeout: limit
    })
  ),
  often(8, fc.record({ do: fc.constant("wait" as const), millis: fc.constantFrom(0, 1, 30, 400, 4_000, 30_000) })),
  often(3, fc.record({ do: fc.constant("yield" as const), times: fc.integer({ min: 1, max: 5 }) })),
  often(
    3,
    fc.record({
      do: fc.constantFrom("leave" as const, "stop" as const, "withdraw" as const, "leaveRequest" as const),
      which: some
    })
  ),
  often(
    1,
    fc.record({
      do: fc.constant("interrupt" as const),
      times: fc.integer({ min: 1, max: 3 }),
      cancelQueued: fc.boolean()
    })
  ),
  often(1, fc.record({ do: fc.constant("ask" as const), timeout: limit })),
  often(4, fc.record({ do: fc.constant("decide" as const), which: some, interrupt: fc.boolean() })),
  often(2, fc.record({ do: fc.constantFrom("background" as const, "subscribe" as const) }))
)

const ending: fc.Arbitrary<Action> = fc.oneof(
  fc.record({ do: fc.constant("endInput" as const), force: fc.boolean() }),
  fc.record({ do: fc.constant("close" as const) }),
  fc.record({
    do: fc.constant("die" as const),
    // Not with 0: a CLI that ends like that has done all that it was told.
    how: fc.constantFrom<PeerExit>({ _tag: "Signaled", signal: "SIGKILL" }, { _tag: "Exited", code: 1 })
  })
)

/** Much happens; then it rests, or ends in the middle of it; and then somebody still wants something. */
const schedules: fc.Arbitrary<ReadonlyArray<Action>> = fc.tuple(
  fc.array(action, { minLength: 1, maxLength: 30, size: "max" }),
  fc.option(fc.tuple(ending, fc.array(action, { maxLength: 4 })))
).map(([before, end]) => end === null ? before : [...before, end[0], ...end[1]])

/** Something that was said, and who waits for it. */
interface Sent {
  readonly text: string
  readonly whenBusy: WhenBusy
  readonly timeout: number | undefined
  readonly fiber: Fiber.RuntimeFiber<TurnResult, SendError>
  /** The handle, if it was asked for. */
  turn: Turn | undefined
  /** What its stream emitted, since it was run last. */
  frames: Array<Frame.CliFrame | Frame.Unknown>
  /** Nobody waits any more. */
  isLeft: boolean
  /** Somebody wanted it stopped. */
  isStopped: boolean
}

interface Asked {
  readonly fiber: Fiber.RuntimeFiber<unknown, ControlError | EncodeError>
  isLeft: boolean
}

/** How it ended. It must have. */
const outcome = <A, E>(what: string, fiber: Fiber.RuntimeFiber<A, E>) =>
  Effect.map(Fiber.poll(fiber), Option.getOrThrowWith(() => new Error(`${what} waits for ever`)))

const ends: ReadonlySet<Action["do"]> = new Set(["endInput", "close", "die"])

const at = <A>(list: ReadonlyArray<A>, which: number): A | undefined => list[which % Math.max(1, list.length)]

/** Carries out a schedule, ends the session, and says what is wrong with how everything ended. */
const run = (kind: Kind, schedule: ReadonlyArray<Action>, throws: ReadonlyArray<number>) =>
  Effect.gen(function*() {
    const cli = new ModelCli(kind, new Dice(throws))
    const chance = new Dice(throws)
    const supervisor = yield* Supervisor.track
    const scope = yield* Scope.make()
    const sent: Array<Sent> = []
    const asked: Array<Asked> = []
    const interrupts: Array<ReadonlyArray<Fiber.RuntimeFiber<unknown, ControlError | EncodeError>>> = []
    const listeners: Array<Fiber.RuntimeFiber<Chunk.Chunk<SessionEvent>, SubscriptionOverflow>> = []
    const handled: Array<string> = []
    let handling = 0
    let cancelsQueued = false

    const conversation = Effect.gen(function*() {
      const s = yield* session(cli.behaviour, {
        onPermission: ({ id }) =>
          Effect.suspend(() => {
            handled.push(id)
            handling++
            return chance.pick<Effect.Effect<Permission.Decision, string>>(
              Effect.succeed(Permission.allow()),
              Effect.succeed(Permission.defer),
              Effect.never,
              Effect.delay(Effect.succeed(Permission.deny("no", { interrupt: true })), 300),
              Effect.fail("boom")
            )
          }).pipe(Effect.ensuring(Effect.sync(() => handling--)))
      }, { replayUserMessages: kind.echoes })
      const listen = Effect.gen(function*() {
        listeners.push(yield* Effect.fork(Stream.runCollect(yield* s.subscribe({ capacity: 100_000 }))))
      })
      yield* listen
      yield* settle

      const carryOut = (action: Action): Effect.Effect<void, unknown, Scope.Scope> =>
        Effect.gen(function*() {
          switch (action.do) {
            case "send":
            case "start": {
              const text = `m${sent.length}`
              const how = { whenBusy: action.whenBusy, timeout: action.timeout }
              const begun = action.do === "send" ? s.send(text, how) : Effect.flatMap(s.start(text, how), (turn) => {
                entry.turn = turn
                const follow = Effect.suspend(() => {
                  entry.frames = []
                  return Stream.runForEach(turn.frames, (frame) => Effect.sync(() => entry.frames.push(frame)))
                })
                return Effect.zipRight(Effect.forkIn(Effect.eventually(follow), scope), turn.result)
              })
              const entry: Sent = {
                text,
                ...how,
                fiber: yield* Effect.fork(begun),
                turn: undefined,
                frames: [],
                isLeft: false,
                isStopped: false
              }
              sent.push(entry)
              return
            }
            case "leave": {
              const left = at(sent, action.which)
              if (left === undefined) return
              left.isLeft = true
              left.fiber.unsafeInterruptAsFork(FiberId.none)
              return
            }
            case "stop":
            case "withdraw": {
              const stopped = at(sent, action.which)
              if (stopped?.turn === undefined) return
              stopped.isStopped = true
              if (action.do === "withdraw") return yield* stopped.turn.withdraw
              interrupts.push([yield* Effect.fork(stopped.turn.interrupt())])
              return
            }
            case "leaveRequest": {
              const left = at(asked, action.which)
              if (left === undefined) return
              left.isLeft = true
              left.fiber.unsafeInterruptAsFork(FiberId.none)
              return
            }
            case "interrupt": {
              const { cancelQueued, times } = action
              cancelsQueued ||= cancelQueued
              interrupts.push(
                yield* Effect.forEach(Array.from({ length: times }), () => Effect.fork(s.interrupt({ cancelQueued })))
              )
              return
            }
            case "ask": {
              const { timeout } = action
              asked.push({
                fiber: yield* Effect.fork(s.request({ subtype: "mcp_status" }, { timeout })),
                isLeft: false
              })
              return
            }
            case "decide": {
              const asking = at(yield* s.permissions.get, action.which)
              if (asking === undefined) return
              const decision = action.interrupt ? Permission.deny("no", { interrupt: true }) : Permission.allow()
              // After the end of the input nothing can be answered any more, and that is what it says.
              return yield* Effect.catchIf(
                s.respondToPermission(asking.id, decision),
                (error) => error._tag === "SessionClosed",
                () => Effect.void
              )
            }
            case "background":
              return yield* cli.startBackground
            case "subscribe":
              return yield* Effect.flatMap(s.status.get, ({ _tag }) => _tag === "Closed" ? Effect.void : listen)
            case "endInput":
              return yield* Effect.ignore(s.endInput({ force: action.force }))
            case "close":
              return yield* Effect.asVoid(s.close)
            case "die":
              return cli.die(action.how)
            case "wait":
              return yield* TestClock.adjust(action.millis)
            case "yield":
              return yield* Effect.repeatN(Effect.yieldNow(), action.times)
          }
        })
      yield* Effect.forEach(schedule, carryOut, { discard: true })
      if (!schedule.some(({ do: what }) => ends.has(what))) {
        yield* TestClock.adjust("1 hour")
        if (cli.isAtRest) {
          for (const { fiber, text } of sent) yield* outcome(text, fiber)
          for (const fiber of interrupts.flat()) yield* outcome("an interrupt", fiber)
          assert.notStrictEqual((yield* s.status.get)._tag, "Running")
        }
        for (const { fiber } of asked) yield* outcome("a request", fiber)
      }
      yield* settle
      yield* s.close
      yield* settle
      return { status: (yield* s.status.get)._tag, pending: (yield* s.permissions.get).length }
    })

    const { pending, status } = yield* Scope.extend(conversation, scope).pipe(Effect.supervised(supervisor))
    assert.deepStrictEqual([status, pending, handling], ["Closed", 0, 0])

    // Everybody has been told.
    const heards = yield* Effect.forEach(listeners, (fiber, i) =>
      Effect.flatMap(outcome(`subscriber ${i}`, fiber), Effect.map(Chunk.toReadonlyArray)))
    for (const events of heards) {
      assert.deepStrictEqual(
        events.filter(({ _tag }) =>
          _tag === "Ended"
        ),
        events.slice(-1)
      )
    }
    const [events = []] = heards
    const received = events.flatMap((event) => event._tag === "Received" ? [event.item] : [])
    // Every frame was known, and came once, in its order.
    assert.deepStrictEqual(
      received.map((item) => Frame.isKnown(item) ? "n" in item && item.n : item._tag),
      received.map((_, i) => i)
    )
    const delivered = new Set(received.map((item) => "uuid" in item ? item.uuid : undefined))

    for (const { fiber, frames, isLeft, isStopped, text, timeout, turn, whenBusy } of sent) {
      const exit = yield* outcome(text, fiber)
      const own = cli.results.get(text)
      const isDelivered = own !== undefined && delivered.has(own)
      if (Exit.isSuccess(exit)) {
        if (!kind.isCertain) continue
        assert.strictEqual(uuidOf(exit.value.frame), own, text)
        // Its streams have the frames of its own turn, and of no other. Responses to requests of the host are of none.
        for (const frame of frames) {
          if ("of" in frame && Array.isArray(frame.of)) assert.include(frame.of, turn?.id, text)
        }
        continue
      }
      if (Cause.isInterrupted(exit.cause)) {
        assert.isTrue(isLeft, `${text} was interrupted by nobody`)
        continue
      }
      const error = Option.getOrThrow(Cause.failureOption(exit.cause))
      const allowed = [
        "SessionClosed",
        ...(whenBusy === "reject" ? ["SessionBusy"] : []),
        ...(timeout === undefined ? [] : ["TurnTimeout"]),
        ...(isStopped || isLeft || cancelsQueued ? ["MessageCancelled"] : [])
      ]
      assert.include(allowed, error._tag, text)
      // Whoever had a result got it, or had gone before it came.
      if (error._tag !== "TurnTimeout") assert.isFalse(isDelivered, `${text} had a result, and failed: ${error._tag}`)
      else if (error.result !== undefined && kind.isCertain) assert.strictEqual(uuidOf(error.result.frame), own, text)
    }
    for (const { fiber, isLeft } of asked) {
      const exit = yield* outcome("a request", fiber)
      if (Exit.isSuccess(exit)) continue
      if (Cause.isInterrupted(exit.cause)) assert.isTrue(isLeft)
      else assert.include(["Refused", "Timeout", "Closed"], Option.getOrThrow(Cause.failureOption(exit.cause)).reason)
    }
    for (const together of interrupts) {
      const exits = yield* Effect.forEach(together, (fiber) => outcome("an interrupt", fiber))
      // At once, they are one: what one is told, all are told.
      for (const exit of exits) assert.deepStrictEqual(exit, exits[0])
    }

    // Nothing ended twice, and nothing was asked or answered twice.
    const endings = events.flatMap((event) =>
      event._tag === "TurnEnded" ? event.messages : event._tag === "MessageEnded" ? [event.message] : []
    )
    assert.strictEqual(new Set(endings).size, endings.length)
    assert.strictEqual(new Set(handled).size, handled.length)
    for (const [id, count] of cli.answers) assert.strictEqual(count, 1, id)

    yield* Scope.close(scope, Exit.void)
    const left = yield* supervisor.value
    assert.deepStrictEqual(left.map((fiber) => String(fiber.id())), [])
  })

describe("whatever happens, in any order", () => {
  const seed = Number(process.env["RACES_SEED"] ?? 20_260)
  const numRuns = Number(process.env["RACES_RUNS"] ?? (process.env["SWEEP"] === "full" ? 200 : 3))

  for (const [name, kind] of Object.entries(kinds)) {
    it(name, async () => {
      const property = fc.asyncProperty(
        schedules,
        fc.array(fc.nat(59), { minLength: 1, maxLength: 40, size: "max" }),
        (schedule, throws) =>
          soon(run(kind, schedule, throws)).pipe(
            // Handlers that fail are part of it.
            Logger.withMinimumLogLevel(LogLevel.None),
            Effect.provide(TestContext.TestContext),
            Effect.runPromise
          )
      )
      for (let slice = 0; slice * 10 < numRuns; slice++) {
        const settings = { seed: seed + slice, numRuns: Math.min(10, numRuns - slice * 10) }
        const report = fc.defaultReportMessage(await fc.check(property, settings))
        assert.isUndefined(report, report)
        // A worker that is silent for a minute is taken for a broken one by the test runner.
        await new Promise((resolve) => setImmediate(resolve))
      }
    })
  }
})
