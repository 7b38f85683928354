/** The thread that writes a recording down: see `tape`. What comes while it starts waits at its port. */
import * as Redactor from "@claude-duplex/protocol/Redactor"
import * as Recorder from "@claude-duplex/transport-mock/Recorder"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Option from "effect/Option"
import { parentPort, workerData } from "node:worker_threads"
import * as RecordingFile from "./RecordingFile.js"
import type { FromWorker, Settings, ToWorker } from "./tape.js"

// What the proxy gave it; nobody else starts this thread.
const { out, raw } = workerData as Settings

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- A thread has no origin.
const tell = (message: FromWorker) => parentPort?.postMessage(message)

/** Takes note of what comes until nothing more will. */
const listen = ({ note }: Recorder.Tap): Effect.Effect<void> =>
  Effect.async((resume) => {
    parentPort?.on("message", (message: ToWorker) => {
      if (message === "end") resume(Effect.void)
      else note(message.dir, message.bytes, message.t)
    })
  })

const record = Effect.gen(function*() {
  const { path, sink } = yield* RecordingFile.open(Option.fromNullable(out))
  tell({ _tag: "Opened", path })
  yield* listen(yield* Recorder.tap({ sink, ...(raw ? {} : { redact: Redactor.make({ env: process.env }) }) }))
})

/** What the recorder has to say, without its cause: a person reads it, in the middle of what the CLI writes. */
const logger = Logger.make(({ message }) =>
  tell({ _tag: "Trouble", message: Array.isArray(message) ? String(message[0]) : String(message) })
)

Effect.runFork(
  Effect.scoped(record).pipe(
    Effect.catchAll(({ message }) =>
      Effect.sync(() => tell({ _tag: "Trouble", message: `Nothing is recorded: ${message}.` }))
    ),
    // An open port would keep the thread alive.
    Effect.ensuring(Effect.sync(() => parentPort?.close())),
    Effect.provide(Layer.merge(NodeFileSystem.layer, Logger.replace(Logger.defaultLogger, logger)))
  )
)
