/**
 * Makes a recording of what passes over a `Transport`. Owns the copy, its order and its way into a sink; it does nothing
 * to the traffic, and nothing that goes wrong here reaches it.
 *
 * - **Order.** A line of the host's stands where its `send` began, and only if that succeeded: the host knew nothing of
 *   what came later, and the CLI may answer before `send` has returned. A line of the CLI's stands where its last byte
 *   was handed to the host. So a cause is always before its effect, which is what `Replay` needs.
 * - **Time.** `t` is in milliseconds since {@link wrap}, by Effect's `Clock`.
 * - **Text.** The CLI's bytes are split at 0x0A and nowhere else; a CR stays in the line, and a byte that is not UTF-8 is
 *   kept as a lone surrogate, from which `Replay` makes the same byte again. One thing a text of lines cannot say: that the
 *   very last line had no newline. It is recorded like any other.
 * - **Speed.** On the way of the bytes they are copied and put into a queue. Splitting, decoding, redacting and writing
 *   happen in another fiber. The queue has no limit: a sink that is slower than the CLI costs memory, not time.
 * - **The end.** What is said after this scope has closed is not recorded: a transport that closes later than its recorder
 *   may have last words that nobody wrote down. Close the transport first, or read it to its end.
 * - **Failure.** A sink that fails ends the recording, and one warning is logged. It is not tried again, because a
 *   recording with a hole would be another conversation; a short one is only short.
 *
 * @since 0.1.0
 * @stability stable
 */
import * as Connector from "@claude-duplex/protocol/Connector"
import { type Transport, TransportMisuse } from "@claude-duplex/protocol/Transport"
import type { PlatformError } from "@effect/platform/Error"
import { FileSystem } from "@effect/platform/FileSystem"
import * as Cause from "effect/Cause"
import * as Chunk from "effect/Chunk"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FiberId from "effect/FiberId"
import * as Layer from "effect/Layer"
import * as Mailbox from "effect/Mailbox"
import * as Option from "effect/Option"
import * as Ref from "effect/Ref"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { ByteLines } from "./internal/byteLines.js"
import { fromBytes } from "./internal/lineText.js"
import type { Direction, Entry } from "./Recording.js"
import { stringify } from "./Recording.js"

/** Takes entries, in order: at least one at a time, and all that have come since the last time. */
export type Sink<E = never, R = never> = (entries: ReadonlyArray<Entry>) => Effect.Effect<void, E, R>

/** How lines are recorded. */
export interface Options {
  /**
   * What is recorded in place of a line: `Redactor.make` of `@claude-duplex/protocol` takes out what is known to be secret,
   * and leaves a recording that can be replayed. One that throws ends the recording, as a sink that fails does: what it was
   * to hide is not written. Default: a line is recorded as it is.
   */
  readonly redact?: ((line: string, dir: Direction) => string) | undefined
  /**
   * How long the end of the scope waits for the sink to take what is left, in real time even under a test clock. Default: 5
   * seconds.
   */
  readonly flushTimeout?: Duration.DurationInput | undefined
}

/** Where a recording is made of bytes that pass elsewhere. */
export interface Tap {
  /**
   * Takes note of bytes that pass, before they are handed on. Returns at once, and never throws. They are kept as they are:
   * they must not change afterwards. `t` is for whoever hears of them later: milliseconds since the beginning; default: now.
   */
  readonly note: (dir: Direction, bytes: Uint8Array, t?: number) => void
}

/**
 * A recording of both directions as bytes, for whoever carries them without a `Transport`: a proxy between a host and its
 * CLI. The rest of it is written when the scope closes.
 *
 * @example
 * ```ts
 * import * as Recorder from "@claude-duplex/transport-mock/Recorder"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function*() {
 *   const tap = yield* Recorder.tap({ sink: yield* Recorder.toFile("session.jsonl") })
 *   process.stdin.on("data", (bytes) => tap.note("host", bytes))
 * })
 * ```
 */
export const tap = <E, R>(
  options: Options & { readonly sink: Sink<E, R> }
): Effect.Effect<Tap, never, R | Scope.Scope> =>
  Effect.map(begin(options), ({ now, passing }) => ({
    note: (dir, bytes, t = now()) => {
      passing.unsafeOffer({ dir, t, bytes })
    }
  }))

/**
 * A transport that does what `transport` does, and whose traffic goes to a sink. The rest of it is written when the scope
 * closes.
 *
 * @example
 * ```ts
 * import * as Redactor from "@claude-duplex/protocol/Redactor"
 * import type { Transport } from "@claude-duplex/protocol/Transport"
 * import * as Recorder from "@claude-duplex/transport-mock/Recorder"
 * import { Effect } from "effect"
 *
 * const recorded = (transport: Transport) =>
 *   Effect.gen(function*() {
 *     const sink = yield* Recorder.toFile("session.jsonl")
 *     return yield* Recorder.wrap(transport, { sink, redact: Redactor.make({ values: ["hunter2!"] }) })
 *   })
 * ```
 */
export const wrap = <E, R>(
  transport: Transport,
  options: Options & { readonly sink: Sink<E, R> }
): Effect.Effect<Transport, never, R | Scope.Scope> =>
  Effect.gen(function*() {
    const { now, passing } = yield* begin(options)
    const sending = new Set<Deferred.Deferred<boolean>>()
    const ended = Effect.sync(() => passing.unsafeOffer({ dir: "cli", t: now(), bytes: undefined }))
    // Nobody will say any more whether these were sent, and the recording waits for that before it ends.
    yield* Effect.addFinalizer(() =>
      Effect.forEach(sending, (sent) => Deferred.succeed(sent, false), { discard: true })
    )

    return {
      ...transport,
      incoming: transport.incoming.pipe(
        Stream.mapChunks((chunk) => {
          const t = now()
          // A copy: what the host does to its bytes is its own business, and a transport may use a buffer again.
          for (const bytes of chunk) passing.unsafeOffer({ dir: "cli", t, bytes: new Uint8Array(bytes) })
          return chunk
        }),
        Stream.onEnd(ended),
        // A second consumer ends nothing: the first one reads on.
        Stream.tapErrorCause((cause) => isMisuse(cause) ? Effect.void : ended)
      ),
      send: (line) =>
        Effect.suspend(() => {
          const sent = Deferred.unsafeMake<boolean>(FiberId.none)
          sending.add(sent)
          passing.unsafeOffer({ dir: "host", t: now(), line, sent })
          return Effect.onExit(transport.send(line), (exit) => {
            sending.delete(sent)
            return Deferred.succeed(sent, Exit.isSuccess(exit))
          })
        })
    }
  })

const isMisuse = (cause: Cause.Cause<unknown>): boolean =>
  Option.exists(Cause.dieOption(cause), (defect) => defect instanceof TransportMisuse)

/** What passed, as it was taken note of. */
type Passing =
  | { readonly dir: "host"; readonly t: number; readonly line: string; readonly sent: Deferred.Deferred<boolean> }
  /** No bytes: the end of them. */
  | { readonly dir: Direction; readonly t: number; readonly bytes: Uint8Array | undefined }

/** A recording under way: what is put into `passing` is written by a fiber of its own, and the rest when the scope closes. */
const begin = <E, R>(options: Options & { readonly sink: Sink<E, R> }) =>
  Effect.gen(function*() {
    const clock = yield* Effect.clock
    // Monotonic, unlike the clock's milliseconds: a replay at the recorded pace waits for the differences.
    const start = clock.unsafeCurrentTimeNanos()
    const now = () => Math.round(Number(clock.unsafeCurrentTimeNanos() - start) / 1e6)
    const passing = yield* Mailbox.make<Passing>()
    const writer = yield* Effect.forkScoped(record(passing, options))
    // After the fork, so that it runs before the fiber is interrupted.
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        for (const dir of ["host", "cli"] as const) passing.unsafeOffer({ dir, t: now(), bytes: undefined })
      }).pipe(
        Effect.zipRight(passing.end),
        Effect.zipRight(
          Fiber.await(writer).pipe(Effect.interruptible, Effect.timeoutOption(options.flushTimeout ?? "5 seconds"))
        ),
        // A sink that is stuck is stuck in real time, whatever clock the host is tested with.
        Effect.withClock(Clock.make())
      )
    )
    return { now, passing }
  })

const record = <E, R>(
  passing: Mailbox.Mailbox<Passing>,
  { redact, sink }: Options & { readonly sink: Sink<E, R> }
): Effect.Effect<void, never, R> => {
  const lines = { host: new ByteLines(), cli: new ByteLines() }
  let written = 0
  let batch: Array<Entry> = []

  const add = (t: number, dir: Direction, line: string) => {
    batch.push({ t, dir, line: redact === undefined ? line : redact(line, dir) })
  }

  const flush = Effect.suspend(() => {
    if (batch.length === 0) return Effect.void
    const entries = batch
    batch = []
    return Effect.tap(sink(entries), () => {
      written += entries.length
    })
  })

  const note = (item: Passing): Effect.Effect<void, E, R> => {
    if ("bytes" in item) {
      return Effect.sync(() => {
        const { [item.dir]: half } = lines
        for (const bytes of item.bytes === undefined ? half.end() : half.push(item.bytes)) {
          add(item.t, item.dir, fromBytes(bytes))
        }
      })
    }
    return Effect.gen(function*() {
      // A `send` may take its time; what is known by then need not wait for it.
      if (!(yield* Deferred.isDone(item.sent))) yield* flush
      if (yield* Deferred.await(item.sent)) add(item.t, "host", item.line)
    })
  }

  return Effect.gen(function*() {
    for (;;) {
      const [items, done] = yield* passing.takeAll
      yield* Effect.forEach(items, note, { discard: true })
      yield* flush
      if (done) return
    }
  }).pipe(
    Effect.catchAllCause((cause) =>
      Cause.isInterruptedOnly(cause)
        ? Effect.void
        // What came before a line that could not be redacted is still to be written; a sink that failed has been given it.
        : Effect.zipRight(
          Effect.exit(flush),
          Effect.suspend(() =>
            Effect.logWarning(
              `The recording ends after ${written} entries: the next could not be written. The session goes on.`,
              cause
            )
          )
        )
    ),
    // Nobody takes from it any more, so nothing may be kept in it.
    Effect.ensuring(passing.shutdown)
  )
}

/**
 * A sink that hands over one entry after the other.
 *
 * @example
 * ```ts
 * import * as Recorder from "@claude-duplex/transport-mock/Recorder"
 * import { Console } from "effect"
 *
 * const print = Recorder.onEntry(({ dir, line }) => Console.log(dir, line))
 * ```
 */
export const onEntry = <E, R>(f: (entry: Entry) => Effect.Effect<void, E, R>): Sink<E, R> => (entries) =>
  Effect.forEach(entries, f, { discard: true })

/**
 * A sink that keeps entries, and shows what it has so far.
 *
 * @example
 * ```ts
 * import * as Recorder from "@claude-duplex/transport-mock/Recorder"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function*() {
 *   const memory = yield* Recorder.toMemory
 *   yield* memory.sink([{ t: 0, dir: "cli", line: "{}" }])
 *   return yield* memory.entries
 * })
 * ```
 */
export const toMemory: Effect.Effect<
  { readonly sink: Sink; readonly entries: Effect.Effect<ReadonlyArray<Entry>> }
> = Effect.map(Ref.make(Chunk.empty<Entry>()), (kept) => ({
  sink: (entries) => Ref.update(kept, Chunk.appendAll(Chunk.fromIterable(entries))),
  entries: Effect.map(Ref.get(kept), Chunk.toReadonlyArray)
}))

/**
 * A sink that appends whole lines to a file, in one write for all that has come: a crash leaves whole lines, and at most
 * one torn line at the end, which `Recording.parse` leaves out. The file begins anew, since it is one conversation; with
 * the flag `wx` one that exists is left alone, and the effect fails.
 *
 * @example
 * ```ts
 * import * as Recorder from "@claude-duplex/transport-mock/Recorder"
 *
 * const sink = Recorder.toFile("session.jsonl", { flag: "wx" })
 * ```
 */
export const toFile = (
  path: string,
  options?: { readonly flag?: "w" | "wx" | undefined }
): Effect.Effect<Sink<PlatformError>, PlatformError, FileSystem | Scope.Scope> =>
  Effect.flatMap(FileSystem, (files) => files.open(path, { flag: options?.flag ?? "w" })).pipe(
    Effect.map((file) => (entries) => file.writeAll(new TextEncoder().encode(stringify(entries))))
  )

/**
 * A connector that records all of its connections, one after the other, into one sink. `t` counts from each connection, and nothing
 * marks where one ends: `Replay` plays a recording of one connection. For a session that restarts, use {@link wrap} with a sink for
 * each connection, in `Connector.mapTransport`.
 *
 * @example
 * ```ts
 * import { Connector } from "@claude-duplex/protocol/Connector"
 * import * as Recorder from "@claude-duplex/transport-mock/Recorder"
 * import { Console, Effect } from "effect"
 *
 * const printed = Effect.map(Connector, (connector) =>
 *   Recorder.connector(connector, { sink: Recorder.onEntry(({ line }) => Console.log(line)) }))
 * ```
 */
export const connector = <E>(
  connector: Connector.Service,
  options: Options & { readonly sink: Sink<E> }
): Connector.Service => Connector.mapTransport(connector, (transport) => wrap(transport, options))

/**
 * Records every connection of the `Connector` that it is given.
 *
 * @example
 * ```ts
 * import * as MockConnector from "@claude-duplex/transport-mock/MockConnector"
 * import * as Recorder from "@claude-duplex/transport-mock/Recorder"
 * import { Console, Effect, Layer } from "effect"
 *
 * const recorded = Recorder.layer({ sink: Recorder.onEntry(Console.log) }).pipe(
 *   Layer.provide(MockConnector.layer(() => Effect.never))
 * )
 * ```
 */
export const layer = <E, R>(
  options: Options & { readonly sink: Sink<E, R> }
): Layer.Layer<Connector.Connector, never, Connector.Connector | R> =>
  Layer.effect(
    Connector.Connector,
    Effect.gen(function*() {
      const context = yield* Effect.context<R>()
      return connector(yield* Connector.Connector, {
        ...options,
        sink: (entries) => Effect.provide(options.sink(entries), context)
      })
    })
  )

/**
 * {@link layer} with {@link toFile}. The file has all connections of the session, one after the other: see {@link connector}.
 *
 * @example
 * ```ts
 * import * as Recorder from "@claude-duplex/transport-mock/Recorder"
 *
 * const recorded = Recorder.layerFile("session.jsonl")
 * ```
 */
export const layerFile = (
  path: string,
  options?: Options & { readonly flag?: "w" | "wx" | undefined }
): Layer.Layer<Connector.Connector, PlatformError, FileSystem | Connector.Connector> =>
  Layer.scoped(
    Connector.Connector,
    Effect.gen(function*() {
      const sink = yield* toFile(path, options)
      return connector(yield* Connector.Connector, { ...options, sink })
    })
  )
