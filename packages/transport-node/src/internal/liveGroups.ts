/**
 * The process groups that must not outlive this process. A scope's finalizer ends its group with all due grace; this is
 * for hosts that end without running finalizers:
 *
 * - A signal that nobody else handles: every group is ended as its scope would have ended it, and then the signal takes its
 *   course. Somebody else handles it: it is theirs, and they close their scopes or exit.
 * - `process.exit`, an uncaught exception: nothing can be waited for any more but by standing still, so it is brief.
 * - SIGKILL: nothing helps, but that the child reads the end of its input.
 */
import * as Effect from "effect/Effect"

/** How long a host that exits waits for its children between SIGTERM and SIGKILL. It can do nothing else meanwhile. */
const lastGraceMillis = 200

const signals = ["SIGTERM", "SIGINT", "SIGHUP"] as const

/** Two copies of this package in one process share one registry: each would take the other for a host's handler. */
const registry = Symbol.for("@claude-duplex/transport-node/liveGroups")

interface Registry {
  readonly groups: Map<number, Effect.Effect<void>>
  isEnding: boolean
}

// The one place that says what is kept under the symbol.
const host = globalThis as { [registry]?: Registry }
const { groups } = host[registry] ??= { groups: new Map(), isEnding: false }

/** Sends a signal to a process group; says whether there was anybody in it. */
export const signalGroup = (pid: number, signal: NodeJS.Signals | 0): boolean => {
  try {
    // A group is named by its leader's id, negated. Windows has none: there, the child alone is ended.
    process.kill(process.platform === "win32" ? pid : -pid, signal)
    return true
  } catch (error) {
    // EPERM: it exists and is not ours to signal, so it is somebody else's by now.
    if (error instanceof Error && "code" in error && (error.code === "ESRCH" || error.code === "EPERM")) return false
    throw error
  }
}

/** From now on, the group ends with this process: by `end`, if there is time. */
export const add = (pid: number, end: Effect.Effect<void>): void => {
  groups.set(pid, end)
  listen()
}

/** The group has ended: its id may be somebody else's from now on. */
export const remove = (pid: number): void => {
  groups.delete(pid)
  if (groups.size > 0) return
  process.off("exit", killAll)
  for (const signal of signals) process.off(signal, onSignal)
}

const listen = (): void => {
  if (!process.listeners("exit").includes(killAll)) process.on("exit", killAll)
  for (const signal of signals) {
    // First, so that handlers which take themselves off when they are called are still counted.
    if (!process.listeners(signal).includes(onSignal)) process.prependListener(signal, onSignal)
  }
}

const killAll = (): void => {
  const alive = Array.from(groups.keys()).filter((pid) => signalGroup(pid, "SIGTERM"))
  if (alive.length === 0) return
  // The event loop is gone by now, so this is the only way left to wait.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, lastGraceMillis)
  for (const pid of alive) signalGroup(pid, "SIGKILL")
}

const onSignal = (signal: NodeJS.Signals): void => {
  // Out of the way: who only watches for the end, and lets the signal pass if nobody else is there, sees nobody else.
  process.off(signal, onSignal)
  if (process.listenerCount(signal) > 0) return
  const state = host[registry]
  if (state === undefined || state.isEnding) {
    // Asked again: at once, then.
    killAll()
    process.kill(process.pid, signal)
    return
  }
  state.isEnding = true
  process.prependListener(signal, onSignal)
  Effect.runFork(
    Effect.forEach(Array.from(groups.values()), (end) => end, { concurrency: "unbounded", discard: true }).pipe(
      Effect.ensuring(Effect.sync(() => {
        for (const other of signals) process.off(other, onSignal)
        // Die of it, as if it had not been handled.
        process.kill(process.pid, signal)
      }))
    )
  )
}
