/**
 * What must hold of a session whatever happens to it, and does not in this run. The list of what is allowed is closed: what
 * is not on it is a violation, however reasonable.
 */
import * as Codec from "@claude-duplex/protocol/Codec"
import * as Frame from "@claude-duplex/protocol/Frame"
import { Cause, type Exit, Option } from "effect"
import type { Played } from "../recorded/play.js"
import { field, type Json } from "../recorded/recordedHost.js"
import { seen } from "../recorded/seen.js"

/** How something ended, in a word. */
export type Ending = string

/** How a message may end: with its result, or without one because the CLI ended or took it back. */
const messageEndings = new Set<Ending>(["result", "SessionClosed", "MessageCancelled"])

/** How a request may end. The recorded host withdraws some itself: those are interrupted. */
const requestEndings = new Set<Ending>(["answer", "Refused", "InvalidResponse", "Timeout", "Closed", "interrupted"])

/** A typed error: its reason, or its tag if it can have but one. */
export interface Failure {
  readonly _tag: string
  readonly reason?: string
}

/** Why something failed, in a word. */
export const failureOf = ({ _tag, reason }: Failure): Ending => reason ?? _tag

/** How something ended. */
export const endingOf = (
  exit: Exit.Exit<unknown, Failure>,
  success: "result" | "answer"
): Ending => {
  if (exit._tag === "Success") return success
  const failure = Cause.failureOption(exit.cause)
  if (Option.isSome(failure)) return failureOf(failure.value)
  return Cause.isInterruptedOnly(exit.cause) ? "interrupted" : `defect: ${Cause.pretty(exit.cause)}`
}

/** What is wrong with a run; nothing, if it is sound. `unharmed` is the same recording without a fault. */
export const judge = (played: Played, unharmed?: Played): ReadonlyArray<string> => [
  ...endings(played),
  ...receivedOnce(played),
  ...endedOnce(played),
  ...askedOnce(played),
  ...(unharmed === undefined ? [] : sameAs(played, unharmed))
]

const endings = ({ answers, ended, events, refused, results, turns }: Played): ReadonlyArray<string> => {
  // An `init` that comes after its turn is over begins a turn that no message owns, and the session is busy then.
  const mayBeBusy = events.some((event) => event._tag === "TurnStarted" && event.messages.length === 0)
  const messages = results.map((result) => endingOf(result, "result"))
  const failed = turns.flatMap(({ id }, i) => messages[i] === "SessionClosed" ? [id] : [])
  return [
    ...messages.filter((ending) => !messageEndings.has(ending)).map((ending) => `a message ended with ${ending}`),
    ...refused.filter(({ _tag }) => _tag !== "SessionClosed" && !(mayBeBusy && _tag === "SessionBusy")).map(
      ({ _tag }) => `a message was refused: ${_tag}`
    ),
    ...answers.map((answer) => endingOf(answer, "answer")).filter((ending) => !requestEndings.has(ending)).map((
      ending
    ) => `a request ended with ${ending}`),
    ...differ(failed, ended.pending.messages).map(({ value }) => `the exit and the message ${value} do not agree`)
  ]
}

/** Every line that came is told of, once and in order; but for what was still on its way when the CLI was killed. */
const receivedOnce = ({ events, killed, said }: Played): ReadonlyArray<string> => {
  const decoder = Codec.cli.makeDecoder()
  const items = [...decoder.push(Buffer.concat(said)), ...decoder.end()].map(shown)
  const received = events.flatMap((event) => event._tag === "Received" ? [shown(event.item)] : [])
  const first = received.findIndex((item, i) => item !== items[i])
  if (first !== -1) return [`item ${first} was not what was received: ${received[first]}`]
  return received.length === items.length || killed
    ? []
    : [`${items.length} lines came, ${received.length} were told of`]
}

const shown = (item: Codec.Item): string =>
  !Frame.isKnown(item) && item._tag === "DecodeError" ? `DecodeError ${item.reason} ${item.line}` : JSON.stringify(item)

const endedOnce = ({ events, results, turns }: Played): ReadonlyArray<string> => {
  const endings = events.flatMap((event): ReadonlyArray<string> =>
    event._tag === "TurnEnded"
      ? event.messages
      : event._tag === "MessageEnded"
      ? [event.message]
      : []
  )
  const wrong = turns.flatMap(({ id }, i) => {
    const told = endings.filter((ended) => ended === id).length
    const result = results[i]
    const ending = result === undefined ? "nothing" : endingOf(result, "result")
    return told === (ending === "SessionClosed" ? 0 : 1)
      ? []
      : [`a message that ended with ${ending} was told to end ${told} times`]
  })
  const delivered = events.flatMap((event) =>
    // A message that was done in another's turn ends with the result of that: the same one again, and known to be.
    event._tag === "TurnEnded" && event.evidence !== "Silence" ? [JSON.stringify(event.result)] : []
  )
  const last = events.findIndex(({ _tag }) => _tag === "Ended")
  return [
    ...wrong,
    ...repeated(delivered).map(() => "one result ended two turns"),
    ...(last === events.length - 1 ? [] : [`the end is event ${last} of ${events.length}`])
  ]
}

const askedOnce = ({ called, events, said, written }: Played): ReadonlyArray<string> => {
  const asking = jsonLines(said).filter(({ type }) => type === "control_request")
  const idsAsked = new Set(asking.map((frame) => frame["request_id"]))
  const callable = new Set(
    asking.filter((frame) => ["hook_callback", "mcp_message"].includes(String(field(frame, "request", "subtype")))).map(
      (
        frame
      ) => frame["request_id"]
    )
  )
  const answered = written.filter(({ type }) => type === "control_response").map((frame) =>
    field(frame, "response", "request_id")
  )
  const permissions = events.flatMap((event) => event._tag === "PermissionRequested" ? [event.request.id] : [])
  const settled = events.flatMap((event) => event._tag === "PermissionSettled" ? [event.id] : [])
  return [
    ...repeated(answered).map((id) => `the request ${id} was answered twice`),
    ...answered.filter((id) => !idsAsked.has(id)).map((id) => `the request ${id} was answered, and never asked`),
    ...repeated(permissions).map((id) => `the permission ${id} was asked for twice`),
    ...differ(permissions, settled).map(({ value }) => `the permission ${value} was not settled once`),
    ...repeated(written.flatMap(({ request_id, type }) => type === "control_request" ? [request_id] : [])).map((id) =>
      `the host's request ${id} was written twice`
    ),
    ...repeated(written.flatMap(({ type, uuid }) => type === "user" ? [uuid] : [])).map((id) =>
      `the message ${id} was written twice`
    ),
    ...(called.length <= callable.size ? [] : [`${callable.size} calls were asked for, ${called.length} were made`])
  ]
}

const sameAs = (played: Played, unharmed: Played): ReadonlyArray<string> => {
  const [was, is] = [JSON.stringify(seen(unharmed)), JSON.stringify(seen(played))]
  return was === is ? [] : [`the host saw ${is}, and should have seen ${was}`]
}

const jsonLines = (bytes: ReadonlyArray<Uint8Array>): ReadonlyArray<Json> => {
  const decoder = Codec.cli.makeDecoder()
  return [...decoder.push(Buffer.concat(bytes)), ...decoder.end()].flatMap((item): ReadonlyArray<Json> =>
    // A frame is the object that was parsed.
    Frame.isKnown(item) ? [item as unknown as Json] : []
  )
}

const repeated = (values: ReadonlyArray<unknown>): ReadonlyArray<string> =>
  values.filter((value, i) => values.indexOf(value) !== i).map(String)

/** What one list has and the other has not, or not as often. */
const differ = (a: ReadonlyArray<string>, b: ReadonlyArray<string>): ReadonlyArray<{ readonly value: string }> =>
  [...a, ...b].filter((value) => count(a, value) !== count(b, value)).map((value) => ({ value }))

const count = (values: ReadonlyArray<string>, value: string) => values.filter((other) => other === value).length
