import * as Reply from "@claude-duplex/loopback-api/Reply"
import { assert, describe, it } from "@effect/vitest"

describe("error", () => {
  it("has the API's type for its status", () => {
    const types = [400, 401, 403, 404, 413, 418, 429, 500, 503, 529].map((status) => Reply.error(status).error.type)
    assert.deepStrictEqual(types, [
      "invalid_request_error",
      "authentication_error",
      "permission_error",
      "not_found_error",
      "request_too_large",
      "invalid_request_error",
      "rate_limit_error",
      "api_error",
      "api_error",
      "overloaded_error"
    ])
  })

  it("says what it is told to", () => {
    const { error, headers } = Reply.error(400, {
      type: "custom_error",
      message: "No.",
      retryAfter: "1500 millis",
      headers: { "x-should-retry": "false" }
    })
    assert.deepStrictEqual(error, { type: "custom_error", message: "No." })
    assert.deepStrictEqual(headers, { "retry-after": "1.5", "x-should-retry": "false" })
  })

  it("has a status for its type", () => {
    assert.deepStrictEqual(
      ["overloaded_error", "rate_limit_error", "custom_error"].map((type) => Reply.statusOf({ type, message: "" })),
      [529, 429, 500]
    )
  })
})

it("withOptions adds to what was said, and the last word counts", () => {
  const reply = Reply.withOptions(Reply.text("x", { chunk: 1, pace: 5 }), { chunk: 2 })
  assert.deepStrictEqual(reply.options, { chunk: 2, pace: 5 })
  assert.deepStrictEqual(Reply.withOptions({ chunk: 2 })(Reply.text("x", { chunk: 1, pace: 5 })), reply)
})
