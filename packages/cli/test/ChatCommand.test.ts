/** `chat` as a person has it: in a terminal, on recordings and on `fake-claude`; and through a pipe. */
import { assert, describe, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import { expect } from "vitest"
import * as Scripts from "./support/scripts.js"
import * as Terminal from "./support/terminal.js"

const { keys } = Terminal

const golden = (name: string) => `./screens/chat-${name}.txt`

const replay = (name: string) =>
  Terminal.open(["chat", "--replay", Terminal.recording(name), "--speed", "1000"], { env: { NO_COLOR: "1" } })

const play = (...steps: ReadonlyArray<Scripts.Step | ReadonlyArray<Scripts.Step>>) =>
  Terminal.open(["chat", "--claude", Terminal.fakeClaude], {
    env: { NO_COLOR: "1", FAKE_CLAUDE_SCRIPT: Scripts.write(...steps) }
  })

/** Says something, as soon as it can be said. */
const say = async (terminal: Terminal.Terminal, text: string) => {
  await terminal.until(/\n› $|\n›$/)
  terminal.type(`${text}${keys.enter}`)
}

describe("chat in a terminal", () => {
  it("plays a recording: streams, asks, and tells the cost of each turn", async () => {
    const terminal = replay("2.1.326/tour")
    await terminal.until("› What happens")
    terminal.type(keys.enter)
    await terminal.until("hello.txt.")
    terminal.type(keys.enter)
    await terminal.until("e edit the input")
    await expect(terminal.screen()).toMatchFileSnapshot(golden("question"))
    terminal.type("y")
    await terminal.until("with Ctrl-C.")
    terminal.type(keys.enter)
    assert.strictEqual((await terminal.exit).exitCode, 0)
    await expect(terminal.screen()).toMatchFileSnapshot(golden("tour"))
  })

  it("stops a turn with Ctrl-C, sends what was queued meanwhile, and tells how full the context is", async () => {
    const terminal = play(
      Scripts.context,
      Scripts.turn("first"),
      Scripts.text("Once upon a time"),
      Scripts.interrupted,
      Scripts.aborted,
      Scripts.turn("second"),
      Scripts.text("Well then."),
      Scripts.result({ total_cost_usd: 0.03 })
    )
    await say(terminal, "first")
    await terminal.until("Once upon")
    terminal.type(`second${keys.enter}`)
    await terminal.until("queued: second")
    terminal.type("a draft that stays")
    await terminal.until("stays")
    await expect(terminal.screen()).toMatchFileSnapshot(golden("queued"))
    terminal.type(keys.ctrlC)
    await terminal.until(/Well then\.\n\$0\.\d+ · context 12%/)
    terminal.type(keys.ctrlC)
    await terminal.until("ends the session.")
    terminal.type(keys.ctrlC)
    assert.strictEqual((await terminal.exit).exitCode, 0)
    await expect(terminal.screen()).toMatchFileSnapshot(golden("stopped"))
  })

  it("a second Ctrl-C ends the session while a turn runs that does not stop", async () => {
    const terminal = play(Scripts.turn(), Scripts.text("Never"), { delay: "1 hour" })
    await say(terminal, "go")
    await terminal.until("Never")
    terminal.type(keys.ctrlC)
    terminal.type(keys.ctrlC)
    assert.strictEqual((await terminal.exit).exitCode, 0)
    assert.include(terminal.screen(), "The session cost")
  }, 30_000)

  it("a question is answered by a key: no, always, or with another input", async () => {
    const rule = {
      type: "addRules",
      rules: [{ toolName: "Bash", ruleContent: "ls:*" }],
      behavior: "allow",
      destination: "session"
    }
    const terminal = play(
      Scripts.context,
      Scripts.turn(),
      Scripts.question({ command: "ls /" }, { behavior: "deny" }),
      Scripts.question({ command: "ls" }, { behavior: "allow", updatedPermissions: [rule] }, [rule]),
      Scripts.question({ command: "rm x\ny" }, { behavior: "allow", updatedInput: { command: "rm y" } }),
      Scripts.text("Done."),
      Scripts.result()
    )
    await say(terminal, "go")
    await terminal.until("command: ls /\n  y once   n no")
    terminal.type("xan")
    await terminal.until(/always: Bash\(ls:\*\)\n {2}y once {3}a always/)
    terminal.type("a")
    await terminal.until("rm x")
    terminal.type("e")
    await terminal.until("edit ›")
    terminal.type("\u007f" + keys.enter)
    await terminal.until("not a JSON object")
    await expect(terminal.screen()).toMatchFileSnapshot(golden("edit"))
    terminal.type(`\u0015{"command":"rm y"}\u000b${keys.enter}`)
    // This line follows the result and the response about the context, so nothing is open when Ctrl-D ends the session.
    await terminal.until(/Done\.\n\$0\.\d+ · context 12%/)
    terminal.type(keys.ctrlD)
    assert.strictEqual((await terminal.exit).exitCode, 0)
    await expect(terminal.screen()).toMatchFileSnapshot(golden("answers"))
  })

  it("says how a CLI died, and leaves the terminal as it was", async () => {
    const terminal = play(Scripts.turn(), Scripts.text("I am"), { stderr: "out of luck\n" }, { exit: 9 })
    await say(terminal, "go")
    const { exitCode } = await terminal.exit
    assert.strictEqual(exitCode, 3)
    assert.match(terminal.screen(), /I am\nclaude-duplex: The CLI ended with code 9\. It wrote to stderr: out of luck$/)
  })

  it("has colours, where they are wanted", async () => {
    const terminal = Terminal.open(["chat", "--replay", Terminal.recording("2.1.326/plain"), "--speed", "1000"])
    await terminal.until("› hello")
    terminal.type(keys.ctrlD)
    assert.strictEqual((await terminal.exit).exitCode, 0)
    assert.isTrue(terminal.hasColours())
  })
})

const piped = (input: string, ...args: ReadonlyArray<string>) => {
  const { status, stderr, stdout } = spawnSync(process.execPath, [Terminal.tool, "chat", ...args], {
    input,
    encoding: "utf8",
    timeout: 30_000,
    env: { PATH: process.env["PATH"], HOME: "/nowhere", FAKE_CLAUDE_SCRIPT: process.env["FAKE_CLAUDE_SCRIPT"] }
  })
  return { code: status, stderr, stdout }
}

describe("chat through a pipe", () => {
  it("a prompt a line, plain output", async () => {
    const { code, stderr, stdout } = piped(
      "hi\n\nthere\n",
      "--replay",
      Terminal.recording("2.1.326/plain"),
      "--speed=1000"
    )
    assert.deepStrictEqual([code, stderr], [0, ""])
    await expect(stdout).toMatchFileSnapshot(golden("piped"))
  })

  it("nobody is asked: denied, unless the command line allows it", () => {
    const allowed = Terminal.recording("2.1.326/permission-allow")
    assert.include(
      piped("go\n", "--replay", allowed, "--speed=1000").stdout,
      "? Bash was denied: nobody is here to be asked (--allow Bash lets it run)"
    )
    assert.notInclude(piped("go\n", "--replay", allowed, "--speed=1000", "--allow", "Ba*").stdout, "denied")
  })

  it("errors are one line and a code", () => {
    const missing = piped("hi\n", "--claude", "/nowhere/claude")
    assert.deepStrictEqual([missing.code, missing.stdout], [3, ""])
    assert.match(missing.stderr, /^claude-duplex: There is no \/nowhere\/claude\. .*\n$/)
    const file = piped("", "--replay", "nowhere.jsonl")
    assert.deepStrictEqual([file.code, file.stderr], [2, "claude-duplex: nowhere.jsonl: there is no such file.\n"])
    assert.strictEqual(piped("", "--allow", "a*b").code, 2)
  })
})
