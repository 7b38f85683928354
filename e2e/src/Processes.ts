/** What tests need to know of the system's processes. Linux only, as far as `/proc` is asked. */
import { Effect, Schedule } from "effect"
import { readdirSync, readFileSync } from "node:fs"

/** The state, the parent and the group of a process; nothing if it is gone. */
const statOf = (
  pid: number
): { readonly state: string; readonly parent: number; readonly group: number } | undefined => {
  try {
    // The name is in parentheses, and may contain some.
    const [, state = "", parent, group] =
      /^\d+ \(.*\) (\S) (\d+) (\d+)/s.exec(readFileSync(`/proc/${pid}/stat`, "utf8")) ?? []
    return { state, parent: Number(parent), group: Number(group) }
  } catch {
    // It ended while we looked.
    return undefined
  }
}

const pids = (): ReadonlyArray<number> => readdirSync("/proc").filter((name) => /^\d+$/.test(name)).map(Number)

/** Whether a process exists and is not a zombie that waits for its parent. */
export const isAlive = (pid: number): boolean => {
  const state = statOf(pid)?.state
  return state !== undefined && state !== "Z"
}

/** The processes of a group that are alive. */
export const groupOf = (group: number): ReadonlyArray<number> =>
  pids().filter((pid) => isAlive(pid) && statOf(pid)?.group === group)

/** A process and all that it started, in whatever group those are. One whose parent is gone is not found. */
export const family = (pid: number): ReadonlyArray<number> => {
  const found = [pid]
  const all = pids()
  for (const parent of found) found.push(...all.filter((child) => statOf(child)?.parent === parent))
  return found.filter(isAlive)
}

/** Looks again until something is so. Bounded by the test's own timeout. */
export const until = (isSo: () => boolean): Effect.Effect<void> =>
  Effect.sync(isSo).pipe(Effect.repeat({ until: (so) => so, schedule: Schedule.spaced("20 millis") }), Effect.asVoid)
