import * as Codec from "@claude-duplex/protocol/Codec"
import * as Connection from "@claude-duplex/protocol/Connection"
import { DecodeError } from "@claude-duplex/protocol/DecodeError"
import { EncodeError } from "@claude-duplex/protocol/EncodeError"
import * as Frame from "@claude-duplex/protocol/Frame"
import type { HostFrame } from "@claude-duplex/protocol/Frame"
import type { SessionInput } from "@claude-duplex/protocol/SessionInput"
import * as SessionMachine from "@claude-duplex/protocol/SessionMachine"
import * as TransportExit from "@claude-duplex/protocol/TransportExit"
import { assert, describe, it } from "@effect/vitest"
import { Either } from "effect"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { fieldsOf } from "../src/internal/sessionState.js"
import { type Recording, recordings } from "./support/recordings.js"
import { cleanExit } from "./support/replay.js"

const encoder = new TextEncoder()

/** All events until there is none. */
const drain = (connection: Connection.Connection): Array<Connection.Event> => {
  const events: Array<Connection.Event> = []
  for (let event = connection.nextEvent(); event !== undefined; event = connection.nextEvent()) events.push(event)
  return events
}

/** All lines that are to be written. */
const flush = (connection: Connection.Connection): Array<string> => {
  const lines: Array<string> = []
  for (let line = connection.transmit(); line !== undefined; line = connection.transmit()) lines.push(line)
  return lines
}

const tags = (events: ReadonlyArray<Connection.Event>) => events.map(({ _tag }) => _tag)

// ---- recordings ----

interface Outcome {
  readonly events: ReadonlyArray<Connection.Event>
  readonly lines: ReadonlyArray<string>
  readonly state: unknown
}

/** What a recorded host did, and runs of lines that the CLI wrote at the same time. */
type Happening =
  | { readonly _tag: "Host"; readonly t: number; readonly frame: HostFrame }
  | { readonly _tag: "Cli"; readonly t: number; readonly lines: ReadonlyArray<string> }

const happeningsOf = ({ entries }: Recording): ReadonlyArray<Happening> => {
  const happenings: Array<Happening> = []
  for (const { dir, line, t } of entries) {
    const last = happenings.at(-1)
    if (dir === "host") {
      const frame = Either.merge(Codec.host.decode(line))
      if (Frame.isKnown(frame)) happenings.push({ _tag: "Host", t, frame })
    } else if (last?._tag === "Cli" && last.t === t) {
      happenings[happenings.length - 1] = { ...last, lines: [...last.lines, line] }
    } else happenings.push({ _tag: "Cli", t, lines: [line] })
  }
  return happenings
}

const unnamed = (count: number) => `#${count}`

/** Steps the machine directly, with a tick before everything that happens: the meaning of a connection. */
const stepped = (recording: Recording): Outcome => {
  let state = SessionMachine.make()
  const events: Array<Connection.Event> = []
  const lines: Array<string> = []
  const decoder = Codec.cli.makeDecoder()
  const put = (input: SessionInput): void => {
    const [next, actions] = SessionMachine.step(state, input)
    state = next
    for (const action of actions) {
      if (action._tag === "Write") lines.push(action.line)
      else if (action._tag === "AnswerInvalid") {
        events.push({ _tag: "ResponseInvalid", id: action.id, error: action.error })
        put({ _tag: "Refuse", id: action.id, error: `The host's answer could not be sent: ${action.error.detail}` })
      } else if (action._tag === "NotPending") events.push({ _tag: "ResponseIgnored", id: action.id })
      else if (action._tag !== "WakeAt") events.push(action)
    }
  }
  const host = (frame: HostFrame): void => {
    switch (frame.type) {
      case "user":
        return put({ _tag: "Send", id: frame.uuid ?? unnamed(++messages), frame, whenBusy: "steer" })
      case "control_request":
        return put({ _tag: "Request", id: frame.request_id, request: frame.request })
      case "control_cancel_request":
        return put({ _tag: "Abandon", id: frame.request_id, reason: "Cancelled" })
      case "control_response":
        return frame.response.subtype === "success"
          ? put({ _tag: "Answer", id: frame.response.request_id, response: frame.response.response ?? {} })
          : put({ _tag: "Refuse", id: frame.response.request_id, error: frame.response.error })
    }
  }
  let messages = 0
  for (const happening of happeningsOf(recording)) {
    put({ _tag: "Tick", now: happening.t })
    if (happening._tag === "Host") host(happening.frame)
    else {
      for (const item of decoder.push(encoder.encode(`${happening.lines.join("\n")}\n`))) {
        put({ _tag: "Receive", item, now: happening.t })
      }
    }
  }
  put({ _tag: "Tick", now: lastTime(recording) + 60_000 })
  put({ _tag: "End", exit: cleanExit })
  return { events, lines, state }
}

const lastTime = ({ entries }: Recording): number => entries.at(-1)?.t ?? 0

/** Cuts the bytes of the CLI; what is cut off of one run of lines comes with the next. */
type Cut = (bytes: Uint8Array, next: Uint8Array) => {
  readonly now: ReadonlyArray<Uint8Array>
  /** How many bytes of the next run came already. */
  readonly early: number
}

const cuts: Record<string, Cut> = {
  "whole": (bytes) => ({ now: [bytes], early: 0 }),
  "byte by byte": (bytes) => ({ now: Array.from(bytes, (byte) => Uint8Array.of(byte)), early: 0 }),
  "with the beginning of the next line behind": (bytes, next) => {
    const early = Math.min(next.length - 1, 20)
    return early <= 0
      ? { now: [bytes], early: 0 }
      : { now: [Uint8Array.from([...bytes, ...next.subarray(0, early)])], early }
  }
}

/** Drives a connection, which is told of time only when its deadline has come. */
const connected = (recording: Recording, cut: Cut): Outcome => {
  let messages = 0
  const connection = Connection.make({ requestTimeout: Infinity, makeMessageId: () => unnamed(++messages) })
  const events: Array<Connection.Event> = []
  const lines: Array<string> = []
  const advance = () => {
    events.push(...drain(connection))
    lines.push(...flush(connection))
  }
  const wait = (now: number) => {
    for (let at = connection.deadline(); at !== undefined && at <= now; at = connection.deadline()) {
      connection.expire(now)
      advance()
      assert.isFalse(connection.deadline() === at, "a deadline that expired is over")
    }
  }
  const happenings = happeningsOf(recording)
  const bytesOf = (happening: Happening | undefined) =>
    happening?._tag === "Cli" ? encoder.encode(`${happening.lines.join("\n")}\n`) : new Uint8Array()
  let early = 0
  happenings.forEach((happening, i) => {
    wait(happening.t)
    if (happening._tag === "Host") command(connection, happening.frame)
    else {
      const next = happenings.slice(i + 1).find(({ _tag }) => _tag === "Cli")
      const pieces = cut(bytesOf(happening).subarray(early), bytesOf(next))
      early = pieces.early
      for (const piece of pieces.now) connection.receive(piece, happening.t)
    }
    advance()
  })
  wait(lastTime(recording) + 60_000)
  connection.end(cleanExit)
  advance()
  return { events, lines, state: connection.state }
}

const command = (connection: Connection.Connection, frame: HostFrame): void => {
  switch (frame.type) {
    case "user":
      connection.sendFrame(frame, { whenBusy: "steer" })
      return
    case "control_request":
      connection.request(frame.request, 0, { id: frame.request_id })
      return
    case "control_cancel_request":
      return connection.cancelRequest(frame.request_id)
    case "control_response":
      return frame.response.subtype === "success"
        ? connection.respond(frame.response.request_id, frame.response.response ?? {})
        : connection.refuse(frame.response.request_id, frame.response.error)
  }
}

describe("a connection replays as the machine does", () => {
  for (const recording of recordings) {
    const expected = stepped(recording)
    for (const [name, cut] of Object.entries(cuts)) {
      it(`${recording.name}, ${name}`, () => {
        const actual = connected(recording, cut)
        assert.deepStrictEqual(actual.events, expected.events)
        assert.deepStrictEqual(actual.lines, expected.lines)
        assert.deepStrictEqual({ ...fieldsOf(stateOf(actual)), options: 0 }, {
          ...fieldsOf(stateOf(expected)),
          options: 0
        })
      })
    }
  }
})

// Both are states; the interface of an outcome does not need to know.
const stateOf = ({ state }: Outcome) => state as SessionMachine.State

// ---- by hand ----

const init = (extra: object = {}) => ({
  type: "system",
  subtype: "init",
  session_id: "s",
  cwd: "/",
  tools: [],
  mcp_servers: [],
  model: "m",
  permissionMode: "default",
  apiKeySource: "none",
  claude_code_version: "2.1.326",
  ...extra
})

const result = (text: string, ...uuids: ReadonlyArray<string>) => ({
  type: "result",
  subtype: "success",
  result: text,
  uuid: `r-${text}`,
  duration_ms: 1,
  duration_api_ms: 1,
  is_error: false,
  num_turns: 1,
  total_cost_usd: 0,
  session_id: "s",
  user_message_uuids: uuids
})

const canUseTool = (id: string) => ({
  type: "control_request",
  request_id: id,
  request: { subtype: "can_use_tool", tool_name: "Bash", input: { command: "ls" } }
})

const success = (id: string, response: object) => ({
  type: "control_response",
  response: { subtype: "success", request_id: id, response }
})

const bytesOf = (...frames: ReadonlyArray<object>) =>
  encoder.encode(frames.map((frame) => `${JSON.stringify(frame)}\n`).join(""))

const allow = { behavior: "allow", updatedInput: {} }

/** A connection whose CLI has said what it is, at rest. */
const introduced = (options?: Connection.Options, extra?: object) => {
  const connection = Connection.make(options)
  connection.send("hello", { id: "m0" })
  connection.receive(bytesOf(init(extra), result("0", "m0")), 0)
  drain(connection)
  flush(connection)
  return connection
}

describe("send", () => {
  it("writes a frame with a new uuid, and returns that", () => {
    const connection = Connection.make()
    const id = connection.send("hello", { priority: "next", shouldQuery: true })
    assert.match(id, /^[0-9a-f]{8}-/)
    assert.deepStrictEqual(flush(connection).map((line): unknown => JSON.parse(line)), [{
      type: "user",
      message: { role: "user", content: "hello" },
      parent_tool_use_id: null,
      priority: "next",
      shouldQuery: true,
      uuid: id
    }])
    assert.deepStrictEqual(drain(connection), [{ _tag: "MessageMoved", message: id, to: "Written" }])
    assert.deepStrictEqual(connection.pendingMessages, [id])
    assert.isTrue(connection.isBusy)
  })

  it("rejects, holds or steers while another message waits", () => {
    let made = 0
    const connection = Connection.make({ makeMessageId: () => `m${++made}` })
    connection.send("1")
    connection.send("2")
    connection.send("3", { whenBusy: "queue" })
    connection.send("4", { whenBusy: "steer" })
    assert.deepStrictEqual(
      drain(connection).map((event) => "message" in event ? `${event.message} ${event._tag}` : event._tag),
      ["m1 MessageMoved", "m2 MessageFailed", "m3 MessageMoved", "m4 MessageMoved"]
    )
    assert.deepStrictEqual(connection.heldMessages, ["m3"])
    connection.withdraw("m1")
    connection.withdraw("m3")
    assert.deepStrictEqual(drain(connection), [{ _tag: "MessageEnded", message: "m3", reason: "Cancelled" }])
    assert.strictEqual(flush(connection).length, 2)
  })

  it("throws for the id of a message that has not ended, and takes it again afterwards", () => {
    const connection = Connection.make()
    connection.send("1", { id: "a" })
    assert.throws(() => connection.send("2", { id: "a" }), EncodeError)
    assert.strictEqual(drain(connection).length, 1)
    connection.receive(bytesOf(init(), result("1", "a")), 0)
    drain(connection)
    assert.strictEqual(connection.send("2", { id: "a" }), "a")
    // One that fails has ended too.
    connection.send("3", { id: "b" })
    assert.strictEqual(connection.send("4", { id: "b" }), "b")
  })

  it("fails as an event if the frame is not valid", () => {
    const connection = Connection.make()
    connection.send("x", { id: "a", tool_use_result: Number.NaN })
    const [event] = drain(connection)
    assert.isTrue(event?._tag === "MessageFailed" && event.error._tag === "EncodeError")
    assert.deepStrictEqual(flush(connection), [])
  })

  it("writes a frame of the caller's as it is", () => {
    const connection = Connection.make({ makeMessageId: () => "name" })
    const frame = { type: "user", message: { role: "user", content: "x" } } as const
    assert.strictEqual(connection.sendFrame(frame), "name")
    assert.strictEqual(connection.sendFrame({ ...frame, uuid: "u" }, { whenBusy: "steer" }), "u")
    assert.deepStrictEqual(flush(connection).map((line): unknown => JSON.parse(line)), [frame, { ...frame, uuid: "u" }])
  })
})

describe("events", () => {
  it("come one frame at a time: the host sees the state of each, and not of the last", () => {
    const connection = Connection.make()
    connection.send("a", { id: "a" })
    connection.send("b", { id: "b", whenBusy: "queue" })
    connection.receive(bytesOf(init(), canUseTool("p"), result("1", "a"), init(), result("2", "b")), 0)
    const seen: Array<string> = []
    for (let event = connection.nextEvent(); event !== undefined; event = connection.nextEvent()) {
      seen.push(`${event._tag} ${connection.status} ${connection.turn?.index ?? "-"}`)
      if (event._tag === "Handle") connection.respond(event.id, allow)
    }
    assert.deepStrictEqual(seen, [
      "MessageMoved Running -",
      "MessageMoved Running -",
      "TurnStarted Running 0",
      "Received Running 0",
      "Received WaitingForPermission 0",
      "Handle WaitingForPermission 0",
      "Received Running -",
      "TurnEnded Running -",
      "MessageMoved Running -",
      "TurnStarted Running 1",
      "Received Running 1",
      "Received Idle -",
      "TurnEnded Idle -"
    ])
  })

  it("are ready as long as one frame has more of them", () => {
    const connection = Connection.make()
    connection.send("a", { id: "a" })
    assert.isTrue(connection.hasEvent)
    drain(connection)
    connection.receive(bytesOf(init(), result("1", "a")), 0)
    assert.isFalse(connection.hasEvent)
    const steps: Array<ReadonlyArray<string>> = [[]]
    for (let event = connection.nextEvent(); event !== undefined; event = connection.nextEvent()) {
      steps[steps.length - 1] = [...(steps.at(-1) ?? []), event._tag]
      if (!connection.hasEvent) steps.push([])
    }
    assert.deepStrictEqual(steps, [["TurnStarted", "Received"], ["Received", "TurnEnded"], []])
  })

  it("of a command that is given between two frames come before the next frame", () => {
    const connection = introduced()
    connection.receive(bytesOf({ type: "keep_alive" }, { type: "keep_alive" }), 0)
    assert.strictEqual(connection.nextEvent()?._tag, "Received")
    connection.send("b")
    assert.deepStrictEqual(tags(drain(connection)), ["MessageMoved", "Received"])
  })

  it("are the same for pieces of a message, which cost no step", () => {
    const piece = {
      type: "stream_event",
      event: { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "a" } },
      parent_tool_use_id: null,
      session_id: "s",
      uuid: "p"
    }
    const connection = introduced()
    connection.send("a", { id: "a" })
    connection.receive(bytesOf(init(), piece, piece), 0)
    assert.deepStrictEqual(
      drain(connection).map((event) => event._tag === "Received" ? event.turn : event._tag),
      ["MessageMoved", "TurnStarted", 1, 1, 1]
    )
    const { state } = connection
    connection.receive(bytesOf(piece), 0)
    drain(connection)
    assert.strictEqual(connection.state, state)
  })
})

describe("requests of the host", () => {
  it("are answered", () => {
    const connection = introduced()
    const id = connection.request({ subtype: "mcp_status" }, 0)
    assert.strictEqual(id, "req_1")
    assert.deepStrictEqual([...connection.openHostRequests.keys()], [id])
    assert.deepStrictEqual(flush(connection), [
      `{"type":"control_request","request_id":"req_1","request":{"subtype":"mcp_status"}}`
    ])
    connection.receive(bytesOf(success(id, { mcpServers: [] })), 10)
    assert.deepStrictEqual(drain(connection).at(-1), { _tag: "Answered", id, response: { mcpServers: [] } })
    assert.isUndefined(connection.deadline())
    assert.strictEqual(connection.request({ subtype: "mcp_status" }, 0, { id: "mine" }), "mine")
    assert.throws(() => connection.request({ subtype: "mcp_status" }, 0, { id: "mine" }), EncodeError)
  })

  it("time out: by default after a minute, and a CLI that accepts that is told", () => {
    const connection = introduced()
    connection.request({ subtype: "mcp_status" }, 1_000, { id: "slow" })
    connection.request({ subtype: "mcp_status" }, 2_000, { id: "quick", timeout: "1 second" })
    connection.request({ subtype: "mcp_status" }, 2_000, { id: "patient", timeout: Infinity })
    flush(connection)
    assert.strictEqual(connection.deadline(), 3_000)
    connection.expire(2_999)
    assert.deepStrictEqual(drain(connection), [])
    connection.expire(3_000)
    const [event] = drain(connection)
    assert.isTrue(event?._tag === "RequestFailed" && event.id === "quick")
    if (event?._tag === "RequestFailed") assert.deepInclude(event.error, { reason: "Timeout", subtype: "mcp_status" })
    assert.deepStrictEqual(flush(connection), [`{"type":"control_cancel_request","request_id":"quick"}`])
    assert.strictEqual(connection.deadline(), 61_000)
    connection.receive(bytesOf(success("quick", {})), 4_000)
    assert.deepStrictEqual(tags(drain(connection)), ["Received"])
    connection.expire(1e9)
    assert.deepStrictEqual(tags(drain(connection)), ["RequestFailed"])
    assert.isUndefined(connection.deadline())
    assert.deepStrictEqual([...connection.openHostRequests.keys()], ["patient"])
  })

  it("time out in silence where the CLI would not survive being told", () => {
    const connection = introduced({ requestTimeout: "1 second" }, { claude_code_version: "2.1.40" })
    connection.request({ subtype: "interrupt" }, 0)
    flush(connection)
    connection.expire(1_000)
    assert.deepStrictEqual(tags(drain(connection)), ["RequestFailed"])
    assert.deepStrictEqual(flush(connection), [])
  })

  it("do not time out if the response was received before, although nobody has read it yet", () => {
    const connection = introduced()
    const id = connection.request({ subtype: "mcp_status" }, 0, { timeout: "1 second" })
    connection.receive(bytesOf(success(id, {})), 900)
    connection.expire(1_000)
    assert.deepStrictEqual(tags(drain(connection)), ["Received", "Answered"])
  })

  it("can be cancelled, and fail at once where the CLI would never answer", () => {
    const connection = introduced()
    connection.cancelRequest(connection.request({ subtype: "mcp_status" }, 0))
    const [event] = drain(connection)
    assert.isTrue(event?._tag === "RequestFailed")
    if (event?._tag === "RequestFailed") assert.deepInclude(event.error, { reason: "Cancelled" })
    connection.cancelRequest("req_1")
    assert.deepStrictEqual(drain(connection), [])
    assert.isUndefined(connection.deadline())

    const old = introduced({}, { claude_code_version: "2.0.76" })
    old.request({ subtype: "get_settings" }, 0)
    assert.deepStrictEqual(tags(drain(old)), ["RequestFailed"])
    assert.isUndefined(old.deadline())
  })

  it("an interrupt is one of them: the turn ends with a result of its own", () => {
    const connection = introduced()
    connection.send("long", { id: "a" })
    connection.receive(bytesOf(init()), 0)
    const id = connection.request({ subtype: "interrupt" }, 0)
    connection.receive(
      bytesOf(success(id, { still_queued: [] }), {
        ...result("stopped", "a"),
        subtype: "error_during_execution",
        is_error: true,
        terminal_reason: "aborted_streaming"
      }),
      0
    )
    assert.deepStrictEqual(tags(drain(connection)), [
      "MessageMoved",
      "TurnStarted",
      "Received",
      "Received",
      "Answered",
      "Received",
      "TurnEnded"
    ])
    assert.isFalse(connection.isBusy)
  })
})

describe("requests of the CLI", () => {
  const asked = () => {
    const connection = introduced()
    connection.receive(bytesOf(canUseTool("p")), 0)
    drain(connection)
    return connection
  }

  it("are answered once", () => {
    const connection = asked()
    assert.deepStrictEqual([...connection.openCliRequests.keys()], ["p"])
    connection.respond("p", allow)
    connection.respond("p", allow)
    connection.refuse("p", "no")
    connection.refuse("never", "no")
    assert.deepStrictEqual(drain(connection), [
      { _tag: "ResponseIgnored", id: "p" },
      { _tag: "ResponseIgnored", id: "p" },
      { _tag: "ResponseIgnored", id: "never" }
    ])
    assert.deepStrictEqual(flush(connection).map((line): unknown => JSON.parse(line)), [success("p", allow)])
  })

  it("pain 10: a response that the CLI could not read is replaced by an error, so that nothing stalls", () => {
    const connection = asked()
    connection.respond("p", { behavior: "allow" })
    const [event, ...rest] = drain(connection)
    assert.isTrue(event?._tag === "ResponseInvalid" && event.id === "p" && event.error._tag === "EncodeError")
    assert.deepStrictEqual(rest, [])
    const [line = "", ...others] = flush(connection)
    assert.deepStrictEqual(others, [])
    assert.nestedInclude(JSON.parse(line), { "response.subtype": "error", "response.request_id": "p" })
    assert.strictEqual(connection.openCliRequests.size, 0)
  })

  it("can be checked before, which changes nothing", () => {
    const connection = asked()
    const { state } = connection
    assert.include(connection.checkResponse("p", { behavior: "allow" })?.message, "updatedInput")
    assert.isUndefined(connection.checkResponse("p", allow))
    assert.isUndefined(connection.checkResponse("never", {}))
    assert.strictEqual(connection.state, state)
    assert.deepStrictEqual([drain(connection), flush(connection)], [[], []])
  })

  it("are refused if no schema knows them, and withdrawn by the CLI", () => {
    const connection = asked()
    connection.receive(
      bytesOf({ type: "control_request", request_id: "x", request: { subtype: "hologram" } }, {
        type: "control_cancel_request",
        request_id: "p"
      }),
      0
    )
    assert.deepStrictEqual(tags(drain(connection)), ["Received", "Received", "Withdraw"])
    const [line = ""] = flush(connection)
    assert.nestedInclude(JSON.parse(line), { "response.request_id": "x", "response.error_code": "unsupported_request" })
    connection.respond("p", allow)
    assert.deepStrictEqual(tags(drain(connection)), ["ResponseIgnored"])
  })
})

describe("time", () => {
  it("settles messages without a result, and ends what a lone init keeps back", () => {
    const connection = introduced({ settleTime: 100 })
    connection.receive(bytesOf(init()), 1_000)
    drain(connection)
    connection.send("held", { id: "h", whenBusy: "queue" })
    drain(connection)
    assert.strictEqual(connection.deadline(), 1_100)
    connection.expire(1_099)
    assert.deepStrictEqual(drain(connection), [])
    assert.strictEqual(connection.deadline(), 1_100)
    connection.expire(1_100)
    assert.deepStrictEqual(drain(connection), [{ _tag: "MessageMoved", message: "h", to: "Written" }])
    assert.isUndefined(connection.deadline())
  })

  it("is the earliest of all deadlines", () => {
    const connection = introduced({ settleTime: 100 })
    connection.request({ subtype: "mcp_status" }, 0, { timeout: 50 })
    connection.receive(bytesOf(init()), 0)
    drain(connection)
    assert.strictEqual(connection.deadline(), 50)
    connection.expire(70)
    drain(connection)
    assert.strictEqual(connection.deadline(), 100)
  })
})

describe("the end", () => {
  it("fails everything that is open, once, after the last frame, whose newline may be missing", () => {
    const connection = introduced()
    connection.send("a", { id: "a" })
    connection.request({ subtype: "mcp_status" }, 0, { id: "q" })
    connection.receive(bytesOf(init(), canUseTool("p")), 0)
    connection.receive(encoder.encode(JSON.stringify({ type: "keep_alive" })), 0)
    drain(connection)
    flush(connection)
    connection.end(TransportExit.exited(1, "boom"))
    assert.deepStrictEqual(tags(drain(connection)), [
      "Received",
      "RequestFailed",
      "Withdraw",
      "MessageFailed",
      "TurnDropped",
      "Ended"
    ])
    assert.deepInclude(connection.exit, { code: 1, stderr: "boom" })
    assert.strictEqual(connection.status, "Ended")
    assert.isUndefined(connection.deadline())
    connection.end(TransportExit.exited(0))
    connection.receive(bytesOf({ type: "keep_alive" }), 0)
    assert.deepStrictEqual(drain(connection), [])
    connection.send("late", { id: "b" })
    connection.request({ subtype: "mcp_status" }, 0)
    connection.respond("p", allow)
    assert.deepStrictEqual(tags(drain(connection)), ["MessageFailed", "RequestFailed", "ResponseIgnored"])
    assert.deepStrictEqual([flush(connection), connection.deadline()], [[], undefined])
  })

  it("of the output comes before the end of the CLI, and reports a line that was cut off", () => {
    const connection = introduced()
    connection.receive(encoder.encode(`{"type":`), 0)
    connection.endOutput(1)
    const [event] = drain(connection)
    assert.isTrue(
      event?._tag === "Received" && !Frame.isKnown(event.item) && event.item.reason === "TruncatedTail"
    )
    connection.end(cleanExit)
    assert.deepStrictEqual(tags(drain(connection)), ["Ended"])
  })
})

describe("a restart", () => {
  it("continues the conversation with another process", () => {
    const connection = introduced()
    const lost = connection.request({ subtype: "mcp_status" }, 0)
    // Half a line of the process that ends, and a line that was never written to it.
    connection.receive(encoder.encode(`{"type":"keep_`), 0)
    assert.throws(() => connection.restart(), "before it ended")
    connection.end(TransportExit.signaled("SIGKILL"))
    assert.throws(() => connection.restart(), "before it ended")
    drain(connection)
    connection.restart()
    assert.deepStrictEqual(flush(connection), [])
    assert.deepStrictEqual(
      [connection.status, connection.sessionId, connection.version, connection.exit, connection.lastResult?.text],
      ["Idle", "s", "2.1.326", undefined, "0"]
    )
    const next = connection.request({ subtype: "mcp_status" }, 0)
    assert.notStrictEqual(next, lost)
    // Lines are counted from the beginning again: it is another stream of bytes.
    connection.receive(encoder.encode("log\n"), 0)
    const [noise] = drain(connection)
    assert.isTrue(noise?._tag === "Received" && noise.item instanceof DecodeError && noise.item.line === 1)
    connection.send("hello again", { id: "m0" })
    connection.receive(bytesOf(init(), result("1", "m0")), 0)
    assert.deepStrictEqual(
      drain(connection).map((event) => event._tag === "TurnEnded" ? event.turn : event._tag),
      ["MessageMoved", "TurnStarted", "Received", "Received", 1]
    )
  })
})

describe("memory", () => {
  setFlagsFromString("--expose-gc")
  // `gc` is a global of contexts that are made after the flag is set.
  const gc: () => void = runInNewContext("gc")

  it("does not grow with the conversation, nor with lines that are written one at a time", () => {
    const connection = Connection.make()
    const content = "x".repeat(20_000)
    let turns = 0
    const run = (count: number) => {
      for (let i = 0; i < count; i++) {
        const id = `m${++turns}`
        connection.send(content, { id, whenBusy: "queue" })
        connection.request({ subtype: "mcp_status" }, turns, { id: `q${turns}` })
        connection.receive(
          bytesOf(init(), canUseTool(id), success(`q${turns}`, {}), result(`${turns}${content}`, id)),
          turns
        )
        for (let event = connection.nextEvent(); event !== undefined; event = connection.nextEvent()) {
          if (event._tag === "Handle") connection.respond(event.id, allow)
        }
        connection.expire(turns)
        // One line stays behind, always.
        while (connection.transmit()?.includes(`"mcp_status"`) === false);
      }
      gc()
      return process.memoryUsage().heapUsed
    }
    const before = run(200)
    // Each turn has 40 KB of text: 80 MB, if it were kept.
    const grown = run(2_000) - before
    assert.isBelow(grown, 8_000_000)
    assert.isAtMost(SessionMachine.retainedIds(connection.state), 3 * SessionMachine.remembered)
    assert.deepStrictEqual([connection.pendingMessages, connection.openCliRequests.size], [[], 0])
  })
})
