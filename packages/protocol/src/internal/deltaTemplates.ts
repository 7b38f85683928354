/**
 * Deltas without parsing. Consecutive deltas of one block are the same line but for two strings: the text and the uuid. What
 * surrounds those two is learned from a delta that was parsed and checked; a line with the same surroundings is the same
 * frame with two other strings, and nothing else of it needs to be parsed or checked again.
 *
 * This is no guess. A template is kept only if putting its own strings back gives its own line to the byte; a line must
 * have every byte of it; and what is between must be JSON strings. Whatever differs is read the long way. The schema asks
 * of both strings that they are strings; if it asked for more, this would have to ask it too.
 */
import type { ContentDelta, StreamEventFrame } from "../schema/StreamEvent.js"

/** As many blocks as may be written at the same time: by the model, and by subagents beside it. */
const most = 4

/** How many deltas are read the long way, at most, before it is tried again to learn from one. */
const longestPause = 1_024

/** Reads deltas, and learns to. One per stream. */
export class DeltaTemplates {
  #templates: ReadonlyArray<Template> = []
  /** The one that was right the last time. */
  #latest: Template | undefined
  /** Deltas to come that nothing is learned from; and how many that will be the next time. */
  #pause = 0
  #nextPause = 0

  /** The frame of a line, if it is like one that was learned from. */
  read(line: string): StreamEventFrame | undefined {
    // Mostly the same block goes on.
    const frame = this.#latest?.read(line) ?? this.#readOlder(line)
    if (frame !== undefined) this.#nextPause = 0
    return frame
  }

  #readOlder(line: string): StreamEventFrame | undefined {
    for (const template of this.#templates) {
      if (template === this.#latest) continue
      const frame = template.read(line)
      if (frame === undefined) continue
      this.#latest = template
      return frame
    }
    return undefined
  }

  /** Learns from a line that was read the long way. Where that never helps, it is tried less and less often. */
  learn(line: string, frame: StreamEventFrame): void {
    if (this.#pause > 0) {
      this.#pause--
      return
    }
    const template = Template.of(line, frame)
    this.#pause = this.#nextPause
    this.#nextPause = Math.min(this.#nextPause * 2 + 1, longestPause)
    if (template === undefined) return
    this.#templates = [template, ...this.#templates.slice(0, most - 1)]
    this.#latest = template
  }
}

/** Deltas that come in numbers, with another text. Spelled out one by one: an engine is quick with shapes that it knows. */
const withText = {
  text_delta: (delta: object, text: unknown): object => ({ ...delta, text }),
  thinking_delta: (delta: object, thinking: unknown): object => ({ ...delta, thinking }),
  input_json_delta: (delta: object, partial_json: unknown): object => ({ ...delta, partial_json })
}

const textOf = (delta: ContentDelta): string | undefined => {
  switch (delta.type) {
    case "text_delta":
      return delta.text
    case "thinking_delta":
      return delta.thinking
    case "input_json_delta":
      return delta.partial_json
    default:
      return undefined
  }
}

/** What stands in a gap while a template is made. A frame that says either itself is not learned from. */
const textGap = "\u0001"
const uuidGap = "\u0002"

/** A line with two gaps. The quotes of both strings are the gaps'. */
class Template {
  readonly #prefix: string
  readonly #middle: string
  readonly #suffix: string
  readonly #uuidLength: number
  readonly #frame: object
  readonly #event: object
  readonly #delta: object
  readonly #withText: (delta: object, text: unknown) => object

  private constructor(
    [prefix, middle, suffix]: readonly [string, string, string],
    uuidLength: number,
    frame: object,
    event: object,
    delta: object,
    withText: (delta: object, text: unknown) => object
  ) {
    this.#prefix = prefix
    this.#middle = middle
    this.#suffix = suffix
    this.#uuidLength = uuidLength
    this.#frame = frame
    this.#event = event
    this.#delta = delta
    this.#withText = withText
  }

  static of(line: string, frame: StreamEventFrame): Template | undefined {
    const { event, uuid } = frame
    if (event.type !== "content_block_delta" || uuid === undefined) return undefined
    const { delta } = event
    const text = textOf(delta)
    // Frames that were made from one template share what is in it: so it must be nothing that could be changed.
    if (text === undefined || !isFlat(frame, event) || !isFlat(event, delta) || !isFlat(delta)) return undefined
    // `textOf` knows it, so it is one of these.
    const write = withText[delta.type as keyof typeof withText]
    const gaps = { ...frame, event: { ...event, delta: write(delta, textGap) }, uuid: uuidGap }
    // Two different gaps: a uuid that comes before the text, or that a text equals, must not be taken for the text.
    const [prefix, rest, ...moreTexts] = JSON.stringify(gaps).split(JSON.stringify(textGap))
    const [middle, suffix, ...moreUuids] = rest?.split(JSON.stringify(uuidGap)) ?? []
    if (prefix === undefined || middle === undefined || suffix === undefined) return undefined
    if (moreTexts.length > 0 || moreUuids.length > 0) return undefined
    const quoted = JSON.stringify(uuid)
    return prefix + JSON.stringify(text) + middle + quoted + suffix === line
      ? new Template([prefix, middle, suffix], quoted.length, frame, event, delta, write)
      : undefined
  }

  read(line: string): StreamEventFrame | undefined {
    const uuidEnd = line.length - this.#suffix.length
    const uuidStart = uuidEnd - this.#uuidLength
    const textStart = this.#prefix.length
    const textEnd = uuidStart - this.#middle.length
    // Cut and compared, which V8 does at once: `startsWith` goes character by character, and takes as long as parsing.
    if (
      textEnd < textStart ||
      line.substring(0, textStart) !== this.#prefix ||
      line.substring(textEnd, uuidStart) !== this.#middle ||
      line.substring(uuidEnd) !== this.#suffix
    ) return undefined
    const text = quotedString(line.substring(textStart, textEnd))
    const uuid = quotedString(line.substring(uuidStart, uuidEnd))
    if (text === undefined || uuid === undefined) return undefined
    // The frame that it was learned from was checked, and this one differs from it in two strings.
    return {
      ...this.#frame,
      event: { ...this.#event, delta: this.#withText(this.#delta, text) },
      uuid
    } as StreamEventFrame
  }
}

/** The string that this is the JSON of; nothing if it is anything else, or has something around it. */
const quotedString = (json: string): string | undefined => {
  if (json.charCodeAt(0) !== 0x22) return undefined
  try {
    // What begins with a quote is a string, or no JSON at all.
    return JSON.parse(json) as string
  } catch {
    return undefined
  }
}

/** Nothing in it but plain values, and perhaps one object. */
const isFlat = (value: object, except?: object): boolean =>
  Object.values(value).every((field) => field === except || typeof field !== "object" || field === null)
