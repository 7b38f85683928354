/** Reads the JSON form of scripts, and says which step is wrong and how. */
import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import { ScriptError } from "../ScriptError.js"
import * as ScriptStep from "../ScriptStep.js"
import { isObject } from "./matching.js"

/** The steps of a script: a JSON array, or one step a line. */
export const decodeSteps = (text: string): Either.Either<ReadonlyArray<ScriptStep.Step>, ScriptError> => {
  const values = text.trimStart().startsWith("[")
    ? Either.flatMap(
      parse(text, "The text"),
      (value) =>
        Array.isArray(value) ? Either.right<ReadonlyArray<unknown>>(value) : invalid("The text is not an array.")
    )
    : Either.all(text.split("\n").flatMap((line, i) => line.trim() === "" ? [] : [parse(line, `Line ${i + 1}`)]))
  return Either.flatMap(
    values,
    (values) => Either.all(values.map((value, i) => decodeStep(value, i + 1, values.length)))
  )
}

const parse = (text: string, name: string): Either.Either<unknown, ScriptError> =>
  Either.try({
    try: (): unknown => JSON.parse(text),
    catch: (error) => problem(`${name} is not JSON: ${error instanceof Error ? error.message : String(error)}`)
  })

/** By its verb and not by the union of all steps, whose error would speak of every step that this one is not. */
const decodeStep = (value: unknown, step: number, steps: number): Either.Either<ScriptStep.Step, ScriptError> => {
  const known = Object.keys(ScriptStep.verbs)
  const [verb, ...more] = isObject(value) ? known.filter((name) => Object.hasOwn(value, name)) : []
  if (!isVerb(verb) || more.length > 0) {
    return invalid(
      verb === undefined
        ? `A step is an object with one of these keys: ${known.join(", ")}.`
        : `A step has one verb; this one has ${[verb, ...more].join(", ")}.`,
      { step, steps, at: "a step" }
    )
  }
  // Each verb's schema decodes to a member of `Step`; looked up by name, that is all that is left of its type.
  const schema = ScriptStep.verbs[verb] as Schema.Schema<ScriptStep.Step, unknown>
  return Either.mapLeft(
    Schema.decodeUnknownEither(schema, { onExcessProperty: "error", errors: "all" })(value),
    (error) => problem(ParseResult.TreeFormatter.formatErrorSync(error), { step, steps, at: verb })
  )
}

const isVerb = (name: string | undefined): name is keyof typeof ScriptStep.verbs =>
  name !== undefined && Object.hasOwn(ScriptStep.verbs, name)

const problem = (detail: string, position = { step: 0, steps: 0, at: "" }): ScriptError =>
  new ScriptError({ reason: "InvalidScript", ...position, differences: [], detail })

const invalid = (detail: string, position?: { step: number; steps: number; at: string }) =>
  Either.left(problem(detail, position))
