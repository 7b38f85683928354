/**
 * What users of other libraries suffer from, each as a session would meet it. `docs/pains.md` has the list, with the tests
 * that are elsewhere.
 */
import * as McpServer from "@claude-duplex/mcp/McpServer"
import * as Frame from "@claude-duplex/protocol/Frame"
import * as Permission from "@claude-duplex/session/Permission"
import * as Prompt from "@claude-duplex/session/Prompt"
import * as Session from "@claude-duplex/session/Session"
import * as SessionMetrics from "@claude-duplex/session/SessionMetrics"
import * as Faults from "@claude-duplex/transport-mock/Faults"
import * as MockTransport from "@claude-duplex/transport-mock/MockTransport"
import * as Replay from "@claude-duplex/transport-mock/Replay"
import * as Script from "@claude-duplex/transport-mock/Script"
import { assert, describe, it } from "@effect/vitest"
import { Chunk, Effect, Exit, Fiber, Metric, Option, Scope, Stream, TestClock } from "effect"
import { answered, asked, canUseTool, init, recording, result, session, success, turn } from "./support/sessions.js"

const prompt = Script.expect({ type: "user" }, { label: "prompt" })

/** A result of the turn that `prompt` began, whatever was received since. */
const ended = (text: string) => ({ ...result(text), user_message_uuids: [Script.received("uuid", "prompt")] })

const bytes = (text: string) => new TextEncoder().encode(text)

/** Everything that came over the wire and is no frame, by the reason; from now to the end. */
const strange = ({ subscribe }: Session.Service) =>
  Effect.flatMap(subscribe({ only: ["Received"] }), (events) =>
    events.pipe(
      Stream.filterMap((event) =>
        event._tag === "Received" && !Frame.isKnown(event.item) ? Option.some(event.item.reason) : Option.none()
      ),
      Stream.runCollect,
      Effect.map(Chunk.toReadonlyArray),
      Effect.fork
    ))

describe("what comes over the wire", () => {
  it.scoped("pain 1: a frame of next year is told, is of its turn, and the turn goes on", () =>
    Effect.gen(function*() {
      const hologram = { type: "hologram", projector: { beams: 3 } }
      const s = yield* session(Script.behaviour(Script.make(
        prompt,
        Script.reply(init),
        Script.replyUnchecked(hologram),
        Script.reply(ended("done")),
        Script.exit(0)
      )))
      const reasons = yield* strange(s)
      const { frames, text } = yield* s.send("a")
      assert.strictEqual(text, "done")
      assert.deepStrictEqual(frames.flatMap((frame) => Frame.isKnown(frame) ? [] : [frame.raw]), [hologram])
      yield* s.awaitExit
      assert.deepStrictEqual(yield* Fiber.join(reasons), ["UnknownType"])
    }))

  it.scoped("pain 2: an image of 5 MB goes out and comes in; a line of 65 MiB is lost alone, and told", () =>
    Effect.gen(function*() {
      const image = Prompt.image({ data: new Uint8Array(5_000_000).fill(7), mediaType: "image/png" })
      const s = yield* session(
        Faults.apply(Faults.longLine({ line: 2, bytes: 65 * 1024 * 1024 }))(Script.behaviour(Script.make(
          prompt,
          Script.reply(init),
          Script.reply({
            type: "user",
            message: {
              role: "user",
              content: [{ type: "tool_result", tool_use_id: "t", content: [Script.received("message.content.0")] }]
            },
            parent_tool_use_id: null
          }),
          Script.reply(ended("done")),
          Script.exit(0)
        )))
      )
      const reasons = yield* strange(s)
      const { frames, text } = yield* s.send([image])
      assert.strictEqual(text, "done")
      const came = frames[1]
      assert.isTrue(came !== undefined && Frame.isKnown(came) && came.type === "user")
      assert.isAbove(JSON.stringify(came).length, 6_000_000)
      yield* s.awaitExit
      assert.deepStrictEqual(yield* Fiber.join(reasons), ["LineTooLong"])
    }))

  it.scoped("pain 3: log text before every frame costs none of them, and is told", () =>
    Effect.gen(function*() {
      const s = yield* session(
        Faults.apply(Faults.noise({ seed: 1, chance: 1, texts: ["[warn] low disk space"] }))(
          Script.behaviour(Script.make(...turn("a"), ...turn("b"), Script.exit(0)))
        )
      )
      const reasons = yield* strange(s)
      assert.strictEqual((yield* s.send("a")).text, "echo: a")
      assert.strictEqual((yield* s.send("b")).text, "echo: b")
      yield* s.awaitExit
      assert.deepStrictEqual(yield* Fiber.join(reasons), ["InvalidJson", "InvalidJson", "InvalidJson", "InvalidJson"])
    }))

  it.scoped("pain 4: characters that look like line ends to some are text, in both directions", () =>
    Effect.gen(function*() {
      const text = "a\u2028b\u2029c\u0085d\u000be\u000cf\rg\nh"
      const s = yield* session(Script.behaviour(Script.make(...turn(text))))
      assert.strictEqual((yield* s.send(text)).text, `echo: ${text}`)
    }))

  // Blanks and characters of several bytes at every seam; chunks as small as can be, and as pipes make them.
  for (const [largest, length] of [[1, 500], [7, 2_000], [65_536, 400_000]] as const) {
    it.scoped(`pain 5: the text is the same, whatever it is cut into (chunks of up to ${largest})`, () =>
      Effect.forEach([1, 2, 3, 4, 5], (seed) =>
        Effect.gen(function*() {
          const text = " ß\t水 🍌".repeat(length / 10)
          const s = yield* session(
            Faults.apply(Faults.cut({ seed, largest }))(Script.behaviour(Script.make(...turn(text))))
          )
          assert.strictEqual((yield* s.send(text)).text, `echo: ${text}`)
        })))
  }
})

describe("the end of the input", () => {
  const stopped = (id: string) =>
    Script.reply({
      type: "control_request",
      request_id: id,
      request: {
        subtype: "hook_callback",
        callback_id: "hook_0",
        input: { session_id: "s", transcript_path: "", cwd: "/", hook_event_name: "Stop", stop_hook_active: false }
      }
    })

  it.scoped("pain 6: does not come with a result, so hooks are answered after it; and not while something may be asked", () =>
    Effect.gen(function*() {
      const s = yield* session(
        Script.behaviour(Script.make(
          asked("initialize"),
          Script.reply(success({})),
          ...turn("a"),
          stopped("h1"),
          answered("h1", { continue: true }),
          prompt,
          Script.reply(init),
          Script.delay("1 second"),
          Script.reply(canUseTool("p1")),
          answered("p1", { behavior: "deny" }),
          stopped("h2"),
          answered("h2", { continue: true }),
          Script.reply(ended("done")),
          Script.expectEnd(),
          Script.exit(0)
        )),
        {
          hooks: [{ event: "Stop", run: () => Effect.succeed({ continue: true }) }],
          onPermission: () => Effect.succeed(Permission.deny("no"))
        }
      )
      yield* s.send("a")
      // The hook comes in the same chunk as the result; the next message may overtake its answer.
      yield* TestClock.adjust(0)
      const second = yield* s.start("b")
      assert.strictEqual((yield* Effect.flip(s.endInput()))._tag, "SessionBusy")
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* second.result).text, "done")
      yield* s.endInput()
      assert.deepInclude(yield* s.awaitExit, { _tag: "Exited", code: 0 })
    }))

  it.scoped("pain 6: by force, it is warned about", () =>
    Effect.gen(function*() {
      const s = yield* session(
        Script.behaviour(Script.make(prompt, Script.reply(init), Script.expectEnd(), Script.reply(ended("done")))),
        { onPermission: () => Effect.succeed(Permission.allow()) }
      )
      const { result } = yield* s.start("a")
      yield* s.endInput({ force: true })
      assert.deepStrictEqual((yield* s.warnings).map(({ kind }) => kind), ["InputEndedEarly"])
      assert.strictEqual((yield* result).text, "done")
    }))

  it.scoped("pain 7: does not come before the handshake of an MCP server", () =>
    Effect.gen(function*() {
      const heard: Array<string> = []
      const said = (id: string, message: object) => [
        Script.replyUnchecked({
          type: "control_request",
          request_id: id,
          request: { subtype: "mcp_message", server_name: "calc", message }
        }),
        answered(id, { mcp_response: {} })
      ]
      const s = yield* session(
        Script.behaviour(Script.make(
          asked("initialize"),
          Script.reply(success({})),
          prompt,
          // Slower than any host that ends the input as soon as it has nothing more to say.
          Script.delay("30 seconds"),
          ...said("m1", { jsonrpc: "2.0", id: 0, method: "initialize", params: {} }),
          ...said("m2", { jsonrpc: "2.0", method: "notifications/initialized" }),
          Script.reply(init),
          Script.reply(ended("done")),
          Script.expectEnd(),
          Script.exit(0)
        )),
        {
          mcpServers: {
            calc: McpServer.raw((message) =>
              Effect.sync(() => {
                if ("method" in message) heard.push(message.method)
                return "id" in message && "method" in message
                  ? { jsonrpc: "2.0", id: message.id, result: {} }
                  : undefined
              })
            )
          }
        }
      )
      const { result } = yield* s.start("a")
      assert.strictEqual((yield* Effect.flip(s.endInput()))._tag, "SessionBusy")
      yield* TestClock.adjust("30 seconds")
      assert.strictEqual((yield* result).text, "done")
      assert.deepStrictEqual(heard, ["initialize", "notifications/initialized"])
      yield* s.endInput()
      assert.deepInclude(yield* s.awaitExit, { _tag: "Exited", code: 0 })
    }))
})

describe("turns", () => {
  it.scoped("pain 16: an interrupt is a control frame; the same CLI takes the next message", () =>
    Effect.gen(function*() {
      const s = yield* session(Script.behaviour(Script.make(
        prompt,
        Script.reply(init),
        asked("interrupt"),
        Script.reply(success({ still_queued: [] })),
        Script.reply({
          type: "result",
          subtype: "error_during_execution",
          is_error: true,
          num_turns: 1,
          duration_ms: 1,
          duration_api_ms: 1,
          total_cost_usd: 0,
          session_id: "s",
          terminal_reason: "aborted_streaming",
          user_message_uuids: [Script.received("uuid", "prompt")]
        }),
        ...turn("b"),
        Script.expectEnd(),
        Script.exit(0)
      )))
      const first = yield* s.start("a")
      yield* s.interrupt()
      assert.strictEqual((yield* first.result).outcome, "interrupted")
      assert.strictEqual((yield* s.send("b")).text, "echo: b")
      yield* s.endInput()
      assert.deepInclude(yield* s.awaitExit, { _tag: "Exited" })
    }))

  it.scoped("pain 17: the result of a background task, right beside ours, is nobody's", () =>
    Effect.gen(function*() {
      const s = yield* session(Replay.behaviour(recording("2.1.326/background-race")))
      const ends = yield* (yield* s.subscribe({ only: ["TurnEnded"] })).pipe(
        Stream.take(3),
        Stream.runCollect,
        Effect.fork
      )
      assert.include((yield* s.send("start something")).text, "tool done")
      assert.strictEqual((yield* s.send("another")).text, "echo: SLOW racing with the notification")
      const messages = Chunk.toReadonlyArray(yield* Fiber.join(ends)).map((event) =>
        event._tag === "TurnEnded" ? event.messages.length : event._tag
      )
      assert.deepStrictEqual(messages, [1, 1, 0])
    }))

  it.scoped("pain 18: frames between turns are told, hold nobody up, and are of no turn", () =>
    Effect.gen(function*() {
      const frames = 10_000
      // More writes than a pipe takes: it only goes on if somebody reads, turn or no turn.
      const between = Array.from({ length: frames / 10 }, () => `{"type":"keep_alive"}\n`.repeat(10))
      const s = yield* session(Script.behaviour(Script.make(
        ...turn("a"),
        Script.replyChunks(...between),
        ...turn("b"),
        Script.replyChunks(...between),
        Script.stderr("all written"),
        Script.exit(0)
      )))
      const told = yield* Effect.fork(Stream.runCount(yield* s.subscribe({ only: ["Received"], capacity: 3 * frames })))
      yield* s.send("a")
      assert.strictEqual((yield* s.send("b")).frames.length, 2)
      assert.strictEqual((yield* s.awaitExit).stderr, "all written")
      assert.strictEqual(yield* Fiber.join(told), 2 * frames + 4)
    }))
})

describe("processes", () => {
  /** A CLI that ends a turn, and then neither ends nor reads, though its input is over. */
  const lingering = Script.behaviour(Script.make(...turn("a"), Script.delay("1000 days")))

  it.scoped("pain 20: one that lingers after its result is ended by close", () =>
    Effect.gen(function*() {
      const s = yield* session(lingering)
      yield* s.send("a")
      yield* s.endInput()
      assert.notStrictEqual((yield* s.status.get)._tag, "Closed")
      const exit = yield* s.close
      assert.deepInclude(exit, { _tag: "Signaled", signal: "SIGTERM" })
      assert.strictEqual(exit.lastResult?.text, "echo: a")
      assert.strictEqual((yield* s.status.get)._tag, "Closed")
    }))

  it.effect("pain 22: the pid is shown, and the end of the scope is the end of the process", () =>
    Effect.gen(function*() {
      const scope = yield* Scope.make()
      const { awaitExit, pid, status } = yield* MockTransport.make(() => Effect.never).pipe(
        Effect.flatMap((transport) => Session.fromTransport({ ...transport, pid: 4_711 }, { initialization: "skip" })),
        Scope.extend(scope)
      )
      assert.deepStrictEqual(yield* pid, Option.some(4_711))
      yield* Scope.close(scope, Exit.void)
      assert.strictEqual((yield* status.get)._tag, "Closed")
      assert.deepInclude(yield* awaitExit, { _tag: "Signaled", signal: "SIGTERM" })
    }))

  it.scoped("pain 25: what is too long for an argument goes by initialize", () =>
    Effect.gen(function*() {
      const systemPrompt = ["x".repeat(1_000_000)]
      const s = yield* session(
        Script.behaviour(Script.make(
          Script.expect({ type: "control_request", request: { subtype: "initialize", systemPrompt } }),
          Script.reply(success({}))
        )),
        { initialize: { systemPrompt } }
      )
      assert.isTrue(Option.isSome(yield* s.initialized))
    }))

  it.scoped("pain 25: a turn costs what it cost, though the CLI reports totals", () =>
    Effect.gen(function*() {
      const costing = (text: string, total: number) => [
        Script.expect({ type: "user", message: { content: text } }),
        Script.reply(init),
        Script.reply({ ...result(text), total_cost_usd: total })
      ]
      const s = yield* session(Script.behaviour(Script.make(
        ...costing("a", 0.25),
        ...costing("b", 0.75),
        ...costing("c", 1)
      )))
      const turns = yield* Effect.forEach(["a", "b", "c"], (text) => s.send(text))
      assert.deepStrictEqual(turns.map(({ cost }) => cost.usd), [0.25, 0.5, 0.25])
      assert.strictEqual((yield* s.cost.get).usd, 1)
    }))
})

describe("a backlog", () => {
  const eventsLost = Effect.map(Metric.value(SessionMetrics.eventsLost), ({ count }) => count)

  /** A CLI that says so much at once, and a subscriber who reads nothing of it before the end. */
  const backlog = (frames: number, capacity: number) =>
    Effect.scoped(Effect.gen(function*() {
      const hundred = bytes(`{"type":"keep_alive"}\n`.repeat(100))
      const s = yield* session((peer) =>
        Effect.zipRight(
          peer.receive,
          Effect.forEach(Array.from({ length: frames / 100 }), () => peer.write(hundred), { discard: true })
        )
      )
      const late = yield* s.subscribe({ only: ["Received"], capacity })
      const before = yield* eventsLost
      yield* s.start("go")
      yield* s.awaitExit
      const lost = (yield* eventsLost) - before
      return { lost, seen: Chunk.toReadonlyArray(yield* Stream.runCollect(late)) }
    }))

  it.effect("pain 26: of 200,000 frames is bounded, and what is missing is told", () =>
    Effect.gen(function*() {
      const { lost, seen } = yield* backlog(200_000, 1_000)
      // Let go of when they came, and not when somebody read: no more than twice as many were ever kept.
      assert.isAtLeast(lost, 200_000 - 2 * 1_000)
      assert.strictEqual(seen.length, 1_001)
      assert.deepStrictEqual(seen[0], { _tag: "Lagged", count: 199_000, partialCount: 0 })
    }))

  it.effect("pain 26: is drained in linear time: 200,000 frames cost about 20 times as much as 10,000", () =>
    Effect.gen(function*() {
      const cost = (frames: number) =>
        Effect.gen(function*() {
          const start = process.cpuUsage()
          assert.strictEqual((yield* backlog(frames, frames)).seen.length, frames)
          const { system, user } = process.cpuUsage(start)
          return system + user
        })
      const best = (frames: number, runs: number) =>
        Effect.map(Effect.replicateEffect(cost(frames), runs), (all) => Math.min(...all))
      const few = yield* best(10_000, 8)
      // Quadratic would be 400; this only tells the two apart.
      assert.isBelow((yield* best(200_000, 2)) / few, 200)
    }))
})
