/**
 * The process groups that must not outlive this process. A scope's finalizer ends its group with all due grace; this is
 * for hosts that end without running finalizers:
 *
 * - A signal that nobody else handles: every group is ended as its scope would have ended it, and then the signal takes its
 *   course. Somebody else handles it: it is theirs, and they close their scopes or exit. A handler that only watches, and
 *   raises the signal again at once, is not known from one that handles it, but for `signal-exit`'s: then the child is left
 *   with the end of its input.
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

/**
 * Listeners of `signal-exit`, which many packages bring along: they only watch for the end, and see to it themselves if
 * nobody else listens. Its versions keep their count in these places.
 */
const watchers = (): number => {
  const places: ReadonlyArray<unknown> = [
    Reflect.get(globalThis, Symbol.for("signal-exit emitter")),
    Reflect.get(process, "__signal_exit_emitter__")
  ]
  return places.reduce<number>((sum, place) => {
    const count: unknown = typeof place === "object" && place !== null && "count" in place ? place.count : 0
    return sum + (typeof count === "number" ? count : 0)
  }, 0)
}

const onSignal = (signal: NodeJS.Signals): void => {
  if (process.listenerCount(signal) - 1 - watchers() > 0) {
    // Theirs. Out of the way while they are called: some look whether anybody else listens; and there again for the next.
    process.off(signal, onSignal)
    setImmediate(() => {
      if (groups.size > 0) listen()
    })
    return
  }
  const state = host[registry]
  if (state === undefined || state.isEnding) {
    // Asked again: at once, then.
    process.off(signal, onSignal)
    killAll()
    process.kill(process.pid, signal)
    return
  }
  state.isEnding = true
  Effect.runFork(
    Effect.forEach(Array.from(groups.values()), (end) => end, { concurrency: "unbounded", discard: true }).pipe(
      Effect.ensuring(Effect.sync(() => {
        for (const other of signals) process.off(other, onSignal)
        // Die of it, as if it had not been handled; and do not end before, if somebody who only watches is to hear of it.
        process.kill(process.pid, signal)
        setTimeout(() => undefined, lastGraceMillis)
      }))
    )
  )
}
