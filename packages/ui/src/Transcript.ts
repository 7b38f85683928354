/**
 * What a person sees of a conversation, made from its lines one after the other: cards (what was said and done), rows (the
 * wire), turns with their times, and what was spent. Plain code that runs in the page. Owns which line belongs to which
 * card; draws nothing.
 *
 * It grows and is never copied: a recording has a hundred thousand lines, and most of them add a word to a card. Lines
 * themselves are not kept: whoever wants to see one asks the server for it.
 *
 * @since 0.1.0
 * @stability experimental
 */
import * as Codec from "@claude-duplex/protocol/Codec"
import { type CliFrame, isKnown } from "@claude-duplex/protocol/Frame"
import type { ResultFrame } from "@claude-duplex/protocol/schema/ResultFrame"
import { outcomeOf, type TurnOutcome } from "@claude-duplex/protocol/TurnResult"
import type { Entry } from "@claude-duplex/transport-mock/Recording"
import * as Either from "effect/Either"

/** Whether a tool may run: asked, and how that was answered. */
export type Decision = "asked" | "allowed" | "denied" | "withdrawn"

/** Something that was said or done. */
export type Card =
  | (Common & { readonly kind: "prompt" | "text" | "thinking" | "note" | "problem"; text: string })
  | (Common & {
    readonly kind: "tool"
    readonly id: string
    readonly name: string
    input: unknown
    output: string | undefined
    isError: boolean
    decision: Decision | undefined
    endedAt: number | undefined
  })
  | (Common & { readonly kind: "result"; readonly text: string; readonly outcome: TurnOutcome; readonly usd: number })

interface Common {
  /** The line that it began with. */
  readonly row: number
  readonly t: number
  /** The tool call of the subagent that it is of; none: the conversation's own. */
  readonly parent: string | undefined
}

/** A card of a tool. */
export type ToolCard = Extract<Card, { readonly kind: "tool" }>

/** A line of the wire, as short as a list needs it. */
export interface Row {
  readonly t: number
  readonly dir: Entry["dir"]
  /** What it is: `stream_event`, `system/init`, `control_request/can_use_tool`. */
  readonly label: string
  readonly bytes: number
  /** The card that it belongs to. */
  readonly card: number | undefined
  /** What is wrong with it, if it could not be read. */
  readonly problem: string | undefined
}

/** A turn, in milliseconds since the start. */
export interface Turn {
  readonly begin: number
  /** When the first of the answer came. */
  first: number | undefined
  end: number | undefined
  /** What the conversation has cost by then, in all. */
  usd: number | undefined
  /** How much of the context was used. */
  contextTokens: number | undefined
  /** Indices of the cards of its tools. */
  readonly tools: Array<number>
}

/**
 * A conversation as a person sees it.
 *
 * @example
 * ```ts
 * import { Transcript } from "@claude-duplex/ui/Transcript"
 *
 * const transcript = new Transcript()
 * transcript.push([{ t: 0, dir: "host", line: `{"type":"user","message":{"role":"user","content":"hello"}}` }])
 * transcript.cards[0]?.kind // "prompt"
 * ```
 */
export class Transcript {
  readonly cards: Array<Card> = []
  readonly rows: Array<Row> = []
  readonly turns: Array<Turn> = []
  /** Changes with every change. */
  version = 0
  readonly #readCli = Codec.cli.makeLineReader()
  readonly #tools = new Map<string, number>()
  /** Questions whether a tool may run, by request. */
  readonly #asked = new Map<string, number>()
  /** Cards of the message that is being written, by who writes it and by block. */
  readonly #writing = new Map<string, number>()
  /** How many whole blocks of a message have come, by who wrote it. */
  readonly #blocks = new Map<string, { id: string | undefined; count: number }>()

  /** Takes in the next lines. */
  push(entries: ReadonlyArray<Entry>): void {
    for (const { dir, line, t } of entries) {
      const [label, card, problem] = dir === "cli" ? this.#cli(line, t) : this.#host(line, t)
      this.rows.push({ t, dir, label, bytes: line.length, card, problem })
    }
    if (entries.length > 0) this.version++
  }

  #cli(line: string, t: number): Seen {
    const item = this.#readCli(line)
    if (isKnown(item)) return [labelOf(item), this.#frame(item, t), undefined]
    if (item._tag === "DecodeError") {
      return ["not a frame", this.#add({ kind: "problem", ...this.#common(t), text: item.message }), item.message]
    }
    const type = typeOf(item.raw)
    return [type, this.#add({ kind: "problem", ...this.#common(t), text: `${type}: ${item.reason}` }), item.reason]
  }

  #host(line: string, t: number): Seen {
    const item = Either.merge(Codec.host.decode(line))
    if (!isKnown(item)) return ["not a frame", undefined, item._tag === "Unknown" ? item.reason : item.message]
    switch (item.type) {
      case "user": {
        this.turns.push({
          begin: t,
          first: undefined,
          end: undefined,
          usd: undefined,
          contextTokens: undefined,
          tools: []
        })
        return [
          "user",
          this.#add({ kind: "prompt", ...this.#common(t), text: textOf(item.message.content) }),
          undefined
        ]
      }
      case "control_response": {
        const { response } = item
        const card = this.#asked.get(response.request_id)
        const behaviour = response.subtype === "success" ? response.response?.["behavior"] : "deny"
        this.#decide(response.request_id, behaviour === "allow" ? "allowed" : "denied")
        return [`control_response/${response.subtype}`, card, undefined]
      }
      default:
        return [labelOf(item), undefined, undefined]
    }
  }

  /** The card that a frame adds to, if it does. */
  #frame(frame: CliFrame, t: number): number | undefined {
    switch (frame.type) {
      case "stream_event":
        return this.#streamed(frame, t)
      case "assistant":
        return this.#said(frame, t)
      case "user":
        return this.#toolResults(frame, t)
      case "result":
        return this.#ended(frame, t)
      case "control_request": {
        const { request } = frame
        if (request.subtype !== "can_use_tool") return undefined
        const card = request.tool_use_id === undefined ? undefined : this.#tools.get(request.tool_use_id)
        const tool = card ??
          this.#tool(request.tool_use_id ?? frame.request_id, request.tool_name, request.input, t, undefined)
        this.#asked.set(frame.request_id, tool)
        this.#decide(frame.request_id, "asked")
        return tool
      }
      case "control_cancel_request": {
        const card = this.#asked.get(frame.request_id)
        this.#decide(frame.request_id, "withdrawn")
        return card
      }
      case "system":
        return this.#noted(frame, t)
      default:
        return undefined
    }
  }

  #streamed({ event, parent_tool_use_id }: Of<"stream_event">, t: number): number | undefined {
    const parent = parent_tool_use_id ?? undefined
    switch (event.type) {
      case "message_start":
        this.#forgetWriting(parent)
        return undefined
      case "content_block_start": {
        const { content_block: block } = event
        if (block.type !== "text" && block.type !== "thinking") return undefined
        const text = block.type === "text" ? block.text : block.thinking
        const card = this.#add({ kind: block.type, ...this.#common(t, parent), text })
        this.#writing.set(key(parent, event.index), card)
        return card
      }
      case "content_block_delta": {
        const index = this.#writing.get(key(parent, event.index))
        const card = index === undefined ? undefined : this.cards[index]
        const { delta } = event
        this.#answered(t)
        if (card?.kind === "text" && delta.type === "text_delta") card.text += delta.text
        if (card?.kind === "thinking" && delta.type === "thinking_delta") card.text += delta.thinking
        return index
      }
      default:
        return undefined
    }
  }

  /** Whole blocks of a message. Those that were written before our eyes are there already. */
  #said({ message, parent_tool_use_id }: Of<"assistant">, t: number): number | undefined {
    this.#answered(t)
    const parent = parent_tool_use_id ?? undefined
    const who = parent ?? ""
    const known = this.#blocks.get(who)
    const seen = known !== undefined && known.id === message.id ? known : { id: message.id, count: 0 }
    this.#blocks.set(who, seen)
    const { usage } = message
    const turn = this.turns.at(-1)
    if (turn !== undefined && parent === undefined && usage !== undefined) {
      turn.contextTokens = usage.input_tokens + (usage.cache_read_input_tokens ?? 0) +
        (usage.cache_creation_input_tokens ?? 0)
    }
    let card: number | undefined
    for (const block of message.content) {
      const at = seen.count++
      if (block.type === "tool_use") {
        card = this.#tools.get(block.id) ?? this.#tool(block.id, block.name, block.input, t, parent)
        continue
      }
      if (block.type !== "text" && block.type !== "thinking") continue
      const text = block.type === "text" ? block.text : block.thinking
      const written = this.#writing.get(key(parent, at))
      const streamed = written === undefined ? undefined : this.cards[written]
      if (streamed?.kind === block.type) {
        streamed.text = text
        card = written
      } else card = this.#add({ kind: block.type, ...this.#common(t, parent), text })
    }
    return card
  }

  #toolResults({ message: { content } }: Of<"user">, t: number): number | undefined {
    if (typeof content === "string") return undefined
    let card: number | undefined
    for (const block of content) {
      if (block.type !== "tool_result") continue
      const index = this.#tools.get(block.tool_use_id)
      const tool = index === undefined ? undefined : this.cards[index]
      if (tool?.kind !== "tool") continue
      tool.output = textOf(block.content ?? "")
      tool.isError = block.is_error === true
      tool.endedAt = t
      card = index
    }
    return card
  }

  #ended(frame: ResultFrame, t: number): number {
    const turn = this.turns.findLast(({ end }) => end === undefined)
    if (turn !== undefined) {
      turn.end = t
      turn.usd = frame.total_cost_usd
    }
    this.#writing.clear()
    const text = frame.subtype === "success" ? "" : (frame.errors ?? []).join("\n") || String(frame.subtype)
    return this.#add({
      kind: "result",
      ...this.#common(t),
      text,
      outcome: outcomeOf(frame),
      usd: frame.total_cost_usd ?? 0
    })
  }

  #noted(frame: Of<"system">, t: number): number | undefined {
    switch (frame.subtype) {
      case "compact_boundary":
        return this.#add({ kind: "note", ...this.#common(t), text: "What was said so far is summarised from here on." })
      case "api_retry":
        return this.#add({ kind: "note", ...this.#common(t), text: "The API did not answer; the CLI tries again." })
      default:
        return undefined
    }
  }

  #tool(id: string, name: string, input: unknown, t: number, parent: string | undefined): number {
    const card = this.#add({
      kind: "tool",
      ...this.#common(t, parent),
      id,
      name,
      input,
      output: undefined,
      isError: false,
      decision: undefined,
      endedAt: undefined
    })
    this.#tools.set(id, card)
    this.turns.at(-1)?.tools.push(card)
    return card
  }

  #decide(request: string, decision: Decision): void {
    const index = this.#asked.get(request)
    const card = index === undefined ? undefined : this.cards[index]
    if (card?.kind === "tool") card.decision = decision
    if (decision !== "asked") this.#asked.delete(request)
  }

  #answered(t: number): void {
    const turn = this.turns.at(-1)
    if (turn !== undefined) turn.first ??= t
  }

  #forgetWriting(parent: string | undefined): void {
    const prefix = `${parent ?? ""}/`
    for (const name of this.#writing.keys()) if (name.startsWith(prefix)) this.#writing.delete(name)
  }

  #common(t: number, parent?: string): Common {
    return { row: this.rows.length, t, parent }
  }

  #add(card: Card): number {
    return this.cards.push(card) - 1
  }
}

type Seen = readonly [label: string, card: number | undefined, problem: string | undefined]

type Of<T extends CliFrame["type"]> = Extract<CliFrame, { readonly type: T }>

const key = (parent: string | undefined, block: number) => `${parent ?? ""}/${block}`

const labelOf = (frame: { readonly type: string; readonly subtype?: unknown; readonly request?: unknown }): string => {
  const { request, subtype, type } = frame
  if (typeof subtype === "string") return `${type}/${subtype}`
  return typeof request === "object" && request !== null && "subtype" in request ? `${type}/${request.subtype}` : type
}

const typeOf = (raw: unknown): string =>
  typeof raw === "object" && raw !== null && "type" in raw && typeof raw.type === "string" ? raw.type : "?"

/** The text of a message or of a tool's result; what is no text is named. */
const textOf = (content: unknown): string => {
  if (typeof content === "string") return content
  if (!Array.isArray(content)) return content === undefined ? "" : JSON.stringify(content, null, 2)
  // Blocks are objects with a type, as their schema says.
  return (content as ReadonlyArray<{ readonly type: string; readonly text?: unknown; readonly content?: unknown }>)
    .map(({ content, text, type }) =>
      typeof text === "string" ? text : type === "tool_result" ? textOf(content) : `(${type})`
    )
    .join("\n")
}
