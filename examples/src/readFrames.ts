import * as Codec from "@claude-duplex/protocol/Codec"
import * as Frame from "@claude-duplex/protocol/Frame"

// Bytes as they come from the CLI's stdout: cut anywhere, with whatever else it prints.
const chunks = [`{"type":"keep_al`, `ive"}\n[warn] low disk space\n{"type":"hologram","x":1}\n`]

const decoder = Codec.cli.makeDecoder()
for (const chunk of chunks) {
  for (const item of decoder.push(new TextEncoder().encode(chunk))) {
    if (Frame.isKnown(item)) console.log(item.type) // every known frame, typed by its `type`
    else console.log(item._tag, item.reason) // kept, reported, never thrown
  }
}
