import * as HostRequest from "@claude-duplex/protocol/schema/HostRequest"
import { assert, describe, it } from "@effect/vitest"
import { Schema, Struct } from "effect"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { answers } from "../../src/internal/cliVersion.js"

const subtypes = Struct.keys(HostRequest.requests)

describe("the table of control requests", () => {
  for (const subtype of subtypes) {
    it(`${subtype} is the subtype of its payload`, () => {
      const { payload, response } = HostRequest.requests[subtype]
      assert.deepStrictEqual<ReadonlyArray<unknown>>(payload.fields.subtype.literals, [subtype])
      assert.strictEqual<Schema.Schema.Any>(HostRequest.responses[subtype], response)
    })
  }

  it("is what `HostRequest` is made of", () => {
    assert.deepStrictEqual<ReadonlyArray<unknown>>(
      HostRequest.HostRequest.members,
      subtypes.map((subtype) => HostRequest.requests[subtype].payload)
    )
    const isRequest = Schema.is(HostRequest.HostRequest)
    assert.isTrue(isRequest({ subtype: "mcp_toggle", serverName: "s", enabled: true }))
    assert.isFalse(isRequest({ subtype: "mcp_toggle", serverName: "s" }))
  })

  it("has the versions that docs/support.md was measured with", () => {
    const page = readFileSync(fileURLToPath(new URL("../../../../docs/support.md", import.meta.url)), "utf8")
    const [, section = ""] = page.split("## Control requests")
    const rows = (section.split("\n## ")[0] ?? "").split("\n").filter((line) => line.startsWith("|")).map((line) =>
      line.split("|").slice(1, -1).map((cell) => cell.trim())
    )
    const [, ...versions] = rows[0] ?? []
    const measured = rows.slice(2).map(([name = "", ...has]) => [
      name.replaceAll("`", ""),
      // The columns are the versions, the newest first.
      versions[has.lastIndexOf("✓")]
    ])
    assert.sameDeepMembers(
      measured,
      subtypes.flatMap((subtype) => {
        const { since } = HostRequest.requests[subtype]
        return since === undefined ? [] : [[subtype, since]]
      })
    )
  })

  it("tells which requests an old CLI would never answer", () => {
    const known = (version: string | undefined) => subtypes.filter((subtype) => answers(version, subtype))
    const early = ["initialize", "interrupt", "mcp_status", "set_model", "set_permission_mode"]
    assert.sameMembers(known(undefined), early)
    assert.sameMembers(known("2.0.0"), early)
    const later = [...early, "mcp_message", "mcp_set_servers", "rewind_files", "set_max_thinking_tokens"]
    for (const version of ["2.0.1", "2.0.76", "2.1.40"]) assert.sameMembers(known(version), later)
    assert.sameMembers(known("2.1.50"), subtypes)
  })
})
