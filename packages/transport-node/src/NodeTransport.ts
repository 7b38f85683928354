/**
 * A `claude` child process as a `Transport`. Owns the process from its start to its last byte: pipes, stderr, exit, and an
 * end that leaves nothing behind. What the CLI's options mean is `CliOptions`' business, where it is found `Executable`'s.
 *
 * On `node:child_process`, and not on `@effect/platform`'s `CommandExecutor`, because the latter (0.97)
 *
 * - completes `exitCode` on `exit`, before the output is drained, and fails it when a signal ended the process;
 * - ends stdin when the stream that is run into its sink ends, and loses what a second run writes;
 * - ignores back-pressure for single writes;
 * - waits without bound after SIGTERM when its scope closes, and knows no process groups.
 *
 * No shell is ever used, and nothing that is given here is quoted in an error but paths: arguments and variables may be
 * secret. The CLI's own last words are told in its exit without the secrets that are known (see {@link Command.redact}); its
 * `stderr`, to whoever listens, as it is.
 *
 * The end of a process: its input ends; after `inputGrace` its group gets SIGTERM; after `termGrace`, SIGKILL. That happens
 * when the scope closes, for whatever reason. A host that dies without closing scopes takes its children along as far as
 * the system allows (`internal/liveGroups.ts`); one that is killed by SIGKILL leaves a CLI that reads the end of its input,
 * and ends after the turn that it is in.
 *
 * @since 0.1.0
 * @stability stable
 */
import type { Launch } from "@claude-duplex/protocol/Connector"
import * as Redactor from "@claude-duplex/protocol/Redactor"
import type { Transport, TransportError } from "@claude-duplex/protocol/Transport"
import * as TransportContract from "@claude-duplex/protocol/TransportContract"
import type { Warning } from "@claude-duplex/protocol/Warning"
import * as Deferred from "effect/Deferred"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberId from "effect/FiberId"
import * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as ClaudeVersion from "./ClaudeVersion.js"
import * as CliEnvironment from "./CliEnvironment.js"
import * as CliOptions from "./CliOptions.js"
import * as CliWarning from "./CliWarning.js"
import * as Executable from "./Executable.js"
import * as Child from "./internal/child.js"
import { hasFlag, valuesOf } from "./internal/rawArguments.js"
import * as Secrets from "./internal/secrets.js"

/** How patiently a process is ended. */
export interface Graces {
  /** How long a process may go on after its input ended, before SIGTERM. Default: 5 seconds. */
  readonly inputGrace?: Duration.DurationInput | undefined
  /** How long it may go on after SIGTERM, before SIGKILL. Default: 5 seconds. */
  readonly termGrace?: Duration.DurationInput | undefined
  /** How long its output may stay open after it ended, held by a process it started. Default: 2 seconds. */
  readonly drainGrace?: Duration.DurationInput | undefined
}

/** A process to start. No shell is involved: each argument arrives as it is. */
export interface Command extends Graces {
  readonly command: string
  readonly args: ReadonlyArray<string>
  readonly cwd?: string | undefined
  /** The whole environment of the process. */
  readonly env: { readonly [name: string]: string }
  /**
   * What is told of the end of stderr in place of it. Default: `Redactor.make` with {@link env}, which takes out the values of
   * variables whose names say that they are secret, and what looks like a key.
   */
  readonly redact?: Redactor.Redactor | undefined
}

/** How a `claude` is started. */
export interface Options extends Graces {
  /** Where `claude` is. Default: looked for; see `Executable`. */
  readonly executable?: string | undefined
  /** What it is told at its start. */
  readonly cli?: CliOptions.CliOptions | undefined
  readonly cwd?: string | undefined
  /** Added to the environment; `undefined` removes. What is `Redacted` is not shown where these options are. */
  readonly env?: { readonly [name: string]: string | Redacted.Redacted<string> | undefined } | undefined
  /** Whether the environment of this process is passed on, but for what would confuse the CLI. Default: true. */
  readonly inheritEnv?: boolean | undefined
  /**
   * Whether the executable is asked for its version, beside the start and once for each, so that a warning is logged if it
   * is too old. Default: true.
   */
  readonly checkVersion?: boolean | undefined
}

/** A child process as a transport. */
export interface NodeTransport extends Transport {
  readonly pid: number
  /** The output on stderr from when the stream is run. A slow reader loses the oldest; the exit has the end of it. */
  readonly stderr: Stream.Stream<string>
}

/** A `claude` process, and how it was started. */
export interface Claude extends NodeTransport {
  readonly launch: Launch
  /** Warnings about its options and its version. */
  readonly warnings: Stream.Stream<Warning>
}

/**
 * Starts a `claude` process. Sessions use `NodeConnector`, which calls this for each connection; use it directly for a host of
 * your own. Warnings are logged, and emitted by `warnings`; see `CliWarning`. Options that are too long for a command line fail
 * with `CliOptionsError`: `CliInitialize.split` moves them to the `initialize` request, which the host then sends.
 *
 * @example
 * ```ts
 * import * as NodeTransport from "@claude-duplex/transport-node/NodeTransport"
 * import { Effect } from "effect"
 *
 * const program = Effect.scoped(Effect.gen(function*() {
 *   const transport = yield* NodeTransport.make({ cli: { model: "haiku" } })
 *   yield* transport.send(`{"type":"user","message":{"role":"user","content":"hello"}}`)
 *   yield* transport.endInput
 *   return yield* transport.exit
 * }))
 * ```
 */
export const make = (
  options: Options = {}
): Effect.Effect<Claude, TransportError | CliOptions.CliOptionsError, Scope.Scope> =>
  Effect.gen(function*() {
    const cli = options.cli ?? {}
    const argv = yield* CliOptions.toArgv(cli)
    const given = options.env ?? {}
    const extra = Secrets.revealed(given)
    const optionWarnings = CliWarning.warnings(cli, extra)
    yield* Effect.forEach(optionWarnings, log, { discard: true })
    const executable = yield* Executable.find({ path: options.executable, cwd: options.cwd })
    const env = CliEnvironment.make({ parent: process.env, extra, inherit: options.inheritEnv })
    const transport = yield* fromCommand({
      ...options,
      command: executable.command,
      args: [...executable.args, ...argv],
      env,
      redact: Redactor.make({
        env,
        values: [...Secrets.wrapped(given), ...Secrets.inOptions(cli), ...Secrets.prompts(cli)]
      })
    })
    const versionCheck = options.checkVersion === false
      ? Effect.succeedNone
      : Deferred.await(yield* checkVersion(executable, env))
    return {
      ...transport,
      launch: launchOf(cli, Effect.map(versionCheck, Option.map(({ version }) => version))),
      warnings: Stream.concat(
        Stream.fromIterable(optionWarnings),
        Stream.unwrap(Effect.map(
          versionCheck,
          Option.match({ onNone: () => Stream.empty, onSome: ({ warnings }) => Stream.fromIterable(warnings) })
        ))
      )
    }
  })

const launchOf = (cli: CliOptions.CliOptions, version: Launch["version"]): Launch => ({
  version,
  replayUserMessages: cli.replayUserMessages !== false,
  partialMessages: cli.includePartialMessages === true || hasFlag(cli.extraArgs ?? [], "--include-partial-messages"),
  permissionPrompts: cli.permissionPromptTool === "stdio" ||
    valuesOf(cli.extraArgs ?? [], "--permission-prompt-tool").includes("stdio"),
  initialize: undefined
})

const log = ({ kind, message }: Warning): Effect.Effect<void> =>
  Effect.annotateLogs(Effect.logWarning(message), { warning: kind })

/** What `--version` said. */
interface VersionCheck {
  readonly version: string
  readonly warnings: ReadonlyArray<Warning>
}

/** Running and finished checks by command line: a host with many sessions runs `--version` once, and logs once. */
const versionChecks = new Map<string, Deferred.Deferred<Option.Option<VersionCheck>>>()

/** Runs `--version` in parallel with the start of the process. */
const checkVersion = (
  executable: Executable.Executable,
  env: Readonly<Record<string, string>>
): Effect.Effect<Deferred.Deferred<Option.Option<VersionCheck>>, never, Scope.Scope> =>
  Effect.suspend(() => {
    const name = [executable.command, ...executable.args].join(" ")
    const known = versionChecks.get(name)
    if (known !== undefined) return Effect.succeed(known)
    const check = Deferred.unsafeMake<Option.Option<VersionCheck>>(FiberId.none)
    versionChecks.set(name, check)
    return ClaudeVersion.claudeVersion(executable, { env }).pipe(
      Effect.map((version): VersionCheck => ({
        version: ClaudeVersion.formatVersion(version),
        warnings: Option.match(ClaudeVersion.checkVersion(version), {
          onNone: () => [],
          onSome: ({ message }) => [{ kind: "OldCli", message }]
        })
      })),
      Effect.tap(({ warnings }) => Effect.forEach(warnings, log, { discard: true })),
      Effect.asSome,
      // A program that does not answer `--version` may still speak the protocol.
      Effect.catchAll((error) => Effect.as(Effect.logDebug(error.message), Option.none())),
      Effect.forkScoped,
      Effect.map((fiber) => {
        // Also when the scope closes before the fiber starts: waiting sessions go on, and the next one checks again.
        fiber.addObserver((exit) => {
          if (Exit.isFailure(exit)) versionChecks.delete(name)
          Deferred.unsafeDone(check, Exit.isSuccess(exit) ? exit : Effect.succeedNone)
        })
        return check
      })
    )
  })

/**
 * Starts any program that speaks the protocol over stdio: a wrapper, a proxy, a fake.
 *
 * @example
 * ```ts
 * import * as NodeTransport from "@claude-duplex/transport-node/NodeTransport"
 *
 * const fake = NodeTransport.fromCommand({
 *   command: "fake-claude",
 *   args: ["--recording", "plain.jsonl"],
 *   env: { PATH: "/usr/bin" }
 * })
 * ```
 */
export const fromCommand = (command: Command): Effect.Effect<NodeTransport, TransportError, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(Child.start(command), (child) => Child.end(child, command)),
    (child) =>
      TransportContract.enforce<NodeTransport>({
        pid: child.pid,
        incoming: child.source.stream,
        send: child.sink.send,
        endInput: child.sink.end,
        exit: child.exit,
        // Half an end would be none: what has begun goes on if nobody waits for it any more.
        close: Effect.uninterruptible(Child.end(child, command)),
        stderr: Stream.interruptWhen(child.stderr.stream, child.exit)
      })
  )
