/** The proxy, with real processes at both of its ends. */
import * as Recording from "@claude-duplex/transport-mock/Recording"
import { assert, describe, it } from "@effect/vitest"
import { Either } from "effect"
import { createHash, randomBytes } from "node:crypto"
import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect } from "vitest"
import * as Terminal from "./support/terminal.js"
import * as Tool from "./support/tool.js"

const entriesOf = (file: string) => Either.getOrThrow(Recording.parse(readFileSync(file, "utf8"))).entries

const linesOf = (file: string, dir: Recording.Direction) =>
  entriesOf(file).filter((entry) => entry.dir === dir).map(({ line }) => line)

/** A command of a few lines of JavaScript. */
const script = (code: string) => ["--", process.execPath, "-e", code]

const echo = script("process.stdin.pipe(process.stdout)")

describe("record", () => {
  it("passes every byte on, in both directions, and records both", async () => {
    const out = join(Tool.folder(), "a.jsonl")
    const lines = ["{\"a\":1}\r", "", "\u2028 ☃ 🎉", "x".repeat(200_000), "not ended"].join("\n")
    const bytes = Buffer.concat([Buffer.from([0xff, 0xfe, 0x0a]), Buffer.from(lines)])
    const { code, stderr, stdout } = await Tool.run(["record", "--out", out, ...echo], bytes)
    assert.deepStrictEqual([code, stderr], [0, ""])
    assert.isTrue(stdout.equals(bytes))
    assert.deepStrictEqual(linesOf(out, "cli"), ["\udcff\udcfe", ...lines.split("\n")])
    assert.deepStrictEqual(linesOf(out, "host"), linesOf(out, "cli"))
  })

  it("holds a fast writer back, and loses nothing: 64 MB to a reader who waits", async () => {
    const out = join(Tool.folder(), "a.jsonl")
    const size = 64_000_000
    const child = Tool.start(process.execPath, [Terminal.tool, "record", "--raw", "--out", out, ...echo])
    const line = Buffer.concat([Buffer.from(randomBytes(3_999).toString("base64")), Buffer.from("\n")])
    const sent = createHash("sha256")
    const received = createHash("sha256")
    const done = new Promise<void>((resolve) => child.on("close", () => resolve()))
    let isHeldBack = false
    for (let left = size; left > 0; left -= line.length) {
      sent.update(line)
      if (!child.stdin.write(line)) {
        // Nobody reads yet: the pipes fill up, and the writer has to wait.
        if (!isHeldBack) {
          isHeldBack = true
          child.stdout.on("data", (bytes: Buffer) => received.update(bytes))
        }
        await new Promise((resolve) => child.stdin.once("drain", resolve))
      }
    }
    child.stdin.end()
    await done
    assert.isTrue(isHeldBack)
    assert.strictEqual(received.digest("hex"), sent.digest("hex"))
  })

  it("passes stderr on, and ends as the command did: with its code, or by its signal", async () => {
    const out = Tool.folder()
    const run = (code: string) => Tool.run(["record", "--out", out, ...script(code)])
    const withCode = await run("process.stderr.write('so long'); process.exitCode = 7")
    assert.deepStrictEqual([withCode.code, withCode.stderr], [7, "so long"])
    for (const signal of ["SIGKILL", "SIGTERM"]) {
      const ended = await run(`process.kill(process.pid, "${signal}")`)
      assert.deepStrictEqual([ended.code, ended.signal], [null, signal])
    }
  })

  it("passes signals on, and waits for what the command makes of them", async () => {
    const out = join(Tool.folder(), "a.jsonl")
    const child = Tool.start(process.execPath, [
      Terminal.tool,
      "record",
      "--out",
      out,
      ...script(
        "process.on('SIGTERM', () => setTimeout(() => { console.log('saved'); process.exit(5) }, 100)); console.log('up'); setInterval(() => 0, 1000)"
      )
    ])
    const end = Tool.ended(child)
    child.stdout.once("data", () => child.kill("SIGTERM"))
    const { code, stdout } = await end
    assert.deepStrictEqual([code, stdout.toString()], [5, "up\nsaved\n"])
    assert.deepStrictEqual(linesOf(out, "cli"), ["up", "saved"])
  })

  it("ends when the command does, though its host goes on", async () => {
    const child = Tool.start(process.execPath, [Terminal.tool, "record", "--out", Tool.folder(), ...script("0")])
    child.stdin.on("error", () => undefined)
    assert.strictEqual((await Tool.ended(child)).code, 0)
  })

  it("a reader that goes away is a closed pipe to the command", async () => {
    const child = Tool.start(process.execPath, [
      Terminal.tool,
      "record",
      "--out",
      Tool.folder(),
      ...script("process.stdout.on('error', () => process.exit(9)); setInterval(() => console.log('x'), 5)")
    ])
    child.stdout.once("data", () => child.stdout.destroy())
    assert.strictEqual(await new Promise((resolve) => child.on("exit", resolve)), 9)
  })

  it("overwrites nothing: a name that is taken gets a number, a folder has a file for each", async () => {
    const folder = Tool.folder()
    const out = join(folder, "new", "a.jsonl")
    await Tool.run(["record", "-o", out, ...echo], "one\n")
    await Tool.run(["record", "-o", out, ...echo], "two\n")
    assert.deepStrictEqual(linesOf(out, "host"), ["one"])
    assert.deepStrictEqual(linesOf(join(folder, "new", "a-2.jsonl"), "host"), ["two"])
    await Tool.run(["record", "-o", `${folder}/all/`, ...echo], "three\n")
    const [file = ""] = readdirSync(join(folder, "all"))
    assert.match(file, /^recording-\d{8}T\d{6}Z-\d+\.jsonl$/)
  })

  it("takes keys and tokens out, of the recording only; unless it is to be raw", async () => {
    const folder = Tool.folder()
    const line = `{"env":{"ANTHROPIC_API_KEY":"sk-ant-api03-AAAABBBBCCCC-dddd_eeee"}}`
    const redacted = await Tool.run(["record", "-o", join(folder, "a.jsonl"), ...echo], line)
    assert.strictEqual(redacted.stdout.toString(), line)
    assert.notInclude(readFileSync(join(folder, "a.jsonl"), "utf8"), "AAAABBBB")
    await Tool.run(["record", "--raw", "-o", join(folder, "b.jsonl"), ...echo], line)
    assert.deepStrictEqual(linesOf(join(folder, "b.jsonl"), "cli"), [line])
  })

  it("a recording that cannot be written does not touch the traffic", async () => {
    const folder = Tool.folder()
    writeFileSync(join(folder, "file"), "")
    const { code, stderr, stdout } = await Tool.run(["record", "-o", join(folder, "file", "a.jsonl"), ...echo], "hello")
    assert.deepStrictEqual([code, stdout.toString()], [0, "hello"])
    assert.match(stderr, /^claude-duplex record: Nothing is recorded: .*\n$/)
  })

  it("what is not there is one line, and code 3", async () => {
    const { code, stderr, stdout } = await Tool.run(["record", "--", "/nowhere/claude"])
    assert.deepStrictEqual([code, stdout.length], [3, 0])
    assert.match(stderr, /^claude-duplex: There is no \/nowhere\/claude\. .*\n$/)
  })

  it("in a terminal, it says where the recording is", async () => {
    const out = join(Tool.folder(), "a.jsonl")
    const terminal = Terminal.open(["record", "--out", out, "--", Terminal.fakeClaude, "--version"], {
      env: { NO_COLOR: "1" }
    })
    const { exitCode } = await terminal.exit
    assert.strictEqual(exitCode, 0)
    await expect(terminal.screen().replaceAll("\n", "").replace(out, "\n(the file)")).toMatchFileSnapshot(
      "./screens/record-terminal.txt"
    )
  })
})

describe("record --shim", () => {
  it("writes an executable that records whenever it is run, wherever that is", async () => {
    const folder = Tool.folder()
    const shim = join(folder, "claude")
    const written = await Tool.run(["record", "--out", `${folder}/out/`, "--shim", shim, "--", Terminal.fakeClaude])
    assert.deepStrictEqual([written.code, written.stderr], [0, ""])
    assert.strictEqual(statSync(shim).mode & 0o111, 0o111)
    // As a program of its own, and as a script of node's.
    for (const [command, ...args] of [[shim], [process.execPath, shim]] as const) {
      const child = Tool.start(command, [...args, "--version"])
      child.stdin.end()
      assert.strictEqual((await Tool.ended(child)).stdout.toString(), "2.1.326 (Claude Code)\n")
    }
    assert.strictEqual(readdirSync(join(folder, "out")).length, 2)
  })

  it("does not stand in for itself, nor take another file's place", async () => {
    const folder = Tool.folder()
    const claude = join(folder, "claude")
    writeFileSync(claude, "#!/bin/sh\n")
    chmodSync(claude, 0o755)
    const itself = await Tool.run(["record", "--shim", claude, "--", claude])
    assert.deepStrictEqual([itself.code, readFileSync(claude, "utf8")], [2, "#!/bin/sh\n"])
    assert.include(itself.stderr, "cannot stand in for itself")
    const other = await Tool.run(["record", "--shim", claude, "--", Terminal.fakeClaude])
    assert.deepStrictEqual([other.code, readFileSync(claude, "utf8")], [2, "#!/bin/sh\n"])
  })
})
