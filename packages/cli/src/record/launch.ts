/**
 * Starts what stands behind the proxy. Imports nothing but Node, so that a stand-in for `claude` (`Shim`) can start the real
 * one at once, and load the rest while that starts too; what it says meanwhile waits in its pipe.
 */
import { type ChildProcess, spawn } from "node:child_process"
import type { Readable, Writable } from "node:stream"

/** What was started. Its stderr is ours. */
export interface Launched {
  readonly process: ChildProcess & { readonly stdin: Writable; readonly stdout: Readable }
  /** Why it could not be started, if so. */
  readonly failed: Promise<Error>
  /** How it ended. Listened for from the start: it may be over before anybody is there to carry anything. */
  readonly exited: Promise<Ended>
  /** It has ended, and all that it wrote has been read. */
  readonly closed: Promise<void>
  /** From now on, its output is read: to be called by whoever reads it, once. */
  readonly release: () => void
}

/** How a process ended. */
export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

/**
 * Starts it, in our process group: whoever signals the group means both. No shell is involved: each argument arrives as it
 * is.
 */
export const launch = (command: string, args: ReadonlyArray<string>): Launched => {
  const process = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"], windowsHide: true })
  // Node throws away what a child has written and nobody reads when it ends, unless somebody waits for it.
  const hold = () => undefined
  process.stdout.on("readable", hold)
  return {
    process,
    release: () => process.stdout.off("readable", hold),
    failed: new Promise((resolve) => process.once("error", resolve)),
    exited: new Promise((resolve) => process.once("exit", (code, signal) => resolve({ code, signal }))),
    closed: new Promise((resolve) => process.once("close", () => resolve()))
  }
}
