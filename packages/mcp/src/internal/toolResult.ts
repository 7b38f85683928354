/**
 * What a call comes to when it is not what the tool itself says: input that does not fit, failures, defects, JSON.
 */
import type { JsonObject } from "@claude-duplex/protocol/schema/Json"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as ParseResult from "effect/ParseResult"
import * as Predicate from "effect/Predicate"
import type { Result } from "../McpTool.js"
import { explain, tooDeep } from "./explain.js"

const failed = (text: string): Result => ({ content: [{ type: "text", text }], isError: true })

/** A JSON object, and the same as text for whoever reads only that. */
export const structured = (value: object): Result => {
  const text = JSON.stringify(value)
  // What was an object is one again, of plain JSON.
  return { content: [{ type: "text", text }], structuredContent: JSON.parse(text) as JsonObject }
}

/** What is wrong, and where: a line each. */
export const invalidInput = (error: ParseResult.ParseError): Result =>
  failed([
    "Invalid input:",
    ...explain(
      () =>
        ParseResult.ArrayFormatter.formatErrorSync(error)
          // What is optional may be undefined too, which is no help to whoever writes JSON.
          .filter(({ message }) => !message.startsWith("Expected undefined, "))
          .map(({ message, path }) => `- ${path.length === 0 ? "" : `${path.map(String).join(".")}: `}${message}`),
      [`- ${tooDeep}`]
    )
  ].join("\n"))

/** Failures are meant for the model, and told to it. A defect may hold anything, and is only logged. */
export const recover = (tool: string) => <E, R>(self: Effect.Effect<Result, E, R>): Effect.Effect<Result, never, R> =>
  Effect.catchAllCause(self, (cause) => {
    const failure = Cause.failureOption(cause)
    if (Option.isSome(failure)) return Effect.succeed(failed(messageOf(failure.value)))
    if (Cause.isInterruptedOnly(cause)) return Effect.interrupt
    return Effect.as(Effect.logWarning(`The MCP tool ${tool} died.`, cause), failed("The tool failed."))
  })

/** An error in its own words, if it has any. */
const messageOf = (error: unknown): string => {
  if (typeof error === "string" && error !== "") return error
  if (Predicate.hasProperty(error, "message") && typeof error.message === "string" && error.message !== "") {
    return error.message
  }
  return Predicate.hasProperty(error, "_tag") && typeof error._tag === "string" ? error._tag : "The tool failed."
}
