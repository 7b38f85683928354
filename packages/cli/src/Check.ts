/**
 * What is wrong with a conversation, or new in it. Pure; reads entries, and keeps one finding for each thing however often it
 * occurs, so that a long file takes no more memory than a short one.
 *
 * | kind            | what was found                                                                                   |
 * | --------------- | ------------------------------------------------------------------------------------------------ |
 * | `damaged`       | a line of the file that is no part of a recording; a file that ends in the middle of one         |
 * | `malformed`     | a line of either side that is no JSON object                                                     |
 * | `new-frame`     | a `type` or `subtype` that no schema knows                                                       |
 * | `new-field`     | a field that no schema knows                                                                     |
 * | `new-value`     | a value that is not among those that a schema lists                                              |
 * | `missing-field` | a field that a schema requires, and that is not there                                            |
 * | `other-kind`    | a value of another kind than a schema says                                                       |
 * | `unanswered`    | a request that was neither answered nor withdrawn                                                |
 * | `unended`       | a turn, or a message, without a result                                                           |
 * | `order`         | what cannot come where it is: an answer without a question, a result without a tool, a piece of  |
 * |                 | a block that has not begun, a time before the one before it                                      |
 */
import { isKnown } from "@claude-duplex/protocol/Frame"
import * as Novelty from "@claude-duplex/protocol/Novelty"
import type { StreamEventFrame } from "@claude-duplex/protocol/schema/StreamEvent"
import type { Direction, Format } from "@claude-duplex/transport-mock/Recording"
import * as Schema from "effect/Schema"
import * as Conversation from "./Conversation.js"
import type { Damage, Entry } from "./Entries.js"

/** See the table at the top. */
export const FindingKind = Schema.Literal(
  "damaged",
  "malformed",
  "new-frame",
  "new-field",
  "new-value",
  "missing-field",
  "other-kind",
  "unanswered",
  "unended",
  "order"
)
export type FindingKind = typeof FindingKind.Type

/** Something that was found, wherever it occurred. */
export const Finding = Schema.Struct({
  kind: FindingKind,
  /** What it is about: a field by its schema, a frame by its name, a request by its subtype; in words otherwise. */
  at: Schema.String,
  /** Who said it; nobody did, if the file is damaged. */
  by: Schema.NullOr(Schema.Literal("host", "cli")),
  /** How often. */
  count: Schema.Number,
  /** The first lines of the file where it occurs. */
  lines: Schema.Array(Schema.Number),
  /** What was there the first time, as JSON, cut. */
  sample: Schema.optional(Schema.String)
}).annotations({ identifier: "Finding" })
export interface Finding extends Schema.Schema.Type<typeof Finding> {}

/** What was found in a file: what `check --json` prints, one a line. */
export const Report = Schema.Struct({
  file: Schema.String,
  /** What the file is; nothing is known of an empty one. */
  format: Schema.NullOr(Schema.Literal("recording", "stdout")),
  /** The CLI's version, if it told. */
  version: Schema.NullOr(Schema.String),
  /** How many lines of either side were read. */
  entries: Schema.Number,
  turns: Schema.Number,
  findings: Schema.Array(Finding)
}).annotations({ identifier: "Report" })
export interface Report extends Schema.Schema.Type<typeof Report> {}

/** How many lines a finding names. */
const namedLines = 5

/** Checks a file. Stateful: one for each. */
export interface Checker {
  readonly observe: (entry: Entry | Damage) => void
  /** What was found, and what is left open. The last thing to be called. */
  readonly end: (file: string, format: Format | undefined) => Report
}

/**
 * Begins a check.
 */
export const make = (): Checker => {
  const conversation = Conversation.make()
  const findings = new Map<string, { -readonly [K in keyof Finding]: Finding[K] } & { lines: Array<number> }>()
  /** What each side was asked, by the id of the request: an answer is read by its question. */
  const asked: Record<Direction, Map<string, string>> = { host: new Map(), cli: new Map() }
  const blocks = new Blocks()
  let entries = 0
  let turns = 0
  let time = 0

  const find = (
    kind: FindingKind,
    at: string,
    { by = null, line, sample }: { readonly by?: Direction | null; readonly line: number; readonly sample?: string }
  ): void => {
    // Two new values of one field are two things to add; two samples of a new field are one.
    const key = `${kind} ${by} ${at} ${kind === "new-value" ? sample : ""}`
    const known = findings.get(key)
    if (known === undefined) {
      findings.set(key, { kind, at, by, count: 1, lines: [line], ...(sample === undefined ? {} : { sample }) })
      return
    }
    known.count++
    if (known.lines.length < namedLines && known.lines.at(-1) !== line) known.lines.push(line)
  }

  const novelties = (entry: Entry, question: string | undefined): void => {
    const { dir, item, line } = entry
    // The reader gives each side's items what they are, and no type says so.
    const found = dir === "cli"
      ? Novelty.ofCli(item as Parameters<typeof Novelty.ofCli>[0], question)
      : Novelty.ofHost(item as Parameters<typeof Novelty.ofHost>[0], question)
    for (const { at, kind, sample } of found) {
      find(kind === "not-a-frame" ? "malformed" : kind, at, {
        by: dir,
        line,
        ...(sample === undefined ? {} : { sample })
      })
    }
  }

  const told = (fact: Conversation.Fact, { dir, line }: Entry): void => {
    switch (fact._tag) {
      case "TurnEnded":
        turns++
        return
      case "TurnDropped":
        if (!fact.isBare) find("unended", `turn ${fact.turn} has no result`, { by: "cli", line: fact.line })
        return
      case "StrayAnswer":
        find("order", "an answer to a request that nobody made", { by: dir, line })
        return
      case "StrayToolResult":
        find("order", "a result of a tool that nobody called", { by: dir, line })
        return
      case "RequestOpened":
        asked[dir].set(fact.request.id, fact.request.subtype)
        return
      case "RequestWithdrawn":
        asked[dir].delete(fact.request.id)
        return
    }
  }

  return {
    observe: (entry) => {
      if (entry._tag === "Damage") {
        find("damaged", entry.reason, { line: entry.line })
        return
      }
      entries++
      if (entry.t < time) find("order", "a time before that of the line before", { by: entry.dir, line: entry.line })
      time = entry.t
      const { dir, item } = entry
      const facts = conversation.observe(entry)
      for (const fact of facts) told(fact, entry)
      if (isKnown(item)) {
        if (item.type === "stream_event") {
          const wrong = blocks.observe(item)
          if (wrong !== undefined) find("order", wrong, { by: dir, line: entry.line })
        } else if (item.type === "control_response") {
          const questions = asked[dir === "cli" ? "host" : "cli"]
          const id = item.response.request_id
          novelties(entry, questions.get(id))
          questions.delete(id)
          return
        }
      }
      novelties(entry, undefined)
    },
    end: (file, format) => {
      const left = conversation.end()
      const waits = left.some(({ _tag }) => _tag === "MessageUnanswered")
      for (const fact of left) {
        if (fact._tag === "MessageUnanswered") {
          find("unended", "a message of the host's has no result", { by: "host", line: fact.line })
          // The turn of such a message is not another finding.
        } else if (fact._tag === "TurnDropped" && !fact.isBare && !waits) {
          find("unended", `turn ${fact.turn} has no result`, { by: "cli", line: fact.line })
        } else if (fact._tag === "RequestUnanswered" && (format === "recording" || fact.request.by === "host")) {
          const { about, by, line, subtype } = fact.request
          find("unanswered", about === undefined ? subtype : `${subtype} ${about}`, { by, line })
        }
      }
      const isVisible = (finding: Finding): boolean =>
        // Nothing is known of the host in a copy of stdout, so an answer to it says nothing.
        format !== "stdout" || !finding.at.startsWith("an answer to a request")
      return {
        file,
        format: format ?? null,
        version: conversation.version() ?? null,
        entries,
        turns,
        findings: [...findings.values()].filter(isVisible)
      }
    }
  }
}

/** Whether pieces of text come in the order in which the API sends them, for the model and each of its subagents. */
class Blocks {
  /** The message that is being written, by whoever writes it: which blocks of it have begun, and not ended. */
  readonly #open = new Map<string | null, Set<number>>()
  /** The block that grew last: the next piece is nearly always of the same. */
  #writer: string | null | undefined
  #index = -1

  observe({ event, parent_tool_use_id: writer }: StreamEventFrame): string | undefined {
    switch (event.type) {
      case "content_block_delta": {
        if (writer === this.#writer && event.index === this.#index) return undefined
        if (this.#open.get(writer)?.has(event.index) !== true) return "a piece of a content block that has not begun"
        this.#writer = writer
        this.#index = event.index
        return undefined
      }
      case "message_start":
        this.#forget()
        this.#open.set(writer, new Set())
        return undefined
      case "content_block_start": {
        const blocks = this.#open.get(writer)
        if (blocks === undefined) return "a content block of a message that has not begun"
        blocks.add(event.index)
        return undefined
      }
      case "content_block_stop":
        this.#forget()
        return this.#open.get(writer)?.delete(event.index) === true
          ? undefined
          : "the end of a content block that has not begun"
      case "message_stop":
        this.#forget()
        return this.#open.delete(writer) ? undefined : "the end of a message that has not begun"
    }
    return undefined
  }

  #forget(): void {
    this.#writer = undefined
    this.#index = -1
  }
}
