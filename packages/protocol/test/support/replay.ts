/** Drives the machine with a recording: what the host wrote goes in as wishes, what the CLI wrote as frames. */
import * as Codec from "@claude-duplex/protocol/Codec"
import * as Frame from "@claude-duplex/protocol/Frame"
import type { HostFrame } from "@claude-duplex/protocol/Frame"
import type { SessionAction } from "@claude-duplex/protocol/SessionAction"
import type { SessionInput } from "@claude-duplex/protocol/SessionInput"
import * as SessionMachine from "@claude-duplex/protocol/SessionMachine"
import type { TransportExit } from "@claude-duplex/protocol/TransportExit"
import { Either } from "effect"
import type { Recording } from "./recordings.js"
import { step } from "./step.js"

export interface Replayed {
  readonly state: SessionMachine.State
  readonly actions: ReadonlyArray<SessionAction>
  /** What the recorded host wrote and the schemas know. */
  readonly hostFrames: ReadonlyArray<HostFrame>
}

export const cleanExit: TransportExit = { _tag: "Exited", code: 0, stderr: "" }

export const replay = (recording: Recording, exit: TransportExit = cleanExit): Replayed => {
  let state = SessionMachine.make()
  const actions: Array<SessionAction> = []
  const hostFrames: Array<HostFrame> = []
  const put = (input: SessionInput) => {
    const [next, made] = step(state, input)
    state = next
    actions.push(...made)
  }
  let messages = 0
  for (const { dir, line, t } of recording.entries) {
    put({ _tag: "Tick", now: t })
    if (dir === "cli") put({ _tag: "Receive", item: Either.merge(Codec.cli.decode(line)), now: t })
    else {
      const frame = Either.merge(Codec.host.decode(line))
      if (!Frame.isKnown(frame)) continue
      hostFrames.push(frame)
      put(inputOf(frame, () => `#${++messages}`))
    }
  }
  const last = recording.entries.at(-1)?.t ?? 0
  put({ _tag: "Tick", now: last + 60_000 })
  put({ _tag: "End", exit })
  return { state, actions, hostFrames }
}

const inputOf = (frame: HostFrame, nextId: () => string): SessionInput => {
  switch (frame.type) {
    case "user":
      return { _tag: "Send", id: frame.uuid ?? nextId(), frame, whenBusy: "steer" }
    case "control_request":
      return { _tag: "Request", id: frame.request_id, request: frame.request }
    case "control_cancel_request":
      return { _tag: "Abandon", id: frame.request_id, reason: "Cancelled" }
    case "control_response":
      return frame.response.subtype === "success"
        ? { _tag: "Answer", id: frame.response.request_id, response: frame.response.response ?? {} }
        : { _tag: "Refuse", id: frame.response.request_id, error: frame.response.error }
  }
}
