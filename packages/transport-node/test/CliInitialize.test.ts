import { InitializeRequest } from "@claude-duplex/protocol/schema/InitializeRequest"
import * as CliInitialize from "@claude-duplex/transport-node/CliInitialize"
import * as CliOptions from "@claude-duplex/transport-node/CliOptions"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"

const payload: CliOptions.CliOptions = {
  systemPrompt: "Be brief.",
  appendSystemPrompt: "And kind.",
  jsonSchema: { type: "object" },
  agents: { reviewer: { description: "Reviews", prompt: "You review." } },
  plugins: ["/plugin"],
  mcpServers: { files: { command: "files" } }
}

const initialize: CliInitialize.InitializePayload = {
  systemPrompt: ["Be brief."],
  appendSystemPrompt: "And kind.",
  jsonSchema: { type: "object" },
  agents: { reviewer: { description: "Reviews", prompt: "You review." } },
  plugins: [{ type: "local", path: "/plugin" }],
  mcpServers: { files: { command: "files" } }
}

describe("toInitialize", () => {
  it("gives what the protocol knows, and nothing that was not set", () => {
    assert.deepStrictEqual(CliInitialize.toInitialize({ ...payload, model: "opus" }), initialize)
    assert.isTrue(Schema.is(InitializeRequest)({ subtype: "initialize", ...CliInitialize.toInitialize(payload) }))
    assert.deepStrictEqual(CliInitialize.toInitialize({ model: "opus" }), {})
  })
})

describe("split", () => {
  it("leaves what fits", () => {
    assert.deepStrictEqual(CliInitialize.split(payload), { options: payload, initialize: {} })
  })

  it("moves what is one byte too long, flag included (pain 25)", () => {
    const fits = "x".repeat(CliOptions.maxArgumentBytes - "--system-prompt=".length)
    assert.deepStrictEqual(CliInitialize.split({ systemPrompt: fits }).initialize, {})
    assert.deepStrictEqual(CliInitialize.split({ model: "opus", systemPrompt: `${fits}x` }), {
      options: { model: "opus" },
      initialize: { systemPrompt: [`${fits}x`] }
    })
  })

  it("counts bytes, not characters", () => {
    const options = { appendSystemPrompt: "😀".repeat(40_000) }
    assert.deepStrictEqual(CliInitialize.split(options), { options: {}, initialize: options })
  })

  it("takes another limit", () => {
    assert.deepStrictEqual(
      CliInitialize.split({ systemPrompt: "x".repeat(100) }, { maxArgumentBytes: 100 }).options,
      {}
    )
  })

  it("moves everything on request, and has the CLI wait for it", () => {
    assert.deepStrictEqual(CliInitialize.split({ ...payload, model: "opus" }, { move: "all" }), {
      options: { model: "opus", awaitInitialize: true },
      initialize
    })
    assert.deepStrictEqual(CliInitialize.split({ systemPrompt: "x" }, { move: "all" }).options, {})
  })

  it("leaves what is refused where the error will name it", () => {
    const options = { systemPrompt: `\0${"x".repeat(200_000)}` }
    assert.deepStrictEqual(CliInitialize.split(options).options, options)
  })
})
