/**
 * The Messages API as a script on 127.0.0.1: what a host, or the real `claude`, is tested against without an account. Here
 * plain requests stand in for the client; `LoopbackApi.cliEnvironment(api)` is what a `claude` is started with.
 */
import * as ApiRequest from "@claude-duplex/loopback-api/ApiRequest"
import * as Script from "@claude-duplex/loopback-api/ApiScript"
import * as LoopbackApi from "@claude-duplex/loopback-api/LoopbackApi"
import * as Reply from "@claude-duplex/loopback-api/Reply"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import { Console, Effect } from "effect"

const script = Script.sequence(
  Reply.error(529, { retryAfter: "1 second" }),
  Reply.text("There you are.", { chunk: 5 })
)

const program = Effect.gen(function*() {
  const api = yield* LoopbackApi.make(script)
  const client = yield* HttpClient.HttpClient
  const ask = HttpClientRequest.post(`${api.url}/v1/messages`).pipe(
    HttpClientRequest.bodyUnsafeJson({
      model: "claude-opus-5-5",
      max_tokens: 100,
      stream: true,
      messages: [{ role: "user", content: "Where am I?" }]
    }),
    client.execute
  )
  const refused = yield* ask
  yield* Console.log(refused.status, refused.headers["retry-after"])
  const streamed = yield* ask
  yield* Console.log(yield* streamed.text)
  const requests = yield* api.requests
  yield* Console.log(requests.map(ApiRequest.describe).join("\n"))
  // Fails if anything else was asked, or less.
  yield* api.outcome
})

await program.pipe(Effect.scoped, Effect.provide(FetchHttpClient.layer), Effect.runPromise)
