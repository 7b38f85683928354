/** Numbers from 0 to 1 that depend on the seed alone, on every machine and with every version of Effect: mulberry32. */
export const makeRandom = (seed: number): () => number => {
  let state = seed | 0
  return () => {
    state = (state + 0x6D2B79F5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}
