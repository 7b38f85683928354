/**
 * No value of an option can become a flag, a variable or a word of a shell: every option, with values that would like to,
 * through a real process that says what it was started with. An option without a line here does not compile.
 */
import type { PermissionMode } from "@claude-duplex/protocol/schema/PermissionRequest"
import * as CliOptions from "@claude-duplex/transport-node/CliOptions"
import * as NodeTransport from "@claude-duplex/transport-node/NodeTransport"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Either, Logger, LogLevel, Redacted, Stream } from "effect"
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import ts from "typescript-5"

type Options = CliOptions.CliOptions

/** Where a shell that ran one of the values would leave a trace. */
const trace = join(tmpdir(), `claude-duplex-injected-${process.pid}`)

const hostile: Record<string, string> = {
  "a flag": "--dangerously-skip-permissions",
  "a short flag": "-p",
  "the end of flags": "--",
  "a bound flag": "--permission-mode=bypassPermissions",
  "a flag behind a space": "x --dangerously-skip-permissions",
  "a flag behind a newline": "x\n--dangerously-skip-permissions",
  "a variable": "CLAUDE_CODE_ENTRYPOINT=forged",
  "a variable behind a newline": "x\nLD_PRELOAD=/tmp/evil.so",
  "an equals sign": "=",
  "a command": `$(touch ${trace})`,
  "a command in backticks": `\`touch ${trace}\``,
  "a command behind a semicolon": `; touch ${trace} #`,
  "a pipe": `| touch ${trace} & `,
  "quotes": `'"\\'; touch ${trace}; "'`,
  "a glob": "* ~ ? {a,b} !! %PATH% ^&",
  "a carriage return": "a\r\nb",
  "text of all the world": "é€😀\u2028\u202e",
  "an at sign": "@/etc/passwd",
  "a long text": `--${"x".repeat(20_000)}`,
  "a NUL": "a\0--dangerously-skip-permissions"
}

/** What a program without types might give. */
const untyped = <A>(value: unknown) => value as A

/** A value of each option with this text in it; and what the option needs to be taken at all. */
const values: {
  readonly [K in keyof Options]-?: (text: string) => { readonly [Key in K]: Options[K] } & Omit<Options, K>
} = {
  model: (model) => ({ model }),
  fallbackModel: (fallbackModel) => ({ fallbackModel }),
  effort: (text) => ({ effort: untyped<CliOptions.Effort>(text) }),
  thinking: (text) => ({ thinking: untyped<CliOptions.Thinking>(text) }),
  maxThinkingTokens: (text) => ({ maxThinkingTokens: untyped<number>(text) }),
  systemPrompt: (systemPrompt) => ({ systemPrompt }),
  appendSystemPrompt: (appendSystemPrompt) => ({ appendSystemPrompt }),
  jsonSchema: (text) => ({ jsonSchema: { [text]: text } }),
  resume: (resume) => ({ resume }),
  continue: (text) => ({ continue: untyped<boolean>(text) }),
  forkSession: (text) => ({ forkSession: untyped<boolean>(text), resume: "x" }),
  sessionId: (sessionId) => ({ sessionId }),
  resumeSessionAt: (resumeSessionAt) => ({ resumeSessionAt, resume: "x" }),
  noSessionPersistence: (text) => ({ noSessionPersistence: untyped<boolean>(text) }),
  worktree: (worktree) => ({ worktree }),
  agent: (agent) => ({ agent }),
  agents: (text) => ({ agents: { [text]: { description: text, prompt: text } } }),
  plugins: (text) => ({ plugins: [text, text] }),
  permissionMode: (text) => ({ permissionMode: untyped<PermissionMode>(text) }),
  permissionPromptTool: (permissionPromptTool) => ({ permissionPromptTool }),
  dangerouslySkipPermissions: (text) => ({ dangerouslySkipPermissions: untyped<boolean>(text) }),
  allowDangerouslySkipPermissions: (text) => ({ allowDangerouslySkipPermissions: untyped<boolean>(text) }),
  allowedTools: (text) => ({ allowedTools: [text, text] }),
  disallowedTools: (text) => ({ disallowedTools: [text, text] }),
  tools: (text) => ({ tools: [text, text] }),
  addDirs: (text) => ({ addDirs: [text, text] }),
  mcpServers: (text) => ({ mcpServers: { [text]: { command: text, args: [text], env: { [text]: text } } } }),
  mcpConfig: (text) => ({ mcpConfig: [text, text] }),
  strictMcpConfig: (text) => ({ strictMcpConfig: untyped<boolean>(text) }),
  settings: (settings) => ({ settings }),
  settingSources: (text) => ({ settingSources: [untyped<CliOptions.SettingSource>(text)] }),
  betas: (text) => ({ betas: [text, text] }),
  maxTurns: (text) => ({ maxTurns: untyped<number>(text) }),
  maxBudgetUsd: (text) => ({ maxBudgetUsd: untyped<number>(text) }),
  includePartialMessages: (text) => ({ includePartialMessages: untyped<boolean>(text) }),
  includeHookEvents: (text) => ({ includeHookEvents: untyped<boolean>(text) }),
  forwardSubagentText: (text) => ({ forwardSubagentText: untyped<boolean>(text) }),
  debug: (debug) => ({ debug }),
  debugFile: (debugFile) => ({ debugFile }),
  awaitInitialize: (text) => ({ awaitInitialize: untyped<boolean>(text) }),
  replayUserMessages: (text) => ({ replayUserMessages: untyped<boolean>(text) }),
  // Passed on as they are, on purpose: what cannot happen is that one of them becomes two.
  extraArgs: (text) => ({ extraArgs: ["--model", text] })
}

// `Object.keys` forgets the type of what it lists.
const names = Object.keys(values) as ReadonlyArray<keyof Options>

const argv = (options: Options): ReadonlyArray<string> => Either.getOrElse(CliOptions.toArgv(options), () => [])

/** What is before the `=`, for what is bound; a flag without a value is itself. */
const flagsOf = (args: ReadonlyArray<string>) => args.map((arg) => /^--[A-Za-z-]+(?==|$)/.exec(arg)?.[0] ?? arg)

/** A value that every option takes, or what the option takes in its stead. */
const harmless: { readonly [K in keyof Options]?: Options[K] } = {
  maxThinkingTokens: 1,
  maxTurns: 1,
  maxBudgetUsd: 1,
  sessionId: "11111111-2222-4333-8444-555555555555"
}

describe("an option's value is one argument, bound to its flag", () => {
  for (const name of names.filter((option) => option !== "extraArgs")) {
    it(name, () => {
      const expected = flagsOf(
        argv({ ...values[name]("harmless"), ...harmless[name] === undefined ? {} : { [name]: harmless[name] } })
      )
      assert.isAbove(expected.length, 4)
      for (const [kind, text] of Object.entries(hostile)) {
        const made = CliOptions.toArgv(values[name](text))
        // Refused is fine, if it is said what is refused and nothing of it is quoted.
        if (Either.isLeft(made)) {
          assert.deepStrictEqual(made.left.options, [name], kind)
          assert.notInclude(made.left.message, text.length > 2 ? text : "\0", kind)
        } else assert.deepStrictEqual(flagsOf(made.right), expected, kind)
      }
    })
  }

  it("but for `extraArgs`, which are what they are", () => {
    for (const text of Object.values(hostile).filter((value) => !value.includes("\0"))) {
      assert.deepStrictEqual(argv({ extraArgs: ["--model", text] }).slice(-2), ["--model", text])
    }
    assert.isTrue(Either.isLeft(CliOptions.toArgv({ extraArgs: ["a\0b"] })))
  })
})

// ---- real processes ----

interface Started {
  readonly argv: ReadonlyArray<string>
  readonly env: Record<string, string>
  readonly cwd: string
}

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "claude-duplex-injection-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true }))
)

const program =
  `process.stdout.write(JSON.stringify({ argv: process.argv.slice(2), env: process.env, cwd: process.cwd() }))`

/** Has a program say how it was started. */
const started = (options: NodeTransport.Options) =>
  Effect.gen(function*() {
    const transport = yield* NodeTransport.make({ checkVersion: false, inheritEnv: false, ...options })
    const said = yield* transport.incoming.pipe(Stream.decodeText(), Stream.runFold("", (all, piece) => all + piece))
    // The program wrote exactly this.
    return JSON.parse(said) as Started
  }).pipe(Effect.scoped, Logger.withMinimumLogLevel(LogLevel.None))

/** Options that cannot be given together, in two lots that can. */
const lots: ReadonlyArray<ReadonlyArray<keyof Options>> = [
  ["continue", "sessionId", "thinking", "dangerouslySkipPermissions"],
  ["resume", "resumeSessionAt", "forkSession", "maxThinkingTokens", "permissionMode"]
]
const apart = new Set(lots.flat())

/** All options of a lot, with this text in each that takes it. */
const together = (lot: ReadonlyArray<keyof Options>, text: string): Options => {
  let all: Options = {}
  for (const name of names) {
    if (apart.has(name) && !lot.includes(name)) continue
    const next = { ...all, ...values[name](text) }
    if (Either.isRight(CliOptions.toArgv(next))) all = next
  }
  return all
}

/** The other options, and whether they can hold any text: those are tried below. A new one does not compile without. */
const holdsText: { readonly [K in keyof NodeTransport.Options]-?: boolean } = {
  executable: true,
  cli: true,
  cwd: true,
  env: true,
  inheritEnv: false,
  checkVersion: false,
  inputGrace: false,
  termGrace: false,
  drainGrace: false
}

/** Variables that Node adds to a process by itself. */
const isOurs = (name: string) => name !== "__CF_USER_TEXT_ENCODING"

describe("a real process gets exactly what was given", () => {
  for (const [kind, text] of Object.entries(hostile).filter(([, value]) => !value.includes("\0"))) {
    it.scopedLive(kind, () =>
      Effect.gen(function*() {
        const executable = join(yield* folder, "print.mjs")
        writeFileSync(executable, program)
        for (const lot of lots) {
          const cli = together(lot, text)
          assert.isAbove(Object.keys(cli).length, 20)
          const env = { FIRST: text, SECOND: Redacted.make(text), [`NAME ${text.replaceAll("=", "")}`]: "x" }
          const got = yield* started({ executable, cli, env })
          assert.deepStrictEqual(got.argv, argv(cli))
          assert.deepStrictEqual(Object.fromEntries(Object.entries(got.env).filter(([name]) => isOurs(name))), {
            CLAUDE_CODE_ENTRYPOINT: "claude-duplex",
            FIRST: text,
            SECOND: text,
            [`NAME ${text.replaceAll("=", "")}`]: "x"
          })
        }
        assert.isFalse(existsSync(trace), "a shell was here")
      }))
  }

  it("in all options that can hold text", () => {
    const tried = Object.entries(holdsText).flatMap(([name, holds]) => holds ? [name] : [])
    assert.deepStrictEqual(tried, ["executable", "cli", "cwd", "env"])
  })

  it.scopedLive("an executable and a working directory of any name", () =>
    Effect.gen(function*() {
      const root = yield* folder
      for (const text of Object.values(hostile).filter((value) => !/[\0/]/.test(value) && value.length < 200)) {
        const cwd = join(root, `d${text}`)
        const executable = join(cwd, `${text}.mjs`)
        mkdirSync(dirname(executable), { recursive: true })
        writeFileSync(executable, program)
        assert.deepInclude(yield* started({ executable, cwd }), { cwd, argv: argv({}) })
      }
      assert.isFalse(existsSync(trace), "a shell was here")
    }))

  for (
    const [name, options] of [
      ["a name with an equals sign", { env: { "A=B": "c" } }],
      ["an empty name", { env: { "": "c" } }],
      ["a NUL in a name", { env: { "A\0B": "c" } }],
      ["a NUL in a value", { env: { A: "b\0c" } }],
      ["a NUL in the working directory", { cwd: "/\0" }]
    ] as const
  ) {
    it.scopedLive(`${name} is refused`, () =>
      Effect.gen(function*() {
        const executable = join(yield* folder, "print.mjs")
        writeFileSync(executable, program)
        const error = yield* Effect.flip(started({ executable, ...options }))
        assert.deepInclude(error, { _tag: "TransportError", reason: "Spawn" })
        assert.match(error.message, /NUL|`=`/)
      }))
  }

  it.scopedLive("the longest argument arrives whole, and a longer one is a typed error", () =>
    Effect.gen(function*() {
      const executable = join(yield* folder, "print.mjs")
      writeFileSync(executable, program)
      const longest = "x".repeat(CliOptions.maxArgumentBytes - "--system-prompt=".length)
      const cli = { systemPrompt: longest }
      assert.include((yield* started({ executable, cli })).argv, `--system-prompt=${longest}`)
      const error = yield* Effect.flip(started({ executable, cli: { systemPrompt: `${longest}x` } }))
      assert.deepInclude(error, { _tag: "TransportError", reason: "Spawn" })
      assert.include(error.message, "initialize")
    }))
})

describe("no shell is ever used", () => {
  const packages = new URL("../../", import.meta.url)
  const sources = readdirSync(packages).flatMap((name) =>
    readdirSync(new URL(`${name}/src/`, packages), { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".ts"))
      .map((file) => new URL(`${name}/src/${file}`, packages))
  )

  it("by any source of any package", () => {
    assert.isAbove(sources.length, 100)
    for (const file of sources) {
      const text = readFileSync(file, "utf8")
      const source = ts.createSourceFile("x.ts", text, ts.ScriptTarget.Latest, true)
      const visit = (node: ts.Node): void => {
        if (ts.isImportDeclaration(node) && /"(node:)?child_process"/.test(node.moduleSpecifier.getText())) {
          // By name, and only those that start a program without a shell.
          const names = node.importClause?.namedBindings
          assert.isTrue(names !== undefined && ts.isNamedImports(names), file.pathname)
          if (names !== undefined && ts.isNamedImports(names)) {
            for (const { name } of names.elements) {
              assert.oneOf(
                name.text,
                ["spawn", "execFile", "ChildProcess", "ChildProcessWithoutNullStreams"],
                file.pathname
              )
            }
          }
        }
        if (
          (ts.isPropertyAssignment(node) || ts.isShorthandPropertyAssignment(node)) && node.name.getText() === "shell"
        ) {
          assert.fail(`${file.pathname} has an option \`shell\``)
        }
        ts.forEachChild(node, visit)
      }
      visit(source)
    }
  })
})
