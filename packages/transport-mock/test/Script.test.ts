import * as Codec from "@claude-duplex/protocol/Codec"
import * as Frame from "@claude-duplex/protocol/Frame"
import { Unknown } from "@claude-duplex/protocol/Frame"
import * as MockTransport from "@claude-duplex/transport-mock/MockTransport"
import * as Script from "@claude-duplex/transport-mock/Script"
import type { ScriptError } from "@claude-duplex/transport-mock/ScriptError"
import { assert, describe, it } from "@effect/vitest"
import { Chunk, Effect, Either, Fiber, Option, Schema, Stream, TestClock } from "effect"

const user = (content: string) => ({ type: "user" as const, message: { role: "user" as const, content } })

const initialize = (id: string) => ({
  type: "control_request" as const,
  request_id: id,
  request: { subtype: "initialize" as const }
})

const cancel = (id: string) => ({ type: "control_cancel_request" as const, request_id: id })

const success = <Id>(id: Id) => ({
  type: "control_response" as const,
  response: { subtype: "success" as const, request_id: id, response: {} }
})

const line = (value: unknown) => JSON.stringify(value)

/** Sends all of it at once, ends the input, and gives back what the fake wrote and how it ended. */
const play = (script: Script.Script, ...frames: ReadonlyArray<unknown>) =>
  Effect.gen(function*() {
    const transport = yield* MockTransport.make(Script.behaviour(script))
    for (const frame of frames) yield* transport.send(typeof frame === "string" ? frame : line(frame))
    yield* transport.endInput
    const chunks = Array.from(yield* Stream.runCollect(transport.incoming), (chunk) => new TextDecoder().decode(chunk))
    return { chunks, lines: chunks.join("").split("\n").slice(0, -1), exit: yield* transport.exit, transport }
  })

/** The error of a script that must fail. */
const failureOf = (script: Script.Script, ...frames: ReadonlyArray<unknown>) =>
  Effect.flatMap(play(script, ...frames), ({ transport }) => Effect.flip(transport.outcome))

const assertMessage = (error: ScriptError, ...lines: ReadonlyArray<string>) =>
  assert.strictEqual(error.message, lines.join("\n"))

describe("expecting", () => {
  it.scoped("partially: the given fields at every depth", () =>
    Effect.gen(function*() {
      const { exit, lines, transport } = yield* play(
        Script.make(
          Script.expect({ type: "user", message: { content: "hello" } }),
          Script.reply({ type: "keep_alive" })
        ),
        { ...user("hello"), uuid: "1" }
      )
      yield* transport.outcome
      assert.deepStrictEqual(lines, [`{"type":"keep_alive"}`])
      assert.deepStrictEqual(exit, { _tag: "Exited", code: 0, stderr: "" })
    }))

  it.scoped("a field that differs is shown with position, both frames and its path", () =>
    Effect.gen(function*() {
      const error = yield* failureOf(
        Script.make(
          Script.expect(initialize("1")),
          Script.expect({ type: "user", message: { content: "hello" } }, { label: "prompt" }),
          Script.exit(0)
        ),
        initialize("1"),
        user("bye")
      )
      assert.deepStrictEqual([error.reason, error.step, error.steps], ["Unexpected", 2, 3])
      assertMessage(
        error,
        `The host sent a frame that the script does not expect.`,
        `  step 2 of 3: expect "prompt"`,
        `  expected at least: {`,
        `    "type": "user",`,
        `    "message": {`,
        `      "content": "hello"`,
        `    }`,
        `  }`,
        `  actual: {`,
        `    "type": "user",`,
        `    "message": {`,
        `      "role": "user",`,
        `      "content": "bye"`,
        `    }`,
        `  }`,
        `  differences:`,
        `    message.content`,
        `      expected: "hello"`,
        `      actual:   "bye"`
      )
    }))

  it.scoped("exactly: no other fields, and the order of keys is of no meaning", () =>
    Effect.gen(function*() {
      const script = Script.make(Script.expectExactly({ request_id: "1", type: "control_cancel_request" }))
      yield* Effect.flatMap(play(script, cancel("1")), ({ transport }) => transport.outcome)
      const error = yield* failureOf(script, { ...cancel("1"), extra: [true] })
      assert.include(error.message, "expected exactly: {")
      assert.deepStrictEqual(error.differences, [{ path: "extra", expected: "nothing", actual: "[true]" }])
    }))

  it.scoped("arrays have the given length, and match element by element", () =>
    Effect.gen(function*() {
      const blocks = (...texts: ReadonlyArray<string>) => ({
        type: "user",
        message: { role: "user", content: texts.map((text) => ({ type: "text", text })) }
      })
      const script = Script.make(Script.expect({ message: { content: [{ text: "a" }, {}] } }))
      yield* Effect.flatMap(play(script, blocks("a", "b")), ({ transport }) => transport.outcome)
      assert.deepStrictEqual(
        (yield* failureOf(script, blocks("x", "b", "c"))).differences,
        [
          { path: "message.content.0.text", expected: `"a"`, actual: `"x"` },
          { path: "message.content.2", expected: "nothing", actual: `{"type":"text","text":"c"}` }
        ]
      )
    }))

  it.scoped("by a function, whose description is shown", () =>
    Effect.gen(function*() {
      const script = Script.make(
        Script.expectWhere("a prompt with a uuid", (frame) =>
          Frame.isKnown(frame) && frame.type === "user" && frame.uuid !== undefined)
      )
      yield* Effect.flatMap(play(script, { ...user("a"), uuid: "1" }), ({ transport }) =>
        transport.outcome)
      const { message } = yield* failureOf(script, user("a"))
      assert.include(message, "step 1 of 1: expectWhere\n  expected a frame for which this holds: a prompt with a uuid")
    }))

  it.scoped("by a function that throws, is the script's fault", () =>
    Effect.gen(function*() {
      const script = Script.make(Script.expectWhere("nothing", () => {
        throw new TypeError("oops")
      }))
      const error = yield* failureOf(script, user("a"))
      assertMessage(
        error,
        "The script is not valid.",
        "  step 1 of 1: expectWhere",
        "  A function of the script threw: TypeError: oops"
      )
    }))

  it.scoped("several in any order, each once", () =>
    Effect.gen(function*() {
      const both = Script.expectAll([
        Script.expect({ type: "user" }, { label: "prompt" }),
        Script.expect({ request: { subtype: "initialize" } }, { label: "init" })
      ])
      const script = Script.make(
        both,
        Script.reply(success(Script.received("request_id", "init"))),
        Script.replyUnchecked({ echo: Script.received("message.content", "prompt") })
      )
      for (const frames of [[user("a"), initialize("7")], [initialize("7"), user("a")]]) {
        const { lines } = yield* play(script, ...frames)
        assert.deepStrictEqual(lines, [line(success("7")), `{"echo":"a"}`])
      }
      const error = yield* failureOf(script, user("a"), user("b"))
      assert.deepStrictEqual([error.reason, error.at], ["Unexpected", "expectAll"])
      assert.deepStrictEqual(error.differences, [
        { path: "request", expected: `{"subtype":"initialize"}`, actual: "nothing" }
      ])
      assert.include((yield* failureOf(script)).message, `all of these, in any order:\n  - "prompt", at least: {`)
    }))

  it.scoped("the same expectation twice takes two frames", () =>
    Effect.gen(function*() {
      const one = Script.expect({ type: "user" })
      const script = Script.make(Script.expectAll([one, one]))
      assert.strictEqual((yield* failureOf(script, user("a"))).reason, "EndOfInput")
      yield* Effect.flatMap(play(script, user("a"), user("b")), ({ transport }) => transport.outcome)
    }))

  it.scoped("the end of the input, after which the fake may still speak", () =>
    Effect.gen(function*() {
      const script = Script.make(
        Script.expect({ type: "user" }),
        Script.expectEnd(),
        Script.reply({ type: "keep_alive" }),
        Script.expectEnd()
      )
      const { lines, transport } = yield* play(script, user("a"))
      yield* transport.outcome
      assert.deepStrictEqual(lines, [`{"type":"keep_alive"}`])
      const error = yield* failureOf(script, user("a"), cancel("1"))
      assert.strictEqual(error.reason, "Unexpected")
      assert.include(error.message, "step 2 of 4: expectEnd\n  expected the end of the input\n  actual: {")
    }))

  it.scoped("a host that ends its input too early", () =>
    Effect.gen(function*() {
      assertMessage(
        yield* failureOf(Script.make(Script.expect({ type: "user" }))),
        "The host ended its input, and the script expects more.",
        "  step 1 of 1: expect",
        "  expected at least: {",
        `    "type": "user"`,
        "  }"
      )
    }))

  it.scoped("a host that sends after the last step", () =>
    Effect.gen(function*() {
      const error = yield* failureOf(Script.make(Script.expect({ type: "user" })), user("a"), cancel("1"))
      assertMessage(
        error,
        "The host sent a frame after the end of the script.",
        "  step 1 of 1: after the last step",
        "  expected the end of the input",
        "  actual: {",
        `    "type": "control_cancel_request",`,
        `    "request_id": "1"`,
        "  }"
      )
      assert.strictEqual(error.reason, "Leftover")
    }))

  it.scoped("a host that writes what is no frame", () =>
    Effect.gen(function*() {
      const script = Script.make(Script.expect({ type: "user" }))
      const notJson = yield* failureOf(script, "hello?")
      assert.strictEqual(notJson.reason, "InvalidInput")
      assert.include(notJson.message, "The line is not JSON.\n  expected at least: {")
      assert.include(notJson.message, "actual: hello?")

      const wrongRole = { type: "user", message: { role: "assistant", content: "a" } }
      const invalid = yield* failureOf(script, wrongRole)
      assert.strictEqual(invalid.reason, "InvalidInput")
      assert.include(invalid.message, "message.role")
      assert.include(invalid.message, "`unchecked`")

      const unchecked = Script.make(Script.expect({ type: "user" }, { unchecked: true }))
      yield* Effect.flatMap(play(unchecked, wrongRole), ({ transport }) => transport.outcome)
      assert.strictEqual((yield* failureOf(script, { type: "weird_type" })).reason, "InvalidInput")
    }))

  it.scoped("within a time; without one, as long as it takes", () =>
    Effect.gen(function*() {
      const make = (options?: Script.ExpectOptions) =>
        MockTransport.make(
          Script.behaviour(Script.make(Script.ignore({ type: "user" }), Script.expect(cancel("1"), options)))
        )
      const patient = yield* make()
      const hasty = yield* make({ within: "5 seconds" })
      const outcome = yield* Effect.fork(hasty.outcome)
      yield* TestClock.adjust("4 seconds")
      // Something that is ignored gives no more time.
      yield* hasty.send(line(user("a")))
      assert.isTrue(Option.isNone(yield* Fiber.poll(outcome)))
      yield* TestClock.adjust("1 second")
      const error = yield* Effect.flip(Fiber.join(outcome))
      assert.strictEqual(error.reason, "Timeout")
      assert.include(error.message, "Nothing that fits came within 5000 ms.\n  expected at least: {")
      yield* TestClock.adjust("1 hour")
      yield* patient.send(line(cancel("1")))
      yield* patient.endInput
      yield* patient.outcome
    }))
})

describe("replying", () => {
  it.scoped("with the id that was received", () =>
    Effect.gen(function*() {
      const { lines } = yield* play(
        Script.make(Script.expect(initialize("live")), Script.reply(success(Script.received("request_id")))),
        initialize("live")
      )
      assert.deepStrictEqual(lines, [line(success("live"))])
    }))

  it.scoped("with something of an earlier frame, by label, by path and by function; patterns as well", () =>
    Effect.gen(function*() {
      const { lines, transport } = yield* play(
        Script.make(
          Script.expect(initialize("a"), { label: "first" }),
          Script.expect(initialize("b")),
          Script.replyUnchecked([
            Script.received("request_id", "first"),
            Script.received("request_id"),
            Script.received(["request", "subtype"]),
            { whole: Script.received([]) }
          ]),
          Script.reply((received) => success(received.text("request_id", "first"))),
          Script.reply((received) => new Unknown(received.of("first"), "UnknownType")),
          Script.expect({ request_id: Script.received("request_id", "first") }),
          Script.expect({ message: { content: [{}, { text: "two" }] } }),
          Script.replyUnchecked(Script.received("message.content.1.text"))
        ),
        initialize("a"),
        initialize("b"),
        cancel("a"),
        {
          type: "user",
          message: { role: "user", content: [{ type: "text", text: "one" }, { type: "text", text: "two" }] }
        }
      )
      yield* transport.outcome
      assert.deepStrictEqual(lines, [
        line(["a", "b", "initialize", { whole: initialize("b") }]),
        line(success("a")),
        line(initialize("a")),
        `"two"`
      ])
    }))

  it.scoped("with a placeholder that stands for nothing, is the script's fault", () =>
    Effect.gen(function*() {
      const reasons = yield* Effect.forEach([
        Script.make(Script.replyUnchecked(Script.received("request_id"))),
        Script.make(Script.expect({}, { label: "a" }), Script.replyUnchecked(Script.received("x", "b"))),
        Script.make(Script.expect({}), Script.replyUnchecked(Script.received("message.nothing"))),
        Script.make(Script.expect({}), Script.reply((received) => success(received.text("message"))))
      ], (script) => Effect.map(failureOf(script, user("a")), ({ detail, reason }) => `${reason}: ${detail}`))
      assert.deepStrictEqual(reasons, [
        "InvalidScript: Nothing has been received yet that a placeholder could speak of.",
        `InvalidScript: Nothing has been received for the label "b". Known labels: "a".`,
        `InvalidScript: The frame that was received last has nothing at "message.nothing": ${line(user("a"))}`,
        `InvalidScript: The value at "message" is no text: ${line(user("a").message)}`
      ])
    }))

  it.scoped("with what is no frame of the CLI's, is the script's fault unless unchecked", () =>
    Effect.gen(function*() {
      const incomplete = { type: "control_cancel_request" }
      const script = Either.getOrThrow(Script.fromJson(line([{ reply: incomplete }])))
      const error = yield* failureOf(script)
      assert.strictEqual(error.reason, "InvalidScript")
      assert.include(error.message, "step 1 of 1: reply\n  The reply is no frame of the CLI's:")
      assert.include(error.message, "request_id")
      const unchecked = Either.getOrThrow(Script.fromJson(line([{ reply: incomplete, unchecked: true }])))
      assert.deepStrictEqual((yield* play(unchecked)).lines, [line(incomplete)])
      const unknown = Script.make(Script.reply(new Unknown({ type: "hologram" }, "UnknownType")))
      assert.deepStrictEqual((yield* play(unknown)).lines, [`{"type":"hologram"}`])
    }))

  it.scoped("in chunks: a frame cut at bytes, a raw line, raw bytes without a newline", () =>
    Effect.gen(function*() {
      const { chunks } = yield* play(Script.make(
        Script.reply({ type: "keep_alive" }, { cutAt: [9, 3, 1000, 0] }),
        Script.replyLine("[warn] ☃"),
        Script.replyChunks(`{"a":`, new TextEncoder().encode(`1}`))
      ))
      assert.deepStrictEqual(chunks, [`{"t`, `ype":"`, `keep_alive"}\n`, "[warn] ☃\n", `{"a":`, "1}"])
    }))

  it.scoped("late: only as time passes, and what arrives in the meantime waits", () =>
    Effect.gen(function*() {
      const transport = yield* MockTransport.make(Script.behaviour(Script.make(
        Script.delay("1 second"),
        Script.reply({ type: "keep_alive" }),
        Script.expect(user("a")),
        Script.reply({ type: "keep_alive" })
      )))
      yield* transport.send(line(user("a")))
      yield* transport.endInput
      const read = yield* Effect.fork(Stream.runCount(transport.incoming))
      yield* TestClock.adjust("999 millis")
      assert.isTrue(Option.isNone(yield* Fiber.poll(read)))
      yield* TestClock.adjust("1 millis")
      assert.strictEqual(yield* Fiber.join(read), 2)
      yield* transport.outcome
    }))

  it.scoped("on stderr, and with an exit after which nothing runs", () =>
    Effect.gen(function*() {
      const { exit, lines, transport } = yield* play(
        Script.make(Script.stderr("bad\n"), Script.exit(2), Script.reply({ type: "keep_alive" }), Script.expect({}))
      )
      yield* transport.outcome
      assert.deepStrictEqual([exit, lines], [{ _tag: "Exited", code: 2, stderr: "bad\n" }, []])
      const killed = yield* play(Script.make(Script.exit("SIGKILL")))
      assert.deepStrictEqual(killed.exit, { _tag: "Signaled", signal: "SIGKILL", stderr: "" })
    }))
})

it("the types of replies know the CLI's frames, and where placeholders may stand", () => {
  assert.deepStrictEqual(
    Script.reply({ type: "control_cancel_request", request_id: Script.received("request_id") }),
    { reply: { type: "control_cancel_request", request_id: { $received: "request_id" } } }
  )
  // @ts-expect-error: a field is missing
  Script.reply({ type: "control_cancel_request" })
  // @ts-expect-error: there is no such frame
  Script.reply({ type: "hologram" })
  // @ts-expect-error: what tells frames apart must be written out
  Script.reply({ type: Script.received("type"), request_id: "1" })
})

describe("being lenient", () => {
  const responder = Script.respond(
    { type: "control_request", request: { subtype: "initialize" } },
    Script.reply(success(Script.received("request_id")))
  )

  it.scoped("ignored frames are skipped from there on, also those that are none, also after the last step", () =>
    Effect.gen(function*() {
      const keepAlive = { type: "keep_alive" }
      const script = Script.make(Script.ignore(keepAlive), Script.expect({ type: "user" }))
      yield* Effect.flatMap(play(script, keepAlive, "", user("a"), keepAlive), ({ transport }) => transport.outcome)
      const later = Script.make(Script.expect({ type: "user" }), Script.ignore(keepAlive))
      assert.strictEqual((yield* failureOf(later, keepAlive, user("a"))).reason, "InvalidInput")
    }))

  it.scoped("responders answer as often as asked, and what they match is not remembered", () =>
    Effect.gen(function*() {
      const { lines, transport } = yield* play(
        Script.make(
          responder,
          Script.expect({ type: "user" }),
          Script.expect({ type: "control_cancel_request" }, { label: "end" }),
          Script.replyUnchecked(Script.received("request_id"))
        ),
        initialize("1"),
        user("a"),
        initialize("2"),
        cancel("last"),
        initialize("3")
      )
      yield* transport.outcome
      assert.deepStrictEqual(lines, [
        line(success("1")),
        line(success("2")),
        `"last"`,
        line(success("3"))
      ])
    }))

  it.scoped("what a step expects goes before responders, and they before what is ignored", () =>
    Effect.gen(function*() {
      const { lines } = yield* play(
        Script.make(Script.ignore({}), responder, Script.expect(initialize("1")), Script.replyLine("expected")),
        initialize("1"),
        initialize("2")
      )
      assert.deepStrictEqual(lines, ["expected", line(success("2"))])
    }))

  it.scoped("a responder takes a frame that the CLI could not read only if told so", () =>
    Effect.gen(function*() {
      const responder = { respond: { type: "weird_type" }, with: [{ replyLine: "taken" }] }
      const strict = Either.getOrThrow(Script.fromJson(line(responder)))
      assert.strictEqual((yield* failureOf(strict, { type: "weird_type" })).reason, "InvalidInput")
      const lenient = Either.getOrThrow(Script.fromJson(line({ ...responder, unchecked: true })))
      assert.deepStrictEqual((yield* play(lenient, { type: "weird_type" })).lines, ["taken"])
    }))

  it.scoped("a responder may end the process", () =>
    Effect.gen(function*() {
      const { exit, transport } = yield* play(
        Script.make(
          Script.respond({ type: "control_cancel_request" }, Script.exit(5)),
          Script.expect({ type: "user" })
        ),
        cancel("1")
      )
      yield* transport.outcome
      assert.deepInclude(exit, { _tag: "Exited", code: 5 })
    }))
})

describe("as JSON", () => {
  const example = `[
    { "ignore": { "type": "keep_alive" } },
    { "expect": { "type": "control_request", "request": { "subtype": "initialize" } }, "within": "5 seconds" },
    { "reply": { "type": "control_response", "response": {
        "subtype": "success", "request_id": { "$received": "request_id" }, "response": { "commands": [] } } } },
    { "expect": { "type": "user" }, "label": "prompt" },
    { "delay": 200 },
    { "reply": { "type": "user", "isReplay": true, "parent_tool_use_id": null,
        "message": { "$received": "message", "of": "prompt" } }, "cutAt": [7, 40] },
    { "replyLine": "[warn] this is not a frame" },
    { "stderr": "shutting down\\n" },
    { "expectEnd": true },
    { "exit": 0 }
  ]`

  it.scoped("the example of the module's header plays", () =>
    Effect.gen(function*() {
      const playing = yield* Effect.fork(
        play(Either.getOrThrow(Script.fromJson(example)), initialize("x"), { type: "keep_alive" }, user("hi"))
      )
      yield* TestClock.adjust(200)
      const { chunks, exit, lines, transport } = yield* Fiber.join(playing)
      yield* transport.outcome
      assert.deepStrictEqual(exit, { _tag: "Exited", code: 0, stderr: "shutting down\n" })
      assert.deepStrictEqual(chunks.map(({ length }) => length).slice(1, 3), [7, 33])
      assert.deepStrictEqual(lines.map((text) => Either.isRight(Codec.cli.decode(text))), [true, true, false])
      assert.include(lines[1], `"message":{"role":"user","content":"hi"}`)
    }))

  it("an array and lines of the same steps are the same script", () => {
    const array = Either.getOrThrow(Script.fromJson(example))
    const steps: ReadonlyArray<unknown> = JSON.parse(example)
    assert.deepStrictEqual(
      Either.getOrThrow(Script.fromJson(`${steps.map(line).join("\n\n")}\n`)),
      array
    )
    assert.deepStrictEqual(Script.fromJson("\n"), Either.right({ steps: [] }))
  })

  it("what constructors make is what JSON says", () => {
    const script = Script.make(
      Script.expect({ type: "user" }, { label: "a", within: "2 seconds", unchecked: true }),
      Script.expectExactly({ type: "user" }),
      Script.expectAll([Script.expect({ type: "user" }, { label: "b" })], { within: 5 }),
      Script.expectEnd({ within: "1 minute" }),
      Script.reply({ type: "keep_alive" }, { cutAt: [1] }),
      Script.replyUnchecked({ id: Script.received("request_id", "a") }),
      Script.replyLine("x"),
      Script.replyChunks("x", Uint8Array.of(255)),
      Script.delay("1 second"),
      Script.stderr("x"),
      Script.exit("SIGTERM"),
      Script.ignore({ type: "keep_alive" }),
      Script.respond({ type: "user" }, Script.exit(1))
    )
    const encoded = Schema.encodeUnknownSync(Schema.Array(Script.Step))(script.steps)
    assert.deepStrictEqual(Script.fromJson(line(encoded)), Either.right(script))
    assert.deepStrictEqual(line(encoded), line(script.steps))
    assert.strictEqual(line(encoded[7]), `{"replyChunks":["x",{"base64":"/w=="}]}`)
  })

  it("an error says which step is wrong and how", () => {
    const messageOf = (text: string) => Either.getOrThrow(Either.flip(Script.fromJson(text))).message
    assert.match(messageOf("[{"), /^The script is not valid\.\n {2}The text is not JSON: /)
    assert.match(messageOf(`{"exit":0}\n{`), /Line 2 is not JSON: /)
    assert.include(
      messageOf(`[{"exit":0},{"expekt":{}}]`),
      "step 2 of 2: a step\n  A step is an object with one of these"
    )
    assert.include(messageOf(`[{"exit":0,"delay":1}]`), "one verb; this one has delay, exit.")
    assert.include(messageOf(`[{"expect":{},"lable":"a"}]`), "step 1 of 1: expect")
    assert.include(messageOf(`[{"expect":{},"lable":"a"}]`), `["lable"]`)
    assert.include(messageOf(`[{"delay":"soon"}]`), "a span of time")
    assert.include(messageOf(`[{"exit":"TERM"}]`), "step 1 of 1: exit")
    assert.include(messageOf(`[{"replyChunks":[{"base64":"%"}]}]`), "base64")
    assert.include(messageOf(`[{"respond":{},"with":[{"expect":{}}]}]`), "step 1 of 1: respond")
  })
})

describe("the error", () => {
  it.scoped("does not quote long texts whole", () =>
    Effect.gen(function*() {
      const { message } = yield* failureOf(Script.make(Script.expectEnd()), user("x".repeat(100_000)))
      assert.include(message, `${"x".repeat(200)}… (100000 characters)`)
      assert.isBelow(message.length, 1000)
    }))

  it.scoped("is in the fake's stderr, where a host in another process finds it", () =>
    Effect.gen(function*() {
      const { exit } = yield* play(Script.make(Script.expect({ type: "user" }, { label: "prompt" })), cancel("1"))
      assert.deepInclude(exit, { _tag: "Exited", code: MockTransport.failureCode })
      assert.include(exit.stderr, `step 1 of 1: expect "prompt"`)
    }))
})

it.effect("a script can be played many times", () =>
  Effect.gen(function*() {
    const script = Script.make(Script.ignore({ type: "keep_alive" }), Script.expect({}, { label: "a" }))
    const runs = yield* Effect.forEach(Chunk.range(1, 3), () => Effect.scoped(play(script, user("a"))))
    for (const { exit } of runs) assert.deepInclude(exit, { _tag: "Exited", code: 0 })
  }))
