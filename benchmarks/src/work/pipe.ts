/** Bytes that a child process prints, through the transport and through a bare reader. */
import * as NodeTransport from "@claude-duplex/transport-node/NodeTransport"
import { Effect, Stream } from "effect"
import { spawn } from "node:child_process"
import type { Work } from "./Work.js"

/** Enough that starting the process does not matter. */
const size = 400_000_000

const command = { command: "head", args: ["-c", String(size), "/dev/zero"] }

/** Through the transport. */
export const transport = (): Work => () =>
  NodeTransport.fromCommand({ ...command, env: {} }).pipe(
    Effect.flatMap(({ incoming }) => Stream.runFold(incoming, 0, (bytes, piece) => bytes + piece.length)),
    Effect.scoped,
    Effect.runPromise
  )

/** By hand, with no more than is needed to count. */
export const bare = (): Work => () =>
  new Promise((resolve, reject) => {
    const child = spawn(command.command, command.args, { stdio: ["pipe", "pipe", "pipe"], env: {} })
    let bytes = 0
    child.stdout.on("data", (piece: Buffer) => bytes += piece.length)
    child.on("error", reject)
    child.on("close", () => resolve(bytes))
  })
