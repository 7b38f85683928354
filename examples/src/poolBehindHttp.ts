/**
 * A server with a session for each conversation: `POST /conversations/ID` says something and answers with what the model
 * said. The pool keeps sessions between requests, and closes them when they are idle or when their place is needed.
 *
 * Here each session is a `fake-claude` process with two recorded turns, and the program asks its own server.
 */
import { Connector } from "@claude-duplex/protocol/Connector"
import * as Session from "@claude-duplex/session/Session"
import * as SessionPool from "@claude-duplex/session/SessionPool"
import * as NodeConnector from "@claude-duplex/transport-node/NodeConnector"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as HttpRouter from "@effect/platform/HttpRouter"
import * as HttpServer from "@effect/platform/HttpServer"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { Console, Effect, Layer } from "effect"
import { createServer } from "node:http"
import { fileURLToPath } from "node:url"

const path = (file: string) => fileURLToPath(new URL(`../../${file}`, import.meta.url))

// #region pool
// With a real CLI: NodeConnector.layer()
const FakeClaude = Layer.effect(
  Connector,
  NodeConnector.fromCommand({
    command: process.execPath,
    args: [path("packages/transport-mock/bin/fake-claude.mjs"), "--recording", path("recordings/2.1.326/plain.jsonl")],
    env: {}
  })
)

const server = Effect.gen(function*() {
  const pool = yield* SessionPool.make({
    make: Session.make(),
    capacity: 8,
    idleTimeToLive: "1 minute"
  })
  const say = Effect.gen(function*() {
    const { conversation = "" } = yield* HttpRouter.params
    const prompt = yield* Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => request.text)
    const session = yield* pool.get(conversation)
    const { cost, text } = yield* session.send(prompt, { whenBusy: "queue", timeout: "5 minutes" })
    return yield* HttpServerResponse.json({ text, usd: cost.usd })
  })
  return HttpRouter.empty.pipe(HttpRouter.post("/conversations/:conversation", Effect.scoped(say)))
})
// #endregion

const ask = (conversation: string, prompt: string) =>
  Effect.gen(function*() {
    const { address } = yield* HttpServer.HttpServer
    const client = yield* HttpClient.HttpClient
    const request = HttpClientRequest.post(
      `${HttpServer.formatAddress(address)}/conversations/${conversation}`
    ).pipe(HttpClientRequest.bodyText(prompt))
    const response = yield* client.execute(request)
    return `${conversation}: ${yield* response.text}`
  })

const program = Effect.gen(function*() {
  yield* HttpServer.serveEffect(yield* server)
  const both = yield* Effect.all([ask("ada", "hello"), ask("bob", "hello")], { concurrency: "unbounded" })
  for (const answer of both) yield* Console.log(answer)
  // The same session as before: it goes on with its second turn.
  yield* Console.log(yield* ask("ada", "second turn"))
})

await program.pipe(
  Effect.scoped,
  Effect.provide(Layer.mergeAll(
    NodeHttpServer.layer(createServer, { port: 0, host: "127.0.0.1" }),
    FetchHttpClient.layer,
    FakeClaude
  )),
  Effect.runPromise
)
