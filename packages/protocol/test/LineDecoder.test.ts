import { DecodeError } from "@claude-duplex/protocol/DecodeError"
import * as LineDecoder from "@claude-duplex/protocol/LineDecoder"
import { assert, describe, it, vi } from "@effect/vitest"
import { FastCheck as fc, Redacted } from "effect"
import { check } from "./support/sweep.js"

const bytes = (text: string) => new TextEncoder().encode(text)

/** Lines as text, errors as their reason, number and text: comparable however they came about. */
const show = (line: LineDecoder.Line) =>
  line instanceof DecodeError ? `${line.reason}@${line.line}:${Redacted.value(line.text)}` : line

const decode = (chunks: ReadonlyArray<Uint8Array>, options?: LineDecoder.Options) => {
  const decoder = LineDecoder.make(options)
  return [...chunks.flatMap((chunk) => decoder.push(chunk)), ...decoder.end()].map(show)
}

const cutAt = (whole: Uint8Array, places: ReadonlyArray<number>): ReadonlyArray<Uint8Array> => {
  const at = [0, ...places.map((place) => place % (whole.length + 1)).sort((a, b) => a - b), whole.length]
  return at.slice(1).map((end, i) => whole.subarray(at[i], end))
}

const each = (whole: Uint8Array) => Array.from(whole, (_, i) => whole.subarray(i, i + 1))

/** Every case runs whole, byte by byte, and with more data behind it. */
const cases: ReadonlyArray<
  {
    readonly name: string
    readonly input: Uint8Array
    readonly options?: LineDecoder.Options
    readonly lines: ReadonlyArray<string>
  }
> = [
  { name: "one line", input: bytes("a\n"), lines: ["a"] },
  { name: "several lines", input: bytes("a\nbc\ndef\n"), lines: ["a", "bc", "def"] },
  { name: "a CR before LF is dropped, one only", input: bytes("a\r\nb\r\r\n"), lines: ["a", "b\r"] },
  { name: "a CR elsewhere stays", input: bytes("a\rb\n\rc\n"), lines: ["a\rb", "\rc"] },
  { name: "empty lines are skipped", input: bytes("\n\r\n\na\n\n"), lines: ["a"] },
  {
    name: "U+2028, U+2029, U+0085 are characters (pain 4)",
    input: bytes("a\u2028b\u2029c\u0085d\n"),
    lines: ["a\u2028b\u2029c\u0085d"]
  },
  { name: "a BOM is a character", input: bytes("\uFEFFa\n\uFEFFb\n"), lines: ["\uFEFFa", "\uFEFFb"] },
  { name: "text of every width", input: bytes("zß水🍌\n🍌水ßz\n"), lines: ["zß水🍌", "🍌水ßz"] },
  {
    name: "bytes that are not UTF-8 cost their line",
    input: Uint8Array.of(...bytes("a\nb"), 0xff, ...bytes("c\nd\n")),
    lines: ["a", "InvalidUtf8@2:b\uFFFDc", "d"]
  },
  {
    name: "a character cut by a newline costs both pieces",
    input: Uint8Array.of(0xf0, 0x9f, 0x0a, 0x8d, 0x8c, 0x0a, 0x61, 0x0a),
    lines: ["InvalidUtf8@1:\uFFFD", "InvalidUtf8@2:\uFFFD\uFFFD", "a"]
  },
  {
    name: "a line that is too long costs itself",
    input: bytes("12345\n123456\n1234567890123\nok\n"),
    options: { maxLineBytes: 5 },
    lines: ["12345", "LineTooLong@2:12345", "LineTooLong@3:12345", "ok"]
  },
  {
    name: "length is counted in bytes, with the CR",
    input: bytes("水水\n水ab\n1234\r\n12345\r\n"),
    options: { maxLineBytes: 5 },
    lines: ["LineTooLong@1:水\uFFFD", "水ab", "1234", "LineTooLong@4:12345"]
  }
]

describe("LineDecoder", () => {
  for (const { input, lines, name, options } of cases) {
    it(name, () => {
      assert.deepStrictEqual(decode([input], options), lines)
      assert.deepStrictEqual(decode(each(input), options), lines)
      const trailing = Uint8Array.of(...input, ...bytes("{}"))
      assert.deepStrictEqual(decode([trailing], options), [...lines, "{}"])
      assert.deepStrictEqual(decode(each(trailing), options), [...lines, "{}"])
    })
  }

  it("delivers a tail that is a whole frame", () => {
    assert.deepStrictEqual(decode([bytes(`a\n{"b":1}`)]), ["a", `{"b":1}`])
    assert.deepStrictEqual(decode([bytes(`{"b":1}\r`)]), [`{"b":1}`])
  })

  it("reports a tail that is not", () => {
    for (const tail of [`{"b":1`, "12", `"text"`, "[1]", "null", "log"]) {
      assert.deepStrictEqual(decode([bytes(`a\n${tail}`)]), ["a", `TruncatedTail@2:${tail}`])
    }
    assert.deepStrictEqual(decode([Uint8Array.of(...bytes(`{"b":"`), 0xf0, 0x9f)]), [`TruncatedTail@1:{"b":"\uFFFD`])
  })

  it("says nothing at the end of a line that was too long already", () => {
    assert.deepStrictEqual(decode([bytes("123456"), bytes("789")], { maxLineBytes: 5 }), ["LineTooLong@1:12345"])
  })

  it("reports a line as too long before it ends", () => {
    const decoder = LineDecoder.make({ maxLineBytes: 5 })
    assert.strictEqual(decoder.push(bytes("123456")).length, 1)
    assert.strictEqual(decoder.push(bytes("789")).length, 0)
  })

  it("does not keep the chunk: the caller may use its buffer again", () => {
    // A Buffer too, whose `slice` is not a copy.
    for (const buffer of [bytes("abc"), Buffer.from("abc")]) {
      const decoder = LineDecoder.make()
      decoder.push(buffer)
      buffer.fill(0x78)
      assert.deepStrictEqual(decoder.push(bytes("d\n")), ["abcd"])
    }
  })

  it("takes a long line byte by byte without a piece of memory for each", () => {
    const decoder = LineDecoder.make()
    const byte = bytes("x")
    const before = process.memoryUsage().arrayBuffers
    for (let i = 0; i < 3_000_000; i++) decoder.push(byte)
    assert.isBelow(process.memoryUsage().arrayBuffers - before, 50_000_000)
    assert.strictEqual(decoder.push(bytes("\n"))[0]?.toString().length, 3_000_000)
  })

  it("is linear in bytes: of a long line, every byte is searched once, copied twice and decoded once", () => {
    const chunk = new Uint8Array(65_536).fill(0x61)
    const decoder = LineDecoder.make()
    let searched = 0
    let copied = 0
    let decoded = 0
    const { indexOf, set } = Uint8Array.prototype
    const { decode } = TextDecoder.prototype
    const spies = [
      vi.spyOn(Uint8Array.prototype, "indexOf").mockImplementation(function(this: Uint8Array, value, from = 0) {
        searched += this.length - from
        return indexOf.call(this, value, from)
      }),
      vi.spyOn(Uint8Array.prototype, "set").mockImplementation(function(this: Uint8Array, source, at) {
        copied += source.length
        return set.call(this, source, at)
      }),
      vi.spyOn(TextDecoder.prototype, "decode").mockImplementation(function(this: TextDecoder, source, options) {
        decoded += source?.byteLength ?? 0
        return decode.call(this, source, options)
      })
    ]
    const chunks = 200
    try {
      for (let sent = 0; sent < chunks; sent++) decoder.push(chunk)
      assert.strictEqual(decoder.push(bytes("\n"))[0]?.toString().length, chunks * chunk.length)
    } finally {
      for (const spy of spies) spy.mockRestore()
    }
    const size = chunks * chunk.length
    assert.deepStrictEqual({ searched, copied, decoded }, { searched: size + 1, copied: 2 * size, decoded: size })
  })

  it("keeps at most 1,024 characters of a bad line", () => {
    const decoder = LineDecoder.make({ maxLineBytes: 10_000 })
    const [error] = decoder.push(bytes(`${"ß".repeat(6_000)}\n`))
    assert.instanceOf(error, DecodeError)
    assert.strictEqual(Redacted.value(error.text), "ß".repeat(1_024))
  })

  it("any bytes, cut anywhere, give the same lines", async () => {
    // Few distinct bytes, so that newlines, CRs and halves of characters meet often.
    const byte = fc.constantFrom(0x0a, 0x0d, 0x61, 0x7b, 0x7d, 0xf0, 0x9f, 0x8d, 0x8c, 0xff)
    await check(
      fc.property(
        fc.uint8Array({ maxLength: 60 }).chain((any) =>
          fc.array(byte, { maxLength: 60 }).map((some) => Uint8Array.of(...some, ...any))
        ),
        fc.array(fc.nat(), { maxLength: 12 }),
        fc.integer({ min: 1, max: 20 }),
        (whole, places, maxLineBytes) => {
          const expected = decode([whole], { maxLineBytes })
          assert.deepStrictEqual(decode(cutAt(whole, places), { maxLineBytes }), expected)
          assert.deepStrictEqual(decode(each(whole), { maxLineBytes }), expected)
        }
      ),
      { sample: 500, full: 50_000 }
    )
  })
})
