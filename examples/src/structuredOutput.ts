/**
 * An answer as a value: the model is asked with the JSON schema of an Effect schema, and the answer is decoded with the
 * same one. One that does not fit is an error with a reason, not a surprise later.
 */
import * as Session from "@claude-duplex/session/Session"
import * as StructuredOutput from "@claude-duplex/session/StructuredOutput"
import * as Script from "@claude-duplex/transport-mock/Script"
import { Console, Effect, Layer, Schema } from "effect"
import { beginTurn, endTurn, scripted } from "./support/fakes.js"

const Verdict = Schema.Struct({
  ok: Schema.Boolean,
  since: Schema.Date,
  reasons: Schema.Array(Schema.String)
})

const claude = scripted(
  Script.expect({ type: "control_request", request: { subtype: "initialize", jsonSchema: { type: "object" } } }),
  Script.reply({
    type: "control_response",
    response: { subtype: "success", request_id: Script.received("request_id"), response: {} }
  }),
  ...beginTurn,
  endTurn("The build is green.", { ok: true, since: "2026-11-18T06:00:00Z", reasons: ["all tests pass"] }),
  ...beginTurn,
  endTurn("Nobody knows.", { ok: "perhaps" })
)

const Conversation = Session.layer({ initialize: { jsonSchema: StructuredOutput.jsonSchema(Verdict) } }).pipe(
  Layer.provide(claude)
)

const judge = Effect.gen(function*() {
  const session = yield* Session.Session
  const result = yield* session.send("Is the build green?")
  const { ok, reasons, since } = yield* StructuredOutput.decode(Verdict)(result)
  yield* Console.log(`${ok ? "green" : "red"} since ${since.toISOString()}: ${reasons.join(", ")}`)
})

const program = Effect.zipRight(judge, judge).pipe(
  Effect.catchTag("StructuredOutputError", (error) => Console.log(`${error.reason}: ${error.message}`))
)

await Effect.runPromise(Effect.provide(program, Conversation))
