/**
 * The machinery of `LineDecoder` and of `Codec`.
 *
 * Each line is turned into text on its own: a chunk that holds one character beyond Latin-1 would otherwise become two
 * bytes a character as a whole, and take V8's slow path. The unfinished line is a list of blocks that is joined once, so work
 * and memory are linear in its bytes however they are cut.
 */
import { DecodeError, maxTextLength } from "../DecodeError.js"

/** How much of an unfinished line is kept together: many small pieces are one block. */
const blockBytes = 64 * 1024

const LF = 0x0a
const CR = 0x0d

/** Splits bytes into lines, and makes an `A` of each. */
export class LineSplitter<A> {
  readonly #maxLineBytes: number
  readonly #onLine: (text: string, line: number) => A
  /** Fatal, or bad bytes would silently become U+FFFD; and a BOM is a character like any other. */
  readonly #utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
  /** The unfinished line: full blocks, and the beginning of the last one. */
  #blocks: Array<Uint8Array> = []
  #block = new Uint8Array(0)
  #blockBytes = 0
  #carriedBytes = 0
  /** The unfinished line is too long, and reported: its rest is skipped. */
  #skipping = false
  #line = 1

  constructor(maxLineBytes: number, onLine: (text: string, line: number) => A) {
    this.#maxLineBytes = maxLineBytes
    this.#onLine = onLine
  }

  push(chunk: Uint8Array): Array<A | DecodeError> {
    const out: Array<A | DecodeError> = []
    let start = 0
    for (;;) {
      const newline = chunk.indexOf(LF, start)
      if (newline === -1) break
      // What `subarray` gives, without asking what class it is to be of: that takes a while for Node's own.
      const piece = new Uint8Array(chunk.buffer, chunk.byteOffset + start, newline - start)
      if (this.#carriedBytes > 0 || this.#skipping) this.#finishCarried(piece, out)
      else this.#oneLine(piece, out)
      start = newline + 1
    }
    if (start < chunk.length) this.#carry(chunk.subarray(start), out)
    return out
  }

  end(): Array<A | DecodeError> {
    const out: Array<A | DecodeError> = []
    if (this.#carriedBytes > 0 && !this.#skipping) {
      const bytes = this.#takeCarried()
      const text = this.#text(bytes)
      if (text !== undefined && isWholeFrame(text)) this.#emit(text, out)
      else out.push(DecodeError.of("TruncatedTail", this.#line, text ?? lossyText(bytes)))
    }
    this.#forget()
    this.#skipping = false
    return out
  }

  #oneLine(bytes: Uint8Array, out: Array<A | DecodeError>): void {
    if (bytes.length > this.#maxLineBytes) {
      out.push(this.#tooLong(bytes))
      this.#line++
      return
    }
    const text = this.#text(bytes)
    if (text === undefined) out.push(DecodeError.of("InvalidUtf8", this.#line++, lossyText(bytes)))
    else this.#emit(text, out)
  }

  #emit(text: string, out: Array<A | DecodeError>): void {
    const number = this.#line++
    const line = text.charCodeAt(text.length - 1) === CR ? text.slice(0, -1) : text
    if (line.length > 0) out.push(this.#onLine(line, number))
  }

  /** Keeps a piece of an unfinished line. A copy: the caller may use its buffer again. */
  #carry(piece: Uint8Array, out: Array<A | DecodeError>): void {
    if (this.#skipping) return
    this.#append(piece)
    if (this.#carriedBytes > this.#maxLineBytes) {
      // Reported now, and not at its end, which may never come.
      out.push(this.#tooLong(this.#takeCarried()))
      this.#skipping = true
    }
  }

  #append(piece: Uint8Array): void {
    this.#carriedBytes += piece.length
    if (this.#blockBytes + piece.length > this.#block.length) {
      if (this.#blockBytes > 0) this.#blocks.push(this.#block.subarray(0, this.#blockBytes))
      this.#block = new Uint8Array(Math.max(blockBytes, piece.length))
      this.#blockBytes = 0
    }
    this.#block.set(piece, this.#blockBytes)
    this.#blockBytes += piece.length
  }

  /** Shows only bytes that are there however the line was cut when its length was noticed. */
  #tooLong(bytes: Uint8Array): DecodeError {
    return DecodeError.of("LineTooLong", this.#line, lossyText(bytes.subarray(0, this.#maxLineBytes)))
  }

  #finishCarried(piece: Uint8Array, out: Array<A | DecodeError>): void {
    if (this.#skipping) {
      this.#skipping = false
      this.#line++
      return
    }
    this.#append(piece)
    this.#oneLine(this.#takeCarried(), out)
  }

  /** The unfinished line; good until the next one is carried. */
  #takeCarried(): Uint8Array {
    const last = this.#block.subarray(0, this.#blockBytes)
    const bytes = this.#blocks.length === 0 ? last : new Uint8Array(this.#carriedBytes)
    if (bytes !== last) {
      let at = 0
      for (const block of [...this.#blocks, last]) {
        bytes.set(block, at)
        at += block.length
      }
    }
    this.#forget()
    return bytes
  }

  #forget(): void {
    this.#blocks = []
    this.#blockBytes = 0
    this.#carriedBytes = 0
    // One huge piece does not cost its memory for ever.
    if (this.#block.length > blockBytes) this.#block = new Uint8Array(0)
  }

  #text(bytes: Uint8Array): string | undefined {
    try {
      return this.#utf8.decode(bytes)
    } catch {
      // The only way that a fatal decoder has to say "not UTF-8"; the caller reports it.
      return undefined
    }
  }
}

/** Text for an error report: its beginning, bad bytes replaced. Four bytes a character are always enough. */
const lossyText = (bytes: Uint8Array): string => new TextDecoder().decode(bytes.subarray(0, maxTextLength * 4))

/** A line that was not ended by a newline is whole if it is a JSON object: no object is the beginning of a longer one. */
const isWholeFrame = (text: string): boolean => {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === "object" && value !== null && !Array.isArray(value)
  } catch {
    return false
  }
}
