/** Properties that `npm test` tries on a sample, and `pnpm sweep` on many more values. */
import { FastCheck as fc } from "effect"

/** Whether all cases are tried, and not only the sample. */
export const isSweep = process.env["SWEEP"] === "full"

/**
 * Lets the test runner send and receive. It takes a worker that is silent for a minute for a broken one, and synchronous code
 * is silent for as long as it runs.
 */
export const breathe = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** Tries a property on so many values: in slices, each with a seed of its own. */
export const check = async <A>(
  property: fc.IRawProperty<A, false>,
  runs: { readonly sample: number; readonly full: number }
): Promise<void> => {
  if (!isSweep) return fc.assert(property, { numRuns: runs.sample })
  const { seed = Date.now() } = fc.readConfigureGlobal()
  const slices = 50
  for (let slice = 0; slice < slices; slice++) {
    fc.assert(property, { numRuns: Math.ceil(runs.full / slices), seed: seed + slice })
    await breathe()
  }
}
