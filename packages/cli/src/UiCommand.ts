/** `ui`: the page on this machine. Owns the command line; the page and its server are of `@claude-duplex/ui`. */
import * as NodeConnector from "@claude-duplex/transport-node/NodeConnector"
import * as Conversations from "@claude-duplex/ui/Conversations"
import * as UiServer from "@claude-duplex/ui/UiServer"
import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import { FileSystem } from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as Option from "effect/Option"
import { CliError } from "./CliError.js"
import type { Example } from "./Help.js"
import { noClaude } from "./internal/noClaude.js"
import { Output } from "./Output.js"
import { Passthrough } from "./Passthrough.js"

export const summary = "Shows live sessions and recordings in a page on this machine, and lets you take part."
export const examples: ReadonlyArray<Example> = [
  ["claude-duplex ui", "open the address that is printed, and start a session there"],
  [
    "claude-duplex ui session.jsonl other.jsonl",
    "recordings: the conversation, the wire, a timeline, cost and context"
  ],
  ["claude-duplex ui -- --model opus", "what is after -- is claude's"]
]

/** Whether it can be read is known before anybody opens the page. */
const checked = (path: string) =>
  Effect.flatMap(FileSystem, (files) => files.access(path, { readable: true })).pipe(
    Effect.mapError(() =>
      new CliError({ reason: "Input", summary: `${path}: there is no such file that can be read.` })
    )
  )

/**
 * `claude-duplex ui`.
 */
export const command = Command.make(
  "ui",
  {
    files: Args.text({ name: "file" }).pipe(
      Args.withDescription("A recording, or raw NDJSON of the CLI's stdout."),
      Args.repeated
    ),
    port: Options.integer("port").pipe(
      Options.withDescription("Where to listen, on 127.0.0.1. Default: a free port."),
      Options.withDefault(0)
    ),
    claude: Options.text("claude").pipe(
      Options.withDescription("Where claude is. Default: it is looked for when a session is started."),
      Options.optional
    )
  },
  ({ claude, files, port }) =>
    Effect.gen(function*() {
      const output = yield* Output
      const extraArgs = yield* Passthrough
      yield* Effect.forEach(files, checked, { discard: true })
      const connector = yield* Effect.mapError(
        NodeConnector.make({
          executable: Option.getOrUndefined(claude),
          inputGrace: "2 seconds",
          cli: { permissionPromptTool: "stdio", includePartialMessages: true, extraArgs }
        }),
        noClaude
      )
      const conversations = yield* Conversations.make({ connector })
      yield* Effect.forEach(files, conversations.openRecording, { discard: true })
      const { url } = yield* UiServer.make({ port }).pipe(
        Effect.provideService(Conversations.Conversations, conversations),
        Effect.mapError(({ message }) => new CliError({ reason: "Input", summary: message }))
      )
      yield* output.write(`${url}\n`)
      yield* output.note("Open it in a browser. Whoever has this address may do what you may; Ctrl-C ends it all.")
      yield* Effect.never
    }).pipe(
      Effect.scoped,
      // Warnings of a session are shown in the page, where somebody looks.
      Effect.provide(Logger.remove(Logger.defaultLogger))
    )
).pipe(Command.withDescription(summary))
