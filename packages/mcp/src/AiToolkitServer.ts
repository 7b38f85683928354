/**
 * A `Toolkit` of `@effect/ai` as an MCP server. Its tools are listed as `McpServer` of `@effect/ai` lists them, and their
 * results are told like those of `McpTool`: text is not quoted, only objects are structured content, failures are told in
 * their own words, and those that a tool returns (`failureMode: "return"`) are errors too.
 *
 * @since 0.1.0
 * @stability experimental
 */
import * as AiError from "@effect/ai/AiError"
import * as Tool from "@effect/ai/Tool"
import type * as Toolkit from "@effect/ai/Toolkit"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as ParseResult from "effect/ParseResult"
import { isObject, plain } from "./internal/jsonRpc.js"
import { objectSchema } from "./internal/jsonSchema.js"
import { invalidInput, recover, structured } from "./internal/toolResult.js"
import type { McpServer } from "./McpServer.js"
import type { Definition, McpTool, Result } from "./McpTool.js"
import * as McpToolServer from "./McpToolServer.js"

/** How a server is made. */
export interface Options<Tools extends Record<string, Tool.Any>, R>
  extends Omit<McpToolServer.Options<ReadonlyArray<never>>, "tools">
{
  /** The toolkit, or whatever gives it with its handlers. A `Toolkit` needs them: see `McpServer.provide`. */
  readonly toolkit: Effect.Effect<Toolkit.WithHandler<Tools>, never, R>
}

/**
 * A server of a toolkit's tools, but for those that the model's provider runs.
 *
 * @example
 * ```ts
 * import * as AiToolkitServer from "@claude-duplex/mcp/AiToolkitServer"
 * import * as McpServer from "@claude-duplex/mcp/McpServer"
 * import type { Layer } from "effect"
 *
 * // For instance `Toolkit.make(Tool.make("now", { success: Schema.String }))`, and what its `toLayer` gives.
 * declare const toolkit: AiToolkitServer.Options<{}, "handlers">["toolkit"]
 * declare const handlers: Layer.Layer<"handlers">
 *
 * const server = McpServer.provide(AiToolkitServer.make({ name: "clock", toolkit }), handlers)
 * ```
 */
export const make = <Tools extends Record<string, Tool.Any>, R>(
  options: Options<Tools, R>
): McpServer<R | Tool.Requirements<Tools[keyof Tools]>> => ({
  connect: (client) =>
    Effect.flatMap(options.toolkit, (toolkit) => {
      const tools = Object.entries<Tool.Any>(toolkit.tools)
        .filter(([, tool]) => !Tool.isProviderDefined(tool))
        .map(([name, tool]) => asTool(toolkit, name, tool))
      return McpToolServer.make({ ...options, tools }).connect(client)
    })
})

const asTool = <Tools extends Record<string, Tool.Any>, Name extends keyof Tools>(
  toolkit: Toolkit.WithHandler<Tools>,
  name: Name,
  tool: Tool.Any
): McpTool<Tool.Requirements<Tools[Name]>> => ({
  definition: define(tool),
  call: (input) =>
    // Typed as decoded, and decoded by the toolkit: it is made for what models say.
    toolkit.handle(name, input as Tool.Parameters<Tools[Name]>).pipe(
      Effect.map(({ encodedResult, isFailure }) => told(encodedResult, isFailure)),
      Effect.catchAll(ofToolkit),
      recover(tool.name)
    )
})

const define = (tool: Tool.Any): Definition =>
  plain({
    name: tool.name,
    description: tool.description,
    inputSchema: objectSchema(`The input of the tool ${tool.name}`, tool.parametersSchema),
    annotations: {
      title: Option.getOrUndefined(Context.getOption(tool.annotations, Tool.Title)),
      readOnlyHint: Context.get(tool.annotations, Tool.Readonly),
      destructiveHint: Context.get(tool.annotations, Tool.Destructive),
      idempotentHint: Context.get(tool.annotations, Tool.Idempotent),
      openWorldHint: Context.get(tool.annotations, Tool.OpenWorld)
    }
  })

const told = (value: unknown, isError: boolean): Result => ({
  ...(isObject(value) ? structured(value) : { content: contentOf(value) }),
  ...(isError ? { isError } : {})
})

const contentOf = (value: unknown): Result["content"] =>
  value === undefined ? [] : [{ type: "text", text: typeof value === "string" ? value : JSON.stringify(value) }]

/** A toolkit fails with errors of its own beside the tool's, which its type does not tell. */
const ofToolkit = <E>(error: E): Effect.Effect<Result, E> => {
  if (AiError.isAiError(error) && error.module === "Toolkit" && "cause" in error) {
    // What the model said does not fit; or else what the tool returned, which is not the model's business.
    return error._tag === "MalformedOutput" && ParseResult.isParseError(error.cause)
      ? Effect.succeed(invalidInput(error.cause))
      : Effect.die(error)
  }
  return Effect.fail(error)
}
