import type { CliOptions } from "@claude-duplex/transport-node/CliOptions"
import * as CliWarning from "@claude-duplex/transport-node/CliWarning"
import { assert, describe, it } from "@effect/vitest"

const kinds = (options: CliOptions) => CliWarning.warnings(options).map((warning) => warning.kind)
const asked: CliOptions = { permissionPromptTool: "stdio" }

describe("warnings", () => {
  it("has none for a session that asks", () => {
    assert.deepStrictEqual(kinds(asked), [])
    assert.deepStrictEqual(kinds({ ...asked, permissionMode: "plan", extraArgs: ["--permission-mode", "plan"] }), [])
  })

  it("sees a bypass in raw arguments, however it is written", () => {
    for (
      const extraArgs of [
        ["--dangerously-skip-permissions"],
        ["--permission-mode=bypassPermissions"],
        ["--permission-mode", "bypassPermissions"],
        ["--bare", "--permission-mode", "bypassPermissions"]
      ]
    ) assert.deepStrictEqual(kinds({ ...asked, extraArgs }), ["BypassInExtraArgs", "NobodyIsAsked"])
    assert.deepStrictEqual(kinds({ ...asked, extraArgs: ["--allow-dangerously-skip-permissions"] }), [
      "BypassInExtraArgs"
    ])
  })

  it("sees a bypass in settings and agents", () => {
    const settings = { permissions: { defaultMode: "bypassPermissions" } }
    assert.deepStrictEqual(kinds({ ...asked, settings }), ["BypassInSettings"])
    assert.deepStrictEqual(kinds({ ...asked, settings: { permissions: null } }), [])
    assert.deepStrictEqual(kinds({ ...asked, settings: "/settings.json" }), [])
    const agents = { a: { description: "", prompt: "", permissionMode: "bypassPermissions" as const } }
    assert.deepStrictEqual(kinds({ ...asked, agents }), ["BypassInAgent"])
  })

  it("says when a handler is never called", () => {
    assert.deepStrictEqual(kinds({ ...asked, permissionMode: "bypassPermissions" }), ["NobodyIsAsked"])
    assert.deepStrictEqual(kinds({ ...asked, dangerouslySkipPermissions: true }), ["NobodyIsAsked"])
    assert.deepStrictEqual(kinds({ dangerouslySkipPermissions: true }), [])
  })

  it("says when nobody can be asked", () => {
    assert.deepStrictEqual(kinds({}), ["NoPermissionPromptTool"])
    assert.deepStrictEqual(kinds({ permissionMode: "dontAsk" }), [])
    assert.deepStrictEqual(kinds({ extraArgs: ["--permission-prompt-tool", "stdio"] }), [])
  })

  it("says when the protocol is changed", () => {
    assert.deepStrictEqual(kinds({ ...asked, extraArgs: ["--output-format", "text"] }), ["ProtocolInExtraArgs"])
    assert.deepStrictEqual(kinds({ ...asked, extraArgs: ["--input-format=text"] }), ["ProtocolInExtraArgs"])
    assert.deepStrictEqual(kinds({ ...asked, replayUserMessages: false }), ["ReplayOff"])
  })

  it("says when no process can start", () => {
    assert.deepStrictEqual(kinds({ ...asked, systemPrompt: "x".repeat(131_072) }), ["ArgumentTooLong"])
  })
})
