/** A client of the Messages API, and what it needs to know of server-sent events. */
import type * as ApiRequest from "@claude-duplex/loopback-api/ApiRequest"
import type { Service } from "@claude-duplex/loopback-api/LoopbackApi"
import { Effect } from "effect"

/** A body as it can be least. */
export const ask = (text: string, fields: Record<string, unknown> = {}): ApiRequest.MessagesBody => ({
  model: "claude-test",
  max_tokens: 100,
  messages: [{ role: "user", content: text }],
  ...fields
})

/** A request for a message, as a script sees it. */
export const request = (body: ApiRequest.MessagesBody, number = 1): ApiRequest.Messages => ({
  _tag: "Messages",
  number,
  method: "POST",
  path: "/v1/messages",
  query: {},
  headers: {},
  body
})

/** Sends a request; the client goes away when the effect is interrupted. */
export const send = (api: Service, path: string, init: RequestInit = {}) =>
  Effect.tryPromise((signal) => fetch(`${api.url}${path}`, { ...init, signal }))

/** Asks for a message, and reads no more than the headers. */
export const open = (api: Service, body: unknown) =>
  send(api, "/v1/messages?beta=true", {
    method: "POST",
    headers: { "content-type": "application/json", "x-api-key": "sk-secret" },
    body: typeof body === "string" ? body : JSON.stringify(body)
  })

export const readText = (response: Response) => Effect.tryPromise(() => response.text())

/** Asks for a message, and reads the whole answer. */
export const post = (api: Service, body: unknown) =>
  Effect.flatMap(
    open(api, body),
    (response) =>
      Effect.map(readText(response), (text) => ({ status: response.status, headers: response.headers, text }))
  )

export interface SseEvent {
  readonly event: string
  // What the API sends, for tests to look into; they fail where it is something else.
  readonly data: { readonly type: string; readonly [field: string]: unknown }
}

/** Reads events as strictly as their form is meant: a name, one line of data, an empty line. */
export const parseSse = (text: string): ReadonlyArray<SseEvent> =>
  text.split("\n\n").slice(0, -1).map((block) => {
    const match = /^event: ([^\n]+)\ndata: ([^\n]+)$/.exec(block)
    if (match === null) throw new Error(`not an event: ${JSON.stringify(block)}`)
    return { event: match[1] ?? "", data: JSON.parse(match[2] ?? "") }
  })

/** A reader of one stream, chunk by chunk, as text. */
export const reader = (response: Response) => {
  const chunks = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  const next = Effect.tryPromise(async () => (await chunks?.read())?.value ?? "(end)")
  /** Reads on until the text so far contains this. */
  const until = (part: string, known = ""): Effect.Effect<string, unknown> =>
    Effect.flatMap(next, (chunk) => {
      const all = known + chunk
      return all.includes(part) || chunk === "(end)" ? Effect.succeed(all) : until(part, all)
    })
  return { next, until }
}
