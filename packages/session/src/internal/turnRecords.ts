/**
 * The messages that were sent and are not over, and the turns that run: who is in which, and what was said in each. Keeps
 * books of what the machine decides, and decides nothing.
 */
import type { Item } from "@claude-duplex/protocol/Codec"
import { isKnown } from "@claude-duplex/protocol/Frame"
import type { MessageMoved, TurnEnded, TurnReassigned, TurnStarted } from "@claude-duplex/protocol/SessionAction"
import * as TurnResult from "@claude-duplex/protocol/TurnResult"
import * as Exit from "effect/Exit"
import type { Phase } from "../Turn.js"
import { type Frame, isPiece, type Outcome, type TurnRecord } from "./turnRecord.js"

interface RunningTurn {
  /** What was said in it; the pieces too, if anybody wants them: they are most of it. */
  readonly frames: Array<Frame>
  messages: ReadonlyArray<string>
}

export class TurnRecords {
  readonly #records = new Map<string, TurnRecord>()
  readonly #turns = new Map<number, RunningTurn>()
  /** How many of those that may be in a turn want the pieces of their messages. One that is still held is in none. */
  #keepers = 0

  add(record: TurnRecord): void {
    this.#records.set(record.id, record)
  }

  get(id: string): TurnRecord | undefined {
    return this.#records.get(id)
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
    if (record.keepsPieces && record.phase !== "Held") this.#keepers--
    return record
  }

  moved({ message, to }: MessageMoved): void {
    const record = this.#records.get(message)
    if (record !== undefined) this.#move(record, to)
  }

  #move(record: TurnRecord, to: Phase): void {
    if (record.keepsPieces && record.phase === "Held" && to !== "Held") this.#keepers++
    record.move(to)
  }

  started({ messages, turn }: TurnStarted): void {
    const running: RunningTurn = { frames: [], messages }
    this.#turns.set(turn, running)
    this.#attach(running)
  }

  reassigned({ messages, turn }: TurnReassigned): void {
    const running = this.#turns.get(turn)
    if (running === undefined) return
    for (const id of running.messages) {
      const record = this.#records.get(id)
      if (record === undefined || messages.includes(id)) continue
      record.attach([])
      this.#move(record, "Written")
    }
    running.messages = messages
    this.#attach(running)
  }

  ended(ended: TurnEnded): TurnResult.TurnResult {
    const frames = this.#turns.get(ended.turn)?.frames ?? (isKnown(ended.result) ? [ended.result] : [])
    const result = TurnResult.make(ended, frames)
    for (const id of ended.messages) this.settle(id, Exit.succeed(result))
    this.#turns.delete(ended.turn)
    return result
  }

  dropped(turn: number): void {
    this.#turns.delete(turn)
  }

  /** Somebody wants pieces of messages: if not, they need not be brought here. */
  get wantsPieces(): boolean {
    return this.#keepers > 0
  }

  received(index: number, item: Item): void {
    const turn = this.#turns.get(index)
    if (turn === undefined || (!isKnown(item) && item._tag === "DecodeError")) return
    if (!this.wantsPieces && isPiece(item)) return
    turn.frames.push(item)
    for (const id of turn.messages) this.#records.get(id)?.grow()
  }

  /** What came while no turn ran: the output of a local command belongs to the message that the CLI works on. */
  receivedBetweenTurns(item: Item): void {
    if (!isKnown(item) || item.type !== "system" || item.subtype !== "local_command_output") return
    for (const record of this.#records.values()) if (record.phase === "Started") record.print(item)
  }

  #attach(turn: RunningTurn): void {
    for (const id of turn.messages) {
      const record = this.#records.get(id)
      if (record === undefined) continue
      record.attach(turn.frames)
      // Not every CLI says so.
      this.#move(record, "Started")
    }
  }
}
