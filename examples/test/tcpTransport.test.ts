/** The example transport keeps the contract that every transport keeps; the remote end is a server in this process. */
import * as LineDecoder from "@claude-duplex/protocol/LineDecoder"
import * as TransportExit from "@claude-duplex/protocol/TransportExit"
import type { Peer } from "@claude-duplex/transport-mock/Peer"
import * as Script from "@claude-duplex/transport-mock/Script"
import * as TransportSuiteVitest from "@claude-duplex/transport-mock/TransportSuiteVitest"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Mailbox, Runtime, type Scope } from "effect"
import { createServer, type Server, type Socket } from "node:net"
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
        how._tag === "ConnectionLost"
          ? Effect.sync(() => socket.resetAndDestroy())
          : Effect.zipRight(
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
          Effect.zipRight(peer.exit({ _tag: "Exited", code: 0 })),
          Effect.catchAll((error) =>
            Effect.zipRight(peer.writeStderr(error.message), peer.exit({ _tag: "Exited", code: 70 }))
          )
        )
      }))
    })
    yield* Effect.addFinalizer(() => Effect.sync(() => server.close()))
    return yield* listen(server)
  })

/** Listens on a free port, and gives it. */
const listen = (server: Server): Effect.Effect<number> =>
  Effect.async((resume) => {
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      resume(Effect.succeed(typeof address === "object" && address !== null ? address.port : 0))
    })
  })

// #region suite
TransportSuiteVitest.run({
  name: "an example over TCP",
  make: (script) => Effect.flatMap(serve(script), (port) => make({ host: "127.0.0.1", port }))
})
// #endregion

describe("a connection that is lost", () => {
  /** A transport to a peer that reads one line and then ends in this way. */
  const connected = (end: (socket: Socket) => void) =>
    Effect.gen(function*() {
      const server = createServer((socket) => {
        socket.once("data", () => end(socket))
        socket.on("error", () => undefined)
      })
      yield* Effect.addFinalizer(() => Effect.sync(() => server.close()))
      const transport = yield* Effect.flatMap(listen(server), (port) => make({ host: "127.0.0.1", port }))
      yield* transport.send(`{"type":"keep_alive"}`)
      return transport
    })

  it.scopedLive("has no code and no signal, and the message says why", () =>
    Effect.gen(function*() {
      const closed = yield* connected((socket) => socket.end(block(kinds.stderr, Buffer.from("so far"))))
      const exit = yield* closed.exit
      assert.deepInclude(exit, { _tag: "ConnectionLost", stderr: "so far" })
      assert.include(TransportExit.describe(exit), "lost: the remote end closed it without reporting an exit")
      const reset = yield* connected((socket) => socket.resetAndDestroy())
      assert.match(TransportExit.describe(yield* reset.exit), /^the connection to the CLI was lost: .*ECONNRESET/)
    }))

  it.scopedLive("is told from a report that cannot be read", () =>
    Effect.gen(function*() {
      const transport = yield* connected((socket) => socket.end(block(kinds.exit, Buffer.from("{}"))))
      assert.strictEqual((yield* transport.exit)._tag, "Failed")
    }))
})
