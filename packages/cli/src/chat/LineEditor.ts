/**
 * A line that is being typed, as a value: what keys do to it, and what of it is seen. Pure; where keys come from and where it
 * is drawn is `Keyboard`'s and `Screen`'s business. It may contain newlines, which a paste brings.
 */
import type { Key } from "@effect/platform/Terminal"
import { width } from "./width.js"

/** A line, by its characters, and where the cursor stands: before the character of that index. */
export interface Line {
  readonly characters: ReadonlyArray<string>
  readonly cursor: number
}

/** A line with this text, the cursor at its end. */
export const of = (text: string): Line => {
  const characters = Array.from(text)
  return { characters, cursor: characters.length }
}

export const empty: Line = of("")

export const text = ({ characters }: Line): string => characters.join("")

/** Puts text in where the cursor is. */
export const insert = ({ characters, cursor }: Line, added: string): Line => {
  const more = Array.from(added)
  return {
    characters: [...characters.slice(0, cursor), ...more, ...characters.slice(cursor)],
    cursor: cursor + more.length
  }
}

/** Takes out what is between the cursor and there. */
const cut = ({ characters, cursor }: Line, to: number): Line => {
  const [from, until] = to < cursor ? [to, cursor] : [cursor, to]
  return { characters: [...characters.slice(0, from), ...characters.slice(until)], cursor: from }
}

const move = (line: Line, cursor: number): Line => ({
  ...line,
  cursor: Math.min(Math.max(cursor, 0), line.characters.length)
})

/** Where the word before the cursor begins. */
const wordStart = ({ characters, cursor }: Line): number => {
  let at = cursor
  while (at > 0 && /\s/.test(characters[at - 1] ?? "")) at--
  while (at > 0 && !/\s/.test(characters[at - 1] ?? "")) at--
  return at
}

/** What a key does to a line; nothing if it means something else, or nothing at all. The keys are a shell's. */
export const press = (line: Line, key: Key, input: string): Line | undefined => {
  const { characters: { length }, cursor } = line
  switch (`${key.ctrl ? "ctrl-" : ""}${key.meta ? "alt-" : ""}${key.name}`) {
    case "backspace":
    case "ctrl-h":
      return cursor === 0 ? line : cut(line, cursor - 1)
    case "delete":
      return cursor === length ? line : cut(line, cursor + 1)
    case "left":
    case "ctrl-b":
      return move(line, cursor - 1)
    case "right":
    case "ctrl-f":
      return move(line, cursor + 1)
    case "home":
    case "ctrl-a":
      return move(line, 0)
    case "end":
    case "ctrl-e":
      return move(line, length)
    case "ctrl-u":
      return cut(line, 0)
    case "ctrl-k":
      return cut(line, length)
    case "ctrl-w":
    case "alt-backspace":
      return cut(line, wordStart(line))
    default:
      // The rest of the control characters mean something elsewhere, or nothing.
      return key.ctrl || key.meta || input === "" || input < " " || input.startsWith("\u001b") || input === "\u007f"
        ? undefined
        : insert(line, input)
  }
}

/** The part of a line around its cursor that fits into so many columns, and at which of them the cursor is. */
export const visible = (
  { characters, cursor }: Line,
  columns: number
): { readonly text: string; readonly column: number } => {
  const shown = characters.map((character) => character === "\n" ? "⏎" : character)
  let start = cursor
  let column = 0
  // The cursor itself needs a column, too.
  while (start > 0 && column + width(shown[start - 1] ?? "") < columns) column += width(shown[--start] ?? "")
  let end = cursor
  let total = column
  while (end < shown.length && total + width(shown[end] ?? "") < columns) total += width(shown[end++] ?? "")
  return { text: shown.slice(start, end).join(""), column }
}
