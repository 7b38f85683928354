import * as FakeClaude from "@claude-duplex/transport-mock/FakeClaude"
import { assert, describe, it } from "@effect/vitest"
import { Either } from "effect"
import { spawn } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const bin = fileURLToPath(new URL("../bin/fake-claude.mjs", import.meta.url))
const recording = (name: string) => fileURLToPath(new URL(`../../../recordings/${name}.jsonl`, import.meta.url))

const user = (content: string) => `${JSON.stringify({ type: "user", message: { role: "user", content } })}\n`

interface Ended {
  readonly code: number | null
  readonly signal: string | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs the executable. What it writes is given to `onOutput`, which may write back or end it. */
const run = (
  args: ReadonlyArray<string>,
  {
    env = {},
    input = "",
    keepOpen = false,
    onOutput
  }: {
    readonly env?: Record<string, string>
    readonly input?: string
    readonly keepOpen?: boolean
    readonly onOutput?: (kill: (signal: NodeJS.Signals) => void) => void
  } = {}
) =>
  new Promise<Ended>((resolve) => {
    const child = spawn(process.execPath, [bin, ...args], { env })
    let stdout = ""
    let stderr = ""
    child.stdout.on("data", (data) => {
      stdout += String(data)
      onOutput?.((signal) => child.kill(signal))
    })
    child.stderr.on("data", (data) => stderr += String(data))
    child.stdin.on("error", () => undefined)
    child.stdin.write(input)
    if (!keepOpen) child.stdin.end()
    child.on("close", (code, signal) => resolve({ code, signal, stdout, stderr }))
  })

const types = (stdout: string) =>
  stdout.trimEnd().split("\n").filter((line) => line !== "").map((line): unknown => JSON.parse(line).type)

describe("arguments", () => {
  it("are read bound or not, the last one counting; the CLI's own are ignored", () => {
    const parsed = Either.getOrThrow(FakeClaude.parse(
      [
        "--print",
        "--model=-x",
        "--recording",
        "a",
        "--recording=b",
        "--session-id=s",
        "--lenient",
        "--exit-code",
        "3",
        "--resume",
        "r"
      ],
      {}
    ))
    assert.deepStrictEqual(parsed, {
      printVersion: false,
      recording: "b",
      script: undefined,
      faults: undefined,
      replay: { ignoreExtra: true, sessionId: "s", exit: { _tag: "Exited", code: 3 } }
    })
  })

  it("come from the environment too", () => {
    const parsed = Either.getOrThrow(FakeClaude.parse([], {
      FAKE_CLAUDE_SCRIPT: "s",
      FAKE_CLAUDE_MODE: "timed",
      FAKE_CLAUDE_COMPARE: "none",
      FAKE_CLAUDE_EXIT_CODE: "1",
      FAKE_CLAUDE_FAULTS: "f"
    }))
    assert.strictEqual(parsed.script, "s")
    assert.strictEqual(parsed.faults, "f")
    assert.deepStrictEqual(parsed.replay, { mode: "timed", compare: "none", exit: { _tag: "Exited", code: 1 } })
  })

  it("on the command line go before the environment", () => {
    const parsed = Either.getOrThrow(FakeClaude.parse(["--script=s"], { FAKE_CLAUDE_RECORDING: "r" }))
    assert.deepStrictEqual([parsed.script, parsed.recording], ["s", undefined])
  })

  it("that make no sense are refused with a sentence", () => {
    for (const args of [["--mode=backwards"], ["--compare", "nothing"], ["--exit-code=many"], ["--exit-code=257"]]) {
      const refused = FakeClaude.parse(args, {})
      assert.isTrue(Either.isLeft(refused) && refused.left.message.includes("cannot be"))
    }
  })
})

describe("the executable", () => {
  it("tells a version", async () => {
    assert.deepStrictEqual(await run(["--version"]), {
      code: 0,
      signal: null,
      stdout: "2.1.326 (Claude Code)\n",
      stderr: ""
    })
  })

  it("replays a recording, and ends with its input", async () => {
    const { code, stdout } = await run(["--print", "--verbose", `--recording=${recording("2.1.326/plain")}`], {
      input: user("hello") + user("second turn")
    })
    assert.strictEqual(code, 0)
    assert.deepStrictEqual(types(stdout), ["system", "assistant", "result", "system", "assistant", "result"])
  })

  it("says so if the recording lost its end, and replays what there is", async () => {
    const folder = mkdtempSync(join(tmpdir(), "claude-duplex-fake-"))
    const cut = join(folder, "cut.jsonl")
    writeFileSync(cut, readFileSync(recording("2.1.326/plain"), "utf8").slice(0, -100))
    const { stderr, stdout } = await run([`--recording=${cut}`], { input: user("hello") + user("second turn") })
    rmSync(folder, { recursive: true })
    assert.deepStrictEqual(types(stdout), ["system", "assistant", "result", "system", "assistant"])
    assert.strictEqual(stderr, "fake-claude: The last line of the recording is cut. It is left out.\n")
  })

  it("ends with the code that it is told", async () => {
    const { code } = await run([`--recording=${recording("2.1.326/max-turns")}`, "--exit-code=1", "--compare=none"], {
      input: user("go")
    })
    assert.strictEqual(code, 1)
  })

  it("plays a script, with faults", async () => {
    const folder = mkdtempSync(join(tmpdir(), "claude-duplex-fake-"))
    const script = join(folder, "script.json")
    const faults = join(folder, "faults.json")
    writeFileSync(
      script,
      JSON.stringify([{ expect: { type: "user" } }, { reply: { type: "keep_alive" } }, { exit: 4 }])
    )
    writeFileSync(faults, JSON.stringify([{ type: "duplicate", where: { line: 0 } }]))
    const { code, stdout } = await run([`--script=${script}`, `--faults=${faults}`], {
      input: user("x"),
      keepOpen: true
    })
    rmSync(folder, { recursive: true })
    assert.strictEqual(code, 4)
    assert.deepStrictEqual(types(stdout), ["keep_alive", "keep_alive"])
  })

  it("says what a host did wrong, on stderr, and exits with 70", async () => {
    const { code, stderr } = await run([`--recording=${recording("2.1.326/plain")}`], { input: "this is not json\n" })
    assert.strictEqual(code, 70)
    assert.include(stderr, "this is not json")
  })

  it("says how it is used", async () => {
    const { code, stderr } = await run([])
    assert.strictEqual(code, 70)
    assert.include(stderr, "--recording F or --script F")
  })

  it("ends with 143 at SIGTERM, as the CLI does", async () => {
    const { code } = await run([`--recording=${recording("2.1.326/plain")}`], {
      input: user("hello"),
      keepOpen: true,
      onOutput: (kill) => kill("SIGTERM")
    })
    assert.strictEqual(code, 143)
  })
})
