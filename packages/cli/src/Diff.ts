/**
 * What differs between two conversations: did another CLI, or another host, change anything? Pure; both are kept in memory.
 *
 * - *Order*: frames are aligned by what they are (side, type, subtype, kind of content), as lines are by diff(1).
 * - *Shape*: of frames that stand for each other, fields that only one has, and values of another kind.
 * - *Values*: texts, flags and numbers that differ; not what was measured (times, tokens, money), nor ids.
 * - *Timing*: how long before a frame nothing came, if that at least doubled or halved. Told, and never a difference: no two
 *   runs take the same time.
 *
 * Ids differ in every run. The first time that two stand in the same place, each becomes the other's counterpart; from then
 * on, another one there is a difference.
 */
import * as Frame from "@claude-duplex/protocol/Frame"
import { nameOf } from "@claude-duplex/protocol/Novelty"
import type { Direction, Format } from "@claude-duplex/transport-mock/Recording"
import * as Schema from "effect/Schema"
import type { Entry } from "./Entries.js"
import { align } from "./internal/align.js"

/** A frame that only one has, or that is elsewhere in the other. */
export const OrderDifference = Schema.Struct({
  change: Schema.Literal("only-a", "only-b", "moved"),
  dir: Schema.Literal("host", "cli"),
  frame: Schema.String,
  count: Schema.Number,
  /** The first lines where it is: in the file that has it; of what moved, in both. */
  lines: Schema.Array(Schema.Number),
  linesB: Schema.optional(Schema.Array(Schema.Number))
}).annotations({ identifier: "OrderDifference" })
export interface OrderDifference extends Schema.Schema.Type<typeof OrderDifference> {}

/** A field that only one has, or whose values are of another kind. */
export const ShapeDifference = Schema.Struct({
  change: Schema.Literal("only-a", "only-b", "kind"),
  frame: Schema.String,
  path: Schema.String,
  /** In how many frames. */
  count: Schema.Number,
  /** What was there the first time: JSON, cut. Of a kind, its name. */
  a: Schema.NullOr(Schema.String),
  b: Schema.NullOr(Schema.String)
}).annotations({ identifier: "ShapeDifference" })
export interface ShapeDifference extends Schema.Schema.Type<typeof ShapeDifference> {}

/** Another value in the same place. */
export const ValueDifference = Schema.Struct({
  frame: Schema.String,
  path: Schema.String,
  count: Schema.Number,
  /** The first time: JSON, cut. */
  a: Schema.String,
  b: Schema.String
}).annotations({ identifier: "ValueDifference" })
export interface ValueDifference extends Schema.Schema.Type<typeof ValueDifference> {}

/** Another wait before the same frame. */
export const TimingDifference = Schema.Struct({
  frame: Schema.String,
  lineA: Schema.Number,
  lineB: Schema.Number,
  /** Milliseconds since the frame before. */
  a: Schema.Number,
  b: Schema.Number
}).annotations({ identifier: "TimingDifference" })
export interface TimingDifference extends Schema.Schema.Type<typeof TimingDifference> {}

/** What `diff --json` prints. */
export const Report = Schema.Struct({
  a: Schema.String,
  b: Schema.String,
  /** Nothing differs in order, shape or values. */
  same: Schema.Boolean,
  /** How many frames stand for each other. */
  aligned: Schema.Number,
  order: Schema.Array(OrderDifference),
  shape: Schema.Array(ShapeDifference),
  values: Schema.Array(ValueDifference),
  timing: Schema.Array(TimingDifference),
  /** From the first line to the last, in milliseconds; of recordings. */
  durations: Schema.NullOr(Schema.Struct({ a: Schema.Number, b: Schema.Number }))
}).annotations({ identifier: "Report" })
export interface Report extends Schema.Schema.Type<typeof Report> {}

/** One side. */
export interface Side {
  readonly name: string
  readonly format: Format | undefined
  readonly entries: ReadonlyArray<Entry>
}

/** A frame, or a run of pieces of one block. */
interface Step {
  readonly dir: Direction
  readonly frame: string
  readonly line: number
  /** Since the step before. */
  readonly wait: number
  readonly value: unknown
}

/**
 * Compares two conversations.
 */
export const compare = (a: Side, b: Side): Report => {
  const [stepsA, stepsB] = [stepsOf(a.entries), stepsOf(b.entries)]
  const keyOf = ({ dir, frame }: Step) => `${dir} ${frame}`
  const pairs = align(stepsA.map(keyOf), stepsB.map(keyOf))
  const values = new Comparison()
  const timing: Array<TimingDifference> = []
  const lost: Array<Step> = []
  const gained: Array<Step> = []
  let aligned = 0
  for (const [i, j] of pairs) {
    const stepA = i === undefined ? undefined : stepsA[i]
    const stepB = j === undefined ? undefined : stepsB[j]
    if (stepA === undefined) {
      if (stepB !== undefined) gained.push(stepB)
    } else if (stepB === undefined) lost.push(stepA)
    else {
      aligned++
      values.compare(stepA.frame, stepA.value, stepB.value)
      if (isAnotherWait(stepA.wait, stepB.wait)) {
        timing.push({ frame: stepA.frame, lineA: stepA.line, lineB: stepB.line, a: stepA.wait, b: stepB.wait })
      }
    }
  }
  const order = orderDifferences(lost, gained)
  const shape = [...values.shape.values()]
  const others = [...values.values.values()]
  return {
    a: a.name,
    b: b.name,
    same: order.length === 0 && shape.length === 0 && others.length === 0,
    aligned,
    order,
    shape,
    values: others,
    timing: timing.sort((one, other) => Math.abs(other.a - other.b) - Math.abs(one.a - one.b)),
    durations: a.format === "recording" && b.format === "recording"
      ? { a: durationOf(a.entries), b: durationOf(b.entries) }
      : null
  }
}

const durationOf = (entries: ReadonlyArray<Entry>): number => (entries.at(-1)?.t ?? 0) - (entries[0]?.t ?? 0)

/** Half a second or more of difference, and twice as long: the rest is what a machine does. */
const isAnotherWait = (a: number, b: number): boolean => Math.abs(a - b) >= 500 && Math.max(a, b) >= 2 * Math.min(a, b)

/** The steps of a conversation: every frame is one, but for pieces of a block, of which a run is one. */
const stepsOf = (entries: ReadonlyArray<Entry>): ReadonlyArray<Step> => {
  const steps: Array<Step> = []
  const asked = new Map<string, string>()
  let last: string | undefined
  let t = 0
  for (const { dir, item, line, t: now } of entries) {
    const value = Frame.match(item, {
      known: (frame): unknown => frame,
      Unknown: ({ raw }) => raw,
      DecodeError: () => undefined
    })
    const frame = value === undefined ? "a line that is no JSON" : frameName(dir, value, asked)
    const isDelta = frame.startsWith("stream_event/content_block_delta")
    if (!isDelta || frame !== last) steps.push({ dir, frame, line, wait: now - t, value })
    last = frame
    t = now
  }
  return steps
}

/** What a frame is, as far as it decides which other one it may stand for. */
const frameName = (dir: Direction, value: unknown, asked: Map<string, string>): string => {
  const name = nameOf(value)
  const { event, message, request, request_id, response, type } = fieldsOf(value)
  switch (type) {
    case "control_request":
      asked.set(`${dir} ${String(request_id)}`, String(fieldsOf(request)["subtype"]))
      return name
    case "control_response": {
      const id = String(fieldsOf(response)["request_id"])
      const question = asked.get(`${dir === "cli" ? "host" : "cli"} ${id}`)
      return question === undefined ? name : `${name} to ${question}`
    }
    case "assistant":
    case "user": {
      const { content } = fieldsOf(message)
      const blocks = Array.isArray(content) ? content.map((block: unknown) => blockName(fieldsOf(block))) : []
      return blocks.length === 0 ? name : `${name}[${blocks.join(", ")}]`
    }
    case "stream_event": {
      const { content_block, delta, type: kind } = fieldsOf(event)
      const inner = fieldsOf(delta ?? content_block)["type"]
      return inner === undefined || kind === "message_delta" ? name : `${name} ${String(inner)}`
    }
    default:
      return name
  }
}

const blockName = ({ name, type }: { readonly [name: string]: unknown }): string =>
  name === undefined ? String(type) : `${String(type)} ${String(name)}`

/** How many lines a difference names. */
const namedLines = 5

const orderDifferences = (lost: ReadonlyArray<Step>, gained: ReadonlyArray<Step>): ReadonlyArray<OrderDifference> => {
  const groups = new Map<string, { readonly a: Array<Step>; readonly b: Array<Step> }>()
  const groupOf = ({ dir, frame }: Step) => {
    const key = `${dir} ${frame}`
    const group = groups.get(key) ?? { a: [], b: [] }
    groups.set(key, group)
    return group
  }
  for (const step of lost) groupOf(step).a.push(step)
  for (const step of gained) groupOf(step).b.push(step)
  const linesOf = (steps: ReadonlyArray<Step>) => steps.slice(0, namedLines).map(({ line }) => line)
  return [...groups.values()].flatMap(({ a, b }) => {
    const moved = Math.min(a.length, b.length)
    const told: Array<OrderDifference> = []
    const tell = (
      change: OrderDifference["change"],
      steps: ReadonlyArray<Step>,
      others: ReadonlyArray<Step> = []
    ): void => {
      const [first] = steps
      if (first === undefined) return
      told.push({
        change,
        dir: first.dir,
        frame: first.frame,
        count: steps.length,
        lines: linesOf(steps),
        ...(others.length === 0 ? {} : { linesB: linesOf(others) })
      })
    }
    tell("moved", a.slice(0, moved), b.slice(0, moved))
    tell("only-a", a.slice(moved))
    tell("only-b", b.slice(moved))
    return told
  })
}

/** Compares values, and keeps one difference for each field. */
class Comparison {
  readonly shape = new Map<string, { -readonly [K in keyof ShapeDifference]: ShapeDifference[K] }>()
  readonly values = new Map<string, { -readonly [K in keyof ValueDifference]: ValueDifference[K] }>()
  /** Ids of the one, and their counterparts. */
  readonly #idsA = new Map<string, string>()
  readonly #idsB = new Map<string, string>()

  compare(frame: string, a: unknown, b: unknown): void {
    this.#compare(frame, "", a, b)
  }

  #compare(frame: string, path: string, a: unknown, b: unknown): void {
    const kind = kindOf(a)
    if (kind !== kindOf(b)) {
      this.#shape(frame, path, "kind", kind, kindOf(b))
      return
    }
    if (Array.isArray(a) && Array.isArray(b)) this.#arrays(frame, path, a, b)
    else if (kind === "object") this.#objects(frame, path, fieldsOf(a), fieldsOf(b))
    else if (isId(path, a) && isId(path, b)) {
      if (!this.#areCounterparts(a, b)) this.#value(frame, path, shown(a), shown(b))
    } else if (a !== b && !isMeasured(path, a, b)) this.#value(frame, path, shown(a), shown(b))
  }

  #objects(frame: string, path: string, a: Fields, b: Fields): void {
    for (const [name, value] of Object.entries(a)) {
      const inner = path === "" ? name : `${path}.${name}`
      if (Object.hasOwn(b, name)) this.#compare(frame, inner, value, b[name])
      else this.#shape(frame, inner, "only-a", shown(value), null)
    }
    for (const [name, value] of Object.entries(b)) {
      if (!Object.hasOwn(a, name)) {
        this.#shape(frame, path === "" ? name : `${path}.${name}`, "only-b", null, shown(value))
      }
    }
  }

  #arrays(frame: string, path: string, a: ReadonlyArray<unknown>, b: ReadonlyArray<unknown>): void {
    const items = `${path}[]`
    if ([...a, ...b].every((item) => typeof item === "string") && !a.some((item) => isId(items, item))) {
      const lost = a.filter((item) => !b.includes(item))
      const gained = b.filter((item) => !a.includes(item))
      if (lost.length + gained.length > 0) this.#value(frame, items, shown(lost), shown(gained))
      return
    }
    for (let i = 0; i < Math.min(a.length, b.length); i++) this.#compare(frame, items, a[i], b[i])
    if (a.length !== b.length) this.#value(frame, items, `${a.length} of them`, `${b.length} of them`)
  }

  #areCounterparts(a: string, b: string): boolean {
    const [known, back] = [this.#idsA.get(a), this.#idsB.get(b)]
    if (known === undefined && back === undefined) {
      this.#idsA.set(a, b)
      this.#idsB.set(b, a)
      return true
    }
    return known === b && back === a
  }

  #shape(frame: string, path: string, change: ShapeDifference["change"], a: string | null, b: string | null): void {
    const known = this.shape.get(`${change} ${frame} ${path}`)
    if (known !== undefined) known.count++
    else this.shape.set(`${change} ${frame} ${path}`, { change, frame, path, count: 1, a, b })
  }

  #value(frame: string, path: string, a: string, b: string): void {
    const known = this.values.get(`${frame} ${path}`)
    if (known !== undefined) known.count++
    else this.values.set(`${frame} ${path}`, { frame, path, count: 1, a, b })
  }
}

type Fields = { readonly [name: string]: unknown }

const fieldsOf = (value: unknown): Fields => typeof value === "object" && value !== null ? { ...value } : {}

const kindOf = (value: unknown): string => value === null ? "null" : Array.isArray(value) ? "array" : typeof value

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const idName = /(^|[._])(id|uuid|uuids|[a-z_]+_id|[a-z_]+_ids|[a-z_]+_uuids?|[a-zA-Z]+Ids?)(\[\])?$/

const isId = (path: string, value: unknown): value is string =>
  typeof value === "string" && (uuid.test(value) || idName.test(path))

const instant = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/
const measure = /(_ms|_millis|tokens|usd|cost|pid|duration|_at|time|timestamp|count|num_turns|version)$/i

/** What differs between any two runs. */
const isMeasured = (path: string, a: unknown, b: unknown): boolean =>
  measure.test(path) || (typeof a === "string" && typeof b === "string" && instant.test(a) && instant.test(b))

const longestSample = 80

const shown = (value: unknown): string => {
  const text = JSON.stringify(value) ?? "nothing"
  return text.length > longestSample ? `${text.slice(0, longestSample - 1)}…` : text
}
