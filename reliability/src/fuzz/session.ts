/**
 * A whole session with handlers for everything, in virtual time: it reads the input as what a CLI says in the middle of two
 * turns and three requests. Whatever that is, everything settles with a typed error or a value, and no fiber is left.
 */
import * as Random from "@claude-duplex/benchmarks/random"
import * as McpServer from "@claude-duplex/mcp/McpServer"
import * as Frame from "@claude-duplex/protocol/Frame"
import * as MessageAccumulator from "@claude-duplex/protocol/MessageAccumulator"
import * as Permission from "@claude-duplex/session/Permission"
import * as Session from "@claude-duplex/session/Session"
import type { SessionEvent } from "@claude-duplex/session/SessionEvent"
import * as MockTransport from "@claude-duplex/transport-mock/MockTransport"
import type { Behaviour } from "@claude-duplex/transport-mock/Peer"
import { Cause, Deferred, Effect, Exit, Fiber, Option, Stream } from "effect"
import { type Failure, failureOf } from "../faults/judge.js"
import { field, parse } from "../recorded/recordedHost.js"
import * as Simulation from "../simulation.js"
import { piecesOf, type Target, violated } from "./targets.js"

const encoder = new TextEncoder()

/** A CLI that says the input once two messages were sent, with the ids of the live host. */
const saying = (bytes: Uint8Array, random: Random.Random): Behaviour => (peer) =>
  Effect.gen(function*() {
    const ready = yield* Deferred.make<ReadonlyArray<string>>()
    const uuids: Array<string> = []
    const hear = Effect.gen(function*() {
      for (;;) {
        const line = yield* peer.receive
        if (Option.isNone(line)) return
        const frame = parse(line.value)
        if (field(frame, "request", "subtype") === "initialize") yield* peer.write(initialized(frame["request_id"]))
        if (frame["type"] === "user") uuids.push(String(frame["uuid"]))
        if (uuids.length === 2) yield* Deferred.succeed(ready, uuids)
      }
    })
    const speak = Effect.gen(function*() {
      const ids = yield* Deferred.await(ready)
      // Byte for byte, whatever they are.
      const text = Buffer.from(bytes).toString("latin1")
        .replaceAll("$message0", ids[0] ?? "").replaceAll("$message1", ids[1] ?? "")
        .replaceAll("$request0", "req_2").replaceAll("$request1", "req_3").replaceAll("$request2", "req_4")
      for (const piece of piecesOf(Buffer.from(text, "latin1"))) yield* peer.write(piece)
      yield* peer.write(encoder.encode(`\n{"type":"keep_alive"}\n`))
      if (random.next() < 0.5) yield* Effect.sleep("2 minutes")
      yield* peer.exit(random.next() < 0.5 ? { _tag: "Exited", code: 0 } : { _tag: "Signaled", signal: "SIGKILL" })
    })
    yield* Effect.raceFirst(speak, Effect.zipRight(hear, Effect.never))
  })

const initialized = (id: unknown) =>
  encoder.encode(`${
    JSON.stringify({
      type: "control_response",
      response: {
        subtype: "success",
        request_id: id,
        response: { commands: [], agents: [], output_style: "x", available_output_styles: [], models: [], account: {} }
      }
    })
  }\n`)

const handlers: Session.Options = {
  onPermission: ({ input }) => Effect.succeed(Permission.allow({ updatedInput: input })),
  onElicitation: () => Effect.succeed({ action: "decline" }),
  onUserDialog: () => Effect.die("no dialogs here"),
  hooks: [{ event: "PreToolUse", run: () => Effect.succeed({}) }, { event: "Stop", run: () => Effect.never }],
  mcpServers: { calc: McpServer.raw((message) => Effect.succeed({ jsonrpc: "2.0", id: idOf(message), result: {} })) },
  // What is shown to a tracer is what came.
  tracePayloads: true,
  history: 64
}

const idOf = (message: object): string | number => {
  const id = field(message, "id")
  return typeof id === "string" || typeof id === "number" ? id : 0
}

const scene = (bytes: Uint8Array) =>
  Effect.scoped(Effect.gen(function*() {
    const random = Random.make(bytes.length)
    const transport = yield* MockTransport.make(saying(bytes, random))
    const s = yield* Session.fromTransport(transport, handlers)
    const events: Array<SessionEvent> = []
    const listening = yield* Effect.fork(
      Stream.runForEach(
        yield* s.subscribe({ capacity: 1e6, stateCapacity: 1e6 }),
        (event) => Effect.sync(() => events.push(event))
      )
    )
    // Two that are slow: one loses frames, and one is cut off.
    const slow = yield* Effect.fork(
      Stream.runForEach(yield* s.subscribe({ capacity: 2 }), () => Effect.sleep("1 second"))
    )
    const ended = yield* Effect.fork(
      Stream.runForEach(yield* s.subscribe({ capacity: 2, stateCapacity: 2, strategy: "fail" }), () =>
        Effect.sleep("1 second"))
    )
    const text = yield* Effect.fork(Stream.runDrain(s.sessionId.changes))
    const first = yield* s.start("one")
    const second = yield* s.start("two", { whenBusy: "steer" })
    const third = yield* s.start("three", { whenBusy: "queue", timeout: "30 seconds" })
    const accumulated = yield* Effect.fork(Stream.runDrain(MessageAccumulator.accumulate(first.frames)))
    const requests = yield* Effect.forEach(
      [Effect.asVoid(s.control.mcpStatus()), Effect.asVoid(s.control.getContextUsage()), Effect.asVoid(s.interrupt())],
      (request) =>
        Effect.fork(request)
    )
    yield* s.awaitExit
    const settled: ReadonlyArray<Exit.Exit<void, Failure>> = [
      ...yield* Effect.forEach([first, second, third], ({ result }) => Effect.exit(Effect.asVoid(result))),
      ...yield* Effect.forEach(requests, Fiber.await)
    ]
    yield* Effect.forEach([listening, slow, text], Fiber.join)
    // These two may fail with what their signatures list.
    yield* Fiber.await(ended)
    yield* Fiber.await(accumulated)
    return { events, settled }
  }))

const reasons = new Set([
  "SessionClosed",
  "MessageCancelled",
  "TurnTimeout",
  "Closed",
  "Cancelled",
  "Timeout",
  "Refused",
  "Unsupported",
  "InvalidResponse"
])

/** Reads the input in the middle of everything. */
export const session: Target = (bytes) => {
  const outcome = Simulation.run(scene(bytes))
  if (outcome._tag !== "Done") return violated(`the session is ${outcome._tag}`)
  if (Exit.isFailure(outcome.exit)) return violated(`the session failed: ${Cause.pretty(outcome.exit.cause)}`)
  if (outcome.left > 0) violated(`${outcome.left} fibers sleep on after the end`)
  const { events, settled } = outcome.exit.value
  for (const exit of settled) {
    if (Exit.isSuccess(exit)) continue
    const failure = Cause.failureOption(exit.cause)
    if (Option.isNone(failure) || !reasons.has(failureOf(failure.value))) {
      violated(`ended with ${Cause.pretty(exit.cause)}`)
    }
  }
  const received = events.flatMap((event) => event._tag === "Received" ? [event.item] : [])
  const last = received.at(-1)
  if (last === undefined || !Frame.isKnown(last) || last.type !== "keep_alive") {
    violated("the next good frame did not arrive")
  }
  if (events.at(-1)?._tag !== "Ended") violated("the end was not the end")
}
