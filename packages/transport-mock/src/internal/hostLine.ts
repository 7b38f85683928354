/**
 * What a replay needs to know of a line of a host's: what kind it is, which ids the host chose in it, and how to name it
 * to a person. Reads JSON as it comes: a line need not be a valid frame to be recorded, or to be replayed.
 */
import { pretty } from "./matching.js"

/** A line of a host's, taken apart. */
export interface HostLine {
  readonly text: string
  /** The JSON in it; `undefined` if it is not JSON. */
  readonly value: unknown
  /** A line can only stand for one of the same kind. */
  readonly kind: string
  /** The request that it makes, answers or withdraws. */
  readonly requestId: string | undefined
}

/** The kind of a line that is not JSON. */
export const notJson = "a line that is not JSON"

export const hostLine = (text: string): HostLine => {
  const value = parse(text)
  const type = stringAt(value, "type")
  switch (type) {
    case "control_request":
      return {
        text,
        value,
        kind: `${type} ${stringAt(value, "request", "subtype") ?? "without a subtype"}`,
        requestId: stringAt(value, "request_id")
      }
    case "control_response":
      return { text, value, kind: type, requestId: stringAt(value, "response", "request_id") }
    case "control_cancel_request":
      return { text, value, kind: type, requestId: stringAt(value, "request_id") }
    case undefined:
      return { text, value, kind: value === undefined ? notJson : "JSON without a type", requestId: undefined }
    default:
      return { text, value, kind: type, requestId: undefined }
  }
}

/** What a `control_response` comes down to: success or error, and allow or deny. Nothing for other lines. */
export const outcome = (line: HostLine): string =>
  line.kind === "control_response"
    ? [stringAt(line.value, "response", "subtype"), stringAt(line.value, "response", "response", "behavior")]
      .filter((word) => word !== undefined).join(" ")
    : ""

/** A line as a person reads it. */
export const describe = (line: HostLine): string =>
  [line.kind, outcome(line), line.value === undefined ? JSON.stringify(excerpt(line.text)) : excerpt(shown(line.value))]
    .filter((part) => part !== "").join(" ")

const shownCharacters = 400

const excerpt = (text: string): string =>
  text.length > shownCharacters ? `${text.slice(0, shownCharacters)}… (${text.length} characters)` : text

const shown = (value: unknown): string => pretty(value, 0)

/** An id of the recorded host's, and the live host's in its place. */
export type IdPair = readonly [recorded: string, live: string]

/**
 * The ids that two hosts chose in the same place: of a request, of a message, of the callbacks for hooks. An id that only
 * one of them chose has no counterpart, and an empty one is none.
 */
export const chosenIds = (recorded: HostLine, live: HostLine): ReadonlyArray<IdPair> => {
  const pairs: Array<IdPair> = []
  const pair = (a: unknown, b: unknown) => {
    if (typeof a === "string" && typeof b === "string" && a !== "" && b !== "") pairs.push([a, b])
  }
  if (recorded.kind.startsWith("control_request ")) {
    pair(recorded.requestId, live.requestId)
    const theirs = at(live.value, "request", "hooks")
    for (const [event, matchers] of Object.entries(at(recorded.value, "request", "hooks") ?? {})) {
      pairCallbacks(matchers, at(theirs, event), pair)
    }
  }
  pair(at(recorded.value, "uuid"), at(live.value, "uuid"))
  return pairs
}

/** Callbacks are paired by event and position: nothing else says which of one host's is which of the other's. */
const pairCallbacks = (recorded: unknown, live: unknown, pair: (a: unknown, b: unknown) => void): void => {
  for (const [index, matcher] of arrayOf(recorded).entries()) {
    const theirs = arrayOf(at(arrayOf(live)[index], "hookCallbackIds"))
    for (const [position, id] of arrayOf(at(matcher, "hookCallbackIds")).entries()) pair(id, theirs[position])
  }
}

/** The sessions that two lines name. Whether the recorded one is an id at all, the caller must know: hosts write anything. */
export const namedSession = (recorded: HostLine, live: HostLine): IdPair | undefined => {
  const a = stringAt(recorded.value, "session_id")
  const b = stringAt(live.value, "session_id")
  return a === undefined || b === undefined || a === "" || b === "" ? undefined : [a, b]
}

const arrayOf = (value: unknown): ReadonlyArray<unknown> => Array.isArray(value) ? value : []

/** What is in a value, by the names of fields; `undefined` where there is none. */
const at = (value: unknown, ...path: ReadonlyArray<string>): unknown =>
  path.reduce<unknown>(
    (inside, name) =>
      // Only read, and what is read is `unknown` again.
      typeof inside === "object" && inside !== null ? (inside as Readonly<Record<string, unknown>>)[name] : undefined,
    value
  )

const stringAt = (value: unknown, ...path: ReadonlyArray<string>): string | undefined => {
  const found = at(value, ...path)
  return typeof found === "string" ? found : undefined
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    // A recorded or a live line need not be JSON: the caller sees `undefined`, which no JSON text means.
    return undefined
  }
}
