/** A reply as an answer of HTTP's. Owns how it is sent, and when; the bytes of a message are `ReplyStream`'s. */
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type * as ApiRequest from "../ApiRequest.js"
import * as Reply from "../Reply.js"
import * as ReplyStream from "../ReplyStream.js"

type Response = HttpServerResponse.HttpServerResponse

/** Closes the connection once what was written is on its way, and waits to be interrupted: the answer ends here. */
const disconnect = (http: HttpServerRequest.HttpServerRequest): Effect.Effect<never> =>
  Effect.zipRight(
    Effect.sync(() => NodeHttpServerRequest.toIncomingMessage(http).socket.destroySoon()),
    Effect.never
  )

/** What the API puts on every answer. */
const requestId = (request: ApiRequest.ApiRequest) => `req_loopback_${request.number}`

/** An answer of one JSON. */
export const json = (
  request: ApiRequest.ApiRequest,
  body: unknown,
  options: { readonly status?: number; readonly headers?: Readonly<Record<string, string>> } = {}
): Response =>
  HttpServerResponse.text(JSON.stringify(body), {
    status: options.status ?? 200,
    contentType: "application/json",
    headers: { "request-id": requestId(request), ...options.headers }
  })

/** An error, as the API words it. */
export const failure = (request: ApiRequest.ApiRequest, { error, headers, status }: Reply.Failure): Response =>
  json(request, { ...ReplyStream.errorEvent(error), request_id: requestId(request) }, { status, headers })

const message = (
  reply: Reply.Message,
  request: ApiRequest.Messages,
  http: HttpServerRequest.HttpServerRequest
): Effect.Effect<Response> => {
  const { cut, delay = 0, headers = {} } = reply.options
  if (request.body.stream === true) return Effect.succeed(streamed(reply, request, http))
  return Effect.zipRight(
    Effect.sleep(delay),
    cut === undefined
      ? Effect.succeed(json(request, ReplyStream.toJson(reply, request), { headers }))
      : cut.by === "Hang"
      ? Effect.never
      : cut.by === "Disconnect"
      ? disconnect(http)
      : Effect.succeed(failure(request, Reply.error(Reply.statusOf(cut.by), { ...cut.by, headers })))
  )
}

const streamed = (
  reply: Reply.Message,
  request: ApiRequest.Messages,
  http: HttpServerRequest.HttpServerRequest
): Response => {
  const { end, steps } = ReplyStream.toPlan(reply, request)
  const ending = { Complete: Stream.empty, Hang: Stream.never, Disconnect: Stream.fromEffect(disconnect(http)) }[end]
  const events = Stream.fromIterable(steps).pipe(
    // Each event is an element of its own chunk, and so a write of its own: clients see them come one by one.
    Stream.mapEffect(({ event, wait }) => Effect.as(Effect.sleep(wait), ReplyStream.encode(event))),
    Stream.concat(ending),
    Stream.encodeText
  )
  return HttpServerResponse.stream(events, {
    contentType: "text/event-stream; charset=utf-8",
    headers: { "cache-control": "no-cache", "request-id": requestId(request), ...reply.options.headers }
  })
}

/** Answers a request for a message. It does not end while the answer hangs. */
export const answer = (
  reply: Reply.Reply,
  request: ApiRequest.Messages,
  http: HttpServerRequest.HttpServerRequest
): Effect.Effect<Response> => {
  switch (reply._tag) {
    case "Message":
      return message(reply, request, http)
    case "Failure":
      return Effect.as(Effect.sleep(reply.delay), failure(request, reply))
    case "Raw":
      return Effect.succeed(
        HttpServerResponse.raw(reply.body, { status: reply.status, headers: reply.headers })
      )
    case "Hang":
      return Effect.never
    case "Disconnect":
      return disconnect(http)
  }
}
