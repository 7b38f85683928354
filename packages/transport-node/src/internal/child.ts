/**
 * A child process, from its start to its last byte.
 */
import * as Redactor from "@claude-duplex/protocol/Redactor"
import { TransportError } from "@claude-duplex/protocol/Transport"
import * as TransportExit from "@claude-duplex/protocol/TransportExit"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FiberId from "effect/FiberId"
import * as PubSub from "effect/PubSub"
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process"
import { statSync } from "node:fs"
import type { Command, Graces } from "../NodeTransport.js"
import { bare } from "./bareError.js"
import { ByteSource } from "./byteSource.js"
import { LineSink } from "./lineSink.js"
import * as LiveGroups from "./liveGroups.js"
import { StderrTail } from "./stderrTail.js"

export interface Child {
  /** Also the id of its process group. */
  readonly pid: number
  readonly source: ByteSource
  readonly sink: LineSink
  readonly stderr: StderrTail
  /** How it ended: told when all of its output is taken in. */
  readonly exit: Effect.Effect<TransportExit.TransportExit>
  /** Whether anybody may be left in its group. */
  readonly hasGroup: () => boolean
}

const defaults = { inputGrace: "5 seconds", termGrace: "5 seconds", drainGrace: "2 seconds" } as const

/** Starts a process. */
export const start = (command: Command): Effect.Effect<Child, TransportError> =>
  Effect.flatMap(
    PubSub.sliding<string>(StderrTail.listenerCapacity),
    (listeners) =>
      Effect.async<Child, TransportError>((resume) => {
        const refused = refusal(command)
        if (refused !== undefined) return resume(Effect.fail(new TransportError({ reason: "Spawn", detail: refused })))
        let child: ChildProcessWithoutNullStreams
        try {
          child = spawn(command.command, command.args, {
            cwd: command.cwd,
            env: command.env,
            stdio: "pipe",
            // A group of its own: it can be ended whole, and a Ctrl-C at the terminal is the host's to interpret.
            detached: process.platform !== "win32",
            windowsHide: true
          })
        } catch (error) {
          return resume(Effect.fail(spawnError(command, error)))
        }
        child.on("error", (error) => resume(Effect.fail(spawnError(command, error))))
        child.once("spawn", () => resume(Effect.succeed(watch(child, listeners, command))))
      })
  )

/**
 * What no process can be given, or what would give it something else. Node refuses some of it too, and quotes it; it does not
 * refuse a name with `=`, which would set another variable.
 */
const refusal = ({ args, command, cwd, env }: Command): string | undefined => {
  if ([command, ...args, cwd ?? "", ...Object.entries(env).flat()].some((text) => text.includes("\0"))) {
    return "The command, an argument, the working directory or the environment contains a NUL character. Remove it."
  }
  // Windows has names of its own that begin with it.
  const first = process.platform === "win32" ? 1 : 0
  if (Object.keys(env).some((name) => name === "" || name.includes("=", first))) {
    return "The environment has a variable whose name is empty or contains `=`. Give it another name."
  }
  return undefined
}

const watch = (
  child: ChildProcessWithoutNullStreams,
  listeners: PubSub.PubSub<string>,
  { env, redact = Redactor.make({ env }), ...graces }: Command
): Child => {
  // `spawn` was announced, so there is an id.
  const pid = child.pid as number
  const source = new ByteSource(child.stdout)
  const stderr = new StderrTail(child.stderr, listeners)
  const exit = Deferred.unsafeMake<TransportExit.TransportExit>(FiberId.none)
  const watched: Child = {
    pid,
    source,
    sink: new LineSink(child.stdin),
    stderr,
    exit: Deferred.await(exit),
    hasGroup: () => hasGroup
  }
  let hasGroup = true
  LiveGroups.add(pid, Effect.suspend(() => end(watched, graces)))

  child.once("exit", (code, signal) => {
    source.drain()
    if (!LiveGroups.signalGroup(pid, 0)) {
      hasGroup = false
      LiveGroups.remove(pid)
    }
    const report = () => Deferred.unsafeDone(exit, Effect.succeed(exitOf(code, signal, stderr.text(redact))))
    // A process that it started may hold the pipes open for ever; what matters was written before.
    const late = setTimeout(() => {
      child.stdout.destroy()
      child.stderr.destroy()
      report()
    }, Duration.toMillis(graces.drainGrace ?? defaults.drainGrace))
    child.once("close", () => {
      clearTimeout(late)
      report()
    })
  })

  return watched
}

const exitOf = (code: number | null, signal: string | null, stderr: string): TransportExit.TransportExit => {
  if (code !== null) return TransportExit.exited(code, stderr)
  if (signal !== null) return TransportExit.signaled(signal, stderr)
  return TransportExit.failed("Node.js reported neither an exit code nor a signal", stderr)
}

/** Ends a process and its group: by the end of its input, then by SIGTERM, then by SIGKILL. */
export const end = (
  { exit, hasGroup, pid, sink, source, stderr }: Child,
  { inputGrace = defaults.inputGrace, termGrace = defaults.termGrace }: Graces
): Effect.Effect<void> =>
  Effect.gen(function*() {
    yield* sink.end
    // Whoever cannot get rid of its output cannot heed the end of its input.
    source.drain()
    if (!(yield* within(exit, inputGrace))) {
      LiveGroups.signalGroup(pid, "SIGTERM")
      if (!(yield* within(exit, termGrace))) LiveGroups.signalGroup(pid, "SIGKILL")
    }
    yield* exit
    // The leader is gone; what it left running in its group goes too. An id without a group may be a stranger's by now.
    if (hasGroup() && LiveGroups.signalGroup(pid, "SIGTERM")) yield* endLeaderless(pid, termGrace)
    LiveGroups.remove(pid)
    yield* stderr.close
  }).pipe(
    // A process lives in real time, whatever clock its host is tested with.
    Effect.withClock(Clock.make())
  )

/** Whether it ended in time. Runs in a finalizer, where waiting is not interruptible unless said so. */
const within = (
  exit: Effect.Effect<TransportExit.TransportExit>,
  grace: Duration.DurationInput
): Effect.Effect<boolean> =>
  Effect.map(Effect.timeoutOption(Effect.interruptible(exit), grace), (option) => option._tag === "Some")

/** Nobody tells when the last member of a group without a leader is gone, so it is asked. */
const endLeaderless = (pid: number, grace: Duration.DurationInput): Effect.Effect<void> =>
  Effect.gen(function*() {
    const deadline = performance.now() + Duration.toMillis(grace)
    while (LiveGroups.signalGroup(pid, 0)) {
      if (performance.now() >= deadline) {
        LiveGroups.signalGroup(pid, "SIGKILL")
        return
      }
      yield* Effect.sleep("20 millis")
    }
  })

const spawnError = ({ command, cwd }: Command, error: unknown): TransportError => {
  const cause = bare(error)
  const { code } = cause
  if (cwd !== undefined && !isDirectory(cwd)) {
    return new TransportError({
      reason: "Spawn",
      detail: `The working directory ${cwd} does not exist, or is not a directory. Create it, or give another.`,
      cause
    })
  }
  switch (code) {
    case "ENOENT":
      return new TransportError({
        reason: "NotFound",
        detail: `There is no ${command}. Check the path, or that its interpreter (the first line of a script) exists.`,
        cause
      })
    case "EACCES":
      return new TransportError({
        reason: "Spawn",
        detail: `${command} may not be executed. Make it executable (chmod +x), or give the right path.`,
        cause
      })
    case "E2BIG":
      return new TransportError({
        reason: "Spawn",
        detail:
          "The arguments or the environment are too long for this system. Send long prompts in `initialize` instead.",
        cause
      })
    default:
      return new TransportError({
        reason: "Spawn",
        detail: `${command} could not be started: ${cause.message}`,
        cause
      })
  }
}

const isDirectory = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
