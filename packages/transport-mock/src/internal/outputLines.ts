/**
 * Written bytes, line by line, as they come: a line that is written in pieces is seen in pieces, so that a fault need not
 * hold back what the host could see already. Bytes are never changed, and never kept here.
 */

/** A piece of a line, with its newline if that is in it. */
export interface Piece {
  /** The number of the line, from 0. */
  readonly line: number
  readonly bytes: Uint8Array
  /** It begins the line. */
  readonly starts: boolean
  /** It ends the line. */
  readonly ends: boolean
}

const newline = 0x0A

/** Makes a splitter. Stateful: one per stream. */
export const makeSplitter = (): (bytes: Uint8Array) => ReadonlyArray<Piece> => {
  let line = 0
  let starts = true
  return (bytes) => {
    const pieces: Array<Piece> = []
    let from = 0
    while (from < bytes.length) {
      const at = bytes.indexOf(newline, from)
      const ends = at !== -1
      const to = ends ? at + 1 : bytes.length
      pieces.push({ line, bytes: bytes.subarray(from, to), starts, ends })
      if (ends) line++
      starts = ends
      from = to
    }
    return pieces
  }
}

/** Pieces in one. */
export const concat = (pieces: ReadonlyArray<Uint8Array>): Uint8Array => {
  const whole = new Uint8Array(pieces.reduce((length, piece) => length + piece.length, 0))
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}
