/**
 * `pnpm soak`: one session on one process, for a long time: 100,000 turns, then 1,000,000 events, with four subscribers of
 * whom one is stuck. What is alive after each tenth is counted, and the last compared with the second.
 */
import * as Session from "@claude-duplex/session/Session"
import * as NodeConnector from "@claude-duplex/transport-node/NodeConnector"
import { Effect, Stream } from "effect"
import { fileURLToPath } from "node:url"
import { heapMegabytes } from "../heap.js"
import { grouped, type Outcome, progress, type Violation } from "../outcome.js"
import * as Census from "./census.js"

/** How the command is called. */
export interface Options {
  readonly turns: number
  readonly events: number
}

/** The benchmarks' process: it speaks as a CLI does, and costs little. */
const printer = fileURLToPath(import.meta.resolve("@claude-duplex/benchmarks/work/printer"))

const open = Effect.flatMap(
  NodeConnector.fromCommand({ command: process.execPath, args: [printer], env: { PATH: process.env["PATH"] ?? "" } }),
  (connector) => Session.fromConnector(connector, { initialization: "skip" })
)

const perTurn = 10_000

/** What is alive at one moment. */
interface Moment extends Census.Census {
  readonly heap: number
}

const moment = (): Moment => ({ ...Census.take(), heap: heapMegabytes() })

/** How much more there may be in the end: what is under way at the moment of counting differs from one to the next. */
const limits = { heap: 1.5, fibers: 4, mapEntries: 20, setEntries: 20, listeners: 4, children: 0, descriptors: 0 }

/** What there is more of in the last tenth than in the second. */
type Growth = { readonly [name in keyof typeof limits]: number }

const names = Object.keys(limits) as ReadonlyArray<keyof typeof limits>

const growthOf = (moments: ReadonlyArray<Moment>): Growth => {
  const [before, after] = [moments[1], moments.at(-1)]
  const grown = (name: keyof typeof limits) => (after?.[name] ?? 0) - (before?.[name] ?? 0)
  return {
    heap: grown("heap"),
    fibers: grown("fibers"),
    mapEntries: grown("mapEntries"),
    setEntries: grown("setEntries"),
    listeners: grown("listeners"),
    children: grown("children"),
    descriptors: grown("descriptors")
  }
}

/** Soaks. */
export const soak = ({ events, turns }: Options): Promise<Outcome> =>
  Effect.gen(function*() {
    const tell = progress("soak")
    // The first child of a process costs it a descriptor for good, which is Node's own.
    yield* Effect.scoped(Effect.flatMap(open, (session) => session.send("hello")))
    const atStart = Census.take()
    const seen = { all: 0, ends: 0, text: 0, stuck: 0 }
    const measured = yield* Effect.scoped(Effect.gen(function*() {
      const session = yield* open
      const counting = (name: keyof typeof seen) => (count: number) =>
        Effect.sync(() => {
          seen[name] += count
        })
      const watch = <A, E>(stream: Stream.Stream<A, E>, name: keyof typeof seen) =>
        Effect.forkScoped(Stream.runForEachChunk(stream, (chunk) => counting(name)(chunk.length)))
      yield* watch(session.events, "all")
      yield* watch(yield* session.subscribe({ only: ["TurnEnded"] }), "ends")
      yield* watch(session.cost.changes, "text")
      yield* Effect.forkScoped(
        Stream.runForEach(yield* session.subscribe(), () => Effect.zipRight(counting("stuck")(1), Effect.never))
      )

      const tenths = (work: (tenth: number) => Effect.Effect<void>) =>
        Effect.forEach(Array.from({ length: 10 }, (_, i) => i), (tenth) => Effect.map(work(tenth), moment))

      const began = performance.now()
      const overTurns = yield* tenths((tenth) =>
        Effect.gen(function*() {
          for (let i = 0; i < turns / 10; i++) {
            yield* Effect.orDie(session.send("hello"))
            tell(`${grouped(tenth * turns / 10 + i)} of ${grouped(turns)} turns`)
          }
        })
      )
      const turnSeconds = (performance.now() - began) / 1_000

      const before = seen.all
      const overEvents = yield* tenths((tenth) =>
        Effect.gen(function*() {
          while (seen.all - before < (tenth + 1) * events / 10) {
            yield* Effect.orDie(session.send(`deltas ${perTurn}`))
            tell(`${grouped(seen.all - before)} of ${grouped(events)} events`)
          }
        })
      )
      const eventSeconds = (performance.now() - began) / 1_000 - turnSeconds
      return { overTurns, overEvents, turnSeconds, eventSeconds, events: seen.all - before }
    }))

    const atEnd = Census.take()
    const violations: Array<Violation> = []
    const violated = (what: string): void => {
      violations.push({ what, reproduce: "pnpm soak" })
    }
    const growth = { turns: growthOf(measured.overTurns), events: growthOf(measured.overEvents) }
    for (const [phase, grown] of Object.entries(growth)) {
      for (const name of names) {
        if (grown[name] > limits[name]) {
          violated(`over the ${phase}, ${name} grew by ${grown[name]}; ${limits[name]} may be`)
        }
      }
    }
    if (seen.ends < turns) violated(`${turns} turns were sent, ${seen.ends} ends were told`)
    if (seen.stuck !== 1) violated(`the subscriber that is stuck took ${seen.stuck} events`)
    for (const name of ["fibers", "children", "descriptors"] as const) {
      if ((atEnd[name] ?? 0) > (atStart[name] ?? 0)) violated(`${name}: ${atStart[name]} before, ${atEnd[name]} after`)
    }

    const last = measured.overEvents.at(-1)
    const shown = (grown: Growth) =>
      `heap ${signed(grown.heap, 2)} MB, fibers ${signed(grown.fibers)}, entries of maps ${
        signed(grown.mapEntries)
      }, of sets ${signed(grown.setEntries)}, listeners ${signed(grown.listeners)}, descriptors ${
        signed(grown.descriptors)
      }`
    return {
      rows: [
        {
          promise: "A session that lives for long does not grow: turns",
          figure:
            `${grouped(turns)} turns in ${
              measured.turnSeconds.toFixed(0)
            } s on one process; last tenth against second: ` +
            shown(growth.turns)
        },
        {
          promise: "The same: events, four subscribers, one of them stuck",
          figure:
            `${grouped(measured.events)} events in ${measured.eventSeconds.toFixed(0)} s; last tenth against second: ` +
            `${shown(growth.events)}; heap in the end ${last?.heap.toFixed(1) ?? "?"} MB`
        }
      ],
      measured: { turns, growth, seen, atStart, atEnd, ...measured },
      violations
    }
  }).pipe(Effect.orDie, Effect.runPromise)

const signed = (value: number, digits = 0): string => `${value >= 0 ? "+" : ""}${value.toFixed(digits)}`
