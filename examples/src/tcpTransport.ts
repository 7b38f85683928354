/**
 * A transport of one's own: a CLI on another machine, behind a TCP connection. The remote end sends blocks of one byte for
 * the kind (stdout, stderr, exit), four for the length, and the content; it reads lines, and a half-closed connection is
 * the end of the input. `test/tcpTransport.test.ts` holds it to the contract of every transport.
 */
import type { Transport } from "@claude-duplex/protocol/Transport"
import { TransportError } from "@claude-duplex/protocol/Transport"
import * as TransportContract from "@claude-duplex/protocol/TransportContract"
import * as TransportExit from "@claude-duplex/protocol/TransportExit"
import { Deferred, Effect, Mailbox, Schema, type Scope, Stream } from "effect"
import { connect, type Socket } from "node:net"

/** The kinds of blocks. */
export const kinds = { stdout: 1, stderr: 2, exit: 3 } as const

/** A block as bytes: what the remote end writes. */
export const block = (kind: number, content: Uint8Array): Uint8Array => {
  const bytes = Buffer.alloc(5 + content.length)
  bytes.writeUInt8(kind, 0)
  bytes.writeUInt32BE(content.length, 1)
  bytes.set(content, 5)
  return bytes
}

// #region make
/** Connects to the remote end. */
export const make = (address: { readonly host: string; readonly port: number }): Effect.Effect<
  Transport,
  TransportError,
  Scope.Scope
> =>
  Effect.gen(function*() {
    const socket = yield* Effect.acquireRelease(open(address), (socket) => Effect.sync(() => socket.destroy()))
    const output = yield* Mailbox.make<Uint8Array, TransportError>({ capacity: 16 })
    const exit = yield* Deferred.make<TransportExit.TransportExit>()
    let stderr = ""
    let inputEnded = false

    /** Only the first call counts: the exit that the remote end reported, or the loss of the connection. */
    const end = (how: TransportExit.TransportExit) => Effect.zipRight(Deferred.succeed(exit, how), output.end)
    const lose = (why: string) => Effect.suspend(() => end(TransportExit.connectionLost(why, stderr)))

    const onBlock = (kind: number, content: Uint8Array): Effect.Effect<unknown> => {
      switch (kind) {
        case kinds.stdout:
          // Waits while nobody reads; then the socket is not read either, and the remote end waits too.
          return output.offer(content)
        case kinds.stderr:
          return Effect.sync(() => stderr = (stderr + new TextDecoder().decode(content)).slice(-65_536))
        default:
          return Effect.matchEffect(Schema.decode(ExitBlock)(new TextDecoder().decode(content)), {
            onFailure: (error) => end(TransportExit.failed(error, stderr)),
            onSuccess: (how) => end({ ...how, stderr })
          })
      }
    }

    yield* blocks(socket).pipe(
      Stream.runForEach(({ content, kind }) => onBlock(kind, content)),
      Effect.zipRight(lose("the remote end closed it without reporting an exit")),
      Effect.catchAll(({ message }) => lose(message)),
      Effect.onInterrupt(() => lose("this host closed it")),
      Effect.forkScoped
    )
    // Finalizers run last to first: a read that waits ends with its socket, and could not be interrupted before.
    yield* Effect.addFinalizer(() => Effect.sync(() => socket.destroy()))

    return TransportContract.enforce<Transport>({
      incoming: Mailbox.toStream(output),
      send: (line) =>
        Effect.flatMap(Deferred.isDone(exit), (hasEnded) => {
          if (inputEnded) return Effect.fail(failure("Closed", "The input was ended before; nothing can be sent."))
          return hasEnded ? Effect.fail(failure("Write", "The CLI has ended.")) : write(socket, `${line}\n`)
        }),
      endInput: Effect.sync(() => {
        inputEnded = true
        socket.end()
      }),
      exit: Deferred.await(exit),
      close: Effect.zipRight(lose("this host closed it"), Effect.sync(() => socket.destroy()))
    })
  })
// #endregion

const ExitBlock = Schema.parseJson(
  Schema.Union(TransportExit.Exited.omit("stderr"), TransportExit.Signaled.omit("stderr"))
)

const failure = (reason: TransportError["reason"], detail: string) => new TransportError({ reason, detail })

const open = (address: { readonly host: string; readonly port: number }): Effect.Effect<Socket, TransportError> =>
  Effect.async((resume) => {
    const socket = connect({ ...address, allowHalfOpen: true })
    socket.once("connect", () => resume(Effect.succeed(socket)))
    socket.on("error", (error) => resume(Effect.fail(failure("NotFound", `Cannot connect: ${error.message}`))))
  })

const write = (socket: Socket, data: string): Effect.Effect<void, TransportError> =>
  Effect.async((resume) => {
    socket.write(data, (error) => resume(error ? Effect.fail(failure("Write", error.message)) : Effect.void))
  })

/** Blocks, however the connection cuts them. Pieces are joined when there are enough for a block, and not before. */
const blocks = (socket: Socket) =>
  Stream.fromAsyncIterable<Buffer, TransportError>(socket, (error) => failure("Read", String(error))).pipe(
    Stream.mapAccum({ pieces: [] as ReadonlyArray<Buffer>, bytes: 0, needed: 5 }, ({ bytes, needed, pieces }, data) => {
      const carried = { pieces: [...pieces, data], bytes: bytes + data.length, needed }
      if (carried.bytes < needed) return [carried, []]
      const found: Array<{ readonly kind: number; readonly content: Uint8Array }> = []
      let rest = Buffer.concat(carried.pieces)
      while (rest.length >= sizeOf(rest)) {
        found.push({ kind: rest.readUInt8(0), content: rest.subarray(5, sizeOf(rest)) })
        rest = rest.subarray(sizeOf(rest))
      }
      return [{ pieces: [rest], bytes: rest.length, needed: sizeOf(rest) }, found]
    }),
    Stream.mapConcat((found) => found)
  )

/** How long the first block is, as far as that is known. */
const sizeOf = (bytes: Buffer): number => bytes.length < 5 ? 5 : 5 + bytes.readUInt32BE(1)
