import type { ResultFrame } from "@claude-duplex/protocol/schema/ResultFrame"
import * as TurnResult from "@claude-duplex/protocol/TurnResult"
import { assert, describe, it } from "@effect/vitest"
import { linesOf, recordings } from "./support/recordings.js"

const resultsIn = (name: string): ReadonlyArray<ResultFrame> =>
  recordings.filter((recording) => recording.name === name).flatMap((recording) =>
    linesOf(recording, "cli").flatMap((line) => {
      const frame: { readonly type?: unknown } = line.startsWith("{") ? JSON.parse(line) : {}
      // `type: "result"` is checked; every result in the recordings has the shape of a `ResultFrame`.
      return frame.type === "result" ? [frame as ResultFrame] : []
    })
  )

describe("outcomeOf", () => {
  it("an interrupt is not an error, although its frame has is_error", () => {
    const results = resultsIn("2.1.326/interrupt")
    assert.deepStrictEqual(results.map((frame) => [TurnResult.outcomeOf(frame), frame.is_error]), [
      ["interrupted", true],
      ["success", false]
    ])
  })

  it("a CLI that does not send terminal_reason: an interrupt is the failure without an error text", () => {
    assert.include(resultsIn("1.0.128/interrupt").map(TurnResult.outcomeOf), "interrupted")
  })

  it("success with is_error is an error", () => {
    const [frame] = resultsIn("2.1.326/plain")
    assert.isDefined(frame)
    assert.strictEqual(TurnResult.outcomeOf({ ...frame, is_error: true }), "error")
  })
})
