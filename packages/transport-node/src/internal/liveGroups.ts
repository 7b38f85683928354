/**
 * The process groups that must not outlive this process. A scope's finalizer ends its group with all due grace; this is
 * for hosts that end without running finalizers: `process.exit`, an uncaught exception, a signal that nobody handles.
 * (Nothing helps against SIGKILL but that the child then reads the end of its input.)
 */
/** How long a dying host waits for its children between SIGTERM and SIGKILL. It can do nothing else meanwhile. */
const lastGraceMillis = 200

const signals = ["SIGTERM", "SIGINT", "SIGHUP"] as const

const groups = new Set<number>()

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

/** From now on, the group ends with this process. */
export const add = (pid: number): void => {
  if (groups.size === 0) {
    process.on("exit", endAll)
    for (const signal of signals) process.on(signal, onSignal)
  }
  groups.add(pid)
}

/** The group has ended. */
export const remove = (pid: number): void => {
  if (!groups.delete(pid) || groups.size > 0) return
  process.off("exit", endAll)
  for (const signal of signals) process.off(signal, onSignal)
}

const endAll = (): void => {
  const alive = [...groups].filter((pid) => signalGroup(pid, "SIGTERM"))
  if (alive.length === 0) return
  // The event loop is gone by now, so this is the only way left to wait.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, lastGraceMillis)
  for (const pid of alive) signalGroup(pid, "SIGKILL")
}

const onSignal = (signal: NodeJS.Signals): void => {
  // A host that handles the signal decides itself what becomes of it, and ends its scopes or exits.
  if (process.listenerCount(signal) > 1) return
  endAll()
  process.off(signal, onSignal)
  groups.clear()
  // Die of it, as if it had not been handled.
  process.kill(process.pid, signal)
}
