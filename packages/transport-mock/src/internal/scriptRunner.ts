/** Plays a script's steps against a peer. Owns their order, the matching of what arrives, and the end. */
import * as Codec from "@claude-duplex/protocol/Codec"
import { Unknown } from "@claude-duplex/protocol/Frame"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { Peer } from "../Peer.js"
import { ScriptError, type ScriptReason } from "../ScriptError.js"
import type {
  AnyAction,
  AnyStep,
  ExpectAll,
  ExpectAllWhere,
  Expectation,
  Ignore,
  Respond,
  RespondWith
} from "../ScriptStep.js"
import { verbs } from "../ScriptStep.js"
import { toPeerExit } from "./fields.js"
import { initializeResponse } from "./initializeResponse.js"
import { toBytes } from "./lineText.js"
import { type Difference, differences, matches, pretty } from "./matching.js"
import { emptyMemory, type HostItem, type Memory, rawOf, resolve, Unresolved } from "./received.js"
import { chunksOf, isOutput } from "./scriptActions.js"

/** The script has ended the process: no step after it runs. */
class Exited extends Data.TaggedError("Exited") {}

/** Where in the script we are. */
interface Position {
  readonly step: number
  readonly steps: number
  readonly at: string
}

/** What is waited for: these frames in any order, and then the end of the input if `end` says so. */
interface Wanted {
  readonly frames: ReadonlyArray<Expectation>
  readonly end: boolean
  /** What to call a frame that is none of these. */
  readonly otherwise: "Unexpected" | "Leftover"
}

export const run = (steps: ReadonlyArray<AnyStep>, peer: Peer): Effect.Effect<void, ScriptError> =>
  Effect.suspend(() => {
    const script = new Runner(peer)
    const positionOf = (step: AnyStep, i: number) => ({ step: i + 1, steps: steps.length, at: nameOf(step) })
    const end = { step: steps.length, steps: steps.length, at: "after the last step" }
    return Effect.forEach(steps, (step, i) => script.play(step, positionOf(step, i)), { discard: true }).pipe(
      Effect.zipRight(script.collect({ frames: [], end: true, otherwise: "Leftover" }, end)),
      Effect.catchTag("Exited", () => Effect.void)
    )
  })

class Runner {
  readonly #peer: Peer
  readonly #memory = emptyMemory()
  readonly #ignored: Array<Ignore> = []
  readonly #responders: Array<Respond | RespondWith> = []
  #inputEnded = false

  constructor(peer: Peer) {
    this.#peer = peer
  }

  play(step: AnyStep, position: Position): Effect.Effect<void, ScriptError | Exited> {
    if ("ignore" in step) return Effect.sync(() => void this.#ignored.push(step))
    if ("respond" in step) return Effect.sync(() => void this.#responders.push(step))
    if ("expectEnd" in step) {
      return this.#collectWithin(step.within, { frames: [], end: true, otherwise: "Unexpected" }, position)
    }
    if ("expectAll" in step || isExpectation(step)) {
      const frames = "expectAll" in step ? step.expectAll : [step]
      return this.#collectWithin(step.within, { frames, end: false, otherwise: "Unexpected" }, position)
    }
    return this.#act(step, position, this.#memory)
  }

  #collectWithin(millis: number | undefined, wanted: Wanted, position: Position) {
    return millis === undefined ? this.collect(wanted, position) : Effect.timeoutFail(this.collect(wanted, position), {
      duration: millis,
      onTimeout: () =>
        failure("Timeout", position, {
          expected: this.#describe(wanted),
          detail: `Nothing that fits came within ${millis} ms.`
        })
    })
  }

  /** Takes frames until everything wanted has come. */
  collect(wanted: Wanted, position: Position): Effect.Effect<void, ScriptError | Exited> {
    return Effect.suspend(() => {
      if (wanted.frames.length === 0 && (!wanted.end || this.#inputEnded)) return Effect.void
      return Effect.flatMap(this.#receive(), (line) => {
        if (Option.isSome(line)) {
          return Effect.flatMap(this.#takeLine(line.value, wanted, position), (rest) => this.collect(rest, position))
        }
        this.#inputEnded = true
        return wanted.frames.length === 0
          ? Effect.void
          : failure("EndOfInput", position, { expected: this.#describe(wanted) })
      })
    })
  }

  /** A peer's input ends once: it need not remember that. */
  #receive(): Effect.Effect<Option.Option<string>> {
    return this.#inputEnded ? Effect.succeedNone : this.#peer.receive
  }

  /** Finds out whom a line is for, and what is still wanted after it. */
  #takeLine(line: string, wanted: Wanted, position: Position): Effect.Effect<Wanted, ScriptError | Exited> {
    // The CLI skips empty lines.
    if (line === "") return Effect.succeed(wanted)
    const decoded = Codec.host.decode(line)
    if (Either.isLeft(decoded)) {
      return failure("InvalidInput", position, {
        expected: this.#describe(wanted),
        actual: line,
        detail: "The line is not JSON."
      })
    }
    const frame = decoded.right
    return Effect.gen(this, function*() {
      const index = yield* attempt(position, () => wanted.frames.findIndex((one) => fits(one, frame, this.#memory)))
      const expected = wanted.frames[index]
      if (expected !== undefined) {
        yield* check(frame, expected, position)
        this.#memory.last = frame
        if (expected.label !== undefined) this.#memory.labelled.set(expected.label, frame)
        return { ...wanted, frames: wanted.frames.filter((_, i) => i !== index) }
      }
      const fitsPattern = (pattern: unknown) => matches(resolve(pattern, this.#memory), rawOf(frame))
      const responder = yield* attempt(position, () => this.#responders.find(({ respond }) => fitsPattern(respond)))
      if (responder !== undefined) {
        yield* check(frame, responder, position)
        const memory = { last: frame, labelled: this.#memory.labelled }
        yield* Effect.forEach(responder.with, (action) => this.#act(action, position, memory), { discard: true })
        return wanted
      }
      if (yield* attempt(position, () => this.#ignored.some(({ ignore }) => fitsPattern(ignore)))) return wanted
      if (!(frame instanceof Unknown) && frame.type === "control_request" && frame.request.subtype === "initialize") {
        yield* this.#peer.write(toBytes(`${initializeResponse(frame.request_id)}\n`))
        return wanted
      }
      return yield* failure(frame instanceof Unknown ? "InvalidInput" : wanted.otherwise, position, {
        expected: this.#describe(wanted),
        actual: pretty(rawOf(frame)),
        differences: closest(wanted.frames, frame, this.#memory),
        ...(frame instanceof Unknown ? { detail: frame.detail } : {})
      })
    })
  }

  #act(action: AnyAction, position: Position, memory: Memory): Effect.Effect<void, ScriptError | Exited> {
    if (isOutput(action)) {
      return Effect.flatMap(
        attempt(position, () => chunksOf(action, memory)),
        Either.match({
          onLeft: (detail) => failure("InvalidScript", position, { detail }),
          onRight: Effect.forEach((chunk) => this.#peer.write(chunk), { discard: true })
        })
      )
    }
    if ("delay" in action) return Effect.sleep(action.delay)
    if ("stderr" in action) return this.#peer.writeStderr(action.stderr)
    return Effect.zipRight(this.#peer.exit(toPeerExit(action.exit)), new Exited())
  }

  #describe({ frames }: Wanted): string {
    const [only, ...more] = frames
    if (only === undefined) return "the end of the input"
    return more.length === 0
      ? describe(only, this.#memory)
      : `all of these, in any order:\n${
        frames.map((one) => `- ${one.label === undefined ? "" : `"${one.label}", `}${describe(one, this.#memory)}`)
          .join("\n")
      }`
  }
}

/** Those that can be JSON, and those that hold a function. */
const verbNames = [...Object.keys(verbs), "expectWhere", "replyWith"]

const nameOf = (step: AnyStep): string => {
  const verb = verbNames.find((verb) => verb in step) ?? "an unknown step"
  return "label" in step ? `${verb} "${step.label}"` : verb
}

const isExpectation = (step: Exclude<AnyStep, ExpectAll | ExpectAllWhere>): step is Expectation =>
  "expect" in step || "expectExactly" in step || "expectWhere" in step

const fits = (one: Expectation, frame: HostItem, memory: Memory): boolean =>
  "expectWhere" in one ? one.expectWhere(frame) : differencesFrom(one, frame, memory).length === 0

const differencesFrom = (
  one: Exclude<Expectation, { readonly expectWhere: unknown }>,
  frame: HostItem,
  memory: Memory
): ReadonlyArray<Difference> =>
  "expect" in one
    ? differences(resolve(one.expect, memory), rawOf(frame), "partial")
    : differences(resolve(one.expectExactly, memory), rawOf(frame), "exact")

/** The differences from the expectation that was missed by least: the one that was probably meant. */
const closest = (frames: ReadonlyArray<Expectation>, frame: HostItem, memory: Memory): ReadonlyArray<Difference> =>
  frames.flatMap((one) => "expectWhere" in one ? [] : [differencesFrom(one, frame, memory)])
    .sort((a, b) => a.length - b.length)[0] ?? []

const describe = (one: Expectation, memory: Memory): string =>
  "expectWhere" in one
    ? `a frame for which this holds: ${one.description}`
    : "expect" in one
    ? `at least: ${pretty(resolvedIfPossible(one.expect, memory))}`
    : `exactly: ${pretty(resolvedIfPossible(one.expectExactly, memory))}`

/** For an error that is not about the placeholder. */
const resolvedIfPossible = (pattern: unknown, memory: Memory): unknown =>
  Either.getOrElse(Either.try(() => resolve(pattern, memory)), () => pattern)

/** Refuses a frame that fits a pattern, and that the CLI could not read all the same. */
const check = (
  frame: HostItem,
  { unchecked }: { readonly unchecked?: boolean },
  position: Position
): Effect.Effect<void, ScriptError> =>
  frame instanceof Unknown && unchecked !== true
    ? failure("InvalidInput", position, {
      actual: pretty(frame.raw),
      detail: `${frame.detail}\nIf the host is meant to send it, mark the expectation \`unchecked\`.`
    })
    : Effect.void

/** Runs what may meet an unresolvable placeholder, or code of the script's author. */
const attempt = <A>(position: Position, evaluate: () => A): Effect.Effect<A, ScriptError> =>
  Effect.try({
    try: evaluate,
    catch: (error) =>
      failure("InvalidScript", position, {
        detail: error instanceof Unresolved ? error.message : `A function of the script threw: ${String(error)}`
      })
  })

const failure = (
  reason: ScriptReason,
  position: Position,
  more: {
    readonly expected?: string
    readonly actual?: string
    readonly differences?: ReadonlyArray<Difference>
    readonly detail?: string
  }
): ScriptError => new ScriptError({ reason, ...position, differences: [], ...more })
