/** The first kind of use: a host of one's own, which wants frames and no Effect runtime. */
import * as Codec from "@claude-duplex/protocol/Codec"
import * as Frame from "@claude-duplex/protocol/Frame"
import * as SessionMachine from "@claude-duplex/protocol/SessionMachine"

const decoder = Codec.cli.makeDecoder()
const [first, second] = decoder.push(new TextEncoder().encode(`{"type":"keep_alive"}\n{"type":"hologram"}\n`))
if (first === undefined || !Frame.isKnown(first) || first.type !== "keep_alive") throw new Error("not decoded")
if (second === undefined || Frame.isKnown(second) || second._tag !== "Unknown") throw new Error("not kept")
if (SessionMachine.status(SessionMachine.make()) !== "Starting") throw new Error("no machine")
console.log("codec only")
