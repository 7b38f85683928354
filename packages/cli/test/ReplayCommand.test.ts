/** `replay` is `fake-claude`: the same bytes, the same words, the same codes. */
import * as Recording from "@claude-duplex/transport-mock/Recording"
import { assert, it } from "@effect/vitest"
import { Either } from "effect"
import { readFileSync } from "node:fs"
import * as Terminal from "./support/terminal.js"
import * as Tool from "./support/tool.js"

const plain = Terminal.recording("2.1.326/plain")
const { entries } = Either.getOrThrow(Recording.parse(readFileSync(plain, "utf8")))
const linesOf = (dir: Recording.Direction) =>
  entries.filter((entry) => entry.dir === dir).map(({ line }) => `${line}\n`).join("")

it("plays a recording to a host that does what was recorded, and takes claude's flags after --", async () => {
  const { code, stderr, stdout } = await Tool.run(
    ["replay", plain, "--compare", "exact", "--exit-code", "4", "--", "--print", "--verbose", "--model=opus"],
    linesOf("host")
  )
  assert.deepStrictEqual([code, stderr, stdout.toString()], [4, "", linesOf("cli")])
})

it("tells the version of the CLI that it plays", async () => {
  assert.strictEqual(
    (await Tool.run(["replay", plain, "--", "--version"])).stdout.toString(),
    "2.1.326 (Claude Code)\n"
  )
})

it("says where a host strays, with the exit code of fake-claude", async () => {
  const { code, stderr } = await Tool.run(["replay", plain], "nonsense\n")
  assert.strictEqual(code, 70)
  assert.match(stderr, /^fake-claude: /)
})

it("a file that is not there is one line, and code 2", async () => {
  const { code, stderr } = await Tool.run(["replay", "nowhere.jsonl"])
  assert.strictEqual(code, 2)
  assert.match(stderr, /^claude-duplex: .*nowhere\.jsonl.*\n$/)
})
