/**
 * What is thrown at the code: bytes, as a CLI might write them to its stdout. Each input depends on its seed and nothing else.
 *
 * Strings that begin with `$` stand for ids of whoever reads: `$message0` and `$message1` for messages that wait,
 * `$request0` to `$request2` for requests.
 */
import * as Random from "@claude-duplex/benchmarks/random"
import * as Frame from "@claude-duplex/protocol/Frame"
import { Arbitrary, FastCheck as fc } from "effect"
import * as Recordings from "../recorded/recordings.js"
import * as Hostile from "./hostile.js"

/** An input, and how it was made. */
export interface Input {
  readonly kind: string
  readonly bytes: Uint8Array
}

/** Lines of real CLIs, with the ids of whoever reads. */
const recorded: ReadonlyArray<ReadonlyArray<string>> = Recordings.names.map((name) => {
  const { entries } = Recordings.read(name)
  const lines = entries.flatMap(({ dir, line }) => dir === "cli" ? [line] : [])
  const uuids = new Set<string>()
  for (const { dir, line } of entries) {
    if (dir !== "host") continue
    for (const [, id] of line.matchAll(/"uuid":"([^"]+)"/g)) if (id !== undefined) uuids.add(id)
  }
  return lines.map((line) => {
    const own = [...uuids].reduce((text, uuid, i) => text.replaceAll(uuid, `$message${i % 2}`), line)
    return own.includes(`"type":"control_response"`)
      ? own.replace(/"request_id":"[^"]+"/, `"request_id":"$request${own.length % 3}"`)
      : own
  })
})

const lines = recorded.flat()

const utf8 = new TextEncoder()

const bytesOf = (texts: ReadonlyArray<string>): Uint8Array => utf8.encode(texts.map((line) => `${line}\n`).join(""))

/** Kinds of input, and how one is made. */
const kinds: { readonly [kind: string]: (random: Random.Random) => Uint8Array } = {
  /** Bytes without any sense, with many ends of lines and much that is not UTF-8. */
  bytes: (random) => {
    const likely = [0x0A, 0x0A, 0x0D, 0x00, 0x22, 0x5C, 0x7B, 0x7D, 0x5B, 0x5D, 0xC3, 0xE2, 0xF0, 0xED, 0xEF, 0xFF]
    return Uint8Array.from(
      { length: random.logUniform(1, 20_000) },
      () => random.next() < 0.5 ? random.pick(likely) : Math.floor(random.next() * 256)
    )
  },
  /** A recording with bytes changed, lost, doubled, added. */
  mutatedBytes: (random) => {
    let bytes = bytesOf(someOf(random.pick(recorded), random))
    for (let i = random.logUniform(1, 20); i > 0; i--) bytes = mutatedBytes(bytes, random)
    return bytes
  },
  /** A recording with something hostile in some of its frames. */
  mutatedFrames: (random) =>
    bytesOf(
      someOf(random.pick(recorded), random).map((line) => random.next() < 0.3 ? mutatedLine(line, random) : line)
    ),
  /** Frames that fit the schemas, made up; some with something hostile in them. */
  generated: (random) =>
    bytesOf(
      fc.sample(frames, { numRuns: 12, seed: Math.floor(random.next() * 2 ** 31) }).map((frame) => {
        const line = JSON.stringify(frame)
        return random.next() < 0.3 ? mutatedLine(line, random) : line
      })
    ),
  /** Real frames in an order that no CLI sends them in, some twice. */
  shuffled: (random) =>
    bytesOf(Array.from({ length: random.logUniform(2, 60) }, () => {
      const line = random.pick(lines)
      return random.next() < 0.3 ? withLiveIds(line, random) : line
    })),
  /** Hostile JSON and no frames at all. */
  hostile: (random) => bytesOf(Array.from({ length: 3 }, () => Hostile.pick(random)))
}

const frames = Arbitrary.make(Frame.CliFrame)

/** The input of a seed. */
export const make = (seed: number): Input => {
  const random = Random.make(seed)
  const kind = random.pick(Object.keys(kinds))
  return { kind, bytes: (kinds[kind] ?? (() => new Uint8Array()))(random) }
}

/** A stretch of a recording: long ones would be most of the work. */
const someOf = (all: ReadonlyArray<string>, random: Random.Random): ReadonlyArray<string> => {
  const start = Math.floor(random.next() * all.length * 0.7)
  return all.slice(start, start + 25)
}

const mutatedBytes = (bytes: Uint8Array, random: Random.Random): Uint8Array => {
  const at = Math.floor(random.next() * bytes.length)
  const size = random.logUniform(1, 64)
  const before = bytes.subarray(0, at)
  const after = bytes.subarray(at)
  const noise = Uint8Array.from({ length: size }, () => Math.floor(random.next() * 256))
  switch (Math.floor(random.next() * 5)) {
    case 0:
      return Buffer.concat([before, noise, after.subarray(size)])
    case 1:
      return Buffer.concat([before, after.subarray(size)])
    case 2:
      return Buffer.concat([before, noise, after])
    case 3:
      return Buffer.concat([before, after.subarray(0, size), after])
    default:
      return Buffer.concat([after, before])
  }
}

const mutatedLine = (line: string, random: Random.Random): string => {
  if (random.next() < 0.1) return line.replace("{", () => `{"type":${Hostile.pick(random)},"__proto__":{"polluted":1},`)
  if (!line.startsWith("{")) return line
  const value: unknown = JSON.parse(line)
  return Hostile.planted(
    value,
    random,
    random.next() < 0.15 ? `"$message${random.next() < 0.5 ? 0 : 1}"` : Hostile.pick(random)
  )
}

/** One of its uuids is a message's of the reader's. */
const withLiveIds = (line: string, random: Random.Random): string => {
  const ids = [...line.matchAll(/"(?:uuid|command_uuid|request_id)":"([^"]+)"/g)].flatMap(([, id]) => id ?? [])
  const live = random.pick(["$message0", "$message1", "$request0", "$request1", "$request2"])
  return ids.length === 0 ? line : line.replaceAll(random.pick(ids), live)
}
