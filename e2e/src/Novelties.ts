/** What the CLI of a recording says that our schemas do not know. What that is, `Novelty` of the protocol says. */
import * as Codec from "@claude-duplex/protocol/Codec"
import * as Frame from "@claude-duplex/protocol/Frame"
import * as Novelty from "@claude-duplex/protocol/Novelty"
import type { Entry } from "@claude-duplex/transport-mock/Recording"
import { Either } from "effect"

/** All that is new in what the CLI of a recording said. Answers are read by the schema of what the host had asked. */
export const ofRecording = (entries: ReadonlyArray<Entry>): ReadonlyArray<Novelty.Novelty> => {
  const asked = new Map<string, string>()
  return entries.flatMap(({ dir, line }) => {
    if (dir === "host") {
      const frame = Either.merge(Codec.host.decode(line))
      if (Frame.isKnown(frame) && frame.type === "control_request") asked.set(frame.request_id, frame.request.subtype)
      return []
    }
    const item = Either.merge(Codec.cli.decode(line))
    const answers = Frame.isKnown(item) && item.type === "control_response" ? item.response.request_id : undefined
    return Novelty.ofCli(item, answers === undefined ? undefined : asked.get(answers))
  })
}
