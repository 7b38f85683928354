/**
 * A tool for the model, by schemas: what it takes is decoded, what it gives is encoded, and whatever goes wrong is told to
 * the model as the tool's result, so that it can do better. Serving tools is `McpToolServer`'s.
 *
 * Where a result has structured content, the CLI shows the model that *instead of* the other content (tried on 2.1.326). So
 * a tool with an `output` returns that and nothing else.
 *
 * @since 0.1.0
 * @stability stable
 */
import type { JsonObject } from "@claude-duplex/protocol/schema/Json"
import * as Effect from "effect/Effect"
import * as Encoding from "effect/Encoding"
import * as Schema from "effect/Schema"
import { plain } from "./internal/jsonRpc.js"
import { objectSchema } from "./internal/jsonSchema.js"
import { invalidInput, recover, structured } from "./internal/toolResult.js"

/** Text. */
export interface TextContent {
  readonly type: "text"
  readonly text: string
}

/** An image, or sound. */
export interface MediaContent {
  readonly type: "image" | "audio"
  /** In base64. */
  readonly data: string
  readonly mimeType: string
}

/** A resource: where it is, or all of it. */
export interface ResourceContent {
  readonly type: "resource"
  readonly resource:
    & { readonly uri: string; readonly mimeType?: string | undefined }
    & ({ readonly text: string } | { readonly blob: string })
}

/** A resource that the CLI may read. */
export interface ResourceLink {
  readonly type: "resource_link"
  readonly uri: string
  readonly name: string
  readonly description?: string | undefined
  readonly mimeType?: string | undefined
}

/** What a tool may show. */
export type Content = TextContent | MediaContent | ResourceContent | ResourceLink

/** What a call came to. An error is a result too: the model reads it. */
export interface Result {
  readonly content: ReadonlyArray<Content>
  readonly structuredContent?: JsonObject | undefined
  readonly isError?: boolean | undefined
  readonly _meta?: JsonObject | undefined
}

/** What a tool may return: text, contents, or a whole result. */
export type Output = string | ReadonlyArray<Content> | Result

/** How far a call has come. */
export interface Progress {
  readonly progress: number
  readonly total?: number | undefined
  readonly message?: string | undefined
}

/** A call, beside its input. */
export interface Call {
  /** The id of the model's `tool_use` block, where the CLI tells it. */
  readonly toolUseId: string | undefined
  /** All that came with the call. */
  readonly meta: JsonObject
  /**
   * Says how far it has come, if the caller wants to know. The CLI takes it, shows nothing of it in the stream, and its
   * timeout does not wait any longer (tried on 2.1.326).
   */
  readonly progress: (progress: Progress) => Effect.Effect<void>
}

/** What a tool does to the world: hints for whoever decides whether it may run, and no promise. */
export interface Annotations {
  readonly title?: string | undefined
  /** It changes nothing. The CLI runs such tools side by side. */
  readonly readOnlyHint?: boolean | undefined
  readonly destructiveHint?: boolean | undefined
  readonly idempotentHint?: boolean | undefined
  readonly openWorldHint?: boolean | undefined
}

/** A tool, as `tools/list` shows it. */
export interface Definition {
  readonly name: string
  readonly description?: string | undefined
  readonly inputSchema: JsonObject
  readonly outputSchema?: JsonObject | undefined
  readonly annotations?: Annotations | undefined
  readonly _meta?: JsonObject | undefined
}

/** A tool, whatever it takes. */
export interface McpTool<R = never> {
  readonly definition: Definition
  /** Runs it. All that can go wrong is in the result. */
  readonly call: (input: JsonObject, call: Call) => Effect.Effect<Result, never, R>
}

/** What a tool needs. */
export type Requirements<Tool> = Tool extends McpTool<infer R> ? R : never

/** What there is to say of any tool. */
export interface Description<A, I extends object, RI> {
  readonly name: string
  readonly description: string
  /** What it takes: an object, and no union of objects, which the CLI does not take. */
  readonly input: Schema.Schema<A, I, RI>
  readonly annotations?: Annotations | undefined
  /** Shows it to the model from the start. Else newer CLIs give its name only, and let the model search for the rest. */
  readonly alwaysLoad?: boolean | undefined
  /** `_meta` of the definition. */
  readonly meta?: JsonObject | undefined
}

/** How a tool is made. */
export interface Options<A, I extends object, RI, E, R> extends Description<A, I, RI> {
  readonly output?: undefined
  readonly run: (input: A, call: Call) => Effect.Effect<Output, E, R>
}

/** How a tool is made that returns a value of a schema. */
export interface StructuredOptions<A, I extends object, RI, O, OI extends object, RO, E, R>
  extends Description<A, I, RI>
{
  readonly output: Schema.Schema<O, OI, RO>
  readonly run: (input: A, call: Call) => Effect.Effect<O, E, R>
}

/**
 * Makes a tool. Input that does not fit and failures are told to the model in their own words; of a defect it hears only
 * that there was one. Throws if a schema is not an object's.
 *
 * @example
 * ```ts
 * import * as McpTool from "@claude-duplex/mcp/McpTool"
 * import { Effect, Schema } from "effect"
 *
 * const add = McpTool.make({
 *   name: "add",
 *   description: "Adds two numbers.",
 *   input: Schema.Struct({ a: Schema.Number, b: Schema.Number }),
 *   annotations: { readOnlyHint: true },
 *   run: ({ a, b }) => Effect.succeed(String(a + b))
 * })
 *
 * const divide = McpTool.make({
 *   name: "divide",
 *   description: "Divides two numbers.",
 *   input: Schema.Struct({ a: Schema.Number, b: Schema.Number }),
 *   output: Schema.Struct({ quotient: Schema.Number }),
 *   run: ({ a, b }) => b === 0 ? Effect.fail("Division by zero") : Effect.succeed({ quotient: a / b })
 * })
 * ```
 */
export function make<A, I extends object, RI, O, OI extends object, RO, E, R>(
  options: StructuredOptions<A, I, RI, O, OI, RO, E, R>
): McpTool<RI | RO | R>
export function make<A, I extends object, RI, E, R>(options: Options<A, I, RI, E, R>): McpTool<RI | R>
export function make<A, I extends object, RI, O, OI extends object, RO, E, R>(
  options: StructuredOptions<A, I, RI, O, OI, RO, E, R> | Options<A, I, RI, E, R>
): McpTool<RI | RO | R> {
  const decode = Schema.decodeUnknown(options.input, { errors: "all" })
  const run: (input: A, call: Call) => Effect.Effect<Result, E, RO | R> = options.output === undefined
    ? runPlain(options)
    : runStructured(options)
  return {
    definition: define(options),
    call: (input, call) =>
      decode(input).pipe(
        Effect.matchEffect({
          onFailure: (error) => Effect.succeed(invalidInput(error)),
          onSuccess: (decoded) => run(decoded, call)
        }),
        recover(options.name)
      )
  }
}

const runPlain =
  <A, I extends object, RI, E, R>({ run }: Options<A, I, RI, E, R>) =>
  (input: A, call: Call): Effect.Effect<Result, E, R> =>
    Effect.map(run(input, call), (output) => {
      if (typeof output === "string") return { content: [text(output)] }
      return plain("content" in output ? output : { content: output })
    })

const runStructured = <A, I extends object, RI, O, OI extends object, RO, E, R>(
  { output, run }: StructuredOptions<A, I, RI, O, OI, RO, E, R>
): (input: A, call: Call) => Effect.Effect<Result, E, RO | R> => {
  const encode = Schema.encode(output)
  return (input, call) =>
    run(input, call).pipe(
      // An output that does not fit its own schema is not the model's fault, nor its business.
      Effect.flatMap((made) => Effect.orDie(encode(made))),
      Effect.map(structured)
    )
}

const define = <A, I extends object, RI, O, OI extends object, RO, E, R>(
  options: StructuredOptions<A, I, RI, O, OI, RO, E, R> | Options<A, I, RI, E, R>
): Definition => {
  const { alwaysLoad, annotations, description, input, meta, name, output } = options
  const _meta = alwaysLoad === undefined ? meta : { ...meta, "anthropic/alwaysLoad": alwaysLoad }
  return plain({
    name,
    description,
    inputSchema: objectSchema(`The input of the tool ${name}`, input),
    outputSchema: output === undefined ? undefined : objectSchema(`The output of the tool ${name}`, output),
    annotations,
    _meta
  })
}

/**
 * Text, as content.
 *
 * @example
 * ```ts
 * import * as McpTool from "@claude-duplex/mcp/McpTool"
 *
 * McpTool.text("42") // { type: "text", text: "42" }
 * ```
 */
export const text = (text: string): TextContent => ({ type: "text", text })

/**
 * An image, as content: its bytes, or their base64.
 *
 * @example
 * ```ts
 * import * as McpTool from "@claude-duplex/mcp/McpTool"
 *
 * McpTool.image(new Uint8Array([137, 80, 78, 71]), "image/png").data // "iVBORw=="
 * ```
 */
export const image = (data: Uint8Array | string, mimeType: string): MediaContent => ({
  type: "image",
  data: typeof data === "string" ? data : Encoding.encodeBase64(data),
  mimeType
})

/**
 * The result of a tool that did not manage.
 *
 * @example
 * ```ts
 * import * as McpTool from "@claude-duplex/mcp/McpTool"
 *
 * McpTool.failed("There is no such file.").isError // true
 * ```
 */
export const failed = (message: string): Result => ({ content: [text(message)], isError: true })
