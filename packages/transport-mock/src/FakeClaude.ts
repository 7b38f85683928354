/**
 * What `fake-claude` does, without the process: which arguments it takes, and which behaviour they ask for. Owns no stdio
 * (`StdioPeer`), and nothing of scripts and recordings themselves.
 *
 * A host starts it like the CLI and may pass the CLI's own flags, which are ignored, but for `--session-id` (a replay
 * answers with it) and `--version`. Its own flags come from the command line or, for a host that cannot add any, from the
 * environment:
 *
 * | flag            | environment             | means                                                                  |
 * | --------------- | ----------------------- | ---------------------------------------------------------------------- |
 * | `--recording F` | `FAKE_CLAUDE_RECORDING` | replays a recording, or plain NDJSON of the CLI's stdout               |
 * | `--script F`    | `FAKE_CLAUDE_SCRIPT`    | plays a script (see `Script` for its JSON form)                        |
 * | `--mode M`      | `FAKE_CLAUDE_MODE`      | of a replay: `causal` (default), `timed`, `fast`                       |
 * | `--compare C`   | `FAKE_CLAUDE_COMPARE`   | what the host sends with what was recorded: `kind` (default: the same  |
 * |                 |                         | sort of frame, allow or deny), `exact` (the same content), `none`      |
 * | `--lenient`     | `FAKE_CLAUDE_LENIENT=1` | of a replay: answers requests that were not recorded                   |
 * | `--exit-code N` | `FAKE_CLAUDE_EXIT_CODE` | of a replay: how it ends                                               |
 * | `--faults F`    | `FAKE_CLAUDE_FAULTS`    | a JSON file with a list of faults (see `Faults`)                       |
 *
 * @since 0.1.0
 * @stability experimental
 */
import type { PlatformError } from "@effect/platform/Error"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import * as Faults from "./Faults.js"
import type { Behaviour } from "./Peer.js"
import * as Recording from "./Recording.js"
import type { RecordingError } from "./RecordingError.js"
import * as Replay from "./Replay.js"
import type { ReplayError } from "./ReplayError.js"
import * as Script from "./Script.js"
import type { ScriptError } from "./ScriptError.js"

/** The CLI that it passes for when it is asked for its version. */
export const version = "2.1.326"

/** The arguments ask for nothing that it can do. */
export class FakeClaudeError
  extends Schema.TaggedError<FakeClaudeError>("@claude-duplex/transport-mock/FakeClaudeError")(
    "FakeClaudeError",
    { reason: Schema.Literal("Usage", "InvalidFaults"), detail: Schema.String }
  )
{
  override get message(): string {
    return this.detail
  }
}

/** What it was asked for. */
export interface Arguments {
  readonly printVersion: boolean
  readonly recording: string | undefined
  readonly script: string | undefined
  readonly faults: string | undefined
  readonly replay: Replay.Options
}

const Mode = Schema.Literal("causal", "timed", "fast")
const Compare = Schema.Literal("exact", "kind", "none")

/**
 * Reads the command line and the environment. What it does not know is the CLI's, and ignored.
 *
 * @example
 * ```ts
 * import * as FakeClaude from "@claude-duplex/transport-mock/FakeClaude"
 *
 * FakeClaude.parse(["--print", "--verbose", "--recording=plain.jsonl"], {})
 * ```
 */
export const parse = (
  argv: ReadonlyArray<string>,
  env: { readonly [name: string]: string | undefined }
): Either.Either<Arguments, FakeClaudeError> =>
  Either.gen(function*() {
    const flag = (name: string): string | undefined => {
      const at = argv.lastIndexOf(`--${name}`)
      // The last one counts, as it does for the CLI.
      const bound = [...argv].reverse().find((argument) => argument.startsWith(`--${name}=`))
      return bound?.slice(name.length + 3) ?? (at === -1 ? undefined : argv[at + 1])
    }
    const own = (name: string): string | undefined =>
      flag(name) ?? env[`FAKE_CLAUDE_${name.toUpperCase().replace("-", "_")}`]
    const oneOf = <A extends string>(
      name: string,
      schema: Schema.Schema<A>
    ): Either.Either<A | undefined, FakeClaudeError> => {
      const value = own(name)
      return value === undefined ? Either.right(undefined) : Either.mapLeft(
        Schema.decodeUnknownEither(schema)(value),
        () => usage(`--${name} cannot be ${value}: it is ${String(schema.ast)}.`)
      )
    }
    const mode = yield* oneOf("mode", Mode)
    const compare = yield* oneOf("compare", Compare)
    const exitCode = own("exit-code")
    if (exitCode !== undefined && !(/^\d{1,3}$/.test(exitCode) && Number(exitCode) <= 255)) {
      return yield* Either.left(usage(`--exit-code cannot be ${exitCode}: it is a number from 0 to 255.`))
    }
    const lenient = argv.includes("--lenient") || env["FAKE_CLAUDE_LENIENT"] === "1"
    const sessionId = flag("session-id")
    return {
      printVersion: argv.includes("--version") || argv.includes("-v"),
      // What is said on the command line goes before what the environment says, of either.
      recording: flag("script") === undefined ? own("recording") : flag("recording"),
      script: flag("recording") === undefined ? own("script") : flag("script"),
      faults: own("faults"),
      replay: {
        ...(mode === undefined ? {} : { mode }),
        ...(compare === undefined ? {} : { compare }),
        ...(lenient ? { ignoreExtra: true } : {}),
        ...(sessionId === undefined ? {} : { sessionId }),
        ...(exitCode === undefined ? {} : { exit: { _tag: "Exited" as const, code: Number(exitCode) } })
      }
    }
  })

const usage = (detail: string) => new FakeClaudeError({ reason: "Usage", detail })

/**
 * The behaviour that the arguments ask for, its files read.
 *
 * @example
 * ```ts
 * import * as FakeClaude from "@claude-duplex/transport-mock/FakeClaude"
 * import { Effect } from "effect"
 *
 * const program = Effect.flatMap(FakeClaude.parse(["--recording", "plain.jsonl"], {}), FakeClaude.behaviour)
 * ```
 */
export const behaviour = (
  { faults, recording, replay, script }: Arguments
): Effect.Effect<
  Behaviour<ScriptError | ReplayError>,
  FakeClaudeError | PlatformError | RecordingError | ScriptError,
  FileSystem.FileSystem
> =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    if ((recording === undefined) === (script === undefined)) {
      return yield* usage(
        "It plays a recording or a script: give it --recording F or --script F, and not both."
      )
    }
    const plays: Behaviour<ScriptError | ReplayError> = script === undefined
      ? replaying(yield* Recording.read(recording ?? ""), replay)
      : Script.behaviour(
        yield* Either.match(Script.fromJson(yield* fs.readFileString(script)), {
          onLeft: Effect.fail,
          onRight: Effect.succeed
        })
      )
    if (faults === undefined) return plays
    const listed = yield* Effect.mapError(
      Schema.decodeUnknown(Schema.parseJson(Schema.Array(Faults.Fault)))(yield* fs.readFileString(faults)),
      (error) =>
        new FakeClaudeError({
          reason: "InvalidFaults",
          detail: `${faults} is not a list of faults: ${ParseResult.TreeFormatter.formatErrorSync(error)}`
        })
    )
    return Faults.apply(...listed)(plays)
  })

/** A replay that says so if it lacks the end of its recording. */
const replaying = (recording: Recording.Parsed, options: Replay.Options): Behaviour<ReplayError> => {
  const plays = Replay.behaviour(recording, options)
  return recording.torn === undefined
    ? plays
    : (peer) =>
      Effect.zipRight(
        peer.writeStderr("fake-claude: The last line of the recording is cut. It is left out.\n"),
        plays(peer)
      )
}
