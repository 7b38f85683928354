/**
 * The bytes of a line as text, and back, without a loss. UTF-8 is what it is; a byte that is not UTF-8 becomes the lone
 * surrogate U+DC80 to U+DCFF (as Python's `surrogateescape` does it), which JSON can write (`\udc80`) and which no valid
 * UTF-8 decodes to. So a recording, which is text, keeps the bytes of a broken line too.
 */
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
const encoder = new TextEncoder()

/** Added to a byte of 0x80 or more. */
const escapeBase = 0xdc00

const escaped = /(?<![\uD800-\uDBFF])[\uDC80-\uDCFF]/g

/** Bytes to text. */
export const fromBytes = (bytes: Uint8Array): string => {
  try {
    return utf8.decode(bytes)
  } catch {
    // The only way that a fatal decoder has to say "not UTF-8".
    return fromBrokenBytes(bytes)
  }
}

const fromBrokenBytes = (bytes: Uint8Array): string => {
  let text = ""
  let start = 0
  let at = 0
  while (at < bytes.length) {
    const length = sequenceLength(bytes, at)
    if (length > 0) {
      at += length
      continue
    }
    text += utf8.decode(bytes.subarray(start, at)) + String.fromCharCode(escapeBase + (bytes[at] ?? 0))
    start = ++at
  }
  return text + utf8.decode(bytes.subarray(start))
}

/** How long the UTF-8 sequence is that begins here; 0 if none does. The ranges are table 3-7 of the Unicode standard. */
const sequenceLength = (bytes: Uint8Array, at: number): number => {
  const lead = bytes[at] ?? 0
  if (lead < 0x80) return 1
  const length = lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0
  const low = lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80
  const high = lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf
  for (let next = 1; next < length; next++) {
    const byte = bytes[at + next] ?? 0
    if (byte < (next === 1 ? low : 0x80) || byte > (next === 1 ? high : 0xbf)) return 0
  }
  return length
}

/** Text to bytes. */
export const toBytes = (text: string): Uint8Array => {
  const parts: Array<Uint8Array> = []
  let start = 0
  for (const { index } of text.matchAll(escaped)) {
    parts.push(encoder.encode(text.slice(start, index)), Uint8Array.of(text.charCodeAt(index) - escapeBase))
    start = index + 1
  }
  if (start === 0) return encoder.encode(text)
  parts.push(encoder.encode(text.slice(start)))
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    bytes.set(part, at)
    at += part.length
  }
  return bytes
}
