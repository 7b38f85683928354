/**
 * The program behind `npm start`, as a child: without a terminal, and in one where `script` (util-linux) can make one. What
 * it is like with a real `claude` was tried by hand.
 */
import { assert, describe, it } from "@effect/vitest"
import { spawn, spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"

const program = fileURLToPath(new URL("../bundle/terminal.js", import.meta.url))

/** What is pressed when this is seen. */
type Press = readonly [seen: string, keys: string]

interface Ended {
  readonly code: number | null
  readonly output: string
}

/** Runs a command, and presses keys when their time has come, one after the other. */
const converse = (
  command: string,
  args: ReadonlyArray<string>,
  presses: ReadonlyArray<Press> = [],
  env: { readonly [name: string]: string } = {}
) =>
  new Promise<Ended>((resolve) => {
    // As a person has it: on a machine that says that it is CI's, a terminal has no colours.
    const { CI: _, NO_COLOR: __, ...inherited } = process.env
    const child = spawn(command, args, {
      env: { ...inherited, ...env },
      stdio: ["pipe", "pipe", "inherit"],
      timeout: 120_000
    })
    const left = [...presses]
    let output = ""
    let looked = 0
    child.stdout.on("data", (data: Buffer) => {
      output += data.toString("utf8")
      for (let next = left[0]; next !== undefined; next = left[0]) {
        const at = output.indexOf(next[0], looked)
        if (at === -1) return
        looked = at + next[0].length
        left.shift()
        child.stdin.write(next[1])
      }
    })
    child.on("close", (code) => resolve({ code, output }))
  })

const inTerminal = (presses: ReadonlyArray<Press>, env?: { readonly [name: string]: string }) =>
  converse("script", ["-qec", `"${process.execPath}" "${program}"`, "/dev/null"], presses, env)

const ctrlC = "\x03"
const escape = "\x1b["

describe("the terminal, without one", () => {
  it("runs by itself: streams, allows, interrupts, and tells the cost", async () => {
    const { code, output } = await converse(process.execPath, [program])
    assert.strictEqual(code, 0)
    assert.include(
      output,
      "› What happens between a program and claude?\n\nOne process, held open. Your program writes"
    )
    assert.include(output, "? May Bash run? yes\n  Hello from the other end of the pipe.\nDone.")
    assert.match(output, /A pipe is a small thing: [^]+\n■ stopped \$0\.0204\n/)
    assert.isTrue(output.endsWith("\nThe session cost $0.0567.\n"))
    assert.notInclude(output, escape)
  })

  it("ends quietly when nobody reads any more, and aloud on what it does not know", () => {
    const run = (rest: string) =>
      spawnSync("bash", ["-c", `"$0" "$1" ${rest}; echo "\${PIPESTATUS[0]}"`, process.execPath, program], {
        encoding: "utf8"
      })
    const cut = run("| head -1")
    assert.strictEqual(cut.stderr, "")
    assert.match(cut.stdout, /^A recording: .*\n0\n$/)
    const unknown = run("--lvie")
    assert.include(unknown.stderr, "There is no --lvie here.")
    assert.strictEqual(unknown.stdout, "2\n")
  })
})

const hasScript = spawnSync("script", ["-qec", "true", "/dev/null"]).status === 0

// Node has no pseudo-terminals of its own.
describe.skipIf(!hasScript)("the terminal", () => {
  it("asks, hears a yes, and is stopped by Ctrl-C", async () => {
    const { code, output } = await inTerminal([
      ["⏎", "\r"],
      ["One process", ctrlC],
      ["hello.txt.", "\r"],
      ["May Bash run?", "y"],
      ["with Ctrl-C.", "\r"],
      ["A pipe is", ctrlC]
    ])
    assert.strictEqual(code, 0)
    assert.include(output, "yes\r\n")
    assert.include(output, "  Hello from the other end of the pipe.")
    assert.strictEqual(output.split("■ stopped").length, 3)
    assert.include(output, "The session cost $")
    assert.include(output, escape)
  })

  it("hears a no, goes on, and ends at Ctrl-C between turns; without colours if they are not wanted", async () => {
    const { code, output } = await inTerminal([
      ["⏎", "\r"],
      ["One process", ctrlC],
      ["hello.txt. ⏎", "\r"],
      ["(y once, a always, n no)", "n"],
      ["with Ctrl-C. ⏎", ctrlC]
    ], { NO_COLOR: "1" })
    assert.strictEqual(code, 0)
    assert.include(output, "no\r\n  The user said no.\r\nThen I leave it.")
    assert.notInclude(output, "A pipe is")
    assert.notInclude(output, escape)
  })

  it("has a question withdrawn by Ctrl-C", async () => {
    const { code, output } = await inTerminal([
      ["⏎", "\r"],
      ["One process", ctrlC],
      ["hello.txt. ⏎", "\r"],
      ["(y once, a always, n no)", ctrlC],
      ["with Ctrl-C. ⏎", ctrlC]
    ], { NO_COLOR: "1" })
    assert.strictEqual(code, 0)
    assert.match(output, /n no\) \r\n {2}The user doesn't want to proceed [^]+■ stopped/)
  })
})
