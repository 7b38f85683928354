/**
 * The messages that were sent and are not over, and the turns that run: who is in which, and which frames of each are retained.
 * Keeps the books of what the machine decides, and decides nothing.
 */
import type { Item } from "@claude-duplex/protocol/Codec"
import { isKnown } from "@claude-duplex/protocol/Frame"
import type { MessageMoved, TurnEnded, TurnReassigned, TurnStarted } from "@claude-duplex/protocol/SessionAction"
import * as TurnResult from "@claude-duplex/protocol/TurnResult"
import * as Exit from "effect/Exit"
import type { OpenMessage } from "../SessionSnapshot.js"
import type { Phase } from "../Turn.js"
import type { TurnFrames } from "./frameReader.js"
import { type Frame, isMore, isPartial, mostOf, type Retain, retains } from "./retention.js"
import type { Outcome, TurnRecord } from "./turnRecord.js"

/** A turn that runs. */
class RunningTurn implements TurnFrames {
  readonly frames: Array<Frame> = []
  records: ReadonlyArray<TurnRecord> = []
  isDoubtful = false
  hasSkipped = false
  /** As much as the message wants that retains most; undefined: it has none. */
  own: Retain | undefined
  /** The most that was retained at any time. */
  retained: Retain = "result"

  /** Takes a frame, and hands it to the readers of its messages. */
  receive(frame: Frame, retain: Retain): void {
    const isRetained = retains(retain, frame)
    if (isRetained) {
      this.frames.push(frame)
      if (isMore(retain, this.retained)) this.retained = retain
    } else if (isPartial(frame)) this.hasSkipped = true
    for (const record of this.records) record.receive(frame, isRetained)
  }
}

export class TurnRecords {
  readonly #records = new Map<string, TurnRecord>()
  readonly #turns = new Map<number, RunningTurn>()
  /** How many messages that may be in a turn retain how much. One that is still held is in none. */
  readonly #inFlight: Record<Retain, number> = { result: 0, messages: 0, all: 0 }

  add(record: TurnRecord): void {
    this.#records.set(record.id, record)
  }

  get(id: string): TurnRecord | undefined {
    return this.#records.get(id)
  }

  /** The messages that have not ended, oldest first. */
  get open(): ReadonlyArray<OpenMessage> {
    return Array.from(this.#records.values()).flatMap(({ id, phase }) => phase === "Ended" ? [] : [{ id, phase }])
  }

  settle(id: string, outcome: Outcome): void {
    this.#take(id)?.settle(outcome)
  }

  /** The CLI is done with a message, and there was no turn. */
  settleWithoutTurn(id: string, sessionId: string | undefined): void {
    this.#take(id)?.settleWithoutTurn(sessionId)
  }

  /** Forgets a message that is about to end. */
  #take(id: string): TurnRecord | undefined {
    const record = this.#records.get(id)
    if (record === undefined) return undefined
    this.#records.delete(id)
    if (record.phase !== "Held") this.#inFlight[record.retain]--
    return record
  }

  moved({ message, to }: MessageMoved): void {
    const record = this.#records.get(message)
    if (record !== undefined) this.#move(record, to)
  }

  #move(record: TurnRecord, to: Phase): void {
    if (record.phase === "Held" && to !== "Held") this.#inFlight[record.retain]++
    record.move(to)
  }

  /** `isDoubtful`: later evidence may give the turn to other messages. Until {@link confirm}, its readers get nothing. */
  started({ messages, turn }: TurnStarted, isDoubtful: boolean): void {
    const running = new RunningTurn()
    this.#turns.set(turn, running)
    this.#assign(running, messages, isDoubtful)
  }

  reassigned({ messages, turn }: TurnReassigned, isDoubtful: boolean): void {
    const running = this.#turns.get(turn)
    if (running !== undefined) this.#assign(running, messages, isDoubtful)
  }

  #assign(turn: RunningTurn, messages: ReadonlyArray<string>, isDoubtful: boolean): void {
    const before = turn.records
    turn.records = messages.flatMap((id) => this.#records.get(id) ?? [])
    turn.isDoubtful = isDoubtful
    turn.own = mostOf(turn.records.map(({ retain }) => retain))
    for (const record of before) {
      if (turn.records.includes(record) || record.hasEnded) continue
      record.attach(undefined)
      this.#move(record, "Written")
    }
    for (const record of turn.records) {
      if (before.includes(record)) record.signal.wake()
      else record.attach(turn)
      // Not every CLI says so.
      this.#move(record, "Started")
    }
  }

  /** Whether the readers of a turn get nothing for now. */
  get isDoubtful(): boolean {
    for (const turn of this.#turns.values()) if (turn.isDoubtful) return true
    return false
  }

  /** The turns that run are those of their messages. */
  confirm(): void {
    for (const turn of this.#turns.values()) {
      turn.isDoubtful = false
      for (const record of turn.records) record.signal.wake()
    }
  }

  ended(ended: TurnEnded): TurnResult.TurnResult {
    const turn = this.#turns.get(ended.turn)
    const frames = turn?.frames ?? []
    // A result that no schema knows is retained too.
    if (frames.at(-1) !== ended.result) frames.push(ended.result)
    const result = TurnResult.make(ended, frames)
    if (turn !== undefined) turn.isDoubtful = false
    for (const id of ended.messages) {
      const record = this.#take(id)
      if (record === undefined) continue
      const own = turn === undefined || !isMore(turn.retained, record.retain)
        ? result
        : { ...result, frames: frames.filter((frame) => frame === ended.result || retains(record.retain, frame)) }
      record.settle(Exit.succeed(own))
    }
    this.#turns.delete(ended.turn)
    return result
  }

  dropped(turn: number): void {
    this.#turns.delete(turn)
  }

  received(index: number | undefined, item: Item): void {
    if (index === undefined) return this.#receivedBetweenTurns(item)
    const turn = this.#turns.get(index)
    if (turn === undefined || (!isKnown(item) && item._tag === "DecodeError")) return
    turn.receive(item, this.#retainOf(turn))
  }

  /** Whether {@link received} is to be called for partial messages. Mostly not: they are retained and read by none. */
  takesPartials(index: number | undefined): boolean {
    const turn = index === undefined ? undefined : this.#turns.get(index)
    if (turn === undefined) return false
    if (this.#retainOf(turn) === "all" || turn.records.some(({ hasReaders }) => hasReaders)) return true
    turn.hasSkipped = true
    return false
  }

  /** What came while no turn ran: the output of a local command belongs to the message that the CLI works on. */
  #receivedBetweenTurns(item: Item): void {
    if (!isKnown(item) || item.type !== "system" || item.subtype !== "local_command_output") return
    for (const record of this.#records.values()) if (record.phase === "Started") record.print(item)
  }

  /** A turn that may turn out to be for another message retains what that one wants. */
  #retainOf({ isDoubtful, own }: RunningTurn): Retain {
    if (own !== undefined && !isDoubtful) return own
    if (this.#inFlight.all > 0) return "all"
    return this.#inFlight.result > 0 && this.#inFlight.messages === 0 ? "result" : "messages"
  }
}
