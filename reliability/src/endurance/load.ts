/**
 * `pnpm load`: many sessions at once in one host: 200 on `fake-claude` processes, 1,000 in memory. All are open at the same
 * time; each has two turns, the second of all of them at once. Then all are closed, and what is left behind is counted.
 */
import * as Session from "@claude-duplex/session/Session"
import * as MockConnector from "@claude-duplex/transport-mock/MockConnector"
import * as Replay from "@claude-duplex/transport-mock/Replay"
import * as NodeConnector from "@claude-duplex/transport-node/NodeConnector"
import { Effect, Exit, Scope } from "effect"
import { monitorEventLoopDelay } from "node:perf_hooks"
import { fileURLToPath } from "node:url"
import { heapMegabytes } from "../heap.js"
import { grouped, type Outcome, progress, type Violation } from "../outcome.js"
import * as Recordings from "../recorded/recordings.js"
import * as Census from "./census.js"

/** How the command is called. */
export interface Options {
  readonly processes: number
  readonly mocks: number
}

const recording = "2.1.326/plain"

/** What the recorded host says. */
const prompts = ["hello", "second turn"] as const

// The executable is no module of the package's; it lies beside its modules.
const fakeClaude = fileURLToPath(
  new URL("../bin/fake-claude.mjs", import.meta.resolve("@claude-duplex/transport-mock/Replay"))
)

const onProcess = Effect.flatMap(
  NodeConnector.fromCommand({
    command: process.execPath,
    args: [fakeClaude, "--recording", fileURLToPath(Recordings.pathOf(recording))],
    env: { PATH: process.env["PATH"] ?? "" }
  }),
  (connector) => Session.fromConnector(connector)
)

const inMemory = Effect.suspend(() => MockConnector.make(Replay.behaviour(Recordings.read(recording)))).pipe(
  Effect.flatMap((connector) => Session.fromConnector(connector))
)

/** A hundred times what it takes on an idle machine: only what does not end at all takes longer. */
const closeLimit = 60

/** What was measured of one crowd. */
interface Crowd {
  readonly sessions: number
  readonly turns: number
  readonly startSeconds: number
  readonly turnSeconds: number
  readonly closeSeconds: number
  /** How late timers of the host were, in milliseconds: the median, 99 of 100, and the worst. */
  readonly delay: { readonly p50: number; readonly p99: number; readonly max: number }
  readonly heapPerSession: number
  readonly before: Census.Census
  readonly open: Census.Census
  readonly after: Census.Census
}

const crowd = (
  what: string,
  sessions: number,
  open: Effect.Effect<Session.Service, unknown, Scope.Scope>,
  starting: number
): Effect.Effect<Crowd> =>
  Effect.gen(function*() {
    const tell = progress("load")
    const before = Census.take()
    const heap = heapMegabytes()
    const scope = yield* Scope.make()
    const clock = stopwatch()
    const delays = monitorEventLoopDelay({ resolution: 5 })
    delays.enable()
    let turns = 0
    let started = 0
    const turn = (session: Session.Service, prompt: string) =>
      Effect.map(Effect.orDie(session.send(prompt)), ({ outcome, text }) => {
        if (outcome === "success" && text === `echo: ${prompt}`) turns++
      })
    const all = yield* Effect.forEach(
      Array.from({ length: sessions }),
      () =>
        Effect.orDie(Scope.extend(open, scope)).pipe(
          Effect.tap((session) => turn(session, prompts[0])),
          Effect.tap(() => Effect.sync(() => tell(`${what}: ${grouped(++started)} of ${grouped(sessions)} are open`)))
        ),
      { concurrency: starting }
    )
    const startSeconds = clock()
    yield* Effect.forEach(all, (session) => turn(session, prompts[1]), { concurrency: "unbounded", discard: true })
    const turnSeconds = clock()
    delays.disable()
    const heapPerSession = (heapMegabytes() - heap) / sessions
    const opened = Census.take()
    clock()
    yield* Effect.forEach(all, (session) => session.close, { concurrency: "unbounded", discard: true })
    yield* Scope.close(scope, Exit.void)
    const closeSeconds = clock()
    // The system takes a moment to forget a process.
    yield* Effect.repeat(Effect.sleep("50 millis"), { until: () => isAsBefore(before, Census.children()), times: 40 })
    all.length = 0
    return {
      sessions,
      turns,
      startSeconds,
      turnSeconds,
      closeSeconds,
      delay: { p50: delays.percentile(50) / 1e6, p99: delays.percentile(99) / 1e6, max: delays.max / 1e6 },
      heapPerSession,
      before,
      open: opened,
      after: Census.take()
    }
  })

const isAsBefore = (before: Census.Census, children: number | undefined): boolean =>
  (children ?? 0) <= (before.children ?? 0)

/** Seconds since it was last asked. */
const stopwatch = (): () => number => {
  let last = performance.now()
  return () => {
    const now = performance.now()
    const seconds = (now - last) / 1_000
    last = now
    return seconds
  }
}

const wrongWith = (what: string, { after, before, closeSeconds, sessions, turns }: Crowd): ReadonlyArray<Violation> => {
  const expected = sessions * prompts.length
  const left = (["fibers", "children", "descriptors"] as const).flatMap((name) =>
    (after[name] ?? 0) > (before[name] ?? 0) ? [`${name}: ${before[name]} before, ${after[name]} after`] : []
  )
  return [
    ...(turns === expected ? [] : [`${turns} of ${expected} turns ended well`]),
    ...(closeSeconds <= closeLimit ? [] : [`closing took ${closeSeconds.toFixed(1)} s; ${closeLimit} s may be`]),
    ...left
  ].map((text) => ({ what: `${what}: ${text}`, reproduce: "pnpm load" }))
}

/** Loads. */
export const load = ({ mocks, processes }: Options): Promise<Outcome> =>
  Effect.gen(function*() {
    // The first child of a process costs it a descriptor for good, which is Node's own.
    yield* crowd("first", 1, onProcess, 1)
    const mocked = yield* crowd("in memory", mocks, inMemory, mocks)
    // As many at a time as a host would start: each takes a third of a second of a core to begin with.
    const real = yield* crowd("on processes", processes, onProcess, 8)
    const late = ({ delay }: Crowd) =>
      `event loop delay p50 ${delay.p50.toFixed(0)}, p99 ${delay.p99.toFixed(0)}, max ${delay.max.toFixed(0)} ms`
    const shown = ({ closeSeconds, heapPerSession, sessions, startSeconds, turnSeconds, turns }: Crowd) =>
      [
        `${grouped(turns)} of ${grouped(sessions * prompts.length)} turns ended`,
        `started in ${startSeconds.toFixed(1)} s, second turn of all at once in ${turnSeconds.toFixed(2)} s`,
        `${(heapPerSession * 1_000).toFixed(0)} KB of heap a session`,
        `closed in ${closeSeconds.toFixed(1)} s`
      ].join("; ")
    const left = ({ after, before }: Crowd) =>
      `fibers ${after.fibers - before.fibers}, processes ${
        (after.children ?? 0) - (before.children ?? 0)
      }, descriptors ${(after.descriptors ?? 0) - (before.descriptors ?? 0)}`
    return {
      rows: [
        {
          promise: `${grouped(processes)} live sessions on \`fake-claude\` processes in one host`,
          figure: `${late(real)}; ${shown(real)}`
        },
        { promise: `${grouped(mocks)} live sessions in memory`, figure: shown(mocked) },
        {
          promise: "Nothing is left behind when they are closed",
          figure: `after ${grouped(processes)} processes: ${left(real)}; after ${grouped(mocks)} in memory: ${
            left(mocked)
          }`
        }
      ],
      measured: { processes: real, mocks: mocked },
      violations: [...wrongWith("processes", real), ...wrongWith("in memory", mocked)]
    }
  }).pipe(Effect.runPromise)
