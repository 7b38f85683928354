/** How much memory something takes. Needs `--expose-gc`: what is garbage is nobody's. */

const collect = (): void => {
  if (globalThis.gc === undefined) throw new Error("This variant needs node's flag --expose-gc")
  globalThis.gc()
}

/** What the process takes, as the system sees it, without garbage. */
export const residentMegabytes = (): number => {
  collect()
  return process.memoryUsage.rss() / 1_000_000
}

/** What is on the heap, without garbage. */
export const heapKilobytes = (): number => {
  collect()
  return process.memoryUsage().heapUsed / 1_000
}
