import * as Gate from "@claude-duplex/ui/Gate"
import { assert, describe, it } from "@effect/vitest"

const gate = Gate.make({ port: 8080, token: "secret" })

const visitor = { path: "/secret/", host: "127.0.0.1:8080", origin: undefined, isUpgrade: false }

const reason = (verdict: Gate.Verdict) => verdict._tag === "Refused" ? verdict.reason : verdict.path

describe("the gate", () => {
  it("lets in who knows the token, and shows the rest of the path", () => {
    assert.strictEqual(reason(gate(visitor)), "/")
    assert.strictEqual(reason(gate({ ...visitor, path: "/secret/assets/a.js" })), "/assets/a.js")
    assert.strictEqual(reason(gate({ ...visitor, host: "localhost:8080" })), "/")
    assert.strictEqual(
      reason(gate({ ...visitor, path: "/secret/rpc", origin: "http://127.0.0.1:8080", isUpgrade: true })),
      "/rpc"
    )
  })

  it.each(["/", "", "/secret", "/secre/", "/secrets/", "//secret/", "/SECRET/", "/x/secret/", "/%73ecret/"])(
    "refuses the path %j",
    (path) => assert.strictEqual(reason(gate({ ...visitor, path })), "Token")
  )

  it.each([undefined, "", "evil.example", "evil.example:8080", "127.0.0.1", "127.0.0.1:8081", "[::1]:8080"])(
    "refuses the host %j: a name of somebody else's may lead here",
    (host) => assert.strictEqual(reason(gate({ ...visitor, host })), "Host")
  )

  it.each(["null", "http://evil.example", "https://127.0.0.1:8080", "http://127.0.0.1:8081", "http://localhost:8080"])(
    "refuses a page of the origin %j",
    (origin) => {
      for (const isUpgrade of [true, false]) {
        assert.strictEqual(reason(gate({ ...visitor, origin, isUpgrade })), "Origin")
      }
    }
  )

  it("refuses a WebSocket without an origin", () => {
    assert.strictEqual(reason(gate({ ...visitor, path: "/secret/rpc", isUpgrade: true })), "Origin")
  })

  it("makes tokens that differ, and fit into a path", () => {
    const tokens = Array.from({ length: 100 }, Gate.makeToken)
    assert.strictEqual(new Set(tokens).size, 100)
    for (const token of tokens) assert.match(token, /^[\w-]{43}$/)
  })
})
