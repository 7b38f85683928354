/** `chat`: a conversation in the terminal, or through a pipe. Owns the command line; the conversation is `chat/`'s. */
import * as PermissionPolicy from "@claude-duplex/session/PermissionPolicy"
import * as Session from "@claude-duplex/session/Session"
import * as MockConnector from "@claude-duplex/transport-mock/MockConnector"
import * as Recording from "@claude-duplex/transport-mock/Recording"
import * as NodeConnector from "@claude-duplex/transport-node/NodeConnector"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as Option from "effect/Option"
import { basename } from "node:path"
import { stdin, stdout } from "node:process"
import * as AtTerminal from "./chat/AtTerminal.js"
import * as Conversation from "./chat/conversation.js"
import * as Nobody from "./chat/Nobody.js"
import * as RecordedCli from "./chat/RecordedCli.js"
import * as Screen from "./chat/Screen.js"
import { CliError } from "./CliError.js"
import * as Format from "./Format.js"
import type { Example } from "./Help.js"
import { noClaude } from "./internal/noClaude.js"
import { Output } from "./Output.js"
import { Passthrough } from "./Passthrough.js"

export const summary = "Talks to claude in the terminal, or plays a recording of it."
export const examples: ReadonlyArray<Example> = [
  ["claude-duplex chat", "talks to the claude that is installed"],
  ["claude-duplex chat --continue -- --add-dir ../other", "goes on with the last conversation; the rest is claude's"],
  ["claude-duplex chat --replay session.jsonl", "a recording in its place: no claude, no network"],
  [
    `echo "What is in this folder?" | claude-duplex chat --allow Bash`,
    "without a terminal: a prompt a line, plain output"
  ]
]

const text = (name: string, description: string) =>
  Options.text(name).pipe(Options.withDescription(description), Options.optional)

const options = {
  model: text("model", "The model: an alias, or its full name."),
  permissionMode: Options.choice("permission-mode", ["default", "acceptEdits", "plan", "dontAsk", "auto"]).pipe(
    Options.withDescription("How much is asked."),
    Options.optional
  ),
  resume: text("resume", "Goes on with the conversation of this id."),
  goOn: Options.boolean("continue").pipe(
    Options.withAlias("c"),
    Options.withDescription("Goes on with the last conversation of this folder.")
  ),
  allow: Options.text("allow").pipe(
    Options.withDescription(
      "A tool that may run without a question: a name, or its beginning and *. May be given again."
    ),
    Options.repeated
  ),
  claude: text("claude", "Where claude is. Default: it is looked for."),
  replay: text("replay", "A recording that is played in place of claude."),
  speed: Options.float("speed").pipe(
    Options.withDescription("With --replay: how many times as fast as it was. Default: 1."),
    Options.withDefault(1)
  )
}

/** The rules of the command line. */
const policyOf = (allow: ReadonlyArray<string>): Effect.Effect<PermissionPolicy.Policy, CliError> =>
  Effect.try({
    try: () => PermissionPolicy.allowTools(...allow),
    catch: (error) =>
      new CliError({ reason: "Usage", summary: error instanceof Error ? error.message : "--allow makes no sense." })
  })

const readRecording = (path: string) =>
  Effect.mapError(
    Recording.read(path),
    (error) =>
      new CliError({
        reason: "Input",
        summary: `${path}: ${
          error._tag === "SystemError" && error.reason === "NotFound"
            ? "there is no such file."
            : Format.oneLine(error.message, 300)
        }`
      })
  )

/**
 * `claude-duplex chat`.
 */
export const command = Command.make("chat", options, (given) =>
  Effect.gen(function*() {
    const { palette } = yield* Output
    const extraArgs = yield* Passthrough
    const policy = yield* policyOf(given.allow)
    const screen = Screen.make(stdout, palette)
    const recording = yield* Effect.transposeMapOption(given.replay, readRecording)
    const left = Option.match(recording, { onNone: () => [], onSome: (one) => [...RecordedCli.said(one)] })
    const isThere = stdin.isTTY && stdout.isTTY

    const title = Option.match(given.replay, {
      onNone: () => "Enter sends, also while it works. Ctrl-C stops a turn, twice ends the session.",
      onSome: (path) =>
        `A recording: ${basename(path)}. Enter says what was said; whatever you answer, it goes as it went.`
    })
    if (isThere) yield* screen.prose(`${title}\n\n`)

    // Whatever is said after this, of an error or by a shell, begins a line.
    yield* Effect.addFinalizer(() => screen.finish)
    const person = yield* isThere
      ? AtTerminal.make(screen, Effect.sync(() => Option.map(Option.fromNullable(left[0]), ([first]) => first)))
      : Nobody.make(screen)

    const connector = yield* Option.match(recording, {
      onNone: () =>
        Effect.mapError(
          NodeConnector.make({
            executable: Option.getOrUndefined(given.claude),
            // Who leaves in the middle of a turn has waited long enough.
            inputGrace: "2 seconds",
            cli: {
              permissionPromptTool: "stdio",
              includePartialMessages: true,
              model: Option.getOrUndefined(given.model),
              permissionMode: Option.getOrUndefined(given.permissionMode),
              resume: Option.getOrUndefined(given.resume),
              continue: given.goOn,
              extraArgs
            }
          }),
          noClaude
        ),
      onSome: (one) => MockConnector.make(RecordedCli.behaviour(one, given.speed))
    })
    const session = yield* Effect.catchTag(
      Session.fromConnector(connector, {
        onPermission: PermissionPolicy.toHandler(policy, { otherwise: person.decide })
      }),
      "TransportError",
      (error) => Effect.fail(noClaude(error))
    )
    const failed = yield* Conversation.run(session, person, {
      isRecording: Option.isSome(recording),
      isOver: () => Option.isSome(recording) && left.length === 0,
      meanwhile: () => left.shift()?.slice(1) ?? []
    })

    const { usd } = yield* session.cost.get
    const id = Option.isSome(recording) ? Option.none() : yield* session.sessionId.get
    yield* screen.line(palette.dim(
      `The session cost ${Format.usd(usd)}.${
        Option.match(id, { onNone: () => "", onSome: (one) => `\nGo on with it: claude-duplex chat --resume ${one}` })
      }`
    ))
    if (failed > 0 && !isThere) return yield* new CliError({ reason: "Findings", summary: "" })
  }).pipe(
    Effect.scoped,
    // Whatever is doubtful is told by the session, where it belongs on the screen.
    Effect.provide(Logger.remove(Logger.defaultLogger))
  )).pipe(
    Command.withDescription(`${summary} What stands after -- are claude's own arguments.`)
  )
