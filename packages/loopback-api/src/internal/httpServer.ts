/**
 * The HTTP side of the server, on `node:http`: it reads requests, runs a handler for each in a fiber of its own, and writes
 * what the handler returns. It does not know what a request means.
 *
 * `node:http` is used directly, not `@effect/platform`: the server must close connections in the middle of a response, which
 * the platform's abstraction does not offer, and this package then needs no dependency except `effect`.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as Http from "node:http"
import { LoopbackError } from "../LoopbackError.js"

/** A request whose headers have arrived. */
export interface HttpRequest {
  readonly method: string
  /** Path and query. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Effect.Effect<string>
  /** The response as Node has it, to watch how it ends. */
  readonly response: Http.ServerResponse
  /** Closes the connection after everything written so far is sent. Does not return: the handler is interrupted. */
  readonly disconnect: Effect.Effect<never>
}

export interface HttpResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** A stream is sent element by element, each in a write of its own. */
  readonly body: string | Stream.Stream<string>
}

/**
 * Listens on a port of 127.0.0.1 and returns the port. A handler is interrupted when its client closes the connection. When
 * the scope closes, all connections are closed at once, including those with a response under way.
 */
export const listen = <R>(
  port: number,
  handler: (request: HttpRequest) => Effect.Effect<HttpResponse, never, R>
): Effect.Effect<number, LoopbackError, R | Scope.Scope> =>
  Effect.gen(function*() {
    const runFork = yield* FiberSet.makeRuntime<R>()
    const server = Http.createServer((request, response) => {
      const fiber = runFork(
        Effect.flatMap(handled(handler(toRequest(request, response))), (answer) => write(response, answer))
      )
      // A write after the client has closed the connection emits an error, which would end the process.
      response.on("error", () => {})
      response.once("close", () => {
        if (!response.writableEnded) fiber.unsafeInterruptAsFork(fiber.id())
      })
    })
    // A client that pauses between two requests, as a test does, must not find its connection closed.
    server.keepAliveTimeout = 0
    yield* Effect.addFinalizer(() =>
      Effect.async<void>((resume) => {
        server.close(() => resume(Effect.void))
        server.closeAllConnections()
      })
    )
    return yield* Effect.async<number, LoopbackError>((resume) => {
      server.once("error", (error) =>
        resume(new LoopbackError({ reason: "Listen", detail: `Cannot listen on port ${port}: ${error.message}` })))
      server.listen({ host: "127.0.0.1", port }, () => {
        const address = server.address()
        // A server that listens on a host and a port has an address with a port.
        resume(Effect.succeed(typeof address === "object" && address !== null ? address.port : port))
      })
    })
  })

/** A handler that dies is a mistake in this package or in an option; the client gets a 500 instead of no response. */
const handled = <R>(handler: Effect.Effect<HttpResponse, never, R>): Effect.Effect<HttpResponse, never, R> =>
  Effect.catchAllDefect(handler, (defect) => {
    const cause = Cause.die(defect)
    return Effect.as(Effect.logError("loopback-api: a request could not be answered.", cause), {
      status: 500,
      headers: { "content-type": "text/plain" },
      body: Cause.pretty(cause)
    })
  })

const toRequest = (request: Http.IncomingMessage, response: Http.ServerResponse): HttpRequest => ({
  method: request.method ?? "GET",
  url: request.url ?? "/",
  headers: Object.fromEntries(
    Object.entries(request.headers).flatMap(([name, value]) => value === undefined ? [] : [[name, String(value)]])
  ),
  body: read(request),
  response,
  disconnect: Effect.zipRight(Effect.sync(() => request.socket.destroySoon()), Effect.never)
})

const read = (request: Http.IncomingMessage): Effect.Effect<string> =>
  Effect.async((resume) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.once("end", () => resume(Effect.succeed(Buffer.concat(chunks).toString("utf8"))))
    // The client closed the connection: there is nobody to send a response to.
    request.once("error", () => resume(Effect.interrupt))
  })

const write = (response: Http.ServerResponse, { body, headers, status }: HttpResponse): Effect.Effect<void> =>
  Effect.suspend(() => {
    response.statusCode = status
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
    if (typeof body === "string") {
      response.end(body)
      return Effect.void
    }
    return Effect.zipRight(
      Stream.runForEach(body, (part) => writePart(response, part)),
      Effect.sync(() => void response.end())
    )
  })

/** Waits for the client when the response's buffer is full. */
const writePart = (response: Http.ServerResponse, part: string): Effect.Effect<void> =>
  Effect.async((resume) => {
    if (response.write(part)) return resume(Effect.void)
    const drained = () => resume(Effect.void)
    response.once("drain", drained)
    return Effect.sync(() => void response.off("drain", drained))
  })
