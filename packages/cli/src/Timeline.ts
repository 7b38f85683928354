/**
 * A conversation as a list of things that happened, in the order of the file: what `inspect` shows. Pure; reads entries, and
 * makes nothing of a piece of text but a count: a run of them is one item.
 */
import { isKnown } from "@claude-duplex/protocol/Frame"
import type { StreamEventFrame } from "@claude-duplex/protocol/schema/StreamEvent"
import * as Schema from "effect/Schema"
import * as Conversation from "./Conversation.js"
import { type Damage, damages, type Entry } from "./Entries.js"
import * as Format from "./Format.js"
import { itemsOf } from "./internal/drafts.js"

/**
 * What an item is.
 *
 * - `message`: of the host's to the model · `echo`: a `user` frame of the CLI's that is no result of a tool
 * - `init`, `result`: a turn begins, and ends
 * - `stream`: a run of `stream_event` frames · `text`, `thinking`: of the model
 * - `tool`, `tool-result`: the model wants a tool, and what came of it
 * - `permission`, `hook`, `mcp`, `control`: requests of either side, and their answers
 * - `task`: background work · `system`: everything else that the CLI says about itself
 * - `unknown`: a frame that no schema knows · `noise`: a line that is no frame · `damage`: a line that is no part of a recording
 */
export const Kind = Schema.Literal(
  "message",
  "echo",
  "init",
  "result",
  "stream",
  "text",
  "thinking",
  "tool",
  "tool-result",
  "permission",
  "hook",
  "mcp",
  "control",
  "task",
  "system",
  "unknown",
  "noise",
  "damage"
)
export type Kind = typeof Kind.Type

/** An item as `inspect --json` prints it, one a line. */
export const Item = Schema.Struct({
  /** The number of the line in the file, from 1; of a run, of its first. */
  line: Schema.Number,
  /** Milliseconds since the start; 0 throughout in a copy of stdout. */
  t: Schema.Number,
  /** Who wrote it; nobody did, if the file is damaged. */
  dir: Schema.NullOr(Schema.Literal("host", "cli")),
  /** The turn that it belongs to, from 1. */
  turn: Schema.NullOr(Schema.Number),
  kind: Kind,
  /** The frame by `type` and `subtype`; of tools and permissions, the tool; of requests, their `subtype`. */
  name: Schema.String,
  /** What was said, in full: text as it is, everything else as JSON. */
  text: Schema.String,
  /** The id that ties a request to its answer, or a tool to its result. */
  id: Schema.optional(Schema.String),
  /** How long it took: of an answer since its question, of a tool's result since the tool, of a result its turn. */
  millis: Schema.optional(Schema.Number),
  /** It failed. */
  isError: Schema.optional(Schema.Boolean),
  /** Of a run: how many frames. */
  frames: Schema.optional(Schema.Number),
  /** Of a result: the host sent nothing that its turn was for. */
  isUnsolicited: Schema.optional(Schema.Boolean),
  /** Of a result: what the turn cost. */
  usd: Schema.optional(Schema.Number)
}).annotations({ identifier: "Item" })
export interface Item extends Schema.Schema.Type<typeof Item> {}

/** What an item says, before anybody wants to read it: a text, other JSON, or nothing at all. */
export type Body = unknown

/** An {@link Item} whose text is not made yet: most are never printed. */
export interface Draft extends Omit<Item, "text"> {
  readonly body: Body
}

/**
 * The text of an item.
 */
export const textOf = (body: Body): string =>
  body === undefined ? "" : typeof body === "string" ? body : JSON.stringify(body)

/**
 * An item, with its text.
 */
export const finish = ({ body, dir, kind, line, name, t, turn, ...rest }: Draft): Item => ({
  line,
  t,
  dir,
  turn,
  kind,
  name,
  text: textOf(body),
  ...rest
})

/** Makes a timeline. Stateful: one for each file. */
export interface Timeline {
  /** The items that are complete with this. */
  readonly observe: (entry: Entry | Damage) => ReadonlyArray<Draft>
  /** A run of pieces that is not over yet. */
  readonly flush: () => ReadonlyArray<Draft>
  readonly conversation: Conversation.Conversation
}

const none: ReadonlyArray<Draft> = []

/**
 * Begins a timeline.
 */
export const make = (): Timeline => {
  const conversation = Conversation.make()
  let run: Run | undefined

  const flush = (): ReadonlyArray<Draft> => {
    if (run === undefined) return none
    const over = run
    run = undefined
    return [draftOf(over)]
  }

  return {
    conversation,
    flush,
    observe: (entry) => {
      if (entry._tag === "Damage") {
        const { line, reason } = entry
        return [...flush(), { line, t: 0, dir: null, turn: null, kind: "damage", name: reason, body: damages[reason] }]
      }
      const facts = conversation.observe(entry)
      const { item } = entry
      if (isKnown(item) && item.type === "stream_event") {
        run ??= {
          line: entry.line,
          t: entry.t,
          last: entry.t,
          turn: conversation.turn() ?? null,
          frames: 0,
          characters: 0,
          firstToken: undefined
        }
        run.frames++
        run.last = entry.t
        run.characters += charactersIn(item)
        // The only thing that a piece of text can be, besides one more.
        for (const fact of facts) if (fact._tag === "FirstToken") run.firstToken = fact.millis
        return none
      }
      const before = flush()
      const made = itemsOf(entry, facts, conversation.turn() ?? null)
      return before.length === 0 ? made : [...before, ...made]
    }
  }
}

/** A run of stream events. Changed in place: there is one for thousands of frames. */
interface Run {
  readonly line: number
  readonly t: number
  readonly turn: number | null
  last: number
  frames: number
  characters: number
  /** When the model began to answer, since the turn began, if it was in this run. */
  firstToken: number | undefined
}

const draftOf = ({ characters, firstToken, frames, last, line, t, turn }: Run): Draft => ({
  line,
  t,
  dir: "cli",
  turn,
  kind: "stream",
  name: "stream_event",
  body: `${Format.counted(frames, "event")}, ${Format.counted(characters, "character")}${
    firstToken === undefined || t === 0 ? "" : `, the first after ${Format.millis(firstToken)}`
  }`,
  frames,
  millis: last - t
})

const charactersIn = ({ event }: StreamEventFrame): number => {
  if (event.type !== "content_block_delta") return 0
  const { delta } = event
  switch (delta.type) {
    case "text_delta":
      return delta.text.length
    case "thinking_delta":
      return delta.thinking.length
    case "input_json_delta":
      return delta.partial_json.length
    default:
      return 0
  }
}
