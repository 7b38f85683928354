/**
 * The machine against models of CLIs: each knows whose turn it runs, tells as much of it as its version does, and is asked
 * afterwards. What a version tells is in the table; where that is not enough to know, nothing is claimed here.
 */
import * as Codec from "@claude-duplex/protocol/Codec"
import * as Frame from "@claude-duplex/protocol/Frame"
import * as SessionMachine from "@claude-duplex/protocol/SessionMachine"
import { assert, describe, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { step } from "./support/step.js"
import { check } from "./support/sweep.js"

interface Cli {
  readonly version: string | undefined
  readonly merges: boolean
  readonly echoes: boolean
  readonly tellsLifecycle: boolean
  readonly namesMessages: boolean
  readonly namesOrigin: boolean
  /** Whether turns that nobody sent can be told from the host's. */
  readonly background: boolean
  /** Whether the host gives its messages uuids. */
  readonly uuids: boolean
}

const silent = {
  version: undefined,
  merges: false,
  echoes: false,
  tellsLifecycle: false,
  namesMessages: false,
  namesOrigin: false,
  background: false,
  uuids: true
}

const clis: Record<string, Cli> = {
  "1.0.128": silent,
  "1.0.128 with echoes": { ...silent, echoes: true, background: true },
  "2.1.50": { ...silent, version: "2.1.50" },
  "2.1.143": { ...silent, version: "2.1.143", merges: true },
  "2.1.143 with echoes": { ...silent, version: "2.1.143", merges: true, echoes: true, background: true },
  "2.1.250": { ...silent, version: "2.1.250", merges: true, tellsLifecycle: true, namesOrigin: true, background: true },
  "2.1.326": {
    ...silent,
    version: "2.1.326",
    merges: true,
    tellsLifecycle: true,
    namesMessages: true,
    namesOrigin: true,
    background: true
  },
  "2.1.326, host without uuids": {
    ...silent,
    version: "2.1.326",
    merges: true,
    namesOrigin: true,
    background: true,
    uuids: false
  }
}

/** What happens: the host sends, a turn runs (perhaps with tools, perhaps with something sent meanwhile), time passes. */
type Happening =
  | { readonly _tag: "Send" }
  | {
    readonly _tag: "Turn"
    readonly nobodys: boolean
    readonly sendMeanwhile: number
    readonly tools: boolean
    readonly fails: boolean
  }
  | { readonly _tag: "Wait"; readonly millis: number }

const happening: fc.Arbitrary<Happening> = fc.oneof(
  fc.constant<Happening>({ _tag: "Send" }),
  fc.record({
    _tag: fc.constant("Turn" as const),
    nobodys: fc.boolean(),
    sendMeanwhile: fc.nat(2),
    tools: fc.boolean(),
    fails: fc.boolean()
  }),
  // Less than it takes to be at rest: a model that pauses with work in its queue is none.
  fc.record({ _tag: fc.constant("Wait" as const), millis: fc.nat(900) })
)

const plain = { _tag: "Turn", nobodys: false, sendMeanwhile: 0, tools: false, fails: false } as const

const run = (cli: Cli, happenings: ReadonlyArray<Happening>) => {
  let state = SessionMachine.make({ replayUserMessages: cli.echoes, settleTime: 5_000 })
  let now = 0
  const given = new Map<string, string>()
  const truth = new Map<string, string>()
  const queue: Array<string> = []
  let sent = 0
  let results = 0

  const put = (input: Parameters<typeof SessionMachine.step>[1]) => {
    const [next, actions] = step(state, input)
    state = next
    for (const action of actions) {
      if (action._tag === "TurnEnded" && Frame.isKnown(action.result)) {
        for (const id of action.messages) {
          assert.isFalse(given.has(id), `${id} ended twice`)
          given.set(id, String(action.result.uuid))
        }
      }
      assert.isFalse(action._tag === "MessageEnded" || action._tag === "MessageFailed", action._tag)
    }
  }
  const say = (frame: object) => put({ _tag: "Receive", item: Codec.cli.fromJson(frame), now })
  const lifecycle = (ids: ReadonlyArray<string>, phase: string) => {
    if (cli.tellsLifecycle) { for (const id of ids) say({ type: "command_lifecycle", command_uuid: id, state: phase }) }
  }
  const send = () => {
    const id = `m${sent++}`
    put({
      _tag: "Send",
      id,
      whenBusy: "steer",
      frame: { type: "user", message: { role: "user", content: id }, ...(cli.uuids ? { uuid: id } : {}) }
    })
    queue.push(id)
    lifecycle([id], "queued")
  }
  const turn = (happens: Extract<Happening, { _tag: "Turn" }>) => {
    const nobodys = happens.nobodys && cli.background
    if (!nobodys && queue.length === 0) return
    // A CLI at rest has begun with the first message before it sees the second.
    const own = nobodys ? [] : cli.merges && results > 0 && !fresh ? queue.splice(0) : queue.splice(0, 1)
    fresh = false
    const named = cli.namesMessages && own.length > 0 ? { user_message_uuids: own } : {}
    lifecycle(own, "started")
    say({ type: "system", subtype: "init", session_id: "s", claude_code_version: cli.version, ...named })
    if (happens.tools) {
      say({ type: "assistant", parent_tool_use_id: null, ...named })
      say({ type: "user", uuid: `tool-${results}`, parent_tool_use_id: null, message: { role: "user", content: [] } })
    }
    for (let i = 0; i < happens.sendMeanwhile; i++) send()
    if (cli.echoes) {
      for (const id of own) {
        say({
          type: "user",
          uuid: id,
          isReplay: true,
          parent_tool_use_id: null,
          message: { role: "user", content: id }
        })
      }
    }
    say({ type: "assistant", parent_tool_use_id: null, ...named })
    const uuid = `r${results++}`
    for (const id of own) truth.set(id, uuid)
    say({
      type: "result",
      ...(happens.fails && !nobodys
        ? { subtype: "error_during_execution", is_error: true }
        : { subtype: "success", is_error: false, result: uuid }),
      uuid,
      duration_ms: 1,
      duration_api_ms: 1,
      num_turns: 1,
      total_cost_usd: 0,
      session_id: "s",
      ...named,
      ...(nobodys && cli.namesOrigin ? { origin: { kind: "task-notification" } } : {})
    })
    lifecycle(own, "completed")
    // What was queued during the turn goes on at once; with nothing queued, the CLI is at rest again.
    if (queue.length === 0) fresh = true
    else turn(plain)
  }
  let fresh = true

  for (const happens of happenings) {
    switch (happens._tag) {
      case "Send":
        send()
        break
      case "Turn":
        turn(happens)
        break
      case "Wait":
        now += happens.millis
        put({ _tag: "Tick", now })
        break
    }
  }
  if (queue.length > 0) turn(plain)
  put({ _tag: "Tick", now: now + 1e9 })
  return {
    given: Object.fromEntries(given),
    truth: Object.fromEntries(truth),
    waiting: SessionMachine.pendingMessages(state).length
  }
}

describe("pain 17: every message gets its own result, and none waits when the CLI is at rest", () => {
  for (const [name, cli] of Object.entries(clis)) {
    it(name, async () => {
      await check(
        fc.property(fc.array(happening, { maxLength: 14 }), (happenings) => {
          const { given, truth, waiting } = run(cli, happenings)
          assert.deepStrictEqual(given, truth)
          assert.strictEqual(waiting, 0)
        }),
        { sample: 200, full: 20_000 }
      )
    })
  }
})
