/**
 * Each command on shared recordings: what it prints, to the letter. `GOLDEN=write npx vitest run packages/cli` writes the
 * files anew; look at the difference before you commit it.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { run } from "./support/run.js"

const folder = new URL("golden/", import.meta.url)

const now = "recordings/2.1.326"

const cases: Record<string, readonly [line: string, options?: Parameters<typeof run>[1]]> = {
  "help": [""],
  "help-inspect": ["inspect --help"],
  "help-check": ["check --help"],
  "help-diff": ["diff --help"],
  "help-stats": ["stats --help"],
  "inspect-tour": [`inspect ${now}/tour.jsonl`],
  "inspect-tour-coloured": [`inspect ${now}/tour-denied.jsonl`, { isTerminal: true }],
  "inspect-sdk-mcp": [`inspect ${now}/sdk-mcp.jsonl`],
  "inspect-hooks": [`inspect ${now}/initialize-hooks.jsonl`],
  "inspect-background": [`inspect ${now}/background-race.jsonl`],
  "inspect-interrupt-old": ["inspect recordings/1.0.128/interrupt.jsonl"],
  "inspect-pending": [`inspect ${now}/perm-pending-interrupt.jsonl`],
  "inspect-stdout": ["inspect packages/cli/test/fixtures/stdout.ndjson"],
  "inspect-damaged": ["inspect packages/cli/test/fixtures/damaged.jsonl"],
  "inspect-filtered": [`inspect --kind tool --kind permission --turn 2 ${now}/tour.jsonl`],
  "inspect-grep": [`inspect --grep hello.txt --dir cli ${now}/tour.jsonl`],
  "inspect-json": [`inspect --json ${now}/permission-allow.jsonl`],
  "check-all": [`check ${everyRecording().join(" ")}`],
  "check-stdout": ["check packages/cli/test/fixtures/stdout.ndjson"],
  "check-damaged": ["check packages/cli/test/fixtures/damaged.jsonl"],
  "check-json": [`check --json ${now}/kill-midturn.jsonl ${now}/plain.jsonl`],
  "diff-same": [`diff ${now}/tour.jsonl ${now}/tour.jsonl`],
  "diff-upgrade": [`diff recordings/2.1.143/permission-allow.jsonl ${now}/permission-allow.jsonl`],
  "diff-order": [`diff --ignore values --ignore shape recordings/1.0.128/interrupt.jsonl ${now}/interrupt.jsonl`],
  "diff-json": [`diff --json ${now}/permission-deny.jsonl ${now}/permission-allow.jsonl`],
  "stats-tour": [`stats ${now}/tour.jsonl`],
  "stats-several": [
    `stats ${now}/tour.jsonl ${now}/plain.jsonl ${now}/multi-turn.jsonl recordings/1.0.128/sdk-mcp.jsonl`
  ],
  "stats-stdout": ["stats packages/cli/test/fixtures/stdout.ndjson"],
  "stats-json": [`stats --json ${now}/multi-turn.jsonl`]
}

function everyRecording(): ReadonlyArray<string> {
  return readdirSync("recordings", { withFileTypes: true }).filter((entry) => entry.isDirectory()).flatMap(({ name }) =>
    readdirSync(`recordings/${name}`).sort().map((file) => `recordings/${name}/${file}`)
  )
}

describe("what is printed is what is written down", () => {
  for (const [name, [line, options]] of Object.entries(cases)) {
    it.effect(name, () =>
      Effect.gen(function*() {
        const { code, stderr, stdout } = yield* run(line, options)
        const printed = `${stdout}${stderr === "" ? "" : `--- stderr\n${stderr}`}--- exit code ${code}\n`
        const file = new URL(`${name}.txt`, folder)
        if (process.env["GOLDEN"] === "write") writeFileSync(file, printed)
        assert.strictEqual(printed, readFileSync(file, "utf8"))
      }))
  }

  it("and nothing is written down that is not printed", () => {
    assert.deepStrictEqual(readdirSync(folder).sort(), Object.keys(cases).map((name) => `${name}.txt`).sort())
    assert.isTrue(existsSync("recordings"), "run from the root of the repository")
  })
})
