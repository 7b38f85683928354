/**
 * What somebody says that our schemas do not know: frames, fields, values; and what is left out that they require. Nothing of
 * this is an error on the wire, which is why nobody would notice: the codec keeps what it does not know.
 *
 * For those who look after a host or after the schemas: a check of recordings, a test of a new CLI. To ask costs a walk
 * through the frame, and more only if something is new.
 *
 * @since 0.1.0
 * @stability experimental
 */
import * as Redacted from "effect/Redacted"
import type * as Schema from "effect/Schema"
import type { HostItem, Item } from "./Codec.js"
import { DecodeError } from "./DecodeError.js"
import { CliFrame, HostFrame, isKnown, type Unknown } from "./Frame.js"
import type { Check } from "./internal/closures.js"
import * as Exact from "./internal/exact.js"
import * as Generated from "./internal/generated.js"
import { find, type Found } from "./internal/novelties.js"
import * as Plan from "./internal/plan.js"
import { responses as answersOfHost } from "./schema/CliRequest.js"
import { responses as answersOfCli } from "./schema/HostRequest.js"

/** What is new. */
export type Kind =
  /** A `type` or `subtype` that no schema has. */
  | "new-frame"
  /** A field that the schema of its object does not have. */
  | "new-field"
  /** A value that is not among those that the schema lists: of an enum, or of the field that tells members apart. */
  | "new-value"
  /** A field that the schema requires, and that is not there. */
  | "missing-field"
  /** A value of another kind than the schema says. */
  | "other-kind"
  /** A line that is no frame at all. */
  | "not-a-frame"

/** One thing that is new, at one place. */
export interface Novelty {
  readonly kind: Kind
  /** The nearest named schema and the way from there; of a new frame, its name. */
  readonly at: string
  /** The frame that it came in, by `type` and `subtype`. */
  readonly frame: string
  /** What was there, as JSON, cut; nothing where something is missing. */
  readonly sample: string | undefined
}

/**
 * What is new in an item of the CLI's. An answer is read by the schema of what the host had asked, if that is given: the
 * `subtype` of its request.
 *
 * @example
 * ```ts
 * import * as Codec from "@claude-duplex/protocol/Codec"
 * import * as Novelty from "@claude-duplex/protocol/Novelty"
 *
 * Novelty.ofCli(Codec.cli.fromJson({ type: "keep_alive", pulse: 60 }))
 * // [{ kind: "new-field", at: "KeepAliveFrame.pulse", frame: "keep_alive", sample: "60" }]
 * ```
 */
export const ofCli = (item: Item, question?: string): ReadonlyArray<Novelty> => cli(item, question)

/**
 * What is new in an item of a host's. An answer is read by the schema of what the CLI had asked, if that is given.
 *
 * @example
 * ```ts
 * import * as Codec from "@claude-duplex/protocol/Codec"
 * import * as Novelty from "@claude-duplex/protocol/Novelty"
 * import { Either } from "effect"
 *
 * const novelties = Novelty.ofHost(Either.merge(Codec.host.decode(`{"type":"wave"}`)))
 * ```
 */
export const ofHost = (item: HostItem, question?: string): ReadonlyArray<Novelty> => host(item, question)

/** One direction: its frames, and the answers that are given in it. */
const direction = (frames: Schema.Schema.Any, answers: { readonly [subtype: string]: Schema.Schema.Any }) => {
  let isExact: Check | undefined
  return (item: Item | HostItem, question: string | undefined): ReadonlyArray<Novelty> => {
    if (isKnown(item)) {
      isExact ??= exactCheck(frames)
      const answer = question === undefined ? undefined : answers[question]
      return isExact(item) && (answer === undefined || isExactAnswer(answer, item))
        ? none
        : describe(frames, answer, item, question)
    }
    return item instanceof DecodeError
      ? [{ kind: "not-a-frame", at: item.reason, frame: "-", sample: sampleOf(Redacted.value(item.text)) }]
      : describeUnknown(frames, question === undefined ? undefined : answers[question], item, question)
  }
}

const none: ReadonlyArray<Novelty> = []

const exactCheck = ({ ast }: Schema.Schema.Any): Check => {
  const plan = Plan.make(ast)
  return Generated.make(plan, true) ?? Exact.make(plan)
}

const isExactAnswer = (schema: Schema.Schema.Any, frame: unknown): boolean => {
  const response = responseIn(frame)
  // Answers are few: not worth code of their own.
  return response === undefined || Exact.make(Plan.make(schema.ast))(response)
}

/** An answer is opaque to the frame's schema: what is in it depends on the question. */
const responseIn = (frame: unknown): unknown => {
  const { response, subtype } = asObject(asObject(frame)["response"])
  return subtype === "success" ? response ?? {} : undefined
}

const describeUnknown = (
  frames: Schema.Schema.Any,
  answer: Schema.Schema.Any | undefined,
  item: Unknown,
  question: string | undefined
): ReadonlyArray<Novelty> => {
  const frame = nameOf(item.raw)
  switch (item.reason) {
    case "NotAnObject":
      return [{ kind: "not-a-frame", at: item.reason, frame, sample: sampleOf(item.raw) }]
    case "UnknownType":
    case "UnknownSubtype":
      return [{ kind: "new-frame", at: frame, frame, sample: sampleOf(item.raw) }]
    case "UnexpectedShape": {
      const found = describe(frames, answer, item.raw, question)
      // The codec has the last word: what it refuses is told, even if nothing was found that explains it.
      const isExplained = found.some(({ kind }) => kind === "missing-field" || kind === "other-kind")
      return isExplained ? found : [...found, { kind: "other-kind", at: frame, frame, sample: item.detail }]
    }
  }
}

const describe = (
  frames: Schema.Schema.Any,
  answer: Schema.Schema.Any | undefined,
  raw: unknown,
  question: string | undefined
): ReadonlyArray<Novelty> => {
  const frame = nameOf(raw)
  const response = answer === undefined ? undefined : responseIn(raw)
  const found: ReadonlyArray<Found> = [
    ...find(Plan.make(frames.ast), raw, frame),
    ...(answer === undefined || response === undefined
      ? []
      : find(Plan.make(answer.ast), response, `answer to ${question}`))
  ]
  return found.map((one): Novelty => ({
    kind: one.kind,
    at: one.at,
    frame,
    sample: one.kind === "missing-field" ? undefined : sampleOf(one.value)
  }))
}

/**
 * What a frame is called: its `type`, and what tells it from others of that type.
 *
 * @example
 * ```ts
 * import * as Novelty from "@claude-duplex/protocol/Novelty"
 *
 * Novelty.nameOf({ type: "system", subtype: "init" }) // "system/init"
 * ```
 */
export const nameOf = (raw: unknown): string => {
  const { event, request, response, subtype, type } = asObject(raw)
  const second = subtype ?? asObject(request)["subtype"] ?? asObject(response)["subtype"] ?? asObject(event)["type"]
  return [type, second].filter((name) => typeof name === "string").join("/")
}

type JsonObject = { readonly [name: string]: unknown }

const asObject = (value: unknown): JsonObject =>
  // An object of which nothing is known but that it is one.
  typeof value === "object" && value !== null && !Array.isArray(value) ? value as JsonObject : {}

const longestSample = 120

const sampleOf = (value: unknown): string => {
  const text = JSON.stringify(value)
  return text.length > longestSample ? `${text.slice(0, longestSample - 1)}…` : text
}

const cli = direction(CliFrame, answersOfCli)
const host = direction(HostFrame, answersOfHost)
