import * as StructuredOutput from "@claude-duplex/session/StructuredOutput"
import * as Script from "@claude-duplex/transport-mock/Script"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { result, session, success } from "./support/sessions.js"

const Verdict = Schema.Struct({ ok: Schema.Boolean, at: Schema.DateFromString })

describe("StructuredOutput", () => {
  const answering = (...outputs: ReadonlyArray<object>) =>
    session(
      Script.behaviour(Script.make(
        Script.expect({
          type: "control_request",
          request: { subtype: "initialize", jsonSchema: { type: "object", required: ["ok", "at"] } }
        }),
        Script.reply(success({})),
        ...outputs.flatMap((output) => [
          Script.expect({ type: "user" }),
          Script.replyUnchecked({ ...result("done"), ...output })
        ]),
        Script.delay("1 day")
      )),
      { initialize: { jsonSchema: StructuredOutput.jsonSchema(Verdict) } }
    )

  it.scoped("is asked for by a schema, and read by it", () =>
    Effect.gen(function*() {
      const s = yield* answering({ structured_output: { ok: true, at: "2026-01-02T00:00:00.000Z" } })
      const verdict = yield* Effect.flatMap(s.send("?"), StructuredOutput.decode(Verdict))
      assert.isTrue(verdict.ok)
      assert.strictEqual(verdict.at.getUTCFullYear(), 2026)
    }))

  it.scoped("that is missing or does not fit is a typed error", () =>
    Effect.gen(function*() {
      const s = yield* answering({}, { structured_output: { ok: "yes", at: "2026-01-02" } })
      const read = Effect.flip(Effect.flatMap(s.send("?"), StructuredOutput.decode(Verdict)))
      assert.deepInclude(yield* read, { _tag: "StructuredOutputError", reason: "Missing" })
      const invalid = yield* read
      assert.deepInclude(invalid, { _tag: "StructuredOutputError", reason: "Invalid" })
      assert.include(invalid.message, "ok")
    }))
})
