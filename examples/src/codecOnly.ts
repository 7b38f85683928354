/**
 * A complete host on the protocol alone: messages, streamed text, permissions, interrupts and timeouts. It needs no Effect
 * runtime and nothing of Node, so it runs wherever there are bytes; `codecOnlyProcess` connects it to a process.
 */
import * as Connection from "@claude-duplex/protocol/Connection"
import * as Frame from "@claude-duplex/protocol/Frame"
import type { CanUseToolRequest } from "@claude-duplex/protocol/schema/PermissionRequest"
import type { TransportExit } from "@claude-duplex/protocol/TransportExit"
import * as TurnResult from "@claude-duplex/protocol/TurnResult"

export interface Options {
  readonly write: (line: string) => void
  readonly onText: (text: string) => void
  /** Decides whether a tool may run. The signal is aborted when the CLI withdraws the question. */
  readonly mayRun: (request: CanUseToolRequest, withdrawn: AbortSignal) => Promise<boolean>
  /** How many milliseconds a turn may take before it is interrupted. */
  readonly turnTimeout: number
  /** The CLI does not answer an interrupt. */
  readonly onStuck: (error: Error) => void
}

export const start = ({ mayRun, onStuck, onText, turnTimeout, write }: Options) => {
  const connection = Connection.make({ requestTimeout: "10 seconds" })
  const settle = new Map<string, (outcome: TurnResult.TurnResult | Error) => void>()
  const questions = new Map<string, AbortController>()
  let timer: ReturnType<typeof setTimeout> | undefined
  let turnTimer: ReturnType<typeof setTimeout> | undefined

  /** Puts something into the connection, handles what comes of it, and sets the timer. */
  const run = <A>(input: () => A): A => {
    const result = input()
    for (let event = connection.nextEvent(); event !== undefined; event = connection.nextEvent()) handle(event)
    for (let line = connection.transmit(); line !== undefined; line = connection.transmit()) write(line)
    clearTimeout(timer)
    const deadline = connection.deadline()
    const expire = () => run(() => connection.expire(performance.now()))
    if (deadline !== undefined) timer = setTimeout(expire, deadline - performance.now())
    return result
  }
  const interrupt = () => run(() => connection.request({ subtype: "interrupt" }, performance.now()))
  const decide = async (id: string, request: CanUseToolRequest) => {
    const question = new AbortController()
    questions.set(id, question)
    const allowed = await mayRun(request, question.signal).catch(() => false)
    questions.delete(id)
    const denial = { behavior: "deny", message: "The user does not allow this." }
    run(() => connection.respond(id, allowed ? { behavior: "allow", updatedInput: request.input } : denial))
  }
  const handle = (event: Connection.Event) => {
    if (event._tag === "Received" && Frame.isKnown(event.item) && event.item.type === "stream_event") {
      const piece = event.item.event
      if (piece.type === "content_block_delta" && piece.delta.type === "text_delta") onText(piece.delta.text)
    } else if (event._tag === "Handle") {
      if (event.request.subtype === "can_use_tool") void decide(event.id, event.request)
      else connection.refuse(event.id, "This host has no hooks, MCP servers or dialogs.")
    } else if (event._tag === "Withdraw") questions.get(event.id)?.abort()
    else if (event._tag === "RequestFailed") onStuck(event.error)
    else if (event._tag === "TurnStarted") turnTimer = setTimeout(interrupt, turnTimeout)
    else if (event._tag === "TurnDropped") clearTimeout(turnTimer)
    else if (event._tag === "TurnEnded") {
      clearTimeout(turnTimer)
      for (const id of event.messages) settle.get(id)?.(TurnResult.make(event, []))
    } else if (event._tag === "MessageEnded") settle.get(event.message)?.(new Error(`No turn: ${event.reason}`))
    else if (event._tag === "MessageFailed") settle.get(event.message)?.(event.error)
  }
  return {
    /** Sends a message, which waits while a turn runs; an error is returned if there is no result. */
    send: (prompt: string) =>
      run(() => {
        const id = connection.send(prompt, { whenBusy: "queue" })
        return new Promise<TurnResult.TurnResult | Error>((resolve) => settle.set(id, resolve)).finally(() =>
          settle.delete(id)
        )
      }),
    interrupt,
    receive: (bytes: Uint8Array) => run(() => connection.receive(bytes, performance.now())),
    end: (exit: TransportExit) => run(() => connection.end(exit))
  }
}
