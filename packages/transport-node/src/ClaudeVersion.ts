/**
 * Which CLI this is, and whether it is too old. Runs `--version` and nothing else.
 *
 * @since 0.1.0
 * @stability stable
 */
import * as Redactor from "@claude-duplex/protocol/Redactor"
import { TransportError } from "@claude-duplex/protocol/Transport"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { execFile } from "node:child_process"
import * as CliEnvironment from "./CliEnvironment.js"
import type { Executable } from "./Executable.js"
import { howToInstall } from "./Executable.js"
import { bare } from "./internal/bareError.js"

/** The oldest CLI that this library was tried with. */
export const minimumVersion = "1.0.60"

/** A version, taken apart. */
export interface Version {
  readonly major: number
  readonly minor: number
  readonly patch: number
  /** What follows the number after a dash, or nothing. */
  readonly prerelease: string
}

/** A CLI that is older than what was tried. It may still work. */
export const VersionWarning = Schema.Struct({
  found: Schema.String,
  minimum: Schema.String,
  message: Schema.String
}).annotations({ identifier: "VersionWarning" })
export interface VersionWarning extends Schema.Schema.Type<typeof VersionWarning> {}

/**
 * Reads a version from the start of a text such as `2.1.326 (Claude Code)`.
 *
 * @example
 * ```ts
 * import * as ClaudeVersion from "@claude-duplex/transport-node/ClaudeVersion"
 *
 * ClaudeVersion.parseVersion("2.1.326 (Claude Code)") // Some({ major: 2, minor: 1, patch: 326, prerelease: "" })
 * ```
 */
export const parseVersion = (text: string): Option.Option<Version> => {
  const match = /^\s*v?(\d+)\.(\d+)\.(\d+)(?:-([0-9A-Za-z.-]+))?(?![\d.])/.exec(text)
  return match === null ? Option.none() : Option.some({
    major: Number(match[1]),
    minor: Number(match[2]),
    patch: Number(match[3]),
    prerelease: match[4] ?? ""
  })
}

/**
 * A version as text.
 *
 * @example
 * ```ts
 * import * as ClaudeVersion from "@claude-duplex/transport-node/ClaudeVersion"
 *
 * ClaudeVersion.formatVersion({ major: 2, minor: 1, patch: 326, prerelease: "" }) // "2.1.326"
 * ```
 */
export const formatVersion = (version: Version): string =>
  `${version.major}.${version.minor}.${version.patch}${version.prerelease === "" ? "" : `-${version.prerelease}`}`

/**
 * Compares two versions by number. A prerelease comes before its release; two of them are compared as text.
 *
 * @example
 * ```ts
 * import * as ClaudeVersion from "@claude-duplex/transport-node/ClaudeVersion"
 *
 * const version = { major: 2, minor: 1, patch: 9, prerelease: "" }
 * ClaudeVersion.compareVersions(version, { ...version, patch: 10 }) // -1
 * ```
 */
export const compareVersions = (a: Version, b: Version): -1 | 0 | 1 => {
  for (const part of ["major", "minor", "patch"] as const) {
    if (a[part] !== b[part]) return a[part] < b[part] ? -1 : 1
  }
  if (a.prerelease === b.prerelease) return 0
  if (a.prerelease === "" || b.prerelease === "") return a.prerelease === "" ? 1 : -1
  return a.prerelease < b.prerelease ? -1 : 1
}

/**
 * A warning for a CLI that is older than {@link minimumVersion}.
 *
 * @example
 * ```ts
 * import * as ClaudeVersion from "@claude-duplex/transport-node/ClaudeVersion"
 *
 * ClaudeVersion.checkVersion({ major: 2, minor: 1, patch: 326, prerelease: "" }) // None
 * ```
 */
export const checkVersion = (version: Version): Option.Option<VersionWarning> =>
  parseVersion(minimumVersion).pipe(
    Option.filter((minimum) => compareVersions(version, minimum) < 0),
    Option.map(() => ({
      found: formatVersion(version),
      minimum: minimumVersion,
      message: `This CLI is ${formatVersion(version)}; nothing before ${minimumVersion} was tried. ` +
        "Update it with `claude update`."
    }))
  )

/**
 * Asks an executable for its version.
 *
 * @example
 * ```ts
 * import * as ClaudeVersion from "@claude-duplex/transport-node/ClaudeVersion"
 * import * as Executable from "@claude-duplex/transport-node/Executable"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function*() {
 *   const version = yield* ClaudeVersion.claudeVersion(yield* Executable.find())
 *   console.log(ClaudeVersion.formatVersion(version), ClaudeVersion.checkVersion(version))
 * })
 * ```
 */
export const claudeVersion = (executable: Executable, options?: {
  /** Its environment: that of this process, scrubbed, unless it is given. */
  readonly env?: Readonly<Record<string, string>>
  /** How long it may take; 10 seconds unless told otherwise. */
  readonly timeout?: Duration.DurationInput
}): Effect.Effect<Version, TransportError> =>
  Effect.suspend(() => {
    const env = options?.env ?? CliEnvironment.make({ parent: process.env })
    return ask(executable, env, Redactor.make({ env }), options?.timeout ?? Duration.seconds(10))
  })

const ask = (
  executable: Executable,
  env: Readonly<Record<string, string>>,
  redact: Redactor.Redactor,
  timeout: Duration.DurationInput
): Effect.Effect<Version, TransportError> =>
  run(executable, env, redact).pipe(
    Effect.timeoutFail({
      duration: timeout,
      onTimeout: () =>
        new TransportError({
          reason: "Spawn",
          detail: `${executable.command} did not answer \`--version\` in time. Is it the CLI?`
        })
    }),
    Effect.flatMap((output) =>
      Option.match(parseVersion(output), {
        onSome: Effect.succeed,
        onNone: () =>
          Effect.fail(
            new TransportError({
              reason: "Read",
              detail: `${executable.command} answered \`--version\` with ${
                JSON.stringify(redact(output).slice(0, 100))
              }, which is no version. Is it the CLI?`
            })
          )
      })
    )
  )

const run = (
  executable: Executable,
  env: Readonly<Record<string, string>>,
  redact: Redactor.Redactor
): Effect.Effect<string, TransportError> =>
  Effect.async<string, TransportError>((resume) => {
    const fail = (error: unknown, stderr: string) => resume(Effect.fail(notStarted(executable, error, redact(stderr))))
    try {
      const child = execFile(
        executable.command,
        [...executable.args, "--version"],
        { env: { ...env }, windowsHide: true, maxBuffer: 64 * 1024 },
        (error, stdout, stderr) => error === null ? resume(Effect.succeed(stdout)) : fail(error, stderr)
      )
      // A program that reads its input would wait for ours.
      child.stdin?.end()
      return Effect.sync(() => child.kill("SIGKILL"))
    } catch (error) {
      // `execFile` throws on what it cannot pass on, such as a NUL in the environment.
      fail(error, "")
      return undefined
    }
  })

const notStarted = (executable: Executable, error: unknown, stderr: string): TransportError => {
  const cause = bare(error)
  const missing = cause.code === "ENOENT"
  const said = stderr.trim().slice(-500)
  return new TransportError({
    reason: missing ? "NotFound" : "Spawn",
    detail: missing
      ? `There is no ${executable.command}. ${howToInstall}`
      : `${executable.command} could not be asked for its version: ${said === "" ? cause.message : said}`,
    cause
  })
}
