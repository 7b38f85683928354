/**
 * A message as the API writes it: as one JSON, or as server-sent events. Owns the wire form, and it is pure: time is data
 * (`wait`), and sending is `LoopbackApi`'s business.
 *
 * The order of events is the API's: `message_start`; for each block `content_block_start`, deltas, `content_block_stop`; one
 * `ping` after the first block has begun; `message_delta` with the stop reason and the usage; `message_stop`.
 *
 * @since 0.1.0
 * @stability experimental
 */
import * as Arr from "effect/Array"
import * as Duration from "effect/Duration"
import * as ApiRequest from "./ApiRequest.js"
import type * as Reply from "./Reply.js"

/** An event: its JSON, whose `type` is its name too. */
export interface Event {
  readonly type: string
  readonly [field: string]: unknown
}

/** An event and how long it waits. */
export interface Step {
  readonly event: Event
  readonly wait: Duration.Duration
}

/** How the events end: the answer is over, nothing comes any more, or the connection is closed. */
export type End = "Complete" | "Hang" | "Disconnect"

/** A streamed answer. */
export interface Plan {
  readonly steps: ReadonlyArray<Step>
  readonly end: End
}

/**
 * The message as one JSON.
 *
 * @example
 * ```ts
 * import type * as ApiRequest from "@claude-duplex/loopback-api/ApiRequest"
 * import * as Reply from "@claude-duplex/loopback-api/Reply"
 * import * as ReplyStream from "@claude-duplex/loopback-api/ReplyStream"
 *
 * const answer = (request: ApiRequest.Messages) => JSON.stringify(ReplyStream.toJson(Reply.text("hi"), request))
 * ```
 */
export const toJson = (message: Reply.Message, request: ApiRequest.Messages) => ({
  ...head(message, request),
  content: content(message, request),
  stop_reason: stopReason(message),
  stop_sequence: message.options.stopSequence ?? null,
  usage: { ...inputUsage(message, request), output_tokens: outputTokens(message) }
})

/**
 * The message as events.
 *
 * @example
 * ```ts
 * import type * as ApiRequest from "@claude-duplex/loopback-api/ApiRequest"
 * import * as Reply from "@claude-duplex/loopback-api/Reply"
 * import * as ReplyStream from "@claude-duplex/loopback-api/ReplyStream"
 *
 * const answer = (request: ApiRequest.Messages) =>
 *   ReplyStream.toPlan(Reply.text("hello", { chunk: 2 }), request).steps.map(({ event }) => ReplyStream.encode(event))
 * ```
 */
export const toPlan = (message: Reply.Message, request: ApiRequest.Messages): Plan => {
  const { cut, delay = 0, pace = 0 } = message.options
  const all = events(message, request)
  const sent = cut === undefined ? all : all.slice(0, cutAt(all, cut.after))
  const error = cut === undefined || typeof cut.by === "string" ? [] : [errorEvent(cut.by)]
  return {
    steps: [...sent, ...error].map((event, i) => ({
      event,
      wait: Duration.decode(i === 0 ? delay : isDelta(event) ? pace : 0)
    })),
    end: cut !== undefined && typeof cut.by === "string" ? cut.by : "Complete"
  }
}

/**
 * An event as bytes are made of it.
 *
 * @example
 * ```ts
 * import * as ReplyStream from "@claude-duplex/loopback-api/ReplyStream"
 *
 * ReplyStream.encode({ type: "ping" }) // 'event: ping\ndata: {"type":"ping"}\n\n'
 * ```
 */
export const encode = (event: Event): string => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`

/**
 * The body of an error, and the data of an `error` event.
 *
 * @example
 * ```ts
 * import * as ReplyStream from "@claude-duplex/loopback-api/ReplyStream"
 *
 * ReplyStream.errorEvent({ type: "overloaded_error", message: "Overloaded" })
 * // { type: "error", error: { type: "overloaded_error", message: "Overloaded" } }
 * ```
 */
export const errorEvent = (error: Reply.ApiError): Event => ({ type: "error", error })

const isDelta = (event: Event) => event.type === "content_block_delta"

/** Where the events are cut: before the delta that is one too many, or else before the end of the message. */
const cutAt = (all: ReadonlyArray<Event>, after: number): number => {
  let deltas = 0
  const index = all.findIndex((event) => event.type === "message_delta" || (isDelta(event) && ++deltas > after))
  return index === -1 ? all.length : index
}

const head = ({ options }: Reply.Message, request: ApiRequest.Messages) => ({
  id: options.id ?? `msg_loopback_${request.number}`,
  type: "message",
  role: "assistant",
  model: options.model ?? request.body.model
})

const stopReason = ({ blocks, options }: Reply.Message): Reply.StopReason =>
  options.stopReason ?? (blocks.some(({ type }) => type === "tool_use") ? "tool_use" : "end_turn")

const inputUsage = ({ options }: Reply.Message, request: ApiRequest.Messages) => ({
  input_tokens: ApiRequest.estimateTokens(request.body),
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  ...options.usage
})

const outputTokens = ({ blocks, options }: Reply.Message): number =>
  options.usage?.output_tokens ?? Math.ceil(JSON.stringify(blocks).length / 4)

/** Blocks with the ids that they lack. */
const content = ({ blocks }: Reply.Message, request: ApiRequest.Messages): ReadonlyArray<Reply.Block> =>
  blocks.map((block, i) =>
    block.type === "tool_use" ? { id: `toolu_loopback_${request.number}_${i}`, ...block } : block
  )

const events = (message: Reply.Message, request: ApiRequest.Messages): ReadonlyArray<Event> => [
  {
    type: "message_start",
    message: {
      ...head(message, request),
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { ...inputUsage(message, request), output_tokens: 1 }
    }
  },
  ...content(message, request).flatMap((block, index): ReadonlyArray<Event> => {
    const [start, deltas] = parts(block, message.options.chunk)
    return [
      { type: "content_block_start", index, content_block: start },
      ...(index === 0 ? [{ type: "ping" }] : []),
      ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
      { type: "content_block_stop", index }
    ]
  }),
  {
    type: "message_delta",
    delta: { stop_reason: stopReason(message), stop_sequence: message.options.stopSequence ?? null },
    usage: { ...message.options.usage, output_tokens: outputTokens(message) }
  },
  { type: "message_stop" }
]

/** A block as it begins, and what is added to it. */
const parts = (
  block: Reply.Block,
  chunk: number | undefined
): readonly [start: Reply.Block, deltas: ReadonlyArray<Event>] => {
  if (isText(block)) {
    return [
      { ...block, text: "" },
      pieces(block.text, chunk).map((text) => ({ type: "text_delta", text }))
    ]
  }
  if (isThinking(block)) {
    return [
      { ...block, thinking: "", signature: "" },
      [
        ...pieces(block.thinking, chunk).map((thinking) => ({ type: "thinking_delta", thinking })),
        { type: "signature_delta", signature: block.signature }
      ]
    ]
  }
  if (isToolUse(block)) {
    return [
      { ...block, input: {} },
      pieces(JSON.stringify(block.input), chunk).map((partial_json) => ({ type: "input_json_delta", partial_json }))
    ]
  }
  return [block, []]
}

// A block of another shape may bear a known name: it is streamed whole, like any other that is not known.
const isText = (block: Reply.Block): block is Reply.TextBlock =>
  block.type === "text" && "text" in block && typeof block.text === "string"

const isThinking = (block: Reply.Block): block is Reply.ThinkingBlock =>
  block.type === "thinking" && "thinking" in block && typeof block.thinking === "string" &&
  "signature" in block && typeof block.signature === "string"

const isToolUse = (block: Reply.Block): block is Reply.ToolUseBlock =>
  block.type === "tool_use" && "input" in block && block.input !== undefined

/** A text in pieces of so many characters; no character is cut in two. */
const pieces = (text: string, size: number | undefined): ReadonlyArray<string> =>
  text === ""
    ? []
    : size === undefined
    ? [text]
    : Arr.chunksOf(Arr.fromIterable(text), size).map((characters) => characters.join(""))
