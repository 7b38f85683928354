/** A sample of `pnpm faults`, and that its judge can be displeased. */
import * as Random from "@claude-duplex/benchmarks/random"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, FiberId } from "effect"
import { judge } from "../src/faults/judge.js"
import { kinds } from "../src/faults/kinds.js"
import { all, maker, nameOf, type Run } from "../src/faults/run.js"
import { play, type Played } from "../src/recorded/play.js"
import { recordedBy } from "../src/recorded/recordedHost.js"
import * as Simulation from "../src/simulation.js"

const runs = all()

/** Another sample with `FAULTS_SEED`. */
const seed = Number(process.env["FAULTS_SEED"] ?? 1)

/** `pnpm sweep` tries more of them, `pnpm faults` all. */
const isSweep = process.env["SWEEP"] === "full"

/** Its frame ends something, or asks for something: there is most to go wrong. */
const settles = ({ frame, recording }: Run) =>
  ["result", "control_request", "control_response"].includes(String(recordedBy(recording).cli[frame]?.["type"]))

describe("faults", () => {
  it("there are thousands of runs, of every kind", () => {
    assert.isAbove(runs.length, 5_000)
    assert.deepStrictEqual([...new Set(runs.map(({ kind }) => kind))], [...kinds])
  })

  it("what ends or asks for something does so once, though it comes twice", () => {
    const make = maker()
    const twice = runs.filter((run) => run.recording === "2.1.326/multi-turn" && run.kind.name === "duplicate")
    const judged = twice.filter(settles).filter((_, i) => isSweep || i % 3 === 0).map(make)
    assert.isAbove(judged.length, 5)
    assert.deepStrictEqual(judged.flatMap(({ violations }) => violations), [])
  })

  const random = Random.make(seed)
  const make = maker()
  for (const kind of kinds) {
    it(`a sample of ${kind.name} is sound (seed ${seed})`, () => {
      const some = runs.filter((run) => run.kind === kind)
      const sample = [some, some.filter(settles)].flatMap((from) =>
        Array.from({ length: isSweep ? 20 : 2 }, () => random.pick(from))
      )
      const violations = sample.map(make).flatMap(({ run, violations }) =>
        violations.map((what) => `pnpm faults --only ${nameOf(run)}: ${what}`)
      )
      assert.deepStrictEqual(violations, [])
    })
  }
})

describe("the judge", () => {
  const outcome = Simulation.run(Effect.scoped(play("2.1.326/permission-allow")))
  assert(outcome._tag === "Done" && Exit.isSuccess(outcome.exit))
  const sound = outcome.exit.value
  const faultOf = (change: Partial<Played>) => judge({ ...sound, ...change }, sound).join("; ")
  const answer = sound.written.find(({ type }) => type === "control_response")

  it("is pleased with what is sound", () => {
    assert.deepStrictEqual(judge(sound, sound), [])
  })

  it("is not with what is missing, out of order or there twice", () => {
    const { events } = sound
    const received = events.findIndex(({ _tag }) => _tag === "Received")
    assert.include(faultOf({ events: events.filter((_, i) => i !== received) }), "was not what was received")
    assert.include(faultOf({ events: [...events, ...events.slice(received, received + 1)] }), "the end is event")
    const ended = events.filter(({ _tag }) => _tag === "TurnEnded")
    assert.include(faultOf({ events: [...ended, ...events] }), "told to end 2 times")
    assert.include(faultOf({ events: [...ended, ...events] }), "one result ended two turns")
    assert.include(faultOf({ events: events.filter(({ _tag }) => _tag !== "PermissionSettled") }), "not settled once")
    assert.include(
      faultOf({ written: [...sound.written, ...(answer === undefined ? [] : [answer])] }),
      "answered twice"
    )
    assert.include(faultOf({ said: sound.said.slice(1) }), "was not what was received")
    assert.include(faultOf({ called: ["PreToolUse"] }), "0 calls were asked for, 1 were made")
  })

  it("is not with an outcome that is not on the list", () => {
    assert.include(faultOf({ results: [Exit.die("oops")] }), "a message ended with defect")
    assert.include(faultOf({ results: [Exit.interrupt(FiberId.none)] }), "a message ended with interrupted")
    assert.include(
      faultOf({ ended: { ...sound.ended, pending: { ...sound.ended.pending, messages: ["m"] } } }),
      "m do not agree"
    )
  })
})
