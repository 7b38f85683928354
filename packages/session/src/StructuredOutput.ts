/**
 * Structured output: what the model is asked for with a JSON schema, and reads back with the Effect schema that it came
 * from. The JSON schema goes into `initialize` (or, for older CLIs, on the command line); the answer is in the result.
 *
 * @since 0.1.0
 * @stability experimental
 */
import type { JsonObject } from "@claude-duplex/protocol/schema/Json"
import type { TurnResult } from "@claude-duplex/protocol/TurnResult"
import * as Effect from "effect/Effect"
import * as JSONSchema from "effect/JSONSchema"
import * as Option from "effect/Option"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import { explain, tooDeep } from "./internal/explain.js"

/**
 * The JSON schema to ask with: `Session.Options.initialize.jsonSchema`.
 *
 * @example
 * ```ts
 * import * as Session from "@claude-duplex/session/Session"
 * import * as StructuredOutput from "@claude-duplex/session/StructuredOutput"
 * import { Schema } from "effect"
 *
 * const Verdict = Schema.Struct({ ok: Schema.Boolean, why: Schema.String })
 *
 * const Conversation = Session.layer({ initialize: { jsonSchema: StructuredOutput.jsonSchema(Verdict) } })
 * ```
 */
export const jsonSchema = <A, I extends { readonly [name: string]: unknown }, R>(
  schema: Schema.Schema<A, I, R>
): JsonObject =>
  // A JSON schema is JSON; its type is an interface, of which TypeScript does not see that.
  JSONSchema.make(schema) as unknown as JsonObject

/**
 * There is no structured output, or it is not what was asked for.
 *
 * @example
 * ```ts
 * import { StructuredOutputError } from "@claude-duplex/session/StructuredOutput"
 *
 * new StructuredOutputError({ reason: "Missing", detail: "The turn was interrupted." })
 * ```
 */
export class StructuredOutputError
  extends Schema.TaggedError<StructuredOutputError>("@claude-duplex/session/StructuredOutputError")(
    "StructuredOutputError",
    {
      /** `Missing`: the turn ended without one. `Invalid`: it does not fit the schema. */
      reason: Schema.Literal("Missing", "Invalid"),
      detail: Schema.String
    }
  )
{
  override get message(): string {
    return this.reason === "Missing"
      ? `The turn has no structured output: ${this.detail} Was the schema given in \`initialize\`?`
      : `The structured output is not what was asked for: ${this.detail}`
  }
}

/**
 * Reads the structured output of a turn.
 *
 * @example
 * ```ts
 * import * as Session from "@claude-duplex/session/Session"
 * import * as StructuredOutput from "@claude-duplex/session/StructuredOutput"
 * import { Effect, Schema } from "effect"
 *
 * const Verdict = Schema.Struct({ ok: Schema.Boolean, why: Schema.String })
 *
 * const judge = Effect.gen(function*() {
 *   const session = yield* Session.Session
 *   const result = yield* session.send("Is the build green?")
 *   return yield* StructuredOutput.decode(Verdict)(result)
 * })
 * ```
 */
export const decode =
  <A, I, R>(schema: Schema.Schema<A, I, R>) =>
  ({ errors, structuredOutput }: TurnResult): Effect.Effect<A, StructuredOutputError, R> =>
    structuredOutput === undefined
      ? new StructuredOutputError({ reason: "Missing", detail: errors.join(" ") })
      : Effect.suspend(() => Schema.decodeUnknown(schema)(structuredOutput)).pipe(
        Effect.mapError((error) => explain(() => ParseResult.TreeFormatter.formatErrorSync(error), tooDeep)),
        // A recursive schema follows a value that is nested too deeply until the stack ends.
        Effect.catchSomeDefect((defect) =>
          defect instanceof RangeError ? Option.some(Effect.fail(tooDeep)) : Option.none()
        ),
        Effect.mapError((detail) => new StructuredOutputError({ reason: "Invalid", detail }))
      )
