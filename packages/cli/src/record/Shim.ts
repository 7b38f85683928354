/**
 * A stand-in for `claude` as a file of its own, for hosts that take a path and nothing else. Owns its text; what it does when
 * it is run is `shimProgram`.
 *
 * The command is looked up when the stand-in is written: one that is itself called `claude` and comes first in `PATH` would
 * find nobody but itself.
 */
import type * as Executable from "@claude-duplex/transport-node/Executable"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import * as Path from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { CliError } from "../CliError.js"
import type { Settings } from "./tape.js"

/** What a stand-in does. */
export interface Shim extends Settings {
  readonly command: string
  /** They come before those of the host's. */
  readonly args: ReadonlyArray<string>
}

const program = pathToFileURL(fileURLToPath(new URL("./shimProgram.js", import.meta.url))).href

/**
 * Its text. It runs as it is where `#!` is known, under `node` elsewhere, and whatever kind of module its folder and its name
 * make of it.
 */
export const toText = (shim: Shim): string =>
  `#!/usr/bin/env node
// Stands in for ${
    Path.basename(shim.args[0] ?? shim.command)
  }, and records what passes. Written by \`claude-duplex record --shim\`.
import(${JSON.stringify(program)}).then(({ run }) => run(${JSON.stringify(shim)}))
`

/** Writes one, in place of whatever was there under this name if that was one too. */
export const write = (
  path: string,
  settings: Settings,
  executable: Executable.Executable
): Effect.Effect<void, CliError, FileSystem.FileSystem> =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const absolute = Path.resolve(path)
    if ([executable.command, ...executable.args].includes(absolute)) {
      return yield* new CliError({
        reason: "Usage",
        summary: `${path} cannot stand in for itself: give the path of the real one after \`--\`.`
      })
    }
    const before = yield* Effect.option(fs.readFileString(absolute))
    if (before._tag === "Some" && !before.value.includes(program)) {
      return yield* new CliError({ reason: "Usage", summary: `${path} exists already: give another name.` })
    }
    const out = settings.out === undefined ? undefined : keepsFolder(settings.out)
    yield* fs.writeFileString(absolute, toText({ ...settings, ...executable, out }))
    yield* fs.chmod(absolute, 0o755)
  }).pipe(
    Effect.catchTag("SystemError", "BadArgument", ({ message }) =>
      new CliError({ reason: "Input", summary: `${path} cannot be written: ${message}` }))
  )

/** A host starts it wherever it likes; what is relative is so to where it was written. */
const keepsFolder = (out: string): string => `${Path.resolve(out)}${/[/\\]$/.test(out) ? Path.sep : ""}`
