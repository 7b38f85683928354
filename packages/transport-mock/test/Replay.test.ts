import * as MockTransport from "@claude-duplex/transport-mock/MockTransport"
import type { Entry } from "@claude-duplex/transport-mock/Recording"
import * as Replay from "@claude-duplex/transport-mock/Replay"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Either, Fiber, TestClock } from "effect"
import { replaceStrings } from "../src/internal/jsonStrings.js"
import { host, linesOf, reader, recording, recordings } from "./support/recordings.js"

const fromHost = (line: string | object, t = 0): Entry => ({ t, dir: "host", line: textOf(line) })
const fromCli = (line: string | object, t = 0): Entry => ({ t, dir: "cli", line: textOf(line) })
const textOf = (line: string | object) => typeof line === "string" ? line : JSON.stringify(line)

const user = (content: string, more = {}) => ({ type: "user", message: { role: "user", content }, ...more })
const request = (request_id: string, subtype: string, more = {}) => ({
  type: "control_request",
  request_id,
  request: { subtype, ...more }
})
const answer = (request_id: string, response: object = {}) => ({
  type: "control_response",
  response: { subtype: "success", request_id, response }
})
const refusal = (request_id: string, error: string, more = {}) => ({
  type: "control_response",
  response: { subtype: "error", request_id, error, ...more }
})

/** A replay of `entries`, and hands for the host's side of it. */
const open = (entries: ReadonlyArray<Entry>, options?: Replay.Options) =>
  Effect.gen(function*() {
    const transport = yield* MockTransport.make(Replay.behaviour({ entries }, options))
    const incoming = yield* reader(transport)
    return {
      ...transport,
      say: (...lines: ReadonlyArray<string | object>) =>
        Effect.forEach(lines, (line) => transport.send(textOf(line)), { discard: true }),
      /** What has come so far, once everybody waits. */
      heard: Effect.repeatN(Effect.yieldNow(), 50).pipe(
        Effect.zipRight(incoming.clear),
        Effect.map((lines) => Array.from(lines))
      ),
      /** Ends the input, and gives the rest and how it went. */
      finish: Effect.gen(function*() {
        yield* transport.endInput
        const exit = yield* transport.exit
        const [rest] = yield* incoming.takeAll
        return { exit, rest: Array.from(rest), outcome: yield* Effect.either(transport.outcome) }
      })
    }
  })

/** How a host fares that sends these lines and then ends its input. */
const strays = (
  entries: ReadonlyArray<Entry>,
  lines: ReadonlyArray<string | object>,
  options?: Replay.Options
) =>
  Effect.gen(function*() {
    const live = yield* open(entries, options)
    yield* live.say(...lines).pipe(Effect.ignore)
    const { exit, outcome } = yield* live.finish
    if (Either.isRight(outcome)) return yield* Effect.dieMessage("The replay took no offence.")
    assert.deepInclude(exit, { _tag: "Exited", code: MockTransport.failureCode })
    assert.include(exit.stderr, outcome.left.message.split("\n")[0] ?? "")
    return outcome.left
  })

describe("Replay of every recording", () => {
  for (const compare of ["kind", "exact"] as const) {
    for (const { entries, name } of recordings) {
      it.scoped(`${name}: the recorded host gets the recorded lines, compared by ${compare}`, () =>
        Effect.gen(function*() {
          const transport = yield* MockTransport.make(Replay.behaviour({ entries }, { compare }))
          assert.deepStrictEqual(yield* host(transport, entries), linesOf({ entries }, "cli"))
          assert.deepStrictEqual(yield* transport.exit, { _tag: "Exited", code: 0, stderr: "" })
          yield* transport.outcome
        }))

      it.scoped(`${name}: a host with other ids gets the same lines with its ids, compared by ${compare}`, () =>
        Effect.gen(function*() {
          const fresh = freshIds(entries)
          const transport = yield* MockTransport.make(Replay.behaviour({ entries }, { compare }))
          const received = yield* host(transport, entries, (line) => renameByParsing(line, fresh))
          yield* transport.outcome
          // No two ids are alike, so putting the recorded ones back must give the recorded bytes.
          assert.deepStrictEqual(
            received.map((line) =>
              Array.from(fresh).reduce(
                (text, [recorded, live]) => text.replaceAll(JSON.stringify(live), JSON.stringify(recorded)),
                line
              )
            ),
            linesOf({ entries }, "cli")
          )
          assert.deepStrictEqual(
            received.map(parsed),
            linesOf({ entries }, "cli").map((line) => parsed(renameByParsing(line, fresh)))
          )
        }))
    }
  }
})

/** Every id that the host chose, and another in its place. */
const freshIds = (entries: ReadonlyArray<Entry>): ReadonlyMap<string, string> => {
  const ids = new Map<string, string>()
  for (const { dir, line } of entries) {
    if (dir === "cli") continue
    for (const [, id = ""] of line.matchAll(/"(?:uuid|hookCallbackIds)":\[?"([^"]*)"/g)) {
      ids.set(id, `fresh-${ids.size}-${"é"}`)
    }
    const [, id] = /^{"type":"control_request","request_id":"([^"]*)"/.exec(line) ?? []
    if (id !== undefined) ids.set(id, `fresh-${ids.size}-"`)
  }
  return ids
}

const parsed = (line: string): unknown => JSON.parse(line)

const renameByParsing = (line: string, ids: ReadonlyMap<string, string>): string => {
  const rename = (_: string, value: unknown) => typeof value === "string" ? ids.get(value) ?? value : value
  try {
    return JSON.stringify(JSON.parse(line, rename))
  } catch {
    return line
  }
}

describe("causal", () => {
  const conversation = [
    fromHost(request("r1", "initialize")),
    fromCli(answer("r1")),
    fromHost(user("one", { uuid: "u1" })),
    fromCli("first"),
    fromCli({ type: "result", user_message_uuids: ["u1"] }),
    fromHost(user("two", { uuid: "u2" })),
    fromCli({ type: "result", user_message_uuids: ["u2", "u1"] })
  ]

  it.scoped("writes a line when its causes have been sent, and not before", () =>
    Effect.gen(function*() {
      const live = yield* open(conversation)
      assert.deepStrictEqual(yield* live.heard, [])
      yield* live.say(request("r1", "initialize"))
      assert.deepStrictEqual(yield* live.heard, [textOf(answer("r1"))])
      yield* live.say(user("one"))
      assert.deepStrictEqual((yield* live.heard).length, 2)
      yield* live.say(user("two"))
      assert.deepStrictEqual((yield* live.finish).rest.length, 1)
    }))

  it.scoped("lets messages come early, and requests between them", () =>
    Effect.gen(function*() {
      const live = yield* open(conversation)
      yield* live.say(user("one", { uuid: "U1" }), user("two", { uuid: "U2" }))
      assert.deepStrictEqual(yield* live.heard, [])
      yield* live.say(request("R1", "initialize"))
      assert.deepStrictEqual((yield* live.finish).rest, [
        textOf(answer("R1")),
        "first",
        textOf({ type: "result", user_message_uuids: ["U1"] }),
        textOf({ type: "result", user_message_uuids: ["U2", "U1"] })
      ])
    }))

  it.scoped("leaves an id alone that the live host did not give", () =>
    Effect.gen(function*() {
      const live = yield* open(conversation)
      yield* live.say(request("R1", "initialize"), user("one"), user("two", { uuid: "U2" }))
      assert.deepStrictEqual((yield* live.finish).rest.slice(2), [
        textOf({ type: "result", user_message_uuids: ["u1"] }),
        textOf({ type: "result", user_message_uuids: ["U2", "u1"] })
      ])
    }))

  it.scoped("takes answers to different requests in any order", () =>
    Effect.gen(function*() {
      const live = yield* open([
        fromCli(request("c1", "can_use_tool")),
        fromCli(request("c2", "hook_callback")),
        fromHost(answer("c1", { behavior: "allow" })),
        fromHost(answer("c2")),
        fromCli("done")
      ])
      yield* live.say(answer("c2"))
      assert.deepStrictEqual(yield* live.heard, [
        textOf(request("c1", "can_use_tool")),
        textOf(request("c2", "hook_callback"))
      ])
      yield* live.say(answer("c1", { behavior: "allow" }))
      assert.deepStrictEqual(yield* live.heard, ["done"])
    }))

  it.scoped("knows two ids apart that changed places, and one that was used twice", () =>
    Effect.gen(function*() {
      const live = yield* open([
        fromHost(request("a", "mcp_status")),
        fromHost(request("b", "get_usage")),
        fromCli(answer("a")),
        fromCli(answer("b")),
        fromHost(request("a", "interrupt")),
        fromCli(answer("a"))
      ])
      yield* live.say(request("c", "interrupt"), request("b", "mcp_status"), request("a", "get_usage"))
      assert.deepStrictEqual((yield* live.finish).rest, ["b", "a", "c"].map((id) => textOf(answer(id))))
    }))

  it.scoped("gives hooks the callbacks that the live host registered", () =>
    Effect.gen(function*() {
      const hooks = (pre: string, stop: string) => ({
        hooks: { PreToolUse: [{ matcher: "Bash", hookCallbackIds: [pre] }], Stop: [{ hookCallbackIds: [stop] }] }
      })
      const live = yield* open([
        fromHost(request("r1", "initialize", hooks("hook_0", "hook_1"))),
        fromCli(request("c1", "hook_callback", { callback_id: "hook_1" })),
        fromHost(answer("c1"))
      ], { compare: "exact" })
      yield* live.say(request("r9", "initialize", hooks("hook_1", "hook_0")), answer("c1"))
      const { outcome, rest } = yield* live.finish
      assert.deepStrictEqual(rest, [textOf(request("c1", "hook_callback", { callback_id: "hook_0" }))])
      assert.isTrue(Either.isRight(outcome))
    }))

  it.scoped("renames a session that both hosts name, and no mere word", () =>
    Effect.gen(function*() {
      const live = yield* open([
        fromHost(user("one", { session_id: "default" })),
        fromCli({ type: "system", session_id: "s1", mode: "default" }),
        fromHost(user("two", { session_id: "s1" })),
        fromCli({ type: "result", session_id: "s1" })
      ])
      yield* live.say(user("one", { session_id: "mine" }), user("two", { session_id: "mine" }))
      assert.deepStrictEqual((yield* live.finish).rest, [
        textOf({ type: "system", session_id: "s1", mode: "default" }),
        textOf({ type: "result", session_id: "mine" })
      ])
    }))

  it.scoped("matches a withdrawal with that of the same request", () =>
    Effect.gen(function*() {
      const cancel = (request_id: string) => ({ type: "control_cancel_request", request_id })
      const entries = [
        fromHost(request("a", "mcp_status")),
        fromHost(request("b", "get_usage")),
        fromHost(cancel("b")),
        fromCli("done")
      ]
      const live = yield* open(entries)
      yield* live.say(request("A", "mcp_status"), request("B", "get_usage"), cancel("B"))
      assert.deepStrictEqual(yield* live.heard, ["done"])
      const error = yield* strays(entries, [request("A", "mcp_status"), request("B", "get_usage"), cancel("A")])
      assert.strictEqual(error.reason, "Unexpected")
    }))

  it.scoped("writes broken bytes as they were", () =>
    Effect.gen(function*() {
      const bytes: Array<number> = []
      yield* Replay.behaviour({ entries: [fromCli("a\udcff\r")] })({
        receive: Effect.succeedNone,
        write: (chunk) => Effect.sync(() => bytes.push(...chunk)),
        writeStderr: () => Effect.void,
        exit: () => Effect.void
      })
      assert.deepStrictEqual(bytes, [0x61, 0xff, 0x0d, 0x0a])
    }))

  it.scoped("starts afresh for each host", () =>
    Effect.gen(function*() {
      const behaviour = Replay.behaviour(recording("2.1.326/queue-two"))
      for (let run = 0; run < 2; run++) {
        const transport = yield* MockTransport.make(behaviour)
        yield* host(transport, recording("2.1.326/queue-two").entries)
        yield* transport.outcome
      }
    }))
})

describe("a host that strays", () => {
  const { entries } = recording("2.1.326/permission-allow")
  const [prompt = "", allow = ""] = linesOf({ entries }, "host")

  it.scoped("by ending its input is told what is missing, and where", () =>
    Effect.gen(function*() {
      const error = yield* strays(entries, [prompt])
      assert.strictEqual(error.reason, "EndOfInput")
      const [headline, position, expected, actual] = error.message.split("\n")
      assert.strictEqual(headline, "The host ended its input, and the recording has more of it.")
      assert.strictEqual(position, "  entry 5 of 8")
      assert.match(expected ?? "", /^ {2}expected: control_response success allow {"type":"control_response",/)
      assert.strictEqual(actual, "  actual:   the end of the input")
    }))

  it.scoped("by another answer is told both", () =>
    Effect.gen(function*() {
      const deny = allow.replace(/"behavior".*/, `"behavior":"deny","message":"no"}}}`)
      const error = yield* strays(entries, [prompt, deny])
      assert.strictEqual(error.reason, "Mismatch")
      assert.include(error.message, "entry 5 of 8")
      assert.include(error.message, "expected: control_response success allow")
      assert.include(error.message, "actual:   control_response success deny")
    }))

  it.scoped("by an answer to nothing, or a second one, is told so", () =>
    Effect.gen(function*() {
      const error = yield* strays(entries, [prompt, answer("nobody")])
      assert.strictEqual(error.reason, "Unexpected")
      assert.include(error.message, `did not answer the request "nobody"`)
      assert.include(error.message, "expected: control_response success allow")
      const again = yield* strays(entries, [prompt, allow, allow])
      assert.strictEqual(again.reason, "Unexpected")
      assert.include(again.message, "after all 8 entries\n  expected: the end of the input")
    }))

  it.scoped("by a message too many, a request, or a line that is not JSON", () =>
    Effect.gen(function*() {
      assert.include((yield* strays(entries, [prompt, allow, user("more")])).message, `actual:   user {"type":"user"`)
      const notAnswered = yield* strays(entries, [request("x", "initialize")], { initialize: false })
      assert.include(notAnswered.message, "answers a host that does")
      assert.include((yield* strays(entries, [request("x", "set_model")])).message, "`ignoreExtra`")
      assert.include((yield* strays(entries, ["oops"])).message, `actual:   a line that is not JSON "oops"`)
    }))

  it.scoped("is shown where it differs if it is compared exactly", () =>
    Effect.gen(function*() {
      const recorded = [fromHost(request("r1", "set_model", { model: "opus" })), fromCli(answer("r1"))]
      const error = yield* strays(recorded, [request("x", "set_model", { model: "haiku" })], { compare: "exact" })
      assert.strictEqual(error.reason, "Mismatch")
      assert.deepStrictEqual(error.differences, [
        { path: "request.model", expected: `"opus"`, actual: `"haiku"` }
      ])
      assert.include(error.message, `    request.model\n      expected: "opus"\n      actual:   "haiku"`)
    }))

  it.scoped("is shown no more of a long frame than can be read", () =>
    Effect.gen(function*() {
      const error = yield* strays(entries, [user("x".repeat(100_000)), user("y".repeat(100_000))])
      assert.isBelow(error.message.length, 2_000)
    }))
})

describe("compare", () => {
  const entries = [
    fromHost(user("one", { uuid: "u1" })),
    fromCli(request("c1", "can_use_tool")),
    fromHost(answer("c1", { behavior: "allow", updatedInput: {} }))
  ]
  const fares = (compare: Replay.Compare, ...lines: ReadonlyArray<object>) =>
    Effect.gen(function*() {
      const live = yield* open(entries, { compare })
      yield* live.say(...lines).pipe(Effect.ignore)
      const { outcome } = yield* live.finish
      return Either.isRight(outcome) ? "fine" : outcome.left.reason
    })

  it.scoped("exact, kind and none", () =>
    Effect.gen(function*() {
      const same = [user("one"), answer("c1", { updatedInput: {}, behavior: "allow" })]
      const other = [user("two"), answer("c1", { behavior: "allow" })]
      const denied = [user("one"), answer("c1", { behavior: "deny" })]
      const failed = [user("one"), refusal("c1", "no")]
      assert.deepStrictEqual(
        yield* Effect.forEach(["exact", "kind", "none"] as const, (compare) =>
          Effect.forEach([same, other, denied, failed], (lines) => fares(compare, ...lines))),
        [
          ["fine", "Mismatch", "Mismatch", "Mismatch"],
          ["fine", "fine", "Mismatch", "Mismatch"],
          ["fine", "fine", "fine", "fine"]
        ]
      )
    }))
})

describe("ignoreExtra and initialize", () => {
  const { entries } = recording("2.1.326/plain")
  const [one = "", two = ""] = linesOf({ entries }, "host")

  it.scoped("answer a request that was not recorded", () =>
    Effect.gen(function*() {
      const live = yield* open(entries, { ignoreExtra: true, initialize: true })
      yield* live.say(request("i1", "initialize"), request("x", "hologram"))
      assert.deepStrictEqual((yield* live.heard).map(parsed), [
        answer("i1", {
          commands: [],
          agents: [],
          output_style: "default",
          available_output_styles: ["default"],
          models: [],
          account: {}
        }),
        refusal("x", "Unsupported control request subtype: hologram", { error_code: "unsupported_request" })
      ])
      yield* live.say(
        one,
        answer("nobody"),
        { type: "control_cancel_request", request_id: "x" },
        { type: "weird" },
        two
      )
      const { outcome, rest } = yield* live.finish
      assert.isTrue(Either.isRight(outcome))
      assert.deepStrictEqual(rest, linesOf({ entries }, "cli"))
    }))

  it.scoped("are not for messages, nor for what no CLI could read", () =>
    Effect.gen(function*() {
      for (const line of [user("more"), "not JSON"]) {
        const error = yield* strays(entries, [one, two, line], { ignoreExtra: true, initialize: true })
        assert.strictEqual(error.reason, "Unexpected")
      }
    }))

  it.scoped("refuse an initialize that was not recorded, if `initialize` is false", () =>
    Effect.gen(function*() {
      const live = yield* open(entries, { ignoreExtra: true, initialize: false })
      yield* live.say(request("i1", "initialize"))
      assert.match((yield* live.heard)[0] ?? "", /unsupported_request/)
    }))

  it.scoped("do not touch what was recorded", () =>
    Effect.gen(function*() {
      const { entries } = recording("2.1.326/initialize-hooks")
      const transport = yield* MockTransport.make(
        Replay.behaviour({ entries }, { ignoreExtra: true, initialize: true })
      )
      assert.deepStrictEqual(yield* host(transport, entries), linesOf({ entries }, "cli"))
    }))
})

describe("timed", () => {
  const entries = [
    fromHost(user("one"), 50),
    fromCli("a", 150),
    fromCli("b", 150),
    fromCli("c", 1_150),
    fromHost(user("two"), 9_000),
    fromCli("d", 9_010)
  ]

  it.scoped("keeps the recorded gaps, and waits for the host", () =>
    Effect.gen(function*() {
      const live = yield* open(entries, { mode: "timed" })
      yield* TestClock.adjust(1_000)
      assert.deepStrictEqual(yield* live.heard, [])
      yield* live.say(user("one"))
      assert.deepStrictEqual(yield* live.heard, [])
      yield* TestClock.adjust(99)
      assert.deepStrictEqual(yield* live.heard, [])
      yield* TestClock.adjust(1)
      assert.deepStrictEqual(yield* live.heard, ["a", "b"])
      yield* TestClock.adjust(999)
      assert.deepStrictEqual(yield* live.heard, [])
      yield* TestClock.adjust(1)
      assert.deepStrictEqual(yield* live.heard, ["c"])
      yield* TestClock.adjust(60_000)
      assert.deepStrictEqual(yield* live.heard, [])
      yield* live.say(user("two"))
      yield* TestClock.adjust(10)
      assert.deepStrictEqual((yield* live.finish).rest, ["d"])
    }))

  it.scoped("is faster by a factor", () =>
    Effect.gen(function*() {
      const live = yield* open(entries, { mode: "timed", speed: 10 })
      yield* live.say(user("one"))
      yield* TestClock.adjust(10)
      assert.deepStrictEqual(yield* live.heard, ["a", "b"])
      yield* TestClock.adjust(100)
      assert.deepStrictEqual(yield* live.heard, ["c"])
    }))

  it.scoped("notices a host that strays while it waits", () =>
    Effect.gen(function*() {
      const error = yield* strays(entries, [user("one"), user("two"), user("three")], { mode: "timed" })
      assert.strictEqual(error.reason, "Unexpected")
    }))

  it.scoped("gives a real recording at its own pace", () =>
    Effect.gen(function*() {
      const { entries } = recording("2.1.326/interrupt")
      const transport = yield* MockTransport.make(Replay.behaviour({ entries }, { mode: "timed" }))
      const received = yield* Effect.fork(host(transport, entries))
      yield* TestClock.adjust(entries.at(-1)?.t ?? 0)
      assert.deepStrictEqual(yield* Fiber.join(received), linesOf({ entries }, "cli"))
    }))
})

describe("fast", () => {
  it.scoped("writes everything at once, whatever the host does", () =>
    Effect.gen(function*() {
      const { entries } = recording("2.1.326/sdk-mcp")
      const live = yield* open(entries, { mode: "fast" })
      assert.deepStrictEqual(yield* live.heard, linesOf({ entries }, "cli"))
      yield* live.say("anything", user("at all"))
      assert.isTrue(Either.isRight((yield* live.finish).outcome))
    }))

  it.scoped("is how a recording without a host is played", () =>
    Effect.gen(function*() {
      const live = yield* open([fromCli("a"), fromCli("b")])
      yield* live.say(user("hello"))
      const { outcome, rest } = yield* live.finish
      assert.deepStrictEqual(rest, ["a", "b"])
      assert.isTrue(Either.isRight(outcome))
    }))
})

describe("the end", () => {
  it.scoped("comes with the host's end of input, with the given exit", () =>
    Effect.gen(function*() {
      const { entries } = recording("2.1.326/max-turns")
      const live = yield* open(entries, { exit: { _tag: "Exited", code: 1 } })
      yield* live.say(...linesOf({ entries }, "host"))
      const exit = yield* Effect.fork(live.exit)
      yield* live.heard
      assert.isNull(exit.unsafePoll())
      assert.deepStrictEqual((yield* live.finish).exit, { _tag: "Exited", code: 1, stderr: "" })
    }))

  it.scoped("comes by itself after the last entry, if so wanted", () =>
    Effect.gen(function*() {
      const { entries } = recording("2.1.326/malformed-in")
      const live = yield* open(entries, { exit: { _tag: "Exited", code: 1 }, exitAfter: "LastEntry" })
      yield* live.say(...linesOf({ entries }, "host"))
      assert.deepStrictEqual(yield* live.exit, { _tag: "Exited", code: 1, stderr: "" })
      yield* live.outcome
    }))

  it.scoped("does not hide a host that strays before it", () =>
    Effect.gen(function*() {
      const { entries } = recording("2.1.326/malformed-in")
      const error = yield* strays(entries, [], { exitAfter: "LastEntry" })
      assert.strictEqual(error.reason, "EndOfInput")
    }))

  it.scoped("may be a signal", () =>
    Effect.gen(function*() {
      const { entries } = recording("2.1.326/kill-midturn")
      const live = yield* open(entries, { exit: { _tag: "Signaled", signal: "SIGTERM" }, exitAfter: "LastEntry" })
      yield* live.say(...linesOf({ entries }, "host"))
      assert.deepInclude(yield* live.exit, { _tag: "Signaled", signal: "SIGTERM" })
    }))
})

describe("sessionId", () => {
  for (const mode of ["causal", "fast"] as const) {
    it.scoped(`takes the place of the recorded one (${mode})`, () =>
      Effect.gen(function*() {
        const { entries } = recording("2.1.326/plain")
        const live = yield* open(entries, { mode, sessionId: "mine" })
        yield* live.say(...linesOf({ entries }, "host"))
        const { rest } = yield* live.finish
        for (const line of rest) assert.include(line, `"session_id":"mine"`)
      }))
  }
})

describe("replaceStrings", () => {
  const ids = new Map([["a", "b"], ["b", "a"], [`q"\\`, "plain"], ["plain", `q"\\`]])

  it("changes values that equal, and nothing else", () => {
    const cases: ReadonlyArray<readonly [string, string]> = [
      [`{"x":"a","y":["b", "ab"]}`, `{"x":"b","y":["a", "ab"]}`],
      [`{"a":"a", "b" : 1.00}`, `{"a":"b", "b" : 1.00}`],
      [`{"x":"say \\"a","y":"\\\\","z":"a"}`, `{"x":"say \\"a","y":"\\\\","z":"b"}`],
      [`{"x":"{\\"id\\":\\"a\\"}"}`, `{"x":"{\\"id\\":\\"a\\"}"}`],
      [`{"x":"q\\"\\\\"}`, `{"x":"plain"}`],
      [`["plain",1e3,"\\u0061","a"]`, `["q\\"\\\\",1e3,"b","b"]`],
      [`"a" is not JSON`, `"a" is not JSON`],
      [`"a"`, `"b"`],
      ["", ""]
    ]
    for (const [before, after] of cases) assert.strictEqual(replaceStrings(before, ids), after)
  })
})
