/**
 * Where the bytes of a file come from: the file system, or stdin for `-`. Owns reading in pieces, waiting for a file that
 * grows, progress, and what is said when a file cannot be read. Knows nothing of what is in it.
 */
import * as NodeStream from "@effect/platform-node/NodeStream"
import type { PlatformError } from "@effect/platform/Error"
import { FileSystem } from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import { CliError } from "./CliError.js"
import { Output } from "./Output.js"
import * as Progress from "./Progress.js"

/** How a file is read. */
export interface Options {
  /** Wait for more at its end. */
  readonly follow?: boolean | undefined
  /** Done whenever there is nothing more to read for now. Only with `follow`. */
  readonly onIdle?: Effect.Effect<void, CliError> | undefined
}

/** Large enough that what is done for each piece does not matter: to wait for half as much took 4% longer in all. */
const pieceBytes = 1024 * 1024

const pollInterval = "200 millis"

/**
 * What a file is called in output.
 */
export const nameOf = (path: string): string => path === "-" ? "stdin" : path

/**
 * Reads a file to its end. `step` gets one piece after the other, in buffers that are used again.
 */
export const read = (
  path: string,
  step: (piece: Uint8Array) => Effect.Effect<void, CliError>,
  options: Options = {}
): Effect.Effect<void, CliError, FileSystem | Output> =>
  path === "-" ? readStdin(step) : Effect.scoped(readFile(path, step, options))

const readStdin = (step: (piece: Uint8Array) => Effect.Effect<void, CliError>) =>
  Effect.gen(function*() {
    const output = yield* Output
    const tell = yield* Progress.make(output, "stdin", undefined)
    let bytes = 0
    const stdin = NodeStream.fromReadable<CliError, Uint8Array>(
      () => process.stdin,
      (cause) => new CliError({ reason: "Input", summary: "stdin cannot be read.", detail: String(cause) }),
      { closeOnDone: false }
    )
    yield* Stream.runForEach(stdin, (piece) => {
      bytes += piece.length
      return Effect.zipRight(step(piece), tell(bytes))
    })
    yield* output.status("")
  })

const readFile = Effect.fnUntraced(function*(
  path: string,
  step: (piece: Uint8Array) => Effect.Effect<void, CliError>,
  { follow = false, onIdle = Effect.void }: Options
) {
  const failed = (error: PlatformError) => unreadable(path, error)
  const output = yield* Output
  const files = yield* FileSystem
  const { size, type } = yield* Effect.mapError(files.stat(path), failed)
  if (type === "Directory") return yield* input(`${path}: this is a folder; name the files in it.`)
  const file = yield* Effect.mapError(files.open(path, { flag: "r" }), failed)
  const tell = yield* Progress.make(output, path, Number(size))
  /** Reads into a buffer while something else goes on; started before it is waited for. */
  const begin = (buffer: Uint8Array) =>
    Effect.zipLeft(Effect.fork(Effect.mapError(file.read(buffer), failed)), Effect.yieldNow())
  // Two, in turn: one is filled while what is in the other is worked on. Node's own kind of array: it finds a newline five
  // times as fast as any other.
  let [filling, free] = [Buffer.allocUnsafeSlow(pieceBytes), Buffer.allocUnsafeSlow(pieceBytes)]
  let reading = yield* begin(filling)
  let bytes = 0
  for (;;) {
    const count = Number(yield* Fiber.join(reading))
    if (count > 0) {
      const piece = filling.subarray(0, count)
      ;[filling, free] = [free, filling]
      reading = yield* begin(filling)
      bytes += count
      yield* step(piece)
      yield* tell(bytes)
      continue
    }
    if (!follow) break
    yield* onIdle
    yield* Effect.sleep(pollInterval)
    const { size } = yield* Effect.mapError(files.stat(path), failed)
    if (Number(size) < bytes) return yield* input(`${path}: it was cut while it was followed; start again.`)
    reading = yield* begin(filling)
  }
  yield* output.status("")
})

const input = (summary: string, detail?: string) =>
  new CliError({ reason: "Input", summary, ...(detail === undefined ? {} : { detail }) })

const unreadable = (path: string, error: PlatformError): CliError => {
  if (error._tag === "SystemError" && error.reason === "NotFound") return input(`${path}: there is no such file.`)
  if (error._tag === "SystemError" && error.reason === "PermissionDenied") {
    return input(`${path}: it may not be read.`, error.message)
  }
  return input(`${path}: it cannot be read.`, error.message)
}
