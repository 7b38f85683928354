import * as Codec from "@claude-duplex/protocol/Codec"

// Bytes as they come from the CLI's stdout: cut anywhere, with whatever else it prints.
const chunks = [`{"type":"keep_al`, `ive"}\n[warn] low disk space\n{"type":"hologram","x":1}\n`]

const decoder = Codec.make()
for (const chunk of chunks) {
  for (const item of decoder.push(new TextEncoder().encode(chunk))) {
    if ("_tag" in item) console.log(item._tag, item.reason) // kept, reported, never thrown
    else console.log(item.type) // every known frame, typed by its `type`
  }
}
