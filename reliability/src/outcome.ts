/** What a command found: figures for the page, and whatever does not hold. */

/** One promise, and what was measured of it. */
export interface Row {
  readonly promise: string
  readonly figure: string
}

/** Something that does not hold, with what is needed to see it again. */
export interface Violation {
  readonly what: string
  /** How to see it again. */
  readonly reproduce: string
}

/** What one command found. */
export interface Outcome {
  readonly rows: ReadonlyArray<Row>
  /** Everything that was measured, for programs. */
  readonly measured: { readonly [name: string]: unknown }
  readonly violations: ReadonlyArray<Violation>
}

const pause = process.stderr.isTTY ? 1_000 : 10_000

/** Says how far something has come, and never more often than people read. */
export const progress = (command: string): (text: string) => void => {
  let last = -Infinity
  return (text) => {
    if (performance.now() - last < pause) return
    last = performance.now()
    console.error(`${command}: ${text}`)
  }
}

/** A number with its thousands told apart. */
export const grouped = (value: number): string => Math.round(value).toLocaleString("en-US")
