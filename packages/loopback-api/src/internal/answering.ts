/** Converts a reply to an HTTP response, with its delays. `ReplyStream` makes the bytes of a message. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type * as ApiRequest from "../ApiRequest.js"
import * as Reply from "../Reply.js"
import * as ReplyStream from "../ReplyStream.js"
import type { HttpRequest, HttpResponse } from "./httpServer.js"

/** The header that the API sends with every response. */
const requestId = (request: ApiRequest.ApiRequest) => `req_loopback_${request.number}`

/** A response with a JSON body. */
export const json = (
  request: ApiRequest.ApiRequest,
  body: unknown,
  options: { readonly status?: number; readonly headers?: Readonly<Record<string, string>> } = {}
): HttpResponse => ({
  status: options.status ?? 200,
  headers: { "content-type": "application/json", "request-id": requestId(request), ...options.headers },
  body: JSON.stringify(body)
})

/** An error, as the API words it. */
export const failure = (request: ApiRequest.ApiRequest, { error, headers, status }: Reply.Failure): HttpResponse =>
  json(request, { ...ReplyStream.errorEvent(error), request_id: requestId(request) }, { status, headers })

const message = (
  reply: Reply.Message,
  request: ApiRequest.Messages,
  http: HttpRequest
): Effect.Effect<HttpResponse> => {
  const { cut, delay = 0, headers = {} } = reply.options
  if (request.body.stream === true) return Effect.succeed(streamed(reply, request, http))
  return Effect.zipRight(
    Effect.sleep(delay),
    cut === undefined
      ? Effect.succeed(json(request, ReplyStream.toJson(reply, request), { headers }))
      : cut.by === "Hang"
      ? Effect.never
      : cut.by === "Disconnect"
      ? http.disconnect
      : Effect.succeed(failure(request, Reply.error(Reply.statusOf(cut.by), { ...cut.by, headers })))
  )
}

const streamed = (
  reply: Reply.Message,
  request: ApiRequest.Messages,
  http: HttpRequest
): HttpResponse => {
  const { end, steps } = ReplyStream.toPlan(reply, request)
  const ending = { Complete: Stream.empty, Hang: Stream.never, Disconnect: Stream.fromEffect(http.disconnect) }[end]
  const events = Stream.fromIterable(steps).pipe(
    // Each event is sent in a write of its own, so that clients receive them one by one.
    Stream.mapEffect(({ event, wait }) => Effect.as(Effect.sleep(wait), ReplyStream.encode(event))),
    Stream.concat(ending)
  )
  return {
    status: 200,
    headers: {
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-cache",
      "request-id": requestId(request),
      ...reply.options.headers
    },
    body: events
  }
}

/** Answers a request for a message. It does not end while the answer hangs. */
export const answer = (
  reply: Reply.Reply,
  request: ApiRequest.Messages,
  http: HttpRequest
): Effect.Effect<HttpResponse> => {
  switch (reply._tag) {
    case "Message":
      return message(reply, request, http)
    case "Failure":
      return Effect.as(Effect.sleep(reply.delay), failure(request, reply))
    case "Raw":
      return Effect.succeed({ status: reply.status, headers: reply.headers, body: reply.body })
    case "Hang":
      return Effect.never
    case "Disconnect":
      return http.disconnect
  }
}
