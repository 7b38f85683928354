/**
 * Where a command writes: what was asked for goes to stdout, what is said about it to stderr. Owns colours, the line that
 * shows progress, and what happens when whoever reads goes away (`| head`): the command ends, and that is no error.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { CliError } from "./CliError.js"
import * as Palette from "./Palette.js"

/** The service. */
export interface Service {
  /** Writes to stdout, and waits until it is taken. */
  readonly write: (text: string | Uint8Array) => Effect.Effect<void, CliError>
  /** Writes a line to stderr, for a person. */
  readonly note: (line: string) => Effect.Effect<void>
  /**
   * Shows a line on stderr until the next thing is written there, if that is a terminal; an empty one takes it away. For
   * progress: it costs nothing where nobody looks.
   */
  readonly status: (line: string) => Effect.Effect<void>
  /** Whether {@link Service.status} shows anything. */
  readonly showsStatus: boolean
  /** Whether stdout has colours. */
  readonly isColoured: boolean
  /** For stdout. */
  readonly palette: Palette.Palette
  /** For stderr. */
  readonly notePalette: Palette.Palette
  /** How wide stdout is: 100 columns where it is no terminal. */
  readonly columns: number
}

/**
 * See {@link Service}.
 */
export class Output extends Context.Tag("@claude-duplex/cli/Output")<Output, Service>() {}

/** What an {@link Output} needs of a stream of Node's. */
export interface Target {
  readonly isTTY?: boolean | undefined
  readonly columns?: number | undefined
  readonly write: (text: string | Uint8Array, done: (error?: Error | null) => void) => unknown
}

const clearLine = "\r\u001b[2K"

/**
 * Makes an output of two streams.
 */
export const make = ({ env, stderr, stdout }: {
  readonly stdout: Target
  readonly stderr: Target
  readonly env: Palette.Target["env"]
}): Service => {
  const isColoured = (target: Target) => Palette.isColoured({ isTerminal: target.isTTY === true, env })
  const showsStatus = stderr.isTTY === true
  let shown = ""
  /** Nobody hears of it if stderr cannot be written: there is nowhere to say so. */
  const say = (text: string): Effect.Effect<void> =>
    Effect.async<void>((resume) => {
      stderr.write(text, () => resume(Effect.void))
    })
  const status = (line: string): Effect.Effect<void> =>
    Effect.suspend(() => {
      if (!showsStatus || line === shown) return Effect.void
      shown = line
      return say(clearLine + line.slice(0, (stderr.columns ?? 80) - 1))
    })
  return {
    write: (text) =>
      // Both may be the same terminal: a line of progress would end up in the text.
      Effect.zipRight(
        stdout.isTTY === true ? status("") : Effect.void,
        Effect.async<void, CliError>((resume) => {
          stdout.write(text, (error) => {
            resume(error === undefined || error === null ? Effect.void : Effect.fail(failed(error)))
          })
        })
      ),
    note: (line) => Effect.suspend(() => Effect.zipRight(status(""), say(`${line}\n`))),
    status,
    showsStatus,
    isColoured: isColoured(stdout),
    palette: Palette.make(isColoured(stdout)),
    notePalette: Palette.make(isColoured(stderr)),
    columns: stdout.columns ?? 100
  }
}

const failed = (error: Error): CliError =>
  "code" in error && (error.code === "EPIPE" || error.code === "ERR_STREAM_DESTROYED")
    ? new CliError({ reason: "Closed", summary: "" })
    : new CliError({ reason: "Output", summary: `stdout cannot be written: ${error.message}` })

/** This process's own stdout and stderr. */
export const layer: Layer.Layer<Output> = Layer.sync(Output, () => {
  // A failed write is told to whoever wrote; without a listener, Node would end the process over it as well.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined)
  return make({ stdout: process.stdout, stderr: process.stderr, env: process.env })
})
