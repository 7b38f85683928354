import * as Codec from "@claude-duplex/protocol/Codec"
import type { DecodeError } from "@claude-duplex/protocol/DecodeError"
import * as Frame from "@claude-duplex/protocol/Frame"
import type { ResultFrame } from "@claude-duplex/protocol/schema/ResultFrame"
import { assert, describe, it } from "@effect/vitest"
import { Either } from "effect"

const lines = [
  `{"type":"keep_alive"}`,
  `{"type":"control_cancel_request","request_id":"1"}`,
  `{"type":"hologram"}`,
  "log text"
]

const cliItems: ReadonlyArray<Codec.Item> = lines.map((line) => Either.merge(Codec.cli.decode(line)))
const hostItems: ReadonlyArray<Codec.HostItem> = lines.map((line) => Either.merge(Codec.host.decode(line)))

describe("isKnown", () => {
  it("is true of known frames alone, and narrows", () => {
    const types: ReadonlyArray<Frame.CliFrame["type"]> = cliItems.filter(Frame.isKnown).map(({ type }) => type)
    assert.deepStrictEqual(types, ["keep_alive", "control_cancel_request"])
    const others: ReadonlyArray<Frame.Unknown | DecodeError> = cliItems.flatMap((item) =>
      Frame.isKnown(item) ? [] : [item]
    )
    assert.deepStrictEqual(others.map(({ _tag }) => _tag), ["Unknown", "DecodeError"])
  })

  it("in both directions", () => {
    const types: ReadonlyArray<Frame.HostFrame["type"]> = hostItems.filter(Frame.isKnown).map(({ type }) => type)
    // Only the CLI sends `keep_alive`.
    assert.deepStrictEqual(types, ["control_cancel_request"])
  })
})

describe("match", () => {
  it("takes the function for the type, else `known`; `Unknown` and `DecodeError` have their own", () => {
    const seen = cliItems.map((item): string | number =>
      Frame.match(item, {
        control_cancel_request: ({ request_id }) => Number(request_id),
        known: ({ type }) => type,
        Unknown: ({ reason }) => reason,
        DecodeError: ({ reason }) => reason
      })
    )
    assert.deepStrictEqual(seen, ["keep_alive", 1, "UnknownType", "InvalidJson"])
  })

  it("without `known`, every type has a function", () => {
    const seen = hostItems.map((item) =>
      Frame.match(item, {
        user: () => "user",
        control_request: () => "control_request",
        control_response: () => "control_response",
        control_cancel_request: ({ request_id }) => `cancel ${request_id}`,
        Unknown: () => "unknown",
        DecodeError: () => "not JSON"
      })
    )
    assert.deepStrictEqual(seen, ["unknown", "cancel 1", "unknown", "not JSON"])
  })

  it("asks only for what can occur, and refuses what is left out or misspelled", () => {
    const describeResult = (result: ResultFrame | Frame.Unknown): string =>
      Frame.match(result, { result: ({ subtype }) => String(subtype), Unknown: ({ reason }) => reason })
    assert.strictEqual(describeResult(new Frame.Unknown({ type: "result" }, "UnexpectedShape")), "UnexpectedShape")
    const incomplete = (result: ResultFrame | Frame.Unknown) =>
      // @ts-expect-error there is no function for `Unknown`
      Frame.match(result, { result: () => "" })
    assert.throws(() => incomplete(new Frame.Unknown(1, "NotAnObject")), "Unknown")
    const misspelled = (item: Codec.HostItem) =>
      // @ts-expect-error there is no type `usr`
      Frame.match(item, { usr: () => "", known: () => "", Unknown: () => "", DecodeError: () => "" })
    assert.isFunction(misspelled)
  })
})
