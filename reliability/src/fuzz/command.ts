/**
 * `pnpm fuzz [--seconds 60] [--seed N]`: what was kept, then wrong types in every field of every schema, then whatever a seed
 * makes of chance until the time is up; all of it against the line decoder, the codec, the machine and a session.
 */
import * as CliRequest from "@claude-duplex/protocol/schema/CliRequest"
import * as HostRequest from "@claude-duplex/protocol/schema/HostRequest"
import { Either } from "effect"
import { createContext, Script } from "node:vm"
import { heapMegabytes } from "../heap.js"
import { grouped, type Outcome, progress, type Violation } from "../outcome.js"
import * as Corpus from "./corpus.js"
import * as Inputs from "./inputs.js"
import { machine } from "./machine.js"
import * as Memory from "./memory.js"
import { session } from "./session.js"
import { codec, lines, type Target } from "./targets.js"
import * as WrongTypes from "./wrongTypes.js"

/** What is fuzzed. */
export const targets: { readonly [name: string]: Target } = { lines, codec, machine, session }

/** The longest that one input may take with one target, in milliseconds: far beyond any that comes to an end. */
const longest = 20_000

/** As many violations as anybody reads. */
const mostViolations = 20

const context = createContext({})
const call = new Script("target(bytes)")

/** Runs a target, and stops it if it takes too long: a loop without an end is a finding, too. */
const limited = (target: Target, bytes: Uint8Array): void => {
  Object.assign(context, { target, bytes })
  call.runInContext(context, { timeout: longest })
}

/** What is wrong, if anything is. */
const failureOf = (target: Target, bytes: Uint8Array): string | undefined => {
  try {
    limited(target, bytes)
  } catch (error) {
    return error instanceof Error ? error.stack ?? error.message : String(error)
  }
  const names = pollutable.map((prototype) => Object.getOwnPropertyNames(prototype).length)
  return names.every((count, i) => count === namesAtStart[i]) ? undefined : "a prototype was changed"
}

const pollutable = [Object.prototype, Array.prototype, Function.prototype, String.prototype]
const namesAtStart = pollutable.map((prototype) => Object.getOwnPropertyNames(prototype).length)

/** How the command is called. */
export interface Options {
  readonly seconds: number
  readonly seed: number
}

/** Fuzzes. */
export const fuzz = ({ seconds, seed }: Options): Outcome => {
  const tell = progress("fuzz")
  const violations: Array<Violation> = []
  const counts = { kept: 0, wrong: 0, random: 0 }
  const slowest = { millis: 0, what: "" }

  const attack = (what: string, bytes: Uint8Array, only = Object.keys(targets)): void => {
    for (const name of only) {
      const target = targets[name]
      if (target === undefined || violations.length >= mostViolations) continue
      const start = performance.now()
      const failure = failureOf(target, bytes)
      const millis = performance.now() - start
      if (millis > slowest.millis) Object.assign(slowest, { millis, what: `${name} on ${what}` })
      if (failure === undefined) continue
      const kept = Corpus.keep(Corpus.smallest(bytes, (fewer) => failureOf(target, fewer) !== undefined))
      violations.push({ what: `${name}: ${failure}`, reproduce: `${what}; kept as ${kept}: pnpm fuzz runs it first` })
      console.error(`fuzz: ${name} fails on ${what}; kept as ${kept}\n${failure}`)
    }
  }

  // ---- what was kept ----

  for (const { bytes, name } of Corpus.all()) {
    attack(`corpus/${name}`, bytes)
    counts.kept++
  }

  // ---- wrong types ----

  const encoder = new TextEncoder()
  const frames = [...WrongTypes.cliFrames(), ...WrongTypes.hostFrames()]
  // In conversations: a session for each would be most of the time.
  const together = 250
  for (let at = 0; at < frames.length; at += together) {
    const some = frames.slice(at, at + together)
    attack(
      `wrong types from ${some[0]?.name ?? ""}`,
      encoder.encode(some.map(({ value }) => `${JSON.stringify(value)}\n`).join(""))
    )
    counts.wrong += some.length
    tell(`wrong types: ${grouped(counts.wrong)} of ${grouped(frames.length)} frames`)
  }
  for (const { name, subtype, value } of WrongTypes.cliAnswers()) {
    expectEither(violations, name, () => HostRequest.decodeResponse(subtype, value))
    counts.wrong++
  }
  for (const { name, subtype, value } of WrongTypes.hostAnswers()) {
    expectEither(violations, name, () => CliRequest.validateResponse(subtype, value))
    counts.wrong++
  }

  // ---- chance ----

  const start = performance.now()
  const heaps: Array<number> = []
  for (let next = seed; performance.now() - start < seconds * 1_000 && violations.length < mostViolations; next++) {
    const { bytes, kind } = Inputs.make(next)
    attack(`${kind} (--seed ${next})`, bytes)
    counts.random++
    tell(`${grouped(counts.random)} inputs, ${Math.round((performance.now() - start) / 1_000)} of ${seconds} s`)
    const tenth = Math.floor((performance.now() - start) / (seconds * 100))
    if (tenth > heaps.length) heaps.push(heapMegabytes())
  }

  // ---- memory ----

  const growth = (heaps.at(-1) ?? 0) - (heaps[1] ?? heaps.at(-1) ?? 0)
  const held = Memory.measure()
  for (const { heldMegabytes, inputMegabytes, limit, what } of held) {
    if (heldMegabytes <= limit) continue
    violations.push({
      what: `${what}: ${heldMegabytes.toFixed(1)} MB are held after ${inputMegabytes} MB of input; ${limit} MB may be`,
      reproduce: "pnpm fuzz"
    })
  }
  if (growth > mostGrowth) {
    violations.push({ what: `the heap grew by ${growth.toFixed(1)} MB while fuzzing`, reproduce: `--seed ${seed}` })
  }

  const all = counts.kept + counts.random
  return {
    rows: [
      {
        promise: "No input makes anything throw, hang, pollute a prototype, or miss the next good frame",
        figure:
          `${grouped(all)} inputs in ${seconds} s, seeds from ${seed}, ${grouped(counts.wrong)} wrong values before ` +
          `them; slowest ${(slowest.millis / 1_000).toFixed(1)} s; violations: ${violations.length}`
      },
      {
        promise: "Memory stays bounded whatever comes",
        figure: `${
          held.map(({ heldMegabytes, inputMegabytes, what }) =>
            `${what}: ${heldMegabytes.toFixed(1)} MB held of ${inputMegabytes} MB`
          ).join("; ")
        }; heap while fuzzing: ${growth >= 0 ? "+" : ""}${growth.toFixed(1)} MB`
      }
    ],
    measured: { ...counts, seed, seconds, slowest, held, heapGrowthMegabytes: growth },
    violations
  }
}

/** What the heap may grow by while thousands of different inputs are tried: code is compiled, caches fill. */
const mostGrowth = 30

const expectEither = (
  violations: Array<Violation>,
  name: string,
  decode: () => Either.Either<unknown, unknown>
): void => {
  try {
    if (!Either.isEither(decode())) violations.push({ what: `${name}: no Either`, reproduce: "pnpm fuzz" })
  } catch (error) {
    if (violations.length < mostViolations) {
      violations.push({ what: `${name}: ${String(error)}`, reproduce: "pnpm fuzz" })
    }
  }
}
