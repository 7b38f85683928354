/** Reads an HTTP request as a request of the API. It decides nothing about the response. */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as ApiRequest from "../ApiRequest.js"
import type { HttpRequest } from "./httpServer.js"

/** What was read, still without its number: it gets that when it is recorded. */
export interface Received {
  readonly toRequest: (number: number) => ApiRequest.ApiRequest
  /** Why it is not what its path says, in words. */
  readonly problem?: string
}

/** Headers whose values must not be printed by a failed test. */
const secrets = new Set(["x-api-key", "authorization", "proxy-authorization", "cookie"])

const redacted = (headers: HttpRequest["headers"]): ApiRequest.Envelope["headers"] =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, secrets.has(name) ? Redacted.make(value) : value])
  )

const decodeBody = Schema.decodeUnknownEither(ApiRequest.MessagesBody)

/** What the API reads as a message, by path. */
const tags: Readonly<Record<string, "Messages" | "CountTokens">> = {
  "/v1/messages": "Messages",
  "/v1/messages/count_tokens": "CountTokens"
}

export const receive = (http: HttpRequest): Effect.Effect<Received> =>
  Effect.map(
    http.body,
    (text) => {
      // By hand: a path may be one that `URL` takes for a host, or refuses.
      const [path = "", query = ""] = http.url.split(/\?(.*)/s)
      const envelope = {
        method: http.method,
        path,
        query: Object.fromEntries(new URLSearchParams(query)),
        headers: redacted(http.headers)
      }
      const other = (body: unknown): Received["toRequest"] => (number) => ({ _tag: "Other", number, ...envelope, body })
      const parsed = parse(text)
      const tag = http.method === "POST" ? tags[path] : undefined
      if (tag === undefined) return { toRequest: other(Either.getOrElse(parsed, () => text)) }
      if (Either.isLeft(parsed)) return { toRequest: other(text), problem: "The body is not JSON." }
      const decoded = decodeBody(parsed.right)
      return Either.isLeft(decoded)
        ? { toRequest: other(parsed.right), problem: ParseResult.TreeFormatter.formatErrorSync(decoded.left) }
        : { toRequest: (number) => ({ _tag: tag, number, ...envelope, body: decoded.right }) }
    }
  )

const parse = (text: string): Either.Either<unknown, unknown> =>
  text === "" ? Either.right(undefined) : Either.try((): unknown => JSON.parse(text))
