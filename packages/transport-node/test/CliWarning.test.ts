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
        ["--bare", "--permission-mode", "bypassPermissions"],
        ["--dangerously-skip-permissions=true"],
        [`--settings={"permissions":{"defaultMode":"bypassPermissions"}}`],
        ["--settings", ` { "permissions": { "defaultMode": "bypassPermissions" } } `],
        ["--settings", "first.json", "--settings", `{"permissions":{"defaultMode":"bypassPermissions"}}`]
      ]
    ) assert.deepStrictEqual(kinds({ ...asked, extraArgs }), ["BypassInExtraArgs", "NobodyIsAsked"])
    const agents = JSON.stringify({ a: { description: "", prompt: "", permissionMode: "bypassPermissions" } })
    for (
      const extraArgs of [["--allow-dangerously-skip-permissions"], [`--agents=${agents}`], ["--agents", agents]]
    ) assert.deepStrictEqual(kinds({ ...asked, extraArgs }), ["BypassInExtraArgs"])
  })

  it("takes nothing in raw arguments for a bypass that is none", () => {
    for (
      const extraArgs of [
        ["--settings", "settings.json"],
        ["--settings=not JSON {"],
        ["--settings"],
        [`--settings={"permissions":{"defaultMode":"plan"}}`],
        ["--agents=null"],
        ["--agents={}"]
      ]
    ) assert.deepStrictEqual(kinds({ ...asked, extraArgs }), [])
  })

  it("sees a bypass in settings and agents", () => {
    const settings = { permissions: { defaultMode: "bypassPermissions" } }
    assert.deepStrictEqual(kinds({ ...asked, settings }), ["BypassInSettings"])
    assert.deepStrictEqual(kinds({ ...asked, settings: { permissions: null } }), [])
    assert.deepStrictEqual(kinds({ ...asked, settings: JSON.stringify(settings) }), ["BypassInSettings"])
    assert.deepStrictEqual(kinds({ ...asked, settings: "/settings.json" }), [])
    const agents = { a: { description: "", prompt: "", permissionMode: "bypassPermissions" as const } }
    assert.deepStrictEqual(kinds({ ...asked, agents }), ["BypassInAgent"])
  })

  it("says when a handler is never called (pain 9)", () => {
    assert.deepStrictEqual(kinds({ ...asked, permissionMode: "bypassPermissions" }), ["NobodyIsAsked"])
    assert.deepStrictEqual(kinds({ ...asked, dangerouslySkipPermissions: true }), ["NobodyIsAsked"])
    assert.deepStrictEqual(kinds({ dangerouslySkipPermissions: true }), [])
  })

  it("says when rules leave nothing to ask about, or do nothing (pain 9)", () => {
    for (const rule of ["Bash", "Bash(*)"]) {
      assert.deepStrictEqual(kinds({ ...asked, allowedTools: ["Read", rule] }), ["ShellAllowed"])
      assert.deepStrictEqual(kinds({ ...asked, settings: { permissions: { allow: [rule] } } }), ["ShellAllowed"])
      assert.deepStrictEqual(kinds({ ...asked, extraArgs: ["--allowedTools", rule] }), ["ShellAllowed"])
    }
    assert.deepStrictEqual(kinds({ ...asked, allowedTools: ["Bash(git log:*)", "Read"] }), [])
    assert.deepStrictEqual(kinds({ ...asked, allowedTools: ["*"] }), ["RuleWithoutEffect"])
    assert.deepStrictEqual(kinds({ ...asked, disallowedTools: ["*"] }), ["RuleWithoutEffect"])
  })

  it("says when nobody can be asked (pain 9)", () => {
    assert.deepStrictEqual(kinds({}), ["NoPermissionPromptTool"])
    assert.deepStrictEqual(kinds({ permissionMode: "dontAsk" }), [])
    assert.deepStrictEqual(kinds({ extraArgs: ["--permission-prompt-tool", "stdio"] }), [])
  })

  it("says when the protocol is changed", () => {
    assert.deepStrictEqual(kinds({ ...asked, extraArgs: ["--output-format", "text"] }), ["ProtocolInExtraArgs"])
    assert.deepStrictEqual(kinds({ ...asked, extraArgs: ["--input-format=text"] }), ["ProtocolInExtraArgs"])
    assert.deepStrictEqual(kinds({ ...asked, replayUserMessages: false }), ["ReplayOff"])
  })

  it("says when the environment would confuse the CLI", () => {
    for (const env of [{ CLAUDECODE: "1" }, { NODE_OPTIONS: "--inspect-brk" }]) {
      assert.deepStrictEqual(CliWarning.warnings(asked, env).map(({ kind }) => kind), ["LeakedEnvironment"])
    }
    assert.deepStrictEqual(CliWarning.warnings(asked, { CLAUDECODE: undefined, HOME: "/" }), [])
  })

  it("says when others can see a secret in the list of processes", () => {
    const headers = { Authorization: "Bearer made-up-token" }
    const mcpServers = { db: { type: "http" as const, url: "http://127.0.0.1:1", headers } }
    const json = JSON.stringify({ mcpServers })
    for (
      const options of [
        { mcpServers },
        { mcpServers: { db: { command: "db", env: { DB_PASSWORD: "made-up" } } } },
        { mcpConfig: [json] },
        { settings: { env: { GITHUB_TOKEN: "made-up" } } },
        { settings: `{"env":{"GITHUB_TOKEN":"made-up"}}` },
        { extraArgs: [`--mcp-config=${json}`] },
        { extraArgs: ["--settings", `{"env":{"GITHUB_TOKEN":"made-up"}}`] }
      ]
    ) assert.deepStrictEqual(kinds({ ...asked, ...options }), ["SecretInArguments"])
    for (
      const options of [
        { mcpServers: { db: { command: "db", args: ["-v"], env: { LANG: "C" } } }, mcpConfig: ["servers.json"] },
        { jsonSchema: { properties: { token: { type: "string" } } }, settings: "settings.json" },
        { agents: { secret: { description: "a token", prompt: "password" } } }
      ]
    ) assert.deepStrictEqual(kinds({ ...asked, ...options }), [])
  })

  it("says when no process can start", () => {
    assert.deepStrictEqual(kinds({ ...asked, systemPrompt: "x".repeat(131_072) }), ["ArgumentTooLong"])
  })
})
