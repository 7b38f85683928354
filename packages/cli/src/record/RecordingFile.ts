/**
 * Where a recording goes. Nothing is ever overwritten: a host may start the proxy many times with the same arguments, and
 * each conversation is worth its own file.
 */
import * as Recorder from "@claude-duplex/transport-mock/Recorder"
import type { PlatformError } from "@effect/platform/Error"
import * as FileSystem from "@effect/platform/FileSystem"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Path from "node:path"
import { pid } from "node:process"

/** A file that is ready to be recorded into. */
export interface RecordingFile {
  readonly path: string
  readonly sink: Recorder.Sink<PlatformError>
}

/**
 * Opens the file that `out` asks for: one of this name, or of this name and a number if there is one already; in a folder,
 * one named for the time and this process. Folders on the way are made. Default: the working directory.
 */
export const open = (
  out: Option.Option<string>
): Effect.Effect<RecordingFile, PlatformError, FileSystem.FileSystem | Scope.Scope> =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const wanted = Option.getOrElse(out, () => `.${Path.sep}`)
    const path = Path.resolve((yield* isFolder(wanted)) ? Path.join(wanted, yield* timely) : wanted)
    yield* fs.makeDirectory(Path.dirname(path), { recursive: true })
    return yield* firstFree(path, 1)
  })

const isFolder = (path: string) =>
  Effect.flatMap(FileSystem.FileSystem, (fs) =>
    /[/\\]$/.test(path)
      ? Effect.succeed(true)
      : Effect.orElseSucceed(Effect.map(fs.stat(path), ({ type }) => type === "Directory"), () => false))

/** `recording-20261118T111213Z-4711.jsonl` */
const timely = Effect.map(
  DateTime.now,
  (now) => `recording-${DateTime.formatIso(now).replaceAll(/[-:]|\.\d+/g, "")}-${pid}.jsonl`
)

const firstFree = (
  path: string,
  number: number
): Effect.Effect<RecordingFile, PlatformError, FileSystem.FileSystem | Scope.Scope> => {
  const { dir, ext, name } = Path.parse(path)
  const numbered = number === 1 ? path : Path.join(dir, `${name}-${number}${ext}`)
  return Recorder.toFile(numbered, { flag: "wx" }).pipe(
    Effect.map((sink): RecordingFile => ({ path: numbered, sink })),
    Effect.catchIf(
      (error) => error._tag === "SystemError" && error.reason === "AlreadyExists",
      () => firstFree(path, number + 1)
    )
  )
}
