import * as Codec from "@claude-duplex/protocol/Codec"
import { DecodeError } from "@claude-duplex/protocol/DecodeError"
import * as Frame from "@claude-duplex/protocol/Frame"
import { CliFrame, HostFrame, Unknown } from "@claude-duplex/protocol/Frame"
import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Either, FastCheck as fc, Redacted } from "effect"
import { withExtras } from "./support/extras.js"
import { linesOf, recordings } from "./support/recordings.js"
import { check } from "./support/sweep.js"

/** Lines of the recorded CLIs that are not known frames, each with its reason. */
const unknownFromCli: ReadonlyArray<readonly [recording: string, type: string, why: string]> = []

/** Lines of the recorded hosts that no host should send, each with its reason. */
const invalidFromHost: ReadonlyArray<readonly [recording: string, start: string, why: string]> = [
  ["2.1.326/malformed-in", "this is not json", "not JSON: the CLI exits"],
  ["2.1.326/bad-user-in", `{"type":"user","message":{"role":"assistant"`, "a wrong role: the CLI exits"],
  ["2.1.326/unknown-type-in", `{"type":"weird_type"`, "no such frame: the CLI ignores it"],
  ["2.1.326/controls", `{"type":"control_request","request_id":"req_33"`, "`path` for `directory`: the CLI refuses it"],
  ["2.1.326/controls", `{"type":"control_request","request_id":"req_35"`, "no such subtype: the CLI refuses it"],
  ["2.1.326/controls", `{"type":"control_request","request_id":"req_36"`, "the CLI's own subtype: the CLI refuses it"]
]

/** Both directions, with what belongs together. */
const directions = [
  {
    dir: "cli" as const,
    ast: CliFrame.ast,
    arbitrary: Arbitrary.make(CliFrame),
    decode: (line: string) => Either.merge(Codec.cli.decode(line)),
    roundTrip: (line: string) => Either.flatMap(Codec.cli.decode(line), Codec.cli.encode)
  },
  {
    dir: "host" as const,
    ast: HostFrame.ast,
    arbitrary: Arbitrary.make(HostFrame),
    decode: (line: string) => Either.merge(Codec.host.decode(line)),
    roundTrip: (line: string) => Either.flatMap(Codec.host.decode(line), Codec.host.encode)
  }
]

const describeItem = (item: Codec.Item | Codec.HostItem): unknown =>
  item instanceof DecodeError
    ? { reason: item.reason, line: item.line, text: Redacted.value(item.text) }
    : item instanceof Unknown
    ? { reason: item.reason, raw: item.raw }
    : item

const utf8 = (lines: ReadonlyArray<string>) => new TextEncoder().encode(lines.map((line) => `${line}\n`).join(""))

const decodeBytes = (chunks: ReadonlyArray<Uint8Array>) => {
  const decoder = Codec.cli.makeDecoder()
  return [...chunks.flatMap((chunk) => decoder.push(chunk)), ...decoder.end()].map(describeItem)
}

describe("recordings", () => {
  it("every line of every CLI is a known frame, except those listed", () => {
    const found = recordings.flatMap(({ entries, name }) =>
      entries.filter(({ dir }) => dir === "cli").flatMap(({ line }) => {
        const item = Either.merge(Codec.cli.decode(line))
        if (Frame.isKnown(item)) return []
        const listed = unknownFromCli.some(([recording, type]) =>
          recording === name && line.includes(`"type":"${type}"`)
        )
        return listed ? [] : [`${name}: ${item.reason}: ${item instanceof Unknown ? item.detail : item.message}`]
      })
    )
    assert.deepStrictEqual(found, [])
  })

  it("every line of every host passes the outgoing schema, except those listed", () => {
    const refused = recordings.flatMap(({ entries, name }) =>
      entries.filter(({ dir }) => dir === "host").flatMap(({ line }) => {
        const item = Either.merge(Codec.host.decode(line))
        if (Frame.isKnown(item)) {
          assert.isTrue(Either.isRight(Codec.host.encode(item)))
          return []
        }
        return [{ name, line }]
      })
    )
    assert.deepStrictEqual(
      refused.filter(({ line, name }) =>
        !invalidFromHost.some(([recording, start]) => recording === name && line.startsWith(start))
      ),
      []
    )
    assert.strictEqual(refused.length, invalidFromHost.length, "a listed line is valid now: take it off the list")
  })

  it("are lossless: decoding and encoding gives the same JSON, key order included", () => {
    let lines = 0
    for (const recording of recordings) {
      for (const { dir, roundTrip } of directions) {
        for (const line of linesOf(recording, dir)) {
          const encoded = roundTrip(line)
          // One line is deliberately not JSON.
          if (Either.isLeft(encoded) && encoded.left._tag === "DecodeError") continue
          assert.strictEqual(Either.getOrThrow(encoded), JSON.stringify(JSON.parse(line)))
          lines++
        }
      }
    }
    assert.isAbove(lines, 400)
  })

  it("a decoded frame is the parsed object itself", () => {
    const parsed = JSON.parse(`{"type":"keep_alive","x":{"y":1}}`)
    assert.strictEqual<unknown>(Codec.cli.fromJson(parsed), parsed)
  })

  it("cut anywhere, give the same frames (pain 5)", async () => {
    await check(
      fc.property(fc.constantFrom(...recordings), fc.array(fc.nat(), { maxLength: 20 }), (recording, places) => {
        const bytes = utf8(linesOf(recording, "cli"))
        const at = [0, ...places.map((place) => place % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]
        const cut = at.slice(1).map((end, i) => bytes.subarray(at[i], end))
        assert.deepStrictEqual(decodeBytes(cut), decodeBytes([bytes]))
      }),
      { sample: 25, full: 600 }
    )
  })

  it("byte by byte, and with trailing data, give the same frames", () => {
    for (const recording of recordings) {
      const lines = linesOf(recording, "cli")
      const bytes = utf8(lines)
      const whole = lines.map((line) => describeItem(Either.merge(Codec.cli.decode(line))))
      assert.deepStrictEqual(decodeBytes([bytes]), whole)
      const tail = `{"type":"keep_alive","cut`
      const trailing = Uint8Array.of(...bytes, ...new TextEncoder().encode(tail))
      const withTail = [...whole, { reason: "TruncatedTail", line: lines.length + 1, text: tail }]
      assert.deepStrictEqual(decodeBytes(Array.from(trailing, (_, i) => trailing.subarray(i, i + 1))), withTail)
    }
  })
})

describe("generated frames", () => {
  for (const { arbitrary, ast, decode, dir, roundTrip } of directions) {
    it(`of a ${dir}, with extra fields at every level, are known and lossless`, async () => {
      await check(
        fc.property(arbitrary, fc.jsonValue({ maxDepth: 1 }), (frame, extra) => {
          const line = JSON.stringify(withExtras(ast, frame, () => extra))
          const decoded = decode(line)
          assert.isTrue(Frame.isKnown(decoded), decoded instanceof Unknown ? `${decoded.detail}\n${line}` : line)
          assert.strictEqual(Either.getOrThrow(roundTrip(line)), JSON.stringify(JSON.parse(line)))
        }),
        { sample: 100, full: 2_000 }
      )
    })
  }
})

describe("both directions", () => {
  it("have the same members", () => {
    assert.sameMembers(Object.keys(Codec.host), Object.keys(Codec.cli))
  })

  it("read, type and write their own frames", () => {
    const prompt = { type: "user", message: { role: "user", content: "hello" } } as const
    const line = Either.getOrThrow(Codec.host.encode(prompt))
    assert.deepStrictEqual(Either.getOrThrow(Codec.host.decode(line)), prompt)
    assert.deepStrictEqual(Codec.host.fromJson(prompt), prompt)
    const read = Codec.host.makeLineReader()
    assert.deepStrictEqual(read(line), prompt)
    assert.deepInclude(read("log"), { _tag: "DecodeError", line: 2 })
    assert.deepStrictEqual(Codec.host.makeDecoder().push(new TextEncoder().encode(`${line}\n`)), [prompt])
    // What only the CLI writes is unknown here, and is not written.
    assert.isFalse(Frame.isKnown(Codec.host.fromJson({ type: "keep_alive" })))
    assert.isTrue(Frame.isKnown(Codec.cli.fromJson({ type: "keep_alive" })))
  })
})

describe("decode", () => {
  const reasonOf = (line: string) => {
    const item = Either.merge(Codec.cli.decode(line))
    return Frame.isKnown(item) ? item.type : item.reason
  }

  it("tells what is unknown from what is malformed", () => {
    assert.strictEqual(reasonOf(`{"type":"keep_alive"}`), "keep_alive")
    assert.strictEqual(reasonOf(`{"type":"hologram"}`), "UnknownType")
    assert.strictEqual(reasonOf(`{"type":"system","subtype":"hologram"}`), "UnknownSubtype")
    assert.strictEqual(
      reasonOf(`{"type":"control_request","request_id":"1","request":{"subtype":"hologram"}}`),
      "UnknownSubtype"
    )
    assert.strictEqual(reasonOf(`{"type":"system","subtype":"status"}`), "UnexpectedShape")
    assert.strictEqual(reasonOf(`{"type":"assistant"}`), "UnexpectedShape")
    for (const line of ["1", "null", "[]", `"text"`, "{}", `{"type":1}`]) {
      assert.strictEqual(reasonOf(line), "NotAnObject")
    }
    for (const line of ["", "log", "{", `{"type":"keep_alive"} x`]) assert.strictEqual(reasonOf(line), "InvalidJson")
  })

  it("pain 1: unknown members of known frames do not cost the frame", () => {
    const frame = Either.getOrThrow(Codec.cli.decode(JSON.stringify({
      type: "assistant",
      message: {
        id: "1",
        type: "message",
        role: "assistant",
        model: "m",
        content: [{ type: "text", text: "seen" }, { type: "hologram", depth: 3 }],
        stop_reason: "beamed_up",
        usage: { input_tokens: 1, output_tokens: 1 }
      },
      parent_tool_use_id: null,
      session_id: "s"
    })))
    assert.isTrue(Frame.isKnown(frame))
    if (!Frame.isKnown(frame) || frame.type !== "assistant") return
    const texts = frame.message.content.map((block) => {
      switch (block.type) {
        case "text":
          return block.text
        case "tool_use":
          return block.name
        default:
          return String(block.type)
      }
    })
    assert.deepStrictEqual(texts, ["seen", "hologram"])
  })

  it("a result with a new kind of error is a result", () => {
    const line =
      `{"type":"result","subtype":"error_of_next_year","duration_ms":1,"duration_api_ms":1,"is_error":true,` +
      `"num_turns":1,"total_cost_usd":0,"session_id":"s"}`
    assert.strictEqual(reasonOf(line), "result")
  })

  it("says which field does not fit, and no value", () => {
    const item = Either.merge(
      Codec.cli.decode(`{"type":"command_lifecycle","command_uuid":"u","state":{"key":"sk-secret"}}`)
    )
    assert.instanceOf(item, Unknown)
    assert.include(item.detail, "state")
    assert.notInclude(item.detail, "sk-secret")
  })

  it("says so of values that cannot be written out: nested deeper than any stack, or without a text", () => {
    const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`
    const detailOf = (line: string) => {
      const item = Either.merge(Codec.cli.decode(line))
      assert.instanceOf(item, Unknown)
      return item.detail
    }
    assert.include(detailOf(`{"type":"command_lifecycle","command_uuid":"u","state":${deep}}`), "state")
    const block = (type: string) => `{"type":"assistant","message":{"content":[{"type":${type}}]},"session_id":"s"}`
    // Effect asks these for their text, to find the member of the union.
    assert.isNotEmpty(detailOf(block(deep)))
    assert.isNotEmpty(detailOf(block(`{"toString":1,"valueOf":null}`)))
  })

  it("a frame that claims to be Unknown is not known either", () => {
    const item = Either.merge(Codec.cli.decode(`{"type":"keep_alive","_tag":"Unknown","raw":1,"reason":"UnknownType"}`))
    assert.instanceOf(item, Unknown)
    assert.deepStrictEqual(item.raw, { type: "keep_alive", _tag: "Unknown", raw: 1, reason: "UnknownType" })
  })

  it("takes what would harm a careless host", () => {
    const deep = `{"type":"keep_alive","x":${"[".repeat(100_000)}${"]".repeat(100_000)}}`
    assert.strictEqual(reasonOf(deep), "keep_alive")
    const polluted = `{"type":"keep_alive","__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}`
    assert.strictEqual(reasonOf(polluted), "keep_alive")
    assert.isFalse("polluted" in {})
    assert.strictEqual(reasonOf(`{"type":"keep_alive","n":1e400,"s":"\\ud800","type":"keep_alive"}`), "keep_alive")
  })

  it("anything at all gives a frame, an Unknown or a DecodeError", async () => {
    await check(
      fc.property(
        fc.oneof(fc.string({ unit: "binary" }), fc.json(), fc.jsonValue().map((value) => JSON.stringify(value))),
        (line) => {
          const item = Either.merge(Codec.cli.decode(line))
          assert.isTrue(Frame.isKnown(item) || item._tag === "Unknown" || item._tag === "DecodeError")
        }
      ),
      { sample: 300, full: 10_000 }
    )
  })
})

describe("encode", () => {
  const refusal = (frame: unknown) =>
    // Callers without types are who this is for.
    Either.match(Codec.host.encode(frame as HostFrame), { onLeft: (error) => error.detail, onRight: () => "written" })

  it("writes one line", () => {
    const line = Either.getOrThrow(
      Codec.host.encode({ type: "user", message: { role: "user", content: "a\n\u2028b" } })
    )
    assert.notInclude(line, "\n")
    assert.deepStrictEqual(JSON.parse(line), { type: "user", message: { role: "user", content: "a\n\u2028b" } })
  })

  it("refuses what the CLI could not read, and says where", () => {
    assert.include(refusal({ type: "user", message: { role: "assistant", content: "x" } }), "message.role")
    assert.include(refusal({ type: "user", message: { role: "user", content: 5 } }), "message.content")
    assert.include(refusal({ type: "user" }), "message")
    assert.include(
      refusal({ type: "control_request", request_id: "1", request: { subtype: "set_permission_mode", mode: "yolo" } }),
      "request.mode"
    )
  })

  it("refuses what JSON would drop or change", () => {
    const tool = (input: unknown) => ({
      type: "control_response",
      response: { subtype: "success", request_id: "1", response: { behavior: "allow", updatedInput: input } }
    })
    assert.strictEqual(refusal(tool({ a: [1, "x", null, true] })), "written")
    assert.include(refusal(tool({ a: Number.NaN })), "updatedInput.a")
    assert.include(refusal(tool({ a: 1n })), "bigint")
    assert.include(refusal(tool({ a: undefined })), "undefined")
    assert.include(refusal(tool({ a: [() => 1] })), "a[0]")
    assert.include(refusal(tool({ a: new Date(0) })), "class")
    const loop: { self?: unknown } = {}
    loop.self = loop
    assert.include(refusal(tool(loop)), "contains itself")
  })

  it("quotes no value", () => {
    assert.notInclude(refusal({ type: "user", message: { role: "sk-secret", content: "x" } }), "sk-secret")
  })

  it("writes an Unknown as it came", () => {
    const raw = { type: "hologram", x: [1] }
    assert.strictEqual(Either.getOrThrow(Codec.host.encode(new Unknown(raw, "UnknownType"))), JSON.stringify(raw))
  })
})

describe("make", () => {
  it("pain 3: log text between frames is an item, with its line number, and decoding goes on", () => {
    const decoder = Codec.cli.makeDecoder()
    const items = decoder.push(
      new TextEncoder().encode(`\n{"type":"keep_alive"}\n[warn] disk\n{"type":"keep_alive"}\n`)
    )
    assert.deepStrictEqual(items.map(describeItem), [
      { type: "keep_alive" },
      { reason: "InvalidJson", line: 3, text: "[warn] disk" },
      { type: "keep_alive" }
    ])
  })

  it("pain 2: a frame of many megabytes is a frame", () => {
    const text = "水".repeat(4_000_000)
    const decoder = Codec.cli.makeDecoder()
    const line = utf8([`{"type":"keep_alive","text":"${text}"}`])
    const items: Array<Codec.Item> = []
    for (let at = 0; at < line.length; at += 65_536) items.push(...decoder.push(line.subarray(at, at + 65_536)))
    assert.deepStrictEqual<unknown>(items, [{ type: "keep_alive", text }])
  })

  it("reads a host's frames too", () => {
    const decoder = Codec.host.makeDecoder()
    const items = decoder.push(
      utf8([`{"type":"user","message":{"role":"user","content":"hi"}}`, `{"type":"assistant"}`])
    )
    assert.deepStrictEqual(items.map((item) => Frame.isKnown(item) ? item.type : item.reason), ["user", "UnknownType"])
  })
})
