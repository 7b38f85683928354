import * as ApiRequest from "@claude-duplex/loopback-api/ApiRequest"
import * as Script from "@claude-duplex/loopback-api/ApiScript"
import * as LoopbackApi from "@claude-duplex/loopback-api/LoopbackApi"
import * as Reply from "@claude-duplex/loopback-api/Reply"
import { assert, describe, it } from "@effect/vitest"
import { Chunk, Deferred, Effect, Exit, Fiber, Logger, Option, Redacted, Scope, Stream, TestClock } from "effect"
import { connect } from "node:net"
import { networkInterfaces } from "node:os"
import { ask, open, parseSse, post, reader, readText, send } from "./support/client.js"

const streaming = { stream: true }

/** The number of a request is enough to tell it. */
const numbered = (number: number) => (request: ApiRequest.ApiRequest) => request.number === number

const errorOf = (text: string): unknown => Object(JSON.parse(text)).error

describe("a message", () => {
  it.scoped("comes as one JSON, or as events, as the request says", () =>
    Effect.gen(function*() {
      const api = yield* LoopbackApi.make(Script.always(Reply.text("hi there", { chunk: 3 })))
      const whole = yield* post(api, ask("hello"))
      assert.strictEqual(whole.status, 200)
      assert.strictEqual(whole.headers.get("content-type"), "application/json")
      assert.deepStrictEqual(JSON.parse(whole.text).content, [{ type: "text", text: "hi there" }])

      const events = yield* post(api, ask("hello", streaming))
      assert.strictEqual(events.headers.get("content-type"), "text/event-stream; charset=utf-8")
      assert.strictEqual(events.headers.get("request-id"), "req_loopback_2")
      const parsed = parseSse(events.text)
      assert.deepStrictEqual([parsed[0]?.event, parsed.at(-1)?.event], ["message_start", "message_stop"])
      assert.strictEqual(parsed.map(({ data }) => Object(data["delta"]).text ?? "").join(""), "hi there")
      yield* api.outcome
    }))

  it.scoped("has thoughts, texts and tools in one", () =>
    Effect.gen(function*() {
      const api = yield* LoopbackApi.make(Script.always(Reply.blocks([
        Reply.thinkingBlock("hm"),
        Reply.textBlock("ah"),
        Reply.toolUseBlock({ name: "Bash", input: { command: "ls" } })
      ], { headers: { "anthropic-ratelimit-requests-remaining": "7" } })))
      const { headers, text } = yield* post(api, ask("hello", streaming))
      const starts = parseSse(text).filter(({ event }) => event === "content_block_start")
      assert.deepStrictEqual(starts.map(({ data }) => Object(data["content_block"]).type), [
        "thinking",
        "text",
        "tool_use"
      ])
      assert.strictEqual(headers.get("anthropic-ratelimit-requests-remaining"), "7")
    }))

  it.scoped("takes its time on the Effect clock", () =>
    Effect.gen(function*() {
      const api = yield* LoopbackApi.make(
        Script.always(Reply.text("abc", { chunk: 1, delay: "1 hour", pace: "1 minute" }))
      )
      const opening = yield* Effect.fork(open(api, ask("hello", streaming)))
      yield* api.awaitRequest(ApiRequest.isMessages)
      // Time does not pass before somebody waits for it.
      yield* TestClock.sleeps().pipe(Effect.repeat({ until: Chunk.isNonEmpty }))
      assert.isTrue(Option.isNone(yield* Fiber.poll(opening)))
      yield* TestClock.adjust("1 hour")
      const { until } = reader(yield* Fiber.join(opening))
      assert.notInclude(yield* until("ping"), "text_delta")
      for (const letter of ["a", "b", "c"]) {
        yield* TestClock.sleeps().pipe(Effect.repeat({ until: Chunk.isNonEmpty }))
        yield* TestClock.adjust("1 minute")
        assert.include(yield* until("text_delta"), `"text":"${letter}"`)
      }
      yield* until("message_stop")
    }))

  it.scoped("waits for as long as its script does", () =>
    Effect.gen(function*() {
      const go = yield* Deferred.make<void>()
      const api = yield* LoopbackApi.make(Script.respond(() => Effect.as(Deferred.await(go), Reply.text("at last"))))
      const asking = yield* Effect.fork(post(api, ask("hello")))
      yield* api.awaitRequest(ApiRequest.isMessages)
      assert.isTrue(Option.isNone(yield* Fiber.poll(asking)))
      yield* Deferred.succeed(go, undefined)
      assert.include((yield* Fiber.join(asking)).text, "at last")
    }))

  it.scoped("goes to the one who asked, however many ask at once", () =>
    Effect.gen(function*() {
      const api = yield* LoopbackApi.make(
        Script.respond((request) =>
          Option.map(ApiRequest.lastUserText(request), (text) => Reply.text(text, { chunk: 1 }))
        )
      )
      const names = Array.from({ length: 40 }, (_, i) => `caller ${i}`)
      yield* Effect.forEach(names, (name, i) =>
        Effect.map(post(api, ask(name, { stream: i % 2 === 0 })), ({ text }) => {
          const said = i % 2 === 0
            ? parseSse(text).map(({ data }) => Object(data["delta"]).text ?? "").join("")
            : JSON.parse(text).content[0].text
          assert.strictEqual(said, name)
        }), { concurrency: "unbounded" })
      assert.deepStrictEqual((yield* api.requests).map(({ number }) => number), names.map((_, i) => i + 1))
    }))

  it.scoped("may be longer than any buffer", () =>
    Effect.gen(function*() {
      const long = "0123456789".repeat(100_000)
      const api = yield* LoopbackApi.make(Script.always(Reply.text(long, { chunk: 50_000 })))
      const { text } = yield* post(api, ask(long, streaming))
      assert.strictEqual(parseSse(text).map(({ data }) => Object(data["delta"]).text ?? "").join(""), long)
    }))
})

describe("an error", () => {
  it.scoped("has the API's status, body and headers", () =>
    Effect.gen(function*() {
      const api = yield* LoopbackApi.make(
        Script.always(Reply.error(429, { message: "Slow down.", retryAfter: "3 seconds" }))
      )
      const { headers, status, text } = yield* post(api, ask("hello", streaming))
      assert.strictEqual(status, 429)
      assert.strictEqual(headers.get("retry-after"), "3")
      assert.deepStrictEqual(JSON.parse(text), {
        type: "error",
        error: { type: "rate_limit_error", message: "Slow down." },
        request_id: "req_loopback_1"
      })
      yield* api.outcome
    }))

  it.scoped("comes in the middle of events, or in place of the JSON", () =>
    Effect.gen(function*() {
      const error = { type: "overloaded_error", message: "Overloaded" }
      const api = yield* LoopbackApi.make(Script.always(Reply.text("abc", { chunk: 1, cut: { after: 1, by: error } })))
      const events = yield* post(api, ask("hello", streaming))
      assert.deepStrictEqual<unknown>(parseSse(events.text).at(-1), { event: "error", data: { type: "error", error } })
      const whole = yield* post(api, ask("hello"))
      assert.strictEqual(whole.status, 529)
      assert.deepStrictEqual(errorOf(whole.text), error)
    }))

  it.scoped("may be what the API never says", () =>
    Effect.gen(function*() {
      const html = Reply.raw({ status: 502, headers: { "content-type": "text/html" }, body: "<h1>Bad Gateway</h1>" })
      const api = yield* LoopbackApi.make(Script.always(html))
      const { headers, status, text } = yield* post(api, ask("hello"))
      assert.deepStrictEqual([status, headers.get("content-type"), text], [502, "text/html", "<h1>Bad Gateway</h1>"])
    }))
})

describe("a hang", () => {
  it.scoped("ends when the client goes away", () =>
    Effect.gen(function*() {
      const api = yield* LoopbackApi.make(Script.always(Reply.hang))
      for (const [i, body] of [ask("1"), ask("2", streaming)].entries()) {
        const asking = yield* Effect.fork(open(api, body))
        const request = yield* api.awaitRequest(numbered(i + 1))
        yield* Fiber.interrupt(asking)
        assert.strictEqual(yield* api.awaitEnd(request), "Incomplete")
      }
    }))

  it.scoped("in the middle comes after what was sent before", () =>
    Effect.gen(function*() {
      const api = yield* LoopbackApi.make(
        Script.always(Reply.text("abc", { chunk: 1, cut: { after: 2, by: "Hang" } }))
      )
      // The signal must abort after the response began; `Effect.abortSignal` is only in Effect 4.
      // @effect-diagnostics-next-line abortControllerInEffect:off
      const gone = new AbortController()
      const response = yield* Effect.promise(() =>
        fetch(`${api.url}/v1/messages`, {
          method: "POST",
          body: JSON.stringify(ask("hello", streaming)),
          signal: gone.signal
        })
      )
      const seen = yield* reader(response).until(`"text":"b"`)
      assert.notInclude(seen, `"text":"c"`)
      const request = yield* api.awaitRequest(ApiRequest.isMessages)
      gone.abort()
      assert.strictEqual(yield* api.awaitEnd(request), "Incomplete")
    }))

  it.scoped("interrupts a script that waits", () =>
    Effect.gen(function*() {
      const interrupted = yield* Deferred.make<void>()
      const api = yield* LoopbackApi.make(
        Script.respond(() => Effect.onInterrupt(Effect.never, () => Deferred.succeed(interrupted, undefined)))
      )
      const asking = yield* Effect.fork(open(api, ask("hello")))
      yield* api.awaitRequest(ApiRequest.isMessages)
      yield* Fiber.interrupt(asking)
      yield* Deferred.await(interrupted)
      // A client that went away is nobody's mistake.
      assert.deepStrictEqual(yield* api.unexpected, [])
    }))
})

describe("a disconnect", () => {
  it.scoped("leaves the client without an answer", () =>
    Effect.gen(function*() {
      const api = yield* LoopbackApi.make(Script.always(Reply.disconnect))
      assert.isTrue(Exit.isFailure(yield* Effect.exit(open(api, ask("hello")))))
      assert.strictEqual(yield* Effect.flatMap(api.awaitRequest(numbered(1)), api.awaitEnd), "Incomplete")
      yield* api.outcome
    }))

  it.scoped("in the middle comes after what was sent before", () =>
    Effect.gen(function*() {
      const api = yield* LoopbackApi.make(
        Script.always(Reply.text("abc", { chunk: 1, cut: { after: 2, by: "Disconnect" } }))
      )
      const response = yield* open(api, ask("hello", streaming))
      const { next, until } = reader(response)
      assert.include(yield* until(`"text":"b"`), `"text":"a"`)
      assert.isTrue(Exit.isFailure(yield* Effect.exit(next)))
      // Where nothing can be sent in part, nothing is sent.
      assert.isTrue(Exit.isFailure(yield* Effect.exit(open(api, ask("hello")))))
    }))

  it.scoped("leaves the server to the others", () =>
    Effect.gen(function*() {
      const api = yield* LoopbackApi.make(Script.sequence(Reply.disconnect, Reply.text("still here")))
      yield* Effect.exit(open(api, ask("hello")))
      assert.include((yield* post(api, ask("hello"))).text, "still here")
    }))
})

describe("what is not scripted", () => {
  it.scoped("is refused at once, by name, and shows in the outcome", () =>
    Effect.gen(function*() {
      const api = yield* LoopbackApi.make(Script.sequence(Reply.text("only one")))
      yield* post(api, ask("first"))
      yield* api.outcome
      const { headers, status, text } = yield* post(api, ask("second", streaming))
      assert.strictEqual(status, 501)
      assert.strictEqual(headers.get("x-should-retry"), "false")
      assert.include(text, "No reply is scripted for request 2")
      const error = yield* Effect.flip(api.outcome)
      assert.deepInclude(error, { reason: "Unscripted", request: 2 })
      assert.include(error.message, `"second"`)
      assert.deepStrictEqual(yield* api.unexpected, [error])
    }))

  it.scoped("and a script that dies is told apart", () =>
    Effect.gen(function*() {
      const api = yield* LoopbackApi.make(Script.always(() => {
        throw new Error("a bug")
      }))
      const { status, text } = yield* post(api, ask("hello"))
      assert.strictEqual(status, 500)
      assert.include(text, "a bug")
      assert.strictEqual((yield* Effect.flip(api.outcome)).reason, "ScriptFailed")
    }))

  it.scoped("and so is a body that is no request", () =>
    Effect.gen(function*() {
      const api = yield* LoopbackApi.make(Script.always(Reply.text("never")))
      for (const body of ["{", "", `{"model":"m"}`, `[]`]) {
        const { status, text } = yield* post(api, body)
        assert.strictEqual(status, 400, body)
        assert.deepInclude(errorOf(text), { type: "invalid_request_error" })
      }
      const errors = yield* api.unexpected
      assert.deepStrictEqual(errors.map(({ reason, request }) => [reason, request]), [
        ["InvalidRequest", 1],
        ["InvalidRequest", 2],
        ["InvalidRequest", 3],
        ["InvalidRequest", 4]
      ])
      assert.include(errors[2]?.message, `["messages"]`)
    }))

  it.scoped("nor asked for, shows in the outcome too", () =>
    Effect.gen(function*() {
      const api = yield* LoopbackApi.make(Script.sequence(Reply.text("1"), Reply.text("2")))
      yield* post(api, ask("hello"))
      const { message, reason } = yield* Effect.flip(api.outcome)
      assert.deepStrictEqual([reason, message], [
        "Unused",
        "loopback-api: 1 of 2 replies of a sequence were not asked for."
      ])
    }))
})

describe("other requests", () => {
  const get = (api: LoopbackApi.Service, path: string, method = "GET") =>
    Effect.flatMap(
      send(api, path, { method }),
      (response) => Effect.map(readText(response), (text) => ({ status: response.status, text }))
    )

  it.scoped("count tokens without asking the script", () =>
    Effect.gen(function*() {
      const api = yield* LoopbackApi.make(Script.sequence())
      const count = (service: LoopbackApi.Service) =>
        Effect.flatMap(
          send(service, "/v1/messages/count_tokens?beta=true", { method: "POST", body: JSON.stringify(ask("hello")) }),
          readText
        )
      assert.deepStrictEqual(JSON.parse(yield* count(api)), { input_tokens: ApiRequest.estimateTokens(ask("hello")) })
      assert.strictEqual((yield* api.requests)[0]?._tag, "CountTokens")
      yield* api.outcome

      const fixed = yield* LoopbackApi.make(Script.sequence(), { countTokens: ({ messages }) => messages.length })
      assert.deepStrictEqual(JSON.parse(yield* count(fixed)), { input_tokens: 1 })
    }))

  it.scoped("are answered with a 500 if an option throws", () =>
    Effect.gen(function*() {
      const api = yield* LoopbackApi.make(Script.sequence(), {
        countTokens: () => {
          throw new Error("a bug")
        }
      })
      const response = yield* send(api, "/v1/messages/count_tokens", {
        method: "POST",
        body: JSON.stringify(ask("hello"))
      })
      assert.strictEqual(response.status, 500)
      assert.include(yield* readText(response), "a bug")
    }).pipe(Effect.provide(Logger.remove(Logger.defaultLogger))))

  it.scoped("list models", () =>
    Effect.gen(function*() {
      const api = yield* LoopbackApi.make(Script.sequence(), { models: ["claude-a", "claude-b"] })
      const { data, ...rest } = JSON.parse((yield* get(api, "/v1/models?limit=1000")).text)
      assert.deepStrictEqual(data.map(({ id }: { id: string }) => id), ["claude-a", "claude-b"])
      assert.deepStrictEqual(rest, { has_more: false, first_id: "claude-a", last_id: "claude-b" })
    }))

  it.scoped("are 404, recorded, and nobody's mistake", () =>
    Effect.gen(function*() {
      const api = yield* LoopbackApi.make(Script.sequence())
      assert.deepStrictEqual(yield* get(api, "/", "HEAD"), { status: 404, text: "" })
      for (const path of ["/", "/v1/messages", "//", "/api/hello?x=1"]) {
        const { status, text } = yield* get(api, path)
        assert.strictEqual(status, 404)
        assert.deepInclude(errorOf(text), { type: "not_found_error" })
      }
      const seen = (yield* api.requests).map(({ _tag, method, path, query }) => ({ _tag, method, path, query }))
      assert.deepStrictEqual(seen, [
        { _tag: "Other", method: "HEAD", path: "/", query: {} },
        { _tag: "Other", method: "GET", path: "/", query: {} },
        { _tag: "Other", method: "GET", path: "/v1/messages", query: {} },
        { _tag: "Other", method: "GET", path: "//", query: {} },
        { _tag: "Other", method: "GET", path: "/api/hello", query: { x: "1" } }
      ])
      yield* api.outcome
    }))
})

describe("what was asked", () => {
  it.scoped("is told whole, but for secrets", () =>
    Effect.gen(function*() {
      const api = yield* LoopbackApi.make(Script.always(Reply.text("ok")))
      const body = ask("hello", { thinking: { type: "adaptive" }, x_new: [1] })
      yield* post(api, body)
      const request = yield* api.awaitRequest(ApiRequest.isMessages)
      assert.deepStrictEqual(request.body, body)
      assert.deepStrictEqual(request.query, { beta: "true" })
      assert.strictEqual(request.headers["content-type"], "application/json")
      const key = request.headers["x-api-key"]
      assert.isTrue(Redacted.isRedacted(key) && Redacted.value(key) === "sk-secret")
      assert.notInclude(JSON.stringify(request), "sk-secret")
      assert.strictEqual(yield* api.awaitEnd(request), "Complete")
    }))

  it.scoped("comes as a stream too, from the first on, to everybody", () =>
    Effect.gen(function*() {
      const api = yield* LoopbackApi.make(Script.always(Reply.text("ok")))
      yield* post(api, ask("1"))
      const listening = yield* Effect.fork(Stream.runCollect(Stream.take(api.arrivals, 3)))
      yield* post(api, ask("2"))
      yield* post(api, ask("3"))
      const late = yield* Stream.runCollect(Stream.take(api.arrivals, 3))
      for (const seen of [yield* Fiber.join(listening), late]) {
        assert.deepStrictEqual(Chunk.toReadonlyArray(seen).map(({ number }) => number), [1, 2, 3])
      }
    }))

  it.effect("is waited for until the server is closed", () =>
    Effect.gen(function*() {
      const scope = yield* Scope.make()
      const api = yield* Scope.extend(LoopbackApi.make(Script.sequence()), scope)
      const waiting = yield* Effect.fork(Effect.flip(api.awaitRequest(() => true)))
      const listening = yield* Effect.fork(Stream.runCount(api.arrivals))
      yield* Scope.close(scope, Exit.void)
      assert.strictEqual((yield* Fiber.join(waiting)).reason, "Closed")
      assert.strictEqual(yield* Fiber.join(listening), 0)
    }))
})

describe("the server", () => {
  it.effect("closes at once with answers under way, and frees its port", () =>
    Effect.gen(function*() {
      const scope = yield* Scope.make()
      const replies = [
        Reply.hang,
        Reply.text("x", { cut: { after: 0, by: "Hang" } }),
        Reply.text("x", { pace: "1 day" })
      ]
      const api = yield* Scope.extend(LoopbackApi.make(Script.sequence(...replies)), scope)
      const asking = yield* Effect.forEach(replies, () => Effect.fork(post(api, ask("hello", streaming))))
      const requests = yield* Effect.forEach([1, 2, 3], (number) => api.awaitRequest(numbered(number)))
      // The clock stands still, so this can only be because it does not wait for them.
      yield* Scope.close(scope, Exit.void)
      for (const fiber of asking) assert.isTrue(Exit.isFailure(yield* Fiber.await(fiber)))
      for (const request of requests) assert.strictEqual(yield* api.awaitEnd(request), "Incomplete")
      const again = LoopbackApi.make(Script.always(Reply.text("again")), { port: api.port })
      assert.include((yield* Effect.scoped(Effect.flatMap(again, (next) => post(next, ask("hello"))))).text, "again")
    }))

  it.scoped("says so if its port is taken", () =>
    Effect.gen(function*() {
      const { port } = yield* LoopbackApi.make(Script.sequence())
      const error = yield* Effect.flip(LoopbackApi.make(Script.sequence(), { port }))
      assert.strictEqual(error.reason, "Listen")
      assert.include(error.message, `port ${port}`)
    }))

  const outside = Object.values(networkInterfaces()).flatMap((all) => all ?? [])
    .find(({ family, internal }) => family === "IPv4" && !internal)

  // On a machine without a network there is no other address to try.
  it.scoped.skipIf(outside === undefined)("listens on 127.0.0.1 and nowhere else", () =>
    Effect.gen(function*() {
      const api = yield* LoopbackApi.make(Script.sequence())
      const refused = yield* Effect.async<string>((resume) => {
        const socket = connect({ host: outside?.address, port: api.port })
        socket.once("connect", () => {
          socket.destroy()
          resume(Effect.succeed("connected"))
        })
        socket.once("error", (error: NodeJS.ErrnoException) => resume(Effect.succeed(error.code ?? "")))
      })
      assert.strictEqual(refused, "ECONNREFUSED")
      assert.strictEqual(api.url, `http://127.0.0.1:${api.port}`)
    }))

  it.effect("is a layer", () =>
    Effect.gen(function*() {
      const api = yield* LoopbackApi.LoopbackApi
      assert.include((yield* post(api, ask("hello"))).text, "from a layer")
    }).pipe(Effect.provide(LoopbackApi.layer(Script.always(Reply.text("from a layer"))))))

  it("tells a CLI where it is", () => {
    const environment = LoopbackApi.cliEnvironment({ url: "http://127.0.0.1:1" })
    assert.strictEqual(environment["ANTHROPIC_BASE_URL"], "http://127.0.0.1:1")
    assert.strictEqual(environment["CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC"], "1")
  })
})
