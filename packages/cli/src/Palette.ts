/**
 * Colours, or none. Owns when there are any: on a terminal, unless `NO_COLOR` is set; `FORCE_COLOR` has the last word, as it
 * has in Node.
 */

/** Puts a text between escape sequences; or does nothing, where nobody would see a colour. */
export type Paint = (text: string) => string

/** What output is painted with. */
export interface Palette {
  readonly bold: Paint
  readonly dim: Paint
  readonly red: Paint
  readonly green: Paint
  readonly yellow: Paint
  readonly blue: Paint
  readonly magenta: Paint
  readonly cyan: Paint
}

const plain: Paint = (text) => text

const between = (on: number, off: number): Paint => (text) => text === "" ? "" : `\u001b[${on}m${text}\u001b[${off}m`

/**
 * Makes a palette.
 */
export const make = (isColoured: boolean): Palette => {
  const paint = (on: number, off: number): Paint => isColoured ? between(on, off) : plain
  return {
    bold: paint(1, 22),
    dim: paint(2, 22),
    red: paint(31, 39),
    green: paint(32, 39),
    yellow: paint(33, 39),
    blue: paint(34, 39),
    magenta: paint(35, 39),
    cyan: paint(36, 39)
  }
}

/** Where text goes, as far as colours are concerned. */
export interface Target {
  readonly isTerminal: boolean
  readonly env: { readonly [name: string]: string | undefined }
}

/**
 * Whether text that goes there may have colours.
 */
export const isColoured = ({ env, isTerminal }: Target): boolean => {
  const { FORCE_COLOR: force, NO_COLOR: no, TERM: term } = env
  if (force !== undefined) return force !== "0" && force !== "false"
  if (no !== undefined && no !== "") return false
  return isTerminal && term !== "dumb"
}

// The escape character is what a colour begins with.
// oxlint-disable-next-line no-control-regex
const escapes = /\u001b\[[0-9;]*m/g

/**
 * A text without its colours.
 */
export const strip = (text: string): string => text.replaceAll(escapes, "")
