/** A request of HTTP's as a request of the API's. Owns how it is read; it decides nothing about the answer. */
import * as Headers from "@effect/platform/Headers"
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import * as ApiRequest from "../ApiRequest.js"

/** What was read, still without its number: it gets that when it is recorded. */
export interface Received {
  readonly toRequest: (number: number) => ApiRequest.ApiRequest
  /** Why it is not what its path says, in words. */
  readonly problem?: string
}

/** Names of headers that carry what nobody should see in a failed test. */
const secrets = ["x-api-key", "authorization", "proxy-authorization", "cookie"]

const decodeBody = Schema.decodeUnknownEither(ApiRequest.MessagesBody)

/** What the API reads as a message, by path. */
const tags: Readonly<Record<string, "Messages" | "CountTokens">> = {
  "/v1/messages": "Messages",
  "/v1/messages/count_tokens": "CountTokens"
}

export const receive = (http: HttpServerRequest.HttpServerRequest): Effect.Effect<Received> =>
  Effect.map(
    // A body that breaks off is that of a client that is gone: nobody is there to be told.
    Effect.orDie(http.text),
    (text) => {
      // By hand: a path may be one that `URL` takes for a host, or refuses.
      const [path = "", query = ""] = http.url.split(/\?(.*)/s)
      const envelope = {
        method: http.method,
        path,
        query: Object.fromEntries(new URLSearchParams(query)),
        headers: { ...Headers.redact(http.headers, secrets) }
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
