import * as Check from "@claude-duplex/cli/Check"
import * as Cli from "@claude-duplex/cli/Cli"
import * as Diff from "@claude-duplex/cli/Diff"
import * as Stats from "@claude-duplex/cli/Stats"
import * as Timeline from "@claude-duplex/cli/Timeline"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { readFileSync } from "node:fs"
import { run } from "./support/run.js"

const plain = "recordings/2.1.326/plain.jsonl"

describe("errors are a line and an exit code", () => {
  const cases: Record<string, readonly [code: number, stderr: string]> = {
    "chek a.jsonl": [2, "claude-duplex: There is no command chek. Did you mean check?\n"],
    "hologram": [2, "claude-duplex: There is no command hologram. --help lists those that there are.\n"],
    "check": [2, "claude-duplex: Missing argument <file>. --help says what it takes.\n"],
    "check --hologram a.jsonl": [
      2,
      "claude-duplex: There is no option --hologram here. --help lists those that there are.\n"
    ],
    "check --jsn a.jsonl": [
      2,
      "claude-duplex: The flag '--jsn' is not recognized. Did you mean '--json'? --help says what it takes.\n"
    ],
    "check nowhere.jsonl": [2, "claude-duplex: nowhere.jsonl: there is no such file.\n"],
    "check recordings": [2, "claude-duplex: recordings: this is a folder; name the files in it.\n"],
    "inspect --grep [ a.jsonl": [2, "claude-duplex: --grep [ is no regular expression.\n"]
  }
  for (const [line, [code, stderr]] of Object.entries(cases)) {
    it.effect(line, () =>
      Effect.gen(function*() {
        assert.deepStrictEqual(yield* run(line), { code, stdout: "", stderr })
      }))
  }

  it.effect("--verbose shows what is behind them, wherever it is given", () =>
    Effect.gen(function*() {
      const { code, stderr } = yield* run("inspect --grep [ a.jsonl --verbose")
      assert.strictEqual(code, 2)
      assert.match(stderr, /is no regular expression\.\nSyntaxError/)
    }))

  it.effect("in colour where there are colours", () =>
    Effect.gen(function*() {
      const { stderr } = yield* run("hologram", { env: { FORCE_COLOR: "1" } })
      assert.isTrue(stderr.startsWith("\u001b[31mclaude-duplex:\u001b[39m "))
    }))
})

describe("help", () => {
  it.effect("has no colours where nobody sees them, and some where somebody does", () =>
    Effect.gen(function*() {
      const [piped, seen, unwanted] = yield* Effect.all([
        run("check --help"),
        run("check --help", { isTerminal: true }),
        run("check --help", { isTerminal: true, env: { NO_COLOR: "1" } })
      ])
      assert.deepStrictEqual([piped, seen, unwanted].map(({ stdout }) => stdout.includes("\u001b[")), [
        false,
        true,
        false
      ])
      assert.strictEqual(piped.stdout, unwanted.stdout)
    }))

  it.effect("the version is the package's", () =>
    Effect.gen(function*() {
      const manifest: unknown = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"))
      assert.propertyVal(manifest, "version", Cli.version)
      assert.deepStrictEqual(yield* run("--version"), { code: 0, stdout: `${Cli.version}\n`, stderr: "" })
    }))

  it.effect("completions know every command, for every shell", () =>
    Effect.gen(function*() {
      for (const shell of ["bash", "fish", "zsh"]) {
        const { code, stdout } = yield* run(`--completions ${shell}`)
        assert.strictEqual(code, 0)
        for (const command of ["inspect", "check", "diff", "stats"]) assert.include(stdout, command)
      }
    }))
})

describe("--json is what its schema says", () => {
  const lines = (stdout: string): ReadonlyArray<unknown> => stdout.trimEnd().split("\n").map((line) => JSON.parse(line))

  const cases: Record<string, Schema.Schema.AnyNoContext> = {
    "inspect --json recordings/2.1.326/tour.jsonl": Timeline.Item,
    "inspect --json packages/cli/test/fixtures/damaged.jsonl": Timeline.Item,
    "check --json recordings/2.1.326/controls.jsonl packages/cli/test/fixtures/stdout.ndjson": Check.Report,
    "diff --json recordings/1.0.128/interrupt.jsonl recordings/2.1.326/interrupt.jsonl": Diff.Report,
    [`stats --json ${plain} recordings/2.1.326/sdk-mcp.jsonl`]: Schema.Struct({
      files: Schema.Record({ key: Schema.String, value: Stats.Summary }),
      total: Stats.Summary
    })
  }
  for (const [line, schema] of Object.entries(cases)) {
    it.effect(line, () =>
      Effect.gen(function*() {
        const printed = lines((yield* run(line)).stdout)
        assert.isNotEmpty(printed)
        // Nothing beside what is documented, either.
        for (const one of printed) yield* Schema.decodeUnknown(schema, { onExcessProperty: "error" })(one)
      }))
  }
})
