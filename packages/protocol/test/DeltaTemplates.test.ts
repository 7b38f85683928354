/** Deltas that are read by a template are what the long way makes of them, whatever the line. */
import * as Codec from "@claude-duplex/protocol/Codec"
import { DecodeError } from "@claude-duplex/protocol/DecodeError"
import * as Frame from "@claude-duplex/protocol/Frame"
import { assert, describe, it } from "@effect/vitest"
import { Either, Redacted } from "effect"
import { DeltaTemplates } from "../src/internal/deltaTemplates.js"
import { linesOf, recordings } from "./support/recordings.js"
import { breathe, isSweep } from "./support/sweep.js"

/** Everything that can be seen of an item: the order of keys and own `__proto__`s too. */
const show = (item: Codec.Item): string =>
  item instanceof DecodeError ? `${item.reason} ${item.line} ${Redacted.value(item.text)}` : JSON.stringify(item)

/** Both ways side by side, and how often the short one was taken. */
const makeReader = () => {
  const read = Codec.cli.makeLineReader()
  const templates = new DeltaTemplates()
  let number = 0
  let hits = 0
  return {
    hits: () => hits,
    check: (line: string): void => {
      number++
      const plain = Either.merge(Codec.cli.decode(line))
      // The short way reports which line it was; the long one has no lines to count.
      const expected = plain instanceof DecodeError ? show(plain).replace(" 0 ", ` ${number} `) : show(plain)
      const found = show(read(line))
      if (found !== expected) assert.fail(`${line}\nis read as\n${found}\nand is\n${expected}`)
      if (templates.read(line) !== undefined) hits++
      else if (Frame.isKnown(plain) && plain.type === "stream_event") templates.learn(line, plain)
    }
  }
}

type Fields = { readonly [name: string]: unknown }

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** With a text and a uuid of its own, if it has room for them: as the next delta of a block. */
const sibling = (frame: Fields, text: string, uuid: string): Fields => {
  const { event } = frame
  if (!isFields(event) || !isFields(event["delta"])) return frame
  const delta = Object.fromEntries(
    Object.entries(event["delta"]).map((
      [key, value]
    ) => [key, ["text", "thinking", "partial_json"].includes(key) ? text : value])
  )
  return Object.fromEntries(
    Object.entries(frame).map(([key, value]) =>
      key === "event" ? [key, { ...event, delta }] : key === "uuid" ? [key, uuid] : [key, value]
    )
  )
}

/** Deltas of real CLIs, of every version and kind. */
const recorded: ReadonlyArray<Fields> = recordings.flatMap((recording) =>
  linesOf(recording, "cli").flatMap((line) => {
    if (!line.startsWith("{")) return []
    const frame: unknown = JSON.parse(line)
    return isFields(frame) && isFields(frame["event"]) && isFields(frame["event"]["delta"]) ? [frame] : []
  })
)

const lines = isSweep ? 150_000 : 15_000

const uuid = "9b2f3c1e-0d4a-4e52-8a57-0f9d3b6c7e81"

const plain: Fields = {
  type: "stream_event",
  event: { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "one" } },
  session_id: "s",
  parent_tool_use_id: null,
  uuid
}

const middle = `}},"session_id":"s","parent_tool_use_id":null,"uuid":`

describe("templates", () => {
  it("take the deltas of a block, and nothing else", () => {
    const reader = makeReader()
    for (const text of ["one", "two", "", "\"\\\n\u2028é🎉", "\u0000"]) {
      reader.check(JSON.stringify(sibling(plain, text, uuid)))
    }
    assert.strictEqual(reader.hits(), 4)
  })

  /** After a delta was learned from: lines that are almost like it. */
  const lookalikes: Record<string, (line: string) => string> = {
    "an escape that ends the text early": (line) => line.replace(`"one"`, `"one\\"`),
    "a text that is two strings": (line) => line.replace(`"one"`, `"one","text":"two"`),
    "a text that is a number": (line) => line.replace(`"one"`, "123"),
    "a text with white space around it": (line) => line.replace(`"one"`, ` "one" `),
    "a text that holds the middle part": (line) => line.replace(`"one"`, JSON.stringify(`a${middle}"b"`)),
    "a text that holds the middle part, unescaped": (line) => line.replace(`"one"`, `"a"${middle}"${uuid}"`),
    "a text with a raw control character": (line) => line.replace("one", "o\u0001e"),
    "a lone surrogate": (line) => line.replace("one", "\ud800"),
    "an escaped lone surrogate": (line) => line.replace("one", "\\uD800"),
    "an escape that is none": (line) => line.replace("one", "\\x41"),
    "a uuid with a quote in it": (line) => line.replace(uuid, `${uuid.slice(0, 18)}"${uuid.slice(19)}`),
    "a uuid with escapes, as long": (line) => line.replace(uuid, "\\u0061".repeat(6)),
    "a uuid with a cut escape": (line) => line.replace(uuid, `${uuid.slice(1)}\\`),
    "a longer uuid": (line) => line.replace(uuid, `${uuid}0`),
    "a uuid that is null": (line) => line.replace(`"${uuid}"`, "null"),
    "a uuid that is a number, as long": (line) => line.replace(`"${uuid}"`, "1".repeat(38)),
    "another suffix": (line) => line.replace(/\}$/, `,"user_message_uuids":[]}`),
    "a duplicate key": (line) => line.replace(/\}$/, `,"uuid":"twice"}`),
    "a duplicate type": (line) => line.replace(/\}$/, `,"type":"keep_alive"}`),
    "a prototype": (line) => line.replace(/\}$/, `,"__proto__":{"type":"keep_alive"}}`),
    "a tag": (line) => line.replace(/\}$/, `,"_tag":"Unknown"}`),
    "white space at the end": (line) => `${line} `,
    "something after the end": (line) => `${line}x`,
    "no end": (line) => line.slice(0, -1),
    "the prefix alone": (line) => line.slice(0, line.indexOf(`"one"`)),
    "another type, as long": (line) => line.replace("text_delta", "next_delta"),
    "another order of keys": (line) => line.replace(/^\{"type":"stream_event",(.*)\}$/, `{$1,"type":"stream_event"}`)
  }
  for (const [name, change] of Object.entries(lookalikes)) {
    it(`read ${name} as it is`, () => {
      const reader = makeReader()
      const line = JSON.stringify(plain)
      reader.check(line)
      assert.notStrictEqual(change(line), line)
      reader.check(change(line))
      // And it did no harm.
      reader.check(line)
    })
  }

  it("do not take a uuid that comes first for a text that equals it", () => {
    const reader = makeReader()
    const { event, ...rest } = plain
    const turned = { uuid: "", ...rest, event }
    reader.check(JSON.stringify(sibling(turned, uuid, uuid)))
    reader.check(JSON.stringify(sibling(turned, uuid.replace("9", "a"), uuid.replace("9", "b"))))
    // Nothing was learned from it.
    assert.strictEqual(reader.hits(), 0)
  })

  it("make frames that share nothing that could be changed", () => {
    const read = Codec.cli.makeLineReader()
    const [first, second, third] = ["one", "two", "three"].map((text) =>
      read(JSON.stringify(sibling(plain, text, uuid)))
    )
    const parts = (item: Codec.Item | undefined) =>
      item !== undefined && Frame.isKnown(item) && item.type === "stream_event" ? [item, item.event] : assert.fail()
    for (const [index, part] of parts(third).entries()) {
      assert.notStrictEqual(part, parts(first)[index])
      assert.notStrictEqual(part, parts(second)[index])
    }
  })

  it("give the same frames as the decoder without templates, for hostile lines", async () => {
    // Seeded (mulberry32): a difference that is found once is found again.
    let seed = 20_326
    const next = (below: number): number => {
      seed = (seed + 0x6d2b79f5) | 0
      let mixed = Math.imul(seed ^ (seed >>> 15), seed | 1)
      mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
      return ((mixed ^ (mixed >>> 14)) >>> 0) % below
    }
    // The lists that are picked from are not empty.
    const pick = <A>(list: ReadonlyArray<A>): A => list[next(list.length)] as A
    const bits = [
      ..."\"\"\\\\{}[]:, \t\u0001\u001f\u2028é\ud800aA0",
      "\\u0061",
      "\\n",
      "\\\"",
      "null",
      "\"uuid\":",
      middle
    ]
    /** Mostly as long as the last one: a template knows how long a uuid is. */
    const string = (): string => {
      if (next(2) === 0) return uuid.slice(0, -4) + String(1_000 + next(9_000))
      let text = ""
      for (let left = next(6); left > 0; left--) text += pick(bits)
      return text
    }
    const keys = ["uuid", "type", "text", "__proto__", "constructor", "_tag", "0", "event", "delta", "\u0001", "é"]
    const values = ["x", "\u0001", "\u0002", uuid, "stream_event", 0, -0, 1e21, null, true, [], {}, {
      type: "text_delta"
    }]
    const added = (frame: Fields): Fields => Object.fromEntries([...Object.entries(frame), [pick(keys), pick(values)]])
    const turned = (frame: Fields): Fields => {
      const entries = Object.entries(frame)
      const from = next(entries.length)
      return Object.fromEntries([...entries.slice(from), ...entries.slice(0, from)])
    }
    const inEvent = (frame: Fields, change: (fields: Fields) => Fields): Fields =>
      isFields(frame["event"]) ? { ...frame, event: change(frame["event"]) } : frame
    const inDelta = (frame: Fields, change: (fields: Fields) => Fields): Fields =>
      inEvent(frame, (event) => isFields(event["delta"]) ? { ...event, delta: change(event["delta"]) } : event)
    const another: ReadonlyArray<(frame: Fields) => Fields> = [
      () => pick(recorded),
      () => pick(recorded),
      () => plain,
      () => plain,
      turned,
      added,
      (frame) => inEvent(frame, pick([turned, added])),
      (frame) => inDelta(frame, pick([turned, added])),
      (frame) => Object.fromEntries(Object.entries(frame).filter(([key]) => key !== "uuid"))
    ]
    const damage: ReadonlyArray<(line: string, at: number) => string> = [
      (line, at) => line.slice(0, at),
      (line, at) => line.slice(0, at) + line.slice(at + 1),
      (line, at) => line.slice(0, at) + pick(bits) + line.slice(at),
      (line, at) => line.slice(0, at) + pick(bits) + line.slice(at + 1),
      (line, at) => line.slice(0, at) + line.slice(next(line.length)),
      (line) => line.replace(/:/g, (colon) => next(8) === 0 ? ": " : colon),
      (line, at) =>
        line.slice(0, at) + line.slice(at).replace(",", `,"${pick(keys)}":${JSON.stringify(pick(values))},`),
      (line) => line + pick(bits)
    ]
    let hits = 0
    let frame = plain
    let reader = makeReader()
    for (let count = 0; count < lines; count++) {
      // Now and then anew: one that never sees a delta twice soon stops learning.
      if (count % 5_000 === 0) await breathe()
      if (count % 50 === 0) {
        hits += reader.hits()
        reader = makeReader()
      }
      if (next(8) === 0) frame = pick(another)(frame)
      const text = string()
      const line = JSON.stringify(sibling(frame, text, next(4) === 0 ? text : string()))
      reader.check(next(3) === 0 ? pick(damage)(line, next(line.length)) : line)
    }
    // The comparison means something only if templates read many of them.
    assert.isAbove(hits, lines / 15)
  })
})
