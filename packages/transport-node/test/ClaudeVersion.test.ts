import * as ClaudeVersion from "@claude-duplex/transport-node/ClaudeVersion"
import { assert, describe, it } from "@effect/vitest"
import { Effect, FastCheck as fc, Option } from "effect"

const version = (major: number, minor: number, patch: number, prerelease = "") => ({ major, minor, patch, prerelease })

/** A program of one line, as an executable. */
const program = (source: string) => ({ command: process.execPath, args: ["-e", source, "--"] })

describe("parseVersion", () => {
  it("reads what CLIs print", () => {
    assert.deepStrictEqual(ClaudeVersion.parseVersion("2.1.326 (Claude Code)\n"), Option.some(version(2, 1, 326)))
    assert.deepStrictEqual(ClaudeVersion.parseVersion("1.0.60"), Option.some(version(1, 0, 60)))
    assert.deepStrictEqual(ClaudeVersion.parseVersion("v3.0.0-beta.1 x"), Option.some(version(3, 0, 0, "beta.1")))
  })

  it("reads nothing else", () => {
    for (const text of ["", "2.1", "2.1.x", "Claude 2.1.326", "1.2.3.4", "-1.0.0"]) {
      assert.deepStrictEqual(ClaudeVersion.parseVersion(text), Option.none())
    }
  })

  it("reads back what is formatted", () => {
    fc.assert(fc.property(fc.nat(), fc.nat(), fc.nat(), fc.constantFrom("", "rc.1"), (...parts) => {
      const parsed = ClaudeVersion.parseVersion(ClaudeVersion.formatVersion(version(...parts)))
      assert.deepStrictEqual(parsed, Option.some(version(...parts)))
    }))
  })
})

describe("compareVersions", () => {
  const ascending = [
    version(1, 0, 9),
    version(1, 0, 60),
    version(1, 0, 128),
    version(2, 0, 0, "alpha"),
    version(2, 0, 0, "beta"),
    version(2, 0, 0),
    version(2, 1, 0),
    version(10, 0, 0)
  ]

  it("compares by number", () => {
    ascending.forEach((a, i) =>
      ascending.forEach((b, j) => assert.strictEqual(ClaudeVersion.compareVersions(a, b), Math.sign(i - j)))
    )
  })
})

describe("checkVersion", () => {
  it("warns about what is older than the minimum", () => {
    assert.isTrue(Option.isNone(ClaudeVersion.checkVersion(version(1, 0, 60))))
    assert.isTrue(Option.isNone(ClaudeVersion.checkVersion(version(2, 1, 326))))
    const warning = Option.getOrThrow(ClaudeVersion.checkVersion(version(1, 0, 59)))
    assert.deepInclude(warning, { found: "1.0.59", minimum: "1.0.60" })
    assert.include(warning.message, "1.0.59")
  })
})

describe("claudeVersion", () => {
  it.scopedLive("asks with --version, and gives no parent's variables", () =>
    Effect.gen(function*() {
      const before = process.env["CLAUDECODE"]
      process.env["CLAUDECODE"] = "1"
      yield* Effect.addFinalizer(() =>
        Effect.sync(() => {
          if (before === undefined) delete process.env["CLAUDECODE"]
          else process.env["CLAUDECODE"] = before
        })
      )
      const source = "console.log(process.argv.at(-1) === '--version' && process.env.CLAUDECODE === undefined && "
        + "process.env.CLAUDE_CODE_ENTRYPOINT === 'claude-duplex' ? '2.1.326 (Claude Code)' : 'no')"
      assert.deepStrictEqual(yield* ClaudeVersion.claudeVersion(program(source)), version(2, 1, 326))
    }))

  it.live("does not wait for a program that reads its input", () =>
    Effect.gen(function*() {
      const source = "process.stdin.resume().on('end', () => console.log('1.2.3'))"
      assert.deepStrictEqual(yield* ClaudeVersion.claudeVersion(program(source)), version(1, 2, 3))
    }))

  const failure = (executable: Parameters<typeof ClaudeVersion.claudeVersion>[0]) =>
    Effect.flip(ClaudeVersion.claudeVersion(executable, { timeout: "1 minute" }))

  it.live("says what went wrong", () =>
    Effect.gen(function*() {
      const missing = yield* failure({ command: "/no/such/claude", args: [] })
      assert.strictEqual(missing.reason, "NotFound")
      assert.include(missing.detail, "npm install")

      const failed = yield* failure(program("console.error('out of order'); process.exit(3)"))
      assert.strictEqual(failed.reason, "Spawn")
      assert.include(failed.detail, "out of order")

      const other = yield* failure(program("console.log('hello')"))
      assert.strictEqual(other.reason, "Read")
      assert.include(other.detail, "hello")

      const nul = yield* failure({ command: "a\0b", args: [] })
      assert.strictEqual(nul.reason, "Spawn")

      assert.strictEqual((yield* failure({ command: "/", args: [] })).reason, "Spawn")
    }))

  it.live("gives up in time", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(
        ClaudeVersion.claudeVersion(program("setInterval(() => {}, 1000)"), { timeout: "300 millis" })
      )
      assert.strictEqual(error.reason, "Spawn")
      assert.include(error.detail, "in time")
    }))
})
