import * as CliEnvironment from "@claude-duplex/transport-node/CliEnvironment"
import { assert, describe, it } from "@effect/vitest"

const own = { CLAUDE_CODE_ENTRYPOINT: "claude-duplex" }

describe("make", () => {
  it("inherits, without what a parent CLI has set (pain 25)", () => {
    const parent = { PATH: "/bin", CLAUDECODE: "1", CLAUDE_CODE_ENTRYPOINT: "cli", EMPTY: "", GONE: undefined }
    const before = { ...parent }
    assert.deepStrictEqual(CliEnvironment.make({ parent }), { PATH: "/bin", EMPTY: "", ...own })
    assert.deepStrictEqual(parent, before)
  })

  it("inherits nothing if told so", () => {
    assert.deepStrictEqual(CliEnvironment.make({ parent: { PATH: "/bin", HOME: "/" }, inherit: false }), own)
    assert.deepStrictEqual(
      CliEnvironment.make({ parent: { PATH: "/bin" }, inherit: false, extra: { PATH: "/sbin" } }),
      { PATH: "/sbin", ...own }
    )
  })

  it("lets extra win, and remove", () => {
    assert.deepStrictEqual(
      CliEnvironment.make({
        parent: { A: "1", B: "1", C: "1" },
        extra: { A: "2", B: undefined, D: "2", CLAUDE_CODE_ENTRYPOINT: "mine", CLAUDECODE: "1" }
      }),
      { A: "2", C: "1", D: "2", CLAUDE_CODE_ENTRYPOINT: "mine", CLAUDECODE: "1" }
    )
    assert.deepStrictEqual(CliEnvironment.make({ parent: {}, extra: { CLAUDE_CODE_ENTRYPOINT: undefined } }), {})
  })

  it("removes node's options if they are a debugger's", () => {
    for (
      const NODE_OPTIONS of [
        "--inspect",
        "--inspect-brk=127.0.0.1:9229",
        "--max-old-space-size=4096 --inspect-port=0",
        "--require \"/a b.js\" --inspect-publish-uid=http",
        "\"--inspect\"",
        "--debug-port=1"
      ]
    ) assert.deepStrictEqual(CliEnvironment.make({ parent: { NODE_OPTIONS } }), own)
    const parent = { NODE_OPTIONS: "--require /bootloader.js", VSCODE_INSPECTOR_OPTIONS: "{}" }
    assert.deepStrictEqual(CliEnvironment.make({ parent }), own)
  })

  it("keeps node's options otherwise, and those that are asked for", () => {
    for (const NODE_OPTIONS of ["--max-old-space-size=4096", "--require=/x--inspect.js", ""]) {
      assert.deepStrictEqual(CliEnvironment.make({ parent: { NODE_OPTIONS } }), { NODE_OPTIONS, ...own })
    }
    const extra = { NODE_OPTIONS: "--inspect=0" }
    assert.deepStrictEqual(CliEnvironment.make({ parent: { NODE_OPTIONS: "--inspect" }, extra }), { ...extra, ...own })
  })
})
