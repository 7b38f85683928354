/** The example transport keeps the contract that every transport keeps; the remote end is a server in this process. */
import * as LineDecoder from "@claude-duplex/protocol/LineDecoder"
import type { Peer } from "@claude-duplex/transport-mock/Peer"
import * as Script from "@claude-duplex/transport-mock/Script"
import * as TransportSuite from "@claude-duplex/transport-mock/TransportSuite"
import { Effect, Exit, Mailbox, Runtime, type Scope } from "effect"
import { createServer, type Socket } from "node:net"
import { block, kinds, make } from "../src/tcpTransport.js"

/** The CLI's end of a connection. */
const peerOf = (socket: Socket): Effect.Effect<Peer> =>
  Effect.gen(function*() {
    const lines = yield* Mailbox.make<string>()
    const decoder = LineDecoder.make()
    let waiting = 0
    const take = (received: ReadonlyArray<LineDecoder.Line>) => {
      lines.unsafeOfferAll(received.map(String))
      waiting += received.length
      // Who does not read on holds the host back.
      if (waiting >= 64) socket.pause()
    }
    socket.on("data", (data: Buffer) => take(decoder.push(data)))
    socket.on("end", () => {
      take(decoder.end())
      lines.unsafeDone(Exit.void)
    })
    socket.on("error", () => lines.unsafeDone(Exit.void))
    const send = (kind: number, content: Uint8Array) =>
      Effect.async<void>((resume) => {
        socket.write(block(kind, content), () => resume(Effect.void))
      })
    return {
      receive: Effect.tap(Effect.option(lines.take), () => {
        waiting--
        socket.resume()
      }),
      write: (bytes) => send(kinds.stdout, bytes),
      writeStderr: (text) => send(kinds.stderr, new TextEncoder().encode(text)),
      exit: (how) =>
        Effect.zipRight(
          send(kinds.exit, new TextEncoder().encode(JSON.stringify(how))),
          Effect.sync(() => socket.end())
        )
    }
  })

/** A server that plays the script to whoever connects; gives its port. */
const serve = (script: Script.Script): Effect.Effect<number, never, Scope.Scope> =>
  Effect.gen(function*() {
    const runtime = yield* Effect.runtime()
    const server = createServer({ allowHalfOpen: true }, (socket) => {
      Runtime.runFork(runtime)(Effect.gen(function*() {
        const peer = yield* peerOf(socket)
        yield* Script.behaviour(script)(peer).pipe(
          Effect.zipRight(peer.exit({ code: 0, signal: null })),
          Effect.catchAll((error) =>
            Effect.zipRight(peer.writeStderr(error.message), peer.exit({ code: 70, signal: null }))
          )
        )
      }))
    })
    yield* Effect.addFinalizer(() => Effect.sync(() => server.close()))
    return yield* Effect.async<number>((resume) => {
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        resume(Effect.succeed(typeof address === "object" && address !== null ? address.port : 0))
      })
    })
  })

// #region suite
TransportSuite.run({
  name: "an example over TCP",
  make: (script) => Effect.flatMap(serve(script), (port) => make({ host: "127.0.0.1", port }))
})
// #endregion
