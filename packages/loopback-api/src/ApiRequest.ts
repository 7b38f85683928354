/**
 * What the server was asked. Owns the shape of a request and the questions that scripts ask about one. What it is answered
 * with is `Script`'s business.
 *
 * Bodies are read leniently: nothing is required but what no answer can do without, unknown fields are kept, and a body is
 * the parsed object itself. A message's `role` may be `system` (2.1.326 sends such), and its content a text or blocks.
 *
 * @since 0.1.0
 * @stability experimental
 */
import * as Arr from "effect/Array"
import * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"

const optional = <A>(schema: Schema.Schema<A>) => Schema.optionalWith(schema, { exact: true })

const unknownFields = Schema.Record({ key: Schema.String, value: Schema.Unknown })

/** A content block, told by its `type`; see {@link texts} and {@link toolResults} for what is in them. */
export const ContentBlock = Schema.Struct({ type: Schema.String }, unknownFields).annotations({
  identifier: "ContentBlock"
})
export type ContentBlock = typeof ContentBlock.Type

const Content = Schema.Union(Schema.String, Schema.Array(ContentBlock))

/** One message of the conversation. */
export const Message = Schema.Struct({ role: Schema.String, content: Content }, unknownFields).annotations({
  identifier: "Message"
})
export type Message = typeof Message.Type

/** A tool that the model may use. */
export const Tool = Schema.Struct(
  { name: Schema.String, description: optional(Schema.String), input_schema: optional(Schema.Unknown) },
  unknownFields
).annotations({ identifier: "Tool" })
export type Tool = typeof Tool.Type

/** The body of `POST /v1/messages` and of `POST /v1/messages/count_tokens`. */
export const MessagesBody = Schema.Struct(
  {
    model: Schema.String,
    messages: Schema.Array(Message),
    system: optional(Content),
    tools: optional(Schema.Array(Tool)),
    tool_choice: optional(Schema.Unknown),
    stream: optional(Schema.Boolean),
    max_tokens: optional(Schema.Number),
    thinking: optional(Schema.Unknown),
    metadata: optional(Schema.Unknown)
  },
  unknownFields
).annotations({ identifier: "MessagesBody" })
export type MessagesBody = typeof MessagesBody.Type

/** What every request has. */
export interface Envelope {
  /** The number of the request, from 1, in the order of arrival. */
  readonly number: number
  readonly method: string
  /** Without the query. */
  readonly path: string
  readonly query: Readonly<Record<string, string>>
  /** By lower-case name. Keys, tokens and cookies are `Redacted`. */
  readonly headers: Readonly<Record<string, string | Redacted.Redacted>>
}

/** `POST /v1/messages`. */
export interface Messages extends Envelope {
  readonly _tag: "Messages"
  readonly body: MessagesBody
}

/** `POST /v1/messages/count_tokens`. */
export interface CountTokens extends Envelope {
  readonly _tag: "CountTokens"
  readonly body: MessagesBody
}

/** Anything else, and what could not be read. */
export interface Other extends Envelope {
  readonly _tag: "Other"
  /** The JSON, the text where it is none, or `undefined` where there is no body. */
  readonly body: unknown
}

/** A request that has arrived. */
export type ApiRequest = Messages | CountTokens | Other

/**
 * Whether a request is one for a message.
 *
 * @example
 * ```ts
 * import * as ApiRequest from "@claude-duplex/loopback-api/ApiRequest"
 * import * as LoopbackApi from "@claude-duplex/loopback-api/LoopbackApi"
 * import { Effect } from "effect"
 *
 * const model = Effect.flatMap(LoopbackApi.LoopbackApi, (api) => api.awaitRequest(ApiRequest.isMessages)).pipe(
 *   Effect.map((request) => request.body.model)
 * )
 * ```
 */
export const isMessages = (request: ApiRequest): request is Messages => request._tag === "Messages"

const blocksOf = (content: string | ReadonlyArray<ContentBlock>): ReadonlyArray<ContentBlock> =>
  typeof content === "string" ? [{ type: "text", text: content }] : content

const textOf = (block: ContentBlock): Option.Option<string> =>
  block.type === "text" && typeof block["text"] === "string" ? Option.some(block["text"]) : Option.none()

/**
 * The texts in a message or a system prompt.
 *
 * @example
 * ```ts
 * import * as ApiRequest from "@claude-duplex/loopback-api/ApiRequest"
 *
 * ApiRequest.texts([{ type: "text", text: "hello" }, { type: "image" }]) // ["hello"]
 * ```
 */
export const texts = (content: string | ReadonlyArray<ContentBlock>): ReadonlyArray<string> =>
  Arr.filterMap(blocksOf(content), textOf)

/**
 * The system prompt, its blocks joined by newlines; empty if there is none.
 *
 * @example
 * ```ts
 * import * as ApiRequest from "@claude-duplex/loopback-api/ApiRequest"
 *
 * const isTitle = (request: ApiRequest.Messages) => ApiRequest.systemText(request).includes("title")
 * ```
 */
export const systemText = (request: Messages): string => texts(request.body.system ?? "").join("\n")

/** How the CLI begins a text that it adds to what the user wrote. */
const reminder = "<system-reminder>"

/**
 * The last text that the user wrote: not a tool's result, and not what the CLI adds to it (`<system-reminder>`).
 *
 * @example
 * ```ts
 * import * as ApiRequest from "@claude-duplex/loopback-api/ApiRequest"
 * import * as Reply from "@claude-duplex/loopback-api/Reply"
 * import * as Script from "@claude-duplex/loopback-api/ApiScript"
 * import { Option } from "effect"
 *
 * const echo = Script.respond((request) => Option.map(ApiRequest.lastUserText(request), (text) => Reply.text(text)))
 * ```
 */
export const lastUserText = (request: Messages): Option.Option<string> =>
  Arr.findLast(
    request.body.messages.flatMap(({ content, role }) => role === "user" ? texts(content) : []),
    (text) => !text.startsWith(reminder)
  )

/** What a tool gave. */
export interface ToolResult {
  readonly toolUseId: string
  /** Its texts, joined by newlines. */
  readonly text: string
  readonly isError: boolean
}

const isContent = Schema.is(Content)

const toolResult = (block: ContentBlock): Option.Option<ToolResult> =>
  block.type === "tool_result" && typeof block["tool_use_id"] === "string"
    ? Option.some({
      toolUseId: block["tool_use_id"],
      text: isContent(block["content"]) ? texts(block["content"]).join("\n") : "",
      isError: block["is_error"] === true
    })
    : Option.none()

/**
 * The tool results that this request brings: those since the last message of the model's. Empty if the user speaks.
 *
 * @example
 * ```ts
 * import * as ApiRequest from "@claude-duplex/loopback-api/ApiRequest"
 * import * as Reply from "@claude-duplex/loopback-api/Reply"
 * import * as Script from "@claude-duplex/loopback-api/ApiScript"
 * import { Effect } from "effect"
 *
 * const listThenTell = Script.respond((request) => {
 *   const [result] = ApiRequest.toolResults(request)
 *   return Effect.succeed(
 *     result === undefined
 *       ? Reply.toolUse({ name: "Bash", input: { command: "ls" } })
 *       : Reply.text(`I see: ${result.text}`)
 *   )
 * })
 * ```
 */
export const toolResults = ({ body: { messages } }: Messages): ReadonlyArray<ToolResult> =>
  Arr.reverse(Arr.takeWhile(Arr.reverse(messages), ({ role }) => role !== "assistant"))
    .flatMap(({ content }) => Arr.filterMap(blocksOf(content), toolResult))

/**
 * The names of the tools that the model may use.
 *
 * @example
 * ```ts
 * import * as ApiRequest from "@claude-duplex/loopback-api/ApiRequest"
 *
 * const canEdit = (request: ApiRequest.Messages) => ApiRequest.toolNames(request).includes("Edit")
 * ```
 */
export const toolNames = (request: Messages): ReadonlyArray<string> =>
  (request.body.tools ?? []).map(({ name }) => name)

/**
 * A count of tokens that is good enough for a test: a quarter of the characters of what the model would read.
 *
 * @example
 * ```ts
 * import * as ApiRequest from "@claude-duplex/loopback-api/ApiRequest"
 *
 * ApiRequest.estimateTokens({ model: "claude-x", messages: [{ role: "user", content: "hello" }] }) // 11
 * ```
 */
export const estimateTokens = ({ messages, system, tools }: MessagesBody): number =>
  Math.ceil(JSON.stringify([system, messages, tools].filter((part) => part !== undefined)).length / 4)

/**
 * A request in a few words, for errors.
 *
 * @example
 * ```ts
 * import * as ApiRequest from "@claude-duplex/loopback-api/ApiRequest"
 *
 * const log = (request: ApiRequest.ApiRequest) => console.log(ApiRequest.describe(request))
 * // request 2: POST /v1/messages, claude-x, 12 tools, "hello"
 * ```
 */
export const describe = (request: ApiRequest): string =>
  [
    `request ${request.number}: ${request.method} ${request.path}`,
    ...(isMessages(request) ? details(request) : [])
  ].join(", ")

/** How much of a text an error quotes, in characters. */
const quoted = 80

const details = (request: Messages): ReadonlyArray<string> => {
  const results = toolResults(request)
  const text = Option.getOrElse(lastUserText(request), () => "")
  return [
    request.body.model,
    `${request.body.tools?.length ?? 0} tools`,
    results.length > 0
      ? `with the result of ${results.map(({ toolUseId }) => toolUseId).join(", ")}`
      : JSON.stringify(text.length > quoted ? `${text.slice(0, quoted)}…` : text)
  ]
}
