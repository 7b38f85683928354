/**
 * What a request is answered with, as data. Owns what can be said about an answer and its defaults; `ReplyStream` makes
 * bytes of it, and `LoopbackApi` sends them.
 *
 * One reply serves both kinds of request: as events where the request says `stream`, else as one JSON.
 *
 * @since 0.1.0
 * @stability experimental
 */
import * as Duration from "effect/Duration"
import * as Function from "effect/Function"

/** A text. */
export interface TextBlock {
  readonly type: "text"
  readonly text: string
}

/** What the model thought. */
export interface ThinkingBlock {
  readonly type: "thinking"
  readonly thinking: string
  readonly signature: string
}

/** A tool that the model wants used. */
export interface ToolUseBlock {
  readonly type: "tool_use"
  /** Without it, one is made of the request's number and the block's index: `toolu_loopback_2_0`. */
  readonly id?: string
  readonly name: string
  readonly input: unknown
}

/** Any other block (`redacted_thinking`, `server_tool_use`, …): streamed whole, in its `content_block_start`. */
export interface OtherBlock {
  readonly type: string
  readonly [field: string]: unknown
}

/** A block of a message. */
export type Block = TextBlock | ThinkingBlock | ToolUseBlock | OtherBlock

/** The types of error that the API has. It adds some now and then. */
export type ErrorType =
  | "invalid_request_error"
  | "authentication_error"
  | "billing_error"
  | "permission_error"
  | "not_found_error"
  | "request_too_large"
  | "rate_limit_error"
  | "api_error"
  | "timeout_error"
  | "overloaded_error"
  // Any text, without losing the names above to an editor.
  | (string & {})

/** An error as the API words it. */
export interface ApiError {
  readonly type: ErrorType
  readonly message: string
}

/** How an answer ends that does not come to its end: by silence, by a closed connection, or by an `error` event. */
export type CutBy = "Hang" | "Disconnect" | ApiError

/** Where and how an answer stops. */
export interface Cut {
  /**
   * How many deltas are sent before. At 0 the first block has begun and nothing of it is sent; with more than there are
   * (`Infinity`), all is sent but the end of the message. In an answer that is not streamed nothing is sent.
   */
  readonly after: number
  readonly by: CutBy
}

/** Token counts, and whatever else the API tells of them. */
export interface Usage {
  readonly input_tokens?: number
  readonly output_tokens?: number
  readonly cache_creation_input_tokens?: number
  readonly cache_read_input_tokens?: number
  readonly [field: string]: unknown
}

/** Why a message ended. The API adds reasons now and then. */
export type StopReason =
  | "end_turn"
  | "max_tokens"
  | "stop_sequence"
  | "tool_use"
  | "pause_turn"
  | "refusal"
  | "model_context_window_exceeded"
  // Any text, without losing the names above to an editor.
  | (string & {})

/** What may be said about a message. */
export interface MessageOptions {
  /** Without it: `msg_loopback_` and the request's number. */
  readonly id?: string | undefined
  /** Without it: the one that was asked for. */
  readonly model?: string | undefined
  /** Without it: `tool_use` if there is such a block, else `end_turn`. */
  readonly stopReason?: StopReason | undefined
  readonly stopSequence?: string | undefined
  /** Counts that are not given are estimated. */
  readonly usage?: Usage | undefined
  /** Added to the answer's headers. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** How long the first byte waits. */
  readonly delay?: Duration.DurationInput | undefined
  /** How long each delta waits. */
  readonly pace?: Duration.DurationInput | undefined
  /** How many characters a delta has. Without it, a block is one delta. */
  readonly chunk?: number | undefined
  /** Stops the answer before its end. */
  readonly cut?: Cut | undefined
}

/** A message of the model's. */
export interface Message {
  readonly _tag: "Message"
  readonly blocks: ReadonlyArray<Block>
  readonly options: MessageOptions
}

/** An error by HTTP status. */
export interface Failure {
  readonly _tag: "Failure"
  readonly status: number
  readonly error: ApiError
  readonly headers: Readonly<Record<string, string>>
  readonly delay: Duration.Duration
}

/** An answer as it is: for what the API never says, and what a client must bear all the same. */
export interface Raw {
  readonly _tag: "Raw"
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** No answer, until the client goes away. */
export interface Hang {
  readonly _tag: "Hang"
}

/** No answer, and the connection is closed. */
export interface Disconnect {
  readonly _tag: "Disconnect"
}

/** What a request is answered with. */
export type Reply = Message | Failure | Raw | Hang | Disconnect

/**
 * A message of several blocks. {@link text}, {@link thinking} and {@link toolUse} are those of one.
 *
 * @example
 * ```ts
 * import * as Reply from "@claude-duplex/loopback-api/Reply"
 *
 * Reply.blocks([
 *   Reply.thinkingBlock("They want a list."),
 *   Reply.textBlock("Let me look."),
 *   Reply.toolUseBlock({ name: "Bash", input: { command: "ls" } })
 * ], { chunk: 4, pace: "20 millis", usage: { input_tokens: 150_000 } })
 * ```
 */
export const blocks = (content: ReadonlyArray<Block>, options: MessageOptions = {}): Message => ({
  _tag: "Message",
  blocks: content,
  options
})

/**
 * A text block, for {@link blocks}.
 *
 * @example
 * ```ts
 * import * as Reply from "@claude-duplex/loopback-api/Reply"
 *
 * Reply.textBlock("hello")
 * ```
 */
export const textBlock = (text: string): TextBlock => ({ type: "text", text })

/**
 * A thinking block, for {@link blocks}. The signature is made up, unless it is given.
 *
 * @example
 * ```ts
 * import * as Reply from "@claude-duplex/loopback-api/Reply"
 *
 * Reply.thinkingBlock("They greet me.", "c2lnbmVk")
 * ```
 */
export const thinkingBlock = (thinking: string, signature = "bG9vcGJhY2s="): ThinkingBlock => ({
  type: "thinking",
  thinking,
  signature
})

/** A tool and what it is given. */
export interface ToolUse {
  readonly name: string
  readonly input: unknown
  /** Without it, one is made of the request's number and the block's index. */
  readonly id?: string | undefined
}

/**
 * A tool use block, for {@link blocks}.
 *
 * @example
 * ```ts
 * import * as Reply from "@claude-duplex/loopback-api/Reply"
 *
 * Reply.toolUseBlock({ name: "Read", input: { file_path: "/tmp/a" }, id: "toolu_1" })
 * ```
 */
export const toolUseBlock = ({ id, input, name }: ToolUse): ToolUseBlock => ({
  type: "tool_use",
  ...(id === undefined ? {} : { id }),
  name,
  input
})

/**
 * A message of one text.
 *
 * @example
 * ```ts
 * import * as Reply from "@claude-duplex/loopback-api/Reply"
 *
 * Reply.text("Once upon a time", { chunk: 5, pace: "100 millis", cut: { after: 2, by: "Disconnect" } })
 * ```
 */
export const text = (content: string, options?: MessageOptions): Message => blocks([textBlock(content)], options)

/**
 * A message of one thought.
 *
 * @example
 * ```ts
 * import * as Reply from "@claude-duplex/loopback-api/Reply"
 *
 * Reply.thinking("Let me see.", { stopReason: "max_tokens" })
 * ```
 */
export const thinking = (content: string, options?: MessageOptions): Message =>
  blocks([thinkingBlock(content)], options)

/**
 * A message that wants one tool used.
 *
 * @example
 * ```ts
 * import * as Reply from "@claude-duplex/loopback-api/Reply"
 *
 * Reply.toolUse({ name: "Bash", input: { command: "ls" } })
 * ```
 */
export const toolUse = (use: ToolUse, options?: MessageOptions): Message => blocks([toolUseBlock(use)], options)

/**
 * Says more about a message. What is said last counts.
 *
 * @example
 * ```ts
 * import * as Reply from "@claude-duplex/loopback-api/Reply"
 *
 * const slowly = Reply.withOptions({ chunk: 1, pace: "50 millis" })
 * const reply = slowly(Reply.text("hello"))
 * ```
 */
export const withOptions: {
  (options: MessageOptions): (self: Message) => Message
  (self: Message, options: MessageOptions): Message
} = Function.dual(2, (self: Message, options: MessageOptions): Message => ({
  ...self,
  options: { ...self.options, ...options }
}))

/** The API's own pairs of status and type. */
const errorTypes: Readonly<Record<number, ErrorType>> = {
  400: "invalid_request_error",
  401: "authentication_error",
  402: "billing_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  500: "api_error",
  504: "timeout_error",
  529: "overloaded_error"
}

/** What may be said about an error. */
export interface ErrorOptions {
  /** Without it: the one that belongs to the status. */
  readonly type?: ErrorType | undefined
  readonly message?: string | undefined
  /** As the `retry-after` header, in seconds. */
  readonly retryAfter?: Duration.DurationInput | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** How long the answer waits. */
  readonly delay?: Duration.DurationInput | undefined
}

/**
 * An error by HTTP status. CLIs retry most of them for minutes; `headers: { "x-should-retry": "false" }` asks them not to.
 *
 * @example
 * ```ts
 * import * as Reply from "@claude-duplex/loopback-api/Reply"
 *
 * Reply.error(429, { message: "Slow down.", retryAfter: "1 second" })
 * ```
 */
export const error = (status: number, options: ErrorOptions = {}): Failure => {
  const type = options.type ?? errorTypes[status] ?? (status < 500 ? "invalid_request_error" : "api_error")
  return {
    _tag: "Failure",
    status,
    error: { type, message: options.message ?? `A scripted ${type}.` },
    headers: {
      ...(options.retryAfter === undefined ? {} : { "retry-after": `${Duration.toSeconds(options.retryAfter)}` }),
      ...options.headers
    },
    delay: Duration.decode(options.delay ?? 0)
  }
}

/**
 * The status that belongs to an error's type; 500 for an unknown one.
 *
 * @example
 * ```ts
 * import * as Reply from "@claude-duplex/loopback-api/Reply"
 *
 * Reply.statusOf({ type: "overloaded_error", message: "Overloaded" }) // 529
 * ```
 */
export const statusOf = (error: ApiError): number =>
  Number(Object.entries(errorTypes).find(([, type]) => type === error.type)?.[0] ?? 500)

/**
 * An answer as it is, right or wrong.
 *
 * @example
 * ```ts
 * import * as Reply from "@claude-duplex/loopback-api/Reply"
 *
 * const proxy = Reply.raw({ status: 502, headers: { "content-type": "text/html" }, body: "<h1>Bad Gateway</h1>" })
 * ```
 */
export const raw = (answer: {
  readonly body: string
  readonly status?: number | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
}): Raw => ({ _tag: "Raw", status: answer.status ?? 200, headers: answer.headers ?? {}, body: answer.body })

/** No answer, until the client goes away or the server is closed. For one that stops in the middle: `cut`. */
export const hang: Hang = { _tag: "Hang" }

/** No answer, and the connection is closed. For one that stops in the middle: `cut`. */
export const disconnect: Disconnect = { _tag: "Disconnect" }

/** How an answer ended: the client was given all of it, or the connection ended first, by either side. */
export type Ending = "Complete" | "Incomplete"
