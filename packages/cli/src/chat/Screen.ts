/**
 * What is seen: text that streams and stays, and below it a few lines that are drawn anew (what is typed, a question).
 * Owns the cursor. Without a terminal there is nothing below, and text is written as it comes.
 */
import * as Effect from "effect/Effect"
import * as Palette from "../Palette.js"
import { width } from "./width.js"

/** What is drawn below the text. Each line is cut where the terminal ends. */
export interface Below {
  readonly lines: ReadonlyArray<string>
  /** Where the cursor stands: in the last line, at this column; nowhere if it is not to be seen. */
  readonly cursor?: number | undefined
}

/** The screen. Everything is written at once, in the order in which it is run. */
export interface Screen {
  readonly palette: Palette.Palette
  /** How wide it is; a pipe has no width. */
  readonly columns: () => number
  /** Goes on where the last text ended, between words wherever the line ends. */
  readonly prose: (text: string) => Effect.Effect<void>
  /** Begins a new line, and ends it. */
  readonly line: (text: string) => Effect.Effect<void>
  /** Ends the line that the text is in, if it is in one. */
  readonly finish: Effect.Effect<void>
  /** Draws what is below the text, in place of what was there. */
  readonly below: (below: Below) => Effect.Effect<void>
}

/** What a screen needs of a stream of Node's. */
export interface Target {
  readonly isTTY?: boolean | undefined
  readonly columns?: number | undefined
  readonly write: (text: string) => unknown
}

const escape = "\u001b["
const clearDown = `\r${escape}J`
const up = (rows: number) => rows > 0 ? `${escape}${rows}A` : ""
const right = (columns: number) => columns > 0 ? `${escape}${columns}C` : ""
const hide = `${escape}?25l`
const show = `${escape}?25h`

/** Makes one. */
export const make = (target: Target, palette: Palette.Palette): Screen => {
  const hasTerminal = target.isTTY === true
  const columns = () => hasTerminal ? target.columns ?? 80 : Infinity
  /** How far the last line of the text has come. */
  let column = 0
  let drawn: Below = { lines: [] }

  const advance = (text: string) => {
    const newline = text.lastIndexOf("\n")
    const last = width(Palette.strip(text.slice(newline + 1)))
    column = (newline === -1 ? column + last : last) % columns()
  }

  /** Takes away what is below, the cursor then being where the text goes on. */
  const clear = () =>
    drawn.lines.length === 0
      ? ""
      : `${up(drawn.lines.length - 1)}${clearDown}${column > 0 ? `${up(1)}${right(column)}` : ""}`

  /** Draws what is below, from where the text goes on. */
  const draw = () => {
    if (drawn.lines.length === 0) return show
    const lines = drawn.lines.map((line) => fit(line, columns() - 1))
    const cursor = drawn.cursor === undefined ? hide : `\r${right(drawn.cursor)}${show}`
    return `${column > 0 ? "\n" : ""}${lines.join("\n")}${cursor}`
  }

  const write = (text: string) =>
    Effect.sync(() => {
      // One write, so that nothing flickers and nothing comes between.
      const before = clear()
      advance(text)
      target.write(hasTerminal ? `${before}${text}${draw()}` : text)
    })

  return {
    palette,
    columns,
    prose: (text) => Effect.suspend(() => write(wrap(text, column, columns()))),
    line: (text) => Effect.suspend(() => write(`${column > 0 ? "\n" : ""}${text}\n`)),
    finish: Effect.suspend(() => column > 0 ? write("\n") : Effect.void),
    below: (below) =>
      Effect.sync(() => {
        if (!hasTerminal) return
        const before = clear()
        drawn = below
        target.write(`${before}${draw()}`)
      })
  }
}

/** Breaks text between words that came in one piece, where a terminal would break them. */
const wrap = (text: string, from: number, columns: number): string => {
  let column = from
  return (text.match(/\n|[^\S\n]*[^\s]+|[^\S\n]+/g) ?? []).map((word) => {
    const its = word === "\n" ? 0 : width(word)
    if (word === "\n") column = 0
    // The last column is left free: a terminal that is full to the brim is in two lines at once.
    else if (column > 0 && column + its >= columns) {
      const next = word.trimStart()
      column = width(next)
      return `\n${next}`
    } else column = (column + its) % columns
    return word
  }).join("")
}

/** A line, cut to so many columns. Escape sequences take none, and are all kept, so that every colour ends. */
const fit = (line: string, columns: number): string => {
  if (width(Palette.strip(line)) <= columns) return line
  let left = columns - 1
  let isCut = false
  // oxlint-disable-next-line no-control-regex
  return line.replaceAll(/\u001b\[[0-9;]*m|[^]/gu, (piece) => {
    if (piece.length > 1 && piece.startsWith("\u001b")) return piece
    left -= width(piece)
    if (left >= 0) return piece
    if (isCut) return ""
    isCut = true
    return "…"
  })
}
