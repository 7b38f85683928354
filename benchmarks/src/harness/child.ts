/** One variant in a process of its own, asked for one round at a time. */
import { type ChildProcess, fork } from "node:child_process"
import { fileURLToPath } from "node:url"
import type { VariantName } from "../work/variants.js"
import { isRoundReply, type RoundReply, type RoundRequest } from "./protocol.js"

/** A variant that is ready to run. */
export interface Child {
  readonly round: (passes: number) => Promise<RoundReply>
  readonly close: () => Promise<void>
}

const workerPath = fileURLToPath(new URL("./worker.js", import.meta.url))

/** Starts a variant and waits until its input is made. */
export const start = async (variant: VariantName, nodeFlags: ReadonlyArray<string>): Promise<Child> => {
  const child = fork(workerPath, [variant], { execArgv: [...nodeFlags] })
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()))
  await nextReply(child, variant)
  return {
    round: (passes) => {
      const reply = nextReply(child, variant)
      const request: RoundRequest = { passes }
      child.send(request)
      return reply
    },
    close: () => {
      if (child.connected) child.disconnect()
      return exited
    }
  }
}

const nextReply = (child: ChildProcess, variant: VariantName): Promise<RoundReply> =>
  new Promise((resolve, reject) => {
    const settle = (finish: () => void): void => {
      child.off("message", onMessage)
      child.off("exit", onExit)
      child.off("error", onError)
      finish()
    }
    const onMessage = (message: unknown): void =>
      settle(() => isRoundReply(message) ? resolve(message) : reject(new Error(`${variant} sent what is not a reply`)))
    const onExit = (code: number | null, signal: string | null): void =>
      settle(() => reject(new Error(`${variant} ended (${signal ?? code}) before it replied; see its stderr`)))
    const onError = (cause: Error): void => settle(() => reject(cause))
    child.once("message", onMessage).once("exit", onExit).once("error", onError)
  })
