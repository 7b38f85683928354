import * as Recording from "@claude-duplex/transport-mock/Recording"
import { layer as nodeFileSystem } from "@effect/platform-node/NodeFileSystem"
import { FileSystem } from "@effect/platform/FileSystem"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Either, FastCheck as fc } from "effect"
import { fromBytes, toBytes } from "../src/internal/lineText.js"
import { recording, recordings } from "./support/recordings.js"

const first = `{"t":1,"dir":"host","line":"a"}`
const second = `{"t":2.5,"dir":"cli","line":"b"}`
const entries = [{ t: 1, dir: "host", line: "a" }, { t: 2.5, dir: "cli", line: "b" }] as const

const read = (text: string) => Either.getOrThrow(Recording.parse(text))

describe("Recording.parse", () => {
  for (const { name, text } of recordings) {
    it(`reads ${name}, and stringify writes it back byte for byte`, () => {
      const parsed = read(text)
      assert.isUndefined(parsed.torn)
      assert.strictEqual(Recording.stringify(parsed.entries), text)
    })
  }

  it("leaves out a torn last line, wherever it is cut, and nothing else", () => {
    for (let cut = 1; cut < second.length; cut++) {
      assert.deepStrictEqual(read(`${first}\n${second.slice(0, cut)}`), {
        entries: [entries[0]],
        torn: second.slice(0, cut)
      })
    }
    assert.deepStrictEqual(read(`${first}\n${second}`), { entries, torn: undefined })
  })

  it("fails on a bad line that was ended, and says where", () => {
    const fail = (text: string) => {
      const parsed = Recording.parse(text)
      return Either.isLeft(parsed) ? [parsed.left.reason, parsed.left.line] : []
    }
    assert.deepStrictEqual(fail(`${first}\n{"t":\n${second}\n`), ["InvalidJson", 2])
    assert.deepStrictEqual(fail(`${first}\n{"t":\n`), ["InvalidJson", 2])
    assert.deepStrictEqual(fail(`${first}\n{"t":1,"dir":"both","line":""}\n`), ["InvalidEntry", 2])
    assert.deepStrictEqual(fail(`${first}\n{"type":"keep_alive"}`), ["InvalidEntry", 2])
    assert.deepStrictEqual(fail(`[]\n`), ["InvalidEntry", 1])
  })

  it("does not quote the line that it fails on", () => {
    const parsed = Recording.parse(`secret\n${first}\n`)
    assert.isTrue(Either.isLeft(parsed))
    assert.notInclude(Either.isLeft(parsed) ? parsed.left.message : "secret", "secret")
  })

  it("bears with a byte order mark, CRLF, empty lines and fields of others", () => {
    assert.deepStrictEqual(read(`\uFEFF${first}\r\n\r\n\n${second.replace("{", `{"v":1,`)}\r\n`).entries, entries)
    assert.deepStrictEqual(read(""), { entries: [], torn: undefined })
  })

  it("gives any entries back that stringify wrote", () => {
    fc.assert(fc.property(fc.array(arbitraryEntry), (entries) => {
      assert.deepStrictEqual(read(Recording.stringify(entries)).entries, entries)
    }))
  })
})

const arbitraryEntry: fc.Arbitrary<Recording.Entry> = fc.record({
  t: fc.integer(),
  dir: fc.constantFrom("host", "cli"),
  line: fc.string({ unit: "binary" })
})

describe("Recording.fromStdout", () => {
  it("takes every line for the CLI's", () => {
    assert.deepStrictEqual(Recording.fromStdout(`log\n{"type":"a"}\r\n\n{"type":"b"}`), {
      entries: ["log", `{"type":"a"}\r`, "", `{"type":"b"}`].map((line) => ({ t: 0, dir: "cli" as const, line })),
      torn: undefined
    })
  })

  it("leaves out a torn last line", () => {
    assert.deepStrictEqual(Recording.fromStdout(`{"type":"a"}\n{"ty`), {
      entries: [{ t: 0, dir: "cli", line: `{"type":"a"}` }],
      torn: `{"ty`
    })
  })
})

describe("Recording.detect", () => {
  it("tells the two apart", () => {
    for (const { text } of recordings) assert.strictEqual(Recording.detect(text), "recording")
    assert.strictEqual(Recording.detect(`{"type":"keep_alive"}\n`), "stdout")
    assert.strictEqual(Recording.detect(`[warn] log text\n12\n{"type":"keep_alive"}\n`), "stdout")
    assert.strictEqual(Recording.detect("only log text\n"), "stdout")
    assert.strictEqual(Recording.detect(`\n${first}`), "recording")
    assert.strictEqual(Recording.detect(""), "recording")
  })

  it("decides how fromText reads", () => {
    assert.deepStrictEqual(Either.getOrThrow(Recording.fromText(`${first}\n`)).entries, [entries[0]])
    assert.deepStrictEqual(Either.getOrThrow(Recording.fromText("{}\n")).entries, [{ t: 0, dir: "cli", line: "{}" }])
  })
})

describe("Recording.read and write", () => {
  it.scoped("go through a file", () =>
    Effect.gen(function*() {
      const files = yield* FileSystem
      const path = `${yield* files.makeTempDirectoryScoped()}/a.jsonl`
      const { entries, path: original, text } = recording("2.1.326/malformed-in")
      assert.deepStrictEqual((yield* Recording.read(original)).entries, entries)
      yield* Recording.write(path, { entries })
      assert.strictEqual(yield* files.readFileString(path), text)
    }).pipe(Effect.provide(nodeFileSystem)))

  it.scoped("keep the bytes of a broken line of stdout", () =>
    Effect.gen(function*() {
      const files = yield* FileSystem
      const directory = yield* files.makeTempDirectoryScoped()
      const bytes = Uint8Array.of(0x7b, 0x7d, 0x0a, 0x61, 0xff, 0xc3, 0x0a)
      yield* files.writeFile(`${directory}/out.ndjson`, bytes)
      const parsed = yield* Recording.read(`${directory}/out.ndjson`)
      yield* Recording.write(`${directory}/out.jsonl`, parsed)
      const again = yield* Recording.read(`${directory}/out.jsonl`)
      assert.deepStrictEqual(again, parsed)
      assert.deepStrictEqual(toBytes(again.entries.map(({ line }) => `${line}\n`).join("")), bytes)
    }).pipe(Effect.provide(nodeFileSystem)))

  it.scoped("fail with the file system's error, or with the recording's", () =>
    Effect.gen(function*() {
      const files = yield* FileSystem
      const directory = yield* files.makeTempDirectoryScoped()
      yield* files.writeFileString(`${directory}/bad.jsonl`, `${first}\nnonsense\n`)
      assert.strictEqual((yield* Effect.flip(Recording.read(`${directory}/none.jsonl`)))._tag, "SystemError")
      assert.strictEqual((yield* Effect.flip(Recording.read(`${directory}/bad.jsonl`)))._tag, "RecordingError")
    }).pipe(Effect.provide(nodeFileSystem)))
})

describe("the text of a line", () => {
  it("keeps any bytes", () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
      assert.deepStrictEqual(toBytes(fromBytes(bytes)), bytes)
    }))
  })

  it("keeps bytes that are nearly UTF-8", () => {
    // Overlong, a surrogate, beyond Unicode, and cut at every place.
    for (
      const broken of [
        [0xc0, 0x80],
        [0xe0, 0x80, 0x80],
        [0xed, 0xa0, 0x80],
        [0xf4, 0x90, 0x80, 0x80],
        [0xf5, 0x80],
        [0xf0, 0x9f, 0x98],
        [0xe2, 0x82],
        [0xff, 0xf0, 0x9f, 0x98, 0x80, 0x80]
      ]
    ) {
      const bytes = Uint8Array.from(broken)
      assert.deepStrictEqual(toBytes(fromBytes(bytes)), bytes)
    }
  })

  it("is plain UTF-8 wherever that is possible", () => {
    fc.assert(fc.property(fc.string({ unit: "grapheme" }), (text) => {
      assert.strictEqual(fromBytes(new TextEncoder().encode(text)), text)
      assert.deepStrictEqual(toBytes(text), new TextEncoder().encode(text))
    }))
  })
})
