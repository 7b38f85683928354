/**
 * Which elements of two lists stand for each other: the longest common subsequence, by Myers' greedy algorithm ("An O(ND)
 * difference algorithm and its variations", 1986). Time and memory grow with the number of differences, not with the lists.
 */

/** A pair, or an element of one list that the other has no counterpart for. */
export type Aligned = readonly [a: number | undefined, b: number | undefined]

/** With more differences than this, two lists have little to do with each other, and the rest is left without counterparts. */
const mostDifferences = 4_000

/** Pairs in order; every index of both lists occurs once. */
export const align = (a: ReadonlyArray<string>, b: ReadonlyArray<string>): ReadonlyArray<Aligned> => {
  let start = 0
  while (start < a.length && start < b.length && a[start] === b[start]) start++
  let end = 0
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++
  const middle = shortest(a.slice(start, a.length - end), b.slice(start, b.length - end))
  const pairs: Array<Aligned> = []
  for (let i = 0; i < start; i++) pairs.push([i, i])
  for (const [i, j] of middle) {
    pairs.push([i === undefined ? undefined : i + start, j === undefined ? undefined : j + start])
  }
  for (let i = end; i > 0; i--) pairs.push([a.length - i, b.length - i])
  return pairs
}

const shortest = (a: ReadonlyArray<string>, b: ReadonlyArray<string>): ReadonlyArray<Aligned> => {
  const most = Math.min(a.length + b.length, mostDifferences)
  /** By diagonal (`x - y`, shifted to be positive): how far along `a` a path with so many differences reaches. */
  const reach = new Int32Array(2 * most + 3)
  const middle = most + 1
  const trace: Array<Int32Array> = []
  for (let d = 0; d <= most; d++) {
    trace.push(reach.slice(middle - d - 1, middle + d + 2))
    for (let k = -d; k <= d; k += 2) {
      const down = k === -d || (k !== d && (reach[middle + k - 1] ?? 0) < (reach[middle + k + 1] ?? 0))
      let x = down ? reach[middle + k + 1] ?? 0 : (reach[middle + k - 1] ?? 0) + 1
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x++
      reach[middle + k] = x
      if (x >= a.length && x - k >= b.length) return backtrack(trace, a.length, b.length)
    }
  }
  return [...a.map((_, i): Aligned => [i, undefined]), ...b.map((_, j): Aligned => [undefined, j])]
}

const backtrack = (trace: ReadonlyArray<Int32Array>, aLength: number, bLength: number): ReadonlyArray<Aligned> => {
  const pairs: Array<Aligned> = []
  let x = aLength
  let y = bLength
  for (let d = trace.length - 1; d >= 0; d--) {
    const reach = trace[d]
    const at = (k: number): number => reach?.[k + d + 1] ?? 0
    const k = x - y
    const before = k === -d || (k !== d && at(k - 1) < at(k + 1)) ? k + 1 : k - 1
    const fromX = d === 0 ? 0 : at(before)
    const fromY = d === 0 ? 0 : fromX - before
    while (x > fromX && y > fromY) pairs.push([--x, --y])
    if (d === 0) break
    if (x === fromX) pairs.push([undefined, --y])
    else pairs.push([--x, undefined])
  }
  return pairs.reverse()
}
