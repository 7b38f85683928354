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
import * as Redactor from "@claude-duplex/protocol/Redactor"
import type { Service as TransportService } from "@claude-duplex/protocol/Transport"
import type { TransportError } from "@claude-duplex/protocol/Transport"
import { Transport } from "@claude-duplex/protocol/Transport"
import * as TransportContract from "@claude-duplex/protocol/TransportContract"
import type { Warning } from "@claude-duplex/protocol/Warning"
import * as Deferred from "effect/Deferred"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberId from "effect/FiberId"
import * as Layer from "effect/Layer"
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
export interface Service extends TransportService {
  readonly pid: number
  /** What it writes to stderr while it is listened to. Who falls behind loses the oldest; the exit report has the end. */
  readonly stderr: Stream.Stream<string>
}

/** A `claude`, with what is doubtful about how it was started. */
export interface ClaudeService extends Service {
  readonly warnings: Stream.Stream<Warning>
}

/**
 * Starts a `claude`. What is doubtful about it is logged, and told by `warnings`; see `CliWarning`. Options too long for a
 * command line fail here: `CliInitialize.split` moves them to the `initialize` request, which is then yours to send.
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
): Effect.Effect<ClaudeService, TransportError | CliOptions.CliOptionsError, Scope.Scope> =>
  Effect.gen(function*() {
    const cli = options.cli ?? {}
    const argv = yield* CliOptions.toArgv(cli)
    const given = options.env ?? {}
    const extra = Secrets.revealed(given)
    const doubts = CliWarning.warnings(cli, extra)
    yield* Effect.forEach(doubts, log, { discard: true })
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
    const known = Stream.fromIterable<Warning>(doubts)
    if (options.checkVersion === false) return { ...transport, warnings: known }
    const age = yield* ageOf(executable, env)
    return {
      ...transport,
      warnings: Stream.concat(
        known,
        Stream.unwrap(
          Effect.map(Deferred.await(age), Option.match({ onNone: () => Stream.empty, onSome: Stream.make }))
        )
      )
    }
  })

const log = ({ kind, message }: Warning): Effect.Effect<void> =>
  Effect.annotateLogs(Effect.logWarning(message), { warning: kind })

/** Executables that were asked already: a host with many sessions asks once, and logs once. */
const ages = new Map<string, Deferred.Deferred<Option.Option<Warning>>>()

/** Finds out beside the start whether the executable is too old. */
const ageOf = (
  executable: Executable.Executable,
  env: Readonly<Record<string, string>>
): Effect.Effect<Deferred.Deferred<Option.Option<Warning>>, never, Scope.Scope> =>
  Effect.suspend(() => {
    const name = [executable.command, ...executable.args].join(" ")
    const known = ages.get(name)
    if (known !== undefined) return Effect.succeed(known)
    const age = Deferred.unsafeMake<Option.Option<Warning>>(FiberId.none)
    ages.set(name, age)
    return ClaudeVersion.claudeVersion(executable, { env }).pipe(
      Effect.map(ClaudeVersion.checkVersion),
      Effect.map(Option.map(({ message }): Warning => ({ kind: "OldCli", message }))),
      Effect.tap(Option.match({ onNone: () => Effect.void, onSome: log })),
      // Who does not answer `--version` may still speak the protocol.
      Effect.catchAll((error) => Effect.as(Effect.logDebug(error.message), Option.none())),
      Effect.forkScoped,
      Effect.map((fiber) => {
        // Also if it is stopped before it has begun: nobody waits for what is not coming, and the next one asks again.
        fiber.addObserver((exit) => {
          if (Exit.isFailure(exit)) ages.delete(name)
          Deferred.unsafeDone(age, Exit.isSuccess(exit) ? exit : Effect.succeedNone)
        })
        return age
      })
    )
  })

/**
 * {@link make} as a layer.
 *
 * @example
 * ```ts
 * import * as NodeTransport from "@claude-duplex/transport-node/NodeTransport"
 *
 * const Claude = NodeTransport.layer({ cli: { permissionPromptTool: "stdio" } })
 * ```
 */
export const layer = (options: Options = {}): Layer.Layer<Transport, TransportError | CliOptions.CliOptionsError> =>
  Layer.scoped(Transport, make(options))

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
export const fromCommand = (command: Command): Effect.Effect<Service, TransportError, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(Child.start(command), (child) => Child.end(child, command)),
    (child) =>
      TransportContract.enforce<Service>({
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
