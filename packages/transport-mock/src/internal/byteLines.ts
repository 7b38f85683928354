/**
 * Splits bytes into lines at 0x0A, and changes nothing in them: a CR stays, an empty line is a line, there is no limit and
 * no line is refused. For recording; whoever wants frames uses the protocol's `LineDecoder`, which does all of that.
 */
const LF = 0x0a

export class ByteLines {
  #pieces: Array<Uint8Array> = []

  /** The lines that this chunk ends, without their newlines. The chunk is kept: it must not change afterwards. */
  push(chunk: Uint8Array): ReadonlyArray<Uint8Array> {
    const lines: Array<Uint8Array> = []
    let start = 0
    for (let newline = chunk.indexOf(LF); newline !== -1; newline = chunk.indexOf(LF, start)) {
      this.#pieces.push(chunk.subarray(start, newline))
      lines.push(this.#join())
      start = newline + 1
    }
    if (start < chunk.length) this.#pieces.push(chunk.subarray(start))
    return lines
  }

  /** The line that was not ended, if there is one. */
  end(): ReadonlyArray<Uint8Array> {
    return this.#pieces.length === 0 ? [] : [this.#join()]
  }

  #join(): Uint8Array {
    const pieces = this.#pieces
    this.#pieces = []
    const [only] = pieces
    if (only !== undefined && pieces.length === 1) return only
    const bytes = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0))
    let at = 0
    for (const piece of pieces) {
      bytes.set(piece, at)
      at += piece.length
    }
    return bytes
  }
}
