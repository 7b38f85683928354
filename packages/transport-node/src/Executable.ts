/**
 * Where the CLI is, and how it is run: looks at the file system, starts nothing, and never uses a shell. Its version is in
 * `ClaudeVersion`.
 *
 * Windows: `claude.exe` and a `.js` entry work. The `claude.cmd` that npm writes does not: it needs a shell, and a shell
 * reads quotes and `%` in arguments that are not ours to trust. Give the path of the package's entry instead.
 *
 * @since 0.1.0
 * @stability stable
 */
import { TransportError } from "@claude-duplex/protocol/Transport"
import * as Effect from "effect/Effect"
import { constants } from "node:fs"
import * as Fs from "node:fs/promises"
import * as Os from "node:os"
import * as Path from "node:path"

/** A command and the arguments that come before those of the CLI. */
export interface Executable {
  readonly command: string
  readonly args: ReadonlyArray<string>
}

/** Where to look. Everything is taken from this process unless it is given. */
export interface Where {
  /** The executable itself: a path, or a name to look for in `PATH`. Nothing else is tried then. */
  readonly path?: string | undefined
  /** Where relative paths start, and the search for `node_modules/.bin`. */
  readonly cwd?: string | undefined
  /** The home directory. */
  readonly home?: string | undefined
  /** The value of `PATH`. */
  readonly searchPath?: string | undefined
}

/** How to get one. */
export const howToInstall = "Install it with `npm install -g @anthropic-ai/claude-code`, or give its path."

/**
 * Finds the CLI: the given path, else `claude` in `PATH`, else the usual places. `NotFound` lists all that was tried;
 * `Spawn` is for a given path that is there and cannot be run.
 *
 * @example
 * ```ts
 * import * as Executable from "@claude-duplex/transport-node/Executable"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function*() {
 *   const { args, command } = yield* Executable.find()
 *   console.log(command, args)
 * })
 * ```
 */
export const find = (where: Where = {}): Effect.Effect<Executable, TransportError> =>
  where.path === undefined || !hasDirectory(where.path) ? search(where) : given(where.path, where)

/**
 * The paths that {@link find} tries when it is not given one, in order and each once. Pure, but for what it takes from
 * this process when it is not told.
 *
 * @example
 * ```ts
 * import * as Executable from "@claude-duplex/transport-node/Executable"
 *
 * Executable.candidates({ searchPath: "/usr/bin", home: "/home/me", cwd: "/work" })[0] // "/usr/bin/claude"
 * ```
 */
export const candidates = (where: Where = {}): ReadonlyArray<string> => {
  const name = where.path ?? (process.platform === "win32" ? "claude.exe" : "claude")
  const cwd = Path.resolve(where.cwd ?? process.cwd())
  const home = where.home ?? Os.homedir()
  // An empty entry means the working directory, which is no place to take programs from unasked.
  const inPath = (where.searchPath ?? process.env["PATH"] ?? "").split(Path.delimiter).filter((entry) => entry !== "")
  const usual = where.path !== undefined ? [] : [
    Path.join(home, ".claude", "local"),
    Path.join(home, ".local", "bin"),
    "/usr/local/bin",
    "/opt/homebrew/bin",
    Path.join(home, ".npm-global", "bin"),
    ...ancestors(cwd).map((directory) => Path.join(directory, "node_modules", ".bin")),
    Path.join(home, ".bun", "bin")
  ]
  return [...new Set([...inPath, ...usual].map((directory) => Path.resolve(cwd, directory, name)))]
}

/**
 * How a file is run: a script of node's under the node that runs us, everything else by itself.
 *
 * @example
 * ```ts
 * import * as Executable from "@claude-duplex/transport-node/Executable"
 *
 * Executable.fromPath("/opt/claude/cli.js").args // ["/opt/claude/cli.js"]
 * ```
 */
export const fromPath = (path: string): Executable =>
  isScript(path) ? { command: process.execPath, args: [path] } : { command: path, args: [] }

const hasDirectory = (path: string): boolean => Path.basename(path) !== path || isScript(path)

const isScript = (path: string): boolean => /\.[cm]?js$/i.test(path)

const ancestors = (directory: string): ReadonlyArray<string> => {
  const parent = Path.dirname(directory)
  return parent === directory ? [directory] : [directory, ...ancestors(parent)]
}

const given = (path: string, where: Where): Effect.Effect<Executable, TransportError> => {
  const absolute = Path.resolve(where.cwd ?? process.cwd(), path)
  return Effect.flatMap(inspect(absolute), (state) =>
    state === "Runnable"
      ? Effect.succeed(fromPath(absolute))
      : state === "Missing"
      ? Effect.fail(new TransportError({ reason: "NotFound", detail: `There is no ${absolute}. ${howToInstall}` }))
      : Effect.fail(new TransportError({ reason: "Spawn", detail: `${absolute} ${whatToDo[state]}` })))
}

const search = (where: Where): Effect.Effect<Executable, TransportError> =>
  Effect.gen(function*() {
    const tried: Array<string> = []
    for (const path of candidates(where)) {
      const state = yield* inspect(path)
      if (state === "Runnable") return fromPath(path)
      tried.push(state === "Missing" ? path : `${path} (which ${whatToDo[state]})`)
    }
    return yield* new TransportError({
      reason: "NotFound",
      detail: `There is no \`${where.path ?? "claude"}\`. ${howToInstall} Tried:${
        tried.map((path) => `\n- ${path}`).join("")
      }`
    })
  })

type State = "Runnable" | "Missing" | keyof typeof whatToDo

const whatToDo = {
  Directory: "is not a file. Give the path of the executable in it.",
  NotExecutable: "is not executable. Allow it with `chmod +x`, or give another path.",
  Unreadable: "cannot be looked at. Check the permissions of the file and of its directories.",
  NeedsShell: "needs a shell, which is never used here. Give the path of `cli.js` or `claude.exe` instead."
} as const

const inspect = (path: string): Effect.Effect<State> =>
  Effect.tryPromise(() => Fs.stat(path)).pipe(
    Effect.flatMap((stat): Effect.Effect<State> =>
      !stat.isFile()
        ? Effect.succeed("Directory")
        : /\.(cmd|bat|ps1)$/i.test(path)
        ? Effect.succeed("NeedsShell")
        // A script is read by node, so it need not be executable itself.
        : Effect.tryPromise(() => Fs.access(path, isScript(path) ? constants.R_OK : constants.X_OK)).pipe(
          Effect.match({
            onSuccess: () => "Runnable" as const,
            onFailure: () => isScript(path) ? "Unreadable" as const : "NotExecutable" as const
          })
        )
    ),
    Effect.catchAll(({ error }) => Effect.succeed<State>(isMissing(error) ? "Missing" : "Unreadable"))
  )

const isMissing = (error: unknown): boolean =>
  // ENOTDIR: a part of the path is a file, so there is nothing below it either.
  error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR")
