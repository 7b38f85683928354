/**
 * The recording, as the proxy sees it: something that takes note of bytes at once. Lines, redaction and the file are the
 * business of a thread of its own (`tapeWorker`), so that what is written down does not hold up what is said.
 */
import type { Direction } from "@claude-duplex/transport-mock/Recording"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { Worker } from "node:worker_threads"

/** What is recorded, and where. */
export interface Settings {
  /** A file or a folder: see `RecordingFile`. */
  readonly out: string | undefined
  /** Whether keys and tokens are written down as they are. */
  readonly raw: boolean
}

/** To the thread: what passed, or that nothing more will. */
export type ToWorker =
  | { readonly dir: Direction; readonly t: number; readonly bytes: Uint8Array }
  | "end"

/** From the thread: where the recording is, or what is wrong with it. */
export type FromWorker =
  | { readonly _tag: "Opened"; readonly path: string }
  | { readonly _tag: "Trouble"; readonly message: string }

/** How long the end of a conversation waits for the end of its recording. */
const flushMillis = 6_000

/**
 * Begins a recording. What is still to be written is written when the scope closes. Nothing here fails: `tell` hears what
 * there is to say.
 */
export const make = (
  settings: Settings,
  tell: (message: FromWorker) => void
): Effect.Effect<(dir: Direction, bytes: Uint8Array) => void, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => {
        const worker = new Worker(new URL("./tapeWorker.js", import.meta.url), { workerData: settings })
        worker.on("message", tell)
        worker.on("error", ({ message }) => tell({ _tag: "Trouble", message }))
        return worker
      }),
      (worker) =>
        Effect.async<void>((resume) => {
          worker.once("exit", () => resume(Effect.void))
          const end: ToWorker = "end"
          // oxlint-disable-next-line unicorn/require-post-message-target-origin -- A thread has no origin.
          worker.postMessage(end)
        }).pipe(Effect.interruptible, Effect.timeoutOption(flushMillis))
    ),
    (worker) => {
      const start = performance.now()
      return (dir, bytes) => {
        // Of its own, so that it can be given away: what is handed on to the other end stays what it is.
        const copy = new Uint8Array(bytes)
        const message: ToWorker = { dir, t: Math.round(performance.now() - start), bytes: copy }
        worker.postMessage(message, [copy.buffer])
      }
    }
  )
