import * as Codec from "@claude-duplex/protocol/Codec"
import { DecodeError } from "@claude-duplex/protocol/DecodeError"
import * as Frame from "@claude-duplex/protocol/Frame"
import type { JsonObject } from "@claude-duplex/protocol/schema/Json"
import type { SessionAction } from "@claude-duplex/protocol/SessionAction"
import type { SessionInput, WhenBusy } from "@claude-duplex/protocol/SessionInput"
import * as SessionMachine from "@claude-duplex/protocol/SessionMachine"
import * as TransportExit from "@claude-duplex/protocol/TransportExit"
import { assert, describe, it } from "@effect/vitest"
import { Chunk, FastCheck as fc } from "effect"
import { fieldsOf } from "../src/internal/sessionState.js"
import { recordings } from "./support/recordings.js"
import { step } from "./support/step.js"

/** A machine in a box, with short ways to say what happens. */
const start = (options?: SessionMachine.Options) => {
  let state = SessionMachine.make(options)
  let now = 0
  const all: Array<SessionAction> = []
  const put = (input: SessionInput): ReadonlyArray<SessionAction> => {
    const [next, actions] = step(state, input)
    state = next
    all.push(...actions)
    return actions
  }
  const receive = (frame: object) => put({ _tag: "Receive", item: Codec.cli.fromJson(frame), now })
  return {
    get state() {
      return state
    },
    all,
    put,
    receive,
    send: (id: string, whenBusy: WhenBusy = "steer") =>
      put({ _tag: "Send", id, whenBusy, frame: { type: "user", uuid: id, message: { role: "user", content: id } } }),
    sendNameless: (id: string) =>
      put({ _tag: "Send", id, whenBusy: "steer", frame: { type: "user", message: { role: "user", content: id } } }),
    init: (extra: object = {}) => receive({ ...init, ...extra }),
    text: (extra: object = {}) => receive({ ...assistant, ...extra }),
    echo: (id: string) =>
      receive({
        type: "user",
        uuid: id,
        isReplay: true,
        message: { role: "user", content: id },
        parent_tool_use_id: null,
        session_id: "s"
      }),
    lifecycle: (id: string, phase: string) => receive({ type: "command_lifecycle", command_uuid: id, state: phase }),
    result: (text: string, extra: object = {}) => receive({ ...result, result: text, uuid: `r-${text}`, ...extra }),
    tick: (at: number) => {
      now = at
      return put({ _tag: "Tick", now })
    },
    end: (code: number | null = 0) =>
      put({ _tag: "End", exit: code === null ? TransportExit.signaled("SIGKILL") : TransportExit.exited(code) }),
    /** How messages ended so far: `id=result`, or `id!reason`. Nobody's turns are `-`. */
    endings: () =>
      all.flatMap((action): ReadonlyArray<string> => {
        switch (action._tag) {
          case "TurnEnded": {
            const text = Frame.match(action.result, {
              result: (frame) => frame.subtype === "success" ? frame.result : String(frame.subtype),
              Unknown: () => "unknown"
            })
            return (action.messages.length === 0 ? ["-"] : action.messages).map((id) => `${id}=${text}`)
          }
          case "MessageEnded":
            return [`${action.message}!${action.reason}`]
          case "MessageFailed":
            return [`${action.message}!${action.error._tag}`]
          default:
            return []
        }
      })
  }
}

const init = {
  type: "system",
  subtype: "init",
  session_id: "s",
  cwd: "/",
  tools: [],
  mcp_servers: [],
  model: "m",
  permissionMode: "default",
  apiKeySource: "none",
  claude_code_version: "2.1.143"
}

const assistant = {
  type: "assistant",
  parent_tool_use_id: null,
  session_id: "s",
  message: {
    id: "1",
    type: "message",
    role: "assistant",
    model: "m",
    content: [],
    stop_reason: null,
    usage: { input_tokens: 1, output_tokens: 1 }
  }
}

const result = {
  type: "result",
  subtype: "success",
  duration_ms: 1,
  duration_api_ms: 1,
  is_error: false,
  num_turns: 1,
  total_cost_usd: 0,
  session_id: "s"
}

const failed = { subtype: "error_during_execution", is_error: true, terminal_reason: "aborted_streaming" }

const tags = (actions: ReadonlyArray<SessionAction>) => actions.map((action) => action._tag)

describe("messages", () => {
  it("one at a time: written, and ended by its result", () => {
    const m = start()
    assert.deepStrictEqual(tags(m.send("a", "reject")), ["Write", "MessageMoved"])
    assert.strictEqual(SessionMachine.status(m.state), "Running")
    assert.deepStrictEqual(tags(m.init()), ["TurnStarted", "Received"])
    assert.deepStrictEqual(tags(m.text()), ["Received"])
    assert.deepStrictEqual(tags(m.result("1")), ["Received", "TurnEnded"])
    assert.strictEqual(SessionMachine.status(m.state), "Idle")
    assert.deepStrictEqual(m.endings(), ["a=1"])
  })

  it("reject: refused while another one waits", () => {
    const m = start()
    m.send("a", "reject")
    m.send("b", "reject")
    m.init()
    m.result("1")
    m.send("c", "reject")
    assert.deepStrictEqual(m.endings(), ["b!SessionBusy", "a=1"])
    assert.strictEqual(m.all.filter((action) => action._tag === "Write").length, 2)
  })

  it("queue: held here, and written one by one", () => {
    const m = start()
    m.send("a", "queue")
    assert.deepStrictEqual(tags(m.send("b", "queue")), ["MessageMoved"])
    m.send("c", "queue")
    m.send("d", "queue")
    m.put({ _tag: "CancelHeld", id: "c" })
    m.init()
    assert.deepStrictEqual(tags(m.result("1")), ["Received", "TurnEnded", "Write", "MessageMoved"])
    m.init()
    m.result("2")
    m.init()
    m.result("3")
    assert.deepStrictEqual(m.endings(), ["c!Cancelled", "a=1", "b=2", "d=3"])
  })

  it("a frame that may not be sent fails its message or request, and nothing else", () => {
    const m = start()
    const nonsense = { type: "user", message: { role: "user", content: "x" }, tool_use_result: Number.NaN } as const
    assert.deepStrictEqual(tags(m.put({ _tag: "Send", id: "a", whenBusy: "reject", frame: nonsense })), [
      "MessageFailed"
    ])
    m.send("b", "queue")
    m.put({ _tag: "Send", id: "c", whenBusy: "queue", frame: nonsense })
    m.send("d", "queue")
    m.init()
    assert.deepStrictEqual(tags(m.result("1")), ["Received", "TurnEnded", "MessageFailed", "Write", "MessageMoved"])
    assert.deepStrictEqual(
      tags(m.put({ _tag: "Request", id: "1", request: { subtype: "seed_read_state", path: "x", mtime: Infinity } })),
      ["RequestFailed"]
    )
  })

  it("100,000 held messages are no trouble", () => {
    let state = SessionMachine.make()
    for (let i = 0; i < 100_000; i++) {
      ;[state] = SessionMachine.step(state, {
        _tag: "Send",
        id: `${i}`,
        whenBusy: "queue",
        frame: { type: "user", message: { role: "user", content: "x" } }
      })
    }
    assert.strictEqual(SessionMachine.heldMessages(state).length, 99_999)
  })

  it("taking back a message that is not held does nothing", () => {
    const m = start()
    m.send("a")
    assert.deepStrictEqual(m.put({ _tag: "CancelHeld", id: "a" }), [])
    assert.deepStrictEqual(m.put({ _tag: "CancelHeld", id: "z" }), [])
  })

  it("shouldQuery false: written, and over", () => {
    const m = start()
    m.put({
      _tag: "Send",
      id: "a",
      whenBusy: "reject",
      frame: { type: "user", message: { role: "user", content: "a" }, shouldQuery: false }
    })
    m.send("b", "reject")
    assert.deepStrictEqual(m.endings(), ["a!NoTurn"])
  })

  it("cancelled in the CLI's queue, by lifecycle or by the answer to a request", () => {
    const m = start()
    for (const id of ["a", "b", "c", "d"]) m.send(id)
    m.lifecycle("a", "started")
    m.lifecycle("b", "cancelled")
    m.put({ _tag: "Request", id: "1", request: { subtype: "cancel_async_message", message_uuid: "c" } })
    m.receive({
      type: "control_response",
      response: { subtype: "success", request_id: "1", response: { cancelled: true } }
    })
    m.lifecycle("c", "cancelled")
    m.put({ _tag: "Request", id: "2", request: { subtype: "interrupt", cancel_queued: true } })
    m.receive({
      type: "control_response",
      response: { subtype: "success", request_id: "2", response: { still_queued: [], cancelled: ["d"] } }
    })
    m.result("stopped", failed)
    assert.deepStrictEqual(m.endings(), ["b!Cancelled", "c!Cancelled", "d!Cancelled", "a=error_during_execution"])
  })

  it("completed without a result: over when the CLI is at rest, unless the result comes after all", () => {
    const m = start({ settleTime: 100 })
    m.send("a")
    m.lifecycle("a", "started")
    assert.deepStrictEqual(tags(m.lifecycle("a", "completed")), ["WakeAt", "Received"])
    m.tick(99)
    assert.deepStrictEqual(m.endings(), [])
    m.tick(100)
    assert.deepStrictEqual(m.endings(), ["a!NoTurn"])

    m.send("b")
    m.lifecycle("b", "started")
    m.lifecycle("b", "completed")
    m.result("late", { user_message_uuids: ["b"] })
    m.tick(1_000)
    assert.deepStrictEqual(m.endings(), ["a!NoTurn", "b=late"])
  })
})

describe("a turn that the CLI started by itself makes the session busy", () => {
  const background = { origin: { kind: "task-notification" } }

  /** A machine whose first message has ended. */
  const atRest = () => {
    const m = start({ settleTime: 100 })
    m.send("first")
    m.init()
    m.result("0")
    return m
  }

  it("reject fails, queue is held until the turn ends, and steer is written", () => {
    const m = atRest()
    m.init()
    m.text()
    assert.isTrue(SessionMachine.isBusy(m.state))
    assert.deepStrictEqual(tags(m.send("a", "reject")), ["MessageFailed"])
    assert.deepStrictEqual(tags(m.send("b", "queue")), ["MessageMoved"])
    assert.deepStrictEqual(tags(m.send("c", "queue")), ["MessageMoved"])
    // Its frames have come: it keeps messages back however long it takes.
    m.tick(1_000_000)
    assert.deepStrictEqual(SessionMachine.heldMessages(m.state), ["b", "c"])
    assert.deepStrictEqual(tags(m.result("background", background)), ["Received", "TurnEnded", "Write", "MessageMoved"])
    m.init()
    m.result("1")
    assert.deepStrictEqual(m.endings(), ["first=0", "a!SessionBusy", "-=background", "b=1"])

    const steered = atRest()
    steered.init()
    steered.text()
    assert.deepStrictEqual(tags(steered.send("a", "steer")), ["Write", "MessageMoved"])
  })

  it("an init blocks from the start, and for at most the settle time if nothing follows", () => {
    const m = atRest()
    assert.deepStrictEqual(m.init().filter(({ _tag }) => _tag === "WakeAt"), [{ _tag: "WakeAt", at: 100 }])
    assert.deepStrictEqual(tags(m.send("a", "reject")), ["MessageFailed"])
    m.send("b", "queue")
    m.send("c", "queue")
    assert.deepStrictEqual(tags(m.tick(99)), ["WakeAt"])
    assert.deepStrictEqual(tags(m.tick(100)), ["Write", "MessageMoved"])
    // The turn was not dropped: it may still be waiting for its model.
    assert.deepInclude(SessionMachine.turn(m.state), { index: 1, initOnly: true })
    m.result("late", background)
    m.init()
    m.result("2")
    assert.deepStrictEqual(m.endings(), ["first=0", "a!SessionBusy", "-=late", "b=2"])
  })

  it("an init that stopped blocking does not reject, and blocks again when frames of its turn come", () => {
    const m = atRest()
    m.init()
    m.tick(100)
    assert.isFalse(SessionMachine.isBusy(m.state))
    m.text()
    assert.isTrue(SessionMachine.isBusy(m.state))
    m.send("a", "queue")
    m.tick(1_000_000)
    assert.deepStrictEqual(SessionMachine.heldMessages(m.state), ["a"])
    m.result("background", background)
    assert.deepStrictEqual(SessionMachine.pendingMessages(m.state), ["a"])
  })

  it("an init before the first message of the process never blocks", () => {
    const m = start()
    assert.deepStrictEqual(tags(m.init()), ["TurnStarted", "Received"])
    assert.isFalse(SessionMachine.isBusy(m.state))
    assert.deepStrictEqual(tags(m.send("a", "reject")), ["Write", "MessageMoved"])
    m.text()
    m.result("1")
    assert.deepStrictEqual(m.endings(), ["a=1"])
    // A message without a turn is no first message: a CLI may answer it with an init.
    const appended = start()
    appended.put({
      _tag: "Send",
      id: "n",
      whenBusy: "reject",
      frame: { type: "user", message: { role: "user", content: "n" }, shouldQuery: false }
    })
    appended.init()
    assert.deepStrictEqual(tags(appended.send("a", "reject")), ["Write", "MessageMoved"])
  })

  it("a restarted process has not had its first message", () => {
    const m = atRest()
    m.end(1)
    const [next] = step(SessionMachine.restart(m.state), { _tag: "Receive", item: Codec.cli.fromJson(init), now: 0 })
    assert.isFalse(SessionMachine.isBusy(next))
  })

  it("a turn before the first message blocks once frames follow its init", () => {
    const m = start()
    m.init()
    m.text()
    m.send("a", "queue")
    m.result("background", background)
    m.init()
    m.result("1")
    assert.deepStrictEqual(m.endings(), ["-=background", "a=1"])
  })

  it("one init after another blocks no longer than the first would, and then lets one message through", () => {
    const m = atRest()
    m.init()
    m.send("a", "queue")
    m.tick(60)
    m.init()
    assert.deepStrictEqual(SessionMachine.heldMessages(m.state), ["a"])
    m.tick(99)
    assert.deepStrictEqual(SessionMachine.heldMessages(m.state), ["a"])
    m.tick(100)
    assert.deepStrictEqual(SessionMachine.pendingMessages(m.state), ["a"])
  })

  it("frames without an init do not: every turn begins with one, so they are late frames of the turn before", () => {
    const m = atRest()
    m.text()
    m.text()
    assert.deepStrictEqual(tags(m.send("a", "reject")), ["Write", "MessageMoved"])
    m.init()
    m.result("1")
    assert.deepStrictEqual(m.endings(), ["first=0", "a=1"])
  })

  it("a turn that is dropped for the next one blocks no more; the next one does", () => {
    const m = atRest()
    m.init()
    m.text()
    m.send("a", "queue")
    m.tick(200)
    assert.include(tags(m.init()), "TurnDropped")
    assert.deepStrictEqual(SessionMachine.heldMessages(m.state), ["a"])
    m.tick(300)
    assert.deepStrictEqual(SessionMachine.pendingMessages(m.state), ["a"])
  })

  it("a turn whose message was cancelled blocks like one of the CLI's own", () => {
    const m = atRest()
    m.send("a")
    m.init()
    m.send("b", "queue")
    assert.deepStrictEqual(m.lifecycle("a", "cancelled").filter(({ _tag }) => _tag === "WakeAt"), [
      { _tag: "WakeAt", at: 100 }
    ])
    assert.deepStrictEqual(SessionMachine.heldMessages(m.state), ["b"])
    m.tick(100)
    assert.deepStrictEqual(SessionMachine.pendingMessages(m.state), ["b"])
  })

  it("a message that is cancelled while held is not written", () => {
    const m = atRest()
    m.init()
    m.send("a", "queue")
    m.put({ _tag: "CancelHeld", id: "a" })
    m.text()
    assert.deepStrictEqual(tags(m.result("background", background)), ["Received", "TurnEnded"])
    assert.deepStrictEqual(m.endings(), ["first=0", "a!Cancelled", "-=background"])
  })
})

describe("pain 17: whose result it is", () => {
  it("a result that names one of the messages that were merged ends all of them", () => {
    // As 2.1.250 does it: the one that it names is the last one.
    const m = start()
    m.send("a")
    m.send("b")
    for (const id of ["a", "b"]) m.lifecycle(id, "queued")
    m.echo("a")
    for (const id of ["a", "b"]) m.lifecycle(id, "started")
    m.init()
    m.echo("b")
    m.text({ user_message_uuid: "b" })
    m.result("both", { user_message_uuid: "b" })
    for (const id of ["a", "b"]) m.lifecycle(id, "completed")
    assert.deepStrictEqual(m.endings(), ["a=both", "b=both"])
  })

  it("uuids: the result names the messages, merged ones too", () => {
    const m = start()
    m.send("a")
    m.send("b")
    m.send("c")
    m.init({ user_message_uuids: ["b", "c"] })
    m.result("1", { user_message_uuids: ["b", "c"] })
    m.init({ user_message_uuids: ["a"] })
    m.result("2", { user_message_uuids: ["a"] })
    assert.deepStrictEqual(m.endings(), ["b=1", "c=1", "a=2"])
  })

  it("uuids: a result for messages that are not ours is nobody's", () => {
    const m = start()
    m.send("a")
    m.init()
    m.result("1", { user_message_uuids: ["z"] })
    assert.deepStrictEqual(m.endings(), ["-=1"])
  })

  it("origin: a background turn right before ours", () => {
    const m = start()
    m.send("a")
    m.init()
    m.text()
    const actions = m.result("background", { origin: { kind: "task-notification" } })
    assert.deepStrictEqual(tags(actions), ["TurnReassigned", "Received", "TurnEnded"])
    m.init()
    m.result("mine", { origin: { kind: "human" } })
    assert.deepStrictEqual(m.endings(), ["-=background", "a=mine"])
  })

  it("lifecycle: what was started is what ends", () => {
    const m = start()
    m.send("a")
    m.lifecycle("a", "queued")
    m.init()
    m.result("background")
    m.lifecycle("a", "started")
    m.init()
    m.result("mine")
    assert.deepStrictEqual(m.endings(), ["-=background", "a=mine"])
  })

  it("lifecycle: a message steered into the running turn ends with it", () => {
    const m = start()
    m.send("a")
    m.lifecycle("a", "started")
    m.init()
    m.text()
    m.send("b")
    m.lifecycle("b", "queued")
    assert.deepStrictEqual(tags(m.lifecycle("b", "started")), ["MessageMoved", "TurnReassigned", "Received"])
    m.result("both")
    assert.deepStrictEqual(m.endings(), ["a=both", "b=both"])
  })

  it("lifecycle: of messages with a uuid; one without goes by order", () => {
    const m = start()
    m.send("a")
    m.lifecycle("a", "started")
    m.result("1")
    m.sendNameless("b")
    m.init()
    m.result("2")
    assert.deepStrictEqual(m.endings(), ["a=1", "b=2"])
  })

  it("echo: what was echoed since the last result", () => {
    const m = start()
    m.send("a")
    m.init()
    m.echo("a")
    m.result("1")
    m.send("b")
    m.init()
    m.text()
    m.result("background")
    m.echo("b")
    m.init()
    m.result("mine")
    assert.deepStrictEqual(m.endings(), ["a=1", "-=background", "b=mine"])
  })

  it("echo: a turn that failed before the echo is still ours", () => {
    const m = start()
    m.send("a")
    m.init()
    m.echo("a")
    m.result("1")
    m.send("b")
    m.init()
    m.result("2", failed)
    assert.deepStrictEqual(m.endings(), ["a=1", "b=error_during_execution"])
  })

  it("order: a message written while nobody's turn runs is not ended by it", () => {
    const m = start()
    m.init()
    m.text()
    m.send("a")
    m.result("background")
    m.init()
    m.result("mine")
    assert.deepStrictEqual(m.endings(), ["-=background", "a=mine"])
  })

  it("order: an early init does not keep a message from its turn", () => {
    const m = start()
    m.init()
    m.send("a")
    m.text()
    m.result("mine")
    assert.deepStrictEqual(m.endings(), ["a=mine"])
  })

  it("order: a CLI that does not merge gives each message its own", () => {
    const m = start({ settleTime: 100 })
    const old = { claude_code_version: "2.1.50" }
    for (const id of ["a", "b"]) m.send(id)
    m.init(old)
    m.result("1")
    m.tick(10_000)
    m.init(old)
    m.result("2")
    assert.deepStrictEqual(m.endings(), ["a=1", "b=2"])
  })

  it("order: a CLI that merges goes on with all that was written meanwhile", () => {
    const m = start({ settleTime: 100 })
    m.send("a")
    m.init()
    for (const id of ["b", "c"]) m.send(id)
    m.result("1")
    m.init()
    m.send("late")
    m.result("2")
    m.init()
    m.result("3")
    assert.deepStrictEqual(m.endings(), ["a=1", "b=2", "c=2", "late=3"])
  })

  it("order: a CLI at rest starts on the first message alone", () => {
    const m = start({ settleTime: "100 millis" })
    for (const id of ["a", "b"]) m.send(id)
    m.init()
    m.result("1")
    m.tick(50)
    m.init()
    m.tick(1_000)
    m.result("2")
    assert.deepStrictEqual(m.endings(), ["a=1", "b=2"])
  })

  it("silence: what was done in the running turn ends with it, once the CLI is at rest", () => {
    const m = start({ settleTime: 100 })
    m.send("a")
    m.init()
    m.text()
    m.send("b")
    assert.deepStrictEqual(m.result("1").at(-1), { _tag: "WakeAt", at: 100 })
    m.tick(99)
    assert.deepStrictEqual(m.endings(), ["a=1"])
    m.tick(100)
    assert.deepStrictEqual(m.endings(), ["a=1", "b=1"])
  })

  it("silence: somebody else's turn in between does not make it forget", () => {
    const m = start({ settleTime: 100 })
    m.sendNameless("a")
    m.init()
    m.sendNameless("b")
    m.result("1")
    m.init()
    m.tick(1_000)
    m.result("background", { origin: { kind: "task-notification" } })
    m.tick(2_000)
    assert.deepStrictEqual(m.endings(), ["a=1", "-=background", "b=1"])
  })

  it("silence: not while the CLI says that the message is queued", () => {
    const m = start({ settleTime: 100 })
    m.send("a")
    m.lifecycle("a", "started")
    m.init()
    m.send("b")
    m.lifecycle("b", "queued")
    m.result("1")
    m.tick(1_000_000)
    assert.deepStrictEqual(m.endings(), ["a=1"])
    m.lifecycle("b", "started")
    m.result("2")
    assert.deepStrictEqual(m.endings(), ["a=1", "b=2"])
  })

  it("silence: a CLI that was told to echo, and does not, is believed after the first time", () => {
    const m = start({ replayUserMessages: true, settleTime: 100 })
    m.send("a")
    m.init()
    m.result("1")
    assert.deepStrictEqual(m.endings(), ["-=1"])
    m.tick(100)
    m.send("b")
    m.init()
    m.result("2")
    assert.deepStrictEqual(m.endings(), ["-=1", "a=1", "b=2"])
  })

  it("a tool result is not an echo, though it has a uuid", () => {
    const m = start()
    m.init()
    m.text()
    m.send("a")
    m.receive({
      type: "user",
      uuid: "tool-1",
      message: { role: "user", content: [{ type: "tool_result", tool_use_id: "t", content: "x" }] },
      parent_tool_use_id: null,
      session_id: "s"
    })
    m.result("background")
    m.init()
    m.result("mine")
    assert.deepStrictEqual(m.endings(), ["-=background", "a=mine"])
  })

  it("an echo of a message that is over makes the turn nobody's: one wrong guess is not passed on", () => {
    const m = start()
    m.send("a")
    m.init()
    m.result("background")
    m.send("b")
    m.echo("a")
    m.init()
    m.result("a's own")
    m.echo("b")
    m.init()
    m.result("b's own")
    assert.deepStrictEqual(m.endings(), ["a=background", "-=a's own", "b=b's own"])
  })

  it("an echo of a message that no turn comes of starts none", () => {
    const m = start()
    m.put({
      _tag: "Send",
      id: "a",
      whenBusy: "reject",
      frame: { type: "user", uuid: "a", message: { role: "user", content: "a" }, shouldQuery: false }
    })
    assert.deepStrictEqual(tags(m.echo("a")), ["Received"])
    assert.strictEqual(SessionMachine.status(m.state), "Starting")
  })

  it("an origin does not take away a turn that is known to be ours", () => {
    const m = start()
    m.send("a")
    m.lifecycle("a", "started")
    m.init()
    m.result("1", { origin: { kind: "peer", from: "x" } })
    m.put({
      _tag: "Send",
      id: "b",
      whenBusy: "reject",
      frame: { type: "user", message: { role: "user", content: "b" }, origin: { kind: "channel", server: "s" } }
    })
    m.init()
    m.result("2", { origin: { kind: "channel", server: "s" } })
    assert.deepStrictEqual(m.endings(), ["a=1", "b=2"])
  })

  it("completed while its turn runs: the result is still to come", () => {
    const m = start({ settleTime: 100 })
    m.send("a")
    m.lifecycle("a", "started")
    m.init()
    m.send("b")
    m.lifecycle("b", "started")
    m.lifecycle("b", "completed")
    m.tick(1_000)
    m.result("both", { user_message_uuids: ["a", "b"] })
    assert.deepStrictEqual(m.endings(), ["a=both", "b=both"])
  })

  it("the same result twice ends one turn", () => {
    const m = start()
    m.send("a")
    m.send("b")
    m.init({ claude_code_version: "2.1.50" })
    m.result("1")
    m.result("1")
    m.init({ claude_code_version: "2.1.50" })
    m.result("2")
    m.send("c")
    m.result("1")
    assert.deepStrictEqual(m.endings(), ["a=1", "b=2"])
  })

  it("frames of a subagent that outlives its turn start none", () => {
    const m = start()
    m.send("a")
    m.init()
    m.result("1")
    assert.deepStrictEqual(tags(m.text({ parent_tool_use_id: "toolu_1" })), ["Received"])
    assert.strictEqual(SessionMachine.status(m.state), "Idle")
  })

  it("a result whose details changed still ends its turn", () => {
    const m = start()
    m.send("a")
    m.init()
    m.receive({ type: "result", subtype: "success", duration_ms: "fast" })
    assert.deepStrictEqual(m.endings(), ["a=unknown"])
  })

  it("noise belongs to no turn, or to the running one, and changes nothing", () => {
    const m = start()
    const noise: SessionInput = { _tag: "Receive", item: DecodeError.of("InvalidJson", 1, "log"), now: 0 }
    assert.deepStrictEqual(m.put(noise).map((action) => action._tag === "Received" ? action.turn : action._tag), [
      undefined
    ])
    m.send("a")
    m.init()
    const before = m.state
    assert.deepStrictEqual(m.put(noise).map((action) => action._tag === "Received" ? action.turn : action._tag), [0])
    assert.strictEqual(m.state, before)
  })
})

describe("whether the running turn may be reassigned", () => {
  const mayBe = ({ state }: ReturnType<typeof start>, mayStartTurn?: boolean) =>
    SessionMachine.mayBeReassigned(state, mayStartTurn)

  it("no: one message, and nothing better than order is expected; unless the CLI may start a turn by itself", () => {
    const m = start()
    assert.isFalse(mayBe(m))
    m.send("a")
    assert.isFalse(mayBe(m, true))
    m.init()
    assert.isFalse(mayBe(m))
    assert.isTrue(mayBe(m, true))
    m.result("1")
    assert.isFalse(mayBe(m, true))
  })

  it("yes: another message waits, until it is known whose turn runs", () => {
    const m = start()
    for (const id of ["a", "b"]) m.send(id)
    m.init({ claude_code_version: "2.1.50" })
    assert.isTrue(mayBe(m))
    // It names the message that the turn was given to: nothing changes but how that is known.
    assert.deepStrictEqual(tags(m.text({ user_message_uuids: ["a"] })), ["Received"])
    assert.isFalse(mayBe(m))
    assert.strictEqual(SessionMachine.turn(m.state)?.evidence, "Uuids")
  })

  it("yes: an echo is expected, until it comes", () => {
    const m = start({ replayUserMessages: true })
    m.send("a")
    m.init()
    assert.isTrue(mayBe(m))
    assert.deepStrictEqual(tags(m.echo("a")), ["Received"])
    assert.isFalse(mayBe(m, true))
    assert.strictEqual(SessionMachine.turn(m.state)?.evidence, "Echo")
  })

  it("no: messages that are merged share it", () => {
    const m = start()
    m.send("a")
    m.init()
    for (const id of ["b", "c"]) m.send(id)
    m.result("1")
    m.init()
    assert.deepStrictEqual(SessionMachine.turn(m.state)?.messages, ["b", "c"])
    assert.isFalse(mayBe(m))
  })

  it("no: lifecycles tell", () => {
    const m = start()
    for (const id of ["a", "b"]) m.send(id)
    m.lifecycle("b", "started")
    m.init()
    assert.deepStrictEqual(SessionMachine.turn(m.state)?.messages, ["b"])
    assert.isFalse(mayBe(m, true))
  })

  it("a turn that its own frames name is ours, although its result names another origin", () => {
    const m = start()
    m.send("a")
    m.init({ user_message_uuids: ["a"] })
    m.result("mine", { origin: { kind: "task-notification" } })
    const guessed = start()
    guessed.send("a")
    guessed.init()
    guessed.lifecycle("a", "queued")
    guessed.text({ user_message_uuids: ["a"] })
    guessed.result("mine", { origin: { kind: "task-notification" } })
    assert.deepStrictEqual([m.endings(), guessed.endings()], [["a=mine"], ["a=mine"]])
  })
})

describe("requests of the host's", () => {
  const answer = (id: string, response: object) => ({
    type: "control_response",
    response: { subtype: "success", request_id: id, response }
  })

  it("are answered once; a late or foreign answer is ignored", () => {
    const m = start()
    m.put({ _tag: "Request", id: "1", request: { subtype: "mcp_status" } })
    assert.deepStrictEqual(m.receive(answer("1", { mcpServers: [] })).at(-1), {
      _tag: "Answered",
      id: "1",
      response: { mcpServers: [] }
    })
    assert.deepStrictEqual(tags(m.receive(answer("1", {}))), ["Received"])
    assert.deepStrictEqual(tags(m.receive(answer("foreign", {}))), ["Received"])
  })

  it("may be refused, with the CLI's own words", () => {
    const m = start()
    m.put({ _tag: "Request", id: "1", request: { subtype: "set_color", color: "red" } })
    const action = m.receive({
      type: "control_response",
      response: { subtype: "error", request_id: "1", error: "no", error_code: "unsupported_request" }
    }).at(-1)
    assert.strictEqual(action?._tag, "RequestFailed")
    if (action?._tag !== "RequestFailed" || action.error._tag !== "ControlError") {
      return assert.fail("not a ControlError")
    }
    const { code, detail, reason, subtype } = action.error
    assert.deepStrictEqual({ code, detail, reason, subtype }, {
      code: "unsupported_request",
      detail: "no",
      reason: "Refused",
      subtype: "set_color"
    })
  })

  it("have one code when the CLI does not know them, also where it says so in words only (2.1.50 to 2.1.250)", () => {
    const m = start()
    m.put({ _tag: "Request", id: "1", request: { subtype: "set_color", color: "red" } })
    const error = "Unsupported control request subtype: set_color"
    const action = m.receive({
      type: "control_response",
      response: { subtype: "error", request_id: "1", error }
    }).at(-1)
    if (action?._tag !== "RequestFailed" || action.error._tag !== "ControlError") {
      return assert.fail("not a ControlError")
    }
    assert.deepInclude(action.error, { reason: "Refused", code: "unsupported_request", detail: error })
  })

  it("are settled by an answer whose details changed", () => {
    const m = start()
    m.put({ _tag: "Request", id: "1", request: { subtype: "mcp_status" } })
    assert.deepStrictEqual(
      tags(m.receive({ type: "control_response", response: { request_id: "1", subtype: "maybe" } })),
      [
        "Received",
        "RequestFailed"
      ]
    )
  })

  it("may be abandoned: the CLI is told, and its late answer is ignored", () => {
    const m = start()
    m.init({ claude_code_version: "2.1.50" })
    m.put({ _tag: "Request", id: "1", request: { subtype: "mcp_status" } })
    const actions = m.put({ _tag: "Abandon", id: "1", reason: "Timeout" })
    assert.deepStrictEqual(actions[0], {
      _tag: "Write",
      frame: { type: "control_cancel_request", request_id: "1" },
      line: `{"type":"control_cancel_request","request_id":"1"}`
    })
    assert.deepStrictEqual(tags(actions), ["Write", "RequestFailed"])
    assert.deepStrictEqual(m.put({ _tag: "Abandon", id: "1", reason: "Timeout" }), [])
    assert.deepStrictEqual(tags(m.receive(answer("1", {}))), ["Received"])
  })

  it("are given up in silence where the CLI would die of being told, or may", () => {
    for (const version of [undefined, "2.0.76", "2.1.40"]) {
      const m = start()
      if (version !== undefined) m.init({ claude_code_version: version })
      m.put({ _tag: "Request", id: "1", request: { subtype: "mcp_status" } })
      assert.deepStrictEqual(tags(m.put({ _tag: "Abandon", id: "1", reason: "Timeout" })), ["RequestFailed"])
    }
    const m = start()
    m.put({ _tag: "Request", id: "0", request: { subtype: "initialize" } })
    m.receive(answer("0", { claude_code_version: "2.1.326" }))
    m.put({ _tag: "Request", id: "1", request: { subtype: "mcp_status" } })
    assert.deepStrictEqual(tags(m.put({ _tag: "Abandon", id: "1", reason: "Timeout" })), ["Write", "RequestFailed"])
  })

  it("that an old CLI would never answer fail at once; newer ones refuse themselves", () => {
    for (
      const [version, subtype, result] of [
        [undefined, "get_settings", "RequestFailed"],
        [undefined, "set_model", "Write"],
        [undefined, "mcp_message", "RequestFailed"],
        ["2.0.76", "get_settings", "RequestFailed"],
        ["2.0.76", "mcp_message", "Write"],
        ["2.0.76", "rewind_files", "Write"],
        ["2.1.50", "get_settings", "Write"]
      ] as const
    ) {
      const m = start()
      m.init({ claude_code_version: version })
      const request = subtype === "rewind_files"
        ? { subtype, user_message_id: "m" }
        : subtype === "mcp_message"
        ? { subtype, server_name: "s", message: { jsonrpc: "2.0" as const, method: "ping" } }
        : { subtype }
      const actions = m.put({ _tag: "Request", id: "1", request })
      assert.deepStrictEqual(tags(actions), [result], `${version} ${subtype}`)
      const [action] = actions
      if (action?._tag === "RequestFailed") assert.deepInclude(action.error, { reason: "Unsupported", subtype })
    }
    // One that has not said yet what it is may know everything.
    assert.deepStrictEqual(tags(start().put({ _tag: "Request", id: "1", request: { subtype: "get_settings" } })), [
      "Write"
    ])
  })
})

describe("requests of the CLI's", () => {
  const ask = (id: string, request: object = { subtype: "can_use_tool", tool_name: "Bash", input: {} }) => ({
    type: "control_request",
    request_id: id,
    request
  })

  it("are handled, and answered once", () => {
    const m = start()
    m.send("a")
    assert.deepStrictEqual(tags(m.receive(ask("1"))), ["Received", "Handle"])
    assert.strictEqual(SessionMachine.status(m.state), "WaitingForPermission")
    assert.deepStrictEqual(tags(m.put({ _tag: "Answer", id: "1", response: { behavior: "deny", message: "no" } })), [
      "Write"
    ])
    assert.strictEqual(SessionMachine.status(m.state), "Running")
    assert.deepStrictEqual(m.put({ _tag: "Answer", id: "1", response: {} }), [{ _tag: "NotPending", id: "1" }])
    assert.deepStrictEqual(m.put({ _tag: "Refuse", id: "never", error: "x" }), [{ _tag: "NotPending", id: "never" }])
  })

  it("pain 10: an answer that the CLI could not read is not written, and the request stays open", () => {
    const m = start()
    m.receive(ask("1"))
    for (const response of [{ behavior: "allow" }, { behavior: "allow", updatedInput: { x: Number.NaN } }, {}]) {
      assert.deepStrictEqual(tags(m.put({ _tag: "Answer", id: "1", response })), ["AnswerInvalid"])
    }
    assert.deepStrictEqual(tags(m.put({ _tag: "Refuse", id: "1", error: "no" })), ["Write"])
  })

  it("can have their response checked without a step", () => {
    const m = start()
    m.receive(ask("1"))
    const before = m.state
    const check = (id: string, response: JsonObject) => SessionMachine.checkResponse(m.state, id, response)
    assert.include(check("1", { behavior: "allow" })?.message, "updatedInput")
    assert.include(check("1", { behavior: "allow", updatedInput: { x: Number.NaN } })?.message, "NaN")
    assert.isUndefined(check("1", { behavior: "deny", message: "no" }))
    assert.isUndefined(check("2", {}), "it is not open")
    assert.strictEqual(m.state, before)
  })

  it("about permission are asked although a description is not as expected", () => {
    const m = start()
    const actions = m.receive(
      ask("1", { subtype: "can_use_tool", tool_name: "Bash", input: { a: 1 }, decision_reason: null })
    )
    assert.deepStrictEqual(actions.at(-1), {
      _tag: "Handle",
      id: "1",
      request: { subtype: "can_use_tool", tool_name: "Bash", input: { a: 1 } }
    })
  })

  it("that come twice are handled once, open or over", () => {
    const m = start()
    m.receive(ask("1"))
    assert.deepStrictEqual(tags(m.receive(ask("1"))), ["Received"])
    m.put({ _tag: "Refuse", id: "1", error: "no" })
    assert.deepStrictEqual(tags(m.receive(ask("1"))), ["Received"])
  })

  it("pain 11: withdrawn ones are stopped, and a late answer is not written", () => {
    const m = start()
    m.receive(ask("1"))
    assert.deepStrictEqual(tags(m.receive({ type: "control_cancel_request", request_id: "1" })), [
      "Received",
      "Withdraw"
    ])
    assert.deepStrictEqual(m.put({ _tag: "Answer", id: "1", response: {} }), [{ _tag: "NotPending", id: "1" }])
    assert.deepStrictEqual(tags(m.receive({ type: "control_cancel_request", request_id: "1" })), ["Received"])
    assert.deepStrictEqual(tags(m.receive({ type: "control_cancel_request", request_id: "never" })), ["Received"])
  })

  it("that are unknown or misshapen are refused at once: nobody waits for ever", () => {
    const m = start()
    for (const request of [{ subtype: "hologram" }, { subtype: "can_use_tool", tool_name: 5 }, {}, undefined]) {
      const id = JSON.stringify(request) ?? "nothing"
      const actions = m.receive({ type: "control_request", request_id: id, request })
      assert.deepStrictEqual(tags(actions), ["Received", "Write"])
      const write = actions[1]
      assert.isTrue(
        write?._tag === "Write" && write.frame.type === "control_response" &&
          write.frame.response.subtype === "error" &&
          write.frame.response.request_id === id
      )
    }
    assert.deepStrictEqual(tags(m.receive({ type: "control_request" })), ["Received"])
  })

  it("that were open at a re-initialize are listed in its answer, and handled once", () => {
    const m = start()
    m.receive(ask("1"))
    m.put({ _tag: "Request", id: "init", request: { subtype: "initialize" } })
    const actions = m.receive({
      type: "control_response",
      response: {
        subtype: "success",
        request_id: "init",
        response: {},
        pending_permission_requests: [ask("1"), ask("2")]
      }
    })
    assert.deepStrictEqual(tags(actions), ["Received", "Answered", "Handle"])
  })

  it("are remembered, but not for ever", () => {
    const m = start()
    for (let i = 0; i < SessionMachine.remembered + 100; i++) {
      m.receive(ask(`${i}`))
      m.put({ _tag: "Refuse", id: `${i}`, error: "no" })
    }
    assert.strictEqual(SessionMachine.retainedIds(m.state), SessionMachine.remembered)
    assert.strictEqual(SessionMachine.openCliRequests(m.state).size, 0)
  })
})

describe("the end", () => {
  it("pain 24: settles everything that is open, once", () => {
    const m = start()
    m.send("a")
    m.send("b", "queue")
    m.put({ _tag: "Request", id: "1", request: { subtype: "interrupt" } })
    m.receive({
      type: "control_request",
      request_id: "2",
      request: { subtype: "can_use_tool", tool_name: "B", input: {} }
    })
    m.init()
    assert.deepStrictEqual(tags(m.end(null)), [
      "RequestFailed",
      "Withdraw",
      "MessageFailed",
      "MessageFailed",
      "TurnDropped",
      "Ended"
    ])
    assert.strictEqual(SessionMachine.status(m.state), "Ended")
    assert.deepStrictEqual(m.end(0), [])
  })

  it("afterwards everything is refused at once", () => {
    const m = start()
    m.end(1)
    assert.deepStrictEqual(tags(m.send("a", "queue")), ["MessageFailed"])
    assert.deepStrictEqual(tags(m.put({ _tag: "Request", id: "1", request: { subtype: "interrupt" } })), [
      "RequestFailed"
    ])
    assert.deepStrictEqual(tags(m.put({ _tag: "Answer", id: "1", response: {} })), ["NotPending"])
    for (
      const input of [{ _tag: "Tick", now: 1 }, { _tag: "Abandon", id: "1", reason: "Timeout" }, {
        _tag: "CancelHeld",
        id: "a"
      }] as const
    ) {
      assert.deepStrictEqual(m.put(input), [])
    }
    assert.deepStrictEqual(m.text(), [])
  })

  it("a clean exit means that what waits for nothing was done; a crash does not", () => {
    for (const [code, ending] of [[0, "b=1"], [null, "b!SessionClosed"]] as const) {
      const m = start()
      m.send("a")
      m.init()
      m.send("b")
      m.result("1")
      m.end(code)
      assert.deepStrictEqual(m.endings(), ["a=1", ending])
    }
  })
})

describe("a restart", () => {
  it("continues the conversation, and begins everything else anew", () => {
    const m = start({ replayUserMessages: true })
    m.send("a")
    m.init()
    m.result("1", { total_cost_usd: 2, user_message_uuids: ["a"] })
    m.send("b")
    m.send("c", "queue")
    m.init()
    m.receive({
      type: "control_request",
      request_id: "1",
      request: { subtype: "can_use_tool", tool_name: "B", input: {} }
    })
    m.end(1)
    const next = SessionMachine.restart(m.state)
    assert.deepStrictEqual(
      {
        status: SessionMachine.status(next),
        sessionId: SessionMachine.sessionId(next),
        version: SessionMachine.version(next),
        usd: SessionMachine.totals(next).usd,
        lastResult: SessionMachine.lastResult(next)?.text,
        turns: SessionMachine.turnCount(next),
        retained: SessionMachine.retainedIds(next)
      },
      { status: "Idle", sessionId: "s", version: "2.1.143", usd: 2, lastResult: "1", turns: 2, retained: 0 }
    )
    // The same request id may come again: it is another process.
    const [, actions] = step(next, {
      _tag: "Receive",
      item: Codec.cli.fromJson({
        type: "control_request",
        request_id: "1",
        request: { subtype: "can_use_tool", tool_name: "B", input: {} }
      }),
      now: 0
    })
    assert.deepStrictEqual(tags(actions), ["Received", "Handle"])
    const [, [begun]] = step(next, { _tag: "Receive", item: Codec.cli.fromJson(init), now: 0 })
    assert.deepInclude(begun, { _tag: "TurnStarted", turn: 2 })
    // The options are those of the first process: with echoes expected, a successful turn without one is unsolicited.
    assert.deepStrictEqual(fieldsOf(next).observedFeatures, { echo: "Expected", lifecycle: false })
  })
})

describe("the exit", () => {
  it("tells what the last result was and what was still open, to everybody the same", () => {
    const m = start()
    m.send("a")
    m.init()
    m.result("1", { is_error: true })
    m.send("b")
    m.send("c", "queue")
    m.put({ _tag: "Request", id: "q", request: { subtype: "mcp_status" } })
    m.receive({
      type: "control_request",
      request_id: "p",
      request: { subtype: "can_use_tool", tool_name: "Bash", input: {} }
    })
    const actions = m.end(1)
    const exit = SessionMachine.exit(m.state)
    assert.deepStrictEqual(exit, {
      _tag: "Exited",
      code: 1,
      stderr: "",
      lastResult: { subtype: "success", isError: true, text: "1" },
      pending: {
        messages: ["b"],
        held: ["c"],
        asked: [{ id: "q", subtype: "mcp_status" }],
        asking: [{ id: "p", subtype: "can_use_tool" }]
      }
    })
    const errors = actions.flatMap((action) =>
      action._tag === "RequestFailed" || action._tag === "MessageFailed" ? [action.error] : []
    )
    // The same one, and not merely one like it.
    for (const error of errors) assert.strictEqual("exit" in error && error.exit, exit)
    assert.strictEqual(errors.length, 3)
    assert.deepStrictEqual(errors.map((error) => "unsent" in error && error.unsent === true), [false, false, true])
  })

  it("reads an error's texts from a result of any shape", () => {
    const m = start()
    m.send("a")
    m.receive({ type: "result", subtype: "error_during_execution", errors: ["x", 1, "y"] })
    m.end(1)
    assert.deepStrictEqual(SessionMachine.exit(m.state)?.lastResult, {
      subtype: "error_during_execution",
      isError: true,
      text: "x\ny"
    })
  })
})

describe("whatever happens", () => {
  const items = recordings.flatMap(({ entries }) =>
    entries.filter(({ dir }) => dir === "cli").map(({ line }): object => JSON.parse(line))
  )
  const id = fc.constantFrom(
    "a",
    "b",
    "c",
    "11111111-1111-4111-8111-111111111111",
    "22222222-2222-4222-8222-222222222222"
  )
  const input: fc.Arbitrary<SessionInput> = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.constantFrom(...items).map((item) =>
        ({ _tag: "Receive", item: Codec.cli.fromJson(item), now: 0 }) as const
      )
    },
    fc.jsonValue().map((item) => ({ _tag: "Receive", item: Codec.cli.fromJson(item), now: 0 }) as const),
    fc.record({ id, whenBusy: fc.constantFrom<WhenBusy>("reject", "queue", "steer"), uuid: fc.boolean() }).map((
      { id, uuid, whenBusy }
    ) => ({
      _tag: "Send" as const,
      id,
      whenBusy,
      frame: { type: "user" as const, message: { role: "user" as const, content: "x" }, ...(uuid ? { uuid: id } : {}) }
    })),
    id.map((id) => ({ _tag: "CancelHeld", id }) as const),
    id.map((id) => ({ _tag: "Request", id, request: { subtype: "interrupt" } }) as const),
    id.map((id) => ({ _tag: "Abandon", id, reason: "Timeout" }) as const),
    id.map((id) => ({ _tag: "Refuse", id, error: "no" }) as const),
    fc.nat(20_000).map((now) => ({ _tag: "Tick", now }) as const)
  )

  it("in any order: every message ends exactly once, every request too, and the state stays small", () => {
    fc.assert(
      fc.property(fc.array(input, { maxLength: 80 }), (inputs) => {
        const m = start()
        // Each id is used once: what a session does, too.
        const used = new Set<string>()
        const sent: Array<string> = []
        const asked: Array<string> = []
        let wakeAt = Infinity
        for (const one of inputs) {
          if (one._tag === "Send" || one._tag === "Request") {
            const key = `${one._tag}${one.id}`
            if (used.has(key)) continue
            used.add(key)
            if (one._tag === "Send") sent.push(one.id)
            else asked.push(one.id)
          }
          const wakeUps = m.put(one).flatMap((action) => action._tag === "WakeAt" ? [action.at] : [])
          wakeAt = wakeUps.at(-1) ?? wakeAt
          // Whatever holds a message back ends: a message with its result, a turn with its end, or the next wake-up.
          const { held, messages, turn } = fieldsOf(m.state)
          if (Chunk.isNonEmpty(held) && messages.length === 0) {
            assert.isTrue(turn?.blocksUntil === Infinity || wakeAt <= (turn?.blocksUntil ?? -Infinity))
          }
        }
        // At rest, nothing waits that the CLI has not said is queued or under way.
        if (SessionMachine.turn(m.state) === undefined) {
          m.put({ _tag: "Tick", now: 1e12 })
          assert.isTrue(
            fieldsOf(m.state).messages.every(({ candidate, phase }) => phase !== "Written" || candidate === undefined)
          )
        }
        m.end(1)
        const ended = m.all.flatMap((action) =>
          action._tag === "TurnEnded"
            ? action.messages
            : action._tag === "MessageEnded" || action._tag === "MessageFailed"
            ? [action.message]
            : []
        )
        assert.deepStrictEqual([...ended].sort(), [...sent].sort())
        const answered = m.all.flatMap((action) =>
          action._tag === "Answered" || action._tag === "RequestFailed" ? [action.id] : []
        )
        assert.deepStrictEqual([...answered].sort(), [...asked].sort())
        const handled = m.all.flatMap((action) => action._tag === "Handle" ? [action.id] : [])
        assert.strictEqual(new Set(handled).size, handled.length)
        assert.strictEqual(
          m.all.filter((action) => action._tag === "Received").length,
          inputs.filter((one) => one._tag === "Receive").length
        )
        assert.strictEqual(m.all.filter((action) => action._tag === "Ended").length, 1)
        // Every turn that starts ends once, by a result or without; only silence speaks of a turn again.
        const turns = (tag: string) =>
          m.all.flatMap((action) =>
            action._tag === tag && "turn" in action && !("evidence" in action && action.evidence === "Silence")
              ? [action.turn]
              : []
          )
        assert.deepStrictEqual([...turns("TurnEnded"), ...turns("TurnDropped")].sort(), turns("TurnStarted").sort())
      }),
      { numRuns: 1_000 }
    )
  })

  for (const begins of ["echo", "init"] as const) {
    it(`a message that the CLI is done with ends, although its turn began (${begins}) and has no result`, () => {
      const m = start()
      m.send("a")
      m.send("b", "queue")
      m.lifecycle("a", "started")
      if (begins === "echo") m.echo("a")
      else m.init()
      m.lifecycle("a", "completed")
      m.tick(4_999)
      assert.deepStrictEqual(m.endings(), [])
      m.tick(5_000)
      assert.deepStrictEqual(m.endings(), ["a!NoTurn"])
      assert.isTrue(
        m.all.some((action) => action._tag === "MessageMoved" && action.message === "b" && action.to === "Written")
      )
    })
  }

  it("time that was up while nobody's turn ran is told of again when that is over", () => {
    const m = start()
    m.send("a")
    m.lifecycle("a", "started")
    m.init()
    m.send("b")
    m.result("a")
    m.init()
    m.text()
    m.tick(5_000)
    assert.deepStrictEqual(m.init().filter(({ _tag }) => _tag === "WakeAt"), [{ _tag: "WakeAt", at: 5_000 }])
    m.tick(5_001)
    assert.deepStrictEqual(SessionMachine.pendingMessages(m.state), [])
  })

  it("pieces of a message in a turn that is under way pass, and nothing else does", () => {
    const piece = (extra: object = {}) =>
      Codec.cli.fromJson({
        type: "stream_event",
        event: { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "a" } },
        parent_tool_use_id: null,
        session_id: "s",
        uuid: "p",
        ...extra
      })
    const ofSubagent = piece({ parent_tool_use_id: "t" })
    const m = start()
    const passes = (item: Codec.Item) => SessionMachine.passing(m.state, item) !== undefined
    m.send("a")
    assert.isFalse(passes(piece()), "it begins a turn")
    assert.isTrue(passes(ofSubagent), "that of a subagent begins none")
    m.init()
    assert.isFalse(passes(piece()), "it is the first of its turn")
    m.put({ _tag: "Receive", item: piece(), now: 0 })
    assert.isTrue(passes(piece()))
    assert.isFalse(passes(piece({ user_message_uuids: ["a"] })), "it says whose turn it is")
    assert.isFalse(passes(Codec.cli.fromJson(assistant)), "it may say more")
    m.end()
    assert.isFalse(passes(piece()), "nothing comes after the end")
    assert.isFalse(passes(ofSubagent))
  })

  it("a step changes nothing that it was given", () => {
    const freeze = (state: SessionMachine.State) => {
      // A Chunk rearranges itself inside when it is read; what it holds does not change.
      for (const value of Object.values(state)) if (!Chunk.isChunk(value)) Object.freeze(value)
      return Object.freeze(state)
    }
    fc.assert(
      fc.property(fc.array(input, { maxLength: 40 }), (inputs) => {
        let state = freeze(SessionMachine.make())
        for (const one of inputs) {
          const again = SessionMachine.step(state, one)
          const [next] = SessionMachine.step(state, one)
          assert.deepStrictEqual(again[0], next)
          state = freeze(next)
        }
      }),
      { numRuns: 200 }
    )
  })
})

describe("what is known of a CLI", () => {
  const { claude_code_version: _, ...withoutVersion } = {
    type: "system",
    subtype: "init",
    session_id: "s",
    cwd: "/",
    tools: [],
    mcp_servers: [],
    model: "m",
    permissionMode: "default",
    apiKeySource: "none",
    claude_code_version: "2.1.326"
  }

  it("is not forgotten when an init does not repeat it, as CLIs of the 1.0 line do not", () => {
    let [state] = SessionMachine.step(SessionMachine.make(), { _tag: "Launched", version: "1.0.60" })
    ;[state] = SessionMachine.step(state, { _tag: "Receive", item: Codec.cli.fromJson(withoutVersion), now: 0 })
    assert.strictEqual(SessionMachine.version(state), "1.0.60")
    assert.strictEqual(SessionMachine.sessionId(state), "s")
  })
})
