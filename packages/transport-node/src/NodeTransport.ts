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
 * The end of a process: its input ends; after `inputGrace` its group gets SIGTERM; after `termGrace`, SIGKILL. That happens
 * when the scope closes, for whatever reason. A host that dies without closing scopes takes its children along as far as
 * the system allows (`internal/liveGroups.ts`).
 */
import type { Service as TransportService } from "@claude-duplex/protocol/Transport"
import type { TransportError } from "@claude-duplex/protocol/Transport"
import { Transport } from "@claude-duplex/protocol/Transport"
import type { Duration, Scope } from "effect"
import { Effect, Layer, Option, Stream } from "effect"
import * as ClaudeVersion from "./ClaudeVersion.js"
import * as CliEnvironment from "./CliEnvironment.js"
import * as CliOptions from "./CliOptions.js"
import * as CliWarning from "./CliWarning.js"
import * as Executable from "./Executable.js"
import * as Child from "./internal/child.js"

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
}

/** How a `claude` is started. */
export interface Options extends Graces {
  /** Where `claude` is. Default: looked for; see `Executable`. */
  readonly executable?: string | undefined
  /** What it is told at its start. */
  readonly cli?: CliOptions.CliOptions | undefined
  readonly cwd?: string | undefined
  /** Added to the environment; `undefined` removes. */
  readonly env?: { readonly [name: string]: string | undefined } | undefined
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

/**
 * Starts a `claude`. What its options make doubtful is logged as a warning; see `CliWarning`. Options too long for a
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
): Effect.Effect<Service, TransportError | CliOptions.CliOptionsError, Scope.Scope> =>
  Effect.gen(function*() {
    const cli = options.cli ?? {}
    const argv = yield* CliOptions.toArgv(cli)
    for (const { kind, message } of CliWarning.warnings(cli)) {
      yield* Effect.logWarning(message).pipe(Effect.annotateLogs({ warning: kind }))
    }
    const executable = yield* Executable.find({ path: options.executable, cwd: options.cwd })
    const env = CliEnvironment.make({ parent: process.env, extra: options.env, inherit: options.inheritEnv })
    const transport = yield* fromCommand({
      ...options,
      command: executable.command,
      args: [...executable.args, ...argv],
      env
    })
    if (options.checkVersion !== false) yield* Effect.forkScoped(warnIfOld(executable, env))
    return transport
  })

/** Executables that were asked already: a host with many sessions asks once. */
const asked = new Set<string>()

const warnIfOld = (executable: Executable.Executable, env: Readonly<Record<string, string>>): Effect.Effect<void> =>
  Effect.suspend(() => {
    const name = [executable.command, ...executable.args].join(" ")
    if (asked.has(name)) return Effect.void
    asked.add(name)
    return Effect.flatMap(
      ClaudeVersion.claudeVersion(executable, { env }),
      (version) =>
        Option.match(ClaudeVersion.checkVersion(version), {
          onNone: () => Effect.void,
          onSome: ({ message }) => Effect.logWarning(message)
        })
    ).pipe(
      // Who does not answer `--version` may still speak the protocol.
      Effect.catchAll((error) => Effect.logDebug(error.message))
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
    (child): Service => ({
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
