/**
 * What bytes are thrown at, without effects: the line decoder and the codec. Each target throws if something does not hold;
 * whatever else throws is a violation as well.
 */
import * as Random from "@claude-duplex/benchmarks/random"
import * as Codec from "@claude-duplex/protocol/Codec"
import { DecodeError } from "@claude-duplex/protocol/DecodeError"
import { EncodeError } from "@claude-duplex/protocol/EncodeError"
import * as Frame from "@claude-duplex/protocol/Frame"
import { Unknown } from "@claude-duplex/protocol/Frame"
import * as LineDecoder from "@claude-duplex/protocol/LineDecoder"
import { Either } from "effect"

/** Says that something does not hold. */
export const violated = (what: string): never => {
  throw new Error(what)
}

/** Takes an input. Throws if something does not hold. */
export type Target = (bytes: Uint8Array) => void

const good = `{"type":"keep_alive"}`

const goodLine = new TextEncoder().encode(`\n${good}\n`)

/** The input in pieces: the same ones for the same input. */
export const piecesOf = (bytes: Uint8Array): ReadonlyArray<Uint8Array> => {
  const random = Random.make(bytes.length)
  const pieces: Array<Uint8Array> = []
  for (let at = 0; at < bytes.length;) {
    const size = random.logUniform(1, Math.max(64, bytes.length / 8))
    pieces.push(bytes.subarray(at, at + size))
    at += size
  }
  return pieces
}

const maxLineBytes = 4_096

/** Any cutting gives the same lines; none is too long; after whatever it was, the next good one is decoded. */
export const lines: Target = (bytes) => {
  const whole = LineDecoder.make({ maxLineBytes })
  const cut = LineDecoder.make({ maxLineBytes })
  const all = [...whole.push(bytes), ...whole.push(goodLine)]
  const same = [...piecesOf(bytes).flatMap((piece) => cut.push(piece)), ...cut.push(goodLine)]
  if (shown(all) !== shown(same)) violated("another cutting gives other lines")
  if (all.at(-1) !== good) violated(`the next good line was not decoded: ${String(all.at(-1))}`)
  if (whole.end().length > 0) violated("there is a tail after a whole line")
  for (const line of all) {
    if (typeof line !== "string") continue
    if (Buffer.byteLength(line) > maxLineBytes) violated("a line is longer than it may be")
    if (line.includes("\n")) violated("a line has an end of a line in it")
  }
  const ending = LineDecoder.make({ maxLineBytes })
  if (ending.push(bytes).length + ending.end().length > newlines(bytes) + 1) violated("there are more lines than ends")
}

const newlines = (bytes: Uint8Array): number => bytes.reduce((count, byte) => byte === 0x0A ? count + 1 : count, 0)

const shown = (items: ReadonlyArray<string | DecodeError>): string =>
  items.map((item) => typeof item === "string" ? item : `${item.reason} ${item.line}`).join("\n")

/** Every line is a frame, an `Unknown` or a `DecodeError`; what was decoded is encoded to the same JSON. */
export const codec: Target = (bytes) => {
  const decoder = Codec.cli.makeDecoder()
  const items = [...piecesOf(bytes).flatMap((piece) => decoder.push(piece)), ...decoder.push(goodLine)]
  const last = items.at(-1)
  if (last === undefined || !Frame.isKnown(last) || last.type !== "keep_alive") {
    violated("the next good frame was not decoded")
  }
  const host = Codec.host.makeDecoder()
  const heard = [...host.push(bytes), ...host.push(goodLine)].length
  if (heard !== items.length) violated(`${items.length} items one way, ${heard} the other`)
  const lineDecoder = LineDecoder.make()
  const texts = [...lineDecoder.push(bytes), ...lineDecoder.push(goodLine)]
  const read = Codec.cli.makeLineReader()
  for (const [i, text] of texts.entries()) {
    const item = items[i]
    if (typeof text !== "string") {
      if (!(item instanceof DecodeError) || item.reason !== text.reason) violated(`a lost line is ${String(item)}`)
      continue
    }
    const json = parse(text)
    if (json === undefined) {
      if (!(item instanceof DecodeError) || item.reason !== "InvalidJson") violated("what is not JSON was decoded")
      continue
    }
    const expected = stringify(json.value)
    for (const decoded of [item, Either.merge(Codec.cli.decode(text)), read(text)]) {
      if (decoded === undefined || decoded instanceof DecodeError) return violated("JSON was not decoded")
      if (decoded instanceof Unknown && typeof decoded.detail !== "string") violated("there is no detail")
      roundTrip(Codec.cli.encode(decoded), expected)
    }
    const fromHost = Either.merge(Codec.host.decode(text))
    if (fromHost instanceof DecodeError) return violated("JSON was not decoded as a host's")
    if (fromHost instanceof Unknown && typeof fromHost.detail !== "string") violated("there is no detail")
    roundTrip(Codec.host.encode(fromHost), expected)
  }
}

/** The same JSON; refused only if it cannot be written. */
const roundTrip = (encoded: Either.Either<string, EncodeError>, expected: string | undefined): void => {
  if (Either.isRight(encoded) && encoded.right !== expected) violated("what was decoded is encoded to something else")
  if (Either.isLeft(encoded) && !(encoded.left instanceof EncodeError)) violated("refused without an EncodeError")
  if (Either.isLeft(encoded) && expected !== undefined) violated(`refused what can be written: ${encoded.left.detail}`)
}

const parse = (text: string): { readonly value: unknown } | undefined => {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return undefined
  }
}

/** As JSON, or nothing if there is no way to write it: too deep, or a number that no JSON has. */
const stringify = (value: unknown): string | undefined => {
  const open: Array<unknown> = [value]
  while (open.length > 0) {
    const next = open.pop()
    if (typeof next === "number" && !Number.isFinite(next)) return undefined
    if (typeof next === "object" && next !== null) { for (const inside of Object.values(next)) open.push(inside) }
  }
  try {
    return JSON.stringify(value)
  } catch {
    return undefined
  }
}
