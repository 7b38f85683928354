/** What a variant of a benchmark is: one pass over its input. */

/**
 * One pass. The number depends on everything that was made, so that nothing can be left out as unused; variants that do
 * the same work give the same number, and the harness says so if they do not.
 */
export type Work = () => number | Promise<number>
