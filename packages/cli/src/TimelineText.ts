/** A timeline for people: one line for each item, a heading for each turn. Owns words, columns and colours. */
import type { Format as FileFormat } from "@claude-duplex/transport-mock/Recording"
import * as Format from "./Format.js"
import type { Paint, Palette } from "./Palette.js"
import { type Draft, Kind, textOf } from "./Timeline.js"

/** How a timeline is shown. */
export interface Options {
  readonly palette: Palette
  /** How long a line may be. */
  readonly columns: number
  /** A copy of stdout has no times: there, lines are numbered instead. */
  readonly format: FileFormat
}

/** Items in, lines out. Stateful: it remembers which turn it is in. */
export type Writer = (draft: Draft) => string

const kindWidth = 11

/** Nothing more is kept of a JSON text than could be shown. */
const longest = 400

/**
 * Makes a writer.
 */
export const make = ({ columns, format, palette }: Options): Writer => {
  const paints = paintsOf(palette)
  const kinds = new Map(Kind.literals.map((kind) => [kind, paints[kind](kind.padEnd(kindWidth))]))
  const { bold, dim, green, red } = palette
  let turn: number | null = null
  return (draft) => {
    const { dir, kind, line, t } = draft
    const mark = (dir === null ? `line ${line}` : format === "recording" ? (t / 1_000).toFixed(3) : String(line))
      .padStart(9)
    const arrow = dir === "host" ? green("→") : dir === "cli" ? "←" : red("!")
    const left = `${dim(mark)} ${arrow} ${kinds.get(kind)} `
    const room = Math.max(20, columns - 9 - 3 - kindWidth - 1)
    const heading = draft.turn !== null && draft.turn !== turn ? `${bold(rule(`turn ${draft.turn}`, columns))}\n` : ""
    if (draft.turn !== null) turn = draft.turn
    return `${heading}${left}${describe(draft, room, palette)}\n`
  }
}

const rule = (title: string, columns: number): string =>
  `── ${title} ${"─".repeat(Math.max(0, Math.min(columns, 100) - title.length - 4))}`

const paintsOf = ({ blue, cyan, dim, green, magenta, red, yellow }: Palette): Record<Kind, Paint> => ({
  "message": green,
  "echo": dim,
  "init": dim,
  "result": blue,
  "stream": dim,
  "text": (text) => text,
  "thinking": dim,
  "tool": cyan,
  "tool-result": cyan,
  "permission": yellow,
  "hook": magenta,
  "mcp": magenta,
  "control": magenta,
  "task": dim,
  "system": dim,
  "unknown": red,
  "noise": red,
  "damage": red
})

/** Kinds whose name is in their text, or says no more than the kind does. */
const nameless: ReadonlySet<Kind> = new Set(["message", "init", "damage", "stream", "text", "thinking"])

const describe = (draft: Draft, room: number, { dim, red }: Palette): string => {
  const { frames, isError, kind, millis, name, usd } = draft
  const isAnswer = millis !== undefined && frames === undefined && kind !== "result" && kind !== "tool-result"
  const label = nameless.has(kind) || (kind === "echo" && name === "user")
    ? ""
    : `${name}${isAnswer ? (isError === true ? " refused" : " answered") : ""}`
  const after = [
    ...(usd === undefined ? [] : [Format.usd(usd)]),
    ...(millis === undefined || (millis === 0 && kind === "stream") ? [] : [Format.millis(millis)]),
    ...(draft.isUnsolicited === true ? ["nobody sent it"] : [])
  ].join(", ")
  const tail = after === "" ? "" : ` (${after})`
  const left = label === "" ? 0 : label.length + 2
  const text = textOf(cut(draft.body))
  const said = Format.oneLine(text, Math.max(8, room - left - tail.length))
  return `${isError === true ? red(label) : label}${label === "" || said === "" ? "" : "  "}${said}${dim(tail)}`
}

/** Long strings, deep inside, are cut before they are written as JSON: only the beginning will be seen. */
const cut = (body: unknown): unknown => {
  if (typeof body === "string") return body.length > longest ? body.slice(0, longest) : body
  if (Array.isArray(body)) return body.slice(0, 4).map(cut)
  if (typeof body !== "object" || body === null) return body
  return Object.fromEntries(Object.entries(body).slice(0, 12).map(([name, value]) => [name, cut(value)]))
}
