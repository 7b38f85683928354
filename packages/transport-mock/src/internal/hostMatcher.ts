/**
 * Finds, for each line of a live host's, the recorded line that it stands for, and learns which live id is which recorded
 * one. No effects and no time: `Replay` feeds it and does what it says. One per replay.
 */
import type { Entry } from "../Recording.js"
import { ReplayError } from "../ReplayError.js"
import type { HostLine, IdPair } from "./hostLine.js"
import { chosenIds, describe, hostLine, namedSession, notJson, outcome } from "./hostLine.js"
import { initializeResponse } from "./initializeResponse.js"
import { replaceStrings } from "./jsonStrings.js"
import { differences } from "./matching.js"

export interface Options {
  readonly compare: "exact" | "kind" | "none"
  readonly ignoreExtra: boolean
  readonly initialize: boolean
}

/** What a line of the live host's turned out to be. */
export type Verdict =
  | { readonly _tag: "Matched"; readonly index: number }
  | { readonly _tag: "Answer"; readonly line: string }
  | { readonly _tag: "Ignored" }
  | { readonly _tag: "Strayed"; readonly error: ReplayError }

interface Expected {
  /** Its place among the entries. */
  readonly index: number
  readonly line: HostLine
}

export class HostMatcher {
  readonly #entries: ReadonlyArray<Entry>
  readonly #options: Options
  /** Recorded lines of the host's that nothing has been sent for, in order. */
  readonly #waiting: Array<Expected>
  /** Ids that were learned, as soon as they were. */
  readonly #known = new Map<string, string>()
  /** The same, by the entry that they were learned from. */
  readonly #learned = new Map<number, ReadonlyArray<IdPair>>()

  constructor(entries: ReadonlyArray<Entry>, options: Options) {
    this.#entries = entries
    this.#options = options
    this.#waiting = entries.flatMap(({ dir, line }, index) => dir === "host" ? [{ index, line: hostLine(line) }] : [])
  }

  /** A line of the live host's. */
  receive(text: string): Verdict {
    const live = hostLine(text)
    const position = this.#waiting.findIndex(({ line }) => this.#standsFor(live, line))
    const [expected] = position === -1 ? [] : this.#waiting.splice(position, 1)
    if (expected === undefined) return this.#extra(live)
    this.#learn(expected, live)
    return this.#compare(expected, live) ?? { _tag: "Matched", index: expected.index }
  }

  /** The end of the live host's input. */
  end(): ReplayError | undefined {
    return this.#waiting.length === 0
      ? undefined
      : this.#strayed("EndOfInput", this.#waiting[0], "the end of the input")
  }

  /** The ids that a recorded line of the host's brought. */
  learnedFrom(index: number): ReadonlyArray<IdPair> {
    return this.#learned.get(index) ?? []
  }

  #standsFor(live: HostLine, recorded: HostLine): boolean {
    if (live.kind !== recorded.kind) return false
    switch (live.kind) {
      case "control_response":
        return live.requestId === recorded.requestId
      case "control_cancel_request":
        return live.requestId === this.#liveId(recorded.requestId)
      default:
        return true
    }
  }

  #liveId(recorded: string | undefined): string | undefined {
    return recorded === undefined ? undefined : this.#known.get(recorded) ?? recorded
  }

  #learn({ index, line }: Expected, live: HostLine): void {
    const session = namedSession(line, live)
    // What a host names its session may be a mere word ("default"), which must not be replaced wherever it occurs.
    const pairs = session !== undefined && session[0] !== session[1] && this.#isSession(session[0])
      ? [...chosenIds(line, live), session]
      : chosenIds(line, live)
    this.#learned.set(index, pairs)
    for (const [recorded, theirs] of pairs) this.#known.set(recorded, theirs)
  }

  #isSession(id: string): boolean {
    const field = `"session_id":${JSON.stringify(id)}`
    return this.#entries.some(({ dir, line }) => dir === "cli" && line.includes(field))
  }

  #compare(expected: Expected, live: HostLine): Verdict | undefined {
    const { compare } = this.#options
    if (compare === "none") return undefined
    if (outcome(live) !== outcome(expected.line)) {
      return { _tag: "Strayed", error: this.#strayed("Mismatch", expected, describe(live)) }
    }
    if (compare === "kind") return undefined
    const found = expected.line.value === undefined
      ? differences(expected.line.text, live.text, "exact")
      : differences(
        withoutIds(hostLine(replaceStrings(expected.line.text, this.#known)).value),
        withoutIds(live.value),
        "exact"
      )
    return found.length === 0
      ? undefined
      : { _tag: "Strayed", error: this.#strayed("Mismatch", expected, describe(live), { differences: found }) }
  }

  /** A line that was not recorded. */
  #extra(live: HostLine): Verdict {
    const { ignoreExtra, initialize } = this.#options
    const isRequest = live.kind.startsWith("control_request ")
    if (live.requestId !== undefined && isRequest) {
      if (initialize && live.kind === "control_request initialize") {
        return { _tag: "Answer", line: initializeResponse(live.requestId) }
      }
      if (ignoreExtra) {
        return { _tag: "Answer", line: unsupported(live.requestId, live.kind.slice("control_request ".length)) }
      }
    }
    // A CLI exits on what is not JSON, and a message that nobody recorded has no result: neither can be passed over.
    if (ignoreExtra && live.kind !== "user" && live.kind !== notJson) return { _tag: "Ignored" }
    const next = this.#waiting[0]
    return { _tag: "Strayed", error: this.#strayed("Unexpected", next, describe(live), { detail: this.#hint(live) }) }
  }

  #hint(live: HostLine): string | undefined {
    if (live.kind === "control_response") {
      return `The recorded host did not answer the request ${JSON.stringify(live.requestId)}, or it has been answered.`
    }
    if (live.kind === "control_request initialize") {
      return "The recorded host did not initialize. The option `initialize` answers a host that does."
    }
    return live.kind.startsWith("control_request ")
      ? "The option `ignoreExtra` (of fake-claude: `--lenient`) answers such a request with an error, as the CLI does."
      : undefined
  }

  #strayed(
    reason: ReplayError["reason"],
    expected: Expected | undefined,
    actual: string,
    more?: { readonly detail?: string | undefined; readonly differences?: ReplayError["differences"] }
  ): ReplayError {
    return new ReplayError({
      reason,
      entry: expected === undefined ? this.#entries.length + 1 : expected.index + 1,
      entries: this.#entries.length,
      expected: expected === undefined ? "the end of the input" : describe(expected.line),
      actual,
      differences: more?.differences ?? [],
      ...(more?.detail === undefined ? {} : { detail: more.detail })
    })
  }
}

/** Ids that one host gives and the other does not are no difference. */
const withoutIds = (value: unknown): unknown =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).filter(([name]) => name !== "uuid" && name !== "session_id"))
    : value

/** In the CLI's own words. */
const unsupported = (request_id: string, subtype: string): string =>
  JSON.stringify({
    type: "control_response",
    response: {
      subtype: "error",
      request_id,
      error: `Unsupported control request subtype: ${subtype}`,
      error_code: "unsupported_request"
    }
  })
