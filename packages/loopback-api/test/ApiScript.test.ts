import * as ApiRequest from "@claude-duplex/loopback-api/ApiRequest"
import * as Script from "@claude-duplex/loopback-api/ApiScript"
import * as Reply from "@claude-duplex/loopback-api/Reply"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Option } from "effect"
import { ask, request } from "./support/client.js"

const tools = [{ name: "Bash" }]
const main = request(ask("main", { tools }))
const side = request(ask("side"))

const texts = (reply: Option.Option<Reply.Reply>) =>
  Option.match(reply, {
    onNone: () => "(none)",
    onSome: (known) => known._tag === "Message" ? String(Object(known.blocks[0]).text) : known._tag
  })

/** Plays a script from its start: what each request gets, then what is left. */
const play = <R>(script: Script.Script<R>, requests: ReadonlyArray<ApiRequest.Messages>) =>
  Effect.gen(function*() {
    const { answer, unused } = yield* script.start
    const replies = yield* Effect.forEach(requests, (one) => Effect.map(answer(one), texts))
    return { replies, unused: yield* unused }
  })

describe("sequence", () => {
  const script = Script.sequence(Reply.text("a"), (request) => Reply.text(request.body.model), Reply.hang)

  it.effect("answers in order, and not after its end", () =>
    Effect.gen(function*() {
      const { replies, unused } = yield* play(script, [main, main, side, main])
      assert.deepStrictEqual(replies, ["a", "claude-test", "Hang", "(none)"])
      assert.deepStrictEqual(unused, [])
    }))

  it.effect("says what was not asked for", () =>
    Effect.gen(function*() {
      const { unused } = yield* play(script, [main])
      assert.deepStrictEqual(unused, ["2 of 3 replies of a sequence were not asked for."])
    }))

  it.effect("begins anew wherever it is played", () =>
    Effect.gen(function*() {
      const first = yield* play(script, [main])
      assert.deepStrictEqual(yield* play(script, [main]), first)
    }))

  it.effect("gives no reply twice, however many ask at once", () =>
    Effect.gen(function*() {
      const all = Array.from({ length: 50 }, (_, i) => `${i}`)
      const { answer } = yield* Script.sequence(...all.map((text) => Reply.text(text))).start
      const replies = yield* Effect.forEach(all, () => Effect.map(answer(main), texts), { concurrency: "unbounded" })
      assert.sameMembers(replies, all)
    }))
})

describe("respond", () => {
  it.effect("takes an Option as it is", () =>
    Effect.gen(function*() {
      const echo = Script.respond((request) =>
        Option.map(
          Option.filter(ApiRequest.lastUserText(request), (text) => text !== "side"),
          (text) => Reply.text(text)
        )
      )
      assert.deepStrictEqual((yield* play(echo, [main, side])).replies, ["main", "(none)"])
    }))

  it.effect("takes an effect, and what it needs", () =>
    Effect.gen(function*() {
      class Name extends Context.Tag("Name")<Name, string>() {}
      const script = Script.respond(() => Effect.map(Name, (name) => Reply.text(name)))
      const { replies } = yield* Effect.provideService(play(script, [main]), Name, "Ada")
      assert.deepStrictEqual(replies, ["Ada"])
    }))
})

describe("when and orElse", () => {
  it.effect("leave to the second what the first does not see or answer", () =>
    Effect.gen(function*() {
      const first = Script.when(Script.sequence(Reply.text("1"), Reply.text("2")), (one) => one !== side)
      const script = Script.orElse(first, Script.always(Reply.text("else")))
      const { replies, unused } = yield* play(script, [side, main, side, main, main])
      assert.deepStrictEqual(replies, ["else", "1", "else", "2", "else"])
      assert.deepStrictEqual(unused, [])
    }))
})

describe("conversation", () => {
  it.effect("loses no reply to a side request, and gives none of the side's to the conversation", () =>
    Effect.gen(function*() {
      const script = Script.conversation(Script.sequence(Reply.text("1"), Reply.text("2")))
      const { replies } = yield* play(script, [side, main, side, main, main])
      assert.deepStrictEqual(replies, ["ok", "1", "ok", "2", "(none)"])
    }))

  it.effect("takes another rule and other answers", () =>
    Effect.gen(function*() {
      const script = Script.conversation(Script.always(Reply.text("main")), {
        side: Script.sequence(Reply.text("title")),
        isSide: (request) => request.body.model.includes("haiku")
      })
      const { replies, unused } = yield* play(script, [side, request(ask("x", { model: "claude-haiku", tools }))])
      assert.deepStrictEqual(replies, ["main", "title"])
      assert.deepStrictEqual(unused, [])
    }))
})
