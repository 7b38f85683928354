/** What a test needs to know of the system's processes. */
import { readdirSync, readFileSync } from "node:fs"

/** Whether a process exists and is not a zombie that waits for its parent. */
export const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
  } catch {
    return false
  }
  try {
    return !/^\d+ \(.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, "utf8"))
  } catch {
    // No /proc on this system, or gone since.
    return process.platform !== "linux"
  }
}

/** Children of this process, zombies included. */
export const children = (): ReadonlyArray<number> =>
  readdirSync("/proc").filter((name) => /^\d+$/.test(name)).flatMap((name) => {
    try {
      const parent = /^\d+ \(.*\) \S (\d+)/s.exec(readFileSync(`/proc/${name}/stat`, "utf8"))?.[1]
      return parent === String(process.pid) ? [Number(name)] : []
    } catch {
      // It ended while we looked.
      return []
    }
  })

export const openDescriptors = (): number => readdirSync("/proc/self/fd").length
