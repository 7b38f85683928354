/** `doctor`, with CLIs that are well and CLIs that are not. On the real one it runs in `e2e/`. */
import { assert, describe, it } from "@effect/vitest"
import { chmodSync, copyFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { expect } from "vitest"
import { environment, judge } from "../src/doctor/checks.js"
import * as Terminal from "./support/terminal.js"
import * as Tool from "./support/tool.js"

/** A small CLI under a name that says what it is like. */
const claude = (name: string): string => {
  const path = join(Tool.folder(), name)
  copyFileSync(fileURLToPath(new URL("./support/smallClaude.mjs", import.meta.url)), path)
  chmodSync(path, 0o755)
  return path
}

const diagnose = async (path: string, env?: Record<string, string>) => {
  const { code, stdout } = await Tool.run(["doctor", "--json", "--claude", path], "", env)
  const found: {
    readonly ok: boolean
    readonly checks: ReadonlyArray<{ readonly status: string; readonly summary: string }>
  } = JSON.parse(stdout.toString())
  return { code, ...found, statuses: found.checks.map(({ status }) => status).join(" ") }
}

/** A screen without what differs from run to run. */
const plain = (text: string, path = "/nowhere") =>
  text.replaceAll("\n", "").replace(path, "(the path)").replace(/took [\d.]+ m?s/, "took (a while)").replaceAll(
    /(?=[✓!✗–])/g,
    "\n"
  )

describe("doctor", () => {
  it("in a terminal, one that is well", async () => {
    const path = claude("claude-2.1.326.mjs")
    const terminal = Terminal.open(["doctor", "--claude", path], { env: { NO_COLOR: "1", CLAUDECODE: "1" } })
    assert.strictEqual((await terminal.exit).exitCode, 0)
    await expect(plain(terminal.screen(), path)).toMatchFileSnapshot("./screens/doctor-well.txt")
  })

  it("in a terminal, none", async () => {
    const terminal = Terminal.open(["doctor", "--claude", "/nowhere/claude"], { env: { NO_COLOR: "1" } })
    assert.strictEqual((await terminal.exit).exitCode, 1)
    await expect(plain(terminal.screen())).toMatchFileSnapshot("./screens/doctor-none.txt")
  })

  it("one that answers without asking its API", async () => {
    const { checks, code, ok, statuses } = await diagnose(claude("deaf.mjs"))
    assert.deepStrictEqual([code, ok, statuses], [1, false, "ok ok ok failed"])
    assert.include(checks[3]?.summary, `did not come from there: it said "I know it all."`)
  })

  it("one that dies, with its last words", async () => {
    const { checks, code, statuses } = await diagnose(claude("dying.mjs"))
    assert.deepStrictEqual([code, statuses], [1, "ok ok ok failed"])
    assert.include(checks[3]?.summary, "no licence")
  })

  it("one that is too old is not tried", async () => {
    const { code, statuses } = await diagnose(claude("claude-0.9.0.mjs"))
    assert.deepStrictEqual([code, statuses], [1, "ok failed ok skipped"])
  })
})

describe("judge", () => {
  const version = (major: number, minor: number, patch: number) => judge({ major, minor, patch, prerelease: "" })

  it("knows the versions that were tried, those between them, and newer ones", () => {
    assert.deepStrictEqual(
      [version(2, 1, 326), version(2, 1, 300), version(9, 0, 0), version(1, 0, 59)].map((
        { status, summary }
      ) => [status, summary]),
      [
        ["ok", "it is 2.1.326, which was tried"],
        ["ok", "it is 2.1.300; the nearest before it that was tried is 2.1.250"],
        ["ok", "it is 9.0.0, newer than the newest that was tried (2.1.326)"],
        ["failed", "it is 1.0.59, and nothing before 1.0.60 was tried"]
      ]
    )
  })

  it("says what an older one cannot do", () => {
    assert.include(version(2, 0, 76).advice.join(), "Missing: says how far a message has come")
  })
})

describe("environment", () => {
  it("names what must not be inherited, and what takes a CLI elsewhere; never a value", () => {
    const check = environment({
      PATH: "/bin",
      CLAUDECODE: "1",
      NODE_OPTIONS: "--inspect-brk",
      ANTHROPIC_API_KEY: "secret"
    })
    assert.deepStrictEqual([check.status, check.data], [
      "warning",
      { leaks: ["CLAUDECODE", "NODE_OPTIONS"], redirects: ["ANTHROPIC_API_KEY"] }
    ])
    assert.notInclude(JSON.stringify(check), "secret")
    assert.strictEqual(environment({ PATH: "/bin" }).status, "ok")
  })
})
