/**
 * Messages of the model while they are written: `stream_event` frames in, the message so far out. Pure and synchronous;
 * one message at a time for the conversation itself and for each of its subagents, told apart by `parent_tool_use_id`.
 *
 * The whole messages come as `assistant` frames, block by block, and those are what counts in the end; this owns only what
 * can be shown before. It never fails: an event or a delta that nobody knows changes nothing, and neither does a delta to a
 * block whose beginning was missed, because half a block looks like a whole one.
 *
 * A message is kept while it is written. It is let go of when it ends, when its turn has a result, and a subagent's when the
 * call that started it has one; so what is held is what is under way. A step costs the same however long the message is:
 * blocks are put in order when somebody looks.
 *
 * @since 0.1.0
 * @stability experimental
 */
import * as HashMap from "effect/HashMap"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { type CliFrame, isKnown, type Unknown } from "./Frame.js"
import type { ApiMessage } from "./schema/ApiMessage.js"
import type { ContentBlock } from "./schema/ContentBlock.js"
import type { ContentDelta, MessageDeltaEvent, StreamEventFrame } from "./schema/StreamEvent.js"

/** A block of a message so far. */
export interface BlockSoFar {
  readonly index: number
  /** Text and thinking grow; the input of a tool is what it began with until all of it is there. */
  readonly block: ContentBlock
  /** The input of a tool as text, as long as it is not whole; for good, if it turns out not to be JSON. */
  readonly partialJson: string | undefined
  readonly isComplete: boolean
}

/** What the API says of a message beside its content. */
export type MessageHead = Omit<ApiMessage, "content">

/** What a message so far consists of. */
interface Parts {
  readonly parentToolUseId: string | null
  readonly id: string | undefined
  readonly head: MessageHead | undefined
  readonly byIndex: HashMap.HashMap<number, BlockSoFar>
  readonly isComplete: boolean
}

/**
 * A message so far. It does not change; the next step makes another one.
 *
 * @example
 * ```ts
 * import type { MessageSoFar } from "@claude-duplex/protocol/MessageAccumulator"
 *
 * const title = (message: MessageSoFar) =>
 *   `${message.head?.model ?? "a model"}: ${message.text}${message.isComplete ? "" : " ..."}`
 * ```
 */
export class MessageSoFar implements Parts {
  /** The tool call of the subagent that says it; `null` is the conversation itself. */
  readonly parentToolUseId: string | null
  /** The API's id. Not known if the beginning was missed and the CLI is older than 2.1.326. */
  readonly id: string | undefined
  /** Model, usage and why it stopped, as far as they are known. Missing if the beginning was missed. */
  readonly head: MessageHead | undefined
  /** Its blocks, by the index that the API gave them. */
  readonly byIndex: HashMap.HashMap<number, BlockSoFar>
  /** Nothing more will come. */
  readonly isComplete: boolean

  constructor(parts: Parts) {
    this.parentToolUseId = parts.parentToolUseId
    this.id = parts.id
    this.head = parts.head
    this.byIndex = parts.byIndex
    this.isComplete = parts.isComplete
  }

  /** Its blocks, in order. */
  get blocks(): ReadonlyArray<BlockSoFar> {
    return Array.from(HashMap.values(this.byIndex)).sort((a, b) => a.index - b.index)
  }

  /** Its content, as `assistant` frames have it. */
  get content(): ReadonlyArray<ContentBlock> {
    return this.blocks.map(({ block }) => block)
  }

  /** What is said in it, without thinking and tools. */
  get text(): string {
    return this.blocks.map(({ block }) => block.type === "text" ? block.text : "").join("")
  }
}

/** The messages that are under way, by `parent_tool_use_id`. */
export interface State {
  readonly messages: HashMap.HashMap<string | null, MessageSoFar>
}

/** Nothing is under way. */
export const empty: State = { messages: HashMap.empty() }

/**
 * The message that is under way: of the conversation itself, or of a subagent.
 *
 * @example
 * ```ts
 * import * as MessageAccumulator from "@claude-duplex/protocol/MessageAccumulator"
 *
 * MessageAccumulator.get(MessageAccumulator.empty) // Option.none()
 * ```
 */
export const get = (state: State, parentToolUseId: string | null = null): Option.Option<MessageSoFar> =>
  HashMap.get(state.messages, parentToolUseId)

/**
 * One frame, and the message that it changed, if it changed one. Any frame may be given, in the order in which they came.
 *
 * @example
 * ```ts
 * import type { CliFrame } from "@claude-duplex/protocol/Frame"
 * import * as MessageAccumulator from "@claude-duplex/protocol/MessageAccumulator"
 * import { Option } from "effect"
 *
 * const show = (frames: ReadonlyArray<CliFrame>) => {
 *   let state = MessageAccumulator.empty
 *   for (const frame of frames) {
 *     const [next, changed] = MessageAccumulator.step(state, frame)
 *     state = next
 *     if (Option.isSome(changed)) console.log(changed.value.text)
 *   }
 * }
 * ```
 */
export const step = (
  state: State,
  frame: CliFrame | Unknown
): readonly [state: State, changed: Option.Option<MessageSoFar>] => {
  if (!isKnown(frame)) return [state, Option.none()]
  switch (frame.type) {
    case "stream_event": {
      const parent = frame.parent_tool_use_id
      const before = HashMap.get(state.messages, parent)
      const after = apply(before, frame)
      if (after === undefined || (Option.isSome(before) && before.value === after)) return [state, Option.none()]
      const messages = after.isComplete
        ? HashMap.remove(state.messages, parent)
        : HashMap.set(state.messages, parent, after)
      return [{ messages }, Option.some(after)]
    }
    case "result":
      return [without(state, null), Option.none()]
    case "user": {
      const { content } = frame.message
      if (typeof content === "string") return [state, Option.none()]
      const left = content.reduce(
        (left, block) => block.type === "tool_result" ? without(left, block.tool_use_id) : left,
        state
      )
      return [left, Option.none()]
    }
    default:
      return [state, Option.none()]
  }
}

/**
 * The messages of a conversation as they grow: one after each frame that changed one.
 *
 * @example
 * ```ts
 * import * as MessageAccumulator from "@claude-duplex/protocol/MessageAccumulator"
 * import { Effect, Stream } from "effect"
 *
 * const show = (frames: Parameters<typeof MessageAccumulator.accumulate>[0]) =>
 *   MessageAccumulator.accumulate(frames).pipe(
 *     Stream.runForEach(({ parentToolUseId, text }) => Effect.log(parentToolUseId ?? "main", text))
 *   )
 * ```
 */
export const accumulate = <E, R>(
  frames: Stream.Stream<CliFrame | Unknown, E, R>
): Stream.Stream<MessageSoFar, E, R> =>
  frames.pipe(Stream.mapAccum(empty, step), Stream.filterMap((changed) => changed))

const without = (state: State, parent: string | null): State =>
  HashMap.has(state.messages, parent) ? { messages: HashMap.remove(state.messages, parent) } : state

/** The message after an event; the same one, or none, if the event changes nothing. */
const apply = (before: Option.Option<MessageSoFar>, frame: StreamEventFrame): MessageSoFar | undefined => {
  const { event } = frame
  const message = Option.getOrUndefined(before)
  switch (event.type) {
    case "message_start": {
      // Its content is left out: 1.0.128 has the first piece in it, and sends that piece again.
      const { content: _, ...head } = event.message
      return begin(frame, head)
    }
    case "content_block_start": {
      const { content_block: block, index } = event
      return withBlock(message ?? begin(frame), { index, block, partialJson: undefined, isComplete: false })
    }
    case "content_block_delta":
      return change(message, event.index, (block) => grow(block, event.delta))
    case "content_block_stop":
      return change(message, event.index, completeBlock)
    case "message_delta":
      return message?.head === undefined
        ? message
        : new MessageSoFar({ ...message, head: amend(message.head, event) })
    case "message_stop":
      return message === undefined
        ? undefined
        : new MessageSoFar({ ...message, byIndex: HashMap.map(message.byIndex, completeBlock), isComplete: true })
    default:
      return message
  }
}

const begin = (frame: StreamEventFrame, head?: MessageHead): MessageSoFar =>
  new MessageSoFar({
    parentToolUseId: frame.parent_tool_use_id,
    id: head?.id ?? frame.api_message_id,
    head,
    byIndex: HashMap.empty(),
    isComplete: false
  })

const withBlock = (message: MessageSoFar, block: BlockSoFar): MessageSoFar =>
  new MessageSoFar({ ...message, byIndex: HashMap.set(message.byIndex, block.index, block) })

const change = (
  message: MessageSoFar | undefined,
  index: number,
  f: (block: BlockSoFar) => BlockSoFar
): MessageSoFar | undefined => {
  const before = message === undefined ? undefined : Option.getOrUndefined(HashMap.get(message.byIndex, index))
  if (message === undefined || before === undefined) return message
  const after = f(before)
  return after === before ? message : withBlock(message, after)
}

const grow = (before: BlockSoFar, delta: ContentDelta): BlockSoFar => {
  const { block } = before
  // An ended block is what it is: its input was parsed.
  if (before.isComplete) return before
  switch (delta.type) {
    case "text_delta":
      return block.type === "text" ? { ...before, block: { ...block, text: block.text + delta.text } } : before
    case "citations_delta":
      return block.type === "text"
        ? { ...before, block: { ...block, citations: [...(block.citations ?? []), delta.citation] } }
        : before
    case "thinking_delta":
      return block.type === "thinking"
        ? { ...before, block: { ...block, thinking: block.thinking + delta.thinking } }
        : before
    case "signature_delta":
      // It comes whole.
      return block.type === "thinking" ? { ...before, block: { ...block, signature: delta.signature } } : before
    case "input_json_delta":
      return takesInput(block) ? { ...before, partialJson: (before.partialJson ?? "") + delta.partial_json } : before
    case "compaction_delta": {
      // So does a summary.
      if (block.type !== "compaction") return before
      const { type: _, ...summary } = delta
      return { ...before, block: { ...block, ...summary } }
    }
    default:
      return before
  }
}

const takesInput = (block: ContentBlock) =>
  block.type === "tool_use" || block.type === "server_tool_use" || block.type === "mcp_tool_use"

const completeBlock = (before: BlockSoFar): BlockSoFar => {
  if (before.isComplete) return before
  const { block, partialJson } = before
  // A tool without input gets an empty piece: it then has what it began with.
  if (partialJson === undefined || partialJson === "" || !takesInput(block)) {
    return { ...before, partialJson: undefined, isComplete: true }
  }
  const parsed = Option.liftThrowable((): unknown => JSON.parse(partialJson))()
  return Option.isSome(parsed)
    ? { ...before, block: { ...block, input: parsed.value }, partialJson: undefined, isComplete: true }
    : { ...before, isComplete: true }
}

const amend = (head: MessageHead, { context_management, delta, input_transformations, usage }: MessageDeltaEvent) => ({
  ...head,
  ...delta,
  ...(context_management === undefined ? {} : { context_management }),
  ...(input_transformations === undefined ? {} : { input_transformations }),
  // Running totals. What is `null` is not told here, and was before.
  usage: { ...head.usage, ...Object.fromEntries(Object.entries(usage ?? {}).filter(([, value]) => value !== null)) }
})
