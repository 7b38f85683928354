/**
 * A host on the codec alone, without an Effect runtime: bytes in, typed frames out, and the pure machine to tell whose
 * result is whose. Here the bytes are those of a recorded conversation; they could come from any pipe or socket.
 */
import * as Codec from "@claude-duplex/protocol/Codec"
import * as Frame from "@claude-duplex/protocol/Frame"
import * as SessionMachine from "@claude-duplex/protocol/SessionMachine"
import { Either } from "effect"
import { createReadStream } from "node:fs"
import { createInterface } from "node:readline"

const recording = new URL("../../recordings/2.1.326/queue-midturn.jsonl", import.meta.url)

const decoder = Codec.cli.makeDecoder()
let state = SessionMachine.make()
let sent = 0

/** What the CLI wrote. */
const onBytes = (bytes: Uint8Array, now: number) => {
  for (const item of decoder.push(bytes)) {
    Frame.match(item, {
      stream_event: ({ event }) => {
        if (event.type === "content_block_delta" && event.delta.type === "text_delta") {
          console.log(`  … ${event.delta.text}`)
        }
      },
      known: () => {},
      Unknown: ({ reason }) => console.log(`  ? Unknown: ${reason}`),
      DecodeError: ({ reason }) => console.log(`  ? DecodeError: ${reason}`)
    })
    const [next, actions] = SessionMachine.step(state, { _tag: "Receive", item, now })
    state = next
    for (const action of actions) {
      if (action._tag === "TurnEnded" && Frame.isKnown(action.result)) {
        const names = action.messages.map((id) => id.slice(0, 8)).join(" and ") || "nobody"
        console.log(`◀ ${action.result.subtype} for ${names}: $${action.cost.usd.toFixed(6)}`)
      }
    }
  }
}

/** What we write. */
const send = (line: string) => {
  const frame = Either.getOrThrowWith(Codec.host.decode(line), (error) => error)
  if (!Frame.isKnown(frame) || frame.type !== "user") return
  const [next, actions] = SessionMachine.step(state, {
    _tag: "Send",
    // Used once: a message without a uuid needs a name all the same.
    id: frame.uuid ?? `message ${++sent}`,
    frame,
    whenBusy: "steer"
  })
  state = next
  for (const action of actions) {
    if (action._tag === "Write") console.log(`▶ ${action.line}`)
  }
}

for await (const entry of createInterface({ input: createReadStream(recording) })) {
  const { dir, line, t } = JSON.parse(entry)
  if (dir === "host") send(line)
  else onBytes(new TextEncoder().encode(`${line}\n`), t)
}
