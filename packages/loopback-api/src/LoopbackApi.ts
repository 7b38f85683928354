/**
 * A stand-in for the Messages API on 127.0.0.1. Owns the server, its end, and what it was asked; which reply a request
 * gets is the business of a `Script`.
 *
 * | request | answer |
 * | --- | --- |
 * | `POST /v1/messages` | what the script says; if it says nothing, a 501 that says so and asks not to be retried |
 * | `POST /v1/messages/count_tokens` | a count, estimated |
 * | `GET /v1/models` | the models given |
 * | anything else | 404 |
 *
 * Every request is recorded, before it is answered. No key is checked, and none is shown: headers that carry one are
 * `Redacted`.
 *
 * Time passes on the Effect clock of whoever makes the server, so that `TestClock` rules the pace of its answers. When its
 * scope closes, every connection is closed with it, whatever was under way.
 *
 * @since 0.1.0
 * @stability experimental
 */
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import type * as Stream from "effect/Stream"
import * as ApiRequest from "./ApiRequest.js"
import type { Play, Script } from "./ApiScript.js"
import * as answering from "./internal/answering.js"
import { type HttpRequest, type HttpResponse, listen } from "./internal/httpServer.js"
import * as journals from "./internal/journal.js"
import { receive } from "./internal/receiving.js"
import { LoopbackError, type LoopbackReason } from "./LoopbackError.js"
import * as Reply from "./Reply.js"

/** A running server. */
export interface Service {
  /** Where it listens, without a slash at the end: `http://127.0.0.1:41234`. */
  readonly url: string
  readonly port: number
  /** What has been asked so far, in the order of arrival. */
  readonly requests: Effect.Effect<ReadonlyArray<ApiRequest.ApiRequest>>
  /** Every request, from the first on, and those to come. Ends with the server. */
  readonly arrivals: Stream.Stream<ApiRequest.ApiRequest>
  /** The first request that a predicate accepts, if it has come, else when it comes. */
  readonly awaitRequest: {
    <A extends ApiRequest.ApiRequest>(
      refinement: (request: ApiRequest.ApiRequest) => request is A
    ): Effect.Effect<A, LoopbackError>
    (predicate: (request: ApiRequest.ApiRequest) => boolean): Effect.Effect<ApiRequest.ApiRequest, LoopbackError>
  }
  /** Waits for the end of the answer to a request: a client that was interrupted shows here. */
  readonly awaitEnd: (request: ApiRequest.ApiRequest) => Effect.Effect<Reply.Ending>
  /** Requests for messages that could not be answered as scripted. */
  readonly unexpected: Effect.Effect<ReadonlyArray<LoopbackError>>
  /** Fails with the first of what is {@link unexpected}, or if the script has replies left. */
  readonly outcome: Effect.Effect<void, LoopbackError>
}

/** The stand-in for the Messages API. */
export class LoopbackApi extends Context.Tag("@claude-duplex/loopback-api/LoopbackApi")<LoopbackApi, Service>() {}

/** What may be said about the server. */
export interface Options {
  /** Without it: a free one. */
  readonly port?: number | undefined
  /** The ids that `GET /v1/models` tells. */
  readonly models?: ReadonlyArray<string> | undefined
  /** What `count_tokens` answers. Without it: an estimate. */
  readonly countTokens?: ((body: ApiRequest.MessagesBody) => number) | undefined
}

/**
 * Starts a server that plays a script.
 *
 * @example
 * ```ts
 * import * as ApiRequest from "@claude-duplex/loopback-api/ApiRequest"
 * import * as LoopbackApi from "@claude-duplex/loopback-api/LoopbackApi"
 * import * as Reply from "@claude-duplex/loopback-api/Reply"
 * import * as Script from "@claude-duplex/loopback-api/ApiScript"
 * import { Effect } from "effect"
 *
 * const script = Script.conversation(Script.sequence(
 *   Reply.toolUse({ name: "Bash", input: { command: "date" } }),
 *   Reply.text("There you are.", { chunk: 5, pace: "10 millis" })
 * ))
 *
 * const program = Effect.gen(function*() {
 *   const api = yield* LoopbackApi.make(script)
 *   const environment = LoopbackApi.cliEnvironment(api) // for a `claude` of your own starting
 *   const { body } = yield* api.awaitRequest(ApiRequest.isMessages)
 *   console.log(body.model)
 *   yield* api.outcome // fails if anything else was asked, or less
 * })
 * ```
 */
export const make = <R = never>(
  script: Script<R>,
  options: Options = {}
): Effect.Effect<Service, LoopbackError, R | Scope.Scope> =>
  Effect.gen(function*() {
    const play = yield* script.start
    const journal = yield* journals.make
    const port = yield* listen(options.port ?? 0, (http) => handle(http, play, journal, options))

    return {
      url: `http://127.0.0.1:${port}`,
      port,
      requests: journal.requests,
      arrivals: journal.arrivals,
      awaitRequest: journal.awaitRequest,
      awaitEnd: journal.awaitEnd,
      unexpected: journal.unexpected,
      outcome: Effect.flatMap(Effect.all([journal.unexpected, play.unused]), ([[first], [left]]) =>
        first !== undefined
          ? Effect.fail(first)
          : left !== undefined
          ? new LoopbackError({ reason: "Unused", detail: left })
          : Effect.void)
    }
  })

/**
 * {@link make} as a layer.
 *
 * @example
 * ```ts
 * import * as LoopbackApi from "@claude-duplex/loopback-api/LoopbackApi"
 * import * as Reply from "@claude-duplex/loopback-api/Reply"
 * import * as Script from "@claude-duplex/loopback-api/ApiScript"
 *
 * const friendly = LoopbackApi.layer(Script.always(Reply.text("Hello!")))
 * ```
 */
export const layer = <R = never>(
  script: Script<R>,
  options?: Options
): Layer.Layer<LoopbackApi, LoopbackError, Exclude<R, Scope.Scope>> => Layer.scoped(LoopbackApi, make(script, options))

/**
 * The variables with which a `claude` asks this server and nobody else. The key is made up. Give it a `HOME` and a working
 * folder of its own too, and nothing of your own environment but `PATH`: variables like `ANTHROPIC_AUTH_TOKEN` or
 * `HTTPS_PROXY` would take it elsewhere.
 *
 * @example
 * ```ts
 * import * as LoopbackApi from "@claude-duplex/loopback-api/LoopbackApi"
 * import { Effect } from "effect"
 *
 * const environment = Effect.map(LoopbackApi.LoopbackApi, LoopbackApi.cliEnvironment)
 * ```
 */
export const cliEnvironment = ({ url }: Pick<Service, "url">): Record<string, string> => ({
  ANTHROPIC_BASE_URL: url,
  ANTHROPIC_API_KEY: "sk-ant-made-up-for-loopback",
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  DISABLE_AUTOUPDATER: "1",
  DISABLE_ERROR_REPORTING: "1",
  DISABLE_TELEMETRY: "1"
})

const handle = <R>(
  http: HttpRequest,
  play: Play<R>,
  journal: journals.Journal,
  options: Options
): Effect.Effect<HttpResponse, never, R> =>
  Effect.gen(function*() {
    const { problem, toRequest } = yield* receive(http)
    const request = yield* journal.record(toRequest, http.response)

    const refuse = (status: number, reason: LoopbackReason, detail: string) => {
      const error = new LoopbackError({ reason, detail, request: request.number })
      // What is wrong with the test does not get right by asking again.
      const headers = { "x-should-retry": "false" }
      return Effect.as(
        journal.complain(error),
        answering.failure(request, Reply.error(status, { message: error.message, headers }))
      )
    }

    if (problem !== undefined) {
      return yield* refuse(400, "InvalidRequest", `${ApiRequest.describe(request)} cannot be read: ${problem}`)
    }
    if (request._tag === "CountTokens") {
      const count = options.countTokens ?? ApiRequest.estimateTokens
      return answering.json(request, { input_tokens: count(request.body) })
    }
    if (request._tag === "Other") {
      return request.method === "GET" && request.path === "/v1/models"
        ? answering.json(request, modelList(options.models ?? []))
        : answering.failure(
          request,
          Reply.error(404, { message: `loopback-api: ${ApiRequest.describe(request)} is unknown.` })
        )
    }
    const answer = Effect.flatMap(
      play.answer(request),
      Option.match({
        onNone: () => refuse(501, "Unscripted", `No reply is scripted for ${ApiRequest.describe(request)}.`),
        onSome: (reply) => answering.answer(reply, request, http)
      })
    )
    return yield* Effect.catchAllCause(answer, (cause) =>
      Cause.isInterrupted(cause)
        ? Effect.failCause(cause)
        : refuse(500, "ScriptFailed", `The script died at ${ApiRequest.describe(request)}: ${Cause.pretty(cause)}`))
  })

const modelList = (models: ReadonlyArray<string>) => ({
  data: models.map((id) => ({ type: "model", id, display_name: id, created_at: "2025-01-01T00:00:00Z" })),
  has_more: false,
  first_id: models[0] ?? null,
  last_id: models.at(-1) ?? null
})
