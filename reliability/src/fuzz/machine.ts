/** The pure machine, with frames in any order and a host that does anything: it never throws, and settles everything once. */
import * as Random from "@claude-duplex/benchmarks/random"
import * as Codec from "@claude-duplex/protocol/Codec"
import * as Frame from "@claude-duplex/protocol/Frame"
import type { SessionAction } from "@claude-duplex/protocol/SessionAction"
import type { SessionInput } from "@claude-duplex/protocol/SessionInput"
import * as SessionMachine from "@claude-duplex/protocol/SessionMachine"
import * as TransportExit from "@claude-duplex/protocol/TransportExit"
import { Either } from "effect"
import { piecesOf, type Target, violated } from "./targets.js"

/** A host that does anything, at any time; the same for the same input. */
export const machine: Target = (bytes) => {
  const random = Random.make(bytes.length)
  const decoder = Codec.cli.makeDecoder()
  let state = SessionMachine.make(random.next() < 0.3 ? { replayUserMessages: true } : {})
  let now = 0
  const ledger = new Ledger()
  let received = 0

  const put = (input: SessionInput): void => {
    const [next, actions] = SessionMachine.step(state, input)
    state = next
    for (const action of actions) {
      ledger.take(action)
      if (action._tag === "Received") received++
    }
    const retained = SessionMachine.retainedIds(state)
    if (retained > 3 * SessionMachine.remembered) violated(`the machine retains ${retained} ids`)
  }

  const wish = (): void => {
    const id = `$message${ledger.messages.size}`
    switch (Math.floor(random.next() * 8)) {
      case 0:
      case 1: {
        ledger.messages.set(id, 0)
        put({
          _tag: "Send",
          id,
          whenBusy: random.pick(["reject", "queue", "steer"]),
          frame: { type: "user", message: { role: "user", content: id }, ...(random.next() < 0.8 ? { uuid: id } : {}) }
        })
        break
      }
      case 2: {
        const request = `$request${ledger.requests.size}`
        ledger.requests.set(request, 0)
        put({
          _tag: "Request",
          id: request,
          request: { subtype: random.pick(["interrupt", "mcp_status", "get_settings"]) }
        })
        break
      }
      case 3:
        put({ _tag: "CancelHeld", id: random.pick([id, "$message0", "$message1"]) })
        break
      case 4:
        put({ _tag: "Abandon", id: random.pick(["$request0", "$request1"]), reason: "Timeout" })
        break
      case 5: {
        const [id] = SessionMachine.openCliRequests(state).keys()
        if (id !== undefined) put({ _tag: "Answer", id, response: { behavior: "allow", updatedInput: {} } })
        break
      }
      case 6: {
        const [id = "nothing"] = SessionMachine.openCliRequests(state).keys()
        put({ _tag: "Refuse", id, error: "no" })
        break
      }
      default:
        now += random.logUniform(1, 20_000)
        put({ _tag: "Tick", now })
    }
  }

  wish()
  wish()
  let items = 0
  const receive = (decoded: ReadonlyArray<Codec.Item>): void => {
    for (const item of decoded) {
      items++
      put({ _tag: "Receive", item, now: now++ })
      if (random.next() < 0.3) wish()
    }
  }
  for (const piece of piecesOf(bytes)) receive(decoder.push(piece))
  receive(decoder.end())
  put({ _tag: "End", exit: TransportExit.exited(random.pick([0, 1])) })
  wish()
  if (received !== items) violated(`${items} items were put in, ${received} came out`)
  ledger.close()
}

/** How often everything was settled. */
class Ledger {
  readonly messages = new Map<string, number>()
  readonly requests = new Map<string, number>()
  readonly #handled = new Map<string, number>()

  take(action: SessionAction): void {
    switch (action._tag) {
      case "Write": {
        if (action.line.includes("\n")) violated("a line with an end of a line in it is written")
        const written = Codec.host.decode(action.line)
        if (Either.isLeft(written) || !Frame.isKnown(written.right)) {
          violated(`what is written is no frame: ${action.line}`)
        }
        break
      }
      case "TurnEnded":
        for (const id of action.messages) count(this.messages, id)
        break
      case "MessageEnded":
      case "MessageFailed":
        count(this.messages, action.message)
        break
      case "Answered":
      case "RequestFailed":
        count(this.requests, action.id)
        break
      case "Handle":
        count(this.#handled, action.id)
        break
    }
  }

  close(): void {
    for (const [id, times] of [...this.messages, ...this.requests]) {
      if (times !== 1) violated(`${id} was settled ${times} times`)
    }
    // No input has as many requests as the machine remembers, so none may be forgotten and asked again.
    for (const [id, times] of this.#handled) if (times !== 1) violated(`the CLI's ${id} was handled ${times} times`)
  }
}

const count = (counts: Map<string, number>, id: string): void => {
  counts.set(id, (counts.get(id) ?? 0) + 1)
}
