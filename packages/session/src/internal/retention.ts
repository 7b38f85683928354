/** Which frames of a turn are kept until it ends, and in its result. */
import { type CliFrame, isKnown, type Unknown } from "@claude-duplex/protocol/Frame"

export type Frame = CliFrame | Unknown

/**
 * What a turn retains.
 *
 * - `result`: its `result` frame, and what the CLI wrote itself in place of the model.
 * - `messages`: every frame but partial messages (`stream_event`).
 * - `all`: every frame.
 */
export type Retain = "result" | "messages" | "all"

/** From more to less. */
const levels: ReadonlyArray<Retain> = ["all", "messages", "result"]

/** Whether the first retains more than the second. */
export const isMore = (one: Retain, other: Retain): boolean => levels.indexOf(one) < levels.indexOf(other)

/** The one of these that retains most; undefined if there is none. */
export const mostOf = (all: ReadonlyArray<Retain>): Retain | undefined => levels.find((level) => all.includes(level))

/** Partial messages (`stream_event`): the whole message follows. */
export const isPartial = (frame: Frame): boolean => isKnown(frame) && frame.type === "stream_event"

export const retains = (retain: Retain, frame: Frame): boolean => {
  if (retain === "all") return true
  return retain === "messages" ? !isPartial(frame) : isOutcome(frame)
}

/** The model that messages of the CLI's own name: what a local command printed, an error of the API. */
const synthetic = "<synthetic>"

const isOutcome = (frame: Frame): boolean => {
  if (!isKnown(frame)) return false
  switch (frame.type) {
    case "result":
      return true
    case "system":
      return frame.subtype === "local_command_output"
    case "assistant":
      return frame.message.model === synthetic
    default:
      return false
  }
}
