import * as NodeConnector from "@claude-duplex/transport-node/NodeConnector"
import type * as NodeTransport from "@claude-duplex/transport-node/NodeTransport"
import { assert, describe, it } from "@effect/vitest"
import { Chunk, Effect, Logger, LogLevel, Option, Stream } from "effect"
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** An executable that prints its arguments as a line of JSON, or its version. */
const printer = Effect.acquireRelease(
  Effect.sync(() => {
    const folder = mkdtempSync(join(tmpdir(), "claude-duplex-"))
    const path = join(folder, "claude")
    writeFileSync(
      path,
      `#!${process.execPath}
const args = process.argv.slice(2)
if (args.includes("--version")) console.log("1.0.60 (Claude Code)")
else {
  console.log(JSON.stringify(args))
  process.stdin.resume()
}
`
    )
    chmodSync(path, 0o755)
    return { folder, path }
  }),
  ({ folder }) => Effect.sync(() => rmSync(folder, { recursive: true }))
).pipe(Effect.map(({ path }) => path))

const quiet = Logger.withMinimumLogLevel(LogLevel.None)

const connector = (cli: NodeTransport.Options["cli"], options: NodeTransport.Options = {}) =>
  Effect.flatMap(printer, (executable) => NodeConnector.make({ executable, checkVersion: false, cli, ...options }))

/** The arguments that concern the conversation. */
const conversationArguments = ({ incoming }: { readonly incoming: Stream.Stream<Uint8Array, unknown> }) =>
  Effect.map(Stream.runHead(Stream.splitLines(Stream.decodeText(incoming))), (line) => {
    const args: ReadonlyArray<string> = JSON.parse(Option.getOrThrow(line))
    return args.filter((arg) => /^--(resume|continue|fork|session-id)/.test(arg))
  })

describe("make", () => {
  it.scopedLive("starts a process for each connection, and resumes the conversation that is asked for", () =>
    Effect.gen(function*() {
      const { connect } = yield* connector({ continue: true })
      assert.deepStrictEqual(yield* conversationArguments(yield* connect()), ["--continue"])
      // It names the conversation, so "the last one" no longer applies.
      assert.deepStrictEqual(yield* conversationArguments(yield* connect({ resume: "s" })), ["--resume=s"])
    }).pipe(quiet))

  it.scopedLive("forks a conversation once, and resumes the fork when it is restarted", () =>
    Effect.gen(function*() {
      const sessionId = "6a1f1b0e-3f3b-4a35-9d9f-9c8f0b2f6a11"
      const { connect } = yield* connector({ resume: "old", forkSession: true, sessionId })
      const fork = ["--resume=old", "--fork-session", `--session-id=${sessionId}`]
      assert.deepStrictEqual(yield* conversationArguments(yield* connect()), fork)
      const restarted = yield* connect({ resume: sessionId, isRestart: true })
      assert.deepStrictEqual(yield* conversationArguments(restarted), [`--resume=${sessionId}`])
    }).pipe(quiet))

  it.effect("refuses options that contradict each other before any process starts", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(NodeConnector.make({ cli: { resume: "a", continue: true } }))
      assert.strictEqual(error._tag, "CliOptionsError")
    }))

  it.scopedLive("reports how the CLI was started", () =>
    Effect.gen(function*() {
      const launchOf = (cli: NodeTransport.Options["cli"]) =>
        Effect.gen(function*() {
          const { connect } = yield* connector(cli)
          return (yield* connect()).launch
        })
      const defaults = { replayUserMessages: true, partialMessages: false, permissionPrompts: false }
      assert.deepInclude(yield* launchOf({}), defaults)
      const others = { replayUserMessages: false, includePartialMessages: true, permissionPromptTool: "stdio" }
      assert.deepInclude(yield* launchOf(others), {
        replayUserMessages: false,
        partialMessages: true,
        permissionPrompts: true
      })
      const raw = ["--include-partial-messages", "--permission-prompt-tool", "stdio"]
      assert.deepInclude(yield* launchOf({ extraArgs: raw }), { partialMessages: true, permissionPrompts: true })
    }).pipe(quiet))

  it.scopedLive("moves options that are too long for the command line to `initialize`", () =>
    Effect.gen(function*() {
      const systemPrompt = "x".repeat(200_000)
      const { connect } = yield* connector({ systemPrompt })
      const { launch } = yield* connect()
      assert.deepStrictEqual(launch.initialize, { systemPrompt: [systemPrompt] })
    }).pipe(quiet))

  it.scopedLive("knows the version as soon as the executable has reported it, and warns of an old one", () =>
    Effect.gen(function*() {
      const { connect } = yield* connector({ permissionPromptTool: "stdio" }, { checkVersion: true })
      const { launch } = yield* connect()
      assert.deepStrictEqual(yield* launch.version, Option.some("1.0.60"))
      // Another connection does not run the executable again.
      assert.deepStrictEqual(yield* (yield* connect()).launch.version, Option.some("1.0.60"))
    }).pipe(quiet))

  it.scopedLive("fails with `TransportError` if the executable is missing", () =>
    Effect.gen(function*() {
      const { connect } = yield* NodeConnector.make({ executable: "/no/such/claude" })
      assert.strictEqual((yield* Effect.flip(connect())).reason, "NotFound")
    }).pipe(quiet))
})

describe("fromCommand", () => {
  it.scopedLive("starts a command that may depend on the conversation to resume", () =>
    Effect.gen(function*() {
      const path = yield* printer
      const { connect } = yield* NodeConnector.fromCommand(({ resume = "none" }) => ({
        command: path,
        args: ["wrapper", resume],
        env: {}
      }))
      const { incoming } = yield* connect({ resume: "s" })
      const [first] = Chunk.toReadonlyArray(yield* Stream.runCollect(Stream.take(Stream.decodeText(incoming), 1)))
      assert.strictEqual(first, `["wrapper","s"]\n`)
    }))
})
