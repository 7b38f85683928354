/**
 * Carries bytes between this process's own stdio and a child's, in both directions, unchanged and with back-pressure, and
 * passes signals on. Owns the traffic; what is written down of it is the business of whoever is told.
 *
 * On Node's streams and not on Effect's: `pipe` does what is wanted, and nothing else is on the way of a byte.
 */
import type { Direction } from "@claude-duplex/transport-mock/Recording"
import * as Effect from "effect/Effect"
import { stdin, stdout } from "node:process"
import { CliError } from "../CliError.js"
import type { Ended, Launched } from "./launch.js"

/** Signals that end or poke a CLI, and that a process can pass on. */
const signals = ["SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2"] as const

/** How long the child's output may stay open after its end, held by a process that it started. */
const drainMillis = 2_000

/**
 * Carries until the child has ended and its output has been handed on. Cannot be interrupted: it ends when the child does,
 * and signals are the child's.
 */
export const carry = (
  { closed, exited, failed, process: child, release }: Launched,
  note: (dir: Direction, bytes: Uint8Array) => void
): Effect.Effect<Ended, CliError> =>
  Effect.async<Ended, CliError>((resume) => {
    const forward = (signal: NodeJS.Signals) => child.kill(signal)
    for (const signal of signals) process.on(signal, forward)
    const settle = (effect: Effect.Effect<Ended, CliError>) => {
      for (const signal of signals) process.off(signal, forward)
      // Nothing more will be read, and an open stdin would keep this process alive.
      stdin.destroy()
      resume(effect)
    }

    // Each is told before it is handed on, so that a cause is noted before its effect.
    stdin.on("data", (bytes: Uint8Array) => note("host", bytes))
    child.stdout.on("data", (bytes: Uint8Array) => note("cli", bytes))
    stdin.pipe(child.stdin)
    child.stdout.pipe(stdout, { end: false })
    release()

    // Whoever does not read any more is not written to, and the writer finds a closed pipe, as it would without us.
    child.stdin.on("error", () => stdin.destroy())
    stdout.on("error", () => child.stdout.destroy())
    // An input that breaks is one that ends.
    stdin.on("error", () => child.stdin.end())

    void failed.then((error) =>
      settle(Effect.fail(new CliError({ reason: "Claude", summary: `It could not be started: ${error.message}.` })))
    )
    void exited.then(async (ended) => {
      const late = setTimeout(() => child.stdout.destroy(), drainMillis)
      await closed
      clearTimeout(late)
      // Behind all that was written before; a host that is gone reads nothing, and is not waited for.
      stdout.write("", () => settle(Effect.succeed(ended)))
    })
  }).pipe(Effect.uninterruptible)

/** Ends this process as the child ended: by the same signal, or with the same code. */
export const endLike = ({ code, signal }: Ended): Effect.Effect<never> =>
  Effect.async<never>(() => {
    if (signal === null) process.exit(code ?? 1)
    process.removeAllListeners(signal)
    process.kill(process.pid, signal)
    // One that cannot be died of here, such as SIGPIPE, which Node ignores: as a shell would tell it.
    setTimeout(() => process.exit(128), 1_000)
  }).pipe(Effect.uninterruptible)
