/**
 * Secrets are planted wherever a host or a CLI can have them, and looked for in everything that comes out but the conversation
 * itself: errors, logs, spans, metrics, exits, warnings, and whatever `inspect` shows of a public value.
 *
 * What is said is the conversation: frames, events, results, questions and the live `stderr` have it on purpose.
 */
import * as Redactor from "@claude-duplex/protocol/Redactor"
import * as Session from "@claude-duplex/session/Session"
import * as Recorder from "@claude-duplex/transport-mock/Recorder"
import * as Recording from "@claude-duplex/transport-mock/Recording"
import * as ClaudeVersion from "@claude-duplex/transport-node/ClaudeVersion"
import * as CliOptions from "@claude-duplex/transport-node/CliOptions"
import * as CliWarning from "@claude-duplex/transport-node/CliWarning"
import * as Executable from "@claude-duplex/transport-node/Executable"
import * as NodeConnector from "@claude-duplex/transport-node/NodeConnector"
import * as NodeTransport from "@claude-duplex/transport-node/NodeTransport"
import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Either, Exit, Logger, LogLevel, Metric, Redacted, Schedule, Stream, Tracer } from "effect"
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { inspect } from "node:util"

/** One for each place, so that a leak says where it is from. None has the shape of a key, so none is found by that. */
const planted = {
  key: "planted-in-the-environment-1",
  wrapped: "planted-and-wrapped-2",
  header: "planted-in-a-header-3",
  serverVariable: "planted-for-a-server-4",
  setting: "planted-in-settings-5",
  prompt: "planted-in-a-prompt-6",
  systemPrompt: "planted-in-the-system-prompt-7",
  block: "planted-in-a-block-8",
  argument: "planted-in-an-argument-9",
  headers: "planted-in-custom-headers-10"
} as const

const cli: CliOptions.CliOptions = {
  permissionPromptTool: "stdio",
  systemPrompt: planted.systemPrompt,
  mcpServers: {
    db: { type: "http", url: "http://127.0.0.1:1", headers: { Authorization: `Bearer ${planted.header}` } },
    local: { command: "local", env: { LOCAL_TOKEN: planted.serverVariable } }
  },
  settings: { env: { SETTING_PASSWORD: planted.setting } }
}

const env = {
  PATH: process.env["PATH"],
  ANTHROPIC_API_KEY: planted.key,
  ANTHROPIC_CUSTOM_HEADERS: `X-Key: ${planted.headers}`,
  // Its name says nothing.
  WHATEVER: Redacted.make(planted.wrapped)
}

const plainEnv = { ANTHROPIC_API_KEY: planted.key, OTHER_TOKEN: planted.wrapped }

const talkative = fileURLToPath(new URL("support/talkative.mjs", import.meta.url))

/** Every way in which a value is turned into text. */
const shown = (value: unknown): string =>
  [
    String(value),
    JSON.stringify(value, undefined, 1) ?? "",
    inspect(value, { depth: Infinity, showHidden: true, getters: true, maxStringLength: null, maxArrayLength: null }),
    ...(value instanceof Error ? [value.message, value.stack ?? "", inspect(value.cause, { depth: Infinity })] : []),
    ...(Exit.isExit(value) && Exit.isFailure(value) ? [Cause.pretty(value.cause, { renderErrorCause: true })] : [])
  ].join("\n")

/** Those that are in a text. */
const leaks = (text: string) =>
  Object.entries(planted).flatMap(([where, secret]) => text.includes(secret) ? [where] : [])

const assertClean = (name: string, value: unknown) => {
  const text = typeof value === "string" ? value : shown(value)
  assert.deepStrictEqual(leaks(text), [], `${name}: ${text.slice(0, 2_000)}`)
}

/** Everything that is logged and traced while an effect runs. */
const watched = <A, E, R>(effect: Effect.Effect<A, E, R>) => {
  const seen: Array<string> = []
  const logger = Logger.make((entry) => {
    seen.push(Logger.stringLogger.log(entry), Logger.jsonLogger.log(entry), shown(entry.message), shown(entry.cause))
  })
  const tracer = Tracer.make({
    context: (f) => f(),
    span: (name, parent, context, links, startTime, kind) => ({
      _tag: "Span",
      name,
      spanId: name,
      traceId: "trace",
      parent,
      context,
      status: { _tag: "Started", startTime },
      attributes: new Map(),
      links: [...links],
      sampled: true,
      kind,
      end: (_, exit) => seen.push(`${name} ended: ${shown(exit)}`),
      attribute: (key, value) => seen.push(`${name}: ${key} is ${shown(value)}`),
      event: (event, _, attributes) => seen.push(`${name}: ${event} ${shown(attributes)}`),
      addLinks: () => undefined
    })
  })
  return effect.pipe(
    Effect.exit,
    Effect.map((exit) => ({ exit, seen })),
    Effect.withTracer(tracer),
    Effect.provide(Logger.replace(Logger.defaultLogger, logger)),
    Logger.withMinimumLogLevel(LogLevel.All)
  )
}

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "claude-duplex-secrets-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true }))
)

describe("secrets: a conversation with everything in it", () => {
  it.scopedLive("shows none in errors, logs, spans, metrics, exits, warnings, or its services", () =>
    Effect.gen(function*() {
      const found: Array<readonly [string, unknown]> = []
      const heard: Array<string> = []
      const { exit, seen } = yield* watched(
        Effect.gen(function*() {
          const transport = yield* NodeTransport.make({
            executable: talkative,
            checkVersion: false,
            cli,
            env,
            inheritEnv: false
          })
          yield* Effect.forkScoped(Stream.runForEach(transport.stderr, (text) => Effect.sync(() => heard.push(text))))
          const session = yield* Session.fromTransport(transport, {
            // Each of them has seen a secret, and goes wrong in its own way.
            onPermission: () => Effect.fail("no idea"),
            hooks: [{ event: "UserPromptSubmit", run: () => Effect.die(new Error("broken")) }],
            initialize: { appendSystemPrompt: planted.systemPrompt }
          })
          found.push(["transport", transport], ["session", session])
          yield* session.send(planted.prompt)
          found.push(["session in use", session], ["status", yield* session.status.get], [
            "warnings",
            yield* session.warnings
          ])
          found.push(["a refused request", yield* Effect.exit(session.control.setModel({ model: planted.argument }))])
          found.push(["an answer that is none", yield* Effect.exit(session.control.mcpStatus())])
          // What a program without types might send.
          const invalid = [{ type: "text", text: { [planted.block]: planted.block } }] as unknown as string
          found.push(["an invalid prompt", yield* Effect.exit(session.send(invalid))])
          const request = { subtype: "set_model", model: { [planted.block]: planted.block } } as unknown as {
            subtype: "set_model"
          }
          found.push(["an invalid request", yield* Effect.exit(session.request(request))])
          found.push(["a failed turn", yield* Effect.exit(session.send(planted.prompt))])
          found.push(["the end", yield* session.awaitExit], ["the transport's end", yield* transport.exit])
          found.push(["the session after its end", session], ["the status after", yield* session.status.get])
          found.push(["too late", yield* Effect.exit(session.send(planted.prompt))])
        }).pipe(Effect.scoped)
      )
      assert.isTrue(Exit.isSuccess(exit), shown(exit))
      found.push(["metrics", yield* Metric.snapshot])
      for (const [name, value] of found) assertClean(name, value)
      assert.isAbove(seen.length, 10)
      for (const line of seen) assertClean("a log or a span", line)

      // They were there: the CLI said them all, and its exit says that it said something.
      assert.includeMembers(leaks(heard.join("")), ["key", "wrapped", "header", "serverVariable", "setting", "headers"])
      const end = found.find(([name]) => name === "the end")?.[1]
      assert.include(shown(end), `ANTHROPIC_API_KEY is ${Redactor.mark}`)
      assert.include(shown(end), `WHATEVER is ${Redactor.mark}`)
    }))

  it.scopedLive("nor does a CLI that cannot be started again", () =>
    Effect.gen(function*() {
      const gone = join(yield* folder, "gone.mjs")
      writeFileSync(gone, "")
      let starts = 0
      const { seen } = yield* watched(
        Effect.gen(function*() {
          const [first, next] = yield* Effect.all([
            NodeConnector.make({ executable: talkative, checkVersion: false, cli, env, inheritEnv: false }),
            NodeConnector.make({ executable: gone, cwd: "/no/such/folder", checkVersion: false, cli, env })
          ])
          const session = yield* Session.fromConnector(
            { connect: (options) => (++starts === 1 ? first : next).connect(options) },
            { restart: Schedule.recurs(2) }
          )
          yield* session.send(planted.prompt)
          yield* Effect.exit(session.send(planted.prompt))
          yield* session.awaitExit
        }).pipe(Effect.scoped)
      )
      assert.isTrue(seen.some((line) => line.includes("could not be started again")), seen.join("\n"))
      for (const line of seen) assertClean("a log or a span", line)
    }))
})

describe("secrets: a process that cannot be started", () => {
  const args = ["--mcp-config", planted.header, planted.argument]
  const commands: Record<string, (path: string) => Partial<NodeTransport.Command>> = {
    "is not there": () => ({ command: "/no/such/claude" }),
    "has no interpreter": (path) => {
      writeFileSync(path, "#!/no/such/interpreter\n")
      chmodSync(path, 0o755)
      return { command: path }
    },
    "may not be executed": (path) => {
      writeFileSync(path, "")
      return { command: path }
    },
    "has no working directory": () => ({ cwd: "/no/such/folder" }),
    "has an argument that is too long": () => ({ args: [planted.argument.repeat(20_000)] }),
    "has a variable that is too long": () => ({ env: { LONG_TOKEN: planted.key.repeat(20_000) } }),
    "has a NUL in an argument": () => ({ args: [`${planted.argument}\0`] }),
    "has a NUL in a variable": () => ({ env: { A_TOKEN: `${planted.key}\0` } }),
    "has a NUL in the name of a variable": () => ({ env: { [`${planted.key}\0`]: "" } }),
    "has an equals sign in the name of a variable": () => ({ env: { [`A=${planted.key}`]: "" } })
  }
  for (const [name, command] of Object.entries(commands)) {
    it.scopedLive(name, () =>
      Effect.gen(function*() {
        const path = join(yield* folder, "claude")
        const { exit, seen } = yield* watched(Effect.scoped(
          NodeTransport.fromCommand({ command: process.execPath, args, env: plainEnv, ...command(path) })
        ))
        assert.isTrue(Exit.isFailure(exit))
        assertClean(name, exit)
        if (Exit.isFailure(exit)) assertClean(name, Cause.squash(exit.cause))
        for (const line of seen) assertClean("a log or a span", line)
      }))
  }

  it.scopedLive("nor does one whose version cannot be told", () =>
    Effect.gen(function*() {
      const path = join(yield* folder, "claude.mjs")
      const says: Record<string, string> = {
        "says them and fails":
          `process.stderr.write(process.env.OTHER_TOKEN + process.env.ANTHROPIC_API_KEY); process.exit(2)`,
        "says them for a version": `console.log(process.env.OTHER_TOKEN, process.env.ANTHROPIC_API_KEY)`
      }
      for (const [name, code] of Object.entries(says)) {
        writeFileSync(path, code)
        const exit = yield* Effect.exit(ClaudeVersion.claudeVersion(Executable.fromPath(path), { env: plainEnv }))
        assertClean(name, exit)
        assert.include(shown(exit), Redactor.mark)
      }
      const exit = yield* Effect.exit(
        ClaudeVersion.claudeVersion(Executable.fromPath(path), { env: { A_TOKEN: `${planted.key}\0` } })
      )
      assertClean("a NUL", exit)
    }))
})

describe("secrets: options", () => {
  it("that are refused or warned about are not quoted", () => {
    const secret = planted.argument
    const cyclic: { [name: string]: unknown } = { [secret]: secret }
    cyclic[`itself ${secret}`] = cyclic
    const refused: ReadonlyArray<CliOptions.CliOptions> = [
      { systemPrompt: `${secret}\0` },
      { sessionId: secret },
      { worktree: `${secret} ` },
      { allowedTools: [`${secret} ${secret}`] },
      { resume: secret, continue: true },
      { model: secret, fallbackModel: secret },
      // A program without types might give these.
      { settings: cyclic as { [name: string]: string } },
      { maxTurns: secret as unknown as number },
      { extraArgs: [`${secret}\0`] }
    ]
    for (const options of refused) {
      const argv = CliOptions.toArgv(options)
      assert.isTrue(Either.isLeft(argv), Object.keys(options).join())
      assertClean(Object.keys(options).join(), Either.merge(argv))
      assertClean("as a value", argv)
    }
    assertClean("warnings", CliWarning.warnings({ ...cli, extraArgs: ["--settings", secret] }, { CLAUDECODE: secret }))
  })

  it("that are `Redacted` are not shown by `inspect`", () => {
    const options: NodeTransport.Options = { env: { WHATEVER: Redacted.make(planted.wrapped) } }
    assert.deepStrictEqual(leaks(shown(options)), [])
  })
})

describe("secrets: the end of stderr", () => {
  it.scopedLive("has none, though it was cut in the middle of one", () =>
    Effect.gen(function*() {
      for (let shift = 0; shift < planted.key.length; shift += 7) {
        const code =
          `const s = process.env.MY_TOKEN; process.stderr.write("x".repeat(${shift}) + (s + " ").repeat(9_000))`
        const transport = yield* NodeTransport.fromCommand({
          command: process.execPath,
          args: ["-e", code],
          env: { MY_TOKEN: planted.key }
        })
        const { stderr } = yield* transport.exit
        assert.isAbove(stderr.length, 16_000)
        assert.match(stderr, /^[[\]redact ]+$/)
      }
    }))

  it.scopedLive("is redacted as one says", () =>
    Effect.gen(function*() {
      const said = (redact: Redactor.Redactor) =>
        NodeTransport.fromCommand({
          command: process.execPath,
          args: ["-e", `process.stderr.write("all of it")`],
          env: {},
          redact
        }).pipe(Effect.flatMap(({ exit }) => exit), Effect.map(({ stderr }) => stderr))
      assert.strictEqual(yield* said((text) => text.replace("all", "none")), "none of it")
      const broken = yield* said(() => {
        throw new Error("no idea what this is")
      })
      assert.strictEqual(broken, Redactor.mark)
    }))
})

describe("secrets: a recording", () => {
  it.scopedLive("has none of those that are known, and can be read", () =>
    Effect.gen(function*() {
      const { entries, sink } = yield* Recorder.toMemory
      yield* Effect.scoped(Effect.gen(function*() {
        const transport = yield* NodeTransport.make({
          executable: talkative,
          checkVersion: false,
          cli,
          env,
          inheritEnv: false
        })
        const recorded = yield* Recorder.wrap(transport, {
          sink,
          redact: Redactor.make({ env: { API_KEY: planted.key }, values: Object.values(planted) })
        })
        const session = yield* Session.fromTransport(recorded)
        yield* session.send(planted.prompt)
        yield* Effect.exit(session.send(planted.prompt))
        yield* session.awaitExit
      })).pipe(Logger.withMinimumLogLevel(LogLevel.None))
      const text = Recording.stringify(yield* entries)
      assertClean("the recording", text)
      assert.isAbove(text.split(Redactor.mark).length, 5)
      const lines = Either.getOrThrow(Recording.parse(text)).entries.filter(({ line }) => line.startsWith("{"))
      assert.isAbove(lines.length, 5)
      for (const { line } of lines) assert.doesNotThrow(() => JSON.parse(line))
    }))
})
