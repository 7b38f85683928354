/**
 * Numbers that look random and are the same on every machine and in every process: each variant's child makes its own
 * corpus, and all of them must get the same bytes.
 */

/** A source of numbers. Stateful: the order of calls matters. */
export interface Random {
  /** From 0 up to, and without, 1. */
  readonly next: () => number
  /** One of the items. */
  readonly pick: <A>(items: ReadonlyArray<A>) => A
  /** Evenly on a logarithmic scale: most are small, and a few are very large. */
  readonly logUniform: (low: number, high: number) => number
  /** The shape of a UUID. */
  readonly uuid: () => string
}

/** mulberry32: 32 bits of state are plenty for a few thousand frames. */
export const make = (seed: number): Random => {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = state
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
  const hex = (digits: number): string => Math.floor(next() * 16 ** digits).toString(16).padStart(digits, "0")
  return {
    next,
    pick: (items) => {
      const item = items[Math.floor(next() * items.length)]
      if (item === undefined) throw new Error("There is nothing to pick from")
      return item
    },
    logUniform: (low, high) => Math.round(low * (high / low) ** next()),
    uuid: () => `${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(8)}${hex(4)}`
  }
}
