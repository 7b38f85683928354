/** How much is on the heap, without garbage. Needs node's flag `--expose-gc`, which the commands give. */
export const heapMegabytes = (): number => {
  if (globalThis.gc === undefined) throw new Error("This needs node's flag --expose-gc")
  // Twice: what has a finalizer is gone after the second.
  globalThis.gc()
  globalThis.gc()
  return process.memoryUsage().heapUsed / 1_000_000
}
