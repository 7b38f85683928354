/**
 * The CLI of a recording, for somebody who does not do what the recorded host did: they say what they like and answer as they
 * like, and it goes as it went. What the recorded host asked of its CLI beside (`initialize`, `interrupt`) is left out,
 * with the answers: nobody here asks it.
 */
import * as Codec from "@claude-duplex/protocol/Codec"
import { isKnown } from "@claude-duplex/protocol/Frame"
import type { Behaviour } from "@claude-duplex/transport-mock/Peer"
import type { Entry, Recording } from "@claude-duplex/transport-mock/Recording"
import * as Replay from "@claude-duplex/transport-mock/Replay"
import type { ReplayError } from "@claude-duplex/transport-mock/ReplayError"
import * as Either from "effect/Either"

/** What was said in a recording: each message, with those that were said before its result came. */
export type Said = readonly [first: string, ...meanwhile: ReadonlyArray<string>]

const hostFrame = ({ dir, line }: Entry) => {
  const frame = dir === "host" ? Either.getOrUndefined(Codec.host.decode(line)) : undefined
  return frame === undefined || isKnown(frame) ? frame : undefined
}

/** Ids of what the recorded host asked. */
const askedIn = ({ entries }: Recording): ReadonlySet<string> =>
  new Set(entries.flatMap((entry) => {
    const frame = hostFrame(entry)
    return frame?.type === "control_request" ? [frame.request_id] : []
  }))

const isAnswerTo = (asked: ReadonlySet<string>, { dir, line }: Entry): boolean => {
  if (dir !== "cli" || !line.includes("control_response")) return false
  const frame = Either.getOrUndefined(Codec.cli.decode(line))
  return frame !== undefined && isKnown(frame) && frame.type === "control_response" &&
    asked.has(frame.response.request_id)
}

const isOwn = (entry: Entry): boolean => {
  const type = hostFrame(entry)?.type
  return type === "control_request" || type === "control_cancel_request"
}

/** What was said, in order. */
export const said = ({ entries }: Recording): ReadonlyArray<Said> => {
  const all: Array<[string, ...Array<string>]> = []
  let isAnswered = true
  for (const entry of entries) {
    const frame = hostFrame(entry)
    if (frame?.type === "user") {
      const text = textOf(frame.message.content)
      const last = all.at(-1)
      if (isAnswered || last === undefined) all.push([text])
      else last.push(text)
      isAnswered = false
    } else if (entry.dir === "cli" && entry.line.includes(`"type":"result"`)) isAnswered = true
  }
  return all
}

const textOf = (content: unknown): string => {
  if (typeof content === "string") return content
  if (!Array.isArray(content)) return ""
  const texts = content.flatMap((block: unknown) =>
    typeof block === "object" && block !== null && "text" in block && typeof block.text === "string" ? [block.text] : []
  )
  return texts.length > 0 ? texts.join(" ") : "(an attachment)"
}

/** Plays it at the recorded pace, so many times as fast, and ends with the last entry, as the recording does. */
export const behaviour = (recording: Recording, speed: number): Behaviour<ReplayError> => {
  const asked = askedIn(recording)
  const entries = recording.entries.filter((entry) => !isOwn(entry) && !isAnswerTo(asked, entry))
  return Replay.behaviour({ entries }, {
    ...(entries.some(({ dir }) => dir === "host") ? { mode: "timed", speed } : {}),
    compare: "none",
    ignoreExtra: true,
    initialize: true,
    exitAfter: "LastEntry"
  })
}
